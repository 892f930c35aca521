"""A match: an agreed number of games, one point for each opposing piece captured, the highest total wins."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .colours import NAMES
from .position import Position
from .record import GameRecord, positions
from .rules import Rules

MAX_GAMES: Final = 999
"""Maximum number of games in a match; a higher number is a typing mistake."""

_PLACEHOLDER: Final = re.compile(r"Player [1-9]( \([0-9]+\))?")


@dataclass(frozen=True, slots=True)
class MatchPlace:
    """A game's place in its match."""

    length: int
    """The agreed number of games."""
    before: tuple[int, ...] = ()
    """The journal's numbers of the match's finished games, in order."""

    def __post_init__(self) -> None:
        if isinstance(self.length, bool) or not isinstance(self.length, int):
            raise ValueError("the length of a match must be a number of games")
        if not 1 <= self.length <= MAX_GAMES:
            raise ValueError(f"a match has 1 to {MAX_GAMES} games, not {str(self.length)[:20]}")
        if not all(type(game) is int for game in self.before) or len(self.before) >= self.length:
            raise ValueError("the games before must be numbers, and fewer than the match has games")

    @property
    def number(self) -> int:
        """Which game of the match this is, from 1."""
        return len(self.before) + 1

    @property
    def last(self) -> bool:
        """Whether this is the last game of the match."""
        return self.number == self.length

    def after(self, game: int) -> MatchPlace:
        """Return the place of the next game; ``game`` is the number of the one at this place.

        The last game of a match is followed by a new match of the same length.
        """
        return MatchPlace(self.length) if self.last else MatchPlace(self.length, (*self.before, game))

    def to_json(self) -> dict[str, Any]:
        return {"length": self.length, "number": self.number, "before": list(self.before)}

    @classmethod
    def from_json(cls, data: Any) -> MatchPlace | None:
        """Return the place that :meth:`to_json` wrote; None for None. Raises ValueError."""
        if data is None:
            return None
        if not isinstance(data, Mapping) or not isinstance(data.get("before", []), list):
            raise ValueError("the place in a match must be an object with 'length' and 'before'")
        return cls(data.get("length"), tuple(data.get("before", [])))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class GameScore:
    """One game's contribution to a match."""

    points: dict[str, int]
    """By player's name; each partner gets the sum of the pair."""
    sides: tuple[frozenset[str], ...]
    """The sides, each with the names of the players who win together."""
    over: bool


@dataclass(frozen=True, slots=True)
class MatchScore:
    """The standing of a match."""

    games: tuple[dict[str, int], ...]
    """For each game, the points by player's name."""
    totals: dict[str, int]
    """The points of all games by player's name."""
    leaders: tuple[str, ...]
    """Who has the most points: several if tied or on one side; none before the first game."""
    length: int
    """Number of games of the match: as agreed, or else as many as there are."""
    finished: int
    """Number of games that are over."""
    tied: bool
    """Whether the leaders are on different sides."""

    @property
    def over(self) -> bool:
        """Whether all games of the match are over."""
        return 0 < self.length <= self.finished

    @property
    def winners(self) -> tuple[str, ...]:
        """Who has won the match: several if tied or partners; none before its end."""
        return self.leaders if self.over else ()

    def to_json(self) -> dict[str, Any]:
        """Return the score as in a match record and on the page."""
        return {
            "totals": dict(self.totals),
            "finished": self.finished,
            "over": self.over,
            "winners": list(self.winners),
            "tied": self.tied and self.over,
        }

    def sentence(self) -> str:
        """Return the progress of the match, or who has won it, in English."""
        if not self.over:
            games = "game" if self.length == 1 else "games"
            return f"{self.finished} of {self.length} {games} finished"
        *first, last = self.winners
        if self.tied:
            return f"the match is tied between {', '.join(first)} and {last}"
        return f"{', '.join(first)} and {last} win the match" if first else f"{last} wins the match"


def game_points(position: Position, rules: Rules) -> dict[str, int]:
    """Return every player's points (by letter) at a position: see :func:`points_of`."""
    return points_of({player: position.captures(player) for player in rules.order}, rules)


def points_of(captures: Mapping[str, Mapping[str, int]], rules: Rules) -> dict[str, int]:
    """Return every player's points (by letter): opposing pieces captured; partners get the sum of the pair.

    ``captures[a][b]``: how many of b's pieces a has captured.
    """
    own = {
        player: sum(count for other, count in captures[player].items() if other != rules.partner_of(player))
        for player in rules.order
    }
    return {player: sum(own[member] for member in rules.side_of(player)) for player in rules.order}


def game_score(record: GameRecord) -> GameScore:
    """Return a game's contribution to a match; an unfinished game counts as it stands.

    Points go to names, so that players may change colours between games; nameless players count by colour.
    Raises IllegalMove for a record that the rules refuse.
    """
    *_, last = positions(record)
    called = _display_names(record)
    points = {called[player]: count for player, count in game_points(last, record.rules).items()}
    sides = tuple(frozenset(called[player] for player in side) for side in record.rules.sides)
    return GameScore(points, sides, (last.result or record.result) is not None)


def summed(scores: Sequence[GameScore], length: int | None = None) -> MatchScore:
    """Return the score of a match from those of its games; without a length, it consists of those games."""
    totals: dict[str, int] = {}
    for score in scores:
        for name, count in score.points.items():
            totals[name] = totals.get(name, 0) + count
    most = max(totals.values(), default=0)
    leaders = tuple(name for name, count in totals.items() if count == most)
    together = any(side.issuperset(leaders) for score in scores[-1:] for side in score.sides)
    return MatchScore(
        games=tuple(score.points for score in scores),
        totals=totals,
        leaders=leaders,
        length=len(scores) if length is None else length,
        finished=sum(score.over for score in scores),
        tied=len(leaders) > 1 and not together,
    )


def match_score(records: Sequence[GameRecord], length: int | None = None) -> MatchScore:
    """Return the score of a series of games; see :func:`game_score` and :func:`summed`."""
    return summed([game_score(record) for record in records], length)


def is_placeholder(name: str) -> bool:
    """Whether :func:`match_names` made this name for a player without one: it identifies nobody elsewhere."""
    return _PLACEHOLDER.fullmatch(name) is not None


def match_names(order: str, players: Mapping[str, str]) -> dict[str, str]:
    """Return a unique name for every player (letter): in a match they change colours but keep their names."""
    names: dict[str, str] = {}
    for number, player in enumerate(order, 1):
        wanted = name = players.get(player) or f"Player {number}"
        others = {players.get(other) for other in order if other != player} | set(names.values())
        again = 2
        while name in names.values() or (name != wanted and name in others):
            name, again = f"{wanted} ({again})", again + 1
        names[player] = name
    return names


def _display_names(record: GameRecord) -> dict[str, str]:
    """Return the name of every player (letter), with the colour if two have the same name."""
    called = {player: record.name(player) for player in record.rules.order}
    shared = {name for name, times in Counter(called.values()).items() if times > 1}
    return {p: f"{name} ({NAMES[p]})" if name in shared else name for p, name in called.items()}
