"""The drop set-up in front of a simulated camera: legal and illegal placings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from simulated import view_of

from focus_companion.game.rules import Rules
from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.session.pipeline import Pipeline
from focus_companion.session.session import Session
from focus_companion.simulator.beats import Pace
from focus_companion.simulator.for_tests.script import script_game
from focus_companion.simulator.scene_style import PieceStyle, SceneStyle, pleasant_look
from focus_companion.simulator.stage import Stage
from focus_companion.vision.capture.frames import Frame

DROP = Rules.make(2, set_up="drop")
RATE = 5


def shown(look: SceneStyle, boards: Sequence[dict[str, str]]) -> Iterator[Frame]:
    """Show each of these boards (square → stack) without hands, for longer than the settle time."""
    view, rng, index = view_of(look), np.random.default_rng(3), 0
    for board in boards:
        stage = Stage(tuple(board.get(square, "") for square in SQUARES))
        for _ in range(9):
            yield Frame(index, index / RATE, view.shoot(stage, rng))
            index += 1


@pytest.fixture(scope="module")
def told() -> list[dict[str, object]]:
    """The events of five placings, each illegal act undone before the next."""
    placed: list[dict[str, str]] = [
        {},
        {"d5": "g"},
        {"d5": "g", "e4": "r"},
        {"d5": "gg", "e4": "r"},
        {"d5": "gg", "e4": "rr"},
        {"d5": "ggg", "e4": "rr"},
    ]
    boards = [
        *placed[:3],
        {"d5": "g", "e4": "rg"},  # on the other's stack
        placed[2],
        {"d5": "g", "e4": "r", "c3": "r"},  # out of turn
        placed[2],
        {"d6": "g", "e4": "r"},  # moved
        *placed[2:],
    ]
    session = Session(DROP, {}, None, Pipeline(DROP))
    return [
        event.to_json() for frame in shown(pleasant_look(640, 480), boards) for event in session.push(frame)
    ]


@pytest.mark.slow
def test_every_placing_is_emitted_on_empty_squares_and_on_own_stacks(told: list[dict[str, object]]) -> None:
    moves = [event["move"] for event in told if event["type"] == "move"]
    assert moves == ["*d5", "*e4", "*d5", "*e4", "*d5"]


@pytest.mark.slow
def test_an_illegal_placing_has_its_reason_and_sentence(told: list[dict[str, object]]) -> None:
    alerts = [event for event in told if event["type"] == "alert"]
    assert [event["reason"] for event in alerts] == ["reserve_square", "out_of_turn", "thirteenth_piece"]
    assert "until all are placed" in str(alerts[0]["text"])
    assert "but it is green’s turn" in str(alerts[1]["text"])
    assert "nothing moves until all pieces are placed" in str(alerts[2]["text"])


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["domination", "domination-shouldered"])
def test_a_game_from_the_empty_board_settles_which_set_it_is(profile: str) -> None:
    """An empty board does not show it; the first pieces do, without a false alert."""
    look = replace(pleasant_look(640, 480), pieces=PieceStyle(profile))
    game = script_game(look, DROP, seed=1, plies=14, trouble=0.0, pace=Pace(settle=1.1))
    pipeline = Pipeline(DROP)
    session = Session(DROP, {}, None, pipeline)
    told = [event.to_json() for frame in game.frames(RATE, detail=0.5) for event in session.push(frame)]
    assert [event["move"] for event in told if event["type"] == "move"] == [str(m) for _, m in game.turns]
    assert not [event for event in told if event["type"] in ("alert", "unclear")]
    assert game.turns[-1][0].stacks[INDEX["a5"]] == "r" * 2
    assert pipeline.outlines is not None and pipeline.outlines.profile.name == profile
