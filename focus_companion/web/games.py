"""Past games for the page: the list, one game move by move."""

from __future__ import annotations

from typing import Any

from ..formats.json_record import outcome_to_json, record_to_json
from ..game.colours import NAMES
from ..game.position import Position
from ..session.events_from_verdicts import captured, reserves
from ..session.history import History
from ..session.state_json import entries, hands, state
from ..storage.journal import GameSummary
from .ports import GameJournal


def summaries(journal: GameJournal) -> list[dict[str, Any]]:
    """One object a game, the newest first: id, date, players by colour, turns played, result or null."""
    return [_summary(game) for game in journal.games()]


def _summary(game: GameSummary) -> dict[str, Any]:
    order = game.rules.get("order") or [NAMES[letter] for letter in game.players]
    return {
        "id": game.id,
        "date": game.began,
        "ended": game.ended,
        "rules": dict(game.rules),
        "order": order,
        "players": {NAMES[letter]: {"name": name} for letter, name in game.players.items()},
        "plies": game.plies,
        "result": game.result,
    }


def past_game(journal: GameJournal, game: int) -> dict[str, Any]:
    """A game whole: its last state, its record and its position after every ply.

    Raises LookupError where the journal has no such game.
    """
    history = journal.history(game)
    return {
        "id": game,
        "state": state(history),
        "record": record_to_json(history.record()),
        "positions": told_positions(history),
    }


def told_positions(history: History) -> list[dict[str, Any]]:
    """The position after every ply, ply 0 first, as the page looks back at it."""
    turns = [entry for entry in entries(history) if "move" in entry]
    told = [_position(0, None, history.positions[0])]
    told += [
        _position(ply, turn, position)
        for ply, (turn, position) in enumerate(zip(turns, history.positions[1:], strict=True), 1)
    ]
    return told


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
        "result": outcome_to_json(position.result),
    }
