"""Whether a stack was trimmed: evidence from pieces beside the board and from untouched stacks."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from fake_look import fake_look
from table_scene import rules

from focus_companion.game.moves import Move
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX
from focus_companion.referee.act import Act, Kind
from focus_companion.referee.illegal_acts import IllegalActs
from focus_companion.referee.judge import MIN_TOO_HIGH_LEAD
from focus_companion.referee.legal_acts import LegalActs
from focus_companion.referee.referee import Referee
from focus_companion.referee.screening import Screening
from focus_companion.referee.trimming import Pending, PiecesBeside, trimming_evidence
from focus_companion.referee.verdict import TrimAwaited, Undecided, Verdict
from focus_companion.referee.weighing import NOTHING, weigh

RULES = rules({"f7": "rrgrg", "d5": "g"}, {"g": 1})
STACKS = start_position(RULES).stacks
ON_HIGH = Move.parse("*f7")
"""A reserve piece on a stack of five, whose lowest piece, a red one, must be taken."""


def legal() -> LegalActs:
    return LegalActs([start_position(RULES)], RULES)


def illegal() -> IllegalActs:
    return IllegalActs(legal())


def trimmed_and_high() -> tuple[Act, Act]:
    """The turn with its stack trimmed, and with its stack still too high."""
    made = {act.kind: act for act in legal().turns({ON_HIGH.target}) if act.moves == (ON_HIGH,)}
    return made[Kind.TURN], made[Kind.PENDING]


def evenly(look_at_f7: dict[str, float] | None = None, **more: Any) -> Any:
    """A look that does not distinguish the heights of stacks, except by these nats on f7."""
    return fake_look(STACKS, 0.5, {"f7": look_at_f7 or {}}, unlisted=0.0, **more)


@pytest.mark.parametrize("beside", ["r", "g", "rr", "gr"])
def test_pieces_beside_the_board_are_equal_evidence_for_wrong_and_correct_trimmings(beside: str) -> None:
    """Unless the act takes fewer pieces from the stack; less evidence if the colours differ, or if some of
    the pieces are not there.
    """
    look = fake_look(STACKS, touched_since_mark=0.5, beside=beside)
    right, _ = trimmed_and_high()
    wrong = list(illegal().wrong_trims(ON_HIGH))
    assert right.trimmed == "r" and len(wrong) > 5
    exact, deviating = [], []
    for act in (right, *wrong):
        evidence = trimming_evidence(look, act, Pending(ON_HIGH, sure=True))
        if len(beside) > len(act.trimmed):
            assert evidence < 0
        elif Counter(beside) == Counter(act.trimmed):
            exact.append(evidence)
        else:
            deviating.append((act.trimmed, evidence))
    assert len(set(exact)) <= 1
    assert all(0 < evidence < max(exact, default=evidence + 1) for _, evidence in deviating)
    # The more of the pieces are missing, the less evidence it is.
    missing = {len(taken): evidence for taken, evidence in deviating if not Counter(beside) - Counter(taken)}
    assert [missing[count] for count in sorted(missing)] == sorted(missing.values(), reverse=True)
    assert len(set(missing.values())) == len(missing)


def test_pieces_removed_from_below_a_stack_must_lie_beside_the_board() -> None:
    """Otherwise a stack trimmed by one after a reserve piece looks like a stack with a piece removed."""
    nothing_beside, red_beside = fake_look(STACKS), fake_look(STACKS, beside="r")
    removals = list(illegal().removals([INDEX["f7"]]))
    taken_from_below = {act.changes[INDEX["f7"]]: act for act in removals if not act.lifted}
    lifted = [act for act in removals if act.lifted]
    assert lifted and not any(
        trimming_evidence(look, act, None) for look in (nothing_beside, red_beside) for act in lifted
    )
    fits = {left: trimming_evidence(red_beside, act, None) for left, act in taken_from_below.items()}
    assert 0 == fits["rgrg"] > fits["grg"] > fits["rg"]
    # A piece in a hand is a better explanation than one that has vanished from below.
    robbed, in_hand = taken_from_below["rgrg"], next(act for act in lifted if len(act.changes) == 1)
    for beside, found in (("", in_hand), ("r", robbed)):
        look = evenly({"rgrg": 30.0}, beside=beside)
        assert weigh(Screening(look), [robbed, in_hand]).act is found


@pytest.mark.parametrize(
    ("moved", "beside", "looks_trimmed", "found"),
    [
        (0.4, "r", -80.0, Kind.TURN),
        (0.1, "r", -30.0, Kind.TURN),
        (0.4, "", -20.0, Kind.TURN),
        (0.4, "", -60.0, Kind.PENDING),
        (0.005, "", 0.0, Kind.PENDING),
        (0.005, "", 85.0, Kind.PENDING),
    ],
    ids=[
        "changed",
        "hardly changed",
        "nothing beside",
        "nothing beside, and it looks too high",
        "untouched",
        "untouched, but it looks trimmed",
    ],
)
def test_pieces_laid_down_came_from_the_stack_too_high_if_it_has_changed(
    moved: float, beside: str, looks_trimmed: float, found: Kind
) -> None:
    """``looks_trimmed``: nats by which the picture favours the trimmed stack."""
    trimmed, high = trimmed_and_high()
    look = evenly({trimmed.changes[ON_HIGH.target]: looks_trimmed}, touched_since_mark=moved, beside=beside)
    assert weigh(Screening(look, Pending(ON_HIGH, sure=True)), [trimmed, high]).act.kind is found


@pytest.mark.parametrize("moved", [0.005, 0.1, 0.4])
def test_another_act_than_the_awaited_one_requires_that_the_turn_was_taken_back(moved: float) -> None:
    elsewhere = Act(Kind.WRONG, {INDEX["d8"]: "r"})
    bare, laid = (fake_look(STACKS, touched_since_mark=moved, beside=beside) for beside in ("", "r"))
    for act in (NOTHING, elsewhere):
        for pending in (Pending(ON_HIGH, sure) for sure in (False, True)):
            nats = trimming_evidence(bare, act, pending)
            assert nats == Kind.BACK.value
            # Pieces from a stack that was clearly touched contradict it further.
            assert (trimming_evidence(laid, act, pending) < nats) is (moved > 0.2)


@pytest.mark.parametrize(
    ("beside", "looks_trimmed", "found"),
    [("r", -20.0, Kind.TURN), ("", 30.0, Kind.PENDING), ("", 400.0, Kind.TURN)],
    ids=["its piece lies there", "nothing beside", "clearly trimmed"],
)
def test_a_stack_trimmed_at_once_must_have_left_its_pieces_somewhere(
    beside: str, looks_trimmed: float, found: Kind
) -> None:
    """Otherwise there is a prompt: in the dark, a stack too high may look as if a piece were missing."""
    trimmed, high = trimmed_and_high()
    look = evenly({"rgrgg": looks_trimmed}, beside=beside)
    wrong = list(illegal().wrong_trims(ON_HIGH))
    assert weigh(Screening(look), [*wrong, trimmed, high]).act.kind is found


@pytest.mark.parametrize(("better", "told"), [(80.0, False), (120.0, True), (200.0, True)])
def test_a_stack_clearly_trimmed_at_once_is_a_turn_although_its_pieces_are_out_of_view(
    better: float, told: bool
) -> None:
    trimmed, high = trimmed_and_high()
    look = evenly({"rgrgg": better / 2, "rrgrgg": -better / 2})
    assert weigh(Screening(look), [NOTHING, trimmed, high]).act is (trimmed if told else high)


@pytest.mark.parametrize(("beside", "found"), [("", Kind.PENDING), ("r", Kind.NOTHING)])
def test_an_untrimmed_turn_is_weighed_as_the_trimmed_one_that_it_looks_like(beside: str, found: Kind) -> None:
    """Against other acts, if nothing lies beside the board."""
    _, high = trimmed_and_high()
    look = fake_look(STACKS, 0.0, {"f7": {"rrgrgg": 0.0, "rgrgg": 60.0}}, deviations=4.0, beside=beside)
    look.touched[ON_HIGH.target] = 0.05
    assert weigh(Screening(look), [NOTHING, high]).act.kind is found


def test_a_stack_barely_seen_as_too_high_may_be_trimmed_already() -> None:
    """The prompt remains until something happens: something is taken, or play goes on."""
    awaited = Pending(ON_HIGH, sure=False)

    def evidence(kind: Kind, turns: str, moved: float) -> float:
        look = fake_look(STACKS, touched_since_mark=moved)
        played = tuple(map(Move.parse, turns.split()))
        return trimming_evidence(look, Act(kind, {INDEX["f7"]: "rgrgg"}, played, trimmed="r"), awaited)

    nothing_since = evidence(Kind.TURN, "*f7", 0.0)
    play_goes_on = evidence(Kind.TURNS, "*f7 d7-d8", 0.0)
    something_taken = evidence(Kind.TURN, "*f7", 0.3)
    assert nothing_since < play_goes_on < something_taken < 0
    trimmed, high = trimmed_and_high()
    for moved, found in ((0.0, high), (0.3, trimmed)):
        look = evenly({"rgrgg": 60.0}, touched_since_mark=moved)
        assert weigh(Screening(look, awaited), [trimmed, high]).act is found


@pytest.mark.parametrize("sure", [False, True])
@pytest.mark.parametrize("better", [80.0, 120.0, 200.0])
def test_pieces_in_another_order_explain_no_stack_that_was_trimmed_before_the_prompt(
    better: float, sure: bool
) -> None:
    """It looks trimmed, and much like the old stack in another order; but its turn has been seen."""
    _, high = trimmed_and_high()
    look = evenly({"rgrgg": better, "rrrgg": better - 5.0, "rrgrgg": 0.0}, touched_since_mark=0.0)
    pool = [NOTHING, high, *illegal().shuffles({ON_HIGH.target})]
    found = weigh(Screening(look, Pending(ON_HIGH, sure)), pool)
    assert found.act.legal is not sure


@pytest.mark.parametrize(("high", "certain"), [(20.0, True), (5.0, False), (-5.0, False)])
def test_only_its_picture_shows_that_a_stack_is_certainly_too_high(high: float, certain: bool) -> None:
    """In bad light, pieces beside the board are hardly visible: that none is seen there proves nothing."""
    trimmed, untrimmed = trimmed_and_high()
    look = fake_look(STACKS, 0.5, {"f7": {"rrgrgg": 90.0, "rgrgg": 90.0 - high}})
    found = weigh(Screening(look), [NOTHING, trimmed, untrimmed])
    assert found.act is untrimmed
    assert (found.trim_lead >= MIN_TOO_HIGH_LEAD) is certain


def test_a_stack_that_was_not_too_high_is_not_prompted_for() -> None:
    """A piece is missing from a stack from which none may be taken; it may be in a hand or elsewhere."""
    look, after = fake_look(STACKS), illegal()
    from_low = [trimming_evidence(look, act, None) for act in after.wrong_trims(Move.parse("*d4"))]
    from_high = [trimming_evidence(look, act, None) for act in after.wrong_trims(ON_HIGH)]
    assert from_low and max(from_high) < min(from_low) <= max(from_low) <= 0


@pytest.mark.parametrize(
    ("high", "moved", "beside", "after"),
    [
        (95.0, 0.5, "r", 1.6),
        (42.0, 0.5, "", 1.6),
        (72.0, 0.1, "r", 1.6),
        (42.0, 0.1, "", None),
        (42.0, 0.0, "r", None),
        (-60.0, 0.0, "", None),
        (160.0, 0.5, "r", None),
    ],
    ids=[
        "pieces beside",
        "pieces out of sight",
        "hardly changed",
        "as a shadow changes it",
        "what lies beside is not from it",
        "untouched",
        "surely too high",
    ],
)
def test_a_stack_that_still_looks_too_high_is_asked_about_once_it_was_touched(
    high: float, moved: float, beside: str, after: float | None
) -> None:
    """Only after the settle time: pieces are taken one by one. ``high``: nats by which the picture favours
    the stack that is too high.
    """
    position, referee = start_position(RULES), Referee(RULES)

    def emitted(number: int, age: float, high: float, **since: Any) -> list[Verdict]:
        fits = {"f7": {"rrgrgg": 90.0, "rgrgg": 90.0 - high}}
        look = fake_look(STACKS, {"f7": 0.5}, fits, number=number, age=age, time=number + age, **since)
        return list(referee.judge(look, [position]).verdicts)

    assert [type(verdict) for verdict in emitted(1, 0.3, 20.0)] == [TrimAwaited]
    asked = [
        (age, verdict)
        for age in (0.3, 1.5, 1.6, 3.0, 9.0)
        for verdict in emitted(2, age, high, touched_since_mark=moved, beside=beside)
    ]
    assert asked == ([] if after is None else [(after, Undecided((ON_HIGH,)))])


@pytest.mark.parametrize(
    ("high", "moved", "alerted"),
    [(160.0, 0.5, True), (70.0, 0.0, True), (70.0, 0.5, False)],
    ids=["clearly too high", "nobody touched it", "touched, and not clearly too high"],
)
def test_play_goes_on_with_a_stack_that_may_have_been_trimmed(
    high: float, moved: float, alerted: bool
) -> None:
    """A stack that leans after its trimming may still look one piece too high."""
    position, referee = start_position(RULES), Referee(RULES)
    stacks = {"f7": {"rrgrgg": 90.0, "rgrgg": 90.0 - high}}
    prompted = fake_look(STACKS, {"f7": 0.5}, {"f7": {"rrgrgg": 90.0, "rgrgg": -90.0}}, number=1, age=0.3)
    assert [type(verdict) for verdict in referee.judge(prompted, [position]).verdicts] == [TrimAwaited]
    red = {"b3": {"": 150.0}, "a3": {"r": 150.0}}
    look = fake_look(
        STACKS,
        {"f7": 0.5, "b3": 0.9, "a3": 0.9},
        stacks | red,
        number=2,
        age=1.3,
        time=2.0,
        touched_since_mark=moved,
    )
    said = referee.judge(look, [position]).verdicts
    assert [getattr(verdict, "reason", "") for verdict in said] == (["too_high"] if alerted else [""])
    assert alerted or isinstance(said[0], Undecided)


@pytest.mark.parametrize(
    ("moved", "sure", "evidence"),
    [(0.0, True, 14.0), (0.06, True, 0.0), (0.1, True, -14.0), (0.0, False, 0.0), (0.08, False, -7.0)],
)
def test_a_stack_touched_since_its_prompt_is_probably_trimmed(
    moved: float, sure: bool, evidence: float
) -> None:
    """Even if it never was certainly too high: whoever touches it takes the one piece that is too many."""
    _, high = trimmed_and_high()
    look = fake_look(STACKS, touched_since_mark=moved)
    assert trimming_evidence(look, high, Pending(ON_HIGH, sure=sure)) == pytest.approx(evidence)


@pytest.mark.parametrize(("time", "touched"), [(0.5, False), (0.9, False), (1.5, True)])
def test_nobody_touched_a_stack_while_nothing_moved(time: float, touched: bool) -> None:
    """A camera that averages several pictures shows pieces and hands for a while after they are gone; and
    the light may change slowly.
    """
    trimmed, high = trimmed_and_high()
    prompted = Pending(ON_HIGH, sure=False, time=0.5)
    look = fake_look(STACKS, touched_since_mark=0.8, beside="r", time=time, age=0.4)
    assert prompted.was_touched(look) is touched
    found = weigh(Screening(look, prompted), [trimmed, high])
    assert found.act is (trimmed if touched else high)


def test_a_touched_stack_with_two_pieces_too_many_may_still_have_one_too_many() -> None:
    high = trimmed_and_high()[1]._replace(changes={ON_HIGH.target: "rrrgrgg"})
    look = fake_look(STACKS, touched_since_mark=0.5)
    assert trimming_evidence(look, high, Pending(ON_HIGH, sure=False)) == 0
    assert trimming_evidence(look, high, Pending(ON_HIGH, sure=True)) < 0


@pytest.mark.parametrize("touched", [0.0, 0.05, 0.5])
def test_pictures_that_are_not_comparable_do_not_tell_whether_a_stack_was_touched(touched: float) -> None:
    """One was out of focus, or a reflection lay on the stack. Pieces beside the board still tell."""
    trimmed, high = trimmed_and_high()
    pending = Pending(ON_HIGH, sure=True)
    look = fake_look(STACKS, touched_since_mark=touched, comparable=False)
    assert trimming_evidence(look, trimmed, pending) == trimming_evidence(look, high, pending) == 0
    beside = fake_look(STACKS, touched_since_mark=touched, comparable=False, beside="r")
    assert trimming_evidence(beside, trimmed, pending) > trimming_evidence(beside, high, pending)


def test_where_removed_pieces_are_usually_seen_a_trimming_without_any_is_unlikely() -> None:
    """How often they are seen depends on the camera, so it is counted during the game."""
    trimmed, _ = trimmed_and_high()
    seen, unseen = (fake_look(STACKS, touched_since_mark=0.5, beside=beside) for beside in ("r", ""))

    def against(looks: list[Any]) -> float:
        """Nats against the next trimming with no piece beside the board, after these looks."""
        beside = PiecesBeside()
        for look in looks:
            beside.count(look, trimmed, Pending(ON_HIGH, sure=True))
        hidden = fake_look(STACKS, comparable=False, touched_since_mark=0.0)
        pending = Pending(ON_HIGH, sure=True, none_beside=beside.nats_if_none)
        return -trimming_evidence(hidden, trimmed, pending)

    assert 0 < against([unseen] * 3) < against([]) < against([seen]) < against([seen] * 3)
    assert against([seen, unseen]) == against([])


def test_only_trimmings_for_which_there_was_a_prompt_are_counted() -> None:
    trimmed, high = trimmed_and_high()
    look, beside = fake_look(STACKS, touched_since_mark=0.5, beside="r"), PiecesBeside()
    beside.count(look, trimmed, None)
    beside.count(look, high, Pending(ON_HIGH, sure=True))
    beside.count(look, trimmed, Pending(Move.parse("d5-d6"), sure=True))
    for wrong in illegal().wrong_trims(ON_HIGH):
        beside.count(look, wrong, Pending(ON_HIGH, sure=True))
    assert beside == PiecesBeside()
    beside.count(look, trimmed, Pending(ON_HIGH, sure=True))
    assert beside == PiecesBeside(seen=1)
