"""The evaluation of positions."""

from typing import Any

import pytest
from review_games import VARIANTS, given, random_record

from focus_companion.game.moves import legal_moves
from focus_companion.game.record import positions
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.players.evaluation import chances, progress
from focus_companion.review.evaluation import Counts, counts


def test_counts_are_those_of_the_board() -> None:
    position, rules = given(
        {"d5": "rgg", "c1": "g", "h3": "gr"}, reserves={"r": 2}, captured={"g": {"r": 4}, "r": {"g": 1}}
    )
    # d5, three high: 4 single steps, 4 of two squares, 4 of three; c1 in the corner: 2.
    assert counts(position, rules) == {"g": Counts(4, 0, 2, 12 + 2), "r": Counts(1, 2, 1, 2 + 2)}


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_mobility_counts_the_moves_of_a_players_own_stacks(variant: dict[str, Any]) -> None:
    record = random_record(**variant)
    for position in positions(record):
        if position.over or position.placing or any(position.thirteenth):
            continue
        player = position.to_move
        rules = record.rules
        tops = {player, rules.partner_of(player)} if rules.move_partner_stacks else {player}
        moves = [move for move in legal_moves(position, rules) if move.origin is not None]
        held = counts(position, rules)
        assert len(moves) == sum(held[top].mobility for top in tops if top)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_chances_sum_to_one_over_the_sides(variant: dict[str, Any]) -> None:
    record = random_record(**variant)
    for position in positions(record):
        found = chances(position, record.rules)
        assert sum(found[side[0]] for side in record.rules.sides) == pytest.approx(1)
        assert all(0 <= chance <= 1 for chance in found.values())
        assert all(found[player] == found[side[0]] for side in record.rules.sides for player in side)


def test_a_symmetrical_start_is_even() -> None:
    rules = Rules.make(2)
    assert chances(start_position(rules), rules) == {"g": 0.5, "r": 0.5}


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"captured": {"g": {"r": 1}}}, {"squares": {"h6": "rr"}}),
        ({"reserves": {"g": 1}}, {}),
        ({"squares": {"e4": "g"}}, {}),
        ({"squares": {"e4": "ggg"}}, {"squares": {"c1": "ggg"}}),
    ],
    ids=["a capture", "a reserve piece", "a stack", "a stack with more room"],
)
def test_more_of_anything_is_better(better: dict[str, Any], worse: dict[str, Any]) -> None:
    def chance(change: dict[str, Any]) -> float:
        change = dict(change)
        squares = {"a3": "g", "h6": "r"} | change.pop("squares", {})
        return chances(*given(squares, **change))["g"]

    assert chance(better) > chance(worse)


def test_a_player_who_is_out_has_no_chance_and_no_stacks() -> None:
    position, rules = given({"a3": "g", "h6": "r", "d5": "b"}, 3, out="r", reserves={"r": 5})
    assert chances(position, rules)["r"] == 0
    assert counts(position, rules)["r"].control == 0


def test_the_chances_in_a_finished_game_are_certain() -> None:
    won = given({"d5": "g"}, to_move="r")
    assert chances(*won) == {"g": 1, "r": 0}
    *_, draw = positions(random_record(players=4, partners=True))
    assert chances(draw, Rules.make(4, partners=True)) == dict.fromkeys("gbyr", 0.5)


@pytest.mark.parametrize(
    ("captured", "reserve", "fast_own", "expected"),
    [
        ({"b": 3, "r": 0}, 0, "held", 0.5),
        ({"b": 9, "r": 0}, 0, "held", 0.9),
        ({"b": 2, "r": 1}, 5, "held", 0.8),
        ({"b": 2, "r": 1}, 5, "taken", 0.8),
    ],
)
def test_progress_to_a_fast_win(
    captured: dict[str, int], reserve: int, fast_own: str, expected: float
) -> None:
    position, rules = given(
        {"a3": "g", "h6": "r", "d5": "b"},
        3,
        fast=True,
        fast_own=fast_own,
        captured={"g": captured},
        reserves={"g": reserve},
    )
    assert progress(position, rules, "g") == pytest.approx(expected)


def test_the_thirteenth_piece_is_not_progress() -> None:
    rules = Rules.make(3, fast=True)
    assert progress(start_position(rules), rules, "g") == 0
