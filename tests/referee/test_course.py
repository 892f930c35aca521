"""Contextual evidence for and against an act: from untouched squares, and from changes elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from fake_look import fake_look
from table_scene import rules

from focus_companion.game.moves import Move
from focus_companion.game.play import play
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX
from focus_companion.referee.act import Act, Kind
from focus_companion.referee.course import (
    IgnoredChanges,
    context_terms,
    max_faint_evidence,
)
from focus_companion.referee.illegal_acts import IllegalActs
from focus_companion.referee.judge import judge
from focus_companion.referee.legal_acts import LegalActs
from focus_companion.referee.margin import MIN_CERTAIN_LEAD
from focus_companion.referee.screening import Screening
from focus_companion.referee.trimming import Pending
from focus_companion.referee.verdict import Wrong
from focus_companion.referee.weighing import NOTHING, weigh
from focus_companion.vision.appearance.evidence import TEMPERATURE

STACKS = start_position(rules({"f7": "rrgrg", "d5": "g"}, {"g": 1})).stacks
DROP = Rules.make(2, set_up="drop")

FAINT = 18.0
"""Deviation of a square that has certainly changed faintly."""


def changes(**stacks: str) -> dict[int, str]:
    return {INDEX[name]: stack for name, stack in stacks.items()}


def moves(text: str) -> tuple[Move, ...]:
    return tuple(map(Move.parse, text.split()))


def context_evidence(look: Any, act: Act, pending: Pending | None) -> float:
    """The sum of all contextual evidence, in nats."""
    return sum(nats for _, nats in context_terms(look, act, pending))


def penalty(
    touched: Mapping[str, float], changed: Mapping[str, str] = {}, faintly_changed: Mapping[str, float] = {}
) -> float:
    """The penalty of an act with these changes for what it does not account for."""
    look = fake_look(
        STACKS,
        touched,
        deviations={square: 9.0 for square, share in touched.items() if share > 0},
        faintly_changed=faintly_changed,
        covers=[("c1", "c3")],
    )
    return IgnoredChanges(look).penalty(Act(Kind.WRONG, changes(**changed)))


@pytest.mark.parametrize(
    ("touched", "faint", "changed", "penalised"),
    [
        ({"c1": 0.3}, [], {}, True),
        ({"c1": 0.09}, [], {}, False),
        ({"c1": 0.3}, [], {"c1": "gg"}, False),
        ({"c1": 0.3, "b4": 0.9}, [], {"b4": "r"}, True),
        ({"c3": 0.4, "c1": 0.9}, [], {"c1": "r"}, False),
        ({"c4": 0.4, "c1": 0.9}, [], {"c1": "r"}, True),
        ({"d2": 0.4, "c1": 0.9}, [], {"c1": "r"}, False),
        ({"d3": 0.4, "c1": 0.9}, [], {"c1": "r"}, True),
        ({"e1": 0.4, "c1": 0.9}, [], {"c1": "r"}, True),
        ({"d2": 0.4}, [], {"c1": "r"}, True),
        ({"h4": 0.15}, ["f4", "a3", "h5"], {}, True),
        ({"a3": 0.3, "c1": 0.3, "e1": 0.3, "h4": 0.3}, [], {}, True),
        ({"c1": 0.9}, ["f7"], {"c1": "", "e1": "gg"}, True),
        ({"c1": 0.9}, ["f7"], {"c1": "", "f7": "gg"}, False),
    ],
    ids=[
        "left alone",
        "noise",
        "changed",
        "besides",
        "covered by what changed",
        "behind that",
        "in its shadow",
        "two ranks from it",
        "two files from it",
        "of what does not show itself",
        "few changed, many faintly",
        "many",
        "faintly changed",
        "faintly changed and changed",
    ],
)
def test_an_act_must_account_for_every_changed_square(
    touched: dict[str, float], faint: list[str], changed: dict[str, str], penalised: bool
) -> None:
    assert (penalty(touched, changed, dict.fromkeys(faint, FAINT)) > 0) is penalised


def test_the_penalty_for_an_ignored_change_grows_with_it_up_to_a_limit() -> None:
    none, some, full, more = (penalty({"c1": share}) for share in (0.09, 0.15, 0.3, 0.9))
    assert 0 == none < some < full == more
    some, larger, full, more = (penalty({}, {}, {"f7": by}) for by in (6.0, 9.0, FAINT, 50.0))
    assert 0 < some < larger < full == more


def test_an_act_that_accounts_for_more_is_not_penalised_more() -> None:
    # Light has changed four squares, and a piece was placed on one of them.
    touched = {"a3": 0.3, "c1": 0.3, "e1": 0.3, "h4": 0.3}
    assert penalty(touched, {"c1": "gg"}) == penalty(touched)


def is_found(look: Any, act: Act) -> bool:
    """Whether the act is likelier than that nothing has happened."""
    return weigh(Screening(look), [NOTHING, act]).act is act


ON_ITS_OWN = Act(Kind.TURN, changes(d5="gg"), moves("*d5"))


@pytest.mark.parametrize(
    ("by", "gained", "before", "found"),
    [
        (0.5, -9.0, -9.0, False),
        (0.5, 60.0, 60.0, False),
        (6.0, 60.0, -9.0, True),
        (6.0, 60.0, 55.0, False),
        (6.0, 14.0, -9.0, False),
    ],
    ids=[
        "calm",
        "calm, but it would fit better",
        "faintly changed",
        "faintly changed, but it fitted better before",
        "faintly changed, and hardly fits better",
    ],
)
def test_a_square_that_looks_as_before_was_not_changed(
    by: float, gained: float, before: float, found: bool
) -> None:
    """One more piece would be clearly visible; the square differs ``by`` standard deviations. A gain that the
    previous picture had, too, is no evidence.
    """
    look = fake_look(
        STACKS, nats={"d5": {"gg": gained}}, deviations={"d5": by}, before={"d5": before}, pixels=600
    )
    assert is_found(look, ON_ITS_OWN) is found


def test_what_happened_under_an_object_is_not_seen() -> None:
    """That it looks as before is no evidence against an act, and what it looks like is none in favour."""
    gained = {"d5": {"gg": 60.0}}
    look = fake_look(STACKS, nats=gained, deviations={"d5": 0.0}, before={"d5": 60.0}, hidden=["d5"])
    assert context_evidence(look, ON_ITS_OWN, None) == pytest.approx(-60.0)
    assert not is_found(look, ON_ITS_OWN)


def test_the_less_a_square_differs_the_stronger_the_evidence_that_nothing_was_changed_there() -> None:
    calm, faint = (fake_look(STACKS, deviations={"d5": by}) for by in (0.5, 6.0))
    assert context_evidence(calm, ON_ITS_OWN, None) < context_evidence(faint, ON_ITS_OWN, None) < 0
    # If one of two turns in doubt is rejected, its pieces must have been moved back.
    back = Act(Kind.TURNS, {}, moves("*d5 d5-d6"), restored=ON_ITS_OWN.changes)
    assert context_evidence(calm, back, None) < context_evidence(faint, back, None) < 0


def test_a_barely_visible_turn_need_not_change_anything_but_gains_nothing_either() -> None:
    hidden = Act(Kind.TURNS, ON_ITS_OWN.changes, moves("*d5 d7-d8"), unseen=frozenset(ON_ITS_OWN.changes))
    assert context_evidence(fake_look(STACKS), hidden, None) == 0
    fits = fake_look(STACKS, nats={"d5": {"gg": 60.0}})
    assert not is_found(fits, hidden)


@pytest.mark.parametrize(("unsettled", "found"), [([], False), (["g3"], False), (["d6"], True)])
def test_an_act_that_a_new_reference_already_shows_was_made_before_it(
    unsettled: list[str], found: bool
) -> None:
    """A turn made before the board was pushed: in the new reference, the stack on its target already looked
    higher.
    """
    look = fake_look(
        STACKS,
        0.1,
        {"d5": {"gg": 45.0}, "d6": {"": 45.0}},
        before={"d5": 100.0, "d6": 5.0},
        unsettled=unsettled,
    )
    assert is_found(look, Act(Kind.TURN, changes(d5="gg", d6=""), moves("d6-d5"))) is found


@pytest.mark.parametrize(
    ("turns", "legal"),
    [("*c8 d8-c8", False), ("*c8 d5-d6", True), ("*c8", True), ("d8-c8 *c8", True)],
    ids=["buried", "elsewhere", "alone", "on top"],
)
def test_a_piece_buried_before_it_was_seen_is_unlikely(turns: str, legal: bool) -> None:
    """Only the height shows the piece: more likely the stack was illegally set on the bare square."""
    look = fake_look(STACKS, 1.0, {"c8": {"gr": 60.0, "r": 60.0}, "d8": {"": 60.0}})
    played = moves(turns)
    act = Act(Kind.TURN if len(played) == 1 else Kind.TURNS, changes(c8="gr", d8=""), played)
    illegal = Act(Kind.WRONG, changes(c8="r", d8=""), wrong=lambda: Wrong("distance", "r", (), ""))
    assert weigh(Screening(look), [act, illegal]).act is (act if legal else illegal)


def test_a_turn_visible_only_as_a_shadow_is_unlikely_beside_another() -> None:
    """A piece taken from below its own colour while somebody else's stack is moved."""
    stood = list(STACKS)
    stood[INDEX["d5"]] = "rgg"
    turns = Act(Kind.TURNS, changes(d5="rg", d6="rgg"), moves("d5-d6 d7-d6"))
    unchanged, shadow, changed = (
        context_evidence(
            fake_look(stood, {"d5": share, "d6": 1.0}, deviations=9.0, barely_visible=["d5"]), turns, None
        )
        for share in (0.0, 0.04, 0.1)
    )
    assert unchanged == shadow < changed == 0


