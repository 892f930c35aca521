"""Reviews a finished game turn by turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
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

MAX_POSITIONS_PER_TURN: Final = 30_000
"""Maximum positions searched for one turn."""

MAX_POSITIONS: Final = 2_000_000
"""Maximum positions searched for a whole game; a very long game gets fewer per turn."""

_MAX_SWINGS: Final = 3
"""Number of the biggest swings that a review lists."""


class NotFinished(ValueError):
    """The game is not over: nobody gets help while playing."""


@dataclass(frozen=True, slots=True)
class TurnReview:
    """One turn: what it changed, and what it meant."""

    ply: int
    player: str
    """The letter of the player who moved."""
    move: Move
    changes: Mapping[str, Counts]
    """What every player (letter) won or lost by the turn, in turn order."""
    before: float
    """The mover's chance before the turn, 0 to 1."""
    played: Variation
    """The turn with the expected reply, and the mover's chance after both."""
    best: Variation
    """The best turn that the search found; ``played`` if there was no better one."""
    complete: bool
    """Whether the search tried every turn."""
    after: Mapping[str, float]
    """Every player's chance right after the turn, before any reply."""
    hints: tuple[Hint, ...] = ()
    """The rule book's strategy hints that the turn shows."""

    @property
    def swing(self) -> float:
        """How much the turn and the best reply to it changed the mover's chance: -1 to 1."""
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
            "changes": {NAMES[player]: asdict(change) for player, change in self.changes.items()},
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
    """The review of a finished game: every turn, and the turns at which it swung most."""

    rules: Rules
    players: Mapping[str, str]
    """Names by colour letter, if the record has them."""
    turns: tuple[TurnReview, ...]
    result: Outcome

    @property
    def swings(self) -> tuple[TurnReview, ...]:
        """The turns with the biggest swings, the biggest first; of equal ones, the earlier first."""
        moved = [turn for turn in self.turns if turn.swing]
        return tuple(sorted(moved, key=lambda turn: -abs(turn.swing))[:_MAX_SWINGS])

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

    The work is bounded by :data:`MAX_POSITIONS_PER_TURN` and :data:`MAX_POSITIONS`. Raises NotFinished for a
    game without a result, IllegalMove for a record with an illegal move.
    """
    number, result = 0, record.result
    for step in steps(record):
        number, result = step.ply, step.position.result or result
    if result is None:
        raise NotFinished("the game is not over yet; a review is for finished games")
    limit = min(MAX_POSITIONS_PER_TURN, MAX_POSITIONS // max(1, number))
    turns: list[TurnReview] = []
    before: Position | None = None
    for step in steps(record):  # replayed, rather than keeping every position of a long game in memory
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
