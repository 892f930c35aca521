"""What the fuzzed targets stand on: a folder of their own, a sight that sees nothing, refusals for people."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.fuzzing.records import REFUSALS, check_words


def refused(read: Callable[[], object], *more: type[Exception]) -> None:
    """Read, and see that a refusal is one for people."""
    for_people: tuple[type[Exception], ...] = (*REFUSALS, *more)
    try:
        read()
    except for_people as error:
        check_words(str(error))


@cache
def folder(parent: str | None = None) -> Path:
    """A folder of our own for what has to be a file."""
    made = tempfile.mkdtemp(prefix="focus-fuzz-", dir=parent)
    atexit.register(shutil.rmtree, made, True)
    return Path(made)


def quick_folder() -> Path:
    """One in memory where there is such a place: a journal waits for the disk at every event."""
    return folder("/dev/shm" if Path("/dev/shm").is_dir() else None)


class Sight:
    """Sees a game in which nothing happens by itself."""

    camera_state = "ok"

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None

    def push(self, frame: object, history: object, asked: Any = None) -> tuple[()]:
        return ()

    def overlay(self, image: Any, *_: object) -> Any:
        return image
