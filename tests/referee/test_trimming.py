"""Whether a stack was trimmed: evidence from pieces beside the board and from untouched stacks."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from table_scene import rules

from focus_companion.game.moves import Move
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.referee import referee, trimming, weighing
from focus_companion.referee.acts import Act, Acts, Kind
from focus_companion.referee.judge import MIN_TOO_HIGH_LEAD
from focus_companion.referee.referee import Referee
from focus_companion.referee.trimming import Pending
from focus_companion.referee.verdict import TrimAwaited, Undecided, Verdict

RULES = rules({"f7": "rrgrg", "d5": "g"}, {"g": 1})


@pytest.mark.parametrize("beside", ["r", "g", "rr", "gr"])
def test_pieces_beside_the_board_are_equal_evidence_for_wrong_and_correct_trimmings(beside: str) -> None:
    """Unless the act takes fewer pieces from the stack; less evidence if the colours differ, or if some of
    the pieces are not there."""
    position = start_position(RULES)
    move = Move.parse("*f7")
    acts = Acts([position], RULES)
    look: Any = SimpleNamespace(
        since_mark=SimpleNamespace(touched=np.full(len(SQUARES), 0.5)),
        appeared_since_mark=beside,
        evidence=SimpleNamespace(standing=position.stacks),
    )
    right = [act for act in acts.turns({move.target}) if act.moves == (move,) and act.trimmed]
    wrong = list(acts.wrong_trims(move))
    assert len(right) == 1 and len(wrong) > 5
    for act in (*right, *wrong):
        found = trimming.trimming_evidence(look, act, Pending(move, sure=True))
        if len(beside) > len(act.trimmed):
            assert found == trimming.BESIDE_EVIDENCE - trimming.EXTRA_PIECE_PENALTY < 0
        elif Counter(beside) - Counter(act.trimmed):
            assert found == trimming.BESIDE_EVIDENCE - trimming.WRONG_COLOUR_PENALTY
        else:
            unseen = len(act.trimmed) - len(beside)
            assert found == trimming.BESIDE_EVIDENCE - trimming.MISSING_PIECE_PENALTY * unseen
    assert right[0].trimmed == "r"


def test_pieces_removed_from_below_a_stack_must_lie_beside_the_board() -> None:
    """Otherwise a stack trimmed by one after a reserve piece looks like a stack with a piece removed."""
    position = start_position(RULES)
    acts = Acts([position], RULES)
    standing = SimpleNamespace(standing=position.stacks)
    gone: Any = SimpleNamespace(since_mark=None, appeared="", evidence=standing)
    beside: Any = SimpleNamespace(since_mark=None, appeared="r", evidence=standing)
    removals = list(acts.removals([INDEX["f7"]]))
    robbed = [act for act in removals if not act.lifted]
    lifted = [act for act in removals if act.lifted]
    assert robbed and all(trimming.trimming_evidence(gone, act, None) < -30 for act in robbed)
    assert lifted and all(trimming.trimming_evidence(gone, act, None) == 0 for act in lifted)
    assert all(trimming.trimming_evidence(beside, act, None) == 0 for act in lifted)
    kept = {act.changes[INDEX["f7"]]: trimming.trimming_evidence(beside, act, None) for act in robbed}
    assert kept["rgrg"] == 0 and kept["grg"] == -trimming.MISSING_PIECE_PENALTY and kept["rg"] < kept["grg"]


@pytest.mark.parametrize(
    ("moved", "beside", "trimmed", "left", "back"),
    [
        (0.4, "r", 28.0, -42.0, -56.0),
        (0.1, "r", 28.0, -14.0, -14.0),
        (0.4, "", 0.0, -14.0, -14.0),
        (0.005, "", -60.0, 14.0, -14.0),
    ],
    ids=["changed", "hardly changed", "nothing beside", "untouched"],
)
def test_pieces_laid_down_came_from_the_stack_too_high_if_it_has_changed(
    moved: float, beside: str, trimmed: float, left: float, back: float
) -> None:
    position = start_position(RULES)
    move = Move.parse("*f7")
    look: Any = SimpleNamespace(
        since_mark=SimpleNamespace(touched=np.full(len(SQUARES), moved)),
        appeared_since_mark=beside,
        evidence=SimpleNamespace(standing=position.stacks),
    )
    acts = [act for act in Acts([position], RULES).turns({move.target}) if act.moves == (move,)]
    told = {act.kind: trimming.trimming_evidence(look, act, Pending(move, sure=True)) for act in acts}
    assert told == {Kind.TURN: trimmed, Kind.PENDING: left}
    # If nothing or another act has happened instead of the turn, it was taken back.
    elsewhere = Act(Kind.WRONG, {INDEX["d8"]: "r"})
    for act in (weighing.NOTHING, elsewhere):
        assert trimming.trimming_evidence(look, act, Pending(move, sure=True)) == back
        assert trimming.trimming_evidence(look, act, Pending(move, sure=False)) == 0.0


def test_a_stack_trimmed_at_once_must_have_left_its_pieces_somewhere() -> None:
    """Otherwise there is a prompt: in the dark, a stack too high may look as if a piece were missing."""
    position, move = start_position(RULES), Move.parse("*f7")
    acts = Acts([position], RULES)
    # Nats by which the square fits the trimmed stack better than the high one.
    better = {"rgrgg": 30.0}
    evidence = SimpleNamespace(
        standing=position.stacks,
        stack_gain=lambda _square, stack: SimpleNamespace(nats=better.get(stack, 0.0)),
    )
    bare: Any = SimpleNamespace(since_mark=None, appeared="", evidence=evidence)
    laid: Any = SimpleNamespace(since_mark=None, appeared="r", evidence=evidence)
    made = {act.kind: act for act in acts.turns({move.target}) if act.moves == (move,)}
    assert made[Kind.TURN].trimmed == "r"
    assert trimming.trimming_evidence(laid, made[Kind.TURN], None) == trimming.BESIDE_EVIDENCE
    for act in (made[Kind.TURN], *acts.wrong_trims(move)):
        assert trimming.trimming_evidence(bare, act, None) == -trimming.UNPROMPTED_PENALTY
    assert trimming.trimming_evidence(bare, made[Kind.PENDING], None) == 0.0
    # Against other acts, the untrimmed turn is weighed as the trimmed one that it looks like.
    assert trimming.gain_if_trimmed(bare, made[Kind.PENDING], None) == 30.0 - trimming.NONE_BESIDE_PENALTY
    assert trimming.gain_if_trimmed(laid, made[Kind.PENDING], None) == 0.0
    assert trimming.gain_if_trimmed(bare, made[Kind.TURN], None) == 0.0
    better["rgrgg"] = trimming.UNPROMPTED_PENALTY
    assert trimming.gain_if_trimmed(bare, made[Kind.PENDING], None) == 0.0
    assert trimming.trimming_evidence(bare, made[Kind.TURN], None) == -trimming.NONE_BESIDE_PENALTY


@pytest.mark.parametrize(
    ("row", "moved", "against"),
    [
        (("*f7",), 0.0, trimming.UNPROMPTED_PENALTY),
        (("*f7", "d7-d8"), 0.0, 2 * trimming.NONE_BESIDE_PENALTY),
        (("*f7",), 0.3, trimming.NONE_BESIDE_PENALTY),
    ],
    ids=["nothing has happened since", "play goes on", "something was taken"],
)
def test_a_stack_barely_seen_as_too_high_may_be_trimmed_already(
    row: tuple[str, ...], moved: float, against: float
) -> None:
    """The prompt remains until something happens."""
    position, moves = start_position(RULES), tuple(Move.parse(move) for move in row)
    since = SimpleNamespace(touched=np.full(len(SQUARES), moved))
    look: Any = SimpleNamespace(
        since_mark=since, appeared_since_mark="", evidence=SimpleNamespace(standing=position.stacks)
    )
    act = Act(Kind.TURN if len(row) == 1 else Kind.TURNS, {INDEX["f7"]: "rgrgg"}, moves, trimmed="r")
    assert trimming.trimming_evidence(look, act, Pending(moves[0], sure=False)) == -against


def test_a_stack_that_was_not_too_high_is_not_prompted_for() -> None:
    """A piece is missing from a stack from which none may be taken; it may be in a hand or elsewhere."""
    position, move = start_position(RULES), Move.parse("*d4")
    look: Any = SimpleNamespace(
        since_mark=None, appeared="", evidence=SimpleNamespace(standing=position.stacks)
    )
    robbed = list(Acts([position], RULES).wrong_trims(move))
    assert robbed and all(
        -trimming.UNPROMPTED_PENALTY < trimming.trimming_evidence(look, act, None) <= 0 for act in robbed
    )


@pytest.mark.parametrize(
    ("lead", "moved", "beside", "after"),
    [
        (11.0, 0.5, "r", 1.6),
        (11.0, 0.5, "", 1.6),
        (11.0, 0.1, "r", 1.6),
        (11.0, 0.1, "", None),
        (11.0, 0.0, "r", None),
        (11.0, 0.0, "", None),
        (MIN_TOO_HIGH_LEAD, 0.5, "r", None),
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
    monkeypatch: pytest.MonkeyPatch, lead: float, moved: float, beside: str, after: float | None
) -> None:
    """Only after the settle time: pieces are taken one by one."""
    position, move = start_position(RULES), Move.parse("*f7")
    pending = next(act for act in Acts([position], RULES).turns({move.target}) if act.kind is Kind.PENDING)
    judged = (weighing.Judgement(pending, 99.0, 50.0, 50.0, trim_lead=by) for by in (50.0, lead))
    monkeypatch.setattr(referee, "judge", lambda *_, **__: next(judged))
    judge = Referee(RULES)

    def told(number: int, age: float) -> list[Verdict]:
        look: Any = SimpleNamespace(
            number=number,
            age=age,
            time=age,
            since=0.0,
            since_mark=SimpleNamespace(touched=np.full(len(SQUARES), moved)),
            appeared_since_mark=beside,
        )
        return list(judge.judge(look, [position]).verdicts)

    assert [type(verdict) for verdict in told(1, 0.3)] == [TrimAwaited]
    asked = [(age, verdict) for age in (0.3, 1.5, 1.6, 3.0, 9.0) for verdict in told(2, age)]
    assert asked == ([] if after is None else [(after, Undecided((move,)))])
