"""The program's log: rotating files in the user's state folder (XDG), without secrets."""

from __future__ import annotations

import logging
import os
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final, TextIO, cast

from .addresses import HIDDEN, without_secrets

FILE_NAME: Final = "focus-companion.log"
MAX_FILE_BYTES: Final = 1_000_000
"""Maximum size of a file; the newest file is the one without a number."""
MAX_OLD_FILES: Final = 4
"""Number of older files to keep."""

_secrets: set[str] = set()


def hide(secret: str | None) -> None:
    """Never write this text to the log, in any message."""
    if secret:
        _secrets.add(secret)


def cleaned(text: str) -> str:
    """``text`` without the known secrets and without passwords in addresses."""
    text = without_secrets(text)
    for secret in _secrets:
        text = text.replace(secret, HIDDEN)
    return text


def folder() -> Path:
    """The folder of the log."""
    # Imported here, so that help is quick.
    from platformdirs import user_state_path

    return user_state_path("focus_companion", appauthor=False) / "log"


def start(level: str = "info", where: Path | None = None) -> Path | None:
    """Log warnings to the terminal, and everything from ``level`` on to a file, whose path is returned.

    Returns ``None`` if the folder cannot be used; there is no file then.
    """
    terminal = logging.StreamHandler()
    terminal.setLevel(logging.WARNING)
    terminal.setFormatter(_Lines("%(levelname)s: %(message)s"))
    root = logging.getLogger()
    root.setLevel(getattr(logging, level.upper()))
    root.addHandler(terminal)
    # Libraries log a lot that helps nobody.
    for name in ("waitress.queue", "PIL", "gpiozero"):
        logging.getLogger(name).setLevel(logging.ERROR)
    path = (where or folder()) / FILE_NAME
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        kept = _Private(path, maxBytes=MAX_FILE_BYTES, backupCount=MAX_OLD_FILES, encoding="utf-8")
    except OSError as error:
        logging.getLogger(__name__).warning(
            "there is no log: %s (%s); check the folder", path, error.strerror or error
        )
        return None
    kept.setFormatter(_Cleaned("%(asctime)s %(levelname)-7s %(threadName)s %(name)s: %(message)s"))
    root.addHandler(kept)
    return path


class _Cleaned(logging.Formatter):
    """Removes secrets, from tracebacks too."""

    def format(self, record: logging.LogRecord) -> str:
        return cleaned(super().format(record))


class _Lines(_Cleaned):
    """One line per message, without what a terminal would obey; tracebacks are only for the file."""

    def format(self, record: logging.LogRecord) -> str:
        bare = logging.makeLogRecord(
            record.__dict__ | {"exc_info": None, "exc_text": None, "stack_info": None}
        )
        text = " ".join(super().format(bare).split())
        return "".join(char if char.isprintable() else " " for char in text)


class _Private(RotatingFileHandler):
    """A log file readable only by its owner; if the disk is full, log lines are lost and nothing else."""

    def _open(self) -> TextIO:  # type: ignore[override]
        made = os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return cast(TextIO, os.fdopen(made, "a", encoding="utf-8", errors="backslashreplace"))

    def handleError(self, record: logging.LogRecord) -> None:
        """Ignore errors of writing; messages for people are on the terminal as well."""
