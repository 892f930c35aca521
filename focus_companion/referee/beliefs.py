"""Hypotheses about the turns played, if one look could not distinguish them; later looks decide.

Each sequence of turns is a *belief*, and a look is judged under each of them. While the pictures agree with a
belief, its position is assumed to be on the board, so that however long the ambiguity lasts, only new changes
have to be explained.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..game.moves import Move
from ..game.play import apply
from ..game.position import MAX_HEIGHT, Position
from ..game.rules import Rules
from .acts import Act, Acts, Kind
from .beginning import Beginning

MOST = 6
"""Maximum number of beliefs that are kept, the likeliest."""

Row = tuple[Move, ...]
"""A sequence of turns that may have been played since the last certain position."""


@dataclass(frozen=True)
class Belief:
    """A sequence of turns, and the ``positions`` after each of them.

    ``nats`` (at most 0) is its log-likelihood relative to the likeliest belief, from evidence that is no
    longer visible: the changes at the time of its turns. The position itself is judged in every picture.
    """

    row: Row = ()
    positions: tuple[Position, ...] = ()
    nats: float = 0.0
    since: frozenset[int] = frozenset()
    """Squares that, under this belief, have changed since the picture that showed the ambiguous turns."""

    def rest(self, played: Sequence[Position]) -> Belief | None:
        """What remains of it when these positions have become certain; ``None`` if it contradicts them."""
        if self.positions[: len(played)] != tuple(played):
            return None
        return Belief(self.row[len(played) :], self.positions[len(played) :], self.nats)


def believe(row: Row, position: Position, rules: Rules, nats: float = 0.0) -> Belief:
    """The belief that ``row`` was played from ``position``."""
    positions: list[Position] = []
    for move in row:
        position = apply(position, move, rules)
        positions.append(position)
    return Belief(row, tuple(positions), nats)


class World:
    """The acts that are possible under one belief, as changes of ``stood``, the stacks that the watcher
    assumes.

    ``seen``: the turns of the belief were made before the reference picture of the look.
    """

    def __init__(
        self, belief: Belief, history: Sequence[Position], rules: Rules, stood: Sequence[str], *, seen: bool
    ) -> None:
        self.belief = belief
        self._beginner = ""
        self.acts = Acts([*history, *belief.positions], rules)
        self._sure = len(history) - 1
        self._stood = stood
        self._base = {s: b for s, b in enumerate(self.acts.stacks) if b != stood[s]}
        self._past = frozenset(self._base) - belief.since if seen else frozenset()
        self._plain = not belief.row and not self._base

    @classmethod
    def begun(cls, beginning: Beginning, stood: Sequence[str]) -> World:
        """The hypothesis that a player other than the one named began; only later acts can be put."""
        belief = Belief((beginning.move,), (beginning.after,))
        world = cls(belief, (beginning.start,), beginning.rules, stood, seen=False)
        world._beginner = beginning.player
        return world

    @property
    def stands(self) -> Act:
        """The hypothesis that the belief is true and nothing has happened since."""
        row = self.belief.row
        return Act(
            _kind(row), self._base, row, believed=len(row), given=self.belief.nats, past=self._past
        )  # fmt: skip

    def put(self, acts: Iterable[Act]) -> Iterator[Act]:
        """Acts under this belief, as changes of what stood."""
        return iter(acts) if self._plain else (self._put(act) for act in acts)

    def _put(self, act: Act) -> Act:
        row = self.belief.row
        after = self._base | act.changes
        changes = {s: b for s, b in after.items() if b != self._stood[s]}
        # For thousands of acts: one copy of each.
        kind, moves, believed, ply = act.kind, act.moves, act.believed, act.ply
        if kind is Kind.BACK:
            if ply >= self._sure:
                left = row[: ply - self._sure]
                moves = (*left, *moves)
                kind, believed, ply = _kind(moves), len(left), -1
        elif row:
            kind = Kind.TURNS if act.legal else kind
            # An illegal act adds no turns to the belief.
            moves = (*row, *moves) if act.legal else row
            believed = len(row)
        return replace(
            act,
            kind=kind,
            changes=changes,
            moves=moves,
            ply=ply,
            believed=believed,
            beginner=self._beginner,
            given=self.belief.nats + act.prior,
            past=self._past - act.changes.keys(),
            restored={s: self._base[s] for s in self._past if s not in changes},
        )


def _kind(row: Row) -> Kind:
    return Kind.NOTHING if not row else Kind.TURN if len(row) == 1 else Kind.TURNS


def complete(act: Act) -> bool:
    """Whether the act is a sequence of turns, or nothing, that leaves no stack to be trimmed."""
    return act.kind in (Kind.NOTHING, Kind.TURN, Kind.TURNS) and not ends_high(act)


def ends_high(act: Act) -> bool:
    """Whether a stack awaits its trimming after the act."""
    return any(len(stack) > MAX_HEIGHT for stack in act.changes.values())


def rows_of(acts: Sequence[Act]) -> tuple[Row, ...]:
    """The sequences of turns of these acts, likeliest first; a stack may still await its trimming."""
    turns = (Kind.TURN, Kind.PENDING, Kind.TURNS)
    rows = dict.fromkeys(act.moves for act in acts if act.kind in turns and act.legal)
    return tuple(rows)[:MOST]


def shared(rows: Sequence[Row]) -> Row:
    """The longest common prefix of the rows."""
    first: list[Move] = []
    for moves in zip(*rows, strict=False):
        if len(set(moves)) > 1:
            break
        first.append(moves[0])
    return tuple(first)


def board(belief: Belief, sure: Position) -> tuple[str, ...]:
    """The stacks on the board if the belief is true."""
    return belief.positions[-1].stacks if belief.positions else sure.stacks


def doubtful(beliefs: Sequence[Belief], sure: Position) -> tuple[int, ...]:
    """Squares on which the beliefs disagree."""
    boards = zip(*(board(belief, sure) for belief in beliefs), strict=True)
    return tuple(square for square, stacks in enumerate(boards) if len(set(stacks)) > 1)
