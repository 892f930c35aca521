"""A fitted candidate and when it is accepted as the board."""

from __future__ import annotations

from dataclasses import dataclass

from ..geometry.scene import Camera
from .moulded import MOULDED

FAINTEST = 1.9
"""Log odds (:func:`.site_classifier.board_odds`) below which a candidate is rejected, unless the known
position is clearly visible there."""

EVEN = 2.45
"""Log odds at which a grid is as likely a board of this game as anything else. Set just above the boards of
other games with round pieces on ground of one shade: four photographs of Othello boards reach up to 2.4.
Raising it rejects boards that are hard to see."""

_CLEAR = 6.0
SHOWS = 1.55
"""Score (log odds plus twice the agreement of the known position) and that agreement alone, from which a
board is certain. With a shift by a square or a wrong quarter turn, the agreement is at most 1.5."""

_CLEAR_ALONE = 3.9
"""Log odds from which a board is certain if the position is not known."""

_LIKELY = 4.2
"""Score below which a candidate is rejected if the position is known."""


@dataclass(frozen=True, slots=True)
class ScoredFit:
    """A fitted candidate for the board's pose.

    Attributes:
        odds: log odds that there is a board, see :func:`.site_classifier.board_odds`.
        shows: agreement with the known position, about -1 to 2; None if the position is unknown.
        moulded: see :func:`.moulded.moulded_evidence`; None if it is known that there is a board.
        mirrored: the mirror image of the known position agrees, and the position itself does not.
    """

    camera: Camera
    odds: float
    shows: float | None
    moulded: float | None = None
    mirrored: bool = False

    @property
    def liking(self) -> float:
        return self.odds + 2 * (self.shows or 0.0)

    @property
    def likely(self) -> bool:
        """Whether this may be returned as a detection."""
        if self.shows is None:
            return self._alone(FAINTEST)
        return self.liking > _LIKELY and (self.odds > FAINTEST or self.shows > SHOWS)

    @property
    def sure(self) -> bool:
        """Whether no search in a larger picture is needed."""
        if self.shows is None:
            return self._alone(EVEN)
        return self.clear or self.odds > _CLEAR_ALONE

    @property
    def clear(self) -> bool:
        """Whether the search can stop."""
        if self.shows is None:
            return self._alone(_CLEAR_ALONE)
        return self.shows > SHOWS and self.liking > _CLEAR

    def _alone(self, odds: float) -> bool:
        """Whether this is a board with log odds above ``odds``, the position being unknown."""
        if self.moulded is None:
            return self.odds > odds
        return self.odds > max(odds, EVEN) and self.moulded > MOULDED
