"""Cleans names and notes typed by people, so that they can be shown on one line anywhere."""

from __future__ import annotations

import unicodedata
from typing import Final

from ..formats.errors import CHARACTER, JOINERS, shortened

MAX_NAME_LENGTH: Final = 60
"""Maximum number of characters of a name."""


def clean_text(text: str, longest: int = MAX_NAME_LENGTH) -> str:
    """``text`` on one line, with single spaces and at most ``longest`` characters, all of them visible.

    Removed are control characters (a terminal would obey them), marks that change the direction of the text,
    and unpaired surrogates (which cannot be encoded in a file).
    """
    shown = (char for char in CHARACTER.findall(" ".join(text.split())) if not _invisible(char))
    clean = " ".join("".join(shown).split())
    return shortened(clean, longest).strip()


def name_key(name: str) -> str:
    """The same for names of the same person: those that differ only in capitals, spaces or width."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _invisible(char: str) -> bool:
    # The categories of control, format, surrogate, private and unassigned characters all begin with C.
    return len(char) == 1 and char not in JOINERS and unicodedata.category(char)[0] == "C"
