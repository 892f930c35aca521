"""Checks of the machine: versions, permissions, disk, journal, port, lights."""

from __future__ import annotations

import grp
import os
import shlex
import shutil
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from .. import private_files
from ..addresses import shown_address
from ..lights import LightSettings, LightSettingsError
from ..lights import ports as light_ports
from ..lights.opening import wanted
from ..storage.errors import JournalDamaged, JournalError, count
from ..storage.folders import demo_folder
from ..storage.journal import Journal
from ..storage.swap import FILE_NAME
from ..vision.machine_speed import MIN_RATE, MachineSpeed
from .checks import Check
from .versions import REQUIRED_LIBRARIES, versions

LOW_DISK_BYTES: Final = 200e6
"""Free disk space below which there is a warning; many games take only a few megabytes."""
MIN_DISK_BYTES: Final = 20e6
"""Free disk space below which the check fails."""

MAX_SYNC_SECONDS: Final = 0.25
"""Median time to sync a line to disk above which turns appear late on the page."""

STRIP_TIMEOUT: Final = 2.0
"""Seconds for a WLED strip to accept a connection."""

DEVICE_GROUPS: Final[Mapping[str, str]] = {
    "video": "/dev/video*",
    "dialout": "/dev/tty[AU][CS]*",
    "gpio": "/dev/gpiochip*",
}
"""Groups whose members may use the devices of this pattern."""


def check_versions() -> Iterator[Check]:
    found = versions()
    missing = [name for name in REQUIRED_LIBRARIES if name not in found]
    text = ", ".join(
        f"{name} {found[name]}"
        for name in ("focus-companion", "python", *REQUIRED_LIBRARIES)
        if name in found
    )
    if missing:
        remedy = f"run: {shlex.quote(sys.executable)} -m pip install {' '.join(missing)}"
        yield Check("versions", "fail", f"{text}; not installed: {', '.join(missing)}", remedy)
    else:
        yield Check("versions", "ok", text)


def check_rights(root: Path = Path("/")) -> Iterator[Check]:
    """Whether this is an ordinary user with access to the existing devices."""
    if os.geteuid() == 0:
        yield Check(
            "user", "warn", "runs as root", "run it as an ordinary user in the groups video and dialout"
        )
    else:
        yield Check("user", "ok", "an ordinary user")
    for group, pattern in DEVICE_GROUPS.items():
        devices = [path for path in sorted(root.glob(pattern.lstrip("/"))) if not path.is_dir()]
        barred = [str(path) for path in devices if not os.access(path, os.R_OK | os.W_OK)]
        if barred:
            known = group in {entry.gr_name for entry in grp.getgrall()}
            remedy = (
                f"sudo usermod -aG {group} $USER, then log out and in" if known else "change its permissions"
            )
            yield Check(group, "fail", f"no permission to use {', '.join(barred)}", remedy)
        elif devices:
            yield Check(group, "ok", f"may use {', '.join(map(str, devices))}")


def check_disk(folder: Path, clock: Callable[[], float] = time.perf_counter) -> Iterator[Check]:
    """Free space, and how long it takes to sync a line."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    free = shutil.disk_usage(there).free
    text = f"{free / 1e9:.1f} GB free at {there}"
    if free < LOW_DISK_BYTES:
        yield Check(
            "disk",
            "fail" if free < MIN_DISK_BYTES else "warn",
            text,
            "delete something, or give another --data folder",
        )
    else:
        yield Check("disk", "ok", text)
    probe = there / f".focus-companion-{os.getpid()}"
    took = []
    try:
        made = private_files.create(probe)
        try:
            for _ in range(9):
                began = clock()
                os.write(made, b"x" * 512)
                os.fsync(made)
                took.append(clock() - began)
        finally:
            os.close(made)
            probe.unlink()
    except OSError as error:
        why = error.strerror or error
        remedy = "make it writable" if isinstance(error, PermissionError) else "free it"
        yield Check(
            "writing",
            "fail",
            f"{there} cannot be written ({why})",
            f"{remedy}, or give another --data folder",
        )
        return
    median = sorted(took)[len(took) // 2]
    text = f"a line is safe after {1000 * median:.1f} ms (the slowest of 9: {1000 * max(took):.1f} ms)"
    if median > MAX_SYNC_SECONDS:
        yield Check("writing", "warn", text, "turns will appear late: use a faster disk or card for --data")
    else:
        yield Check("writing", "ok", text)


def check_speed(speed: MachineSpeed) -> Iterator[Check]:
    """Whether the machine is fast enough for a game."""
    text = f"this machine follows a game at {speed.rate:.0f} pictures a second"
    if speed.enough:
        yield Check("speed", "ok", f"{text}; that is enough")
    else:
        remedy = "end other programs, or use a faster computer: some turns will be reported late"
        yield Check("speed", "warn", f"{text}; {MIN_RATE:.0f} are enough", remedy)


def check_journals(data: Path) -> Iterator[Check]:
    """The user's own journal and, once the demo has been played, that of the demo."""
    yield from check_journal(data)
    try:
        played = (demo_folder(data) / FILE_NAME).exists()
    except OSError:
        played = True  # this user may not look into the folder, which is then said of the journal in it
    if played:
        yield from check_journal(demo_folder(data), "demo journal")


