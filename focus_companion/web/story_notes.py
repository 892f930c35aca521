"""Notes on a game, by turn: alerts, turns taken back, rulings, comments.

Records may come from anywhere and contain anything as an incident: those of an unknown form are left out.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any, Final

from ..formats.sgf_tree import unescape
from ..game.colours import LETTER
from ..game.moves import Move
from ..game.record import GameRecord
from ..game.squares import INDEX

_MAX_NOTE_LENGTH: Final = 600
"""Maximum characters of one note; a sentence of the referee has at most about 200."""

_MAX_NOTES: Final = 400
"""Maximum number of notes of one game: a page must not grow without bound."""


def notes(record: GameRecord) -> list[dict[str, Any]]:
    """The notes of a game in order, each with ``after``: the ply whose position stood at the time.

    ``kind`` is "alert" (with ``reason``, ``player``, ``squares``, ``text``), "taken_back" (``turns``),
    "corrected", "ruling" (``legal``), or "comment" (``text``, as an SGF file had it).
    """
    # Without the times of the turns the place of an incident is unknown: it goes to the end of the game.
    timed = [e.time for e in record.entries if isinstance(e.what, Move) and e.time is not None]
    in_order = len(timed) == len(record.moves) and timed == sorted(timed)
    found: list[dict[str, Any]] = []
    for incident in record.incidents:
        note = _NOTE_MAKERS.get(str(incident.get("type")), _unknown)(incident)
        if note is None:
            continue
        time = incident.get("time")
        after = len(record.moves)
        if in_order and isinstance(time, int | float):
            after = bisect_right(timed, time)
        found.append(note | {"after": after})
    found += _comments(record)
    return sorted(found, key=lambda note: int(note["after"]))[:_MAX_NOTES]


def _text(value: object) -> str:
    return value[:_MAX_NOTE_LENGTH] if isinstance(value, str) else ""


def _alert(incident: Mapping[str, Any]) -> dict[str, Any]:
    squares = incident.get("squares")
    listed = squares if isinstance(squares, list | tuple) else ()
    player = incident.get("player")
    return {
        "kind": "alert",
        "reason": _text(incident.get("reason")),
        "player": player if isinstance(player, str) and player in LETTER else None,
        "squares": [square for square in listed if isinstance(square, str) and square in INDEX],
        "text": _text(incident.get("text")),
    }


def _taken_back(incident: Mapping[str, Any]) -> dict[str, Any]:
    moves = incident.get("moves")
    return {"kind": "taken_back", "turns": len(moves) if isinstance(moves, list | tuple) and moves else 1}


def _corrected(_: Mapping[str, Any]) -> dict[str, Any]:
    return {"kind": "corrected"}


def _ruling(incident: Mapping[str, Any]) -> dict[str, Any]:
    return {"kind": "ruling", "legal": incident.get("legal") is True}


def _unknown(_: Mapping[str, Any]) -> None:
    return None


_NOTE_MAKERS: Final = {"alert": _alert, "taken_back": _taken_back, "corrected": _corrected, "ruling": _ruling}


def _comments(record: GameRecord) -> list[dict[str, Any]]:
    """The comments of an SGF file, whose node n is ply n; their form was checked when it was read."""
    last = len(record.moves)
    return [
        {"kind": "comment", "text": text[:_MAX_NOTE_LENGTH], "after": min(int(number), last)}
        for number, properties in (record.unknown.get("sgf") or {}).get("nodes", {}).items()
        for name in ("GC", "C")
        for value in properties.get(name, [])
        if (text := unescape(value).strip())
    ]
