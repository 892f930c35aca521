"""A shallow search: every turn against the answer that is worst for whoever makes it.

Pure and deterministic. The work is bounded by the number of positions looked at, never by a clock: the same
record gives the same review on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass

from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.play import apply
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.review.evaluation import chances


@dataclass(frozen=True, slots=True)
class Line:
    """A turn, the answer that is worst for its mover, and the mover's chance (0 to 1) after both."""

    turn: Move
    answer: Move | None
    """None when the turn ends the game, or when there was no room to look for answers."""
    chance: float


@dataclass(frozen=True, slots=True)
class Found:
    """What a search of one position found."""

    played: Line
    best: Line
    """The line with the highest chance among those looked at; ``played`` itself if nothing is better."""
    looked_at: int
    """Positions looked at."""
    complete: bool
    """Whether every turn was tried; if not, those that are worth most at once were."""


def search(position: Position, rules: Rules, played: Move, limit: int) -> Found:
    """Return the line of the turn played and the best line in a position that is not over.

    Two turns deep: the turn and one answer. Whoever answers is taken to play against the mover, unless it is
    the mover or the partner (after forced passes): then for. Turns are tried in the order of what they are
    worth at once; no new one is begun once ``limit`` positions were looked at, so that some hundred more are
    the most. With a limit below the number of legal turns nothing but the turn played is looked at, alone.
    """
    mover = position.to_move
    turns = legal_moves(position, rules)
    mine = apply(position, played, rules)
    if limit < len(turns):
        line = Line(played, None, chances(mine, rules)[mover])
        return Found(line, line, 1, complete=False)
    children = [(turn, apply(position, turn, rules)) for turn in turns]
    at_once = [(chances(after, rules)[mover], turn, after) for turn, after in children]
    at_once.sort(key=lambda item: -item[0])  # stable: equal ones stay in the order of their texts
    looked = len(turns)
    line, count = _answered(rules, mover, played, mine, -1.0, None)
    looked += count
    best, complete = line, True
    refutation = line.answer
    for _, turn, after in at_once:
        if turn == played:
            continue
        if looked >= limit:
            complete = False
            break
        found, count = _answered(rules, mover, turn, after, best.chance, refutation)
        looked += count
        refutation = found.answer
        if found.chance > best.chance:
            best = found
    return Found(line, best, looked, complete)


def _answered(
    rules: Rules, mover: str, turn: Move, after: Position, enough: float, first: Move | None
) -> tuple[Line, int]:
    """A turn with its answer, and the positions looked at.

    An answer that leaves the mover no more than ``enough`` settles that the turn is no better than another:
    the search stops there. ``first`` is an answer to try first, for it was good before.
    """
    if after.result is not None:
        return Line(turn, None, chances(after, rules)[mover]), 0
    helping = after.to_move in rules.side_of(mover)
    answers = legal_moves(after, rules)
    if first in answers:
        answers = (first, *(answer for answer in answers if answer != first))
    chosen, chance = answers[0], -1.0 if helping else 2.0
    for count, answer in enumerate(answers, 1):
        reached = chances(apply(after, answer, rules), rules)[mover]
        if (reached > chance) if helping else (reached < chance):
            chosen, chance = answer, reached
            if not helping and chance <= enough:
                return Line(turn, chosen, chance), count
    return Line(turn, chosen, chance), len(answers)
