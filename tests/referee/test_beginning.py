"""Acts by which a player other than the one named may begin."""

from __future__ import annotations

import pytest

from focus_companion.game.moves import Move
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX
from focus_companion.referee.beginning import other_beginning
from focus_companion.referee.illegal_acts import IllegalActs
from focus_companion.referee.legal_acts import LegalActs

TWO, THREE = Rules.make(2), Rules.make(3)
DROP = Rules.make(2, set_up="drop")
CHECKERED = Rules.make(2, set_up="checkerboard")


@pytest.mark.parametrize(
    ("rules", "player", "move", "begins"),
    [
        (TWO, "r", "d6-d7", True),
        (TWO, "r", "d5-d6", False),
        (TWO, "g", "c4-c5", False),
        (TWO, "b", "d6-d7", False),
        (TWO, "r", "*a4", False),
        (THREE, "b", "*a4", True),
        (THREE, "b", "*c5", False),
        (THREE, "r", "d6-d7", False),
        (DROP, "r", "*d5", True),
        (CHECKERED, "r", "b3-b4", True),
    ],
)
def test_a_legal_first_turn_of_another_player(rules: Rules, player: str, move: str, begins: bool) -> None:
    turn = Move.parse(move)
    squares = (turn.target,) if turn.origin is None else (turn.origin, turn.target)
    found = other_beginning(start_position(rules), rules, player, squares)
    assert (found is not None) == begins
    if found is not None:
        assert (found.move, found.rules.order[0], found.start.to_move) == (turn, player, player)


def test_in_the_drop_set_up_the_other_piece_is_out_of_turn() -> None:
    """It is in hand, though in no reserve."""
    target = INDEX["d5"]
    acts = IllegalActs(LegalActs([start_position(DROP)], DROP)).displacements({target})
    (wrong,) = [act.wrong() for act in acts if act.wrong and act.changes == {target: "r"}]
    assert (wrong.reason, wrong.player, wrong.squares) == ("out_of_turn", "r", (target,))
    assert "green was to begin" in wrong.text
