"""Writes a bug report as a ZIP file: everything that helps to find the bug, and no secrets."""

from __future__ import annotations

import json
import os
import time
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, Final

from .. import logs, private_files
from ..addresses import HIDDEN, without_secrets
from ..settings import Settings
from ..storage.errors import JournalError
from ..storage.folders import folder_to_read
from ..storage.journal import Journal
from .checks import Check
from .versions import versions

MAX_EVENTS: Final = 1000
"""Number of the journal's newest events to include."""

MAX_LOG_BYTES: Final = 2_000_000
"""Maximum size of all included parts of the log together."""

_SECRET_WORDS: Final = ("pin", "password", "secret", "token", "key")
"""Settings whose names contain one of these words are never included."""

_READ_ME: Final = """\
A report of Focus Companion. Look through it before you pass it on.
  versions.json   the program, its libraries, the system
  settings.json   your settings, without PIN, passwords and what stands behind the ? of addresses
  doctor.json     what "focus-companion doctor" found
  events.jsonl    the last events of the journal, without the players' names
  log/            the newest part of the program's log
"""


def settings_without_secrets(settings: Settings) -> dict[str, Any]:
    """All settings by name, as they may be shown."""
    shown: dict[str, Any] = _shown(asdict(settings))
    return shown


def _shown(value: Any, name: str = "") -> Any:
    if value is not None and any(word in name.lower() for word in _SECRET_WORDS):
        return HIDDEN
    if isinstance(value, Mapping):
        return {str(key): _shown(held, str(key)) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [_shown(held, name) for held in value]
    return logs.cleaned(str(value)) if isinstance(value, str | Path) else value


def last_events(folder: Path) -> list[str]:
    """The newest events of the journal (the demo's if the user has played no game), one line of JSON each. If
    it cannot be read, one line with the reason.
    """
    try:
        with Journal(folder_to_read(folder)) as journal:
            kept = journal.kept(after=max(0, journal.last_event() - MAX_EVENTS), limit=MAX_EVENTS)
    except JournalError as error:
        return [json.dumps({"error": without_secrets(str(error))})]
    return [
        json.dumps({"id": event.id, "game": event.game, "wall": event.wall} | _without_names(event.body))
        for event in kept
    ]


def _without_names(body: str) -> dict[str, Any]:
    """An event without the players' names, which are private; the colours show who played."""
    try:
        event = json.loads(body)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        # Damaged, so it is unknown which names it contains.
        return {"damaged": len(body)}
    if isinstance(event.get("players"), dict):
        event["players"] = sorted(event["players"])
    event.pop("note", None)
    return event


def last_log(folder: Path) -> dict[str, bytes]:
    """The newest files of the log by name, together at most :data:`MAX_LOG_BYTES`."""
    found: dict[str, bytes] = {}
    room = MAX_LOG_BYTES
    files = [
        folder / logs.FILE_NAME,
        *(folder / f"{logs.FILE_NAME}.{number}" for number in range(1, logs.MAX_OLD_FILES + 1)),
    ]
    for path in files:
        try:
            data = path.read_bytes()[-room:] if room else b""
        except OSError:
            # There is no such file, because the log is short or there is none.
            continue
        # An earlier version may have written something that this version hides.
        found[path.name] = logs.cleaned(data.decode("utf-8", "replace")).encode()
        room = max(0, room - len(data))
    return found


def write_report(
    out: BinaryIO, settings: Settings, checks: Sequence[Check], pictures: Mapping[str, bytes] | None = None
) -> list[str]:
    """Write the ZIP file; returns the names in it. ``pictures``: by file name, if requested."""
    logs.hide(settings.pin)
    logs.hide(settings.mqtt_password)
    doctor = [_shown(check.to_json()) for check in checks]
    parts: dict[str, bytes] = {
        "README.txt": _READ_ME.encode(),
        "versions.json": _json(versions()),
        "settings.json": _json(settings_without_secrets(settings)),
        "doctor.json": _json(doctor),
        "events.jsonl": logs.cleaned("\n".join(last_events(settings.data)) + "\n").encode(),
    }
    parts |= {f"log/{name}": data for name, data in last_log(logs.folder()).items()}
    parts |= {f"pictures/{name}": data for name, data in (pictures or {}).items()}
    pack(out, parts)
    return list(parts)


def pack(out: BinaryIO, parts: Mapping[str, bytes]) -> None:
    """Write the parts of a report, by name, as a ZIP file."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in parts.items():
            packed.writestr(name, data)


def new_file(path: Path | None) -> tuple[Path, BinaryIO]:
    """Create a new file for the report, readable only by its owner. Raises OSError."""
    chosen = path or Path(time.strftime("focus-companion-report-%Y%m%d-%H%M%S.zip"))
    return chosen, os.fdopen(private_files.create(chosen), "wb")


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()
