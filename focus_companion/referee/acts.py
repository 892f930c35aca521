"""Lists everything that may have happened at the table since the last legal position.

Each act is a hypothesis: how it changes single squares, and the referee's verdict on it. Only acts within
``open_squares`` (those that may have changed) are listed, so a look with two changed squares requires a few
dozen acts to be weighed, not the thousands that are possible.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from itertools import permutations
from math import log

from ..game.faults import explain
from ..game.moves import Move, legal_moves
from ..game.play import apply, removed, trimmed, untrimmed
from ..game.position import MAX_HEIGHT, Position
from ..game.rules import Rules
from ..game.squares import FILE, RANK, SQUARES
from . import words
from .beginning import other_beginning
from .verdict import Wrong

_UNSEEN_TURN_PENALTY = 12.0
"""Penalty in nats of a barely visible turn: such turns are rare, and should hardly ever be emitted."""

_UNSEEN_PLACING_PRIOR = -14.0
"""Prior in nats of two consecutive placings in the drop set-up, the first barely visible because it is on a
stack of its own colour: during the set-up this is not rare."""

_BOTH_ENDS_PENALTY = 12.0
"""Penalty in nats if a stack has lost pieces from both its bottom and its top."""

_EXTRA_PLY_PENALTY = 14.0
"""Penalty in nats for each of :attr:`Act.extra_plies`."""

_MAX_PLIES_BACK = 6
"""Maximum number of plies that players are assumed to take back at once."""

_MIN_RETRY_CHANGES = 3
"""Minimum number of changed squares of a replaced turn for which there was no earlier evidence."""


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


@dataclass(frozen=True)
class Act:
    """A hypothesis about what happened: ``changes`` maps each changed square to its resulting stack."""

    kind: Kind
    changes: dict[int, str]
    moves: tuple[Move, ...] = ()
    ply: int = -1
    wrong: Callable[[], Wrong] | None = None
    """Makes the alert for an illegal act; ``None`` for a legal one."""
    lifted: bool = False
    """Pieces are missing from the top of a stack: somebody may only have lifted them."""
    extra_plies: int = 0
    """Number of plies taken back in addition to the last one; each piece put back on the board counts
    twice."""
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
    restored: Mapping[int, str] = field(default_factory=dict)
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
        prior = self.kind.value - _EXTRA_PLY_PENALTY * self.extra_plies
        if self.kind is Kind.BACK:
            prior += (0.0, Kind.TURN.value, Kind.TURNS.value)[min(2, len(self.moves))]
        return float(prior if self.unseen is None else prior - _UNSEEN_TURN_PENALTY)

    @property
    def legal(self) -> bool:
        return self.wrong is None


def _changes(
    before: Sequence[str], after: Sequence[str], among: Iterable[int] = range(len(SQUARES))
) -> dict[int, str]:
    """The squares that differ, with their new stacks; only squares of ``among`` are compared."""
    return {s: after[s] for s in sorted(among) if after[s] != before[s]}


class Acts:
    """Lists the acts that may have happened after ``history`` (positions from ply 0 to the current one)."""

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

    def adds_pieces(self, act: Act) -> bool:
        """Whether the act adds pieces to the board."""
        return sum(len(stack) - len(self.stacks[square]) for square, stack in act.changes.items()) > 0

    # ---- legal acts --------------------------------------------------------------------------------------

    def turns(self, open_squares: Collection[int], *, contained: bool = False) -> Iterator[Act]:
        """Each legal turn with at least one of its squares (``contained``: all of them) among these; one that
        requires a trimming is listed both trimmed and untrimmed.
        """
        among = all if contained else any
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
        """The turn with its stack above five: untrimmed, and with only a part of its excess removed."""
        stacks = untrimmed(position, move)
        for taken in range(len(stacks[move.target]) - MAX_HEIGHT):
            standing = list(stacks)
            standing[move.target] = standing[move.target][taken:]
            squares = {square for made in (*earlier, move) for square in _squares(made)}
            changes = _changes(self.stacks, standing, squares)
            yield Act(kind, changes, (*earlier, move), trimmed=stacks[move.target][:taken])

    def successions(self, open_squares: Collection[int], first: Collection[Move] = ()) -> Iterator[Act]:
        """Two consecutive legal turns; the stack of the second may not be trimmed yet."""
        for one in first or self.legal:
            if not _within(one, open_squares):
                continue
            middle = self.after(one)
            if not middle.to_move:
                continue
            for two in legal_moves(middle, self._rules):
                if not _within(two, open_squares):
                    continue
                squares = {*_squares(one), *_squares(two)}
                yield Act(Kind.TURNS, _changes(self.stacks, trimmed(middle, two), squares), (one, two))
                yield from self._pendings(middle, two, (one,), Kind.TURNS)

    def unseen(self, open_squares: Collection[int]) -> Iterator[Act]:
        """A barely visible turn, followed by a turn on these squares.

        From above, a piece moved from one stack to another changes only heights if the tops keep their
        colours; a reserve piece placed on one's own stack of five does not even change the height.
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
                    changes = _changes(self.stacks, trimmed(middle, two), {*_squares(one), *_squares(two)})
                    squares = frozenset(changed).difference(_squares(two))
                    placed = bool(self.position.placing)
                    given_prior = _UNSEEN_PLACING_PRIOR if placed else None
                    yield Act(
                        Kind.TURNS,
                        changes,
                        (one, two),
                        unseen=squares,
                        placed=placed,
                        given_prior=given_prior,
                    )

    def back(self, most: int = _MAX_PLIES_BACK) -> Iterator[Act]:
        """Turns taken back: the positions after up to ``most`` earlier plies, newest first."""
        last = len(self._history) - 2
        for ply in range(last, max(-1, last - most), -1):
            earlier = self._history[ply]
            changes = _changes(self.stacks, earlier.stacks)
            # Pieces that had been taken from the board must have been put back, one by one.
            fetched = _pieces_taken(self.position) - _pieces_taken(earlier)
            if changes:
                yield Act(Kind.BACK, changes, ply=ply, extra_plies=last - ply + 2 * fetched)

    def retries(self, open_squares: Collection[int], alternatives: Collection[Move] = ()) -> Iterator[Act]:
        """The last turn taken back and replaced by another one that needs no trimming, possibly followed by
        the next turn.

        A change that may be a single act (moving on the piece just set down) is excluded, because the players
        accepted the recorded turn by playing on. It is included for turns among ``alternatives``, for which
        there was earlier evidence.
        """
        if len(self._history) < 2:
            return
        ply = len(self._history) - 2
        earlier = self._history[ply]
        extra_plies = 2 * (_pieces_taken(self.position) - _pieces_taken(earlier))

        def made(after: Sequence[str], *moves: Move) -> Iterator[Act]:
            changes = _changes(self.stacks, after)
            expected = moves[0] in alternatives
            fewest = 1 if expected else _MIN_RETRY_CHANGES
            if len(changes) < fewest or any(square not in open_squares for square in changes):
                return
            act = Act(Kind.BACK, changes, moves, ply=ply, extra_plies=extra_plies)
            # For a turn with evidence from earlier looks, the prior must not be applied again.
            yield replace(act, given_prior=replace(act, moves=moves[1:]).prior) if expected else act

        for move in legal_moves(earlier, self._rules):
            if removed(earlier, move, self._rules):
                continue
            after = apply(earlier, move, self._rules)
            yield from made(after.stacks, move)
            between = _changes(self.stacks, after.stacks)
            if not after.to_move or not between or any(square not in open_squares for square in between):
                continue
            for two in legal_moves(after, self._rules):
                if _within(two, open_squares):
                    yield from made(trimmed(after, two), move, two)

    # ---- illegal acts ------------------------------------------------------------------------------------

    def displacements(self, open_squares: Collection[int]) -> Iterator[Act]:
        """Illegal moves of the top pieces of any of these stacks, and illegal placings of a piece, each to
        any of these squares.
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
                        wrong=partial(self._displacement_alert, turn, origin, target, number),
                    )
        for target in open_squares:
            for colour in self.position.players:
                move = Move(None, target)
                if colour == turn and move in legal:
                    continue
                # A captured piece seldom returns: the piece more likely came from another square, where its
                # absence is barely visible.
                kind = Kind.WRONG if self.position.in_hand(colour) else Kind.WRONG_PIECE
                yield Act(
                    kind,
                    {target: self.stacks[target] + colour},
                    wrong=partial(self._placing_alert, turn, colour, target),
                )

    def _displacement_alert(self, turn: str, origin: int, target: int, number: int) -> Wrong:
        owner = self.stacks[origin][-1]
        squares = (origin, target)
        if self.position.placing:
            # Any move is illegal before the pieces in hand are placed, whatever its distance.
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
                    "begins_out_of_turn" if self._may_begin(owner, squares) else "out_of_turn",
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

    def _may_begin(self, player: str, squares: tuple[int, ...]) -> bool:
        """Whether an act on these squares would be a legal first turn if this player began."""
        first = len(self._history) == 1
        return first and other_beginning(self.position, self._rules, player, squares) is not None

    def _placing_alert(self, turn: str, colour: str, target: int) -> Wrong:
        if colour != turn and (self.position.in_hand(colour) > 0 or self._may_begin(colour, (target,))):
            what = "begins_placing" if self._may_begin(colour, (target,)) else "placed_out_of_turn"
            return Wrong("out_of_turn", colour, (target,), words.say(what, colour, turn=turn, target=target))
        fault = explain(self.position, Move(None, target), self._rules) if colour == turn else None
        if fault is None or fault.reason == "game_over":
            return Wrong("no_reserve", colour, (target,), words.say("no_reserve", colour, target=target))
        # During the drop set-up there is no reserve, so the sentence differs.
        said = f"placing_{fault.reason}" if self.position.placing else fault.reason
        return Wrong(fault.reason, turn, (target,), words.say(said, turn, target=target))

    def double_turns(self, open_squares: Collection[int]) -> Iterator[Act]:
        """Two moves by the player to move, each of them legal by itself."""
        turn = self.position.to_move
        if not turn:
            return
        lines = {origin: list(_straight(origin, open_squares)) for origin in open_squares}
        for one in self.legal:
            if not _within(one, open_squares):
                continue
            middle = untrimmed(self.position, one)
            for origin, targets in lines.items():
                stack = middle[origin]
                if not stack or stack[-1] != turn:
                    continue
                for target, number in targets:
                    if number > len(stack):
                        continue
                    moved = {origin: stack[:-number], target: middle[target] + stack[-number:]}
                    squares = tuple(sorted({*_squares(one), origin, target}))
                    after = {s: moved.get(s, middle[s]) for s in squares}
                    changes = {s: left for s, left in after.items() if left != self.stacks[s]}
                    if changes:
                        yield Act(
                            Kind.WRONG_TWICE,
                            changes,
                            wrong=partial(_two_moves_alert, turn, squares),
                        )

    def left_high(self, pending: Move, open_squares: Collection[int]) -> Iterator[Act]:
        """Another piece has moved while the stack of the ``pending`` turn was still too high."""
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
                    yield self._left_high_act(mover, pending, excess, stacks, (origin, target))
        for target in open_squares:
            for colour in {other, mover}:
                stacks = list(standing)
                stacks[target] += colour
                yield self._left_high_act(mover, pending, excess, stacks, (target,))

    def _left_high_act(
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
        """After a turn that makes a stack too high: too many or the wrong pieces were removed from it. After
        any other turn: pieces were removed although no trimming was due.
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
                given_prior = Kind.WRONG_TRIM.value - (_BOTH_ENDS_PENALTY if bottom and top else 0.0)
                yield Act(
                    Kind.WRONG_TRIM, changes, (move,), wrong=wrong, trimmed=taken, given_prior=given_prior
                )

    def removals(self, open_squares: Collection[int]) -> Iterator[Act]:
        """Pieces missing from one stack; if from its top, they may only have been lifted."""
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
        """The same pieces on a square in another order; all of its other orders share one prior."""
        turn = self.position.to_move or self.position.players[0]
        for square in open_squares:
            stack = self.stacks[square]
            orders = {"".join(p) for p in permutations(stack)} if 1 < len(stack) <= MAX_HEIGHT else {stack}
            text = words.say("reordered", turn, squares=(square,))
            wrong = partial(Wrong, "reordered", turn, (square,), text)
            for order in sorted(orders - {stack}):
                prior = Kind.WRONG.value - log(len(orders) - 1)
                yield Act(Kind.WRONG, {square: order}, wrong=wrong, given_prior=prior)


def _two_moves_alert(turn: str, squares: tuple[int, ...]) -> Wrong:
    return Wrong("two_moves", turn, squares, words.say("two_moves", turn, squares=squares))


def _pieces_taken(position: Position) -> int:
    """Number of pieces trimmed from stacks in the game so far."""
    return sum(position.taken) + sum(sum(row) for row in position.captured)


def _squares(move: Move) -> tuple[int, ...]:
    return (move.target,) if move.origin is None else (move.origin, move.target)


def _straight(origin: int, squares: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The other squares in a straight line with this one, and how far away they are."""
    for target in squares:
        far = abs(FILE[origin] - FILE[target]), abs(RANK[origin] - RANK[target])
        if target != origin and 0 in far:
            yield target, sum(far)


def _within(move: Move, squares: Collection[int]) -> bool:
    return move.target in squares and (move.origin is None or move.origin in squares)
