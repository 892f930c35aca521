"""The sequences of unruly play: what they declare agrees with the rules, and they are judged by it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from benchmarks.accuracy.unruly_play.sequences import (
    PlaySequence,
    SequenceError,
    Step,
    parsed,
    sequences,
    starts,
)
from benchmarks.accuracy.unruly_play.table import Noted
from benchmarks.accuracy.unruly_play.truth import Moment, moments
from benchmarks.accuracy.unruly_play.verdicts import judged
from focus_companion.game.squares import SQUARES

SEQUENCES = sequences()


def written(*lines: str, start: str = "pairs2") -> PlaySequence:
    (sequence,) = parsed("made-up.txt", "\n".join((f"== Made up [{start}]", *lines)), starts())
    return sequence


@pytest.mark.parametrize("sequence", SEQUENCES, ids=lambda sequence: sequence.name)
def test_declared_turns_are_legal_and_illegal_acts_are_not(sequence: PlaySequence) -> None:
    truth = moments(sequence)
    assert len(truth) == len(sequence.steps) > 0


def test_there_are_many_and_titles_are_unique() -> None:
    titles = Counter(sequence.name for sequence in SEQUENCES)
    assert [title for title, number in titles.items() if number > 1] == []
    assert len(titles) >= 120


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (["turn d5-e6"], "made-up.txt:2"),
        (["turn d5-d6", "turn d3-d4"], "it is red’s turn"),
        (["illegal not_straight d5>d6"], "a legal turn"),
        (["illegal distance d5>e6"], "the reason is not_straight"),
        (["turn d5-d6", "illegal any d6>d5*1"], "a position of the game"),
        (["turn d5-d6", "illegal any d6>c5*1"], "1 turns taken back"),
        (["illegal any d5>d6 c7>c8"], "two legal turns explain this"),
        (["illegal any a4=b"], "no more pieces"),
        (["back 1"], "cannot be taken back"),
        (["hold d5>d6"], "a legal turn"),
        (["high d5-d6"], "no stack that has to be trimmed"),
        (["trim"], "nothing awaits"),
        (["restore"], "does not change"),
    ],
)
def test_a_sequence_against_the_rules_is_refused(lines: list[str], complaint: str) -> None:
    with pytest.raises(SequenceError, match=complaint):
        moments(written(*lines))


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("jump d5", "not a verb"),
        ("hold d9=r", "not a change"),
        ("illegal crooked d5>e6", "not a reason"),
        ("turn d5-d6 | loudly", "not an option"),
    ],
)
def test_a_badly_written_step_is_refused_with_its_line(line: str, complaint: str) -> None:
    with pytest.raises(SequenceError, match=rf"made-up.txt, line 2: .*{complaint}"):
        written(line)


def test_changes_are_made_one_after_the_other() -> None:
    (moment,) = moments(written("hold g7>e7*2 e7-1 d5= b5= c5= c7=rr 1.5s", start="middle2"))
    shown = dict(zip(SQUARES, moment.stacks, strict=True))
    assert [shown[square] for square in ("g7", "e7", "d5", "c7")] == ["rr", "g", "", "rr"]
    assert moment.step.seconds == 1.5


FOLLOWED = Noted((((), False),), (), False, False, "", False)
"""Nothing was recorded, alerted or asked."""


def noted(*turns: str, alert: str = "", question: bool = False) -> Noted:
    alerts = (alert,) if alert else ()
    return replace(FOLLOWED, games=(((), False), (turns, question)), alerts=alerts, question_open=question)


DIAGONAL = moments(written("illegal not_straight d5>e6"))
TURN = moments(written("turn d5-d6"))
LIFTED = moments(written("turn d5-d6", "hold c7="))


@pytest.mark.parametrize(
    ("truth", "made", "verdict"),
    [
        (TURN, [noted("d5-d6")], "right"),
        (TURN, [noted()], "stuck"),
        (TURN, [noted(question=True)], "asked"),
        (TURN, [noted("d5-c5")], "wrong turn"),
        (TURN, [noted("d5-d6", alert="distance")], "false alert"),
        (TURN, [replace(noted("d5-d6"), alert_open="distance")], "false alert"),
        (LIFTED, [noted(), noted("d5-d6")], "asked"),
        (LIFTED, [noted("d5-d6"), noted("d5-d6", "c7-d7")], "wrong turn"),
        (DIAGONAL, [noted(alert="not_straight")], "right"),
        (DIAGONAL, [noted()], "missed alert"),
        (DIAGONAL, [noted(question=True)], "asked"),
        (DIAGONAL, [noted(alert="distance")], "false alert"),
        (DIAGONAL, [replace(noted(alert="not_straight"), prompted=True)], "false alert"),
        (DIAGONAL, [noted("d5-d6")], "wrong turn"),
        (DIAGONAL, [], "start unseen"),
    ],
)
def test_a_sequence_is_judged_by_its_worst_step(truth: list[Moment], made: list[Noted], verdict: str) -> None:
    assert judged(truth, made).verdict == verdict


def test_an_act_knows_its_line() -> None:
    assert [step.line for step in written("turn d5-d6", "", "wait").steps] == [2, 4]
    assert Step(1, "wait").reasons == frozenset()


def test_turns_in_an_unknown_order_may_stay_so_until_they_are_taken_back() -> None:
    lines = ("turn d5-d6 c7-c8 g4-h4 | or 3 g4-h4 c7-c8 d5-d6", "turn f7-f8", "back 2 f6-f5")
    played, later, other = moments(written(*lines))
    assert played.games == (("d5-d6", "c7-c8", "g4-h4"), ("g4-h4", "c7-c8", "d5-d6"))
    assert later.games == tuple((*game, "f7-f8") for game in played.games)
    assert other.games == (("d5-d6", "c7-c8", "f6-f5"),)
