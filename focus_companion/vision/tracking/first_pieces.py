"""When the set and the pose are to be settled by the first pieces on a board that was found empty."""

from __future__ import annotations

from collections.abc import Sequence


class FirstPieces:
    """An empty board does not tell which set it is, and its domes tell the pose less well than pieces do.
    Both are fitted again whenever twice as many stacks stand: a few times in a game, and never from a full
    board.
    """

    def __init__(self) -> None:
        self._stacks = 0

    def fitted(self, stacks: Sequence[str]) -> None:
        """The set and the pose have been fitted to this position."""
        self._stacks = _standing(stacks)

    def more(self, stacks: Sequence[str]) -> bool:
        """Do twice as many stacks stand as when they were fitted last?"""
        return _standing(stacks) >= max(1, 2 * self._stacks)


def _standing(stacks: Sequence[str]) -> int:
    return sum(1 for stack in stacks if stack)
