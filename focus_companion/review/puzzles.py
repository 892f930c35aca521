"""Finds puzzles in a finished game: positions in which only one turn wins much.

Deterministic: the work is bounded by the number of positions searched, never by a clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from focus_companion.game.colours import NAMES
from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.play import apply
from focus_companion.game.position import Position
from focus_companion.game.record import GameRecord, steps
from focus_companion.game.rules import Rules
from focus_companion.game.start import RulesError, Start
from focus_companion.players.choosing import shared_engine
from focus_companion.review.evaluation import counts
from focus_companion.review.review import NotFinished

MIN_GAIN: Final = 2
"""What the right turn must at least gain."""

_MAX_NODES: Final = 30_000
"""Maximum positions of the search that must find the same turn."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position with its only right turn."""

    ply: int
    """Number of turns played before it in the game."""
    start: Start
    order: str
    move: Move
    answer: Move | None
    gain: int
    """Stacks, captured pieces and reserves won, minus what the others win, whatever the reply."""

    @property
    def text(self) -> str:
        """What is to be found: "Green to move gains 3"."""
        return f"{NAMES[self.start.to_move].capitalize()} to move gains {self.gain}"

    def to_json(self) -> dict[str, Any]:
        """Return the puzzle as ``docs/review.md`` describes it."""
        return {
            "ply": self.ply,
            "text": self.text,
            "gain": self.gain,
            "start": self.start.to_json(self.order),
            "move": str(self.move),
            "answer": None if self.answer is None else str(self.answer),
        }


def puzzles(record: GameRecord) -> tuple[Puzzle, ...]:
    """Return the puzzles of a finished game, in the order of its turns.

    Raises NotFinished for a game that has no result, IllegalMove for a record with an illegal move.
    """
    played = [step.position for step in steps(record)]
    if record.result is None and played[-1].result is None:
        raise NotFinished("the game is not over yet; puzzles are taken from finished games")
    found = (_puzzle_of(position, record.rules, ply) for ply, position in enumerate(played))
    return tuple(puzzle for puzzle in found if puzzle is not None)


def _puzzle_of(position: Position, rules: Rules, ply: int) -> Puzzle | None:
    """The puzzle of a position, if it is one."""
    try:
        start = Start.of(position)
    except RulesError:
        return None
    gain = MIN_GAIN
    best: list[tuple[Move, Move | None]] = []
    for move in legal_moves(position, rules):
        won = _gain(position, move, rules, gain)
        if won is None:
            continue
        if won[0] > gain:
            best.clear()
        gain = won[0]
        best.append((move, won[1]))
    if len(best) != 1:
        return None
    ((right, answer),) = best
    # The turn that wins most at once may lose later: then it is not the right one.
    engine = shared_engine()
    engine.set_up(position, rules)
    if engine.search(nodes=_MAX_NODES).move != right:
        return None
    return Puzzle(ply, start, "".join(position.players), right, answer, gain)


def _gain(position: Position, move: Move, rules: Rules, least: int) -> tuple[int, Move | None] | None:
    """What a turn gains whatever the reply, and the reply that leaves the least, if there is any. ``None`` as
    soon as a reply leaves less than ``least``.
    """
    player = position.to_move
    before, after = _material(position, rules, player), apply(position, move, rules)
    if after.over:
        gain = _material(after, rules, player) - before
        return None if gain < least else (gain, None)
    worst: tuple[int, Move] | None = None
    for answer in legal_moves(after, rules):
        gain = _material(apply(after, answer, rules), rules, player) - before
        if gain < least:
            return None
        if worst is None or gain < worst[0]:
            worst = gain, answer
    return worst


def _material(position: Position, rules: Rules, player: str) -> int:
    """What a player's side has, minus what the best of the other sides has."""
    has = {one: c.captures + c.reserves + c.control for one, c in counts(position, rules).items()}
    sides = [sum(has[one] for one in side) for side in rules.sides if player not in side]
    return sum(has[one] for one in rules.side_of(player)) - max(sides)
