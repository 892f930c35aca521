"""Contextual evidence for and against an act: from untouched squares, and from changes elsewhere."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from table_scene import rules

from focus_companion.game.moves import Move
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.referee import course
from focus_companion.referee.acts import Act, Kind

RULES = rules({"f7": "rrgrg", "d5": "g"}, {"g": 1})


@pytest.mark.parametrize(
    ("touched", "changes", "against"),
    [
        ({"c1": 0.21}, {}, course.IGNORED_CHANGE_PENALTY),
        ({"c1": 0.15}, {}, course.IGNORED_CHANGE_PENALTY / 2),
        ({"c1": 0.09}, {}, 0.0),
        ({"c1": 0.21}, {"c1": "gg"}, 0.0),
        ({"c1": 0.21, "b4": 0.9}, {"b4": "r"}, course.IGNORED_CHANGE_PENALTY),
        ({"c3": 0.4, "c1": 0.9}, {"c1": "r"}, 0.0),
        ({"c4": 0.4, "c1": 0.9}, {"c1": "r"}, course.IGNORED_CHANGE_PENALTY),
        ({"d2": 0.4, "c1": 0.9}, {"c1": "r"}, 0.0),
        ({"d2": 0.4}, {"c1": "r"}, course.IGNORED_CHANGE_PENALTY),
        ({"f4": -3, "a3": -3, "h5": -3, "h4": 0.15}, {}, course.IGNORED_FAINT_PENALTY),
        ({"a3": 0.3, "c1": 0.3, "e1": 0.3, "h4": 0.3}, {}, 0.0),
        ({"c1": 0.9, "f7": -1.5}, {"c1": "", "e1": "gg"}, course.IGNORED_FAINT_PENALTY),
        ({"c1": 0.9, "f7": -0.8}, {"c1": "", "e1": "gg"}, 0.8 * course.IGNORED_FAINT_PENALTY),
        ({"c1": 0.9, "f7": -1.5}, {"c1": "", "f7": "gg"}, 0.0),
    ],
    ids=[
        "left alone",
        "a little",
        "noise",
        "changed",
        "besides",
        "covered by what changed",
        "behind that",
        "in its shadow",
        "of what does not show itself",
        "few changed, many faintly",
        "the light",
        "faintly changed",
        "faintly changed, by little",
        "faintly changed and changed",
    ],
)
def test_an_act_must_account_for_every_changed_square(
    touched: dict[str, float], changes: dict[str, str], against: float
) -> None:
    """Negative in ``touched``: faintly changed, by that fraction of the certain deviation."""
    by = {INDEX[square]: -share for square, share in touched.items() if share < 0}
    faintly_changed = {square: 12.0 * share for square, share in by.items()}
    shares = np.zeros(len(SQUARES))
    for square, share in touched.items():
        shares[INDEX[square]] = max(0.0, share)
    covers = {(INDEX["c1"], INDEX["c3"])}
    outlines = SimpleNamespace(overlap=lambda one, _high, other, _own: (one, other) in covers)
    evidence = SimpleNamespace(outlines=outlines, standing=start_position(RULES).stacks)
    look: Any = SimpleNamespace(
        touched=shares,
        faintly_changed=faintly_changed,
        evidence=evidence,
        change=object(),
        deviations=np.where(shares > 0, 9.0, 1.0),
    )
    act = Act(Kind.WRONG, {INDEX[square]: stack for square, stack in changes.items()})
    assert course.IgnoredChanges(look).penalty(act) == pytest.approx(against)


@pytest.mark.parametrize(
    ("by", "gained", "before", "against"),
    [
        (0.5, -9.0, -9.0, course.UNSEEN_CHANGE_PENALTY + course.CALM_CHANGE_PENALTY),
        (0.5, 25.0, 25.0, course.UNSEEN_CHANGE_PENALTY + course.CALM_CHANGE_PENALTY + 25.0),
        (6.0, 25.0, -9.0, course.UNSEEN_CHANGE_PENALTY),
        (6.0, 25.0, 20.0, course.UNSEEN_CHANGE_PENALTY + 20.0),
    ],
    ids=[
        "calm",
        "calm, but it would fit better",
        "faintly changed",
        "faintly changed, but it fitted better before",
    ],
)
def test_a_square_that_looks_as_before_was_not_changed(
    by: float, gained: float, before: float, against: float
) -> None:
    """One more piece would be clearly visible; the square differs ``by`` standard deviations. A gain that the
    previous picture had, too, is no evidence."""
    outlines = SimpleNamespace(piece_pixels=1000.0)
    evidence = SimpleNamespace(
        standing=start_position(RULES).stacks,
        outlines=outlines,
        stack_gain=lambda *_: SimpleNamespace(pixels=600, nats=gained),
    )
    look: Any = SimpleNamespace(
        touched=np.zeros(len(SQUARES)),
        deviations=np.full(len(SQUARES), by),
        since_mark=None,
        appeared="",
        evidence=evidence,
        gain_before=lambda *_: before,
        unsettled=(),
    )
    act = Act(Kind.TURN, {INDEX["d5"]: "gg"}, (Move.parse("*d5"),))
    assert course.context_evidence(look, act, None) == pytest.approx(-against)
    # A barely visible turn need not change anything; but an unchanged square is no evidence for it.
    hidden = Act(Kind.TURNS, act.changes, (*act.moves, Move.parse("d7-d8")), unseen=frozenset(act.changes))
    assert course.context_evidence(look, hidden, None) == pytest.approx(-max(0.0, before))
    # If one of two turns in doubt is rejected, its pieces must have been moved back.
    back = Act(Kind.TURNS, {}, (*act.moves, Move.parse("d5-d6")), restored=act.changes)
    unlike = course.UNSEEN_CHANGE_PENALTY + (
        course.CALM_CHANGE_PENALTY if by < course.MAX_CALM_DEVIATION else 0.0
    )
    assert course.context_evidence(look, back, None) == pytest.approx(-unlike)


@pytest.mark.parametrize(
    ("unsettled", "against"), [((), 90.0), ((INDEX["g3"],), 90.0), ((INDEX["d6"],), 0.0)]
)
def test_an_act_that_a_new_reference_already_shows_was_made_before_it(
    unsettled: tuple[int, ...], against: float
) -> None:
    """A turn made before the board was pushed: in the new reference, the stack on its target already looked
    higher."""
    look: Any = SimpleNamespace(
        touched=np.full(len(SQUARES), 0.1),
        gain_before=lambda *_: 90.0 / 2,
        unsettled=unsettled,
        since_mark=None,
        appeared="",
        evidence=SimpleNamespace(standing=start_position(RULES).stacks),
    )
    act = Act(Kind.TURN, {INDEX["d5"]: "gg", INDEX["d6"]: ""}, (Move.parse("d6-d5"),))
    assert course.context_evidence(look, act, None) == pytest.approx(-against)


@pytest.mark.parametrize(
    ("moves", "against"),
    [("*c8 d8-c8", course.BURIED_PIECE_PENALTY), ("*c8 d5-d6", 0.0), ("*c8", 0.0), ("d8-c8 *c8", 0.0)],
    ids=["buried", "elsewhere", "alone", "on top"],
)
def test_a_piece_buried_before_it_was_seen_is_unlikely(moves: str, against: float) -> None:
    """Only the height shows the piece: more likely the stack was illegally set on the bare square."""
    look: Any = SimpleNamespace(
        touched=np.ones(len(SQUARES)),
        gain_before=lambda *_: -9.0,
        unsettled=(),
        since_mark=None,
        appeared="",
        evidence=SimpleNamespace(standing=start_position(RULES).stacks),
    )
    told = tuple(map(Move.parse, moves.split()))
    act = Act(Kind.TURN if len(told) == 1 else Kind.TURNS, {INDEX["c8"]: "gr", INDEX["d8"]: ""}, told)
    assert course.context_evidence(look, act, None) == pytest.approx(-against)


@pytest.mark.parametrize(
    ("touched", "against"),
    [(0.0, course.HIDDEN_TURN_PENALTY), (0.04, course.HIDDEN_TURN_PENALTY), (0.1, 0.0)],
)
def test_a_turn_visible_only_as_a_shadow_is_not_emitted_beside_another(
    touched: float, against: float
) -> None:
    """A piece taken from below its own colour while somebody else's stack is moved."""
    stood = list(start_position(RULES).stacks)
    stood[INDEX["d5"]] = "rgg"
    shown = np.ones(len(SQUARES))
    shown[INDEX["d5"]] = touched
    look: Any = SimpleNamespace(
        touched=shown,
        deviations=np.full(len(SQUARES), 9.0),
        gain_before=lambda *_: -9.0,
        unsettled=(),
        since_mark=None,
        appeared="",
        evidence=SimpleNamespace(
            standing=tuple(stood),
            outlines=SimpleNamespace(piece_pixels=1000.0),
            stack_gain=lambda *_: SimpleNamespace(pixels=0),
        ),
    )
    act = Act(Kind.TURNS, {INDEX["d5"]: "rg", INDEX["d6"]: "rgg"}, (Move.parse("d5-d6"), Move.parse("d7-d6")))
    assert course.context_evidence(look, act, None) == pytest.approx(-against)
