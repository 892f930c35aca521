"""Runs long work in a separate low-priority process, so that neither the game nor the viewers wait for it."""

from __future__ import annotations

import subprocess
import sys

from ..low_priority import HELPER_NICENESS, at_low_priority

SEARCH_TIMEOUT = 30.0
"""Timeout of a search for a turn in seconds; generous, because the machine may be under load."""


class ChildFailed(RuntimeError):
    """The process failed; the text says why, in one line."""


def run_module(module: str, *arguments: str, given: bytes, timeout: float) -> bytes:
    """The standard output of ``python -m module arguments`` with ``given`` on its standard input.

    Raises:
        ChildFailed: it failed, could not be started, or took longer than ``timeout`` seconds.
    """
    command = at_low_priority([sys.executable, "-m", module, *arguments], HELPER_NICENESS)
    try:
        done = subprocess.run(command, input=given, capture_output=True, timeout=timeout, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ChildFailed(str(error)) from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise ChildFailed(said[-1] if said else f"exit status {done.returncode}")
    return done.stdout
