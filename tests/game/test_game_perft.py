"""Known counts of turn sequences, computed by three independent programs."""

from typing import Any

import pytest
from game_boards import given

from focus_companion.game.moves import legal_moves
from focus_companion.game.perft import perft
from focus_companion.game.play import apply
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position

TABLE: list[tuple[dict[str, Any], list[int]]] = [
    ({"players": 2}, [1, 68, 4_460, 299_912, 19_521_582]),
    ({"players": 3, "order": "gbr"}, [1, 16, 240, 3_360, 162_960, 7_712_978]),
    ({"players": 4}, [1, 44, 1_895, 80_983, 3_387_764]),
    ({"players": 4, "partners": True}, [1, 44, 1_895, 80_983, 3_387_764]),
]
MAX_QUICK_COUNT = 200_000

CASES = [
    pytest.param(
        switches,
        depth,
        count,
        marks=[pytest.mark.slow] if count > MAX_QUICK_COUNT else [],
        id=f"{switches} {depth}",
    )
    for switches, counts in TABLE
    for depth, count in enumerate(counts)
]


@pytest.mark.parametrize(("switches", "depth", "count"), CASES)
def test_perft(switches: dict[str, Any], depth: int, count: int) -> None:
    rules = Rules.make(**switches)
    assert perft(start_position(rules), rules, depth) == count


def plain_perft(position: Position, rules: Rules, depth: int) -> int:
    """The same count without caching positions, and playing out the last turn."""
    if depth == 0:
        return 1
    return sum(
        plain_perft(apply(position, move, rules), rules, depth - 1) for move in legal_moves(position, rules)
    )


@pytest.mark.parametrize(
    "switches",
    [
        {"players": 2, "set_up": "drop"},
        {"players": 2, "set_up": "checkerboard"},
        {"players": 3, "thirteenth_piece": False},
        {"players": 4, "reserve_on": "empty_or_own"},
    ],
    ids=str,
)
def test_cached_positions_do_not_change_the_count(switches: dict[str, Any]) -> None:
    rules = Rules.make(**switches)
    start = start_position(rules)
    assert perft(start, rules, 2) == plain_perft(start, rules, 2)


def test_a_repeated_position_is_counted_for_the_remaining_depth() -> None:
    position, rules = given({"a3": "g", "h3": "r"})
    assert perft(position, rules, 7) == plain_perft(position, rules, 7)


def test_a_negative_depth_is_refused() -> None:
    rules = Rules.make()
    with pytest.raises(ValueError, match="-1"):
        perft(start_position(rules), rules, -1)
