"""Checks the values of events and requests, as read from JSON, against the annotations of their fields."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

_MAX_NUMBER: Final = 1e15
"""Larger than any valid time or fraction; anything from this on is rejected."""


def fits(value: object, hint: Any) -> bool:
    """Whether ``value`` fits ``hint``, a resolved annotation; JSON lists count as sequences.

    Numbers must be finite, and true and false are not numbers.
    """
    inner = get_args(hint)
    match get_origin(hint) or hint:
        case origin if origin is Union or origin is UnionType:
            return any(fits(value, one) for one in inner)
        case origin if origin is Literal:
            return value in inner
        case origin if origin is tuple:
            if not isinstance(value, tuple):
                return False
            kinds = inner[:1] * len(value) if inner[-1] is Ellipsis else inner
            return len(kinds) == len(value) and all(map(fits, value, kinds))
        case origin if origin is Sequence:
            return isinstance(value, list | tuple) and all(fits(one, inner[0]) for one in value)
        case origin if origin is Mapping:
            return isinstance(value, Mapping) and all(
                fits(key, inner[0]) and fits(one, inner[1]) for key, one in value.items()
            )
        case origin if origin is float:
            if isinstance(value, bool) or not isinstance(value, int | float):
                return False
            return abs(value) < _MAX_NUMBER and math.isfinite(value)
        case origin if origin is int:
            return isinstance(value, int) and not isinstance(value, bool)
        case origin if origin is Any or not isinstance(origin, type):
            return True
        case origin:
            return isinstance(value, origin)
