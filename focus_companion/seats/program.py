"""A program that plays, as a child process. Nothing here blocks: its output goes to a callback."""

from __future__ import annotations

import io
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

from ..low_priority import PLAYER_NICENESS, at_low_priority
from .protocol import MAX_ANSWER_LENGTH

log = logging.getLogger(__name__)

_CHUNK: Final = 65536
"""Maximum number of bytes that are read at once."""

_EXIT_TIMEOUT: Final = 0.5
"""Seconds within which a program must exit after it was asked to."""


class CannotStart(OSError):
    """The program does not start; the text says why."""


@dataclass(frozen=True)
class Said:
    """A ``line`` of a program's output; ``None``: it has exited. ``questions``: how many it had been asked
    when the line began to arrive. What it writes together with an answer does not answer the next question.
    """

    program: Program
    line: str | None
    questions: int

    @property
    def in_time(self) -> bool:
        """Whether it began to arrive after the last question."""
        return self.questions == self.program.questions


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
        self.questions = 0
        """How many it has been asked."""
        if shutil.which(command[0]) is None:
            raise CannotStart(f"there is no program {command[0]!r}")
        try:
            self._process = subprocess.Popen(
                at_low_priority(command, PLAYER_NICENESS),
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
        self.questions += 1
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
        for questions, line in _lines(self._process.stdout, lambda: self.questions):
            self._on_output(Said(self, line, questions))
        self._process.wait()
        self._on_output(Said(self, None, self.questions))

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        for _, line in _lines(self._process.stderr, lambda: 0):
            if clean := "".join(char for char in line if char.isprintable()).strip():
                self.last_words = clean[:200]


def _lines(stream: IO[bytes], count: Callable[[], int]) -> Iterator[tuple[int, str]]:
    """The lines of a stream, each with the ``count`` when it began to arrive; one that is too long is cut
    just beyond the limit for an answer.
    """
    assert isinstance(stream, io.BufferedReader)
    begun, began = b"", 0
    with suppress(OSError, ValueError), stream:
        while part := stream.read1(_CHUNK):
            now = count()
            if not begun:
                began = now
            *lines, begun = (begun + part).split(b"\n")
            begun = begun[: MAX_ANSWER_LENGTH + 1]
            for line in lines:
                yield began, _text(line)
                began = now
        if begun:
            yield began, _text(begun)


def _text(line: bytes) -> str:
    # Programs on Windows write a byte-order mark before the first line.
    return line[: MAX_ANSWER_LENGTH + 1].decode("utf-8", "replace").removeprefix("\ufeff").rstrip("\r")
