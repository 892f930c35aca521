"""Replaying a record, and the score of a match."""

import pytest
from game_boards import given

from focus_companion.game.declarations import Declaration
from focus_companion.game.faults import IllegalMove
from focus_companion.game.match import game_points, match_score
from focus_companion.game.moves import Move
from focus_companion.game.outcome import Outcome
from focus_companion.game.record import BadMove, Entry, GameRecord, positions, steps
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position


def record(rules: Rules, *entries: str | Declaration) -> GameRecord:
    made = tuple(Entry(e, 1.0) if isinstance(e, Declaration) else Entry.parse(e, 1.0) for e in entries)
    return GameRecord(rules, entries=made)


def test_a_position_for_every_ply() -> None:
    rules = Rules.make(2)
    game = record(rules, "d5-d6", "g7-f7")
    seen = list(positions(game))
    assert [position.to_move for position in seen] == ["g", "r", "g"]
    assert seen[0] == start_position(rules)
    assert game.moves == (Move.parse("d5-d6"), Move.parse("g7-f7"))


def test_an_act_does_not_count_as_a_ply() -> None:
    game = record(Rules.make(2), "d5-d6", Declaration("resign", "r"))
    first, last = positions(game)
    assert (first.result, last.result) == (None, Outcome("g", "resigned"))
    assert [(step.ply, step.position.over) for step in steps(game)] == [(0, False), (1, False), (1, True)]
    before_any = list(positions(record(Rules.make(2), Declaration("draw"))))
    assert len(before_any) == 1 and before_any[0].result == Outcome("", "agreed draw")


@pytest.mark.parametrize(
    ("entries", "good", "wording"),
    [
        (("d5-d6", "d5-d4"), 2, "ply 2, d5-d4: There is no piece on d5."),
        (("d5-d9",), 1, "ply 1, d5-d9: A square of d5-d9 is not on the board."),
        (("d5-d6", "*a1"), 2, "ply 2, [*]a1: A square of [*]a1"),
        (("d5-d6", "castle"), 2, "ply 2, castle: That is not a move"),
        (("d5-d6", ""), 2, "ply 2, '': That is not a move"),
        ((" d5-d6",), 1, "ply 1, ' d5-d6': That is not a move"),
        (("d5-d6\n",), 1, r"ply 1, 'd5-d6\\n': That is not a move"),
        (("d5-d6", Declaration("draw"), "g7-f7"), 2, "ply 2, g7-f7: The game is over."),
        ((Declaration("leave", "b"),), 1, "ply 1, leave: That is not a player"),
        (("x" * 5000,), 1, "ply 1, xxxxxxxxxxxxxxxxxxxx…:"),
    ],
    ids=str,
)
def test_a_refused_entry_is_reported_with_its_ply_after_the_legal_ones(
    entries: tuple[str | Declaration, ...], good: int, wording: str
) -> None:
    seen = []
    with pytest.raises(IllegalMove, match=wording) as caught:
        for position in positions(record(Rules.make(2), *entries)):
            seen.append(position)
    assert len(seen) == good
    assert caught.value.ply == good
    assert len(str(caught.value)) < 300


def test_invalid_moves_have_a_reason() -> None:
    assert BadMove("d5-d9").fault.reason == "off_board"
    assert BadMove("*h8").fault.reason == "off_board"
    assert BadMove("d5-d6-d7").fault.reason == "unreadable"
    assert BadMove("").fault.reason == "unreadable"


def test_players_without_a_name_are_called_by_their_colour() -> None:
    game = GameRecord(Rules.make(2), {"g": "Ada"})
    assert (game.name("g"), game.name("r")) == ("Ada", "red")


def test_points_of_a_pair_are_their_sum() -> None:
    captured = {"g": {"r": 2, "b": 1}, "y": {"b": 4}, "r": {"y": 5}}
    board = {"d5": "g", "d6": "b"}
    position, rules = given(board, 4, partners=True, captured=captured)
    assert game_points(position, rules) == {"g": 7, "b": 5, "y": 7, "r": 5}
    alone, free = given(board, 4, captured=captured)
    assert game_points(alone, free) == {"g": 3, "b": 0, "y": 4, "r": 5}


def match_game(names: dict[str, str], green: int, red: int) -> GameRecord:
    captured = {"g": {"r": green}, "r": {"g": red}}
    _, rules = given({"d5": "g", "d6": "r"}, captured=captured)
    return GameRecord(rules, names)


def test_a_match_follows_the_names_through_the_colours() -> None:
    games = [match_game({"g": "Ada", "r": "Bo"}, 5, 3), match_game({"g": "Bo", "r": "Ada"}, 4, 1)]
    score = match_score(games)
    assert score.games == ({"Ada": 5, "Bo": 3}, {"Bo": 4, "Ada": 1})
    assert (score.totals, score.leaders) == ({"Ada": 6, "Bo": 7}, ("Bo",))
    assert match_score([]).leaders == ()
    assert match_score([match_game({}, 2, 2)]).leaders == ("green", "red")
    assert match_score([match_game({"g": "Al", "r": "Al"}, 2, 0)]).totals == {"Al (green)": 2, "Al (red)": 0}
