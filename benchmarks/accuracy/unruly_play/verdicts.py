"""Judges what the product made of a sequence, step by step, against the truth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.accuracy.unruly_play.table import Noted
from benchmarks.accuracy.unruly_play.truth import Game, Moment

VERDICTS: Final = ("right", "asked", "missed alert", "stuck", "false alert", "wrong turn", "start unseen")
"""From best to worst; the worst of its steps decides about a sequence.

``asked``: there was a question, or nothing, in the place of an event, but nothing wrong was recorded or
alerted. ``stuck``: the true game was not recorded at the end, or not followed when turns were taken back.
``false alert``: something was alerted that was no such act, or was to be trimmed without reason, or an alert
was left when the act had been put right. ``wrong turn``: a game was recorded that nobody played, without a
question. ``start unseen``: the board was not found, or not read as the start of the game, so nothing else
counts.
"""


@dataclass(frozen=True, slots=True)
class Ruling:
    """The verdict on one step: the ``line`` of the file, what was expected there, and what was made of it."""

    verdict: str
    line: int = 0
    expected: str = ""
    got: str = ""


def judged(moments: Sequence[Moment], noted: Sequence[Noted]) -> Ruling:
    """The verdict on a sequence: that on the worst step, the first of those."""
    if len(noted) < len(moments):
        return Ruling("start unseen")
    rulings = [Ruling("right")]
    before: tuple[Game, ...] = ((),)
    for number, (moment, made) in enumerate(zip(moments, noted, strict=True), 1):
        for verdict, expected, got in _faults(moment, made, before, last=number == len(moments)):
            rulings.append(Ruling(verdict, moment.step.line, expected, got))
        before = moment.games
    return max(rulings, key=lambda ruling: VERDICTS.index(ruling.verdict))


def _faults(
    moment: Moment, made: Noted, before: tuple[Game, ...], last: bool
) -> Iterator[tuple[str, str, str]]:
    """What was wrong in one step: verdict, expected, got. ``before``: the games that were right before."""
    step = moment.step
    true = moment.games[0]
    may_ask = step.ask or step.verb == "still"
    for game, questioned in made.games[1:]:
        if not questioned and not any(_begins(right, game) for right in (*moment.games, *before)):
            yield "wrong turn", _game(true), _game(game)
    game, questioned = made.games[-1]
    for reason in made.alerts:
        if reason not in moment.tolerated:
            yield "false alert", _alerts(moment), reason
    if made.prompted and not moment.may_prompt:
        yield "false alert", _alerts(moment), "a prompt to trim a stack"
    if moment.at_rest and made.alert_open and made.alert_open not in moment.tolerated:
        yield "false alert", "no alert left", f"{made.alert_open} still open"
    if step.reasons and not moment.due & {*made.alerts, made.alert_open}:
        questioned = made.asked or made.question_open
        got = "a question" if questioned else ", ".join(made.alerts) or "nothing"
        if not (questioned and may_ask) and not step.hand:
            yield "asked" if questioned else "missed alert", _alerts(moment), got
    if game not in moment.games:
        if last and not made.question_open:
            yield "stuck", _game(true), _game(game)
        elif not step.hand and not (made.question_open and may_ask):
            yield "asked", _game(true), f"{_game(game)}{', a question' if made.question_open else ''}"
    elif (made.asked or made.question_open) and not may_ask:
        yield "asked", _game(true), "a question"
    if moment.prompt and step.verb == "high" and not made.prompted and not step.hand:
        yield "asked", "a prompt", "nothing"


def _begins(right: Game, game: Game) -> bool:
    return right[: len(game)] == game


def _game(game: Game) -> str:
    return " ".join(game) or "no turn"


def _alerts(moment: Moment) -> str:
    return f"alert {'/'.join(sorted(moment.due))}" if moment.due else "no alert"
