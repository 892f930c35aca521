"""The score of the match that is being played: the newest games of the same named players in a row."""

from __future__ import annotations

import threading
from typing import Any, Final

from ..game.match import match_score
from ..storage.journal import GameSummary
from .ports import GameJournal

LONGEST: Final = 30
"""Games of a match; who plays on begins to count anew."""


class Series:
    """Knows the running match; what it has counted is kept until a game goes on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counted: tuple[tuple[tuple[int, int, str | None], ...], dict[str, Any]] | None = None

    def running(self, journal: GameJournal) -> dict[str, Any] | None:
        """``games`` (ids, oldest first), ``scores`` (points by name, a game each), ``totals``, ``leaders``.

        ``None`` without at least two games of players who all gave their names: colours change hands in a
        rematch, names do not.
        """
        series = _series(journal)
        if len(series) < 2 or not all(_who(series[0])):
            return None
        key = tuple((game.id, game.plies, game.ended) for game in series)
        with self._lock:
            if self._counted is None or self._counted[0] != key:
                self._counted = (key, _count(journal, series))
            return self._counted[1]


def _series(journal: GameJournal) -> list[GameSummary]:
    series: list[GameSummary] = []
    for game in journal.games()[:LONGEST]:
        if series and _who(game) != _who(series[0]):
            break
        # A game that was set up anew before its first turn is none of the match.
        if game.plies or not series:
            series.append(game)
    return series[::-1]


def _count(journal: GameJournal, series: list[GameSummary]) -> dict[str, Any]:
    score = match_score([journal.history(game.id).record() for game in series])
    return {
        "games": [game.id for game in series],
        "scores": [dict(points) for points in score.games],
        "totals": score.totals,
        "leaders": list(score.leaders),
    }


def _who(game: GameSummary) -> list[str]:
    """The players' names, "" for each who has none."""
    players = int(game.rules.get("players", 2))
    names = sorted(name for name in game.players.values() if name)
    return [*names, *[""] * (players - len(names))]
