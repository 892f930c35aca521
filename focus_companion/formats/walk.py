"""A record step by step, with what each turn took: what the sheets and pictures are made from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from focus_companion.game import record as records
from focus_companion.game.moves import Move
from focus_companion.game.play import Removed, removed
from focus_companion.game.position import Position
from focus_companion.game.record import Entry, GameRecord


@dataclass(frozen=True, slots=True)
class PlayedEntry:
    """One entry of a record; ``ply`` counts the turns up to and with it. An act has nothing ``removed``."""

    ply: int
    entry: Entry
    before: Position
    after: Position
    removed: tuple[Removed, ...] = ()

    @property
    def move(self) -> Move | None:
        """The turn; None for an act."""
        return self.entry.what if isinstance(self.entry.what, Move) else None

    @property
    def captured(self) -> str:
        """Letters of the pieces that the turn captured."""
        return "".join(piece.piece for piece in self.removed if piece.to == "captured")

    @property
    def reserved(self) -> str:
        """Letters of the pieces that the turn put into reserve, the mover's own or the partner's."""
        return "".join(piece.piece for piece in self.removed if piece.to == "reserve")


def steps(record: GameRecord) -> Iterator[PlayedEntry]:
    """The entries of a record in order. Raises IllegalMove, which names the ply, at the first illegal one."""
    before: Position | None = None
    for step in records.steps(record):
        if before is not None and step.entry is not None:
            what = step.entry.what
            taken = removed(before, what, record.rules) if isinstance(what, Move) else ()
            yield PlayedEntry(step.ply, step.entry, before, step.position, taken)
        before = step.position


def finished(record: GameRecord) -> GameRecord:
    """The record with the result that its entries lead to, where they lead to one.

    Raises IllegalMove, naming the ply, when an entry is not legal.
    """
    result = record.result
    for step in records.steps(record):
        result = step.position.result or result
    return replace(record, result=result)
