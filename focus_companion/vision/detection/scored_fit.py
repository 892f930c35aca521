"""Defines when a fitted candidate is accepted as the board."""

from __future__ import annotations

from dataclasses import dataclass

from ..geometry.scene import Camera
from .moulded import MIN_MOULDED_EVIDENCE

MIN_ODDS = 1.9
"""Minimum log odds (:func:`.site_classifier.board_odds`) of a candidate, unless the known position is clearly
visible there."""

EVEN_ODDS = 2.45
"""Log odds at which a grid is as likely a board of this game as anything else. Set just above the boards of
other games with round pieces on ground of one shade: four photographs of Othello boards reach up to 2.4.
Raising it rejects boards that are hard to see."""

_CERTAIN_SCORE = 6.0
"""Score (:attr:`ScoredFit.score`) above which a board in a known position is certain, given agreement."""

CERTAIN_AGREEMENT = 1.55
"""Agreement with the known position above which it is certainly visible. With a shift by a square or a wrong
quarter turn, the agreement is at most 1.5."""

_CERTAIN_ODDS = 3.9
"""Log odds above which a board is certain if the position is unknown."""

_MIN_SCORE = 4.2
"""Score above which a candidate in a known position may be accepted."""


@dataclass(frozen=True, slots=True)
class ScoredFit:
    """A fitted candidate for the board's pose.

    Attributes:
        odds: log odds that there is a board from outlines, see :func:`.site_classifier.board_odds`.
        agreement: agreement with the known position, about -1 to 2; None if the position is unknown.
        moulded: see :func:`.moulded.moulded_evidence`; None if this is not checked.
        colours: log odds from the pieces' shades, see :func:`.coloured_pieces.colour_odds`; 0 if the
            position is known.
        mirrored: the mirror image of the known position agrees, and the position itself does not.
    """

    camera: Camera
    odds: float
    agreement: float | None
    moulded: float | None = None
    colours: float = 0.0
    mirrored: bool = False

    @property
    def board_odds(self) -> float:
        """Log odds that there is a board, from outlines and shades."""
        return self.odds + self.colours

    @property
    def score(self) -> float:
        """The log odds plus twice the agreement."""
        return self.board_odds + 2 * (self.agreement or 0.0)

    @property
    def likely(self) -> bool:
        """Whether this may be returned as a detection."""
        if self.agreement is None:
            return self._accepted(self.board_odds, MIN_ODDS)
        return self.score > _MIN_SCORE and (self.odds > MIN_ODDS or self.agreement > CERTAIN_AGREEMENT)

    @property
    def confident(self) -> bool:
        """Whether no search in a larger picture is needed."""
        if self.agreement is None:
            return self._accepted(self.board_odds, EVEN_ODDS)
        return self.certain or self.odds > _CERTAIN_ODDS

    @property
    def certain(self) -> bool:
        """Whether the search can stop."""
        if self.agreement is None:
            # Without the shades: they are the same at a pose that is a fraction of a square off.
            return self._accepted(self.odds, _CERTAIN_ODDS)
        return self.agreement > CERTAIN_AGREEMENT and self.score > _CERTAIN_SCORE

    def _accepted(self, odds: float, least: float) -> bool:
        """Whether these log odds suffice and, if checked, the grid looks like the moulded board."""
        if self.moulded is None:
            return odds > least
        return odds > max(least, EVEN_ODDS) and self.moulded > MIN_MOULDED_EVIDENCE
