"""The eight levels: how far each looks ahead and how much it misjudges what it sees.

A level's error is the same for the same position throughout one choice, so a weak level does not blunder at
random: it believes in a wrong plan, as a beginner does. docs/players.md says how the numbers were found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Level:
    """What bounds the search of a level, beside the time that it is given."""

    noise: int
    """Standard deviation of its misjudgement, in thousandths of the logarithm of the odds."""
    depth: int = 60
    """Turns that it looks ahead at the most."""
    nodes: int = 2_000_000_000
    """Positions that it looks at, at the most."""


LEVELS: Final[dict[int, Level]] = {
    1: Level(noise=265, depth=3),
    2: Level(noise=115, depth=3),
    3: Level(noise=55, nodes=6_500),
    4: Level(noise=45, nodes=13_000),
    5: Level(noise=30, nodes=34_000),
    6: Level(noise=25, nodes=65_000),
    7: Level(noise=20, nodes=145_000),
    8: Level(noise=15),
}

BEST: Final = max(LEVELS)
