"""Who is out, who passes, and who wins when."""

from typing import Any

import pytest
from game_boards import given

from focus_companion.game.declarations import Declaration
from focus_companion.game.faults import IllegalMove
from focus_companion.game.moves import Move, count_legal, legal_moves
from focus_companion.game.outcome import Outcome
from focus_companion.game.play import act, play
from focus_companion.game.position import Position
from focus_companion.game.rules import ORDERS, Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import SQUARES


def after(setting: tuple[Position, Rules], *moves: str) -> Position:
    position, rules = setting
    for text in moves:
        position = play(position, Move.parse(text), rules)
    assert bool(legal_moves(position, rules)) != position.over
    return position


def test_two_players_a_player_who_cannot_move_has_lost_at_once() -> None:
    end = after(given({"d5": "g", "d6": "r"}), "d5-d6")
    assert end.result == Outcome("g", "domination")
    assert (end.to_move, end.out) == ("", "")


def test_a_reserve_keeps_its_owner_alive() -> None:
    going = after(given({"d5": "g", "d6": "r"}, reserves={"r": 1}), "d5-d6")
    assert (going.result, going.to_move) == (None, "r")


def test_a_reserve_that_cannot_be_placed_does_not_keep_its_owner_alive() -> None:
    full = dict.fromkeys(SQUARES, "g") | {"d5": "gg", "d6": "r"}
    quiet = after(given(full, reserves={"r": 1}, reserve_on="empty_or_own"), "d5-d6")
    assert quiet.result == Outcome("g", "domination")
    assert after(given(full, reserves={"r": 1}), "d5-d6").to_move == "r"


THREE = {"d5": "g", "d6": "b", "h4": "r", "a4": "r"}
"""Green can cover blue's only stack; red keeps theirs."""


@pytest.mark.parametrize(("stuck", "out"), [("out", "b"), ("pass", ""), (None, "b")])
def test_three_a_stuck_player_is_out_when_their_turn_comes(stuck: str | None, out: str) -> None:
    position = after(given(THREE, 3, stuck=stuck), "d5-d6")
    assert (position.to_move, position.out, position.result) == ("r", out, None)


def test_three_a_stuck_player_is_not_out_before_their_turn_comes() -> None:
    # Red covers green's only stack; blue's turn, after red's, comes only after green's.
    position = after(given({"d5": "rr", "d7": "g", "h4": "b", "a3": "b"}, 3, to_move="r"), "d5-d7")
    assert (position.to_move, position.out) == ("b", "g")
    waiting = after(given({"d5": "g", "d6": "r", "h4": "b", "a3": "b"}, 3), "d5-d6")
    assert (waiting.to_move, waiting.out) == ("b", "")


def test_three_a_player_freed_before_their_turn_stays_in() -> None:
    # Red controls nothing at first, but green lifts its piece off red's before red's turn comes.
    position = after(given({"d5": "rg", "h4": "b"}, 3), "d5-d6", "h4-h5")
    assert (position.to_move, position.out) == ("r", "")
    covered = after(given({"d5": "r", "d6": "g", "h4": "b"}, 3), "d6-d5")
    assert (covered.to_move, covered.out) == ("b", "")
    assert after(given({"d5": "r", "d6": "g", "h4": "b"}, 3), "d6-d5", "h4-h5").out == "r"


def test_three_a_player_who_is_out_stays_out_and_their_stacks_remain() -> None:
    setting = given({"d5": "g", "d6": "b", "h4": "r", "a4": "r"}, 3)
    position = after(setting, "d5-d6", "h4-h5", "d6-d7")
    assert position.stack("d6") == "b"
    assert (position.to_move, position.out) == ("r", "b")
    passing = after(given(THREE, 3, stuck="pass"), "d5-d6", "h4-h5", "d6-d7")
    assert (passing.to_move, passing.out) == ("b", "")


