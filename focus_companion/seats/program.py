"""One program that plays, as a child process with pipes. Nothing here waits: what it says goes on a queue."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Final

from .protocol import LONGEST

log = logging.getLogger(__name__)

NICENESS: Final = 10
"""Below everything that has to do with the camera."""

_CLOSING: Final = 0.5
"""Seconds that a program has to end by itself."""


class CannotStart(OSError):
    """The program does not start; the text says why."""


@dataclass(frozen=True)
class Said:
    """A line of a program; ``None``: it has ended."""

    program: Program
    line: str | None


class Program:
    """A running program. ``heard`` is called with all that it says, on threads of its own.

    It runs at lower priority, in a process group of its own, and is to end with its standard input.

    Raises:
        CannotStart: there is no such program, or it may not be run.
    """

    def __init__(self, command: Sequence[str], heard: Callable[[Said], None]) -> None:
        self._heard = heard
        self.last_words = ""
        """The last line on its standard error."""
        nice = shutil.which("nice")
        if shutil.which(command[0]) is None:
            raise CannotStart(f"there is no program {command[0]!r}")
        try:
            self._process = subprocess.Popen(
                # Started at its priority: what it starts itself has the same.
                [*([nice, "-n", str(NICENESS)] if nice else []), *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                process_group=0 if os.name == "posix" else None,
            )
        except OSError as error:
            raise CannotStart(f"{command[0]}: {error.strerror or error}") from error
        for work in (self._read, self._read_errors):
            threading.Thread(target=work, name=f"seat {command[0]}", daemon=True).start()

    def ask(self, question: str) -> bool:
        """Hand it a line; ``False`` if it takes none any more."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(question.encode())
            self._process.stdin.flush()
        except (OSError, ValueError):
            return False
        return True

    @property
    def status(self) -> int | None:
        """Its exit status; ``None`` while it runs."""
        return self._process.poll()

    def close(self) -> None:
        """End it, and whatever it has started. Takes no longer than a moment."""
        with suppress(OSError, ValueError):
            assert self._process.stdin is not None
            self._process.stdin.close()
        self._signal(signal.SIGTERM)
        try:
            self._process.wait(_CLOSING)
        except subprocess.TimeoutExpired:
            self._signal(signal.SIGKILL)
            self._process.wait()

    def _signal(self, number: int) -> None:
        # It may have ended already, and its group with it.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in _lines(self._process.stdout):
            self._heard(Said(self, line))
        self._process.wait()
        self._heard(Said(self, None))

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        for line in _lines(self._process.stderr):
            if clean := "".join(char for char in line if char.isprintable()).strip():
                self.last_words = clean[:200]


def _lines(stream: IO[bytes]) -> Iterator[str]:
    """Its lines; one that is too long is cut off just past what an answer may have."""
    with suppress(OSError, ValueError), stream:
        while part := stream.readline(LONGEST + 1):
            line = part
            while not part.endswith(b"\n") and (part := stream.readline(LONGEST)):
                pass
            yield line.decode("utf-8", "replace").rstrip("\r\n")
