"""A match: a series of games, one point for each opposing piece captured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .colours import NAMES
from .position import Position
from .record import GameRecord, positions
from .rules import Rules


@dataclass(frozen=True, slots=True)
class MatchScore:
    """Where a match stands."""

    games: tuple[dict[str, int], ...]
    """For each game the points by player's name."""
    totals: dict[str, int]
    """The points of all games by player's name."""
    leaders: tuple[str, ...]
    """Who has most points: several when they have the same, or win together; none before the first game."""


def game_points(position: Position, rules: Rules) -> dict[str, int]:
    """Return every player's points (by letter) at a position: see :func:`points_of`."""
    return points_of({player: position.captures(player) for player in rules.order}, rules)


def points_of(captures: Mapping[str, Mapping[str, int]], rules: Rules) -> dict[str, int]:
    """Return every player's points (by letter): opposing pieces captured, a pair their sum.

    ``captures[a][b]``: how many of b's pieces a has captured.
    """
    own = {
        player: sum(count for other, count in captures[player].items() if other != rules.partner_of(player))
        for player in rules.order
    }
    return {player: sum(own[member] for member in rules.side_of(player)) for player in rules.order}


def match_score(records: Sequence[GameRecord]) -> MatchScore:
    """Return the score of a series of games, unfinished ones as they stand.

    Points go to names, so that players may change colours between games; who has no name goes by the colour.
    Raises IllegalMove for a record that the rules refuse.
    """
    games: list[dict[str, int]] = []
    totals: dict[str, int] = {}
    for record in records:
        *_, last = positions(record)
        called = _called(record)
        points = {called[player]: count for player, count in game_points(last, record.rules).items()}
        games.append(points)
        for name, count in points.items():
            totals[name] = totals.get(name, 0) + count
    most = max(totals.values(), default=0)
    return MatchScore(tuple(games), totals, tuple(name for name, count in totals.items() if count == most))


def _called(record: GameRecord) -> dict[str, str]:
    """Return what to call every player: the name, with the colour where two have the same."""
    called = {player: record.name(player) for player in record.rules.order}
    shared = {name for name, times in Counter(called.values()).items() if times > 1}
    return {p: f"{name} ({NAMES[p]})" if name in shared else name for p, name in called.items()}
