"""One process at a time writes a journal: the system releases its lock however the process ends."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from .errors import JournalBusy, as_journal_error


class FolderLock:
    """Holds ``path`` until :meth:`close`. ``ended_well``: whether the previous holder released everything.

    Raises:
        JournalBusy: another process holds it; the text says which.
        JournalError: the lock file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise as_journal_error(error, path) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = self._words()[:1]
            os.close(self._file)
            raise JournalBusy(
                f"the journal in {path.parent} is in use by another focus-companion"
                f"{f' (process {holder[0]})' if holder else ''}; stop that one, or give another --data folder"
            ) from error
        except OSError as error:
            # Some network disks do not support locks.
            os.close(self._file)
            raise as_journal_error(error, path) from error
        self.ended_well = len(self._words()) < 2
        self.note("")

    def note(self, word: str) -> None:
        """Write our process id and ``word`` into the file. If ``word`` is still there when the lock is taken
        again, this process ended abruptly.
        """
        # A full disk may have no space for it; the lock itself holds all the same.
        with suppress(OSError):
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, f"{os.getpid()}\n{word}\n".encode(), 0)

    def _words(self) -> list[str]:
        return os.pread(self._file, 64, 0).decode("ascii", "replace").split()

    def close(self) -> None:
        """Release the lock; may be called twice."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
