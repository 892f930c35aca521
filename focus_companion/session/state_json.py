"""Converts the game to the JSON of ``/api/state``."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from typing import Any, Final, TypeVar

from ..game.colours import NAMES
from ..game.declarations import Declaration
from ..game.moves import Move
from ..game.play import removed
from ..game.position import Position
from ..game.rules import Rules
from ..game.squares import INDEX
from .events import Event
from .events_from_verdicts import captured, reserves
from .history import History, Transition
from .rulings import in_question
from .seat_kinds import BOARD

Value = TypeVar("Value")

DEFAULT_SIDES: Final[Mapping[int, Mapping[str, str]]] = {
    2: {"g": "bottom", "r": "top"},
    3: {"g": "bottom", "b": "left", "r": "right"},
    4: {"g": "bottom", "b": "left", "y": "top", "r": "right"},
}
"""The default side of the board of each colour, by number of players."""

OPPOSITE_SIDE: Final = {"bottom": "top", "left": "right", "top": "bottom", "right": "left"}


def seats(players: str) -> dict[str, str]:
    """Side of the board by colour letter; colours without a default take the free sides, clockwise."""
    usual = DEFAULT_SIDES[len(players)]
    placed = {letter: usual[letter] for letter in players if letter in usual}
    free = [side for side in usual.values() if side not in placed.values()]
    for letter in players:
        if letter not in placed:
            placed[letter] = free.pop(0)
    return placed


def seats_fault(rules: Rules, given: Mapping[str, str]) -> str:
    """Why these rules do not allow the seats given (sides by letter); "" if they do."""
    placed = seats(rules.order) | dict(given)
    if all(OPPOSITE_SIDE[placed[p]] == placed[rules.partner_of(p)] for p in rules.order if rules.partners):
        return ""
    return "partners sit opposite each other"


def named(by_letter: Mapping[str, Value]) -> dict[str, Value]:
    """The same mapping by colour name."""
    return {NAMES[letter]: value for letter, value in by_letter.items()}


def entries(history: History, start: int = 0) -> list[dict[str, Any]]:
    """The turns and acts from number ``start`` on, with the keys of a record; turns also have ``ply``,
    ``player``, ``reserve``, ``captured`` and ``out``.

    ``reserve`` and ``captured`` are the letters of the pieces that the turn's trimming sent there, bottom
    first; ``out`` are the players who were to move next and could not, and so fell out.
    """
    listed: list[dict[str, Any]] = []
    ply = sum(isinstance(entry.what, Move) for entry in history.entries[:start])
    for entry in history.entries[start:]:
        if isinstance(entry.what, Declaration):
            who = {"player": NAMES[entry.what.player]} if entry.what.player else {}
            listed.append({"act": entry.what.kind, "time": entry.time} | who)
        if not isinstance(entry.what, Move):
            continue
        before = history.positions[ply]
        gone = removed(before, entry.what, history.rules)
        ply += 1
        fallen = [NAMES[p] for p in history.positions[ply].out if p not in before.out]
        listed.append(
            {
                "ply": ply,
                "player": NAMES[before.to_move],
                "move": str(entry.what),
                "time": entry.time,
                "reserve": "".join(piece.piece for piece in gone if piece.to == "reserve"),
                "captured": "".join(piece.piece for piece in gone if piece.to == "captured"),
                "out": fallen,
            }
        )
    return listed


def state(history: History) -> dict[str, Any]:
    """The part of the contract's state that depends only on the game: without camera and last event id."""
    return standing(history) | {"moves": entries(history)}


def change(transition: Transition) -> dict[str, Any]:
    """The change of the state by an event: :func:`standing` after it, and a change to the list of moves,
    whose first ``keep`` entries stay and are followed by those of ``add``. Its size does not grow with the
    game.
    """
    before, after = transition.before.entries, transition.after.entries
    keep = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], zip(before, after, strict=False)))
    return standing(transition.after) | {"moves": {"keep": keep, "add": entries(transition.after, keep)}}


def standing(history: History) -> dict[str, Any]:
    """The state without its list of moves; its cost does not grow with the game."""
    position = history.position
    players = history.positions[0].players
    sides = seats(players) | dict(history.seats)
    moves = history.moves
    beginning = in_question(history)
    return {
        "game": history.game,
        "rules": history.rules.to_json(),
        "ply": history.ply,
        "position": position.text,
        "to_move": NAMES[position.to_move] if position.to_move else None,
        "reserves": reserves(position),
        "captured": captured(position),
        "out": [NAMES[letter] for letter in position.out],
        "last_move": str(moves[-1].what) if moves else None,
        "alert": _json(history.alert),
        "begins": NAMES[beginning.player] if beginning else None,
        "prompt": history.prompt and history.prompt.to_json() | {"move": history.prompt.move or None},
        "result": position.result and position.result.to_json(),
        "unclear": list(history.unclear.candidates) if history.unclear else None,
        "set_up": list(history.set_up),
        "ready": history.ready,
        "start_from": history.start_from or None,
        "reading": _json(history.reading),
        "arranged": history.arranged,
        "paused": history.paused,
        "players": {
            NAMES[letter]: {"name": history.players.get(letter, ""), "seat": sides[letter]}
            for letter in players
        },
        "order": [NAMES[letter] for letter in players],
        **hands(position),
        "date": history.date,
        "seats": {NAMES[letter]: history.played_by.get(letter, BOARD) for letter in players},
        "pace": history.pace,
        "reply": _json(history.reply),
        "seat_failed": _json(history.seat_failed),
        "hint": _json(history.hint),
        "assessment": _json(history.assessment),
        "match": history.match and history.match.to_json(),
        "demo": history.demo,
    }


def hands(position: Position) -> dict[str, Any]:
    """Who must place a piece before moving a stack: ``thirteenth``, the players whose thirteenth piece is
    unplayed, and ``placing``, the number of pieces left by player in the drop set-up, else ``None``.
    """
    players = position.players
    return {
        "thirteenth": [NAMES[p] for p, waiting in zip(players, position.thirteenth, strict=True) if waiting],
        "placing": {NAMES[p]: n for p, n in zip(players, position.placing, strict=False)} or None,
    }


def wrong_squares(history: History) -> tuple[int, ...]:
    """The squares (indices) to be corrected now: those of the alert, or else those of the set-up."""
    names = history.alert.squares if history.alert else () if history.ready else history.set_up
    return tuple(INDEX[name] for name in names)


def _json(event: Event | None) -> dict[str, Any] | None:
    return None if event is None else event.to_json()
