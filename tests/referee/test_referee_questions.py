"""While the players are being asked what was played, play goes on."""

from __future__ import annotations

from typing import Any

import pytest
from clear_look import RULES, shown

from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.play import apply
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX
from focus_companion.referee import referee
from focus_companion.referee.act import Act, Kind
from focus_companion.referee.referee import Referee
from focus_companion.referee.verdict import PutRight, Undecided, Wrong
from focus_companion.referee.weighing import Judgement

NOTHING = Act(Kind.NOTHING, {})


@pytest.mark.parametrize(("square", "alerted"), [("d5", False), ("f4", True)], ids=["asked about", "another"])
def test_a_stack_that_is_asked_about_is_not_alerted(
    monkeypatch: pytest.MonkeyPatch, square: str, alerted: bool
) -> None:
    """In a coarse picture, turns played on since look like pieces in another order."""
    turn = Act(Kind.TURN, {INDEX["d7"]: "", INDEX["d5"]: "rggrg"}, (Move.parse("d7-d5"),))
    wrong = Wrong("reordered", "g", (INDEX[square],), "The pieces are in another order than before.")
    reordered = Act(Kind.WRONG, {INDEX[square]: "grr"}, wrong=lambda: wrong)
    asked = Judgement(turn, 200.0, 4.0, rivals=(Act(Kind.NOTHING, {}),), weights=(-4.0, 0.0))
    referee_, history = Referee(RULES), [start_position(RULES)]
    monkeypatch.setattr(referee, "judge", lambda *_, **__: asked)
    look = shown(1.1, {"d7": 0.9, "d5": 0.3}, time=5.0)
    assert referee_.judge(look, history).verdicts == (Undecided((Move.parse("d7-d5"),)),)
    later = Judgement(reordered, 200.0, 90.0, legal_lead=90.0, rivals=(turn,), weights=(-28.0, -4.0))
    monkeypatch.setattr(referee, "judge", lambda *_, **__: later)
    emitted = referee_.judge(shown(1.1, {square: 0.9}, time=9.0), history).verdicts
    assert emitted == ((wrong,) if alerted else ())


@pytest.mark.parametrize(("legal_lead", "believed"), [(7.0, 2), (90.0, 1)], ids=["near", "far behind"])
def test_turns_made_since_on_a_stack_that_is_asked_about_are_believed(
    monkeypatch: pytest.MonkeyPatch, legal_lead: float, believed: int
) -> None:
    """An illegal act may look a little likelier than them; later turns must not be judged without them."""
    history = [start_position(RULES)]
    first = Move.parse("d7-d5")
    second = next(m for m in legal_moves(apply(history[0], first, RULES), RULES) if m.target == INDEX["d5"])
    turn = Act(Kind.TURN, {INDEX["d7"]: "", INDEX["d5"]: "rggrg"}, (first,))
    turns = Act(Kind.TURNS, {INDEX["d5"]: "rggrgr"}, (first, second))
    wrong = Wrong("wrong_removal", "g", (INDEX["d5"],), "Too many pieces were taken.")
    removed = Act(Kind.WRONG_TRIM, {INDEX["d5"]: "grg"}, (first,), wrong=lambda: wrong)
    looks = [shown(1.1, {"d5": 0.9}, time=time) for time in (5.0, 9.0, 13.0)]
    judgements = iter(
        [
            Judgement(turn, 200.0, 4.0, rivals=(removed,), weights=(-4.0, -38.0)),
            Judgement(removed, 200.0, 7.0, legal_lead=legal_lead, rivals=(turns,), weights=(-38.0, -4.0)),
            Judgement(NOTHING, 0.0, 0.0),
        ]
    )
    longest: list[int] = []

    def judge(look: Any, history: Any, rules: Any, pending: Any, beliefs: Any, **_: Any) -> Judgement:
        longest.append(max((len(belief.turns) for belief in beliefs), default=0))
        return next(judgements)

    monkeypatch.setattr(referee, "judge", judge)
    asking = Referee(RULES)
    emitted = [asking.judge(look, history).verdicts for look in looks]
    assert emitted == [(Undecided((first,)),), (), ()]
    assert longest == [0, 1, believed]


