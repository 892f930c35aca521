"""The score of the running match, or else of the latest consecutive games of the same named players."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from ..game.match import GameScore, game_score, summed
from ..storage.journal import GameSummary
from ..storage.matches import place_of
from .ports import GameJournal


class Series:
    """Computes the score of the running match; the score of each game is cached until that game goes on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counted: dict[int, tuple[tuple[int, str | None], GameScore]] = {}

    def running(self, journal: GameJournal) -> dict[str, Any] | None:
        """``games`` (ids, oldest first), ``scores`` (points by name, per game), ``totals``, ``leaders``;
        ``length``, None if none was agreed; ``finished``, ``over``, ``winners`` and ``tied``.

        Without a match: the latest consecutive games of the same players, who must all be named (names stay
        the same in a rematch, colours do not); ``None`` for fewer than two.
        """
        # A deleted game still counts in its match, but not in consecutive games without one.
        summaries = journal.games(deleted=True)
        place = place_of(journal, summaries[0].id) if summaries else None
        if place is not None:
            ids = {*place.before, summaries[0].id}
            games = [game for game in reversed(summaries) if game.id in ids]
        else:
            games = _in_a_row(journal, [game for game in summaries if game.deleted is None])
            if len(games) < 2 or not all(_player_names(games[0])):
                return None
        with self._lock:
            scores = [self._score(journal, game) for game in games]
            self._counted = {game.id: self._counted[game.id] for game in games}
        score = summed(scores, place.length if place else None)
        result = {
            "games": [game.id for game in games],
            "scores": list(score.games),
            "leaders": list(score.leaders),
            "length": place.length if place else None,
            **score.to_json(),
        }
        # Without an agreed length there is no end.
        return result if place else result | {"over": False, "winners": [], "tied": False}

    def _score(self, journal: GameJournal, game: GameSummary) -> GameScore:
        state = (game.plies, game.ended)
        counted = self._counted.get(game.id)
        if counted is None or counted[0] != state:
            counted = (state, game_score(journal.history(game.id).record()))
            self._counted[game.id] = counted
        return counted[1]


def _in_a_row(journal: GameJournal, summaries: Sequence[GameSummary]) -> list[GameSummary]:
    """The latest consecutive games of the same players, oldest first, back to one that belongs to a match."""
    series: list[GameSummary] = []
    for game in summaries:
        if series and (_player_names(game) != _player_names(series[0]) or place_of(journal, game.id)):
            break
        # A game that was restarted before its first turn does not count.
        if game.plies or not series:
            series.append(game)
    return series[::-1]


def _player_names(game: GameSummary) -> list[str]:
    """The players' names, "" for each player without one."""
    players = int(game.rules.get("players", 2))
    names = sorted(name for name in game.players.values() if name)
    return [*names, *[""] * (players - len(names))]
