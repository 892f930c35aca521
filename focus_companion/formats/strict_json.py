"""Strict JSON parsing: any input gives either a value or a :class:`FormatError`."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final, NoReturn

from focus_companion.formats.errors import FormatError, one_line, shown

MAX_DEPTH = 64
"""Maximum nesting depth. A record needs 6; anything beyond this is broken or hostile."""

_MAX_SECONDS: Final = 1e12
"""A time from this on is no time of a game: 30 000 years."""


def _constant(name: str) -> NoReturn:
    raise FormatError(f"{name} is not a JSON number", remedy="write a number, or null")


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise FormatError(f"the number {one_line(text, 40)} is too large", remedy="write a finite number")
    return value


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = counts.most_common(1)[0][0]
        raise FormatError(f"the key {shown(twice)} occurs twice in one object", remedy="keep one of them")
    return out


def loads(text: str | bytes) -> Any:
    """Parse a JSON text: no NaN, duplicate key or number beyond a double, at most :data:`MAX_DEPTH` deep."""
    if isinstance(text, bytes):
        text = decode(text)
    try:
        value = json.loads(text, parse_constant=_constant, parse_float=_number, object_pairs_hook=_pairs)
    except FormatError:
        raise
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}" if "\n" in text else f"column {error.colno}"
        raise FormatError(f"not JSON ({error.msg})", place=place, remedy="mend the text there") from None
    except RecursionError:
        raise FormatError("nested too deep", remedy=f"at most {MAX_DEPTH} levels are read") from None
    except ValueError:  # an integer of thousands of digits: Python refuses to convert it
        raise FormatError("a number in it has too many digits", remedy="write a smaller number") from None
    _check(value)
    return value


def _check(value: Any) -> None:
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return
    raise FormatError("nested too deep", remedy=f"at most {MAX_DEPTH} levels are read")


def decode(data: bytes) -> str:
    """UTF-8 text, with or without a byte order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            "not text in UTF-8",
            place=f"byte {error.start + 1}",
            remedy="save the file as UTF-8 and try again",
        ) from None


def dumps(value: Any) -> str:
    """JSON text that :func:`loads` reads back; lone surrogates stay escaped so that it encodes as UTF-8."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, ensure_ascii=True, allow_nan=False)
    return text


def compact(value: object) -> str:
    """JSON text of one line without a space; mappings of any kind are objects."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=dict)


# --- picking values of a known kind out of parsed JSON ---


def expect(value: Any, kind: Callable[[Any], bool], what: str, place: str, example: str = "") -> Any:
    """``value`` if ``kind`` accepts it; else an error that says what should be at ``place``."""
    if not kind(value):
        raise FormatError(
            f"expected {what}, found {shown(value)}", place=place, remedy=example and f"for example {example}"
        )
    return value


def as_object(value: Any, place: str, example: str = "") -> dict[str, Any]:
    found: dict[str, Any] = expect(value, lambda v: isinstance(v, dict), "an object", place, example)
    return found


def as_list(value: Any, place: str, example: str = "") -> list[Any]:
    found: list[Any] = expect(value, lambda v: isinstance(v, list), "a list", place, example)
    return found


def as_text(value: Any, place: str, example: str = "") -> str:
    found: str = expect(value, lambda v: isinstance(v, str), "a text", place, example)
    return found


def is_seconds(value: object) -> bool:
    """Whether a value is a number of seconds that a game or a stream can have."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MAX_SECONDS


def as_time(value: Any, place: str) -> float | None:
    """Seconds of a game or a stream, from 0 on; null where unknown."""
    if value is None:
        return None
    found: float = expect(value, is_seconds, "seconds (a number)", place, "12.3")
    if found < 0:
        raise FormatError(
            f"the time {shown(value)} is negative",
            place=place,
            remedy="times count from the beginning",
        )
    return found


class Times:
    """Times in order of occurrence: none may be earlier than the previous one."""

    def __init__(self) -> None:
        self._last = 0.0

    def pass_on(self, time: float | None, place: str) -> None:
        """Take the next time, None if unknown. Raises :class:`FormatError` for one that decreases."""
        if time is None:
            return
        if time < self._last:
            raise FormatError(
                f"the time {shown(time)} is earlier than {shown(self._last)} before it",
                place=place,
                remedy="times never fall; put the turns in their order, or leave their times out",
            )
        self._last = time


def rest(value: Mapping[str, Any], known: tuple[str, ...]) -> dict[str, Any]:
    """An object's keys other than ``known``, which are kept so that nobody's additions are lost."""
    return {key: inner for key, inner in value.items() if key not in known}


# --- single values inside other formats ---

_SECONDS: Final = re.compile(r"-?[0-9]{1,12}(\.[0-9]{1,20})?([eE]-?[0-9]{1,2})?", re.ASCII)


def seconds(text: str) -> float | int:
    """Parse a time as written by ``repr``. Raises ValueError for any other text."""
    if not _SECONDS.fullmatch(text):
        raise ValueError(f"not a number of seconds: {shown(text)}")
    return float(text) if set(text) & set(".eE") else int(text)


def quoted(text: str) -> str:
    """``text`` unchanged if it is plain (printable, no outer spaces), else as a JSON string: one line."""
    plain = text.isprintable() and text == text.strip() and not text.startswith('"') and text
    return text if plain else json.dumps(text)


def unquoted(text: str, place: str) -> str:
    """The inverse of :func:`quoted`. Raises :class:`FormatError` for an invalid quoted text."""
    if not text.startswith('"'):
        return text
    try:
        return as_text(loads(text), place)
    except FormatError as error:
        raise FormatError(
            error.problem, place=place, remedy="write the text plainly, without quotes"
        ) from None
