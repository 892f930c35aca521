"""How a game ended."""

from dataclasses import dataclass
from typing import Literal, get_args

Reason = Literal["domination", "fast", "resigned", "agreed draw"]

REASONS: tuple[Reason, ...] = get_args(Reason)
"""Why a game may end, in the words of the record."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: ``winners`` as letters in turn order (both partners; none for a draw), and why."""

    winners: str
    reason: Reason
