"""Whether one act leads another that differs only in heights by enough to be certain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from fake_look import fake_look

from focus_companion.game.moves import Move
from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.referee.acts import Act, Kind
from focus_companion.referee.margin import MIN_CERTAIN_LEAD, margin
from focus_companion.referee.verdict import Wrong

HIGH, LOW = 2.4, 0.6
"""Pixels by which a piece shifts the top of its stack: from an oblique camera, and from above."""


def look(standing: Mapping[str, str] = {}, **more: Any) -> Any:
    """A look in which every square has changed, unless ``more`` says otherwise, and one more piece changes 40
    pixels.
    """
    usual = {"touched": 1.0, "deviations": 2.0, "pixels": 40, "piece_pixels": 100.0}
    return fake_look(standing, **usual | more)


def changes(**stacks: str) -> dict[int, str]:
    return {INDEX[name]: stack for name, stack in stacks.items()}


def wrong(reason: str, player: str, kind: Kind = Kind.WRONG, **stacks: str) -> Act:
    return Act(kind, changes(**stacks), wrong=lambda: Wrong(reason, player, (), ""))


@pytest.mark.parametrize(
    ("other", "reduced", "full", "besides", "certain"),
    [
        (Kind.WRONG_TRIM, 11.6, 5.0, {}, False),
        (Kind.WRONG_TRIM, 34.0, 64.0, {}, True),
        (Kind.WRONG, 34.0, 30.0, {}, True),
        (Kind.WRONG, 11.6, -1.0, {}, False),
        (Kind.WRONG, 11.6, -1.0, {"a4": "g"}, True),
    ],
    ids=[
        "the outline contradicts it",
        "both agree",
        "pieces missing",
        "by height alone",
        "not by height alone",
    ],
)
def test_a_stack_is_correctly_trimmed_only_if_its_outline_agrees(
    other: Kind, reduced: float, full: float, besides: dict[str, str], certain: bool
) -> None:
    """Two pieces taken instead of one: neither the low weight of heights nor the low prior may hide that."""
    turn = Act(Kind.TURN, changes(c7="", e7="ggrrg"), (Move.parse("c7-e7"),), trimmed="g")
    wrongly = Act(
        other,
        changes(c7="", e7="grrg", **besides),
        turn.moves,
        trimmed="gg",
        wrong=lambda: Wrong("wrong_removal", "g", (), ""),
    )
    assert (margin(look(step=1.0), turn, wrongly, reduced, full, 0.0) >= MIN_CERTAIN_LEAD) is certain


@pytest.mark.parametrize(
    ("rim", "deviation", "placed", "past", "certain"),
    [
        (0.0, 0.0, "rg", (), False),
        (0.05, 0.0, "rg", (), False),
        (0.3, 0.0, "rg", (), True),
        (0.0, 18.0, "rg", (), True),
        (0.0, 0.0, "rr", (), True),
        (0.0, 0.0, "rg", ("f7",), True),
    ],
    ids=[
        "barely visible",
        "a shadow",
        "visible",
        "its stack looks different",
        "another top",
        "an earlier picture showed it",
    ],
)
def test_both_of_two_turns_at_once_must_be_visible(
    rim: float, deviation: float, placed: str, past: tuple[str, ...], certain: bool
) -> None:
    """Either red's piece went onto its own colour and green's took its place, or red illegally set green's
    piece on its own.
    """
    turns = Act(
        Kind.TURNS,
        changes(f7="rr", g7="g", g6=""),
        (Move.parse("g7-f7"), Move.parse("g6-g7")),
        changed_before=frozenset(INDEX[square] for square in past),
    )
    other = wrong("not_your_stack", "r", g6="", g7=placed)
    seen = look({"f7": "r", "g7": "r", "g6": "g"}, touched={"f7": rim}, faintly_changed={"f7": deviation})
    assert (margin(seen, turns, other, 12.4, 12.4, 0.0) >= MIN_CERTAIN_LEAD) is certain


@pytest.mark.parametrize(
    ("origin", "target", "step", "full", "certain"),
    [
        ("r", "grg", HIGH, 20.0, False),
        ("r", "grg", HIGH, 60.0, True),
        ("r", "grg", LOW, 30.0, False),
        ("", "grgr", LOW, 20.0, False),
        ("", "grgr", LOW, 60.0, True),
    ],
    ids=["barely visible", "visible", "from above", "tops alike in the dark", "other tops"],
)
def test_a_legal_turn_must_be_visible_on_its_squares(
    origin: str, target: str, step: float, full: float, certain: bool
) -> None:
    """A red piece moved in the opposite direction of green's turn leaves the same tops; and a bare dome may
    be as dark as a green piece.
    """
    turn = Act(Kind.TURN, changes(d6="rgr", d5="g"), (Move.parse("d5-d6"),))
    other = wrong("out_of_turn", "r", d6=origin, d5=target)
    assert (margin(look(step=step), turn, other, 40.0, full, 0.0) >= MIN_CERTAIN_LEAD) is certain


@pytest.mark.parametrize("step", [HIGH, LOW])
def test_two_moves_of_one_player_are_not_emitted_as_two_turns(step: float) -> None:
    """Red's second move, emitted as green's in the opposite direction."""
    moves = Move.parse("c4-b4"), Move.parse("e6-e5")
    turns = Act(Kind.TURNS, changes(c4="g", b4="gr", e5="grg", e6="r"), moves)
    twice = wrong("two_moves", "r", Kind.WRONG_TWICE, c4="g", b4="gr", e5="g", e6="rgr")
    assert margin(look(step=step), turns, twice, 40.0, 16.0, 0.0) < MIN_CERTAIN_LEAD


@pytest.mark.parametrize(
    ("touched", "faintly_changed", "deviations", "leads"),
    [
        (0.0, {}, 1.0, False),
        (0.0, {"d6": 9.0}, 9.0, True),
        (0.0, {}, 3.0, True),
        (0.3, {}, 1.0, True),
        (0.07, {"d6": 9.0, "e4": 20.0}, 9.0, False),
        (0.07, {"d6": 9.0, "e5": 20.0}, 9.0, True),
    ],
    ids=[
        "nothing visible there",
        "faintly changed",
        "more than any other",
        "changed",
        "less than another of its colour",
        "less than one of another colour",
    ],
)
def test_a_target_is_not_assumed_only_because_it_is_legal(
    touched: float, faintly_changed: dict[str, float], deviations: float, leads: bool
) -> None:
    """A piece is missing from one square and was set on its own colour, on the legal square or elsewhere."""
    turn = Act(Kind.TURN, changes(d5="r", d6="gg"), (Move.parse("d5-d6"),))
    lifted = Act(Kind.WRONG, changes(d5="r"), wrong=lambda: Wrong("wrong_removal", "g", (), ""), lifted=True)
    seen = look(
        {"d5": "rg", "d6": "g", "e4": "g", "e5": "gr"},
        touched=dict.fromkeys(map(str, SQUARES), 1.0) | {"d6": touched},
        deviations={"d6": deviations},
        faintly_changed=faintly_changed,
    )
    assert (margin(seen, turn, lifted, 15.7, 18.0, 0.0) > 0) is leads


@pytest.mark.parametrize(
    ("faintly_changed", "instead", "certain"),
    [({"d6": 18.6}, 0.9, True), ({"d6": 18.6}, 3.0, False), ({"d6": 7.0}, 0.9, False), ({}, 0.9, False)],
    ids=["there and nowhere else", "there too", "it may be a shadow", "nowhere"],
)
def test_of_two_squares_with_the_same_top_the_faintly_changed_one_is_the_target(
    faintly_changed: dict[str, float], instead: float, certain: bool
) -> None:
    """From above, one more piece on its own colour changes no pixel by much, but all of them a little."""
    turn = Act(Kind.TURN, changes(d5="", d6="bb"), (Move.parse("d5-d6"),))
    rival = Act(Kind.TURN, changes(d5="", d4="bb"), (Move.parse("d5-d4"),))
    everywhere = dict.fromkeys(map(str, SQUARES), 1.0)
    seen = look(
        {"d5": "b", "d6": "b", "d4": "b"},
        touched={"d5": 1.0, "d6": 0.023},
        deviations=everywhere | {"d4": instead},
        faintly_changed=faintly_changed,
        pixels=60,
    )
    assert (margin(seen, turn, rival, 14.5, 14.5, 0.0) >= MIN_CERTAIN_LEAD) is certain


@pytest.mark.parametrize(
    ("given", "certain"), [(14.0, True), (6.0, False)], ids=["two acts at once are rare", "less rare"]
)
def test_the_prior_counts_in_full_where_only_heights_distinguish_an_act(given: float, certain: bool) -> None:
    """Either a turn was only taken back, or a reserve piece was then placed, barely visible on its own
    colour.
    """
    back = Act(Kind.BACK, changes(f3="r", g3="rg"), ply=3)
    other = Act(Kind.BACK, changes(f3="r", g3="rg", e2="rr"), (Move.parse("*e2"),), ply=3)
    seen = look({"g3": "rgr", "e2": "r"}, deviations={"e2": 3.0})
    assert (margin(seen, back, other, given + 2.0, given + 2.0, given) >= MIN_CERTAIN_LEAD) is certain
