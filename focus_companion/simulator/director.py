"""Turns events at the table into beats: turns, trimmings, illegal acts that are put right, set-ups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..game.moves import Move, carried
from ..game.play import apply, removed, untrimmed
from ..game.position import Position
from ..game.rules import Rules
from ..game.squares import SQUARES
from .beats import Beat, Pace
from .hands import Hands
from .mischief import Carry, Slip
from .scene_style import SceneStyle
from .stage import Stage

USUAL_SEATS: dict[int, dict[str, str]] = {
    2: {"g": "S", "r": "N", "b": "W", "y": "E"},
    3: {"g": "S", "b": "W", "r": "E", "y": "N"},
    4: {"g": "S", "b": "W", "y": "N", "r": "E"},
}
"""Seat of each colour, by number of players."""


class Director:
    """Keeps track of where everything is between turns, and makes the beats of what happens next.

    ``pose``, ``light``, ``drift`` and ``nudge`` may be set at any time and apply to later beats.
    """

    def __init__(self, look: SceneStyle, rules: Rules, pace: Pace) -> None:
        self.look, self.rules, self.pace = look, rules, pace
        self.seats = dict(USUAL_SEATS[rules.players])
        self.pose = (0.0, 0.0, 0.0)
        self.light = 0
        self.drift = 0.0
        self.nudge = (0.0, 0.0, 0.0)
        self._hands = Hands(look, pace)
        self._captures = dict.fromkeys(rules.order, "")

    def stage(self, position: Position, stacks: tuple[str, ...] | None = None) -> Stage:
        """The table in a position, with these ``stacks`` instead of the position's, if given."""
        return Stage(
            position.stacks if stacks is None else stacks,
            dict(zip(position.players, position.reserves, strict=True)),
            self._captured(position),
            self.seats,
            None,
            self.pose,
            self.light,
            self.drift,
            self.nudge,
        )

    def _captured(self, position: Position) -> dict[str, str]:
        """Everybody's captured pieces, in the order in which they were put down."""
        for player in position.players:
            want = Counter(position.captures(player))
            kept = ""
            for letter in self._captures[player]:
                if want[letter] > 0:
                    kept += letter
                    want[letter] -= 1
            self._captures[player] = kept + "".join(letter * n for letter, n in sorted(want.items()))
        return dict(self._captures)

    def still(self, position: Position, seconds: float | None = None, **truth: Any) -> Beat:
        """The position without a hand."""
        length = self.pace.settle if seconds is None else seconds
        return Beat("settled", length, self.stage(position), truth={"move": None, **truth})

    def turn(
        self,
        position: Position,
        move: Move,
        slip: Slip | None = None,
        settle: float | None = None,
        **truth: Any,
    ) -> Iterator[Beat]:
        """A legal turn with its trimming; ``slip`` is an illegal act at the trimming, which is put right."""
        player, gone = position.to_move, removed(position, move, self.rules)
        seat, after = self.seats[player], apply(position, move, self.rules)
        standing = replace(
            self.stage(position, untrimmed(position, move)), reserves=self._spent(position, move)
        )
        carry = Carry(move.origin, move.target, carried(position, move))
        yield from self._hands.carry(seat, self.stage(position), (carry,), standing)
        said: dict[str, Any] = {"move": str(move), "mover": player}
        if gone:
            name = SQUARES[move.target]
            detail = f"pile of {len(standing.stacks[move.target])} on {name} not yet trimmed"
            pending = Beat("overflow-pending", self.pace.pending, standing, truth={**said, "detail": detail})
            yield pending
            if slip is not None and slip.kind != "forgot_trim":
                yield from self._trimmed_wrongly(position, move, slip, standing)
                said["event"] = "corrected"
            else:
                if slip is not None:
                    yield from self._forgotten(position, move, slip, standing)
                    yield replace(pending, truth={**pending.truth, "event": "restored, still to trim"})
                yield from self._hands.rework(seat, move.target, standing, self.stage(after))
            said["removed"] = "".join(piece.piece for piece in gone)
        yield self.still(after, settle, **{**said, **truth})

    def _spent(self, position: Position, move: Move) -> dict[str, int]:
        """The reserves once a piece from the reserve is on the board."""
        reserves = dict(zip(position.players, position.reserves, strict=True))
        if move.origin is None and not any(position.placing):
            reserves[position.to_move] -= 1
        return reserves

    def _forgotten(self, position: Position, move: Move, slip: Slip, standing: Stage) -> Iterator[Beat]:
        """The next player moves while the stack is still too high, and takes that back."""
        seat, wrong = self.seats[slip.player], replace(standing, stacks=slip.stacks)
        yield from self._hands.carry(seat, standing, slip.carries, wrong)
        illegal = {
            "type": slip.kind,
            "by": position.to_move,
            "square": SQUARES[move.target],
            "detail": slip.detail,
        }
        yield Beat("illegal", self.pace.wrong, wrong, truth={"illegal": illegal, "mover": slip.player})
        yield from self._hands.carry(seat, wrong, _back(slip.carries), standing)

    def _trimmed_wrongly(self, position: Position, move: Move, slip: Slip, standing: Stage) -> Iterator[Beat]:
        """The stack is trimmed wrongly, then correctly."""
        seat, right = self.seats[slip.player], self.stage(apply(position, move, self.rules))
        wrong = self._laid_down(position, standing, slip.stacks)
        yield from self._hands.rework(seat, move.target, standing, wrong)
        illegal = {
            "type": slip.kind,
            "by": slip.player,
            "square": SQUARES[move.target],
            "detail": slip.detail,
        }
        truth = {"illegal": illegal, "move": str(move), "mover": slip.player}
        yield Beat("illegal", self.pace.wrong, wrong, truth=truth)
        yield from self._hands.rework(seat, move.target, wrong, right)

    def _laid_down(self, position: Position, standing: Stage, stacks: tuple[str, ...]) -> Stage:
        """The pieces taken off the board: the player's own go to the reserve, the others are captured."""
        player = position.to_move
        gone = Counter("".join(standing.stacks)) - Counter("".join(stacks))
        reserves, captured = dict(standing.reserves), dict(standing.captured)
        reserves[player] += gone.pop(player, 0)
        captured[player] += "".join(gone.elements())
        return replace(standing, stacks=stacks, reserves=reserves, captured=captured)

    def slip(self, position: Position, slip: Slip, settle: float | None = None) -> Iterator[Beat]:
        """An illegal act instead of a turn, which is put right."""
        before, seat = self.stage(position), self.seats[slip.player]
        wrong = replace(before, stacks=slip.stacks)
        foreign = any(carry.origin is None for carry in slip.carries)
        if foreign:  # the piece comes from an opponent's captures
            owner = next(p for p in position.players if slip.player in before.captured[p])
            letters = before.captured[owner]
            at = letters.rindex(slip.player)
            wrong = replace(wrong, captured={**before.captured, owner: letters[:at] + letters[at + 1 :]})
        first = slip.carries[0]
        if slip.kind == "knocked" and first.origin is not None:
            yield from self._hands.brush(seat, first.origin, before, wrong)
        else:
            yield from self._hands.carry(seat, before, slip.carries, wrong)
        illegal = {"type": slip.kind, "by": slip.player, "detail": slip.detail}
        yield Beat("illegal", self.pace.wrong, wrong, truth={"illegal": illegal, "mover": slip.player})
        if foreign:
            yield from self._hands.take_away(seat, first.target, first.pieces, wrong, before)
        else:
            yield from self._hands.carry(seat, wrong, _back(slip.carries), before)
        yield self.still(position, settle, event="restored")

    def take_back(self, position: Position, move: Move) -> Iterator[Beat]:
        """A legal turn that the player takes back. Raises ValueError for one that needs trimming."""
        if removed(position, move, self.rules):
            raise ValueError(f"{move} is trimmed: taking back is shown for plain turns only")
        after, seat = self.stage(apply(position, move, self.rules)), self.seats[position.to_move]
        yield from self.turn(position, move, event="moved, will be taken back", provisional=True)
        pieces = carried(position, move)
        if move.origin is None:
            yield from self._hands.take_away(seat, move.target, pieces, after, self.stage(position))
        else:
            back = (Carry(move.target, move.origin, pieces),)
            yield from self._hands.carry(seat, after, back, self.stage(position))
        yield self.still(position, event="taken back")

    def set_up(self, old: Position, new: Position) -> Iterator[Beat]:
        """Hands clear the board and set up another position, half the board at a time."""
        none = ("",) * len(SQUARES)
        half = len(SQUARES) // 2
        now = self.stage(old)
        steps = ((old, none[:half] + old.stacks[half:]), (new, none), (new, new.stacks[:half] + none[half:]))
        for number, (position, stacks) in enumerate((*steps, (new, new.stacks))):
            seat = self.seats[new.players[number % len(new.players)]]
            spot = self._hands.over(seat, 18 if number % 2 == 0 else 34, none)
            yield replace(self._hands.reach(now, spot, ""), seconds=self.pace.carry)
            now = self.stage(position, stacks)
            yield replace(self._hands.leave(now, spot, ""), seconds=self.pace.carry)


def _back(carries: tuple[Carry, ...]) -> tuple[Carry, ...]:
    """The same pieces carried back to where they came from."""
    return tuple(Carry(c.target, c.origin, c.pieces) for c in reversed(carries) if c.origin is not None)
