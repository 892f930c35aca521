"""Pytest plugin for :mod:`benchmarks.reliability.mutants`: each test's duration and the lines it executes."""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import coverage
import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
FOLDER: Final = Path(os.environ["FOCUS_REACH"])

_measuring: Final = coverage.Coverage(data_file=None, source=[str(ROOT / "focus_companion")])
_seconds: Final[dict[str, float]] = {}


def pytest_configure() -> None:
    _measuring.start()


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    began = time.monotonic()
    _measuring.switch_context(item.nodeid)
    yield
    _measuring.switch_context("")
    _seconds[item.nodeid] = time.monotonic() - began


def pytest_sessionfinish() -> None:
    _measuring.stop()
    if not _seconds:
        return
    data = _measuring.get_data()
    lines: defaultdict[str, list[str]] = defaultdict(list)
    for file in data.measured_files():
        name = Path(file).relative_to(ROOT)
        for line, tests in data.contexts_by_lineno(file).items():
            lines[f"{name}:{line}"] += [test for test in tests if test]
    found = {"lines": lines, "seconds": _seconds}
    (FOLDER / f"{os.getpid()}.json").write_text(json.dumps(found), encoding="utf-8")
