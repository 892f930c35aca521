"""The games of a match, according to the first event of each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Protocol

from ..game.match import MatchPlace
from .journal import GameSummary, KeptEvent


class KeptGames(Protocol):
    """The part of :class:`storage.journal.Journal` that is used here."""

    def games(self, *, deleted: bool = False) -> Sequence[GameSummary]: ...

    def kept(self, after: int = 0, limit: int = 1000, game: int | None = None) -> Sequence[KeptEvent]: ...


def place_of(journal: KeptGames, game: int) -> MatchPlace | None:
    """Which game of a match ``game`` is; None if it is not part of one. Raises ValueError."""
    first = journal.kept(limit=1, game=game)
    return MatchPlace.from_json(json.loads(first[0].body).get("match")) if first else None


def match_of(journal: KeptGames, game: int) -> tuple[int, tuple[int, ...]] | None:
    """The length of the match that ``game`` belongs to, and all its games so far; None if there is none."""
    own = place_of(journal, game)
    if own is None:
        return None
    # A match includes those of its games that somebody deleted.
    for summary in journal.games(deleted=True):  # the newest first
        if summary.id <= game:
            break
        later = place_of(journal, summary.id)
        if later is not None and game in later.before:
            return later.length, (*later.before, summary.id)
    return own.length, (*own.before, game)
