"""When the set and the pose are to be settled by the first pieces on a board that was found empty."""

from __future__ import annotations

from collections.abc import Collection, Sequence


class FirstPieces:
    """An empty board does not tell which set it is, and its domes tell the pose less well than pieces do.
    Both are fitted again whenever the pieces tell twice as much as when they were fitted last: a few times
    while pieces are placed, and never because pieces that stood already have moved.
    """

    def __init__(self) -> None:
        self._fitted = 0

    def fitted(self, stacks: Sequence[str], doubtful: Collection[int] = ()) -> None:
        """The set and the pose have been fitted to this position, but for the ``doubtful`` squares."""
        self._fitted = _told(stacks, doubtful)

    def more(self, stacks: Sequence[str], doubtful: Collection[int] = ()) -> bool:
        """Do these stacks tell twice as much as those to which they were fitted last?"""
        return _told(stacks, doubtful) >= max(1, 2 * self._fitted)


def _told(stacks: Sequence[str], doubtful: Collection[int]) -> int:
    """How much the pieces tell: one on another shows how high they are, too, and counts double."""
    sure = (stack for square, stack in enumerate(stacks) if stack and square not in doubtful)
    return sum(2 * len(stack) - 1 for stack in sure)