@pytest.mark.parametrize("known", [True, False], ids=["alike", "differing"])
def test_turns_before_an_answer_are_followed_at_once(monkeypatch: pytest.MonkeyPatch, known: bool) -> None:
    """A turn that follows under every belief has the usual settle time."""
    either = [(Move.parse("*d5"),), (Move.parse("*e6"),)]
    following = [(*either[0], Move.parse("d7-d8")), (*either[1], Move.parse("d7-d8" if known else "d7-c7"))]

    def doubt(rows: list[tuple[Move, ...]], believed: int) -> Judgement:
        acts = [Act(Kind.TURN if len(row) == 1 else Kind.TURNS, {}, row, believed=believed) for row in rows]
        return Judgement(acts[0], 100.0, 3.0, rivals=tuple(acts[1:]), weights=(-4.0,) * len(acts))

    judgements = iter([doubt(either, 0), doubt(following, 1)])
    monkeypatch.setattr(referee, "judge", lambda *_, **__: next(judgements))
    referee_, history = Referee(RULES), [start_position(RULES)]
    asked = referee_.judge(shown(1.1, {"c7": 0.9}, time=10.0), history)
    assert [type(verdict) for verdict in asked.verdicts] == [Undecided]
    decision = referee_.judge(shown(0.34, {"c7": 0.9}, time=12.0), history)
    assert decision.verdicts == ()
    position = history[0]
    for move in following[0] if known else either[0]:
        position = apply(position, move, RULES)
    assert decision.standing.stacks == position.stacks


def test_a_question_is_asked_again_once_an_alert_that_came_over_it_is_put_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Resolving the alert removes the question from the page, too, so it must be asked again."""
    rows = [Act(Kind.TURN, {}, (Move.parse(text),)) for text in ("*d5", "*e6")]
    doubt = Judgement(rows[0], 100.0, 3.0, rivals=(rows[1],), weights=(-4.0, -4.0))
    wrong = Wrong("not_straight", "r", (INDEX["d7"], INDEX["e6"]), "Red moved diagonally.")
    act = Act(Kind.WRONG, {INDEX["d7"]: "", INDEX["e6"]: "grg"}, wrong=lambda: wrong)
    referee_, history = Referee(RULES), [start_position(RULES)]
    emitted: list[list[type]] = []
    for time, judgement in enumerate([doubt, Judgement(act, 500.0, 200.0, 200.0), doubt, doubt]):
        monkeypatch.setattr(referee, "judge", lambda *_, found=judgement, **__: found)
        look = shown(2.0, {"d7": 0.9}, time=10.0 + 6 * time)
        emitted.append([type(verdict) for verdict in referee_.judge(look, history).verdicts])
    assert emitted == [[Undecided], [Wrong], [PutRight, Undecided], []]


@pytest.mark.parametrize("asked", [False, True])
def test_an_unexplained_change_is_not_alerted_during_a_question(
    monkeypatch: pytest.MonkeyPatch, asked: bool
) -> None:
    """The position before it is ambiguous."""
    wrong = Wrong("unexplained", "g", (INDEX["d7"],), "This cannot be explained.")
    rows = [Act(Kind.TURN, {}, (Move.parse(text),)) for text in ("*d5", "*e6")]
    judgements = [
        Judgement(Act(Kind.WRONG_TWICE, {INDEX["d7"]: "gr"}, wrong=lambda: wrong), 200.0, 200.0, 200.0)
    ]
    if asked:
        judgements.insert(0, Judgement(rows[0], 100.0, 3.0, rivals=(rows[1],), weights=(-4.0, -4.0)))
    referee_, history = Referee(RULES), [start_position(RULES)]
    for time, judgement in enumerate(judgements):
        monkeypatch.setattr(referee, "judge", lambda *_, found=judgement, **__: found)
        look = shown(5.0, {"d7": 0.9}, time=10.0 + 6 * time)
        emitted = referee_.judge(look, history).verdicts
    assert emitted == (() if asked else (wrong,))
