"""Lists the legal acts that may have happened since the last position: turns, untrimmed stacks, take-backs.

Only acts within ``open_squares`` (those that may have changed) are listed, so a look with two changed squares
requires a few dozen acts to be weighed, not the thousands that are possible.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ..game.faults import explain
from ..game.moves import Move, carried, legal_moves
from ..game.play import apply, removed, trimmed, untrimmed
from ..game.position import MAX_HEIGHT, Position
from ..game.rules import Rules
from .act import SECOND_TURN_PENALTY, Act, Kind, changes_between, lies_within, squares_of

_UNSEEN_PLACING_PRIOR = -SECOND_TURN_PENALTY
"""Prior in nats of two consecutive placings in the drop set-up, the first barely visible because it is on a
stack of its own colour: during the set-up this is not rare, so only the second one counts."""

_MAX_PLIES_BACK = 6
"""Maximum number of plies that players are assumed to take back at once."""


class LegalActs:
    """Lists the legal acts that may have happened after ``history`` (positions from ply 0 to the last)."""

    def __init__(self, history: Sequence[Position], rules: Rules) -> None:
        self.history, self.rules = history, rules
        self.position = history[-1]
        self.stacks = self.position.stacks
        self.moves = legal_moves(self.position, rules) if self.position.to_move else ()
        self._after: dict[Move, Position] = {}

    def after(self, move: Move) -> Position:
        if move not in self._after:
            self._after[move] = apply(self.position, move, self.rules)
        return self._after[move]

    def turns(self, open_squares: Collection[int], *, contained: bool = False) -> Iterator[Act]:
        """Each legal turn with at least one of its squares (``contained``: all of them) among these; one that
        requires a trimming is listed both trimmed and untrimmed.
        """
        among = all if contained else any
        for move in self.moves:
            if not among(square in open_squares for square in squares_of(move)):
                continue
            taken = "".join(piece.piece for piece in removed(self.position, move, self.rules))
            changes = changes_between(self.stacks, self.after(move).stacks, squares_of(move))
            yield Act(Kind.TURN, changes, (move,), trimmed=taken)
            yield from self._pendings(self.position, move, (), Kind.PENDING)

    def turns_and_lifts(self, squares: Collection[int], left_high: Move | None) -> Iterator[Act]:
        """A move between two of these squares, and pieces that somebody has already lifted from another one
        of them, to play next. The turn ``left_high``, which certainly made a stack too high, may be on any
        squares.
        """
        acts = [*self.turns(squares, contained=True)]
        if left_high is not None and not lies_within(left_high, squares):
            acts += (act for act in self.turns({left_high.target}) if act.moves == (left_high,))
        for act in acts:
            (move,) = act.moves
            if move.origin is None and move != left_high:
                # What was placed may be what is missing elsewhere.
                continue
            # The pieces in the hand count as a second turn.
            prior = act.prior + Kind.TURNS.value
            for square in set(squares).difference(squares_of(move)):
                stack = self.stacks[square]
                for number in range(1, len(stack) + 1):
                    changes = {**act.changes, square: stack[:-number]}
                    yield act._replace(changes=changes, lifted=True, given_prior=prior)

    def _pendings(
        self, position: Position, move: Move, earlier: tuple[Move, ...], kind: Kind
    ) -> Iterator[Act]:
        """The turn with its stack above five."""
        for stacks, taken in too_high(position, move):
            squares = {square for made in (*earlier, move) for square in squares_of(made)}
            changes = changes_between(self.stacks, stacks, squares)
            yield Act(kind, changes, (*earlier, move), trimmed=taken)

    def successions(self, open_squares: Collection[int], first: Collection[Move] = ()) -> Iterator[Act]:
        """Two consecutive legal turns; the stack of the second may not be trimmed yet."""
        for one in first or self.moves:
            if not lies_within(one, open_squares):
                continue
            middle = self.after(one)
            if not middle.to_move:
                continue
            for two in legal_moves(middle, self.rules):
                if not lies_within(two, open_squares):
                    continue
                squares = {*squares_of(one), *squares_of(two)}
                yield Act(Kind.TURNS, changes_between(self.stacks, trimmed(middle, two), squares), (one, two))
                yield from self._pendings(middle, two, (one,), Kind.TURNS)

    def long_successions(
        self, squares: Collection[int], most: int, first: Collection[Move] = ()
    ) -> Iterator[Act]:
        """Three or more consecutive legal turns between these squares, at most so many. One of them may have
        set a stack on its own colour, which barely shows.
        """
        for move in first:
            yield from self._continued(self.after(move), (move,), squares, most, may_hide=True)
        if not first:
            yield from self._continued(self.position, (), squares, most, may_hide=True)

    def _continued(
        self,
        position: Position,
        made: tuple[Move, ...],
        squares: Collection[int],
        most: int,
        *,
        may_hide: bool,
    ) -> Iterator[Act]:
        """Those that begin with the turns ``made``, which led to ``position``. ``may_hide``: whether a stack
        may still be set on its own colour elsewhere.
        """
        for move in legal_moves(position, self.rules) if position.to_move else ():
            seen = lies_within(move, squares)
            if not seen and not (may_hide and _on_own_colour(position, move, squares)):
                continue
            turns = (*made, move)
            if len(turns) > 2:
                # Each further turn is as unlikely as the second one.
                prior = Kind.TURNS.value - (len(turns) - 2) * SECOND_TURN_PENALTY
                touched = {square for turn in turns for square in squares_of(turn)}
                changes = changes_between(self.stacks, trimmed(position, move), touched)
                yield Act(Kind.TURNS, changes, turns, given_prior=prior)
                pendings = self._pendings(position, move, made, Kind.TURNS)
                yield from (act._replace(given_prior=prior) for act in pendings)
            if len(turns) < most:
                after = apply(position, move, self.rules)
                yield from self._continued(after, turns, squares, most, may_hide=may_hide and seen)

    def unseen(self, open_squares: Collection[int]) -> Iterator[Act]:
        """A barely visible turn, followed by a turn on these squares.

        From above, a piece moved from one stack to another changes only heights if the tops keep their
        colours; a reserve piece placed on one's own stack of five does not even change the height.
        """
        for one in self.moves:
            middle = self.after(one)
            changed = changes_between(self.stacks, middle.stacks, squares_of(one))
            if not middle.to_move or any(
                not stack or stack[-1:] != self.stacks[square][-1:] for square, stack in changed.items()
            ):
                continue
            for two in legal_moves(middle, self.rules):
                if lies_within(two, open_squares):
                    changes = changes_between(
                        self.stacks, trimmed(middle, two), {*squares_of(one), *squares_of(two)}
                    )
                    squares = frozenset(changed).difference(squares_of(two))
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

    def back(self) -> Iterator[Act]:
        """Turns taken back: the positions after earlier plies, newest first."""
        last = len(self.history) - 2
        for ply in range(last, max(-1, last - _MAX_PLIES_BACK), -1):
            earlier = self.history[ply]
            changes = changes_between(self.stacks, earlier.stacks)
            # Pieces that had been taken from the board must have been put back, one by one.
            fetched = _pieces_taken(self.position) - _pieces_taken(earlier)
            if changes:
                yield Act(Kind.BACK, changes, ply=ply, extra_plies=last - ply, fetched=fetched)

    def retries(self, open_squares: Collection[int], alternatives: Collection[Move] = ()) -> Iterator[Act]:
        """The last turn taken back and replaced by another one, trimmed or not, possibly followed by the next
        turn.

        A change that may be a single act (moving on the piece just set down) is excluded, because the players
        accepted the recorded turn by playing on. It is included for turns among ``alternatives``, for which
        there was earlier evidence.
        """
        if len(self.history) < 2:
            return
        ply = len(self.history) - 2
        earlier = self.history[ply]
        fetched = _pieces_taken(self.position) - _pieces_taken(earlier)

        def made(after: Sequence[str], *moves: Move, taken: str = "") -> Iterator[Act]:
            changes = changes_between(self.stacks, after)
            expected = moves[0] in alternatives
            if not changes or any(square not in open_squares for square in changes):
                return
            if not expected and _may_be_single(self.stacks, changes):
                return
            act = Act(Kind.BACK, changes, moves, ply=ply, fetched=fetched, trimmed=taken)
            # For a turn with evidence from earlier looks, the prior must not be applied again.
            yield act._replace(given_prior=act._replace(moves=moves[1:]).prior) if expected else act

        for move in legal_moves(earlier, self.rules):
            for stacks, part in too_high(earlier, move):
                yield from made(stacks, move, taken=part)
            stacks = trimmed(earlier, move)
            taken = "".join(piece.piece for piece in removed(earlier, move, self.rules))
            yield from made(stacks, move, taken=taken)
            between = changes_between(self.stacks, stacks)
            if not between or any(square not in open_squares for square in between):
                continue
            after = apply(earlier, move, self.rules)
            for two in legal_moves(after, self.rules):
                if lies_within(two, open_squares):
                    yield from made(trimmed(after, two), move, two)
        yield from self._replaced_before(open_squares)

    def _replaced_before(self, open_squares: Collection[int]) -> Iterator[Act]:
        """A turn before the last one replaced by another, with all later turns left as they are: since then,
        the same player has not moved again.
        """
        later: tuple[Move, ...] = ()
        for ply in range(len(self.history) - 3, len(self.history) - 2 - len(self.position.players), -1):
            turn = self._turn_after(ply + 1) if ply >= 0 else None
            if turn is None:
                return
            later = (turn, *later)
            for move in legal_moves(self.history[ply], self.rules):
                after = self._played(self.history[ply], (move, *later))
                changes = {} if after is None else changes_between(self.stacks, after.stacks)
                if (
                    after is not None
                    and changes.keys() <= {*open_squares}
                    and not _may_be_single(self.stacks, changes)
                ):
                    fetched = max(0, _pieces_taken(self.position) - _pieces_taken(after))
                    yield Act(Kind.BACK, changes, (move, *later), ply=ply, fetched=fetched)

    def _turn_after(self, ply: int) -> Move | None:
        """The turn made in the position after so many plies; ``None`` if that was corrected by hand."""
        before, after = self.history[ply : ply + 2]
        moves = [move for move in legal_moves(before, self.rules) if trimmed(before, move) == after.stacks]
        return next((move for move in moves if apply(before, move, self.rules) == after), None)

    def _played(self, position: Position, turns: Iterable[Move]) -> Position | None:
        """The position after these turns; ``None`` if one of them is illegal."""
        for turn in turns:
            if explain(position, turn, self.rules) is not None:
                return None
            position = apply(position, turn, self.rules)
        return position


def too_high(position: Position, move: Move) -> Iterator[tuple[Sequence[str], str]]:
    """The stacks after a turn that makes one of them higher than five, and what has been taken from it: first
    nothing, then a part of the excess.
    """
    high = position.stacks[move.target] + carried(position, move)
    for taken in range(len(high) - MAX_HEIGHT):
        stacks = untrimmed(position, move)
        yield (*stacks[: move.target], high[taken:], *stacks[move.target + 1 :]), high[:taken]


def _may_be_single(before: Sequence[str], changes: Mapping[int, str]) -> bool:
    """Whether these changes may be a single act: of one stack, or of two between which pieces were moved."""
    stood = sorted("".join(before[square] for square in changes))
    return len(changes) < 2 or (len(changes) == 2 and stood == sorted("".join(changes.values())))


def _on_own_colour(position: Position, move: Move, squares: Collection[int]) -> bool:
    """Whether the move sets a stack from one of these squares on one of the same colour."""
    if move.origin is None or move.origin not in squares:
        return False
    return position.stacks[move.origin][-1:] == position.stacks[move.target][-1:]


def _pieces_taken(position: Position) -> int:
    """Number of pieces trimmed from stacks in the game so far."""
    return sum(position.taken) + sum(sum(row) for row in position.captured)
