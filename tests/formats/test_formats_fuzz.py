"""Corrupted input of every kind gives a clear error: a short run of the benchmark, which tries far more."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "fuzzing" / "records.py"


@pytest.fixture(scope="module")
def fuzzer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fuzz_records", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_some_hundred_corrupted_inputs(fuzzer: Any) -> None:
    tally = fuzzer.fuzz(500, seed=2)
    assert set(tally.refused) == {kind.name for kind in fuzzer.kinds()}
    assert min(tally.refused.values()) > 30


@pytest.mark.slow
def test_some_thousand_corrupted_inputs(fuzzer: Any) -> None:
    tally = fuzzer.fuzz(5_000, seed=3)
    assert sum(tally.refused.values()) == 5_000
    assert tally.slowest < 5


@pytest.mark.parametrize("said", ["", "two\nlines", "Traceback (most recent call last)", "x" * 2000])
def test_an_unclear_error_is_a_failure(fuzzer: Any, said: str, tmp_path: Path) -> None:
    def read(_data: bytes, _folder: Path) -> object:
        raise fuzzer.PositionTextError(said)

    kind = fuzzer.Kind("bad", lambda _: b"", read, "", lambda path: [str(path)])
    with pytest.raises(fuzzer.Failure, match="no clear error"):
        fuzzer.try_one(kind, b"", tmp_path, command=False)


def test_another_exception_is_a_failure(fuzzer: Any, tmp_path: Path) -> None:
    def read(_data: bytes, _folder: Path) -> object:
        raise KeyError("position")

    kind = fuzzer.Kind("bad", lambda _: b"", read, "", lambda path: [str(path)])
    with pytest.raises(KeyError):
        fuzzer.try_one(kind, b"", tmp_path, command=False)


def test_a_hang_is_a_failure(fuzzer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzer, "HANG_SECONDS", 0.05)

    def read(_data: bytes, _folder: Path) -> object:
        while True:
            pass

    kind = fuzzer.Kind("bad", lambda _: b"", read, "", lambda path: [str(path)])
    with pytest.raises(fuzzer.Hang):
        fuzzer.try_one(kind, b"", tmp_path, command=False)
