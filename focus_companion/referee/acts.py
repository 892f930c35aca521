"""Everything that may have happened at the table since the last legal position.

Each act tells how the board would look after it, as changes of single squares, and what the referee would say
of it. Only acts within ``open_squares`` (those that may have changed) are listed, so a look at two changed
squares weighs a few dozen acts and not the thousands that the rules and clumsy fingers allow.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from itertools import permutations

from ..game.faults import explain
from ..game.moves import Move, legal_moves
from ..game.play import apply, removed, untrimmed
from ..game.position import MAX_HEIGHT, Position
from ..game.rules import Rules
from ..game.squares import FILE, RANK, SQUARES
from . import words
from .beginning import other_beginning
from .verdict import Wrong

UNSEEN_TURN = 12.0
"""Nats against a turn of which nothing shows: such turns are rare, and as good as never to be told."""
UNSEEN_PLACING = -14.0
"""The prior of two pieces' having been placed in the drop set-up of which the first, on a stack of its own
colour, hardly showed: while nothing else is done, that is no rarity."""
FROM_BOTH_ENDS = 12.0
"""Nats against a stack's having lost pieces both from its bottom and from its top."""


class Kind(Enum):
    """What sort of act; the value is its prior in nats against nothing having happened."""

    NOTHING = 0.0
    TURN = -4.0
    PENDING = -4.5
    TURNS = -18.0
    BACK = -14.0
    WRONG = -26.0
    WRONG_PIECE = -31.0
    WRONG_TRIM = -38.0
    WRONG_TWICE = -36.0


@dataclass(frozen=True)
class Act:
    """One thing that may have happened: the ``changes`` it leaves on the board, and what it was."""

    kind: Kind
    changes: dict[int, str]
    moves: tuple[Move, ...] = ()
    ply: int = -1
    wrong: Callable[[], Wrong] | None = None
    lifted: bool = False
    older: int = 0
    """Further plies taken back beyond the last one."""
    trimmed: str = ""
    """Pieces taken off the stack that a turn had made too high, rightly or not, bottom first."""
    believed: int = 0
    """How many of its turns an earlier look had shown, though not apart from others."""
    unseen: frozenset[int] | None = None
    """Where one of its turns hardly shows: the squares that this turn changed, perhaps none."""
    placed: bool = False
    """That turn placed a piece of the drop set-up on a stack of its own colour."""
    past: frozenset[int] = frozenset()
    """Squares that it finds changed, but that had changed before the picture it is compared with."""
    restored: Mapping[int, str] = field(default_factory=dict)
    """Squares that it leaves as they are taken to stand, with the stacks that it found there instead: for
    them, too, something must have changed since that picture."""
    beginner: str = ""
    """Letter of the player who began, where that was not the one named."""
    given: float | None = None
    """Its prior in nats where that is not its kind's: what an earlier look said of its turns is in it."""

    @property
    def prior(self) -> float:
        if self.given is not None:
            return self.given
        prior = self.kind.value - 14.0 * self.older
        if self.kind is Kind.BACK:
            prior += (0.0, Kind.TURN.value, Kind.TURNS.value)[min(2, len(self.moves))]
        return float(prior if self.unseen is None else prior - UNSEEN_TURN)

    @property
    def legal(self) -> bool:
        return self.wrong is None


def _changes(
    before: Sequence[str], after: Sequence[str], among: Iterable[int] = range(len(SQUARES))
) -> dict[int, str]:
    """The squares that differ; only those ``among`` which all changes are need be compared."""
    return {s: after[s] for s in sorted(among) if after[s] != before[s]}


