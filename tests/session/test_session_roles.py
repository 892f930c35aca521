"""Swapping the players' colours, before the first turn."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from scripted import Still, Unseeing, play_on
from test_session_requests import playing, refused, told

from focus_companion.game.position import parse_position
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import FILE, RANK, SQUARES
from focus_companion.game.start import Start
from focus_companion.session import requests as ask
from focus_companion.session.session import Session
from focus_companion.vision.geometry.orientation import turned_stacks

CORNERS = {"a1": (0.2, 0.9), "h1": (0.8, 0.9), "h8": (0.7, 0.2), "a8": (0.3, 0.2)}
ROUND = list(CORNERS)


class Placed(Unseeing):
    def __init__(self, seen: bool = True, any_shades: bool = True) -> None:
        self.seen, self.any_shades = seen, any_shades
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


def where(corners: dict[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """The middles of the squares in the picture, if the board's corners lie there."""
    lattice = np.array([(0, 0), (8, 0), (8, 8), (0, 8)], np.float32)
    view = cv2.getPerspectiveTransform(lattice, np.array([corners[name] for name in ROUND], np.float32))
    middles = np.array([[(FILE[square] + 0.5, RANK[square] + 0.5) for square in range(52)]], np.float32)
    return dict(zip(SQUARES, map(tuple, cv2.perspectiveTransform(middles, view)[0]), strict=True))


@pytest.mark.parametrize(
    ("players", "one", "other"), [(4, "g", "b"), (4, "b", "g"), (4, "y", "g"), (3, "b", "g")]
)
def test_with_more_players_one_shade_given_to_its_player_turns_the_board(
    players: int, one: str, other: str
) -> None:
    sight = Placed()
    rules = Rules.make(players)
    session = Session(rules, {}, None, sight)
    session.push(Still(0))
    assert session.state()["swaps"] == "pieces"
    assert told(session, ask.SwapColours(one, other)) == ["placed"]
    (corners,) = sight.places
    before, after = where(CORNERS), where(corners)
    start = dict(zip(SQUARES, start_position(rules).stacks, strict=True))
    for square, stack in start.items():
        if stack == one:
            near = min(SQUARES, key=lambda new: np.hypot(*np.subtract(after[new], before[square])))
            assert start[near] == other, f"the piece seen on {square} was {one}'s and is {other}'s now"


def test_where_a_green_piece_is_green_the_players_swap_their_names() -> None:
    session = Session(Rules.make(2), {"g": "Ann", "r": "Ben"}, None, Placed(any_shades=False))
    session.push(Still(0))
    assert session.state()["swaps"] == "names"
    told(session, ask.SwapColours())
    assert session.history.players == {"g": "Ben", "r": "Ann"} and session.state()["ply"] == 0
    nameless = Session(Rules.make(2), {}, None, Placed(any_shades=False))
    assert nameless.state()["swaps"] is None
    assert "no colours can be swapped" in refused(nameless, ask.SwapColours())


def test_two_of_three_players_whose_pieces_lie_otherwise_swap_their_names() -> None:
    seats = {"g": "Ann", "b": "Ben", "r": "Cleo"}
    session = Session(Rules.make(3), seats, None, Placed())
    session.push(Still(0))
    told(session, ask.SwapColours("r", "g"))
    assert session.history.players == {"g": "Cleo", "b": "Ben", "r": "Ann"}
    assert "which two" in refused(session, ask.SwapColours())


def test_where_nothing_can_be_exchanged_it_is_refused() -> None:
    rules = Rules.make(2, set_up="drop")
    assert "no colours can be swapped" in refused(Session(rules, {}, None, Placed()), ask.SwapColours())


def test_it_is_too_late_after_the_first_turn_and_too_early_without_a_board() -> None:
    assert "before the first turn" in refused(playing(1), ask.SwapColours())
    session = Session(Rules.make(2), {}, None, Placed(seen=False))
    play_on(session.push, 1)
    assert "not seen yet" in refused(session, ask.SwapColours())
