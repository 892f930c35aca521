"""What counts as correct, late, asked about or wrong: the basis of all accuracy figures."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.accuracy.scoring import Score, score
from focus_companion.game.colours import NAMES
from focus_companion.game.moves import Move
from focus_companion.game.play import apply
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import SQUARES

RULES = Rules.make(2)
START = start_position(RULES)
AFTER = apply(START, Move.parse("d5-d6"), RULES)


def shown(i: int, t: float, kind: str, board: Any, **more: Any) -> dict[str, Any]:
    return {
        "i": i,
        "t": t,
        "kind": kind,
        "ply": 0 if board is START else 1,
        "board": {s: stack for s, stack in zip(SQUARES, board.stacks, strict=True) if stack},
        "reserves": {"g": 0, "r": 0},
        "captured": {"g": "", "r": ""},
        **more,
    }


TRUTH = {
    "frames": [
        shown(0, 0.0, "settled", START),
        shown(1, 4.0, "illegal", START, illegal={"type": "diagonal", "detail": "d5 to e6"}),
        shown(2, 7.0, "hand", START),
        shown(3, 8.0, "settled", START, event="restored"),
        shown(4, 12.0, "settled", AFTER, move="d5-d6"),
        shown(5, 16.0, "hand", AFTER),
    ]
}

ALERT = {"type": "alert", "time": 4.6, "reason": "not_straight", "squares": ["d5", "e6"]}
RESOLVED = {"type": "resolved", "time": 8.2}
QUESTION = {"type": "unclear", "time": 12.9, "candidates": ["d5-d6", "d5-d4"]}


def move(time: float, what: str = "d5-d6") -> dict[str, Any]:
    after = apply(START, Move.parse(what), RULES)
    return {
        "type": "move",
        "time": time,
        "move": what,
        "position": after.text,
        "reserves": {NAMES["g"]: 0, NAMES["r"]: 0},
        "captured": {},
    }


def scored(*events: dict[str, Any]) -> Score:
    return score(TRUTH, events)


def test_a_game_without_errors() -> None:
    result = scored(ALERT, RESOLVED, move(12.2))
    assert result.all_right and result.nothing_wrong
    assert result.latencies == (0.6, 0.2)


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ((ALERT, RESOLVED), {"silent": 1, "wrong_moves": 0, "nothing_wrong": False}),
        ((ALERT, RESOLVED, QUESTION), {"asked": 1, "silent": 0, "nothing_wrong": True}),
        ((ALERT, RESOLVED, QUESTION, move(21.0)), {"asked": 1, "late_moves": 1, "nothing_wrong": True}),
        ((ALERT, RESOLVED, move(21.0)), {"late_moves": 1, "silent": 1, "wrong_moves": 0}),
        ((ALERT, RESOLVED, move(12.2, "d5-d4")), {"wrong_moves": 1, "silent": 1, "exact": False}),
        ((move(12.2),), {"silent": 1, "alerts_ok": 0, "resolved_ok": 0}),
        ((ALERT, RESOLVED, move(12.2), {**ALERT, "time": 14.0}), {"false_alerts": 1, "silent": 0}),
        (({**ALERT, "reason": "distance"}, RESOLVED, move(12.2)), {"alerts_ok": 1, "reasons_ok": 0}),
        ((ALERT, {**ALERT, "time": 6.0}, RESOLVED, move(12.2)), {"false_alerts": 0, "all_right": True}),
    ],
)
def test_every_kind_of_error_is_counted(events: tuple[dict[str, Any], ...], expected: dict[str, Any]) -> None:
    result = scored(*events)
    assert {name: getattr(result, name) for name in expected} == expected