class Acts:
    """Lists what may have happened after ``history`` (positions from ply 0; the last one stood)."""

    def __init__(self, history: Sequence[Position], rules: Rules) -> None:
        self._history, self._rules = history, rules
        self.position = history[-1]
        self.stacks = self.position.stacks
        self.legal = legal_moves(self.position, rules) if self.position.to_move else ()
        self._after: dict[Move, Position] = {}

    def after(self, move: Move) -> Position:
        if move not in self._after:
            self._after[move] = apply(self.position, move, self._rules)
        return self._after[move]

    def adds(self, act: Act) -> bool:
        """Are there more pieces on the board after it?"""
        return sum(len(stack) - len(self.stacks[square]) for square, stack in act.changes.items()) > 0

    # ---- what the rules allow ----------------------------------------------------------------------------

    def turns(self, open_squares: Collection[int], *, whole: bool = False) -> Iterator[Act]:
        """Each legal turn with a square (``whole``: with all squares) among these, complete; and before its
        trimming where it needs one.
        """
        among = all if whole else any
        for move in self.legal:
            if not among(square in open_squares for square in _squares(move)):
                continue
            taken = "".join(piece.piece for piece in removed(self.position, move, self._rules))
            changes = _changes(self.stacks, self.after(move).stacks, _squares(move))
            yield Act(Kind.TURN, changes, (move,), trimmed=taken)
            yield from self._pendings(self.position, move, (), Kind.PENDING)

    def _pendings(
        self, position: Position, move: Move, earlier: tuple[Move, ...], kind: Kind
    ) -> Iterator[Act]:
        """The stack too high as it stands, and with only a part of its excess taken yet."""
        excess = len(removed(position, move, self._rules))
        stacks = untrimmed(position, move)
        for taken in range(excess):
            standing = list(stacks)
            standing[move.target] = standing[move.target][taken:]
            squares = {square for made in (*earlier, move) for square in _squares(made)}
            changes = _changes(self.stacks, standing, squares)
            yield Act(kind, changes, (*earlier, move), trimmed=stacks[move.target][:taken])

    def successions(self, open_squares: Collection[int], first: Collection[Move] = ()) -> Iterator[Act]:
        """Two legal turns in a row, by the players whose turns they were; the second perhaps not yet
        trimmed.
        """
        for one in first or self.legal:
            if not _within(one, open_squares):
                continue
            middle = self.after(one)
            if not middle.to_move:
                continue
            for two in legal_moves(middle, self._rules):
                if not _within(two, open_squares):
                    continue
                after = apply(middle, two, self._rules)
                squares = {*_squares(one), *_squares(two)}
                yield Act(Kind.TURNS, _changes(self.stacks, after.stacks, squares), (one, two))
                yield from self._pendings(middle, two, (one,), Kind.TURNS)

    def unseen(self, open_squares: Collection[int]) -> Iterator[Act]:
        """A turn that may hardly show, and a turn on these squares after it.

        From above, a piece taken from one stack and set on another changes no more than heights where the
        tops keep their colours; a reserve piece set on one's own stack of five changes not even those.
        """
        for one in self.legal:
            middle = self.after(one)
            changed = _changes(self.stacks, middle.stacks, _squares(one))
            if not middle.to_move or any(
                not stack or stack[-1:] != self.stacks[square][-1:] for square, stack in changed.items()
            ):
                continue
            for two in legal_moves(middle, self._rules):
                if _within(two, open_squares):
                    after = apply(middle, two, self._rules)
                    changes = _changes(self.stacks, after.stacks, {*_squares(one), *_squares(two)})
                    squares = frozenset(changed).difference(_squares(two))
                    placed = bool(self.position.placing)
                    given = UNSEEN_PLACING if placed else None
                    yield Act(Kind.TURNS, changes, (one, two), unseen=squares, placed=placed, given=given)

    def back(self, most: int = 6) -> Iterator[Act]:
        """The positions after earlier plies, newest first."""
        last = len(self._history) - 2
        for ply in range(last, max(-1, last - most), -1):
            earlier = self._history[ply]
            changes = _changes(self.stacks, earlier.stacks)
            # Pieces that had been taken from the board must have been fetched, one by one.
            fetched = _taken(self.position) - _taken(earlier)
            if changes:
                yield Act(Kind.BACK, changes, ply=ply, older=last - ply + 2 * fetched)

    def retries(self, open_squares: Collection[int], instead: Collection[Move] = ()) -> Iterator[Act]:
        """The last turn taken back and another one made in its place, which leaves nothing to be trimmed,
        perhaps with the next one after it; not what may be one act, a piece moved from where it had just been
        set and nothing else: who plays on has taken that for a turn. Unless something spoke for that one
        before: then it is among ``instead``.
        """
        if len(self._history) < 2:
            return
        ply = len(self._history) - 2
        earlier = self._history[ply]
        older = 2 * (_taken(self.position) - _taken(earlier))

        def made(after: Position, *moves: Move) -> Iterator[Act]:
            changes = _changes(self.stacks, after.stacks)
            expected = moves[0] in instead
            fewest = 1 if expected else 3
            if len(changes) < fewest or any(square not in open_squares for square in changes):
                return
            act = Act(Kind.BACK, changes, moves, ply=ply, older=older)
            # What had been seen of the turn, or of the way to it, need not happen again.
            yield replace(act, given=replace(act, moves=moves[1:]).prior) if expected else act

        for move in legal_moves(earlier, self._rules):
            if removed(earlier, move, self._rules):
                continue
            after = apply(earlier, move, self._rules)
            yield from made(after, move)
            between = _changes(self.stacks, after.stacks)
            if not after.to_move or not between or any(square not in open_squares for square in between):
                continue
            for two in legal_moves(after, self._rules):
                if _within(two, open_squares):
                    yield from made(apply(after, two, self._rules), move, two)

    # ---- what they do not --------------------------------------------------------------------------------

    def displacements(self, open_squares: Collection[int]) -> Iterator[Act]:
        """The top pieces of any stack moved anywhere, or a piece from outside set anywhere, against the
        rules.
        """
        turn = self.position.to_move or self.position.players[0]
        legal = set(self.legal)
        for origin in open_squares:
            stack = self.stacks[origin]
            for number in range(1, len(stack) + 1):
                for target in open_squares:
                    if target == origin:
                        continue
                    move = Move(origin, target)
                    straight = FILE[origin] == FILE[target] or RANK[origin] == RANK[target]
                    far = abs(FILE[origin] - FILE[target]) + abs(RANK[origin] - RANK[target])
                    if straight and far == number and move in legal:
                        continue
                    changes = {origin: stack[:-number], target: self.stacks[target] + stack[-number:]}
                    yield Act(
                        Kind.WRONG,
                        changes,
                        wrong=partial(self._displaced, turn, origin, target, number),
                    )
        for target in open_squares:
            for colour in self.position.players:
                move = Move(None, target)
                if colour == turn and move in legal:
                    continue
                # A piece out of the game seldom comes back: rather it came from where that hardly shows.
                kind = Kind.WRONG if self.position.in_hand(colour) else Kind.WRONG_PIECE
                yield Act(
                    kind,
                    {target: self.stacks[target] + colour},
                    wrong=partial(self._placed, turn, colour, target),
                )

    def _displaced(self, turn: str, origin: int, target: int, number: int) -> Wrong:
        owner = self.stacks[origin][-1]
        squares = (origin, target)
        if self.position.placing:
            # How far is no matter: the alert for who moves before the pieces in hand are placed.
            text = words.say("placing", owner, origin=origin, target=target)
            return Wrong("thirteenth_piece", owner, squares, text)
        far = abs(FILE[origin] - FILE[target]) + abs(RANK[origin] - RANK[target])
        if FILE[origin] != FILE[target] and RANK[origin] != RANK[target]:
            return Wrong(
                "not_straight",
                owner,
                squares,
                words.say("not_straight", owner, origin=origin, target=target, number=number),
            )
        if far != number:
            return Wrong(
                "distance",
                owner,
                squares,
                words.say("distance", owner, origin=origin, target=target, number=number, far=far),
            )
        if owner != turn:
            return Wrong(
                "out_of_turn",
                owner,
                squares,
                words.say(
                    "begins_out_of_turn" if self._begins(owner, squares) else "out_of_turn",
                    owner,
                    turn=turn,
                    origin=origin,
                    target=target,
                ),
            )
        fault = explain(self.position, Move(origin, target), self._rules)
        if fault is not None and fault.reason == "thirteenth_piece":
            return Wrong("thirteenth_piece", turn, squares, words.say("thirteenth_piece", turn))
        return Wrong(
            "not_your_stack",
            turn,
            squares,
            words.say("not_your_stack", turn, owner=owner, origin=origin, target=target),
        )

    def _begins(self, player: str, squares: tuple[int, ...]) -> bool:
        """Would that be a legal first turn, if this player began?"""
        first = len(self._history) == 1
        return first and other_beginning(self.position, self._rules, player, squares) is not None

    def _placed(self, turn: str, colour: str, target: int) -> Wrong:
        if colour != turn and (self.position.in_hand(colour) > 0 or self._begins(colour, (target,))):
            what = "begins_placing" if self._begins(colour, (target,)) else "placed_out_of_turn"
            return Wrong("out_of_turn", colour, (target,), words.say(what, colour, turn=turn, target=target))
        fault = explain(self.position, Move(None, target), self._rules) if colour == turn else None
        if fault is None or fault.reason == "game_over":
            return Wrong("no_reserve", colour, (target,), words.say("no_reserve", colour, target=target))
        # While the set-up is placed, no piece comes from the reserve.
        said = f"placing_{fault.reason}" if self.position.placing else fault.reason
        return Wrong(fault.reason, turn, (target,), words.say(said, turn, target=target))

    def double_turns(self, open_squares: Collection[int]) -> Iterator[Act]:
        """Two moves by the player whose turn it is, each legal alone."""
        turn = self.position.to_move
        if not turn:
            return
        for one in self.legal:
            if not _within(one, open_squares):
                continue
            middle = untrimmed(self.position, one)
            for origin in open_squares:
                stack = middle[origin]
                if not stack or stack[-1] != turn:
                    continue
                for target in open_squares:
                    number = abs(FILE[origin] - FILE[target]) + abs(RANK[origin] - RANK[target])
                    straight = FILE[origin] == FILE[target] or RANK[origin] == RANK[target]
                    if target == origin or not straight or number > len(stack):
                        continue
                    after = list(middle)
                    after[origin], after[target] = stack[:-number], after[target] + stack[-number:]
                    squares = tuple(sorted({*_squares(one), origin, target}))
                    changes = _changes(self.stacks, after, squares)
                    if changes:
                        yield Act(
                            Kind.WRONG_TWICE,
                            changes,
                            wrong=partial(_doubled, turn, squares),
                        )

    def left_high(self, pending: Move, open_squares: Collection[int]) -> Iterator[Act]:
        """The stack still stands too high and another piece has moved."""
        mover = self.position.to_move
        excess = len(removed(self.position, pending, self._rules))
        standing = untrimmed(self.position, pending)
        after = self.after(pending)
        other = after.to_move or mover
        for origin in open_squares:
            stack = standing[origin]
            for number in range(1, len(stack) + 1):
                for target in open_squares:
                    if target == origin:
                        continue
                    stacks = list(standing)
                    stacks[origin], stacks[target] = stack[:-number], stacks[target] + stack[-number:]
                    yield self._high(mover, pending, excess, stacks, (origin, target))
        for target in open_squares:
            for colour in {other, mover}:
                stacks = list(standing)
                stacks[target] += colour
                yield self._high(mover, pending, excess, stacks, (target,))

    def _high(
        self, mover: str, pending: Move, excess: int, stacks: Sequence[str], squares: tuple[int, ...]
    ) -> Act:
        marked = tuple(dict.fromkeys((pending.target, *squares)))
        return Act(
            Kind.WRONG,
            _changes(self.stacks, stacks, {*_squares(pending), *squares}),
            (pending,),
            wrong=lambda: Wrong(
                "too_high", mover, marked, words.say("too_high", mover, target=pending.target, number=excess)
            ),
        )

    def wrong_trims(self, move: Move) -> Iterator[Act]:
        """After a turn that makes a stack too high: too few, too many or the wrong pieces taken from it.
        After any other: pieces taken from a stack of which none may be taken.
        """
        mover = self.position.to_move
        excess = len(removed(self.position, move, self._rules))
        standing = untrimmed(self.position, move)
        stack = standing[move.target]
        right = stack[excess:]
        seen = {right} | {stack[taken:] for taken in range(excess)}
        text = (
            words.say("wrong_trim", mover, target=move.target, number=excess)
            if excess
            else words.say("vanished", mover, squares=(move.target,))
        )
        wrong = partial(Wrong, "wrong_removal", mover, (move.target,), text)
        for bottom in range(len(stack) + 1):
            for top in range(len(stack) + 1 - bottom):
                left = stack[bottom : len(stack) - top]
                if left in seen:
                    continue
                seen.add(left)
                stacks = list(standing)
                stacks[move.target] = left
                taken = stack[:bottom] + stack[len(stack) - top :]
                changes = _changes(self.stacks, stacks, _squares(move))
                given = Kind.WRONG_TRIM.value - (FROM_BOTH_ENDS if bottom and top else 0.0)
                yield Act(Kind.WRONG_TRIM, changes, (move,), wrong=wrong, trimmed=taken, given=given)

    def removals(self, open_squares: Collection[int]) -> Iterator[Act]:
        """Pieces gone from one stack: from its top perhaps only lifted, on their way."""
        turn = self.position.to_move or self.position.players[0]
        for square in open_squares:
            stack = self.stacks[square]
            text = words.say("vanished", turn, squares=(square,))
            wrong = partial(Wrong, "wrong_removal", turn, (square,), text)
            for number in range(1, len(stack) + 1):
                yield Act(Kind.WRONG, {square: stack[:-number]}, wrong=wrong, lifted=True)
                if stack[number:] and stack[number:] != stack[:-number]:
                    yield Act(Kind.WRONG, {square: stack[number:]}, wrong=wrong)

    def shuffles(self, open_squares: Collection[int]) -> Iterator[Act]:
        """The same pieces on a square in another order."""
        turn = self.position.to_move or self.position.players[0]
        for square in open_squares:
            stack = self.stacks[square]
            orders = {"".join(p) for p in permutations(stack)} if 1 < len(stack) <= MAX_HEIGHT else set()
            text = words.say("reordered", turn, squares=(square,))
            for order in sorted(orders - {stack}):
                yield Act(
                    Kind.WRONG, {square: order}, wrong=partial(Wrong, "reordered", turn, (square,), text)
                )


def _doubled(turn: str, squares: tuple[int, ...]) -> Wrong:
    return Wrong("two_moves", turn, squares, words.say("two_moves", turn, squares=squares))


def _taken(position: Position) -> int:
    """Pieces taken from the bottoms of stacks in the game so far."""
    return sum(position.taken) + sum(sum(row) for row in position.captured)


def _squares(move: Move) -> tuple[int, ...]:
    return (move.target,) if move.origin is None else (move.origin, move.target)


def _within(move: Move, squares: Collection[int]) -> bool:
    return move.target in squares and (move.origin is None or move.origin in squares)
