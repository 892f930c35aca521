"""The content of a record file: one game, or the games of a match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from focus_companion.formats.errors import FormatError, one_line, shown
from focus_companion.game.match import MAX_GAMES, MatchScore, match_score
from focus_companion.game.record import GameRecord


@dataclass(frozen=True, slots=True)
class Match:
    """Games in the order played. ``single`` distinguishes a lone game from a match of one game.

    ``length``: the agreed number of games, None if unknown.
    """

    games: tuple[GameRecord, ...]
    single: bool = False
    length: int | None = None
    unknown: Mapping[str, Any] = field(default_factory=dict)

    @property
    def score(self) -> MatchScore:
        """The standing of the match. Raises IllegalMove for a game with an illegal move."""
        return match_score(self.games, self.length)


def score_lines(score: MatchScore) -> tuple[str, str]:
    """Everybody's points, and who has won or how far the match has got."""
    points = ", ".join(f"{one_line(name, 40)} {count}" for name, count in score.totals.items())
    return points, one_line(score.sentence())


def length_from(value: Any, games: int, place: str) -> int | None:
    """The agreed length of a match that has ``games`` games. Raises :class:`FormatError`."""
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MAX_GAMES:
        raise FormatError(f"a match has 1 to {MAX_GAMES} games, not {shown(value)}", place=place)
    if value < games:
        raise FormatError(f"a match of {value} holds {games} games", place=place, remedy="mend its length")
    return value
