"""The players of a journal: how often each has played and won, what they captured, and against whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..game.colours import LETTER, NAMES
from ..game.match import game_points, is_placeholder, points_of
from ..game.rules import Rules
from ..session.events import Event, GameBegan, Moved
from ..session.names import name_key
from ..storage.journal import GameSummary
from .ports import GameJournal


@dataclass
class _Rival:
    played: int = 0
    won: int = 0
    lost: int = 0


@dataclass
class _Player:
    name: str
    last: str
    played: int = 0
    won: int = 0
    drawn: int = 0
    points: int = 0
    streak: int = 0
    best_streak: int = 0
    rivals: dict[str, _Rival] = field(default_factory=dict)


def roster(journal: GameJournal) -> list[dict[str, Any]]:
    """Everybody who has finished a game under a name, best first: by games won (a draw counts half), then by
    points.

    Keys: ``name``, ``last`` (when the last of their games began), ``played``, ``won``, ``drawn``, ``lost``,
    ``points`` (opposing pieces captured), ``streak`` (games won in a row up to now), ``best_streak``, and
    ``rivals``: those played against, most often first, with ``played``, ``won`` and ``lost`` against them.
    A game counts once it has a result. Names that differ only in capitals or spaces are the same player.
    """
    last = journal.last_positions()
    found: dict[str, _Player] = {}
    for game in reversed(journal.games()):
        if game.result is not None and (who := _named(game)):
            _count(found, game, who, points(journal, game, last.get(game.id)))
    ordered = sorted(found.values(), key=lambda p: (-p.won - p.drawn / 2, -p.points, p.name.casefold()))
    return [_to_json(player, found) for player in ordered]


def _count(
    found: dict[str, _Player], game: GameSummary, who: Mapping[str, str], points: Mapping[str, int]
) -> None:
    rules = Rules.from_json(dict(game.rules), played=True)
    winners = {LETTER[colour] for colour in (game.result or {}).get("winners", ())}
    for letter, name in who.items():
        player = found.setdefault(name_key(name), _Player(name, game.began))
        player.name, player.last = name, game.began
        player.played += 1
        player.points += points[letter]
        if letter in winners:
            player.won += 1
            player.streak += 1
            player.best_streak = max(player.best_streak, player.streak)
        else:
            player.drawn += not winners
            player.streak = 0
        for other, their_name in who.items():
            if other in rules.side_of(letter):
                continue
            rival = player.rivals.setdefault(name_key(their_name), _Rival())
            rival.played += 1
            rival.won += letter in winners
            rival.lost += other in winners


def points(journal: GameJournal, game: GameSummary, last: Event | None) -> dict[str, int]:
    """Every player's points (by letter) in a game; ``last``: its last event with a position."""
    rules = Rules.from_json(dict(game.rules), played=True)
    if isinstance(last, GameBegan) and rules.set_up != "position":
        return dict.fromkeys(rules.order, 0)
    if not isinstance(last, Moved):  # for example, the last turn was taken back
        history = journal.history(game.id)
        return game_points(history.position, history.rules)
    rows = last.captured.items()
    return points_of(
        {LETTER[who]: {LETTER[other]: n for other, n in row.items()} for who, row in rows}, rules
    )


def names(journal: GameJournal) -> list[str]:
    """The names in earlier games, each once, in its latest spelling; newest first."""
    found: dict[str, str] = {}
    for game in journal.games():
        for name in _named(game).values():
            found.setdefault(name_key(name), name)
    return list(found.values())


def _named(game: GameSummary) -> dict[str, str]:
    """The players' names by letter, without those that two players of the game share."""
    called = {
        letter: " ".join(name.split())
        for letter, name in game.players.items()
        if name.strip() and name_key(name) != NAMES[letter] and not is_placeholder(name)
    }
    times = Counter(name_key(name) for name in called.values())
    return {letter: name for letter, name in called.items() if times[name_key(name)] == 1}


def _to_json(player: _Player, found: Mapping[str, _Player]) -> dict[str, Any]:
    met: Iterable[tuple[str, _Rival]] = sorted(
        player.rivals.items(), key=lambda each: (-each[1].played, found[each[0]].name.casefold())
    )
    return {
        "name": player.name,
        "last": player.last,
        "played": player.played,
        "won": player.won,
        "drawn": player.drawn,
        "lost": player.played - player.won - player.drawn,
        "points": player.points,
        "streak": player.streak,
        "best_streak": player.best_streak,
        "rivals": [
            {"name": found[key].name, "played": rival.played, "won": rival.won, "lost": rival.lost}
            for key, rival in met
        ],
    }
