"""Collects the acts that may explain one look, the likely ones first: each step adds rarer ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..game.moves import Move
from ..game.position import Position
from .act import Act, Kind, lies_within, squares_of
from .alerted import Alerted
from .beliefs import World, awaits_trimming
from .trimming import Pending
from .visible_change import CERTAIN_CHANGED_FRACTION

if TYPE_CHECKING:
    from ..vision.tracking.look import Look

_MAX_FURTHER_SQUARES = 3
"""Number of most changed squares on which illegal acts are weighed in addition to a legal turn."""

_MAX_OPEN_SQUARES = 10
"""Number of most changed squares on which rare illegal acts and quick successions are weighed."""

_MAX_LONG_SUCCESSION_SQUARES = 8
"""Number of most changed squares between which three or more turns are weighed: those of four turns. Raising
it takes time, as the number of successions grows exponentially."""

_MAX_SQUARES_OF_TWO_ACTS = 4
"""Number of squares that a turn and an act after it change at most."""

_MAX_BELIEFS_FOR_RARE_ACTS = 3
"""Number of likeliest beliefs under which rare acts are weighed, not only turns and simple illegal moves."""

_MAX_CHANGED_WITH_HIDDEN_TARGET = 3
"""Maximum number of changed squares for a missing piece to be assumed where it is barely visible."""


class ActPool:
    """The acts to be weighed for one look.

    ``worlds``: the beliefs, the likeliest first; ``open_squares``: those that may have changed; ``trimmed``:
    the world in which the awaited trimming was done, followed by something else; ``begun``: the world in
    which another player began; ``alternatives``: turns for which there is some evidence although the last
    turn was emitted in their place; ``alerted``: the alert that stands.
    """

    def __init__(
        self,
        look: Look,
        worlds: Sequence[World],
        open_squares: Sequence[int],
        pending: Pending | None,
        *,
        trimmed: World | None,
        begun: World | None,
        alternatives: Collection[Move],
        alerted: Alerted | None,
    ) -> None:
        self._look, self._worlds, self._pending = look, worlds, pending
        self.open_squares, self._open = open_squares, set(open_squares)
        self._trimmed, self._begun, self._alternatives, self._alerted = trimmed, begun, alternatives, alerted
        self.strong = [s for s in open_squares if look.touched[s] >= CERTAIN_CHANGED_FRACTION]
        """Squares on which, or right in front of which, something certainly happened."""
        self.nothing_since = [world.nothing_since for world in worlds]
        """That a belief is true and nothing has happened since, for each of them."""
        self._acts = [*self.nothing_since]

    @property
    def acts(self) -> list[Act]:
        """The acts so far, without those that likelier ones make needless, as they leave the same stacks:
        further turns that only restore the position before the turns in doubt, which have been taken back
        then, and illegal acts where a turn may have been replaced by another.
        """
        back = {_stacks_left(act) for act in self._acts if act.kind is Kind.NOTHING and act.changes}
        instead = {_stacks_left(act): act.prior for act in self._acts if act.kind is Kind.BACK and act.moves}
        if not back and not instead:
            return self._acts
        return [
            act
            for act in self._acts
            if not (back and act.legal and act.moves and _stacks_left(act) in back)
            and (not instead or act.legal or instead.get(_stacks_left(act), -math.inf) < act.prior)
        ]

    def _under_beliefs(
        self, list_acts: Callable[[World], Iterable[Act]], among: Sequence[World] | None = None
    ) -> Iterator[Act]:
        """The acts that ``list_acts`` gives for each belief; only for those of ``among``, if given."""
        for world in self._worlds if among is None else among:
            yield from world.rebase(list_acts(world))

    def add_taken_back(self) -> None:
        """Turns taken back, wherever they change the board."""
        self._acts += self._under_beliefs(lambda world: world.legal.back())

    def add_likely(self) -> None:
        """Legal turns, and turns taken back, that change some open square."""
        # A stack may change little of its own square and most of the square that is seen behind it.
        in_front = {s for s in self._open.difference(self.strong) if self._overlaps(s, self.strong)}
        likely = in_front.union(self.strong) or self._open
        self._acts += self._under_beliefs(lambda world: world.legal.turns(likely))
        if self._pending is None:
            # In bad light, a turn may change little anywhere.
            faint = self._open - likely
            self._acts += self._under_beliefs(lambda world: world.legal.turns(faint, contained=True))
        if self._begun is not None:
            turns = (act for act in self._begun.legal.turns(self._open) if self._was_still_due(act.moves[0]))
            self._acts += self._begun.rebase(turns)
        # From above, a piece that was moved back may be visible on only one of its two squares.
        taken_back = self._under_beliefs(lambda world: world.legal.back())
        self._acts += (act for act in taken_back if not self._open.isdisjoint(act.changes))

    def add_alike(self, best: Act) -> None:
        """Illegal acts on the squares of the best act so far, where they may look much like it."""
        # If no turn is legal there, an additional piece on its own colour changes only a rim.
        here = {*best.changes, *self._most_changed(_MAX_FURTHER_SQUARES)}
        self._acts += self._under_beliefs(lambda world: world.illegal.displacements(here))
        self._acts += self._under_beliefs(lambda world: world.illegal.removals(here))
        if best.moves and (best.trimmed or best.kind is Kind.PENDING or awaits_trimming(best)):
            last = best.moves[-1]
            trimming = [world for world in self._worlds if last in world.legal.moves]
            self._acts += self._under_beliefs(lambda world: world.illegal.wrong_trims(last), trimming)

    def add_rare(self, apart: Collection[int]) -> None:
        """Successions of turns, and every illegal act on the most changed squares.

        ``apart``: squares that have certainly changed, though faintly, beyond the reach of the best act.
        """
        awaited = None if self._pending is None else self._pending.move
        # Such a square may also have lost a piece, which was moved to a square where it is barely visible.
        inside = self._most_changed(_MAX_OPEN_SQUARES) | self._hidden_targets([*self.strong, *apart])
        if self.strong:
            weak = self._open.difference(self.strong)
            self._acts += self._under_beliefs(lambda world: world.legal.turns(weak))
        begun, likeliest = self._begun, self._worlds[:_MAX_BELIEFS_FOR_RARE_ACTS]
        successions = self._under_beliefs(lambda world: world.legal.successions(inside), likeliest)
        self._acts += (
            act
            for act in successions
            # The out-of-turn act that was seen first cannot be the second turn.
            if begun is None or act.moves[-1:] != begun.belief.turns or not self._was_still_due(act.moves[0])
        )
        self._acts += self._under_beliefs(lambda world: world.legal.unseen(inside), likeliest)
        # Pieces in a hand are missing where that certainly shows.
        seen = set(most_changed(self._look, self.strong, _MAX_OPEN_SQUARES))
        left_high = awaited if self._pending is not None and self._pending.sure else None
        lifts = self._under_beliefs(lambda world: world.legal.turns_and_lifts(seen, left_high), likeliest)
        self._acts += lifts
        self._acts += self._under_beliefs(lambda world: world.illegal.double_lifts(seen), likeliest)
        for world in likeliest:
            # The alternatives replace the last known turn, not one that is only believed.
            known = world is self._worlds[0] and not world.belief.turns
            instead = world.legal.retries(inside, self._alternatives if known else ())
            self._acts += world.rebase(instead)
        self._acts += self._under_beliefs(lambda world: world.illegal.every(inside, awaited), likeliest)
        self._acts += self._turns_and_illegal_moves()
        if self._trimmed is not None:
            self._acts += _since_prompt(self._worlds[0], self._trimmed, inside)
        if self._alerted is not None:
            followed = self._alerted.followed(inside, self.position.players, self._look.evidence.standing)
            # What a single act explains needs no second one.
            single = {_stacks_left(act) for act in self._acts}
            self._acts += (act for act in followed if _stacks_left(act) not in single)

    def _turns_and_illegal_moves(self) -> Iterator[Act]:
        """A turn and an illegal act of another player after it, on squares that have certainly changed since
        the reference picture.
        """
        known, change = self._worlds[0], self._look.change
        if self._pending is not None or known.belief.turns:
            return
        since = self._look.touched if change is None else change.touched
        changed = [s for s in self.strong if since[s] >= CERTAIN_CHANGED_FRACTION]
        squares = most_changed(self._look, changed, _MAX_SQUARES_OF_TWO_ACTS)
        for turn in known.legal.moves if len(squares) > 2 else ():
            if lies_within(turn, squares):
                after = known.followed_by(turn)
                yield from after.rebase(after.illegal.displacements(squares))

    def long_successions(self) -> list[Act]:
        """Three or more turns between the most changed squares, as many as may have changed all those that
        certainly did: something was over the board for so long that the players went on meanwhile.
        """
        return self._long_successions(self._most_changed(_MAX_LONG_SUCCESSION_SQUARES), self.strong)

    def turns_since_alert(self, first: Move) -> list[Act]:
        """Three or more turns, from ``first``, which left a stack too high, in the order in which they were
        seen while that was alerted.
        """
        if self._alerted is None:
            return []
        changed = self._alerted.since.keys()
        turns = self._long_successions(changed, changed, (first,))
        return [act for act in turns if self._alerted.in_order(act.moves)]

    def _long_successions(
        self, inside: Collection[int], changed: Collection[int], first: Collection[Move] = ()
    ) -> list[Act]:
        """Those on the squares ``inside``, as many turns as may have changed the squares ``changed``."""
        if len(changed) > _MAX_LONG_SUCCESSION_SQUARES:
            return []
        most, likeliest = max(3, (len(changed) + 1) // 2), self._worlds[:1]
        return [
            *self._under_beliefs(lambda world: world.legal.long_successions(inside, most, first), likeliest)
        ]

    def _was_still_due(self, turn: Move) -> bool:
        """Whether the turn had certainly not been made yet when an act was alerted."""
        return self._alerted is None or not lies_within(turn, self._alerted.besides)

    def add_hidden_origins(self, placed: Act) -> None:
        """Moves to where a piece of unknown origin was placed, from squares that barely show its absence."""
        here = _hidden_origins(self._look.evidence.standing, placed).union(placed.changes)
        likeliest = self._worlds[:_MAX_BELIEFS_FOR_RARE_ACTS]
        self._acts += self._under_beliefs(lambda world: world.illegal.displacements(here), likeliest)

    @property
    def position(self) -> Position:
        """The last one, under the likeliest belief."""
        return self._worlds[0].legal.position

    def _most_changed(self, most: int) -> set[int]:
        return set(most_changed(self._look, self.open_squares, most))

    def _overlaps(self, square: int, others: Sequence[int]) -> bool:
        """Whether one more piece on the square would overlap a piece on one of the others in the picture."""
        stood, overlap = self._look.evidence.standing, self._look.evidence.outlines.overlap
        return any(overlap(square, len(stood[square]) + 1, s, len(stood[s]) + 1) for s in others)

    def _hidden_targets(self, changed: Sequence[int]) -> set[int]:
        """Squares on which one more piece of a moved colour would be barely visible, because the same colour
        is on top; none if so much has changed that no piece can be missing.
        """
        if len(changed) > _MAX_CHANGED_WITH_HIDDEN_TARGET:
            return set()
        stacks = self._look.evidence.standing
        tops = {stacks[square][-1:] for square in changed} - {""}
        return {s for s, stack in enumerate(stacks) if stack[-1:] in tops}


def _stacks_left(act: Act) -> frozenset[tuple[int, str]]:
    return frozenset(act.changes.items())


def most_changed(look: Look, squares: Sequence[int], most: int) -> list[int]:
    """At most so many of these squares: those with the largest fractions of changed pixels."""
    return sorted(squares, key=lambda square: -look.touched[square])[:most]


def _hidden_origins(stacks: Sequence[str], act: Act) -> set[int]:
    """Squares from which a piece of unknown origin may have been taken without being seen, because the same
    colour is still on top.
    """
    piece = max(act.changes.values(), key=len)[-1]
    return {s for s, stood in enumerate(stacks) if stood.endswith(2 * piece) and s not in act.changes}


def _since_prompt(world: World, trimmed: World, inside: set[int]) -> Iterator[Act]:
    """Acts that may have followed the prompt for a trimming.

    ``trimmed``: the world in which the trimming was done.
    """
    (move,) = trimmed.belief.turns
    # The next turn may start from a square where a missing piece is barely visible.
    like = {s for s, stack in enumerate(world.legal.stacks) if stack[-1:] == stack[-2:-1]}
    # The reference may show the turn that was prompted for already.
    within = inside.union(like, squares_of(move))
    yield from world.rebase(world.legal.successions(within, (move,)))
    # Pieces removed from the stack and laid down in front of a square look as if they were on it.
    after = trimmed.legal.stacks
    yield from trimmed.rebase(act for act in trimmed.illegal.every(inside) if act.pieces_added(after) <= 0)
    # Without its top piece the stack may look as it did before the turn, as if nobody had touched it.
    yield from world.rebase(world.illegal.wrong_trims(move))
