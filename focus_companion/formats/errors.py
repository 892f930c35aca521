"""The error of every reader here: what is wrong, in which file, where in it, what to do."""

from __future__ import annotations

from collections.abc import Iterable


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
    return "".join(char if char.isprintable() else " " for char in text)


def one_line(text: str, limit: int = 400) -> str:
    """``text`` without control characters, cut to ``limit`` characters."""
    clean = printable(text)
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"


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
