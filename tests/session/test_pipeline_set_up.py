"""Setting up: what does not stand yet is named, and the players have the last word."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX
from focus_companion.referee.verdict import StartDiffers, StartSeen, Verdict
from focus_companion.session.pipeline import REST, Pipeline
from focus_companion.simulator.board_view import BoardView
from focus_companion.simulator.scene_style import pleasant_look
from focus_companion.simulator.stage import Stage
from focus_companion.vision.capture.frames import Frame

RULES = Rules.make(2)
START = start_position(RULES)
SEATS = {"g": "S", "r": "N"}


class Setting:
    """A still table of which pictures are taken five times a second."""

    def __init__(self, stacks: tuple[str, ...]) -> None:
        self.show(stacks)
        self.sight, self.number = Pipeline(RULES), 0

    def show(self, stacks: tuple[str, ...]) -> None:
        look, rng = pleasant_look(800, 600), np.random.default_rng(4)
        self.pictures = [BoardView(look).shoot(Stage(stacks, seats=SEATS), rng) for _ in range(2)]

    def watch(self, seconds: float, position: Position = START) -> list[Verdict]:
        told: list[Verdict] = []
        for _ in range(round(seconds * 5)):
            frame = Frame(self.number, self.number / 5, self.pictures[self.number % 2])
            told += self.sight.push(frame, (position,))
            self.number += 1
        return told


def test_fewer_pictures_are_enough_until_the_board_is_found_and_while_nothing_moves() -> None:
    table = Setting(START.stacks)
    assert table.sight.at_rest
    table.watch(1.0)
    assert not table.sight.at_rest
    table.watch(REST + 0.6)
    assert table.sight.at_rest
    table.pictures = [np.roll(table.pictures[0], 90 * way, axis=1) for way in (-1, 1)]
    table.watch(0.4)
    assert not table.sight.at_rest


def test_between_two_games_the_board_is_not_called_lost() -> None:
    """What still stands of the last game has little in common with what is to be set up for the next one."""
    table = Setting(START.stacks)
    assert table.watch(3.0) == [StartSeen()]
    empty = [k for k, stack in enumerate(START.stacks) if not stack]
    over = tuple("rgrgr" if k in empty else "" for k in range(len(START.stacks)))
    again = start_position(RULES)
    assert again is not START
    for stacks, seconds in ((over, 3.0), (("",) * len(over), 0.8)):
        table.show(stacks)
        for _ in range(round(seconds * 5)):
            table.watch(0.2, again)
            assert table.sight.camera_state == "ok", stacks
    table.show(START.stacks)
    assert table.watch(3.0, again)[-1] == StartSeen()


def test_a_board_that_is_gone_when_a_game_begins_is_called_lost() -> None:
    table = Setting(START.stacks)
    assert table.watch(3.0) == [StartSeen()]
    again = start_position(RULES)
    rng = np.random.default_rng(2)
    rough = rng.integers(60, 200, (15, 20, 3), np.uint8)
    bare = cv2.resize(rough, (800, 600), interpolation=cv2.INTER_CUBIC)
    table.pictures = [np.asarray(bare // 8 * 8 + rng.integers(0, 4, bare.shape), np.uint8) for _ in range(2)]
    table.watch(10.0, again)
    assert table.sight.camera_state == "no board"


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
