"""One process at a time writes a journal: the system frees its lock file when it ends, however that is."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from .errors import JournalBusy, told


class FolderLock:
    """Holds ``path`` until :meth:`close`. ``ended_well``: whether the holder before had let go of everything.

    Raises:
        JournalBusy: another process holds it; the text says which.
        JournalError: the lock file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise told(error, path) from error
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
            # Some network disks know no locks.
            os.close(self._file)
            raise told(error, path) from error
        self.ended_well = len(self._words()) < 2
        self.note("")

    def note(self, word: str) -> None:
        """Write our number and ``word`` into the file; a ``word`` that is still there when the lock is taken
        anew tells that we came to a sudden end.
        """
        # A full disk may have no room for it; the lock itself holds all the same.
        with suppress(OSError):
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, f"{os.getpid()}\n{word}\n".encode(), 0)

    def _words(self) -> list[str]:
        return os.pread(self._file, 64, 0).decode("ascii", "replace").split()

    def close(self) -> None:
        """Let go; may be called twice."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
