"""Which acts the judge weighs: those that explain all changes are always included."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from table_scene import rules

from focus_companion.game.moves import Move
from focus_companion.game.position import Position
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.referee import judge as judging
from focus_companion.referee import weighing
from focus_companion.referee.acts import Act, Kind
from focus_companion.referee.judge import judge
from focus_companion.referee.trimming import Pending
from focus_companion.referee.verdict import Wrong
from focus_companion.referee.weighing import Judgement

RULES = rules({"f7": "rrgrg", "d5": "g"}, {"g": 1})
TOUCHED = {"f7": 0.19, "f8": 0.45, "g6": 0.03}
"""A piece has been set on a tall stack: seen at a slant, it covers more of the square behind than of its
own."""


def look_at(position: Position, touched: Mapping[str, float], **more: Any) -> Any:
    """A look with only the changed fraction of each square, and further attributes."""
    shares = np.zeros(len(SQUARES))
    for square, share in touched.items():
        shares[INDEX[square]] = share
    outlines = SimpleNamespace(touching=lambda squares: squares, overlap=lambda *_: False)
    evidence = SimpleNamespace(
        standing=position.stacks, outlines=outlines, gain=lambda _: SimpleNamespace(nats=-9.0)
    )
    usual = {"faintly_changed": {}, "change": None, "evidence": evidence, "foreign_area": lambda *_: 0.0}
    return SimpleNamespace(touched=shares, **usual | more)


def test_a_piece_on_a_tall_stack_is_weighed_though_the_square_behind_changed_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    position = start_position(RULES)
    look = look_at(position, TOUCHED)
    pools: list[list[str]] = []

    def weigh(_look: object, pool: list[Any], _pending: object) -> Judgement:
        pools.append([f"{act.kind.name} {' '.join(map(str, act.moves))}" for act in pool])
        likeliest = [act for act in pool if act.kind is Kind.PENDING and str(act.moves[0]) == "*f7"]
        return Judgement((likeliest or pool)[0], 41.0, 14.7)

    monkeypatch.setattr(judging, "weigh", weigh)
    monkeypatch.setattr(judging, "explains", lambda *_: True)
    monkeypatch.setattr(judging, "is_unbeatable", lambda *_: False)
    found = judge(look, [position], RULES, None)
    assert "TURN *f8" in pools[1], "the square that changed most is weighed"
    assert str(found.act.moves[0]) == "*f7"


@pytest.mark.parametrize(("where", "told"), [("d5", Kind.TURN), ("e5", Kind.WRONG_TWICE)])
def test_a_turn_on_exactly_the_squares_that_differ_is_not_unexplained(where: str, told: Kind) -> None:
    """In bad light its stacks may look like others; the players are asked, and there is no alert."""
    position = start_position(RULES)
    evidence = SimpleNamespace(
        standing=position.stacks,
        read=lambda *_: ("gg", 10.0),
        stack_gain=lambda *_: SimpleNamespace(nats=90.0),
        gain=lambda changes: SimpleNamespace(nats=300.0 if "gg" in changes.values() else 100.0),
    )
    look: Any = SimpleNamespace(evidence=evidence, change=None)
    turn = Act(Kind.TURN, {INDEX["d5"]: "gr", INDEX["d6"]: ""}, (Move.parse("*d5"),))
    best = Judgement(turn, 96.0, 3.0, weights=(turn.prior,))
    assert judging._unexplained(look, best, [INDEX[where]], position).act.kind is told


@pytest.mark.parametrize(("changed", "told"), [(0.0, Kind.TURN), (0.4, Kind.WRONG_TWICE)])
def test_a_difference_that_the_reference_showed_from_the_start_need_not_be_explained(
    changed: float, told: Kind
) -> None:
    """Under a reflection, e5 already looked empty when the reference was adopted; only a change counts."""
    position = start_position(RULES)
    evidence = SimpleNamespace(
        standing=position.stacks,
        read=lambda square, *_: ("gr" if square == INDEX["d5"] else "r", 10.0),
        stack_gain=lambda *_: SimpleNamespace(nats=90.0),
        gain=lambda changes: SimpleNamespace(nats=150.0 * len(changes)),
    )
    touched = np.zeros(len(SQUARES))
    touched[[INDEX["d5"], INDEX["e5"]]] = 0.9, changed
    change = SimpleNamespace(touched=touched)
    look: Any = SimpleNamespace(evidence=evidence, change=change, unsettled=(INDEX["e5"],))
    turn = Act(Kind.TURN, {INDEX["d5"]: "gr"}, (Move.parse("*d5"),))
    both = [INDEX["d5"], INDEX["e5"]]
    best = Judgement(turn, 96.0, 30.0, weights=(turn.prior,))
    assert judging._unexplained(look, best, both, position).act.kind is told


@pytest.mark.parametrize("overlap", [True, False])
def test_a_turn_on_the_stack_before_a_square_that_changed_is_weighed(
    monkeypatch: pytest.MonkeyPatch, overlap: bool
) -> None:
    """The turn changes most of the square behind, on which nothing was placed, and less of its own."""
    position = start_position(RULES)
    look = look_at(position, TOUCHED)
    look.evidence.outlines.overlap = lambda *_: overlap
    pools: list[list[str]] = []

    def weigh(_look: object, pool: list[Act], _pending: object) -> Judgement:
        pools.append([f"{act.kind.name} {' '.join(map(str, act.moves))}" for act in pool])
        turn = next((act for act in pool if act.kind is Kind.TURN), pool[0])
        return Judgement(turn, 41.0, 14.7)

    monkeypatch.setattr(judging, "weigh", weigh)
    monkeypatch.setattr(judging, "explains", lambda *_: True)
    monkeypatch.setattr(judging, "is_unbeatable", lambda *_: False)
    awaited = Pending(Move.parse("d5-d6"), sure=True)
    judge(look, [position], RULES, awaited)
    assert ("PENDING *f7" in pools[0]) is overlap


@pytest.mark.parametrize(("beside", "further"), [(0.26, True), (0.12, False)])
def test_a_turn_that_leaves_another_change_unexplained_is_not_accepted_at_once(
    monkeypatch: pytest.MonkeyPatch, beside: float, further: bool
) -> None:
    """Two moves in one turn; the first alone would be legal."""
    position = start_position(RULES)
    look = look_at(position, {"d5": 0.9, "d6": 0.9, "f2": beside, "f3": beside})
    kinds: set[str] = set()

    def weigh(_look: object, pool: list[Act], _pending: object) -> Judgement:
        kinds.update(act.wrong().reason for act in pool if act.wrong is not None)
        turn = next(act for act in pool if act.kind is Kind.TURN and str(act.moves[0]) == "d5-d6")
        return Judgement(turn, 290.0, 60.0)

    monkeypatch.setattr(judging, "weigh", weigh)
    monkeypatch.setattr(judging, "explains", lambda *_: True)
    monkeypatch.setattr(judging, "is_unbeatable", lambda *_: False)
    judge(look, [position], RULES, None)
    assert ("two_moves" in kinds) == further


@pytest.mark.parametrize(("by", "further"), [(19.0, True), (6.5, False)], ids=["plainly", "a shadow"])
def test_a_faintly_changed_square_elsewhere_may_have_lost_a_piece_to_its_own_colour(
    monkeypatch: pytest.MonkeyPatch, by: float, further: bool
) -> None:
    """A green piece left a dome of the same colour and went onto another green piece: neither square changes
    many pixels.
    """
    played = rules({"d5": "g", "d6": "r", "h4": "g", "g4": "g"}, {})
    position = start_position(played)
    deviations = np.ones(len(SQUARES))
    deviations[[INDEX["d5"], INDEX["d6"]]] = 50.0
    look = look_at(
        position, {"d5": 0.04, "d6": 0.9}, faintly_changed={INDEX["h4"]: by}, deviations=deviations
    )
    twice: list[Act] = []

    def weigh(_look: object, pool: list[Act], _pending: object) -> Judgement:
        squares = {INDEX["h4"]: "", INDEX["g4"]: "gg", INDEX["d5"]: "", INDEX["d6"]: "rg"}
        twice.extend(act for act in pool if act.changes == squares)
        turn = next(act for act in pool if act.kind is Kind.TURN and str(act.moves[0]) == "d5-d6")
        return Judgement(turn, 290.0, 60.0)

    monkeypatch.setattr(judging, "weigh", weigh)
    monkeypatch.setattr(judging, "explains", lambda *_: True)
    monkeypatch.setattr(judging, "is_unbeatable", lambda *_: False)
    judge(look, [position], played, None)
    assert bool(twice) == further


@pytest.mark.parametrize(("by", "looked"), [(44.0, ["b2", "c1"]), (14.0, ["b2", "c1"]), (8.0, [])])
def test_barely_visible_changes_in_the_dark_are_judged(
    monkeypatch: pytest.MonkeyPatch, by: float, looked: list[str]
) -> None:
    """Blue pieces on a blue board under one weak lamp: no pixel changes as much as in a well-lit room."""
    position = start_position(RULES)
    look = look_at(position, {}, faintly_changed={INDEX["c1"]: by, INDEX["b2"]: by})
    seen: list[int] = []

    def likeliest(_look: object, _worlds: object, squares: list[int], *_: object) -> Judgement:
        seen.extend(squares)
        return Judgement(weighing.NOTHING, 0.0, 50.0)

    monkeypatch.setattr(judging, "_likeliest", likeliest)
    judge(look, [position], RULES, None)
    assert sorted(SQUARES[square] for square in seen) == looked


@pytest.mark.parametrize(
    ("faintly_changed", "nats", "shown"),
    [
        ({"d5": 9.0, "d6": 8.5}, -9.0, True),
        ({"d5": 9.0, "d6": 6.5}, -9.0, False),
        ({"d5": 9.0, "d6": 6.5}, 3.0, True),
        ({"d5": 40.0}, 3.0, False),
        ({}, 3.0, False),
    ],
    ids=["plainly", "hardly", "hardly, but it fits", "no turn on one square", "nothing"],
)
def test_a_picture_of_a_barely_visible_turn_is_not_used_as_a_reference(
    faintly_changed: dict[str, float], nats: float, shown: bool
) -> None:
    """Otherwise the turn would no longer be visible when the next one shows that it was made."""
    played = rules({"d5": "rg", "d6": "g"}, {})
    look: Any = SimpleNamespace(
        faintly_changed={INDEX[square]: by for square, by in faintly_changed.items()},
        evidence=SimpleNamespace(gain=lambda _: SimpleNamespace(nats=nats)),
    )
    assert judging._hinted(look, [start_position(played)], played) is shown


def displaced(origin: str, target: str, reason: str) -> Act:
    squares = INDEX[origin], INDEX[target]
    return Act(
        Kind.WRONG,
        {squares[0]: "", squares[1]: "rr"},
        wrong=lambda: Wrong(reason, "r", squares, f"to {target}"),
    )


GONE = Act(
    Kind.WRONG,
    {INDEX["e6"]: ""},
    lifted=True,
    wrong=lambda: Wrong("wrong_removal", "r", (INDEX["e6"],), "gone"),
)
FAR, BESIDE_IT, IN_LINE = (
    displaced("e6", "f3", "not_straight"),
    displaced("e6", "f7", "not_straight"),
    displaced("e6", "f6", "out_of_turn"),
)
TURN = Act(Kind.TURN, {INDEX["e6"]: "", INDEX["e5"]: "rr"}, (Move.parse("e6-e5"),))


@pytest.mark.parametrize(
    ("likeliest", "rivals", "named"),
    [
        (GONE, (FAR, BESIDE_IT, IN_LINE), IN_LINE),
        (GONE, (FAR, BESIDE_IT), BESIDE_IT),
        (GONE, (FAR,), FAR),
        (GONE, (), GONE),
        (FAR, (GONE, BESIDE_IT, IN_LINE), IN_LINE),
        (FAR, (BESIDE_IT, IN_LINE), FAR),
        (BESIDE_IT, (GONE, IN_LINE), BESIDE_IT),
        (TURN, (GONE, FAR), TURN),
    ],
)
def test_a_barely_visible_piece_is_assumed_on_the_most_plausible_square(
    likeliest: Act, rivals: tuple[Act, ...], named: Act
) -> None:
    """Its own colour makes it hard to see there; noise may favour any square with that colour."""
    found = judging._moved_out_of_sight(Judgement(likeliest, 200.0, 2.0, rivals=rivals), None)
    assert found.act.changes == named.changes
    assert found.act.lifted == (likeliest is GONE or named is not likeliest), (
        "its alert has a longer settle time"
    )
