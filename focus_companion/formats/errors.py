"""The error of every reader here: what is wrong, in which file, where in it, what to do."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

JOINERS: Final = frozenset("\u200c\u200d")
"""Invisible, but needed to write some scripts and emoji."""

_FLAG: Final = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
"""The flag of a part of a country, such as Scotland: a black flag, the part's code as tags, and their end."""

CHARACTER: Final = re.compile(f"{_FLAG}|.", re.DOTALL)
"""Matches a character, or all characters of such a flag."""


class FormatError(ValueError):
    """Invalid input.

    ``str()`` is one line: source, place, problem and remedy. ``place`` is where in the input
    ("moves[3].move", "line 7"), ``source`` the file's name; both may be empty until a caller that knows them
    fills them in.
    """

    def __init__(self, problem: str, *, place: str = "", remedy: str = "", source: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.place = place
        self.remedy = remedy
        self.source = source

    def __str__(self) -> str:
        text = ": ".join(part for part in (self.source, self.place, self.problem) if part)
        return one_line(f"{text}; {self.remedy}" if self.remedy else text)

    def within(self, *, place: str = "", source: str = "") -> FormatError:
        """The same error with a caller's context: ``place`` is prefixed, ``source`` fills a missing one."""
        inner = self.place
        joined = (
            f"{place}{inner if inner.startswith('[') else '.' + inner}" if place and inner else place or inner
        )
        return FormatError(self.problem, place=joined, remedy=self.remedy, source=self.source or source)


def printable(text: str) -> str:
    """``text`` with spaces for characters that cannot be shown, such as those that control a terminal."""
    if text.isprintable():
        return text
    return "".join(char if _visible(char) else " " for char in CHARACTER.findall(text))


def one_line(text: str, limit: int = 400) -> str:
    """``text`` without control characters, cut to ``limit`` characters."""
    clean = printable(text)
    return clean if len(clean) <= limit else shortened(clean, limit - 1) + "…"


def shortened(text: str, limit: int) -> str:
    """The beginning of ``text``, at most ``limit`` characters; part of a flag would be another flag."""
    return text[: max((char.end() for char in CHARACTER.finditer(text) if char.end() <= limit), default=0)]


def _visible(char: str) -> bool:
    # Longer matches are flags, whose tags alone are not printable.
    return len(char) > 1 or char.isprintable() or char in JOINERS


def shown(value: object, limit: int = 40) -> str:
    """A value as quoted in an error message: always short (a hostile list may be huge and deeply nested)."""
    if isinstance(value, str):
        return repr(value if len(value) <= limit else value[:limit] + "…")
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, int) and value.bit_length() > 128:
        return "a huge number"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list | tuple) else f"a {type(value).__name__}"


def choices(words: Iterable[str]) -> str:
    """``a, b or c``, for remedies."""
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last
