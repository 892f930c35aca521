"""Explains why a turn or an act is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from .colours import NAMES
from .moves import DISTANCE, Move, movable_tops
from .position import MAX_HEIGHT, Position
from .rules import Rules
from .squares import FILE, RANK, SQUARES

Reason = Literal[
    "not_straight",
    "distance",
    "out_of_turn",
    "not_your_stack",
    "no_reserve",
    "reserve_square",
    "thirteenth_piece",
    "too_high",
    "no_such_stack",
    "capitals",
    "off_board",
    "unreadable",
    "game_over",
    "placing",
    "no_such_player",
    "already_out",
]
"""Reasons for a refusal: first those of alerts, then those that only a written record can cause."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a turn or an act is refused. ``details`` fill in the sentence, see :func:`sentence`."""

    reason: Reason
    squares: tuple[int, ...] = ()
    player: str = ""
    """The letter of the player at fault; ``""`` if there is none."""
    details: Mapping[str, str] = field(default_factory=dict, hash=False)


class IllegalMove(ValueError):
    """The rules refuse a turn or an act. The message is for people."""

    def __init__(self, fault: Fault, text: str, ply: int | None = None) -> None:
        """``text`` is the refused turn or act as written; ``ply`` the number that the turn would have had."""
        self.fault = fault
        self.text = text
        self.ply = ply
        # What would not be seen is quoted: nothing, outer spaces, control characters.
        written = text if text and text == text.strip() and text.isprintable() else repr(text)
        where = f"ply {ply}, {written}" if ply is not None else written
        super().__init__(f"{where}: {sentence(fault)}")


def explain(position: Position, move: Move, rules: Rules) -> Fault | None:
    """Return why a turn of the player to move is refused; None if it is legal."""
    player = position.to_move
    if position.result is not None:
        return Fault("game_over", (move.target,))
    me = position.players.index(player)
    who = NAMES[player]
    origin, target = move.origin, move.target
    stack = position.stacks[target]
    if position.placing and position.placing[me]:
        return _explain_placing(move, stack, player)
    if position.thirteenth[me] and (origin is not None or stack):
        squares = (target,) if origin is None else (origin, target)
        return Fault("thirteenth_piece", squares, player, {"player": who})
    if origin is None:
        if not position.reserves[me]:
            return Fault("no_reserve", (target,), player, {"player": who})
        if rules.reserve_on == "empty_or_own" and stack and stack[-1] != player:
            return _reserve_square(target, stack, player)
        return None
    return _explain_stack(position, origin, target, rules)


def _explain_placing(move: Move, stack: str, player: str) -> Fault | None:
    if move.origin is not None:
        return Fault("placing", (move.origin, move.target), player, {"player": NAMES[player]})
    if stack and stack[-1] != player:
        return _reserve_square(move.target, stack, player)
    if len(stack) >= MAX_HEIGHT:
        return Fault("too_high", (move.target,), player, {"square": SQUARES[move.target]})
    return None


def _reserve_square(target: int, stack: str, player: str) -> Fault:
    details = {"square": SQUARES[target], "player": NAMES[player], "owner": NAMES[stack[-1]]}
    return Fault("reserve_square", (target,), player, details)


def _explain_stack(position: Position, origin: int, target: int, rules: Rules) -> Fault | None:
    player = position.to_move
    source = position.stacks[origin]
    details = {"origin": SQUARES[origin], "target": SQUARES[target], "player": NAMES[player]}
    if not source:
        return Fault("no_such_stack", (origin,), player, details)
    top = source[-1]
    mine = top in movable_tops(position, rules, player)
    if FILE[origin] != FILE[target] and RANK[origin] != RANK[target]:
        return Fault("not_straight", (origin, target), player, details)
    steps = DISTANCE[origin][target]
    if not 1 <= steps <= len(source):
        counts = {"steps": str(steps), "height": str(len(source))}
        return Fault("distance", (origin, target), player, details | counts)
    if mine:
        return None
    details["owner"] = NAMES[top]
    if top not in position.out:
        return Fault("out_of_turn", (origin, target), top, details)
    return Fault("not_your_stack", (origin, target), player, details)


_SENTENCES: Final[dict[str, str]] = {
    "not_straight": "From {origin} to {target} is not a straight line: a stack moves along its row or "
    "column, and never turns.",
    "distance": "From {origin} to {target} it is {steps} squares, but {origin} is {height} high: "
    "a stack, or its upper part, moves exactly as many squares as it has pieces.",
    "out_of_turn": "The stack on {origin} is {owner}’s, and it is {player}’s turn.",
    "not_your_stack": "The stack on {origin} belongs to {owner}: {player} may not move it.",
    "no_reserve": "{player} has no piece in reserve to place.",
    "reserve_square": "{player} may place a piece on an empty square or on a stack of their own, "
    "and {square} belongs to {owner}.",
    "thirteenth_piece": "{player} must first place the thirteenth piece on an empty square.",
    "too_high": "The stack on {square} would be higher than five.",
    "no_such_stack": "There is no piece on {origin}.",
    "capitals": "Squares are written in small letters: {small}.",
    "off_board": "A square of {text} is not on the board.",
    "unreadable": "That is not a move: write the two squares, as d5-d6, or * and a square, as *d5.",
    "game_over": "The game is over.",
    "placing": "{player} still has pieces to place: nothing moves until all are on the board.",
    "no_such_player": "That is not a player of this game.",
    "already_out": "{player} is out of the game already.",
}
"""One sentence for each reason; a translation replaces these and keeps the fields."""


def sentence(fault: Fault) -> str:
    """Return a fault as a sentence for players, in English."""
    template, details = parts(fault)
    text = template.format_map(details)
    return text[:1].upper() + text[1:]


def parts(fault: Fault) -> tuple[str, Mapping[str, str]]:
    """Return the English sentence of a fault with its {fields}, and their values."""
    details = dict(fault.details)
    if fault.player:
        details.setdefault("player", NAMES.get(fault.player, fault.player))
    return _SENTENCES[fault.reason], details
