"""Whether one act leads another that differs only in heights by enough to be certain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from fake_look import fake_look

from focus_companion.game.moves import Move
from focus_companion.game.squares import INDEX
from focus_companion.referee.act import Act, Kind
from focus_companion.referee.margin import MIN_CERTAIN_LEAD
from focus_companion.referee.screening import Screening
from focus_companion.referee.verdict import Wrong
from focus_companion.referee.weighing import weigh

HIGH, LOW = 2.4, 0.6
"""Pixels by which a piece shifts the top of its stack: from an oblique camera, and from above."""

CLEAR = 90.0
"""Nats by which a stack fits a square that clearly shows it."""


def look(
    standing: Mapping[str, str],
    touched: Mapping[str, float],
    nats: Mapping[str, Mapping[str, float]],
    **more: Any,
) -> Any:
    """A look that does not distinguish other stacks than these; one more piece changes 40 pixels."""
    usual = {"unlisted": 0.0, "pixels": 40, "piece_pixels": 100.0}
    return fake_look(standing, touched, nats, **usual | more)


def lead(seen: Any, act: Act, other: Act) -> float:
    """Nats by which the act leads the other one, and thus all acts."""
    found = weigh(Screening(seen), [act, other])
    assert found.act is act
    return found.lead


def changes(**stacks: str) -> dict[int, str]:
    return {INDEX[name]: stack for name, stack in stacks.items()}


def wrong(reason: str, player: str, kind: Kind = Kind.WRONG, **stacks: str) -> Act:
    return Act(kind, changes(**stacks), wrong=lambda: Wrong(reason, player, (), ""))


@pytest.mark.parametrize(
    ("other", "shown", "besides", "certain"),
    [
        (Kind.WRONG_TRIM, -35.0, {}, False),
        (Kind.WRONG_TRIM, -28.0, {}, True),
        (Kind.WRONG, -28.0, {}, True),
        (Kind.WRONG, -35.0, {}, False),
        (Kind.WRONG, -35.0, {"a4": "g"}, True),
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
    other: Kind, shown: float, besides: dict[str, str], certain: bool
) -> None:
    """Two pieces taken instead of one: neither the low weight of heights nor the low prior may hide that.
    ``shown``: nats by which the picture favours the correct trimming.
    """
    turn = Act(Kind.TURN, changes(c7="", e7="ggrrg"), (Move.parse("c7-e7"),), trimmed="g")
    wrongly = Act(
        other,
        changes(c7="", e7="grrg", **besides),
        turn.moves,
        trimmed="gg",
        wrong=lambda: Wrong("wrong_removal", "g", (), ""),
    )
    seen = look(
        {"c7": "rg", "e7": "gggr"},
        {"c7": 0.9, "e7": 0.9, "a4": 0.09},
        {"c7": {"": CLEAR}, "e7": {"ggrrg": CLEAR + shown, "grrg": CLEAR}},
        step=1.0,
        beside="g",
    )
    assert (lead(seen, turn, wrongly) >= MIN_CERTAIN_LEAD) is certain


@pytest.mark.parametrize(
    ("rim", "deviation", "gained", "placed", "past", "certain"),
    [
        (0.0, 3.0, 24.0, "rg", (), False),
        (0.05, 3.0, 5.0, "rg", (), False),
        (0.3, 3.0, 5.0, "rg", (), True),
        (0.0, 18.0, 24.0, "rg", (), True),
        (0.0, 3.0, 24.0, "rr", (), True),
        (0.0, 3.0, 5.0, "rg", ("f7",), True),
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
    rim: float, deviation: float, gained: float, placed: str, past: tuple[str, ...], certain: bool
) -> None:
    """Either red's piece went onto its own colour and green's took its place, or red illegally set green's
    piece on its own. ``gained``: nats by which the picture favours the piece on its own colour.
    """
    turns = Act(
        Kind.TURNS,
        changes(f7="rr", g7="g", g6=""),
        (Move.parse("g7-f7"), Move.parse("g6-g7")),
        changed_before=frozenset(INDEX[square] for square in past),
    )
    other = wrong("not_your_stack", "r", g6="", g7=placed)
    seen = look(
        {"f7": "r", "g7": "r", "g6": "g"},
        {"f7": rim, "g7": 0.9, "g6": 0.9},
        {"f7": {"rr": gained}, "g7": {"g": CLEAR, placed: CLEAR}, "g6": {"": CLEAR}},
        # Noise makes an untouched square differ, too.
        deviations={"f7": deviation, "g7": 50.0, "g6": 50.0, "h4": 5.0},
        faintly_changed={"f7": deviation} if deviation > 6 else {},
    )
    assert (lead(seen, turns, other) >= MIN_CERTAIN_LEAD) is certain


@pytest.mark.parametrize(
    ("origin", "target", "step", "shown", "certain"),
    [
        ("r", "grg", HIGH, -2.0, False),
        ("r", "grg", HIGH, 0.0, True),
        ("r", "grg", LOW, 8.0, False),
        ("r", "grg", LOW, 10.0, True),
        ("", "grgr", LOW, -2.0, False),
        ("", "grgr", LOW, 0.0, True),
    ],
    ids=[
        "barely visible",
        "visible",
        "from above",
        "clearly, though from above",
        "tops alike in the dark",
        "other tops",
    ],
)
def test_a_legal_turn_must_be_visible_on_its_squares(
    origin: str, target: str, step: float, shown: float, certain: bool
) -> None:
    """A red piece moved in the opposite direction of green's turn leaves the same tops; and a bare dome may
    be as dark as a green piece. ``shown``: nats by which the picture favours the turn.
    """
    turn = Act(Kind.TURN, changes(d6="rgr", d5="g"), (Move.parse("d5-d6"),))
    other = wrong("out_of_turn", "r", d6=origin, d5=target)
    seen = look(
        {"d5": "gr", "d6": "rg"},
        {"d5": 0.9, "d6": 0.9},
        {"d5": {"g": CLEAR + shown, target: CLEAR}, "d6": {"rgr": CLEAR, origin: CLEAR}},
        step=step,
    )
    assert (lead(seen, turn, other) >= MIN_CERTAIN_LEAD) is certain


@pytest.mark.parametrize(
    ("step", "shown", "certain"),
    [(HIGH, -2.0, False), (HIGH, 0.0, True), (LOW, 8.0, False), (LOW, 10.0, True)],
)
def test_two_moves_of_one_player_are_not_emitted_as_two_turns(
    step: float, shown: float, certain: bool
) -> None:
    """Red's second move, emitted as green's in the opposite direction."""
    moves = Move.parse("c4-b4"), Move.parse("e6-e5")
    turns = Act(Kind.TURNS, changes(c4="g", b4="gr", e5="grg", e6="r"), moves)
    twice = wrong("two_moves", "r", Kind.WRONG_TWICE, c4="g", b4="gr", e5="g", e6="rgr")
    seen = look(
        {"c4": "gr", "b4": "g", "e5": "gr", "e6": "rg"},
        dict.fromkeys(("c4", "b4", "e5", "e6"), 0.9),
        {
            "c4": {"g": CLEAR},
            "b4": {"gr": CLEAR},
            "e5": {"grg": CLEAR + shown, "g": CLEAR},
            "e6": {"r": CLEAR, "rgr": CLEAR},
        },
        step=step,
    )
    assert (lead(seen, turns, twice) >= MIN_CERTAIN_LEAD) is certain


@pytest.mark.parametrize(
    ("target", "touched", "faintly_changed", "deviations", "unsettled", "leads"),
    [
        ("g", 0.0, {}, 1.0, (), False),
        ("g", 0.0, {"d6": 9.0}, 9.0, (), True),
        ("g", 0.0, {}, 3.0, (), True),
        ("g", 0.3, {}, 1.0, (), True),
        ("g", 0.3, {}, 1.0, ("d6",), False),
        ("rrrg", 0.3, {}, 1.0, (), True),
        ("g", 0.07, {"d6": 9.0, "e4": 20.0}, 9.0, (), False),
        ("g", 0.07, {"d6": 9.0, "e5": 20.0}, 9.0, (), True),
    ],
    ids=[
        "nothing visible there",
        "faintly changed",
        "more than any other",
        "changed",
        "changed, but it already differed in the reference",
        "changed, and five high",
        "less than another of its colour",
        "less than one of another colour",
    ],
)
def test_a_target_is_not_assumed_only_because_it_is_legal(
    target: str,
    touched: float,
    faintly_changed: dict[str, float],
    deviations: float,
    unsettled: tuple[str, ...],
    leads: bool,
) -> None:
    """A piece is missing from one square and was set on its own colour, on the legal square or elsewhere."""
    turn = Act(Kind.TURN, changes(d5="r", d6=f"{target}g"), (Move.parse("d5-d6"),))
    lifted = Act(Kind.WRONG, changes(d5="r"), wrong=lambda: Wrong("wrong_removal", "g", (), ""), lifted=True)
    seen = look(
        {"d5": "rg", "d6": target, "e4": "g", "e5": "gr"},
        {"d5": 0.9, "d6": touched},
        {"d5": {"r": CLEAR}, "d6": {f"{target}g": -6.5}},
        deviations={
            "d5": 50.0,
            "d6": deviations,
            **{s: by for s, by in faintly_changed.items() if s != "d6"},
        },
        faintly_changed=faintly_changed,
        unsettled=unsettled,
        barely_visible=["d6"],
        step=1.0,
    )
    assert (lead(seen, turn, lifted) > 0) is leads


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
    seen = look(
        {"d5": "b", "d6": "b", "d4": "b"},
        {"d5": 0.9, "d6": 0.023},
        {"d5": {"": CLEAR}, "d6": {"bb": 14.5}},
        deviations={"d5": 50.0, "d6": 5.0, **faintly_changed, "d4": instead},
        faintly_changed=faintly_changed,
        barely_visible=["d4"],
    )
    assert (lead(seen, turn, rival) >= MIN_CERTAIN_LEAD) is certain


@pytest.mark.parametrize(
    ("touched", "fits", "certain"),
    [(0.0125, -2.0, True), (0.5, -6.0, False)],
    ids=["two acts at once are rare, and nothing shows the second", "it is only rare"],
)
def test_the_prior_counts_in_full_where_only_heights_distinguish_an_act(
    touched: float, fits: float, certain: bool
) -> None:
    """Either a turn was only taken back, or a reserve piece was then placed, barely visible on its own
    colour.
    """
    back = Act(Kind.BACK, changes(f3="r", g3="rg"), ply=3)
    other = Act(Kind.BACK, changes(f3="r", g3="rg", e2="rr"), (Move.parse("*e2"),), ply=3)
    seen = look(
        {"g3": "rgr", "e2": "r"},
        {"f3": 0.9, "g3": 0.9, "e2": touched},
        {"f3": {"r": CLEAR}, "g3": {"rg": CLEAR}, "e2": {"rr": fits}},
        deviations={"f3": 50.0, "g3": 50.0, "e2": 3.0},
    )
    assert (lead(seen, back, other) >= MIN_CERTAIN_LEAD) is certain


def test_of_a_turn_and_an_illegal_act_with_the_same_outcome_the_turn_is_certain() -> None:
    """From above, neither the outline nor anything else can distinguish the two: only their priors do."""
    seen = look({"d5": "r"}, {"d5": 0.1}, {"d5": {"rr": 20.0, "rrr": 20.0}}, step=LOW)
    turn = Act(Kind.TURN, changes(d5="rr"), (Move.parse("*d5"),))
    same = wrong("two_moves", "r", Kind.WRONG_TWICE, d5="rr")
    other = wrong("two_moves", "r", Kind.WRONG_TWICE, d5="rrr")
    assert lead(seen, turn, same) > MIN_CERTAIN_LEAD > lead(seen, turn, other)
