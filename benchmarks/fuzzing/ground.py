"""Helpers of the fuzzing targets: temporary folders, a pipeline that sees nothing, a check of refusals."""

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
    """Call ``read``; if it refuses its input, check that the error is written for people."""
    for_people: tuple[type[Exception], ...] = (*REFUSALS, *more)
    try:
        read()
    except for_people as error:
        check_words(str(error))


@cache
def folder(parent: str | None = None) -> Path:
    """A temporary folder for inputs that must be files."""
    made = tempfile.mkdtemp(prefix="focus-fuzz-", dir=parent)
    atexit.register(shutil.rmtree, made, True)
    return Path(made)


def quick_folder() -> Path:
    """A folder in memory if possible, because a journal syncs to disk at every event."""
    return folder("/dev/shm" if Path("/dev/shm").is_dir() else None)


class Sight:
    """A pipeline that sees nothing happen."""

    camera_state = "ok"
    at_rest = False
    lifted = None

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None

    def push(self, frame: object, history: object, asked: Any = None) -> tuple[()]:
        return ()

    def read(self, frame: object, standing: object) -> tuple[()]:
        return ()

    def pieces(self) -> dict[str, dict[str, str]]:
        return {}

    def overlay(self, image: Any, *_: object) -> Any:
        return image
