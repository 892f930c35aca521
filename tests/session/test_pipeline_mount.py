"""The mount check is computed once, even if hundreds of viewers query it at the same moment."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from focus_companion.game.rules import Rules
from focus_companion.session import pipeline
from focus_companion.session.pipeline import Pipeline

WATCHERS = 12


def test_the_mount_is_computed_once_for_all_viewers(monkeypatch: pytest.MonkeyPatch) -> None:
    worked_out: list[object] = []

    def slow(outlines: object, _trial: object) -> Any:
        worked_out.append(outlines)
        time.sleep(0.05)
        return SimpleNamespace(to_json=lambda: {"tilt": len(worked_out)})

    monkeypatch.setattr(pipeline, "check_mount", slow)
    sight = Pipeline(Rules.make(order=("green", "red")))
    watcher: Any = SimpleNamespace(outlines=object())
    sight._watcher = watcher
    together = threading.Barrier(WATCHERS)

    def ask() -> Any:
        together.wait()
        return sight.mount()

    with ThreadPoolExecutor(WATCHERS) as threads:
        asked = [threads.submit(ask) for _ in range(WATCHERS)]
        assert [each.result() for each in asked] == [{"tilt": 1}] * WATCHERS
    watcher.outlines = object()
    assert sight.mount() == {"tilt": 2}, "the camera has moved: it is worked out anew"
