"""Long work in a process of its own, at a low priority: neither the game nor the viewers wait for it."""

from __future__ import annotations

import subprocess
import sys

NICENESS = 15
"""What such a process adds to its own niceness."""


class ChildFailed(RuntimeError):
    """The work could not be done; the text says why, in one line."""


def run_module(module: str, *arguments: str, given: bytes, patience: float) -> bytes:
    """What ``python -m module arguments`` answers on its standard output to ``given`` on its standard input.

    Raises:
        ChildFailed: it failed, could not be begun, or took longer than ``patience`` seconds.
    """
    command = [sys.executable, "-m", module, *arguments]
    try:
        done = subprocess.run(command, input=given, capture_output=True, timeout=patience, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ChildFailed(str(error)) from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise ChildFailed(said[-1] if said else f"exit status {done.returncode}")
    return done.stdout
