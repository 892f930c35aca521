"""The host's driver talks to the firmware over a pty: a whole game, event by event, pixel by pixel.

In real time on a machine that may be busy: nothing here asserts that the simulated chip is fast.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cable import TRIES, pulled_game
from chip_harness import Chip, expected
from plugged_board import Plugged, game, open_driver

from focus_companion.lights.meaning import Meaning
from focus_companion.lights.protocol import Notice


@pytest.fixture
def plugged(chip: Chip, tmp_path: Path) -> Iterator[Plugged]:
    with Plugged(chip, tmp_path / "ttyFOCUS") as board:
        yield board


@pytest.mark.parametrize(("players", "turns"), [(2, 45), (3, 15)])
def test_a_game(plugged: Plugged, players: int, turns: int) -> None:
    kinds = set()
    with open_driver(plugged) as lights:
        assert lights.wait(60)
        for event, state in game(players, turns, seed=players):
            before = plugged.answered()
            lights.show(event, state)
            assert lights.wait(60)
            assert plugged.settled(before + 1, expected(lights.meaning, 0)), event
            kinds.add(event.type)
            plugged.forget()
    assert {"move", "set_up", "prompt" if players == 2 else "ready"} <= kinds


def test_button_at_the_table(plugged: Plugged) -> None:
    pressed = threading.Event()
    with open_driver(plugged, pressed.set) as lights:
        assert lights.wait(60)
        while plugged.drawn() < 5:  # a button that is down from the start counts as stuck
            time.sleep(0.01)
        plugged.say("press")
        assert pressed.wait(30)
    assert plugged.noticed(Notice.BUTTON) == 1


def test_a_hung_chip_comes_back(plugged: Plugged) -> None:
    meaning = Meaning(turn="blue", reserves=(0, 0, 5, 0))
    with open_driver(plugged) as lights:
        lights.present(meaning)
        assert lights.wait(60)
        plugged.say("hang")
        end = time.monotonic() + 60
        boots = 0
        while time.monotonic() < end and boots < 2:
            boots = plugged.noticed(Notice.BOOT)
            time.sleep(0.05)
        assert boots == 2
        while time.monotonic() < end and plugged.now() not in [expected(meaning, p) for p in range(100)]:
            time.sleep(0.02)
        assert plugged.now() in [expected(meaning, p) for p in range(100)]


@pytest.mark.slow
def test_a_hundred_turns_with_the_cable_pulled(plugged: Plugged, capsys: pytest.CaptureFixture[str]) -> None:
    """Twenty times at random; repeated if the machine was too busy for a meaningful measurement."""
    for _ in range(TRIES):
        found = pulled_game(plugged)
        with capsys.disabled():
            print(f"\n{found}")
        assert len(found.returns) == 20
        if found.holds:
            break
    assert found.holds
