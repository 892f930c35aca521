"""Setting up: what does not stand yet is named, and the players have the last word."""

from __future__ import annotations

import numpy as np
import pytest

from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX
from focus_companion.referee.verdict import StartDiffers, StartSeen, Verdict
from focus_companion.session.pipeline import Pipeline
from focus_companion.simulator.board_view import BoardView
from focus_companion.simulator.look import pleasant_look
from focus_companion.simulator.stage import Stage
from focus_companion.vision.capture.frames import Frame

RULES = Rules.make(2)
START = start_position(RULES)
SEATS = {"g": "S", "r": "N"}


class Setting:
    """A still table of which pictures are taken five times a second."""

    def __init__(self, stacks: tuple[str, ...]) -> None:
        look, rng = pleasant_look(800, 600), np.random.default_rng(4)
        self.pictures = [BoardView(look).shoot(Stage(stacks, seats=SEATS), rng) for _ in range(2)]
        self.sight, self.number = Pipeline(RULES), 0

    def watch(self, seconds: float) -> list[Verdict]:
        told: list[Verdict] = []
        for _ in range(round(seconds * 5)):
            frame = Frame(self.number, self.number / 5, self.pictures[self.number % 2])
            told += self.sight.push(frame, (START,))
            self.number += 1
        return told


@pytest.fixture
def one_too_many() -> Setting:
    """As bare domes look that are taken for pieces: red on an empty square."""
    stacks = tuple("r" if k == INDEX["a4"] else stack for k, stack in enumerate(START.stacks))
    return Setting(stacks)


def test_what_does_not_stand_is_named_until_the_players_say_that_it_does(one_too_many: Setting) -> None:
    assert one_too_many.watch(4.0) == [StartDiffers((INDEX["a4"],))]
    one_too_many.sight.vouch()
    assert one_too_many.watch(1.0) == [StartSeen()]
    assert one_too_many.watch(3.0) == [], "what was learned so is no alarm"


def test_where_nothing_is_to_be_set_up_their_word_changes_nothing() -> None:
    table = Setting(START.stacks)
    assert table.watch(3.0) == [StartSeen()]
    table.sight.vouch()
    assert table.watch(2.0) == []
