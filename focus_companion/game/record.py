"""The record of a game (its rules, the players, every turn and act in order), and its replay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .colours import NAMES
from .declarations import DECLARATION_KINDS, Declaration, DeclarationKind
from .faults import Fault, IllegalMove
from .moves import Move, MoveTextError, in_small_letters
from .outcome import Outcome
from .play import act, play
from .position import Position
from .rules import Rules
from .setups import start_position

__all__ = [
    "DECLARATION_KINDS",
    "BadMove",
    "Declaration",
    "DeclarationKind",
    "Entry",
    "GameRecord",
    "Step",
    "positions",
    "steps",
]


@dataclass(frozen=True, slots=True)
class BadMove:
    """Text in place of a move that is not a move: kept so that the replay can name its ply."""

    text: str

    def __str__(self) -> str:
        return self.text if len(self.text) <= 20 else self.text[:20] + "…"

    @property
    def fault(self) -> Fault:
        """Why it is not a move: capital letters, squares not both on the board, or no move at all."""
        if small := in_small_letters(self.text):
            return Fault("capitals", details={"text": str(self), "small": small})
        squares = self.text.removeprefix("*").split("-")
        written = 1 <= len(squares) <= 2 and all(_looks_like_square(square) for square in squares)
        return Fault("off_board" if written else "unreadable", details={"text": str(self)})


@dataclass(frozen=True, slots=True)
class Entry:
    """One turn or act, and its time in seconds since the game began, if known."""

    what: Move | Declaration | BadMove
    time: float | None = None

    @classmethod
    def parse(cls, text: str, time: float | None = None) -> Entry:
        """Return the entry of a turn as written; a text that is no move becomes a :class:`BadMove`."""
        try:
            return cls(Move.parse(text), time)
        except MoveTextError:
            return cls(BadMove(text), time)


@dataclass(frozen=True)
class GameRecord:
    """A game as it is stored."""

    rules: Rules
    players: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Names of the players, by colour letter; those without a name are missing."""
    date: str = ""
    entries: tuple[Entry, ...] = ()
    incidents: tuple[Mapping[str, Any], ...] = field(default=(), hash=False)
    """Alerts, prompts, take-backs and corrections, as JSON objects with their times."""
    result: Outcome | None = None
    """The result as stated in the record; the replayed one is in its last position."""
    unknown: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Unknown parts of the format, written back unchanged."""

    @property
    def moves(self) -> tuple[Move, ...]:
        """Only the turns, without the acts."""
        return tuple([entry.what for entry in self.entries if isinstance(entry.what, Move)])

    def name(self, player: str) -> str:
        """Return the name of a player (letter), or that of the colour if the record has none."""
        return self.players.get(player) or NAMES[player]


@dataclass(frozen=True, slots=True)
class Step:
    """A record's state after one entry: ``entry`` is None for the start, ``ply`` counts only turns."""

    ply: int
    entry: Entry | None
    position: Position


def steps(record: GameRecord) -> Iterator[Step]:
    """Replay a record, one step for the start and one for every turn and act.

    Raises IllegalMove, with its ply, at the first entry that the rules refuse.
    """
    rules = record.rules
    position = start_position(rules)
    yield Step(0, None, position)
    ply = 0
    for entry in record.entries:
        what = entry.what
        if isinstance(what, Declaration):
            try:
                position = act(position, what, rules)
            except IllegalMove as error:
                raise IllegalMove(error.fault, error.text, ply + 1) from None
        else:
            ply += 1
            position = _played(position, what, rules, ply)
        yield Step(ply, entry, position)


def positions(record: GameRecord) -> Iterator[Position]:
    """Replay a record, one position for each ply from ply 0.

    An act is not a ply: its effect is in the position of the ply that it follows. Raises IllegalMove, naming
    the ply, at the first entry that the rules refuse, after the positions before it.
    """
    pending: Step | None = None
    try:
        for step in steps(record):
            if pending is not None and step.ply != pending.ply:
                yield pending.position
            pending = step
    except IllegalMove:
        if pending is not None:
            yield pending.position
        raise
    if pending is not None:
        yield pending.position


def _played(position: Position, move: Move | BadMove, rules: Rules, ply: int) -> Position:
    if isinstance(move, BadMove):
        raise IllegalMove(move.fault, str(move), ply)
    try:
        return play(position, move, rules)
    except IllegalMove as error:
        raise IllegalMove(error.fault, error.text, ply) from None


def _looks_like_square(text: str) -> bool:
    return len(text) == 2 and text[0].isalpha() and text[1].isdigit()
