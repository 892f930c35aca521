"""Determines who can still move or place, and whether that ends the game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .outcome import Outcome
from .position import MAX_HEIGHT, Position
from .rules import Rules


def able_players(
    rules: Rules,
    stacks: Sequence[str],
    reserves: Sequence[int],
    thirteenth: Sequence[bool],
    placing: Sequence[int],
    out: str,
) -> str:
    """Return the players who are not out and could move if it were their turn, as letters in turn order.

    A controlled stack can always move: every square has a neighbour for its top piece.
    """
    tops = {stack[-1] for stack in stacks if stack}
    able = ""
    for index, player in enumerate(rules.order):
        if player in out:
            continue
        if placing and placing[index]:
            can = "" in stacks or any(stack[-1] == player and len(stack) < MAX_HEIGHT for stack in stacks)
        elif thirteenth[index]:
            can = "" in stacks
        else:
            can = player in tops
            if not can and rules.move_partner_stacks:
                partner = rules.partner_of(player)
                can = partner in tops and partner not in out
            if not can and reserves[index]:
                # The player has no stack, so "empty_or_own" allows only the empty squares.
                can = rules.reserve_on == "anywhere" or "" in stacks
        if can:
            able += player
    return able


def dominating(rules: Rules, able: str) -> Outcome | None:
    """Return the end of the game if only one side of those not out could move or place; None otherwise."""
    sides = [side for side in rules.sides if any(player in able for player in side)]
    return Outcome(sides[0], "domination") if len(sides) == 1 else None


def fast_winner(
    rules: Rules,
    player: int,
    captured: Sequence[Sequence[int]],
    reserves: Sequence[int],
    taken: Sequence[int],
) -> bool:
    """Whether a player (index in turn order) who has just moved wins a fast game.

    The thirteenth piece, which was not gained by a turn, has left the reserve by then.
    """
    row = captured[player]
    if all(count >= rules.fast_each for other, count in enumerate(row) if other != player):
        return True
    if rules.fast_total is None:
        return False
    own = reserves[player] if rules.fast_own == "held" else taken[player]
    return sum(row) + own >= rules.fast_total


def pass_turn(rules: Rules, after: int, able: str, out: str) -> tuple[str, str]:
    """Return the next player to move after the one with index ``after``, and who is out by then.

    Depending on the rules, players who cannot move are passed over, or are out for good when the turn reaches
    them. ``able`` must name a player who is not out.
    """
    order = rules.order
    for step in range(1, len(order) + 1):
        player = order[(after + step) % len(order)]
        if player in able:
            return player, out
        if player not in out and rules.stuck == "out":
            out += player
    raise ValueError("no player is able to move: the game should have ended")


def begin(position: Position, rules: Rules) -> Position:
    """Return a given start position with the turn passed to the first player who can move, or with the game
    ended if it is already won.

    ``position.to_move`` says whose turn it would be; somebody must be able to move.
    """
    order, first = rules.order, rules.order.index(position.to_move)
    able = able_players(
        rules, position.stacks, position.reserves, position.thirteenth, position.placing, position.out
    )
    if rules.fast:
        # In a position set up by hand, several players may have enough: the last of them to have moved wins.
        for back in range(1, len(order) + 1):
            player = (first - back) % len(order)
            if order[player] not in position.out and fast_winner(
                rules, player, position.captured, position.reserves, position.taken
            ):
                return replace(position, to_move="", result=Outcome(order[player], "fast"))
    if rules.players == 2:
        # With two players, only the one to move can have lost.
        result = None if position.to_move in able else Outcome(able, "domination")
    else:
        result = dominating(rules, able)
    if result is not None:
        return replace(position, to_move="", result=result)
    to_move, out = pass_turn(rules, first - 1, able, position.out)
    return replace(position, to_move=to_move, out=out)
