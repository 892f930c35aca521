"""Cleans names and notes typed by people, so that they can be shown on one line anywhere."""

from __future__ import annotations

import unicodedata
from typing import Final

MAX_NAME_LENGTH: Final = 60
"""Maximum number of characters of a name."""

_JOINERS: Final = frozenset("\u200c\u200d")
"""Invisible, but needed to write some scripts and emoji."""


def clean_text(text: str, longest: int = MAX_NAME_LENGTH) -> str:
    """``text`` on one line, with single spaces and at most ``longest`` characters, all of them visible.

    Removed are control characters (a terminal would obey them), marks that change the direction of the text,
    and unpaired surrogates (which cannot be encoded in a file).
    """
    kept = (char for char in " ".join(text.split()) if char in _JOINERS or not _invisible(char))
    return " ".join("".join(kept).split())[:longest].strip()


def _invisible(char: str) -> bool:
    # The categories of control, format, surrogate, private and unassigned characters all begin with C.
    return unicodedata.category(char)[0] == "C"