def test_three_the_turn_that_ends_the_game_puts_nobody_else_out() -> None:
    # Blue is out when their turn comes; then green covers red's last stack, and red is not put out as well.
    setting = given({"d5": "gg", "d7": "b", "a4": "r", "a6": "g"}, 3)
    end = after(setting, "d5-d7", "a4-a5", "a6-a5")
    assert (end.result, end.out, end.to_move) == (Outcome("g", "domination"), "b", "")
    both = after(given({"d5": "g", "d6": "b"}, 3), "d5-d6")
    assert (both.result, both.out) == (Outcome("g", "domination"), "")


def test_four_stuck_players_pass_and_stay_in() -> None:
    setting = given({"d5": "g", "d6": "b", "a3": "y", "h3": "r"}, 4)
    position = after(setting, "d5-d6")
    assert (position.to_move, position.out) == ("y", "")
    freed = after(setting, "d5-d6", "a3-a4", "h3-h4", "d6-d7")
    assert (freed.to_move, freed.stack("d6")) == ("b", "b")


def test_four_the_game_ends_when_only_one_player_can_move() -> None:
    end = after(given({"d5": "g", "d6": "b"}, 4), "d5-d6")
    assert (end.result, end.out) == (Outcome("g", "domination"), "")


def test_four_stuck_players_are_out_with_that_rule() -> None:
    setting = given({"d5": "g", "d6": "b", "a3": "y", "h3": "r"}, 4, stuck="out")
    position = after(setting, "d5-d6", "a3-a4", "h3-h4", "d6-d7")
    assert (position.to_move, position.out) == ("y", "b")


def test_partners_pass_and_the_pair_wins_together() -> None:
    setting = given({"d5": "g", "d6": "b", "h3": "r", "h4": "y"}, 4, partners=True)
    position = after(setting, "d5-d6", "h4-h3")
    assert position.result == Outcome("gy", "domination")
    going = after(setting, "d5-d6")
    assert (going.to_move, going.out, going.result) == ("y", "", None)


def test_partners_both_win_even_if_one_is_out() -> None:
    setting = given({"d5": "b", "d6": "g"}, 4, partners=True, stuck="out", order="bgry", out="r")
    position, _ = setting
    assert position.players == "bgry" and position.to_move == "b"
    assert after(setting, "d5-d6").result == Outcome("br", "domination")


def test_partners_a_captured_partner_piece_frees_the_partner() -> None:
    setting = given({"d5": "yrbrg", "d6": "g", "a3": "b", "a6": "r"}, 4, partners=True)
    position = after(setting, "d6-d5")
    assert position.reserves == (0, 0, 1, 0)
    assert after(setting, "d6-d5", "a3-a4").to_move == "y"


def test_a_player_who_cannot_move_in_the_given_start_position() -> None:
    board = {"d5": "g", "a3": "r"}
    assert given({"d5": "g"}, to_move="r")[0].result == Outcome("g", "domination")
    assert given(board, 3, to_move="b")[0].out == "b"
    assert given(board, 3, to_move="b", stuck="pass")[0].out == ""
    assert given(board, 3, to_move="b")[0].to_move == "r"
    assert given({"d5": "g"}, 4)[0].result == Outcome("g", "domination")


FAST_BOARD = {"e4": "rgggg", "c4": "rg", "d4": "g", "a3": "r", "a4": "b", "a5": "y"}
"""Green's d4-e4 captures one red piece; everybody keeps a stack."""

