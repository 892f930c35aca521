"""An act is a hypothesis about what happened at the table since the last legal position: the squares that it
changes, its prior, and the alert if it is illegal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from ..game.moves import Move
from ..game.squares import SQUARES
from .verdict import Wrong

UNSEEN_CHANGE_PENALTY = 12.0
"""Penalty in nats of a change that should be seen and is not: of a barely visible turn, which should hardly
ever be emitted, and of an act that changes a square none of whose pixels have changed."""


class Kind(Enum):
    """The kind of an act; the value is its prior in nats relative to nothing having happened.

    ``PENDING``: a turn whose stack still awaits its trimming; ``TURNS``: two or more consecutive turns;
    ``BACK``: turns taken back; ``WRONG_PIECE``: a piece placed by a player who has none in hand;
    ``WRONG_TRIM``: the wrong pieces removed; ``WRONG_TWICE``: two moves in one turn, or an unexplained
    change.
    """

    NOTHING = 0.0
    TURN = -4.0
    PENDING = -4.5
    TURNS = -18.0
    BACK = -14.0
    WRONG = -26.0
    WRONG_PIECE = -31.0
    WRONG_TRIM = -38.0
    WRONG_TWICE = -36.0


SECOND_TURN_PENALTY = Kind.TURN.value - Kind.TURNS.value
"""Penalty in nats of one more turn in the same picture; also for each of :attr:`Act.extra_plies`, and for
each piece :attr:`Act.fetched`."""


class Act(NamedTuple):
    """A hypothesis about what happened: ``changes`` maps each changed square to its resulting stack.

    A tuple, as a look may take thousands of acts: a frozen dataclass takes five times as long to make.
    """

    kind: Kind
    changes: dict[int, str]
    moves: tuple[Move, ...] = ()
    ply: int = -1
    wrong: Callable[[], Wrong] | None = None
    """Makes the alert for an illegal act; ``None`` for a legal one."""
    lifted: bool = False
    """Pieces are missing from the top of a stack: somebody may only have lifted them, also after a turn."""
    extra_plies: int = 0
    """Number of plies taken back in addition to the last one."""
    fetched: int = 0
    """Number of pieces that had been taken from the board, and were put back under their stacks."""
    trimmed: str = ""
    """Pieces taken, correctly or not, from the stack that a turn had made too high, bottom first."""
    believed: int = 0
    """How many of its turns were already believed after an earlier, ambiguous look."""
    unseen: frozenset[int] | None = None
    """If one of its turns is barely visible: the squares that this turn changed, possibly none."""
    placed: bool = False
    """The barely visible turn placed a piece of the drop set-up on a stack of its own colour."""
    changed_before: frozenset[int] = frozenset()
    """Squares in ``changes`` that had already changed before the reference picture was taken."""
    restored: Mapping[int, str] = {}
    """Squares that it restores to the assumed stacks, each with the different stack that was there before;
    they, too, must have changed since the reference picture."""
    beginner: str = ""
    """Letter of the player who began, if not the one named."""
    given_prior: float | None = None
    """Prior in nats that replaces the one of its kind: several acts share that, or it includes the evidence
    of earlier looks for its turns.
    """

    @property
    def prior(self) -> float:
        if self.given_prior is not None:
            return self.given_prior
        prior = self.kind.value - SECOND_TURN_PENALTY * (self.extra_plies + self.fetched)
        if self.kind is Kind.BACK:
            prior += (0.0, Kind.TURN.value, Kind.TURNS.value)[min(2, len(self.moves))]
        return float(prior if self.unseen is None else prior - UNSEEN_CHANGE_PENALTY)

    def pieces_added(self, before: Sequence[str]) -> int:
        """How many more pieces are on the board than before; ``before``: the stacks, by square."""
        return sum(len(stack) - len(before[square]) for square, stack in self.changes.items())

    @property
    def legal(self) -> bool:
        return self.wrong is None


def changes_between(
    before: Sequence[str], after: Sequence[str], among: Iterable[int] = range(len(SQUARES))
) -> dict[int, str]:
    """The squares that differ, with their new stacks; only squares of ``among`` are compared."""
    return {s: after[s] for s in sorted(among) if after[s] != before[s]}


def squares_of(move: Move) -> tuple[int, ...]:
    """Origin and target of the move; only the target if a piece is placed."""
    return (move.target,) if move.origin is None else (move.origin, move.target)


def lies_within(move: Move, squares: Collection[int]) -> bool:
    """Whether these squares include the move's own."""
    return move.target in squares and (move.origin is None or move.origin in squares)
