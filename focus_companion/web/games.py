"""Past games for the page: the list, and one game move by move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..formats.json_record import record_to_json
from ..game.colours import NAMES
from ..game.match import game_points
from ..game.position import Position
from ..session.events_from_verdicts import captured, reserves
from ..session.history import History
from ..session.state_json import entries, hands, state
from ..storage.journal import GameSummary
from ..storage.matches import place_of
from .ports import GameJournal
from .roster import points


def summaries(journal: GameJournal, running: int | None = None) -> dict[str, list[dict[str, Any]]]:
    """``games`` and ``deleted``, each newest first, one object per game.

    Keys: ``id``, ``title``, ``date``, ``ended``, ``deleted`` (ISO 8601 or null), ``rules``, ``order``,
    ``players`` by colour, ``plies``, ``result`` or null, ``position`` (the last one), ``points`` by colour,
    ``match`` (``length``, ``number``, ``before``) or null, ``running``: whether it is the one at the table.
    """
    last = journal.last_positions()
    listed: dict[str, list[dict[str, Any]]] = {"games": [], "deleted": []}
    for game in journal.games(deleted=True):
        event = last.get(game.id)
        # Journals of the first version lack the position after a turn was taken back.
        position = getattr(event, "position", "") or journal.history(game.id).position.text
        about = _about(journal, game, position, points(journal, game, event))
        listed["games" if game.deleted is None else "deleted"].append(about | {"running": game.id == running})
    return listed


def _about(
    journal: GameJournal, game: GameSummary, position: str, score: Mapping[str, int]
) -> dict[str, Any]:
    place = place_of(journal, game.id)
    return {
        "id": game.id,
        "title": game.title,
        "date": game.began,
        "ended": game.ended,
        "deleted": game.deleted,
        "rules": dict(game.rules),
        "order": game.order,
        "players": {NAMES[letter]: {"name": name} for letter, name in game.players.items()},
        "plies": game.plies,
        "result": game.result,
        "position": position,
        "points": {NAMES[letter]: count for letter, count in score.items()},
        "match": place and place.to_json(),
    }


def past_game(journal: GameJournal, game: int) -> dict[str, Any]:
    """A whole game: its last state, its record and its position after every ply.

    Raises LookupError if the journal has no such game.
    """
    history = journal.history(game)
    position = history.position
    score = game_points(position, history.rules)
    return {
        "id": game,
        "about": _about(journal, journal.summary(game), position.text, score),
        "state": state(history),
        "record": record_to_json(history.record()),
        "positions": position_list(history),
    }


def position_list(history: History) -> list[dict[str, Any]]:
    """The position after every ply, ply 0 first, for replaying on the page."""
    turns = [entry for entry in entries(history) if "move" in entry]
    found = [_position(0, None, history.positions[0])]
    found += [
        _position(ply, turn, position)
        for ply, (turn, position) in enumerate(zip(turns, history.positions[1:], strict=True), 1)
    ]
    return found


def _position(ply: int, turn: dict[str, Any] | None, position: Position) -> dict[str, Any]:
    return {
        "ply": ply,
        "move": turn and turn["move"],
        "player": turn and turn["player"],
        "position": position.text,
        "reserves": reserves(position),
        "captured": captured(position),
        **hands(position),
        "out": [NAMES[letter] for letter in position.out],
        "to_move": NAMES[position.to_move] if position.to_move else None,
        "result": position.result and position.result.to_json(),
    }
