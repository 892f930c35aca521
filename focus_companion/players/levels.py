"""The eight levels of play: how far each looks ahead, and how much it misjudges positions.

While a turn is chosen, a level misjudges the same position always in the same way, so a weak level does not
blunder at random: like a beginner, it believes in a wrong plan. docs/players.md says how the numbers were
found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Level:
    """The limits of a level's search, in addition to its time limit."""

    noise: int
    """Standard deviation of the error of its evaluations, in thousandths of a nat of log odds."""
    depth: int = 60
    """Maximum number of turns that it looks ahead."""
    nodes: int = 2_000_000_000
    """Maximum positions searched."""


LEVELS: Final[dict[int, Level]] = {
    1: Level(noise=210, depth=3),
    2: Level(noise=100, nodes=5_000),
    3: Level(noise=55, nodes=10_000),
    4: Level(noise=45, nodes=25_000),
    5: Level(noise=30, nodes=64_000),
    6: Level(noise=25, nodes=140_000),
    7: Level(noise=20, nodes=320_000),
    8: Level(noise=15),
}

BEST_LEVEL: Final = max(LEVELS)
