"""Every reader and the page, run on the fuzzer's corpus and on hypothesis's variations of it."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.fuzzing.targets import TARGETS, check_answer, examples

QUICK = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], database=None
)
THOROUGH = settings(QUICK, max_examples=400)


@cache
def seeds(name: str) -> tuple[bytes, ...]:
    return tuple(sorted(TARGETS[name].seeds()))


@st.composite
def corrupted(draw: Any, name: str) -> bytes:
    """A valid example with a few bytes or words inserted, removed or repeated."""
    target = TARGETS[name]
    data = bytearray(draw(st.sampled_from(seeds(name))))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        end = min(len(data), at + draw(st.integers(0, 12)))
        word = st.sampled_from([word.encode() for word in target.words] or [b"\0"])
        data[at:end] = draw(st.one_of(st.binary(max_size=6), word, st.just(bytes(data[at:end]) * 3)))
    return bytes(data[: target.longest])


@pytest.mark.parametrize("name", TARGETS)
def test_examples_of_the_corpus(name: str) -> None:
    paths = examples(name)
    assert len(paths) >= 3, "the corpus is there"
    for path in paths:
        TARGETS[name].run(path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_corrupted_examples(name: str) -> None:
    @QUICK
    @given(corrupted(name))
    def run_corrupted(data: bytes) -> None:
        TARGETS[name].run(data)

    run_corrupted()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(TARGETS) - {"film", "picture"}))
def test_many_corrupted_examples(name: str) -> None:
    @THOROUGH
    @given(corrupted(name))
    def run_corrupted(data: bytes) -> None:
        TARGETS[name].run(data)

    run_corrupted()


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (500, {"Content-Security-Policy": "default-src 'none'"}, b""),
        (200, {}, b""),
        (200, {"Content-Security-Policy": "default-src 'none'", "X": "a\r\nb"}, b""),
        (200, {"Content-Security-Policy": "default-src 'none'"}, b"Traceback (most recent call last)"),
        (200, {"Content-Security-Policy": "default-src 'none'", "Access-Control-Allow-Origin": "*"}, b""),
    ],
)
def test_an_invalid_answer_is_detected(status: int, headers: dict[str, str], body: bytes) -> None:
    with pytest.raises(AssertionError):
        check_answer(status, headers, body)


def test_a_failing_reader_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("focus_companion.formats.reading.detect", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        TARGETS["json"].run(b"{}")
