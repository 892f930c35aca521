"""``watch`` without ``--reopen``: the events at the end of a source."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext, suppress
from typing import Any

import pytest
from scripted import Script, Still

from focus_companion.commands.watch import watch_once
from focus_companion.game.rules import Rules
from focus_companion.referee.verdict import StartSeen
from focus_companion.session.session import Session
from focus_companion.vision.capture.frames import FrameError, Source


class Going(Source):
    """A source of two pictures, then gone."""

    def __init__(self, live: bool, gone: str, error: FrameError | None) -> None:
        super().__init__("going")
        self.live, self.end_reason, self._error = live, gone, error

    def __iter__(self) -> Iterator[Any]:
        yield from (Still(0), Still(1))
        if self._error is not None:
            raise self._error


@pytest.mark.parametrize(
    ("live", "gone", "error", "why"),
    [
        (True, "unplugged", None, ["unplugged"]),
        (True, "ended", None, []),
        (True, "unplugged", FrameError("silent", "stalled"), ["stalled"]),
        (False, "ended", None, []),
        (False, "ended", FrameError("broken", "damaged"), []),
    ],
    ids=["pulled", "a stream's end", "silent", "a film's end", "a broken film"],
)
def test_a_lost_camera_is_reported(live: bool, gone: str, error: FrameError | None, why: list[str]) -> None:
    session = Session(Rules.make(2), {}, None, Script({0: [StartSeen()]}))
    heard: list[Any] = []
    with suppress(FrameError) if error else nullcontext():
        watch_once(session, Going(live, gone, error), heard.append)
        assert error is None
    assert [event.type for event in heard] == ["ready", *("lost" for _ in why)]
    assert [event.why for event in heard[1:]] == why
