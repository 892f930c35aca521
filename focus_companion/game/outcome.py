"""The result of a game."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

from .colours import names

Reason = Literal["domination", "fast", "resigned", "agreed draw"]

REASONS: tuple[Reason, ...] = get_args(Reason)
"""Why a game may end, as written in a record."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: ``winners`` as letters in turn order (both partners; none for a draw), and why."""

    winners: str
    reason: Reason

    def to_json(self) -> dict[str, Any]:
        """The ``result`` of a record and of an event."""
        return {"winners": names(self.winners), "reason": self.reason}