FAST: list[tuple[str, int, dict[str, Any], dict[str, dict[str, int]], dict[str, int], bool]] = [
    ("two: the sixth", 2, {}, {"g": {"r": 5}}, {}, True),
    ("two: the fifth", 2, {}, {"g": {"r": 4}}, {}, False),
    ("two: no total by default", 2, {}, {"g": {"r": 3}}, {"g": 9}, False),
    ("two: a total when asked for", 2, {"fast_total": 10}, {"g": {"r": 3}}, {"g": 6}, True),
    ("three: three of each", 3, {}, {"g": {"r": 2, "b": 3}}, {}, True),
    ("three: three of one", 3, {}, {"g": {"r": 2, "b": 2}}, {}, False),
    ("three: ten with the reserve", 3, {}, {"g": {"r": 7, "b": 0}}, {"g": 2}, True),
    ("three: nine with the reserve", 3, {}, {"g": {"r": 6, "b": 0}}, {"g": 2}, False),
    ("three: no total", 3, {"fast_total": None}, {"g": {"r": 7, "b": 0}}, {"g": 2}, False),
    ("four: two of each", 4, {}, {"g": {"r": 1, "b": 2, "y": 2}}, {}, True),
    ("four: ten", 4, {}, {"g": {"r": 9, "b": 0, "y": 0}}, {}, True),
    (
        "four: other thresholds",
        4,
        {"fast_each": 3, "fast_total": 20},
        {"g": {"r": 9, "b": 2, "y": 2}},
        {},
        False,
    ),
]


@pytest.mark.parametrize(
    ("players", "switches", "captured", "reserves", "won"),
    [case[1:] for case in FAST],
    ids=[case[0] for case in FAST],
)
def test_when_a_fast_game_is_won(
    players: int,
    switches: dict[str, Any],
    captured: dict[str, dict[str, int]],
    reserves: dict[str, int],
    won: bool,
) -> None:
    board = {name: stack for name, stack in FAST_BOARD.items() if set(stack) <= set(ORDERS[players])}
    setting = given(board, players, fast=True, captured=captured, reserves=reserves, **switches)
    position = after(setting, "d4-e4")
    assert (position.result == Outcome("g", "fast")) is won
    assert position.over is won


@pytest.mark.parametrize(
    ("players", "enough", "to_move", "winner"),
    [
        (2, "g", "g", "g"),
        (2, "g", "r", "g"),
        (2, "gr", "g", "r"),
        (3, "b", "b", "b"),
        (3, "b", "r", "b"),
        (3, "gr", "b", "g"),
        (3, "gr", "r", "g"),
        (3, "gb", "g", "b"),
    ],
)
def test_a_fast_game_from_a_position_that_is_won_already(
    players: int, enough: str, to_move: str, winner: str
) -> None:
    """Of several players with enough captures, the last of them to have moved has won."""
    captured = {one: {other: 6 for other in ORDERS[players] if other != one} for one in enough}
    board = {"d5": "g", "a3": "r", "h3": "b"}
    board = {name: stack for name, stack in board.items() if stack in ORDERS[players]}
    position, _ = given(board, players, to_move=to_move, fast=True, captured=captured)
    assert position.result == Outcome(winner, "fast")


def test_fast_games_count_own_pieces_held_or_taken() -> None:
    # Green takes an own piece into the reserve, places it again, and captures: only "taken" still counts it.
    board = {"e4": "grggg", "d4": "g", "a3": "r", "a6": "r"}
    moves = ("d4-e4", "a3-a4", "*e4")
    switches = {"fast": True, "fast_each": 9, "fast_total": 2}
    assert after(given(board, **switches, fast_own="taken"), *moves).result == Outcome("g", "fast")
    assert after(given(board, **switches), *moves).result is None


def test_the_thirteenth_piece_in_reserve_does_not_count_as_taken() -> None:
    rules = Rules.make(3, fast=True, fast_total=1)
    position = play(start_position(rules), Move.parse("*a3"), rules)
    assert position.result is None


def test_a_turn_that_wins_in_both_ways_is_a_fast_win() -> None:
    position = after(given({"e4": "rrgrr", "d4": "g"}, fast=True, fast_each=1), "d4-e4")
    assert position.result == Outcome("g", "fast")
    assert after(given({"e4": "rrgrr", "d4": "g"}), "d4-e4").result == Outcome("g", "domination")


