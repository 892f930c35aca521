"""A position of the game: an immutable value with everything that the rules need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from .outcome import Outcome
from .squares import FILES_OF_RANK, INDEX, SQUARES

MAX_HEIGHT: Final = 5
"""No stack is higher than this at the end of a turn."""

_RANKS: Final[tuple[tuple[int, int, int], ...]] = tuple(
    (rank, INDEX[f"{files[0]}{rank}"], INDEX[f"{files[-1]}{rank}"] + 1)
    for rank, files in sorted(FILES_OF_RANK.items(), reverse=True)
)
"""(rank, first index, index after the last) in the order of the text."""


class PositionTextError(ValueError):
    """Raised for a text that is not a position; says at which rank or square, and what was expected."""


@dataclass(frozen=True, slots=True)
class Position:
    """Everything about a game at one moment, except its history.

    Players are indexed in turn order: ``reserves[0]`` belongs to ``players[0]``.
    """

    stacks: tuple[str, ...]
    """The 52 stacks by square index, letters from bottom to top; ``""`` is an empty square."""
    players: str
    """The players' colours (letters) in turn order."""
    to_move: str
    """Whose turn it is; ``""`` if the game is over."""
    reserves: tuple[int, ...]
    """Pieces in reserve; an unplayed thirteenth piece counts."""
    captured: tuple[tuple[int, ...], ...]
    """``captured[a][b]``: how many of b's pieces a has captured."""
    thirteenth: tuple[bool, ...]
    """Whether each player still has to play the thirteenth piece."""
    placing: tuple[int, ...] = ()
    """Drop set-up: pieces still to be placed; ``()`` once all are, and in every other game."""
    taken: tuple[int, ...] = ()
    """Own pieces taken into reserve so far, not counting the thirteenth piece."""
    out: str = ""
    """The players who are out for good (letters), in the order in which they left."""
    result: Outcome | None = None

    @property
    def text(self) -> str:
        """The stacks as position text."""
        return position_text(self.stacks)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.result is not None

    def after_leaving(self, before: Position) -> bool:
        """Whether all that has changed since the position ``before`` is that players have left, and perhaps
        who is to move.
        """
        left = self.out != before.out and self.out.startswith(before.out)
        return left and self == replace(before, out=self.out, to_move=self.to_move)

    def stack(self, square: str) -> str:
        """Return the stack on a square by its name (``"d5"``), from bottom to top.

        Raises KeyError for a name that is not a square.
        """
        return self.stacks[INDEX[square]]

    def reserve(self, player: str) -> int:
        """Return the pieces that a player (letter) has in reserve. ValueError if the colour does not play."""
        return self.reserves[self.players.index(player)]

    def in_hand(self, player: str) -> int:
        """Return how many pieces a player (letter) may place: the reserve, or what is left to place."""
        me = self.players.index(player)
        return self.placing[me] if self.placing else self.reserves[me]

    def captures(self, player: str) -> dict[str, int]:
        """Return how many pieces of every other colour (letter) a player has captured, including zeros."""
        row = self.captured[self.players.index(player)]
        return {other: count for other, count in zip(self.players, row, strict=True) if other != player}


def position_text(stacks: Sequence[str]) -> str:
    """Return the text of 52 stacks: ranks 8 to 1 joined by ``/``, squares by ``,``, an empty square ``-``."""
    shown = [stack or "-" for stack in stacks]
    return "/".join([",".join(shown[first:behind]) for _, first, behind in _RANKS])


def parse_position(text: str) -> tuple[str, ...]:
    """Return the 52 stacks that a position text names.

    Only the syntax is checked: a stack may be higher than five, as on an observed board. Raises
    PositionTextError, which says at which rank or square the text is wrong.
    """
    ranks = text.strip().split("/")
    if len(ranks) != len(_RANKS):
        raise PositionTextError(f"a position has 8 ranks joined by '/', this one has {len(ranks)}")
    stacks: list[str] = []
    for (rank, first, behind), line in zip(_RANKS, ranks, strict=True):
        squares = line.split(",")
        if len(squares) != behind - first:
            raise PositionTextError(
                f"rank {rank} has {behind - first} squares joined by ',', not {len(squares)}"
            )
        stacks.extend(
            _parse_stack(stack, SQUARES[index])
            for index, stack in zip(range(first, behind), squares, strict=True)
        )
    return tuple(stacks)


def _parse_stack(text: str, square: str) -> str:
    if text == "-":
        return ""
    if not text or text.strip("rgby"):
        shown = text if len(text) <= 20 else text[:20] + "…"
        if text and not text.lower().strip("rgby"):
            raise PositionTextError(f"square {square} holds {shown!r}: write it in small letters")
        raise PositionTextError(
            f"square {square} holds {shown!r}: write a stack with the letters r g b y from bottom to top, "
            "an empty square as '-'"
        )
    return text
