"""Lists the illegal acts that may have happened since the last position, each with its alert.

As with legal acts, only those within ``open_squares`` are listed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations, permutations, product
from math import log

from ..game.faults import explain
from ..game.moves import DISTANCE, Move
from ..game.play import apply, removed, trimmed, untrimmed
from ..game.position import MAX_HEIGHT
from ..game.squares import FILE, RANK, SQUARES
from . import words
from .act import SECOND_TURN_PENALTY, Act, Kind, changes_between, lies_within, squares_of
from .beginning import other_beginning
from .legal_acts import LegalActs, too_high
from .verdict import Wrong

_NOT_ONE_END_PENALTY = 12.0
"""Penalty in nats if a stack has lost pieces from both its bottom and its top, or one from between."""


class IllegalActs:
    """Lists the illegal acts that may have happened instead of the ``legal`` ones."""

    def __init__(self, legal: LegalActs) -> None:
        self._position, self._rules, self._legal = legal.position, legal.rules, legal.moves
        self._stacks = legal.stacks
        self._first = len(legal.history) == 1
        self._turn = self._position.to_move or self._position.players[0]
        """Letter of the player to move; once the game is over, of the first one."""

    def every(self, open_squares: Collection[int], pending: Move | None = None) -> Iterator[Act]:
        """Every illegal act on these squares; ``pending``: the turn whose trimming is awaited."""
        if pending is not None and pending in self._legal:
            yield from self.left_high(pending, open_squares)
        for move in self._legal:
            if lies_within(move, open_squares):
                yield from self.wrong_trims(move)
        yield from self.displacements(open_squares)
        yield from self.double_turns(open_squares)
        yield from self.removals(open_squares)
        yield from self.shuffles(open_squares)
        yield from self.rearrangements(open_squares)
        yield from self.jumps(open_squares)

    def displacements(self, open_squares: Collection[int]) -> Iterator[Act]:
        """Illegal moves of the top pieces of any of these stacks, and illegal placings of a piece, each to
        any of these squares.
        """
        legal = set(self._legal)
        for origin in open_squares:
            stack = self._stacks[origin]
            for number in range(1, len(stack) + 1):
                for target in open_squares:
                    far = DISTANCE[origin][target]
                    if target == origin or (far == number and Move(origin, target) in legal):
                        continue
                    changes = {origin: stack[:-number], target: self._stacks[target] + stack[-number:]}
                    wrong = partial(self._displacement_alert, origin, target, number)
                    yield Act(Kind.WRONG, changes, wrong=wrong)
        for target in open_squares:
            for colour in self._position.players:
                move = Move(None, target)
                if colour == self._turn and move in legal:
                    continue
                # A captured piece seldom returns: the piece more likely came from another square, where its
                # absence is barely visible.
                kind = Kind.WRONG if self._position.in_hand(colour) else Kind.WRONG_PIECE
                wrong = partial(self._placing_alert, colour, target)
                yield Act(kind, {target: self._stacks[target] + colour}, wrong=wrong)

    def _displacement_alert(self, origin: int, target: int, number: int) -> Wrong:
        owner, turn, far = self._stacks[origin][-1], self._turn, DISTANCE[origin][target]
        squares, player = (origin, target), owner
        if self._position.placing:
            # Any move is illegal before the pieces in hand are placed, whatever its distance.
            reason, said = "thirteenth_piece", "placing"
        elif not _in_line(origin, target):
            reason = said = "not_straight"
        elif far != number:
            reason = said = "distance"
        elif owner != turn:
            reason = "out_of_turn"
            said = "begins_out_of_turn" if self._may_begin(owner, squares) else reason
        else:
            fault, player = explain(self._position, Move(origin, target), self._rules), turn
            first = fault is not None and fault.reason == "thirteenth_piece"
            reason = said = "thirteenth_piece" if first else "not_your_stack"
        text = words.say(
            said, player, origin=origin, target=target, number=number, far=far, turn=turn, owner=owner
        )
        return Wrong(reason, player, squares, text)

    def _may_begin(self, player: str, squares: tuple[int, ...]) -> bool:
        """Whether an act on these squares would be a legal first turn if this player began."""
        return self._first and other_beginning(self._position, self._rules, player, squares) is not None

    def _placing_alert(self, colour: str, target: int) -> Wrong:
        turn = self._turn
        if colour != turn and (self._position.in_hand(colour) > 0 or self._may_begin(colour, (target,))):
            what = "begins_placing" if self._may_begin(colour, (target,)) else "placed_out_of_turn"
            return Wrong("out_of_turn", colour, (target,), words.say(what, colour, turn=turn, target=target))
        fault = explain(self._position, Move(None, target), self._rules) if colour == turn else None
        if fault is None or fault.reason == "game_over":
            return Wrong("no_reserve", colour, (target,), words.say("no_reserve", colour, target=target))
        # During the drop set-up there is no reserve, so the sentence differs.
        said = f"placing_{fault.reason}" if self._position.placing else fault.reason
        return Wrong(fault.reason, turn, (target,), words.say(said, turn, target=target))

    def double_turns(self, open_squares: Collection[int]) -> Iterator[Act]:
        """Two turns by the player to move, each of them legal by itself."""
        turn = self._position.to_move
        if not turn:
            return
        lines = {origin: list(_straight(origin, open_squares)) for origin in open_squares}
        for one in self._legal:
            if not lies_within(one, open_squares):
                continue
            middle = untrimmed(self._position, one)
            for origin, targets in lines.items():
                stack = middle[origin]
                if not stack or stack[-1] != turn:
                    continue
                for target, number in targets:
                    if number > len(stack):
                        continue
                    moved = {origin: stack[:-number], target: middle[target] + stack[-number:]}
                    squares = tuple(sorted({*squares_of(one), origin, target}))
                    after = ((s, moved.get(s, middle[s])) for s in squares)
                    changes = {s: left for s, left in after if left != self._stacks[s]}
                    if changes:
                        yield Act(
                            Kind.WRONG_TWICE,
                            changes,
                            wrong=partial(_two_moves_alert, turn, squares),
                        )
            if self._position.in_hand(turn) <= (one.origin is None):
                continue
            for target in set(open_squares).difference(squares_of(one)):
                squares = tuple(sorted({*squares_of(one), target}))
                after = ((s, middle[s] + (turn if s == target else "")) for s in squares)
                changes = {s: left for s, left in after if left != self._stacks[s]}
                yield Act(Kind.WRONG_TWICE, changes, wrong=partial(_two_moves_alert, turn, squares))

    def left_high(self, pending: Move, open_squares: Collection[int]) -> Iterator[Act]:
        """Another piece has moved while the stack of the ``pending`` turn was still too high: untrimmed, or
        with only a part of its excess removed.
        """
        mover = self._position.to_move
        other = apply(self._position, pending, self._rules).to_move or mover
        for standing, taken in too_high(self._position, pending):
            for origin in open_squares:
                stack = standing[origin]
                for number in range(1, len(stack) + 1):
                    for target in open_squares:
                        if target == origin:
                            continue
                        stacks = list(standing)
                        stacks[origin], stacks[target] = stack[:-number], stacks[target] + stack[-number:]
                        yield self._left_high_act(mover, pending, taken, stacks, (origin, target))
            for target in open_squares:
                for colour in {other, mover}:
                    stacks = list(standing)
                    stacks[target] += colour
                    yield self._left_high_act(mover, pending, taken, stacks, (target,))

    def _left_high_act(
        self, mover: str, pending: Move, taken: str, stacks: Sequence[str], squares: tuple[int, ...]
    ) -> Act:
        changes = changes_between(self._stacks, stacks, {*squares_of(pending), *squares})
        wrong = partial(self._left_high_alert, mover, pending, taken, squares)
        return Act(Kind.WRONG, changes, (pending,), wrong=wrong, trimmed=taken)

    def _left_high_alert(self, mover: str, pending: Move, taken: str, squares: tuple[int, ...]) -> Wrong:
        marked = tuple(dict.fromkeys((pending.target, *squares)))
        excess = len(removed(self._position, pending, self._rules)) - len(taken)
        text = words.say("too_high", mover, target=pending.target, number=excess)
        return Wrong("too_high", mover, marked, text)

    def wrong_trims(self, move: Move) -> Iterator[Act]:
        """After a turn that makes a stack too high: too many or the wrong pieces were removed from it. After
        any other turn: pieces were removed although no trimming was due.
        """
        mover = self._position.to_move
        excess = len(removed(self._position, move, self._rules))
        standing = untrimmed(self._position, move)
        stack = standing[move.target]
        right = stack[excess:]
        seen = {right} | {stack[taken:] for taken in range(excess)}
        text = (
            words.say("wrong_trim", mover, target=move.target, number=excess)
            if excess
            else words.say("vanished", mover, squares=(move.target,))
        )
        wrong = partial(Wrong, "wrong_removal", mover, (move.target,), text)
        for left, taken, one_end in _partly_removed(stack, excess):
            if left in seen:
                continue
            seen.add(left)
            stacks = list(standing)
            stacks[move.target] = left
            changes = changes_between(self._stacks, stacks, squares_of(move))
            given_prior = Kind.WRONG_TRIM.value - (0.0 if one_end else _NOT_ONE_END_PENALTY)
            yield Act(Kind.WRONG_TRIM, changes, (move,), wrong=wrong, trimmed=taken, given_prior=given_prior)

    def removals(self, open_squares: Collection[int]) -> Iterator[Act]:
        """Pieces missing from one stack; if from its top, they may only have been lifted."""
        for square in open_squares:
            stack = self._stacks[square]
            wrong = self._vanished((square,))
            for number in range(1, len(stack) + 1):
                yield Act(Kind.WRONG, {square: stack[:-number]}, wrong=wrong, lifted=True)
                if stack[number:] and stack[number:] != stack[:-number]:
                    yield Act(Kind.WRONG, {square: stack[number:]}, wrong=wrong)

    def double_lifts(self, open_squares: Collection[int]) -> Iterator[Act]:
        """Pieces missing from the tops of two stacks: two players may hold what they are about to play."""
        # A second lift is as much rarer than one as a second turn.
        prior = Kind.WRONG.value - SECOND_TURN_PENALTY
        for squares in combinations(sorted(open_squares), 2):
            one, other = (self._stacks[square] for square in squares)
            wrong = self._vanished(squares)
            for first, second in product(range(1, len(one) + 1), range(1, len(other) + 1)):
                changes = {squares[0]: one[:-first], squares[1]: other[:-second]}
                yield Act(Kind.WRONG, changes, wrong=wrong, lifted=True, given_prior=prior)

    def shuffles(self, open_squares: Collection[int]) -> Iterator[Act]:
        """The same pieces on a square in another order, as no turn leaves them: a placed piece may be of the
        colour of the trimmed one. All these orders share one prior.
        """
        placings = [move for move in self._legal if move.origin is None and move.target in open_squares]
        placed = {move.target: trimmed(self._position, move)[move.target] for move in placings}
        for square in open_squares:
            stack = self._stacks[square]
            orders = {"".join(p) for p in permutations(stack)} if 1 < len(stack) <= MAX_HEIGHT else {stack}
            wrong = self._reordered((square,))
            orders -= {stack, placed.get(square, stack)}
            for order in sorted(orders):
                prior = Kind.WRONG.value - log(len(orders))
                yield Act(Kind.WRONG, {square: order}, wrong=wrong, given_prior=prior)

    def rearrangements(self, open_squares: Collection[int]) -> Iterator[Act]:
        """As many pieces as squares carried between two of these squares, but in another order, or from the
        bottom of their stack. All these ways share one prior.
        """
        for origin in open_squares:
            stack = self._stacks[origin]
            for target, number in _straight(origin, open_squares):
                if number > len(stack):
                    continue
                left, moved = stack[:-number], stack[-number:]
                ways = {(left, "".join(order)) for order in permutations(moved)}
                ways = (ways | {(stack[number:], stack[:number])}) - {(left, moved)}
                wrong = self._reordered((origin, target))
                for remaining, carried in sorted(ways):
                    changes = {origin: remaining, target: self._stacks[target] + carried}
                    prior = Kind.WRONG.value - log(len(ways))
                    yield Act(Kind.WRONG, changes, wrong=wrong, given_prior=prior)

    def jumps(self, open_squares: Collection[int]) -> Iterator[Act]:
        """Pieces carried over an adjacent square whose pieces are taken from the board, as in draughts."""
        for origin in open_squares:
            stack = self._stacks[origin]
            for target, far in _straight(origin, open_squares):
                middle = _between(origin, target) if far == 2 else None
                if middle is None or not self._stacks[middle] or middle not in open_squares:
                    continue
                vanished = self._vanished((middle,))
                for number in range(1, len(stack) + 1):
                    changes = {
                        origin: stack[:-number],
                        middle: "",
                        target: self._stacks[target] + stack[-number:],
                    }
                    legal = number == far and Move(origin, target) in self._legal
                    displaced = partial(self._displacement_alert, origin, target, number)
                    yield Act(Kind.WRONG_TRIM, changes, wrong=vanished if legal else displaced)

    def _vanished(self, squares: tuple[int, ...]) -> Callable[[], Wrong]:
        text = words.say("vanished", self._turn, squares=squares)
        return partial(Wrong, "wrong_removal", self._turn, squares, text)

    def _reordered(self, squares: tuple[int, ...]) -> Callable[[], Wrong]:
        text = words.say("reordered", self._turn, squares=squares)
        return partial(Wrong, "reordered", self._turn, squares, text)


def _two_moves_alert(turn: str, squares: tuple[int, ...]) -> Wrong:
    return Wrong("two_moves", turn, squares, words.say("two_moves", turn, squares=squares))


def _partly_removed(stack: str, due: int) -> Iterator[tuple[str, str, bool]]:
    """What may be left of a stack, what was taken from it, and whether that was all at one of its ends; from
    between only a single piece, if so many are ``due``.
    """
    for bottom in range(len(stack) + 1):
        for top in range(bottom, len(stack) + 1):
            yield stack[bottom:top], stack[:bottom] + stack[top:], not bottom or top == len(stack)
    for at in range(1, len(stack) - 1) if due == 1 else ():
        yield stack[:at] + stack[at + 1 :], stack[at], False


def _in_line(one: int, other: int) -> bool:
    """Whether the squares are in one row or column."""
    return FILE[one] == FILE[other] or RANK[one] == RANK[other]


def _straight(origin: int, squares: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The other squares in a straight line with this one, and how far away they are."""
    for target in squares:
        if target != origin and _in_line(origin, target):
            yield target, DISTANCE[origin][target]


def _between(one: int, other: int) -> int | None:
    """The square in the middle between two others in a line; ``None`` if it is not on the board."""
    at = (FILE[one] + FILE[other]) // 2, (RANK[one] + RANK[other]) // 2
    return next((s for s in range(len(SQUARES)) if (FILE[s], RANK[s]) == at), None)
