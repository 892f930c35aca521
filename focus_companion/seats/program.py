"""A program that plays, as a child process. Nothing here blocks: its output goes to a callback."""

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

from .protocol import MAX_ANSWER_LENGTH

log = logging.getLogger(__name__)

NICENESS: Final = 10
"""A lower priority than that of everything that has to do with the camera."""

_EXIT_TIMEOUT: Final = 0.5
"""Seconds within which a program must exit after it was asked to."""


class CannotStart(OSError):
    """The program does not start; the text says why."""


@dataclass(frozen=True)
class Said:
    """A line of a program's output; ``None``: it has exited."""

    program: Program
    line: str | None


class Program:
    """A running program. ``on_output`` is called with each line of its output, on separate threads.

    It runs at lower priority, in its own process group, and must exit at the end of its standard input.

    Raises:
        CannotStart: there is no such program, or it may not be run.
    """

    def __init__(self, command: Sequence[str], on_output: Callable[[Said], None]) -> None:
        self._on_output = on_output
        self.last_words = ""
        """The last line on its standard error."""
        nice = shutil.which("nice")
        if shutil.which(command[0]) is None:
            raise CannotStart(f"there is no program {command[0]!r}")
        try:
            self._process = subprocess.Popen(
                # Started through nice, so that its child processes inherit the priority.
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
        """Send it a line; ``False`` if it no longer accepts any."""
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
        """End it and its child processes, by force if necessary."""
        with suppress(OSError, ValueError):
            assert self._process.stdin is not None
            self._process.stdin.close()
        self._signal(signal.SIGTERM)
        try:
            self._process.wait(_EXIT_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._signal(signal.SIGKILL)
            self._process.wait()

    def _signal(self, number: int) -> None:
        # The program and its group may have exited already.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in _lines(self._process.stdout):
            self._on_output(Said(self, line))
        self._process.wait()
        self._on_output(Said(self, None))

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        for line in _lines(self._process.stderr):
            if clean := "".join(char for char in line if char.isprintable()).strip():
                self.last_words = clean[:200]


def _lines(stream: IO[bytes]) -> Iterator[str]:
    """The lines of a stream; one that is too long is cut just beyond the limit for an answer."""
    with suppress(OSError, ValueError), stream:
        while part := stream.readline(MAX_ANSWER_LENGTH + 1):
            line = part
            while not part.endswith(b"\n") and (part := stream.readline(MAX_ANSWER_LENGTH)):
                pass
            yield line.decode("utf-8", "replace").rstrip("\r\n")
