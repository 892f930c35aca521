"""Swapping the players' colours, before the first turn."""

from __future__ import annotations

import pytest
from scripted import Still, Unseeing, play_on
from test_session_requests import playing, refused, told

from focus_companion.game.position import parse_position
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.start import Start
from focus_companion.session import requests as ask
from focus_companion.session.session import Session
from focus_companion.vision.geometry.orientation import turned_stacks

CORNERS = {"a1": (0.2, 0.9), "h1": (0.8, 0.9), "h8": (0.7, 0.2), "a8": (0.3, 0.2)}
ROUND = list(CORNERS)


class Placed(Unseeing):
    def __init__(self, seen: bool = True) -> None:
        self.seen = seen
        self.places: list[dict[str, tuple[float, float]]] = []

    def push(self, frame: object, history: object, asked: object = None) -> tuple[()]:
        return ()

    def corners(self) -> dict[str, tuple[float, float]] | None:  # type: ignore[override]
        return CORNERS if self.seen else None

    def place(self, corners: dict[str, tuple[float, float]], *, believed: bool = True) -> None:
        self.places.append(corners)


@pytest.mark.parametrize(
    ("rules", "quarters"), [(Rules.make(2), 2), (Rules.make(2, set_up="checkerboard"), 2)]
)
def test_the_board_is_taken_to_lie_the_other_way_round(rules: Rules, quarters: int) -> None:
    sight = Placed()
    session = Session(rules, {}, None, sight)
    session.push(Still(0))
    assert told(session, ask.SwapColours()) == ["placed"]
    (corners,) = sight.places
    turns = next(n for n in range(1, 4) if corners["a1"] == CORNERS[ROUND[n]])
    # The camera shows the start there, with the colours exchanged.
    start = start_position(rules).stacks
    exchanged = tuple(stack.translate(str.maketrans("gr", "rg")) for stack in start)
    assert turned_stacks(start, turns) == exchanged
    assert session.history.corners == corners and session.position.stacks == start


def test_a_position_of_their_own_is_taken_with_the_colours_exchanged() -> None:
    text = (
        "-,-,-,-/r,gr,g,-,r,-/-,g,rggr,r,-,g,g,-/-,r,-,rrg,g,r,-,-/"
        "-,g,g,-,grr,g,r,-/-,-,rg,g,-,r,r,-/g,grg,r,r,gg,-/-,-,-,-"
    )
    start = Start.make("gr", parse_position(text), reserves={"g": 3}, to_move="r")
    session = Session(Rules.make(2, set_up="position", start=start), {}, None, Placed())
    assert told(session, ask.SwapColours()) == ["corrected"]
    position = session.position
    assert position.text == text.translate(str.maketrans("gr", "rg"))
    assert position.reserves == (3, 0) and position.to_move == "r", "what lies beside the board stays"


def test_where_nothing_can_be_exchanged_it_is_refused() -> None:
    rules = Rules.make(2, set_up="drop")
    assert "no colours can be swapped" in refused(Session(rules, {}, None, Placed()), ask.SwapColours())


def test_it_is_too_late_after_the_first_turn_and_too_early_without_a_board() -> None:
    assert "before the first turn" in refused(playing(1), ask.SwapColours())
    session = Session(Rules.make(2), {}, None, Placed(seen=False))
    play_on(session.push, 1)
    assert "not seen yet" in refused(session, ask.SwapColours())
