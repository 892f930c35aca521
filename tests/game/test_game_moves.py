"""Which turns are legal: the worked examples of the sources, and the switches that change them."""

import pytest
from game_boards import board, given

from focus_companion.game.moves import Move, MoveTextError, carried, legal_moves
from focus_companion.game.play import apply, play, removed, untrimmed
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position


def legal(position: Position, rules: Rules, origin: str = "") -> set[str]:
    return {str(move) for move in legal_moves(position, rules) if str(move).startswith(origin)}


def test_the_first_moves_of_the_worked_game() -> None:
    rules = Rules.make(2)
    start = start_position(rules)
    assert legal(start, rules, "d5") == {"d5-d6", "d5-e5", "d5-d4", "d5-c5"}
    after = play(start, Move.parse("d5-c5"), rules)
    assert after.stack("c5") == "rg" and after.stack("d5") == ""
    assert legal(after, rules, "g7") == {"g7-f7", "g7-g6"}
    later = play(after, Move.parse("g7-g6"), rules)
    assert later.stack("g6") == "gr" and later.to_move == "g"


def test_a_stack_of_five_near_the_edge() -> None:
    position, rules = given({"g4": "rggrr", "d4": "gg", "a3": "g"}, to_move="r")
    assert legal(position, rules, "g4") == {
        *("g4-h4", "g4-g3", "g4-f4", "g4-g5"),
        *("g4-g2", "g4-e4", "g4-g6"),
        *("g4-d4", "g4-g7"),
        "g4-c4",
        "g4-b4",
    }
    after = play(position, Move.parse("g4-d4"), rules)
    assert (after.stack("d4"), after.stack("g4")) == ("gggrr", "rg")


def test_a_stack_of_seven_gives_one_to_the_reserve_and_one_captured() -> None:
    position, rules = given({"d6": "grr", "d3": "rgrg", "a3": "g"}, to_move="r")
    move = Move.parse("d6-d3")
    assert carried(position, move) == "grr"
    assert untrimmed(position, move) == board({"d3": "rgrggrr", "a3": "g"})
    assert [(p.piece, p.to, p.owner) for p in removed(position, move, rules)] == [
        ("r", "reserve", "r"),
        ("g", "captured", "r"),
    ]
    after = apply(position, move, rules)
    assert after.stack("d3") == "rggrr"
    assert (after.reserve("r"), after.captures("r")) == (1, {"g": 1})


def test_a_reserve_piece_may_be_placed_anywhere_and_captures_too() -> None:
    position, rules = given({"d4": "grgrg", "a3": "r"}, to_move="r", reserves={"r": 1})
    assert len(legal(position, rules, "*")) == 52
    after = play(position, Move.parse("*d4"), rules)
    assert after.stack("d4") == "rgrgr"
    assert (after.reserve("r"), after.captures("r"), after.to_move) == (0, {"g": 1}, "")


def test_a_reserve_piece_in_the_quiet_variant() -> None:
    position, rules = given(
        {"d4": "rg", "e4": "gr", "a3": "g"}, to_move="r", reserves={"r": 1}, reserve_on="empty_or_own"
    )
    placed = legal(position, rules, "*")
    assert len(placed) == 50 and not placed & {"*d4", "*a3"} and "*e4" in placed


def test_moves_are_sorted_and_reserve_pieces_come_first() -> None:
    position, rules = given({"d4": "gr", "a5": "r", "a3": "g"}, to_move="r", reserves={"r": 2})
    texts = [str(move) for move in legal_moves(position, rules)]
    assert texts == sorted(texts)
    assert texts[0] == "*a3" and texts[52] == "a5-a4"


def test_the_thirteenth_piece_comes_first_and_on_an_empty_square() -> None:
    rules = Rules.make(3)
    start = start_position(rules)
    assert (start.reserves, start.thirteenth) == ((1, 1, 1), (True, True, True))
    assert legal(start, rules) == {f"*{s}" for s in (
        "c8", "d8", "e8", "f8", "c1", "d1", "e1", "f1", "a3", "a4", "a5", "a6", "h3", "h4", "h5", "h6"
    )}  # fmt: skip
    after = play(start, Move.parse("*h3"), rules)
    assert (after.reserves, after.thirteenth, after.to_move) == ((0, 1, 1), (False, True, True), "b")
    assert after.taken == (0, 0, 0)


def test_three_players_without_the_thirteenth_piece_move_at_once() -> None:
    rules = Rules.make(3, thirteenth_piece=False)
    start = start_position(rules)
    assert start.reserves == (0, 0, 0)
    assert not legal(start, rules, "*") and legal(start, rules)


def test_pieces_of_the_partner_go_to_the_partners_reserve() -> None:
    position, rules = given(
        {"d4": "ygrb", "d6": "yg", "a3": "r", "a4": "b", "a5": "y"}, 4, partners=True, to_move="g"
    )
    after = play(position, Move.parse("d6-d4"), rules)
    assert after.stack("d4") == "grbyg"
    assert after.reserves == (0, 0, 1, 0)
    assert after.captured == ((0,) * 4,) * 4


@pytest.mark.parametrize(
    ("open_stacks", "out", "movable"), [(False, "", False), (True, "", True), (True, "y", False)]
)
def test_whether_the_partners_stacks_may_be_moved(open_stacks: bool, out: str, movable: bool) -> None:
    position, rules = given(
        {"d4": "gy", "a3": "g", "a4": "r", "a5": "b", "a6": "y"},
        4,
        partners=True,
        move_partner_stacks=open_stacks,
        out=out,
    )
    assert ("d4-d6" in legal(position, rules)) is movable


def test_the_drop_set_up_places_all_pieces_before_play() -> None:
    rules = Rules.make(2, set_up="drop")
    position = start_position(rules)
    assert (position.placing, position.reserves) == ((18, 18), (0, 0))
    for count in range(36):
        file = "cdef"[count // 10]
        rank = (1, 8)[count % 2]
        assert position.placing and position.to_move == "gr"[count % 2]
        placed = legal(position, rules)
        assert not any("-" in text for text in placed)
        taken = sum(bool(stack) and stack[-1] != position.to_move for stack in position.stacks)
        full = sum(len(s) == 5 and s[-1] == position.to_move for s in position.stacks)
        assert len(placed) == 52 - taken - full
        position = play(position, Move.parse(f"*{file}{rank}"), rules)
    assert (position.placing, position.to_move, position.reserves) == ((), "g", (0, 0))
    assert position.stack("c1") == "ggggg" and position.stack("f8") == "rrr"
    assert legal(position, rules) and not legal(position, rules, "*")


@pytest.mark.parametrize(
    "text", ["", "d5", "d5d6", "d5-", "a1-a2", "d5-d9", "*a1", "**d5", "D5-D6", " d5-d6", "d5-d6\n"]
)
def test_an_invalid_text_of_a_move_is_refused(text: str) -> None:
    with pytest.raises(MoveTextError, match="not a move"):
        Move.parse(text)
