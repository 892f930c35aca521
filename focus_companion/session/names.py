"""Names and notes as people type them, made fit for a line of text anywhere: journal, page, sheet."""

from __future__ import annotations

import unicodedata
from typing import Final

LONGEST_NAME: Final = 60

_JOINERS: Final = frozenset("\u200c\u200d")
"""Invisible, but part of how some scripts and emoji are written."""


def clean_text(text: str, longest: int = LONGEST_NAME) -> str:
    """``text`` on one line, single spaces, at most ``longest`` characters, all of which can be seen.

    No control characters (a terminal would obey them), no marks that turn the direction of what follows, no
    halves of a surrogate pair (which no file can hold).
    """
    kept = (char for char in " ".join(text.split()) if char in _JOINERS or not _invisible(char))
    return " ".join("".join(kept).split())[:longest].strip()


def _invisible(char: str) -> bool:
    # Control, format, surrogate, private and unassigned characters: all of them begin with C.
    return unicodedata.category(char)[0] == "C"
