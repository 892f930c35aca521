"""Plays a turn: how it changes the board, the reserves and the captures, and who moves next."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from .declarations import Declaration
from .ending import able_players, dominating, fast_winner, pass_turn
from .faults import Fault, IllegalMove, explain
from .moves import DISTANCE, Move
from .outcome import Outcome
from .position import MAX_HEIGHT, Position
from .rules import Rules

__all__ = ["Declaration", "IllegalMove", "Removed", "act", "apply", "play", "removed", "trimmed", "untrimmed"]


@dataclass(frozen=True, slots=True)
class Removed:
    """A piece taken from the bottom of a stack above five."""

    piece: str
    """Its colour, as a letter."""
    to: Literal["reserve", "captured"]
    owner: str
    """The letter of the player who gets it, into their reserve or as a capture."""


def play(position: Position, move: Move, rules: Rules) -> Position:
    """Return the position after a legal turn. Raises IllegalMove, with its fault, for any other."""
    fault = explain(position, move, rules)
    if fault is not None:
        raise IllegalMove(fault, str(move))
    return apply(position, move, rules)


def apply(position: Position, move: Move, rules: Rules) -> Position:
    """Return the position after a legal turn. The caller must know that it is legal: see :func:`play`."""
    players = position.players
    me = players.index(position.to_move)
    stacks = list(position.stacks)
    reserves, captured = position.reserves, position.captured
    thirteenth, placing, taken = position.thirteenth, position.placing, position.taken
    target = move.target
    if move.origin is None:
        pieces = position.to_move
        if placing and placing[me]:
            placing = _changed(placing, me, -1)
            if not any(placing):
                placing = ()
        else:
            reserves = _changed(reserves, me, -1)
            if thirteenth[me]:
                thirteenth = (*thirteenth[:me], False, *thirteenth[me + 1 :])
    else:
        source = stacks[move.origin]
        left = len(source) - DISTANCE[move.origin][target]
        pieces = source[left:]
        stacks[move.origin] = source[:left]
    stack = stacks[target] + pieces
    excess = len(stack) - MAX_HEIGHT
    if excess > 0:
        partner = rules.partner_indices[me]
        row = list(captured[me])
        for piece in stack[:excess]:
            owner = players.index(piece)
            if owner in (me, partner):
                reserves = _changed(reserves, owner, 1)
                taken = _changed(taken, owner, 1)
            else:
                row[owner] += 1
        captured = (*captured[:me], tuple(row), *captured[me + 1 :])
        stack = stack[excess:]
    stacks[target] = stack

    able = able_players(rules, stacks, reserves, thirteenth, placing, position.out)
    result: Outcome | None
    if rules.fast and fast_winner(rules, me, captured, reserves, taken):
        result = Outcome(players[me], "fast")
    else:
        result = dominating(rules, able)
    if result is None:
        to_move, out = pass_turn(rules, me, able, position.out)
    else:
        to_move, out = "", position.out
    return Position(
        tuple(stacks), players, to_move, reserves, captured, thirteenth, placing, taken, out, result
    )


def act(position: Position, act: Declaration, rules: Rules) -> Position:
    """Return the position after a player resigned or left, or all agreed a draw.

    With two players that ends the game; with more, whoever resigns or leaves is out, and the game ends when
    the others are all on one side. Raises IllegalMove when the game is over or the player is not in it.
    """
    fault = _act_fault(position, act)
    if fault is not None:
        raise IllegalMove(fault, act.kind)
    if act.kind == "draw":
        return replace(position, to_move="", result=Outcome("", "agreed draw"))
    # With two players the result is sufficient; with more, whoever resigns is out even if that ends the game.
    out = position.out + act.player if rules.players > 2 else position.out
    gone = out + act.player
    left = [side for side in rules.sides if any(player not in gone for player in side)]
    if len(left) == 1:
        return replace(position, to_move="", out=out, result=Outcome(left[0], "resigned"))
    able = able_players(rules, position.stacks, position.reserves, position.thirteenth, position.placing, out)
    result = dominating(rules, able)
    if result is not None:
        return replace(position, to_move="", out=out, result=result)
    to_move = position.to_move
    if to_move not in able:
        to_move, out = pass_turn(rules, position.players.index(to_move), able, out)
    return replace(position, to_move=to_move, out=out)


def removed(position: Position, move: Move, rules: Rules) -> tuple[Removed, ...]:
    """Return the pieces that a turn takes from the bottom of the stack it makes, bottom first."""
    stack = untrimmed(position, move)[move.target]
    mover = position.to_move
    own = mover + rules.partner_of(mover)
    return tuple(
        Removed(piece, "reserve", piece) if piece in own else Removed(piece, "captured", mover)
        for piece in stack[: max(0, len(stack) - MAX_HEIGHT)]
    )


def untrimmed(position: Position, move: Move) -> tuple[str, ...]:
    """Return the 52 stacks after the pieces of a turn are put down and before any are removed."""
    stacks = list(position.stacks)
    if move.origin is None:
        pieces = position.to_move
    else:
        source = stacks[move.origin]
        left = max(0, len(source) - DISTANCE[move.origin][move.target])
        pieces = source[left:]
        stacks[move.origin] = source[:left]
    stacks[move.target] += pieces
    return tuple(stacks)


def trimmed(position: Position, move: Move) -> tuple[str, ...]:
    """Return the 52 stacks after a legal turn; :func:`apply` returns the whole position."""
    stacks = untrimmed(position, move)
    target = move.target
    if len(stacks[target]) <= MAX_HEIGHT:
        return stacks
    return (*stacks[:target], stacks[target][-MAX_HEIGHT:], *stacks[target + 1 :])


def _changed(counts: tuple[int, ...], index: int, by: int) -> tuple[int, ...]:
    return (*counts[:index], counts[index] + by, *counts[index + 1 :])


def _act_fault(position: Position, act: Declaration) -> Fault | None:
    if position.result is not None:
        return Fault("game_over")
    if act.kind == "draw":
        return None
    if not act.player or act.player not in position.players:
        return Fault("no_such_player", player=act.player)
    return Fault("already_out", player=act.player) if act.player in position.out else None
