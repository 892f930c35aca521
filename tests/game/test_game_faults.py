"""Every illegal turn is refused with its reason, in the specified words."""

import pytest
from game_boards import given

from focus_companion.game.declarations import Declaration
from focus_companion.game.faults import (
    Fault,
    IllegalMove,
    explain,
    sentence,
)
from focus_companion.game.moves import Move
from focus_companion.game.play import act, play
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX, SQUARES

BOARD = {"d5": "rgg", "d6": "r", "e4": "gr", "b3": "g"}


def fault_of(setting: tuple[Position, Rules], text: str) -> Fault:
    fault = explain(setting[0], Move.parse(text), setting[1])
    assert fault is not None
    return fault


REFUSALS: list[tuple[str, str, list[str], str, str]] = [
    ("d5-e6", "not_straight", ["d5", "e6"], "g", "From d5 to e6 is not a straight line"),
    ("d5-f6", "not_straight", ["d5", "f6"], "g", "straight"),
    ("b3-b5", "distance", ["b3", "b5"], "g", "2 squares, but b3 is 1 high"),
    ("d5-d1", "distance", ["d5", "d1"], "g", "4 squares, but d5 is 3 high"),
    ("d5-d5", "distance", ["d5", "d5"], "g", "0 squares"),
    ("d6-d7", "out_of_turn", ["d6", "d7"], "r", "The stack on d6 is red’s, and it is green’s turn."),
    ("e4-e2", "out_of_turn", ["e4", "e2"], "r", "red’s"),
    ("c3-c4", "no_such_stack", ["c3"], "g", "no piece on c3"),
    ("*d5", "no_reserve", ["d5"], "g", "Green has no piece in reserve"),
]


@pytest.mark.parametrize(
    ("text", "reason", "squares", "player", "wording"), REFUSALS, ids=[r[0] for r in REFUSALS]
)
def test_illegal_turns_are_refused_with_their_reason(
    text: str, reason: str, squares: list[str], player: str, wording: str
) -> None:
    setting = given(BOARD)
    fault = fault_of(setting, text)
    assert (fault.reason, [SQUARES[s] for s in fault.squares], fault.player) == (reason, squares, player)
    assert wording in sentence(fault)
    with pytest.raises(IllegalMove) as caught:
        play(setting[0], Move.parse(text), setting[1])
    assert caught.value.fault == fault and str(caught.value).startswith(f"{text}: ")


def test_a_stack_that_nobody_may_move() -> None:
    setting = given({"d5": "g", "d6": "b", "a3": "r", "a5": "g"}, 3, out="b")
    assert fault_of(setting, "d6-d7").reason == "not_your_stack"
    partners = given({"d5": "g", "d6": "y", "a3": "r"}, 4, partners=True)
    assert fault_of(partners, "d6-d7").reason == "out_of_turn"


def test_the_thirteenth_piece_must_be_placed_first() -> None:
    setting = start_position(Rules.make(3)), Rules.make(3)
    for text in ("e7-e8", "*d5", "d6-d7"):
        fault = fault_of(setting, text)
        assert (fault.reason, fault.player) == ("thirteenth_piece", "g")
    assert explain(setting[0], Move.parse("*a3"), setting[1]) is None


def test_reserve_pieces_may_be_placed_where_the_variant_allows() -> None:
    setting = given(BOARD, reserves={"g": 1}, reserve_on="empty_or_own")
    fault = fault_of(setting, "*e4")
    assert (fault.reason, fault.squares) == ("reserve_square", (INDEX["e4"],))
    assert "e4 belongs to red" in sentence(fault)
    assert explain(setting[0], Move.parse("*d5"), setting[1]) is None


def test_only_placing_is_legal_during_the_drop_set_up() -> None:
    rules = Rules.make(2, set_up="drop")
    position = start_position(rules)
    for _ in range(5):
        position = play(play(position, Move.parse("*d5"), rules), Move.parse("*e5"), rules)
    setting = position, rules
    assert fault_of(setting, "d5-d6").reason == "placing"
    assert fault_of(setting, "*e5").reason == "reserve_square"
    full = fault_of(setting, "*d5")
    assert full.reason == "too_high" and "d5" in sentence(full)


def test_nothing_is_legal_when_the_game_is_over() -> None:
    rules = Rules.make(2)
    over = act(start_position(rules), Declaration("draw"), rules)
    assert fault_of((over, rules), "d5-d6").reason == "game_over"
