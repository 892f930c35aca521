"""A request as JSON and back, for a tape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from ..game.moves import Move
from ..game.rules import Rules
from ..session.clock import TimeControl
from ..session.requests import Request


def to_json(request: Request) -> dict[str, Any]:
    """``{"is": its class, …}`` with its fields; what is ``None`` is left out."""
    values = {field.name: _plain(getattr(request, field.name)) for field in fields(request)}
    told = {name: value for name, value in values.items() if value is not None}
    return {"is": type(request).__name__} | told


def from_json(told: Mapping[str, Any]) -> Request:
    """The request that :func:`to_json` wrote. Raises ValueError for anything else."""
    kind = next((kind for kind in Request.__subclasses__() if kind.__name__ == told.get("is")), None)
    if kind is None:
        raise ValueError(f"no request is called {str(told.get('is'))[:40]!r}")
    known = {field.name for field in fields(kind)}
    values = {name: _meant(name, value) for name, value in told.items() if name in known}
    # What was left out as ``None`` and has no default is given as that.
    missing = known - values.keys() - {f.name for f in fields(kind) if _has_default(f)}
    found = kind(**values, **dict.fromkeys(missing))
    hints = get_type_hints(kind)
    for field in fields(kind):
        if not _fits(getattr(found, field.name), hints[field.name]):
            raise ValueError(f"“{field.name}” of a {kind.__name__} cannot be what stands there")
    return found


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a field's type."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(_fits(value, one) for one in inner)
    if origin is Literal:
        return value in inner
    if origin is tuple:
        return isinstance(value, tuple) and all(_fits(held, inner[0]) for held in value)
    if origin is not None and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(
            _fits(key, inner[0]) and _fits(held, inner[1]) for key, held in value.items()
        )
    if origin is not None and issubclass(origin, Sequence):
        return not isinstance(value, str) and all(_fits(held, inner[0]) for held in value)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return hint is Any or isinstance(value, hint)


def _has_default(field: Any) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


def _plain(value: Any) -> Any:
    if isinstance(value, Rules | TimeControl):
        return value.to_json()
    if isinstance(value, Move):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(held) for key, held in value.items()}
    return list(value) if isinstance(value, tuple) else value


def _meant(name: str, value: Any) -> Any:
    match name:
        case "rules":
            return Rules.from_json(value)
        case "move":
            return Move.parse(value)
        case "clock":
            return TimeControl.from_json(value)
        case "stacks":
            return tuple(value)
        case "corners":
            return {corner: tuple(place) for corner, place in value.items()}
    return value