def test_two_players_resign_leave_or_agree_to_a_draw() -> None:
    rules = Rules.make(2)
    start = start_position(rules)
    for kind in ("resign", "leave"):
        end = act(start, Declaration(kind, "r"), rules)
        assert (end.result, end.to_move, end.out) == (Outcome("g", "resigned"), "", "")
        assert legal_moves(end, rules) == ()
    draw = act(start, Declaration("draw"), rules)
    assert (draw.result, draw.to_move) == (Outcome("", "agreed draw"), "")
    with pytest.raises(IllegalMove, match="over"):
        act(draw, Declaration("resign", "r"), rules)
    with pytest.raises(IllegalMove, match="not a player"):
        act(start, Declaration("resign", "b"), rules)
    with pytest.raises(IllegalMove, match="not a player"):
        act(start, Declaration("resign"), rules)


def test_three_a_player_who_resigns_is_out() -> None:
    rules = Rules.make(3, thirteenth_piece=False)
    start = start_position(rules)
    waiting = act(start, Declaration("resign", "b"), rules)
    assert (waiting.out, waiting.to_move, waiting.result) == ("b", "g", None)
    moving = act(start, Declaration("leave", "g"), rules)
    assert (moving.out, moving.to_move) == ("g", "b")
    assert play(moving, legal_moves(moving, rules)[0], rules).to_move == "r"
    with pytest.raises(IllegalMove, match="out of the game"):
        act(moving, Declaration("resign", "g"), rules)
    end = act(moving, Declaration("resign", "r"), rules)
    assert (end.result, end.out) == (Outcome("b", "resigned"), "gr")


def test_partners_if_one_resigns_the_other_plays_on() -> None:
    rules = Rules.make(4, partners=True)
    start = start_position(rules)
    alone = act(start, Declaration("resign", "g"), rules)
    assert (alone.out, alone.to_move, alone.result) == ("g", "b", None)
    end = act(alone, Declaration("resign", "y"), rules)
    assert (end.result, end.out) == (Outcome("br", "resigned"), "gy")
    assert act(alone, Declaration("resign", "r"), rules).result is None


def test_a_player_leaving_ends_the_game_if_only_one_other_can_move() -> None:
    position, rules = given({"d5": "g", "d6": "r"}, 3, stuck="pass", to_move="r")
    end = act(position, Declaration("leave", "r"), rules)
    assert (end.result, end.out) == (Outcome("g", "domination"), "r")


def test_partners_a_player_left_with_only_the_stacks_of_an_absent_partner_has_lost() -> None:
    board = {"d5": "r", "d6": "y", "a3": "b"}
    open_stacks = given(board, 4, partners=True, move_partner_stacks=True, to_move="r")
    assert play(open_stacks[0], Move.parse("d5-d4"), open_stacks[1]).to_move == "g"  # moves yellow's stack
    resigned = act(open_stacks[0], Declaration("resign", "y"), open_stacks[1])
    assert resigned.result == Outcome("br", "domination")


def test_a_reserve_given_at_the_start_counts_as_taken() -> None:
    board = {"e4": "rgggg", "d4": "g", "a3": "r"}
    switches: dict[str, Any] = {"fast": True, "fast_each": 9, "fast_total": 3, "reserves": {"g": 2}}
    assert after(given(board, fast_own="taken", **switches), "*h3", "a3-a4", "d4-e4").result == Outcome(
        "g", "fast"
    )
    assert after(given(board, fast_own="held", **switches), "*h3", "a3-a4", "d4-e4").result is None


def test_two_players_the_game_goes_on_until_the_turn_of_the_player_who_cannot_move() -> None:
    position, rules = given({"d5": "g"})
    assert position.result is None and position.to_move == "g"
    ended = play(position, Move.parse("d5-d6"), rules)
    assert ended.result == Outcome("g", "domination")
    assert legal_moves(ended, rules) == () and count_legal(ended, rules) == 0
