"""Cleans names and notes typed by people, so that they can be shown on one line anywhere."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

MAX_NAME_LENGTH: Final = 60
"""Maximum number of characters of a name."""

_JOINERS: Final = frozenset("\u200c\u200d")
"""Invisible, but needed to write some scripts and emoji."""

_FLAG: Final = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
"""The flag of a part of a country, such as Scotland: a black flag, the part's code as tags, and their end."""

_CHARACTER: Final = re.compile(f"{_FLAG}|.", re.DOTALL)


def clean_text(text: str, longest: int = MAX_NAME_LENGTH) -> str:
    """``text`` on one line, with single spaces and at most ``longest`` characters, all of them visible.

    Removed are control characters (a terminal would obey them), marks that change the direction of the text,
    and unpaired surrogates (which cannot be encoded in a file).
    """
    shown = (char for char in _CHARACTER.findall(" ".join(text.split())) if not _invisible(char))
    clean = " ".join("".join(shown).split())
    end = max((char.end() for char in _CHARACTER.finditer(clean) if char.end() <= longest), default=0)
    return clean[:end].strip()


def _invisible(char: str) -> bool:
    # The categories of control, format, surrogate, private and unassigned characters all begin with C.
    return len(char) == 1 and char not in _JOINERS and unicodedata.category(char)[0] == "C"
