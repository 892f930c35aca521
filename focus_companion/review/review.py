"""A finished game looked back at, turn by turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from focus_companion.game.colours import NAMES
from focus_companion.game.moves import Move
from focus_companion.game.outcome import Outcome
from focus_companion.game.position import Position
from focus_companion.game.record import GameRecord, steps
from focus_companion.game.rules import Rules
from focus_companion.players.evaluation import chances
from focus_companion.review.evaluation import Counts, counts
from focus_companion.review.hints import Hint, hints
from focus_companion.review.search import SearchResult, Variation, search

LIMIT_OF_TURN: Final = 30_000
"""Positions that the search of one turn may look at."""

LIMIT: Final = 2_000_000
"""Positions that the searches of a whole game share; a very long game is searched less at each turn."""

SWINGS: Final = 3


class NotFinished(ValueError):
    """A game that is not over: nobody is helped while they play."""


@dataclass(frozen=True, slots=True)
class TurnReview:
    """One turn: what it changed, and what it meant."""

    ply: int
    player: str
    """The letter of who moved."""
    move: Move
    changes: Mapping[str, Counts]
    """What every player (letter) won or lost by the turn, in turn order."""
    before: float
    """The mover's chance before the turn, 0 to 1."""
    played: Variation
    """The turn with the answer to expect, and the mover's chance then."""
    best: Variation
    """The best turn that the search found; that of ``played`` if there was no better."""
    complete: bool
    """Whether the search tried every turn."""
    after: Mapping[str, float]
    """Every player's chance right after the turn, before any answer."""
    hints: tuple[Hint, ...] = ()
    """The rule book's strategy hints that the turn shows."""

    @property
    def swing(self) -> float:
        """How much the mover's chance changed by the turn and the worst answer to it: -1 to 1."""
        return self.played.chance - self.before

    @property
    def missed(self) -> float:
        """How much higher the mover's chance would have been after the best turn: 0 to 1."""
        return self.best.chance - self.played.chance

    def to_json(self) -> dict[str, Any]:
        """Return the turn as ``docs/review.md`` describes it."""
        return {
            "ply": self.ply,
            "player": NAMES[self.player],
            "move": str(self.move),
            "changes": {
                NAMES[player]: {
                    "captures": change.captures,
                    "reserves": change.reserves,
                    "control": change.control,
                    "mobility": change.mobility,
                }
                for player, change in self.changes.items()
            },
            "chances": {NAMES[player]: round(chance, 4) for player, chance in self.after.items()},
            "before": round(self.before, 4),
            "outlook": round(self.played.chance, 4),
            "answer": None if self.played.answer is None else str(self.played.answer),
            "swing": round(self.swing, 4),
            "best": {
                "move": str(self.best.turn),
                "outlook": round(self.best.chance, 4),
                "answer": None if self.best.answer is None else str(self.best.answer),
            },
            "missed": round(self.missed, 4),
            "complete": self.complete,
            "hints": [hint.to_json() for hint in self.hints],
        }


@dataclass(frozen=True, slots=True)
class Review:
    """A finished game, every turn of it, and the turns where it swung most."""

    rules: Rules
    players: Mapping[str, str]
    """Names by colour letter, where the record has them."""
    turns: tuple[TurnReview, ...]
    result: Outcome

    @property
    def swings(self) -> tuple[TurnReview, ...]:
        """The three turns with the biggest swings, the biggest first; of equal ones the earlier first."""
        moved = [turn for turn in self.turns if turn.swing]
        return tuple(sorted(moved, key=lambda turn: -abs(turn.swing))[:SWINGS])

    def to_json(self) -> dict[str, Any]:
        """Return the review as ``docs/review.md`` describes it."""
        return {
            "format": "focus-companion review",
            "version": 1,
            "players": {NAMES[p]: {"name": self.players.get(p, "")} for p in self.rules.order},
            "result": self.result.to_json(),
            "turns": [turn.to_json() for turn in self.turns],
            "swings": [turn.ply for turn in self.swings],
        }


def review(record: GameRecord) -> Review:
    """Return the review of a finished game: a pure function, the same for the same record.

    The time it takes is bounded: see :data:`LIMIT_OF_TURN` and :data:`LIMIT`. Raises NotFinished for a game
    that has no result, IllegalMove for a record with an illegal move.
    """
    number, result = 0, record.result
    for step in steps(record):
        number, result = step.ply, step.position.result or result
    if result is None:
        raise NotFinished("the game is not over yet; a review is for finished games")
    limit = min(LIMIT_OF_TURN, LIMIT // max(1, number))
    turns: list[TurnReview] = []
    before: Position | None = None
    for step in steps(record):  # once more, rather than hold every position of a long game at once
        if before is not None and step.entry is not None and isinstance(step.entry.what, Move):
            turns.append(_turn(record.rules, limit, step.ply, before, step.entry.what, step.position))
        before = step.position
    return Review(record.rules, dict(record.players), tuple(turns), result)


def _turn(rules: Rules, limit: int, ply: int, before: Position, move: Move, after: Position) -> TurnReview:
    mover = before.to_move
    held, had = counts(after, rules), counts(before, rules)
    found: SearchResult = search(before, rules, move, limit)
    return TurnReview(
        ply,
        mover,
        move,
        {player: held[player].minus(had[player]) for player in rules.order},
        chances(before, rules)[mover],
        found.played,
        found.best,
        found.complete,
        chances(after, rules),
        hints(before, move, after, rules),
    )