def check_journal(folder: Path, name: str = "journal") -> Iterator[Check]:
    try:
        with Journal(folder) as journal:
            games = journal.games()
            if games:
                journal.history(games[0].id)
    except (JournalError, LookupError) as error:
        remedy = "start play on it once, which rescues what can be read; keep a copy: focus-companion backup"
        if name != "journal":
            remedy = f"start play --camera demo once, which rescues what can be read, or delete {folder}"
        text = str(error)
        if not isinstance(error, JournalDamaged | LookupError):
            # There is nothing to rescue: its own text says what to do.
            text, _, remedy = text.partition("; ")
        yield Check(name, "fail", text, remedy or "check the disk and the folder")
        return
    if not games:
        yield Check(name, "ok", f"none yet in {folder}; play begins one")
    else:
        yield Check(name, "ok", f"{count(len(games), 'game')} in {folder}, the newest can be read")


def check_port(port: int, host: str) -> Iterator[Check]:
    with closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except PermissionError:
            yield Check("port", "warn", f"{port} may not be used by this user", "give a --port from 1024 on")
            return
        except OSError as error:
            text = f"{port} cannot be used ({error.strerror}); play runs already, or another program uses it"
            yield Check("port", "warn", text, "end that program, or give another --port")
            return
    yield Check("port", "ok", f"{port} is free" if port else "any free one")


def check_lights(
    table: Mapping[str, Any], place: str = "[lights] in config.toml", root: Path = Path("/")
) -> Iterator[Check]:
    """Whether the lights configured in ``place`` are there. Opens no serial port, which would reset a light
    board.
    """
    try:
        settings = LightSettings.from_mapping(table)
    except LightSettingsError as error:
        yield Check("lights", "fail", str(error), f"correct {place}")
        return
    names = wanted(settings)
    faults = list(_missing_lights(settings, names, root))
    for text, remedy in faults:
        yield Check("lights", "fail", text, remedy)
    if faults:
        return
    if names:
        boards = f" at {' '.join(found)}" if "serial" in names and (found := light_ports.candidates()) else ""
        yield Check("lights", "ok", f"{', '.join(names)}{boards}; try: lights --test")
    else:
        text = "none are configured, and no light board is plugged in; the game needs none"
        yield Check("lights", "ok", text)


def _missing_lights(settings: LightSettings, names: Sequence[str], root: Path) -> Iterator[tuple[str, str]]:
    """Lights that are configured but missing, with the remedy."""
    for name in ("serial", "wled"):
        port = getattr(getattr(settings, name), "port", "") if name in names else ""
        if port and not Path(port).exists():
            yield f"there is no {port}", f"plug it in, or change port in the table [lights.{name}]"
    if "gpio" in names and not any(root.glob("dev/gpiochip*")):
        yield "this machine has no pins (gpio)", "use a light board or WLED, or take gpio out of [lights]"
    if "wled" in names and settings.wled is not None and settings.wled.url:
        parts = urlsplit(settings.wled.address)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        try:
            socket.create_connection((parts.hostname or "", port), STRIP_TIMEOUT).close()
        except (OSError, ValueError) as error:
            text = f"{shown_address(settings.wled.url)} does not answer ({error})"
            yield text, "switch the strip on, or change url in the table [lights.wled]"
