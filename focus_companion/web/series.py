"""The score of the match that is being played, or of the newest games of the same named players in a row."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from ..game.match import GameScore, game_score, summed
from ..storage.journal import GameSummary
from ..storage.matches import place_of
from .ports import GameJournal


class Series:
    """Knows the running match; what a game has added is kept until that game goes on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counted: dict[int, tuple[tuple[int, str | None], GameScore]] = {}

    def running(self, journal: GameJournal) -> dict[str, Any] | None:
        """``games`` (ids, oldest first), ``scores`` (points by name, a game each), ``totals``, ``leaders``;
        ``length``, None where none was agreed on; ``finished``, ``over``, ``winners`` and ``tied``.

        Without a match: the newest games in a row of players who all gave their names (colours change hands
        in a rematch, names do not), ``None`` for fewer than two.
        """
        # A deleted game still counts in its match, and in no row of games.
        summaries = journal.games(deleted=True)
        place = place_of(journal, summaries[0].id) if summaries else None
        if place is not None:
            ids = {*place.before, summaries[0].id}
            games = [game for game in reversed(summaries) if game.id in ids]
        else:
            games = _in_a_row(journal, [game for game in summaries if game.deleted is None])
            if len(games) < 2 or not all(_who(games[0])):
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
        # Who plays on without an agreement has no end to come to.
        return result if place else result | {"over": False, "winners": [], "tied": False}

    def _score(self, journal: GameJournal, game: GameSummary) -> GameScore:
        state = (game.plies, game.ended)
        counted = self._counted.get(game.id)
        if counted is None or counted[0] != state:
            counted = (state, game_score(journal.history(game.id).record()))
            self._counted[game.id] = counted
        return counted[1]


def _in_a_row(journal: GameJournal, summaries: Sequence[GameSummary]) -> list[GameSummary]:
    """The newest games of the same players, oldest first, up to one that belongs to a match."""
    series: list[GameSummary] = []
    for game in summaries:
        if series and (_who(game) != _who(series[0]) or place_of(journal, game.id)):
            break
        # A game that was set up anew before its first turn is none of the series.
        if game.plies or not series:
            series.append(game)
    return series[::-1]


def _who(game: GameSummary) -> list[str]:
    """The players' names, "" for each who has none."""
    players = int(game.rules.get("players", 2))
    names = sorted(name for name in game.players.values() if name)
    return [*names, *[""] * (players - len(names))]
