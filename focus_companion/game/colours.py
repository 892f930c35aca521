"""The four colours: letters within the program, names in everything that people or other programs read."""

from collections.abc import Iterable
from typing import Final

NAMES: Final[dict[str, str]] = {"r": "red", "g": "green", "b": "blue", "y": "yellow"}
"""Name of a colour, by letter."""

LETTER: Final[dict[str, str]] = {name: letter for letter, name in NAMES.items()}
"""Letter of a colour, by name."""

OPPOSITE: Final[dict[str, str]] = {"g": "y", "y": "g", "b": "r", "r": "b"}
"""The colour of the opposite seat: the partner, in a partner game."""


def names(letters: Iterable[str]) -> list[str]:
    """Return the names of colours given by letter, in the same order."""
    return [NAMES[letter] for letter in letters]