@pytest.mark.parametrize(("by", "certain"), [(0.5, False), (2.0, False), (3.5, True)])
def test_an_invisible_placing_is_certain_only_if_its_square_looks_different(by: float, certain: bool) -> None:
    """During the drop set-up, either green placed a piece on its own colour before red's turn, or red's piece
    is out of turn.
    """
    position = start_position(DROP)
    for text in ("*d5", "*e4"):
        position = play(position, Move.parse(text), DROP)
    legal = LegalActs([position], DROP)
    illegal = IllegalActs(legal)
    placed = changes(d5="gg", f6="r")
    (unseen,) = [act for act in legal.unseen(placed.keys()) if act.changes == placed]
    (wrong,) = [act for act in illegal.displacements({INDEX["f6"]}) if act.changes == changes(f6="r")]
    look = fake_look(
        position.stacks,
        {"f6": 0.9},
        {"f6": {"r": 90.0}, "d5": {"gg": 0.0}},
        deviations={"f6": 50.0, "d5": by},
        barely_visible=["d5"],
    )
    found = weigh(Screening(look), [NOTHING, unseen, wrong])
    assert found.act is unseen
    assert (found.lead >= MIN_CERTAIN_LEAD) is certain


@pytest.mark.parametrize(("nats", "told"), [(6.0, True), (0.0, False), (-0.7, False)])
def test_in_the_drop_set_up_a_shadow_shows_a_piece_placed_on_its_own_colour(nats: float, told: bool) -> None:
    """The outline of the stack itself seems not to have changed."""
    position = start_position(DROP)
    for text in ("*d5", "*e4"):
        position = play(position, Move.parse(text), DROP)
    look = fake_look(
        position.stacks, {}, {"d5": {"gg": -5.0}}, shadows={"d5": {"gg": nats}}, barely_visible=["d5"]
    )
    found = judge(look, [position], DROP, None)
    assert found.hinted is told
    assert (found.act.moves == moves("*d5") and found.lead >= MIN_CERTAIN_LEAD) is told


def test_a_shadow_counts_only_where_the_top_keeps_its_colour_and_only_up_to_a_limit() -> None:
    look = fake_look(STACKS, 1.0, shadows={"d5": {"gg": 3.0, "gr": 3.0}, "f7": {"rrgrgg": 90.0}})
    acts = [
        Act(Kind.TURN, changes(**{square: stack}))
        for square, stack in (("d5", "gg"), ("d5", "gr"), ("f7", "rrgrgg"))
    ]
    grown, other_top, enormous = (context_evidence(look, act, None) for act in acts)
    assert grown - other_top == 3.0 * TEMPERATURE
    assert enormous - other_top <= max_faint_evidence(look, acts[2])
    assert max_faint_evidence(look, acts[1]) == 0
