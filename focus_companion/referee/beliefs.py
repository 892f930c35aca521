"""Hypotheses about the turns played that one look could not distinguish; later looks decide between them.

Each sequence of turns is a *belief*, and each look is judged under every belief. While the pictures agree
with a belief, its position is assumed to be on the board, so that however long the ambiguity lasts, only new
changes have to be explained.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..game.moves import Move
from ..game.play import apply
from ..game.position import MAX_HEIGHT, Position
from ..game.rules import Rules
from .act import SECOND_TURN_PENALTY, Act, Kind
from .beginning import Beginning
from .illegal_acts import IllegalActs
from .legal_acts import LegalActs

MAX_BELIEFS = 6
"""Maximum number of beliefs that are kept; the least likely are dropped."""

TurnSequence = tuple[Move, ...]
"""A sequence of turns that may have been played since the last certain position."""


@dataclass(frozen=True)
class Belief:
    """A sequence of turns, and the ``positions`` after each of them.

    ``nats`` (at most 0) is its log-likelihood relative to the likeliest belief, from evidence that is no
    longer visible: the changes seen when its turns were made. The position itself is judged in every picture.
    """

    turns: TurnSequence = ()
    positions: tuple[Position, ...] = ()
    nats: float = 0.0
    changed_since: frozenset[int] = frozenset()
    """Squares that, under this belief, have changed since the picture that showed the ambiguous turns."""
    unseen: frozenset[int] | None = None
    """The squares of its barely visible turn, if there is one: see :attr:`.Act.unseen`."""
    placed: bool = False
    """See :attr:`.Act.placed`."""

    def rest(self, played: Sequence[Position]) -> Belief | None:
        """What remains in doubt after these positions became certain; ``None`` if the belief contradicts
        them.
        """
        if self.positions[: len(played)] != tuple(played):
            return None
        return Belief(self.turns[len(played) :], self.positions[len(played) :], self.nats)


def believe(turns: TurnSequence, position: Position, rules: Rules, nats: float = 0.0) -> Belief:
    """The belief that ``turns`` were played from ``position``."""
    positions: list[Position] = []
    for move in turns:
        position = apply(position, move, rules)
        positions.append(position)
    return Belief(turns, tuple(positions), nats)


class World:
    """The acts that are possible under one belief, expressed as changes relative to ``assumed``, the stacks
    that the watcher assumes.

    ``in_reference``: the turns of the belief were made before the reference picture of the look.
    """

    def __init__(
        self,
        belief: Belief,
        history: Sequence[Position],
        rules: Rules,
        assumed: Sequence[str],
        *,
        in_reference: bool,
    ) -> None:
        self.belief = belief
        self._beginner = ""
        self.legal = LegalActs([*history, *belief.positions], rules)
        self.illegal = IllegalActs(self.legal)
        self._certain_ply = len(history) - 1
        self._assumed = assumed
        self._base = {s: b for s, b in enumerate(self.legal.stacks) if b != assumed[s]}
        self._changed_before = frozenset(self._base) - belief.changed_since if in_reference else frozenset()
        self._nothing_to_rebase = not belief.turns and not belief.nats and not self._base

    @classmethod
    def begun(cls, beginning: Beginning, assumed: Sequence[str]) -> World:
        """The hypothesis that a player other than the one named began; only later acts can be rebased."""
        belief = Belief((beginning.move,), (beginning.after,))
        world = cls(belief, (beginning.start,), beginning.rules, assumed, in_reference=False)
        world._beginner = beginning.player
        return world

    def followed_by(self, turn: Move) -> World:
        """The same world with one more turn, made in the same look."""
        legal = self.legal
        belief = believe((turn,), legal.position, legal.rules, -SECOND_TURN_PENALTY)
        return World(belief, legal.history, legal.rules, self._assumed, in_reference=False)

    @property
    def nothing_since(self) -> Act:
        """The hypothesis that the belief is true and nothing has happened since."""
        turns = self.belief.turns
        return Act(
            _kind_of(turns),
            self._base,
            turns,
            believed=len(turns),
            given_prior=self.belief.nats,
            changed_before=self._changed_before,
            unseen=self.belief.unseen,
            placed=self.belief.placed,
        )

    def rebase(self, acts: Iterable[Act]) -> Iterator[Act]:
        """The same acts after the turns of this belief, as changes relative to the assumed stacks."""
        return iter(acts) if self._nothing_to_rebase else (self._rebase(act) for act in acts)

    def _rebase(self, act: Act) -> Act:
        turns = self.belief.turns
        after = self._base | act.changes
        changes = {s: b for s, b in after.items() if b != self._assumed[s]}
        # For thousands of acts: one copy of each.
        kind, moves, believed, ply, unseen = act.kind, act.moves, act.believed, act.ply, act.unseen
        if self.belief.unseen is not None:
            unseen = self.belief.unseen | (unseen or frozenset())
        if kind is Kind.BACK:
            if ply >= self._certain_ply:
                left = turns[: ply - self._certain_ply]
                moves = (*left, *moves)
                kind, believed, ply = _kind_of(moves), len(left), -1
        elif turns:
            kind = Kind.TURNS if act.legal else kind
            # An illegal act adds no turns to the belief.
            moves = (*turns, *moves) if act.legal else turns
            believed = len(turns)
        return act._replace(
            kind=kind,
            changes=changes,
            moves=moves,
            ply=ply,
            believed=believed,
            unseen=unseen,
            placed=act.placed or self.belief.placed,
            beginner=self._beginner,
            given_prior=self.belief.nats + act.prior,
            # Mostly empty: then all acts share what Act has by default.
            changed_before=self._changed_before and self._changed_before - act.changes.keys(),
            restored=(
                {s: self._base[s] for s in self._changed_before if s not in changes}
                if self._changed_before
                else act.restored
            ),
        )


def _kind_of(turns: TurnSequence) -> Kind:
    return Kind.NOTHING if not turns else Kind.TURN if len(turns) == 1 else Kind.TURNS


def is_complete(act: Act) -> bool:
    """Whether the act is a sequence of legal turns, possibly empty, that leaves no stack to be trimmed."""
    return act.kind in (Kind.NOTHING, Kind.TURN, Kind.TURNS) and not awaits_trimming(act)


def awaits_trimming(act: Act) -> bool:
    """Whether a stack awaits its trimming after the act."""
    return any(len(stack) > MAX_HEIGHT for stack in act.changes.values())


def turn_sequences(acts: Sequence[Act]) -> tuple[TurnSequence, ...]:
    """The sequences of turns of these acts, likeliest first; a stack may still await its trimming."""
    kinds = (Kind.TURN, Kind.PENDING, Kind.TURNS)
    sequences = dict.fromkeys(act.moves for act in acts if act.kind in kinds and act.legal)
    return tuple(sequences)[:MAX_BELIEFS]


def common_prefix(sequences: Sequence[TurnSequence]) -> TurnSequence:
    """The longest common prefix of the sequences."""
    first: list[Move] = []
    for moves in zip(*sequences, strict=False):
        if len(set(moves)) > 1:
            break
        first.append(moves[0])
    return tuple(first)


def beliefs_in(shown: Sequence[tuple[Act, float]], position: Position, rules: Rules) -> tuple[Belief, ...]:
    """One belief for each act: its turns, and its evidence relative to that of the likeliest act.

    ``shown``: the acts, likeliest first, each with the nats that do not depend on how the board looks now.
    """
    weights: dict[TurnSequence, float] = {}
    for act, weight in shown:
        weights.setdefault(act.moves, weight)
    highest = max(weights.values(), default=0.0)
    return tuple(believe(turns, position, rules, weight - highest) for turns, weight in weights.items())


def beliefs_while_visible(
    acts: Sequence[Act], weights: Sequence[float], position: Position, rules: Rules
) -> tuple[Belief, ...]:
    """The beliefs in these acts, likeliest first, while the reference still shows the certain position: the
    next look weighs again what this one shows. If an illegal act may have been made instead, the certain
    position itself is believed, too, but less than the turns by the difference of the ``weights``.
    """
    likeliest = {act.moves: act for act in reversed(acts) if act.legal and act.moves}
    beliefs = tuple(
        replace(
            believe(turns, position, rules), unseen=likeliest[turns].unseen, placed=likeliest[turns].placed
        )
        for turns in turn_sequences(acts)
        if turns
    )
    legal = [weight for act, weight in zip(acts, weights, strict=True) if act.legal]
    illegal = [weight for act, weight in zip(acts, weights, strict=True) if not act.legal]
    if not illegal or not legal:
        return beliefs
    return (Belief(nats=min(0.0, max(illegal) - max(legal))), *beliefs)


def board_of(belief: Belief, certain: Position) -> tuple[str, ...]:
    """The stacks on the board if the belief is true; ``certain``: the last certain position."""
    return belief.positions[-1].stacks if belief.positions else certain.stacks


def doubtful_squares(beliefs: Sequence[Belief], certain: Position) -> tuple[int, ...]:
    """Squares on which the beliefs disagree."""
    boards = zip(*(board_of(belief, certain) for belief in beliefs), strict=True)
    return tuple(square for square, stacks in enumerate(boards) if len(set(stacks)) > 1)
