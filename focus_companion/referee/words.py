"""The referee's sentences for the players: what was done, why it is not allowed, and what to do now.

Every sentence is a template with named fields, so that it can be translated as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..game.colours import NAMES
from ..game.squares import SQUARES

TEMPLATES: Final = {
    "not_straight": "{Player} moved {pieces} from {origin} to {target}, which is not straight along a row "
    "or column. Please put {them} back on {origin}.",
    "distance": "{Player} moved {pieces} {squares} from {origin} to {target}; {pieces} must go exactly "
    "{right}. Please put {them} back on {origin}.",
    "out_of_turn": "{Player} moved from {origin} to {target}, but it is {turn}’s turn. Please put what was "
    "moved back on {origin}.",
    "placed_out_of_turn": "{Player} placed a piece on {target}, but it is {turn}’s turn. Please take it "
    "off {target} again.",
    "begins_out_of_turn": "{Player} moved from {origin} to {target}, but {turn} was to begin. Please put "
    "what was moved back on {origin}; if {player} is to begin, say so or play on.",
    "begins_placing": "{Player} placed a piece on {target}, but {turn} was to begin. Please take it off "
    "{target} again; if {player} is to begin, say so or play on.",
    "not_your_stack": "{Player} moved {owner}’s stack from {origin} to {target}; only {owner}, whose piece "
    "is on top, may move it. Please put it back on {origin}.",
    "two_moves": "{Player} made two moves in one turn (look at {where}), and only one is allowed. Please "
    "undo one of them.",
    "no_reserve": "{Player} placed a piece on {target} but has none in reserve. Please take it off the "
    "board.",
    "reserve_square": "{Player} placed a reserve piece on {target}; in this game it may only go on an "
    "empty square or on your own stack. Please put it back in the reserve.",
    "thirteenth_piece": "{Player} must begin by placing the thirteenth piece on an empty square. Please "
    "undo what was done, then place it.",
    "placing": "{Player} moved from {origin} to {target}, but nothing moves until all pieces are placed. "
    "Please put what was moved back on {origin}, then place a piece.",
    "placing_reserve_square": "{Player} placed a piece on {target}; until all are placed, a piece may only "
    "go on an empty square or on your own stack. Please place it somewhere else.",
    "placing_too_high": "{Player} placed a piece on {target}, where five lie already. Please place it "
    "somewhere else.",
    "too_high": "The stack on {target} has more than five pieces, and play went on before the extra ones "
    "were taken off. Please undo the last move; then {player} takes {pieces} from the bottom of {target}.",
    "wrong_trim": "The wrong pieces were taken from {target}. {Player} must take exactly {pieces} from the "
    "bottom and leave all others there. Please put that right.",
    "vanished": "Pieces are missing from {where}, though no turn takes them away. Please put them back as "
    "they were.",
    "reordered": "The pieces on {where} are in another order than before, and no turn changes their order. "
    "Please put them back as they were.",
    "not_the_reply": "{Player} asked for {asked}, and not for {made}. Please put the pieces back as they "
    "were, then make the turn that was asked for.",
    "not_asked_yet": "{Player} has not chosen a turn yet, but {made} was played. Please put the pieces back "
    "as they were.",
    "unexplained": "The board has changed at {where} in a way that no single turn explains. Please put the "
    "pieces there back as they were.",
}


def listed(squares: Sequence[int]) -> str:
    """A list of squares in words: "a1", "a1 and b2", "a1, b2 and c3"."""
    names = [SQUARES[s] for s in squares]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def counted(number: int, thing: str) -> str:
    """ "1 piece", "3 pieces"."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def say(
    what: str,
    player: str,
    *,
    squares: Sequence[int] = (),
    origin: int | None = None,
    target: int | None = None,
    number: int = 0,
    far: int = 0,
    turn: str = "",
    owner: str = "",
    made: str = "",
    asked: str = "",
) -> str:
    """The sentence ``what``, a key of :data:`TEMPLATES`; players are colour letters, squares indices. The
    turns that were ``made`` and ``asked`` for are in words.
    """
    return TEMPLATES[what].format(
        Player=NAMES[player].capitalize(),
        player=NAMES[player],
        turn=NAMES.get(turn, ""),
        owner=NAMES.get(owner, ""),
        origin=SQUARES[origin] if origin is not None else "",
        target=SQUARES[target] if target is not None else "",
        pieces=counted(number, "piece"),
        squares=counted(far, "square"),
        right=counted(number, "square"),
        them="it" if number == 1 else "them",
        where=listed(squares) if squares else "",
        made=made,
        asked=asked,
    )
