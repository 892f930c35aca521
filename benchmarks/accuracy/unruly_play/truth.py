"""Works out what is true after every step of a sequence, and checks it against the rules; shows nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from benchmarks.accuracy.unruly_play.sequences import ANY_REASON, PlaySequence, SequenceError, Step
from focus_companion.game.faults import explain
from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.play import apply, play, removed, trimmed, untrimmed
from focus_companion.game.position import Position
from focus_companion.game.setups import start_position

Stacks = tuple[str, ...]
Game = tuple[str, ...]
"""The turns of a game, as text."""

MAX_TAKEN_BACK: Final = 2
"""An illegal position may not be what one of so many earlier positions becomes by another legal turn: taking
turns back would then explain it.
"""


@dataclass(frozen=True, slots=True)
class Moment:
    """What the board shows in one step, and what is true of it.

    ``position`` is the last legal one, ``games`` are those that may be recorded at the end, the true one
    first. One of the reasons ``due``, if any, has to be alerted, and those of ``tolerated`` may be. At the
    end, ``at_rest`` means that no alert may be left, ``prompt`` that a stack awaits its trimming. Without
    ``may_prompt``, nobody may be told to trim a stack.
    """

    step: Step
    position: Position
    stacks: Stacks
    games: tuple[Game, ...]
    due: frozenset[str] = frozenset()
    tolerated: frozenset[str] = frozenset()
    at_rest: bool = True
    prompt: bool = False
    may_prompt: bool = True


def moments(sequence: PlaySequence) -> list[Moment]:
    """The truth of every step. Raises SequenceError, with the place, if it contradicts the rules."""
    return list(_Truth(sequence).moments())


class _Truth:
    """The true game while the steps of a sequence are followed."""

    def __init__(self, sequence: PlaySequence) -> None:
        self._sequence = sequence
        self._rules = sequence.rules
        self._positions = [start_position(sequence.rules)]
        self._turns: list[str] = []
        self._pending: Move | None = None
        """The turn whose stack awaits its trimming."""
        self._last: Moment | None = None
        self._reorderings: list[tuple[int, tuple[str, ...]]] = []
        """Other turns to the same position: the number of turns before them, and the turns."""

    def moments(self) -> Iterator[Moment]:
        for step in self._sequence.steps:
            try:
                self._last = self._moment(step)
            except (SequenceError, ValueError, IndexError) as error:
                file = self._sequence.place.partition(":")[0]
                raise SequenceError(f"{file}:{step.line}: {error}") from error
            yield self._last

    @property
    def _position(self) -> Position:
        return self._positions[-1]

    def _moment(self, step: Step) -> Moment:
        before = self._last.stacks if self._last else self._position.stacks
        stacks = before
        for change in step.changes:
            stacks = change.done(stacks)
        if step.verb in ("turn", "high", "back"):
            self._play(step)
        elif step.verb == "trim":
            self._trim()
        if step.verb in ("turn", "trim", "back", "restore", "high"):
            stacks = self._position.stacks
            if self._pending is not None:
                stacks = untrimmed(self._position, self._pending)
            if stacks == before:
                raise SequenceError("the board does not change")
        self._check_pieces(stacks)
        moment = Moment(
            step,
            self._position,
            stacks,
            (tuple(self._turns), *self._other_games(step)),
            due=step.reasons,
            tolerated=step.tolerated | step.reasons,
            at_rest=step.verb not in ("hold", "illegal", "still"),
            prompt=self._pending is not None and step.verb not in ("hold", "illegal", "still"),
            may_prompt=self._pending is not None
            or step.verb not in ("hold", "illegal", "restore")
            or step.ask,
        )
        if step.verb == "illegal":
            self._check_illegal(step, stacks)
        elif step.verb == "still":
            self._check_illegal(step, stacks)
            moment = replace(moment, tolerated=ANY_REASON)
        elif step.verb == "hold" and stacks in self._after_turn(self._position):
            raise SequenceError("this is a legal turn")
        elif step.verb == "wait" and self._last is not None:
            last = self._last
            games = (*last.games, *moment.games[1:])
            tolerated = last.tolerated | step.tolerated
            moment = replace(
                last, step=step, games=games, due=frozenset(), tolerated=tolerated, stacks=last.stacks
            )
        return moment

    def _play(self, step: Step) -> None:
        """Make the turns of a step, after taking turns back."""
        if step.verb == "back":
            kept = len(self._turns) - step.number
            if kept < 0 or (step.number == 0 and self._pending is None):
                raise SequenceError(f"{step.number} turns cannot be taken back")
            del self._turns[kept:], self._positions[kept + 1 :]
            self._reorderings = [(at, turns) for at, turns in self._reorderings if at + len(turns) <= kept]
        elif not step.turns:
            raise SequenceError("no turn is named")
        self._pending = None
        *complete, last = [*step.turns, ""]
        if step.verb == "high":
            last = complete.pop()
        for turn in complete:
            self._positions.append(play(self._position, Move.parse(turn), self._rules))
            self._turns.append(turn)
        if not last:
            return
        self._pending = Move.parse(last)
        play(self._position, self._pending, self._rules)
        if not removed(self._position, self._pending, self._rules):
            raise SequenceError(f"{last} makes no stack that has to be trimmed")

    def _trim(self) -> None:
        if self._pending is None:
            raise SequenceError("nothing awaits its trimming")
        self._positions.append(apply(self._position, self._pending, self._rules))
        self._turns.append(str(self._pending))
        self._pending = None

    def _other_games(self, step: Step) -> Iterator[Game]:
        """The other games that are right too: those of the step, and those in which the turns of an earlier
        step are reordered.
        """
        for kept, turns in self._reorderings:
            yield (*self._turns[:kept], *turns, *self._turns[kept + len(turns) :])
        for back, turns in step.others:
            kept = len(self._turns) - back
            position = self._positions[kept]
            for turn in turns:
                position = play(position, Move.parse(turn), self._rules)
            if turns and position == self._position:
                self._reorderings.append((kept, turns))
            yield (*self._turns[:kept], *turns)

    def _after_turn(self, position: Position) -> set[Stacks]:
        """All that the board may legally show one turn after a position."""
        return {
            stacks
            for move in legal_moves(position, self._rules)
            for stacks in (untrimmed(position, move), trimmed(position, move))
        }

    def _check_illegal(self, step: Step, stacks: Stacks) -> None:
        """Raise SequenceError if the board shows what legal turns or take-backs explain."""
        known = {position.stacks for position in self._positions}
        if stacks in known:
            raise SequenceError("the board shows a position of the game")
        for back, position in enumerate(self._positions[: -2 - MAX_TAKEN_BACK : -1]):
            if stacks in self._after_turn(position):
                raise SequenceError(f"this is a legal turn, {back} turns taken back")
        if any(stacks in self._after_turn(after) for after in self._positions_after(self._position)):
            raise SequenceError("two legal turns explain this")
        self._check_reason(step)

    def _positions_after(self, position: Position) -> Iterator[Position]:
        if not position.over:
            for move in legal_moves(position, self._rules):
                yield apply(position, move, self._rules)

    def _check_reason(self, step: Step) -> None:
        """Raise SequenceError if pieces are only carried once from the last legal position, and the rules
        name another reason than the step.
        """
        settled = self._last is None or self._last.stacks == self._position.stacks
        if len(step.changes) != 1 or step.reasons in (frozenset(), ANY_REASON) or not settled:
            return
        (change,) = step.changes
        if change.target is None or self._pending is not None:
            return
        found = explain(self._position, Move(change.square, change.target), self._rules)
        reason = found.reason if found is not None else "distance"
        if reason not in step.reasons:
            raise SequenceError(f"the reason is {reason}")

    def _check_pieces(self, stacks: Stacks) -> None:
        """Raise SequenceError if the board shows pieces that the game does not have."""
        position = self._position
        owned = _counted(position.stacks)
        for owner, player in enumerate(position.players):
            owned[player] += position.in_hand(player)
            owned[player] += sum(row[owner] for row in position.captured)
        if extra := _counted(stacks) - owned:
            raise SequenceError(f"there are no more pieces: {''.join(extra.elements())}")


def _counted(stacks: Iterable[str]) -> Counter[str]:
    return Counter("".join(stacks))
