"""Runs long work in a separate low-priority process, so that neither the game nor the viewers wait for it."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
from typing import Literal

from ..low_priority import HELPER_NICENESS, at_low_priority

SEARCH_TIMEOUT = 30.0
"""Timeout of a search for a turn in seconds; generous, because the machine may be under load."""


_NO_MEMORY = (errno.ENOMEM, errno.EAGAIN)
"""Numbers of the errors with which the system refuses another process."""


class ChildFailed(RuntimeError):
    """The process failed; the text says why, in one line. ``lack``: what it lacked, "" if something else
    went wrong.
    """

    def __init__(self, text: str, lack: Literal["", "time", "memory"] = "") -> None:
        super().__init__(text)
        self.lack = lack


def run_module(module: str, *arguments: str, given: bytes, timeout: float) -> bytes:
    """The standard output of ``python -m module arguments`` with ``given`` on its standard input.

    Raises:
        ChildFailed: it failed, could not be started, or took longer than ``timeout`` seconds.
    """
    command = at_low_priority([sys.executable, "-m", module, *arguments], HELPER_NICENESS)
    try:
        done = subprocess.run(command, input=given, capture_output=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired as error:
        raise ChildFailed(str(error), "time") from error
    except OSError as error:
        raise ChildFailed(str(error), "memory" if error.errno in _NO_MEMORY else "") from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        why = said[-1] if said else f"exit status {done.returncode}"
        # Linux kills the process that takes most when memory runs out.
        killed = done.returncode == -signal.SIGKILL
        raise ChildFailed(why, "memory" if killed or why.startswith("MemoryError") else "")
    return done.stdout
