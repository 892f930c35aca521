"""Runs the program and measures the processor time of its parts; for ``small_machine``.

    python -m benchmarks.speed.parts FIGURES.json watch … (the program's own arguments)

The functions in :data:`PART_OF_FUNCTION` are wrapped once their modules have been imported. Each wrapper adds
the processor time of its call, without that of other wrapped functions inside it, to its part; the time that
a thread spends outside of them counts by the thread's name. FIGURES.json is written at SIGUSR2 and at the
end.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import json
import signal
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, Final

PART_OF_FUNCTION: Final = {
    "cv2": {"imdecode": "decoding"},
    "focus_companion.vision.tracking.stillness": {
        "Stillness.small_copy": "motion",
        "Stillness.update": "motion",
        "Stillness.differ": "motion",
    },
    "focus_companion.session.usable": {"PictureCheck.judge": "picture checks"},
    "focus_companion.vision.capture.picture_faults": {"Repeats.update": "picture checks"},
    "focus_companion.vision.tracking.seeking": {"Seeking.see": "finding"},
    "focus_companion.vision.tracking.watching": {"Watching._compare": "judging"},
    "focus_companion.vision.tracking.watcher": {"Watcher.see": "judging"},
    "focus_companion.referee.referee": {"Referee.judge": "judging"},
    "focus_companion.session.session": {"Session.push": "judging"},
    "focus_companion.session.picture": {"Pictures.jpeg": "encoding for the page"},
    "focus_companion.storage.journal": {"Journal.append_all": "journal"},
}
"""By module and function, the part to which the function's time belongs."""

PART_OF_THREAD: Final = {
    "MainThread": "starting",
    "camera": "receiving",
    "reader": "receiving",
    "game": "telling",
    "page": "serving",
    "waitress": "serving",
}
"""By the beginning of a thread's name, the part to which the rest of its time belongs."""

REST: Final = "libraries' own threads"
"""The part for threads that Python does not know."""


class Clocks:
    """Processor time by part."""

    def __init__(self) -> None:
        self._inside = threading.local()
        self._spent: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        """Seconds by thread (its ident) and part."""
        self.counts: Counter[str] = Counter()

    def wrap(self, function: Callable[..., Any], name: str, part: str) -> Callable[..., Any]:
        """The function, timed and counted."""

        @wraps(function)
        def timed(*args: Any, **more: Any) -> Any:
            inner = self._inside.__dict__.setdefault("stack", [])
            inner.append(0.0)
            began = time.thread_time()
            try:
                return function(*args, **more)
            finally:
                spent = time.thread_time() - began
                self._spent[threading.get_ident()][part] += spent - inner.pop()
                if inner:
                    inner[-1] += spent
                self.counts[name] += 1

        return timed

    def ended(self, thread: threading.Thread) -> None:
        """Count the rest of the calling thread's time; called when it ends."""
        spent = self._spent.pop(threading.get_ident(), {})
        rest = time.thread_time() - sum(spent.values())
        for part, seconds in (*spent.items(), (part_of(thread), rest)):
            self._spent[-1][part] += seconds

    def figures(self) -> dict[str, float]:
        """Seconds by part, for the whole process."""
        total, found, known = time.process_time(), defaultdict[str, float](float), 0.0
        for spent in list(self._spent.values()):
            for part, seconds in list(spent.items()):
                found[part] += seconds
                known += seconds
        for thread in threading.enumerate():
            if thread.ident is None:
                continue
            used = time.clock_gettime(time.pthread_getcpuclockid(thread.ident))
            rest = used - sum(self._spent[thread.ident].values())
            found[part_of(thread)] += rest
            known += rest
        found[REST] = total - known
        return {part: round(seconds, 4) for part, seconds in found.items()}


def part_of(thread: threading.Thread) -> str:
    return next(
        (p for name, p in PART_OF_THREAD.items() if thread.name.startswith(name)), f"thread {thread.name}"
    )


class Patcher(importlib.abc.MetaPathFinder):
    """Wraps the functions of a module as soon as it has been imported."""

    def __init__(self, clocks: Clocks, noted: dict[str, Any]) -> None:
        self._clocks, self._noted = clocks, noted

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name not in PART_OF_FUNCTION:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def executed(module: ModuleType) -> None:
                execute(module)
                self._wrap(module)

            spec.loader.exec_module = executed  # type: ignore[method-assign]
        return spec

    def _wrap(self, module: ModuleType) -> None:
        for name, part in PART_OF_FUNCTION[module.__name__].items():
            owner: Any = module
            *around, last = name.split(".")
            for each in around:
                owner = getattr(owner, each)
            if hasattr(getattr(owner, last), "__wrapped__"):
                # OpenCV imports itself a second time.
                continue
            setattr(owner, last, self._clocks.wrap(getattr(owner, last), name, part))
            if name == "Session.push":
                owner.push = self._first_frame(owner.push)

    def _first_frame(self, push: Callable[..., Any]) -> Callable[..., Any]:
        """Record the times of the first and the last frame of the stream, which count from the start of the
        camera's thread.
        """

        @wraps(push)
        def noting(session: Any, frame: Any) -> Any:
            self._noted.setdefault("first frame", frame.time)
            told = push(session, frame)
            self._noted["last frame"] = frame.time
            return told

        return noting


def main() -> None:
    out, clocks, noted = Path(sys.argv[1]), Clocks(), dict[str, Any]()

    def write(_signal: int = 0, _frame: FrameType | None = None) -> None:
        figures = {"seconds": clocks.figures(), "counts": clocks.counts, "noted": noted}
        partial = out.with_suffix(".part")
        partial.write_text(json.dumps(figures), encoding="utf-8")
        partial.rename(out)

    bootstrap: Any = threading.Thread._bootstrap_inner  # type: ignore[attr-defined]

    def bootstrapped(thread: threading.Thread) -> None:
        try:
            bootstrap(thread)
        finally:
            clocks.ended(thread)

    threading.Thread._bootstrap_inner = bootstrapped  # type: ignore[attr-defined]
    start: Any = threading.Thread.start

    def started(thread: threading.Thread) -> None:
        if thread.name == "camera":
            noted.setdefault("camera read from", time.monotonic())
        start(thread)

    threading.Thread.start = started  # type: ignore[assignment, method-assign]
    signal.signal(signal.SIGUSR2, write)
    sys.meta_path.insert(0, Patcher(clocks, noted))
    sys.argv = ["focus-companion", *sys.argv[2:]]
    # Imported here, so that the patcher sees its modules.
    from focus_companion.cli import main as program

    try:
        program()
    finally:
        write()


if __name__ == "__main__":
    main()
