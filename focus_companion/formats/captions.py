"""The caption of a picture of a position: the turn, whose turn it is, reserves and captures."""

from __future__ import annotations

from focus_companion.formats.errors import one_line
from focus_companion.formats.text_sheet import DRAW, VERBS, result_text
from focus_companion.formats.walk import PlayedEntry
from focus_companion.game.colours import NAMES
from focus_companion.game.position import Position
from focus_companion.game.record import Declaration, GameRecord


def captions(record: GameRecord, position: Position, step: PlayedEntry | None = None) -> tuple[str, ...]:
    """The turn made (``step``; None at the start), who is to move or how it ended, what each player holds.

    The number of lines is the same at every position of a game, so that the frames of a film have one size.
    """
    return _done(record, step), _next(record, position), *_held(position)


def _who(record: GameRecord, letter: str) -> str:
    name = record.players.get(letter)
    return f"{NAMES[letter]} ({one_line(name, 24)})" if name else NAMES[letter]


def _done(record: GameRecord, step: PlayedEntry | None) -> str:
    if step is None:
        return "start"
    what = step.entry.what
    if isinstance(what, Declaration):
        return DRAW if what.kind == "draw" else f"{_who(record, what.player)} {VERBS[what.kind]}"
    more = f", captures {step.captured.upper()}" if step.captured else ""
    more += f", {step.reserved.upper()} to the reserve" if step.reserved else ""
    return f"{step.ply}. {_who(record, step.before.to_move)}: {what}{more}"


def _next(record: GameRecord, position: Position) -> str:
    if position.result is not None:
        return f"Result: {result_text(position.result)}"
    return f"To move: {_who(record, position.to_move)}"


def _held(position: Position) -> list[str]:
    """``green: reserve 1, captured 3`` for every player, two players per line.

    While pieces of the drop set-up are placed, ``to place 17`` replaces the reserve.
    """
    captured = [sum(row) for row in position.captured]
    kind, hands = ("to place", position.placing) if position.placing else ("reserve", position.reserves)
    each = [
        f"{NAMES[letter]}: {kind} {held}, captured {count}"
        for letter, held, count in zip(position.players, hands, captured, strict=True)
    ]
    return [" · ".join(each[index : index + 2]) for index in range(0, len(each), 2)]
