"""A request as JSON and back, for a tape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, get_type_hints

from ...game.moves import Move
from ...game.rules import Rules
from ...session.clock import TimeControl
from ...session.kinds import fits
from ...session.requests import Request


def to_json(request: Request) -> dict[str, Any]:
    """``{"is": its class, …}`` with its fields; ``None`` and an empty ``about`` are omitted."""
    values = {field.name: _plain(getattr(request, field.name)) for field in fields(request)}
    written = {name: value for name, value in values.items() if value is not None}
    if not request.about:
        del written["about"]
    return {"is": type(request).__name__} | written


def from_json(written: Mapping[str, Any]) -> Request:
    """The request that :func:`to_json` wrote. Raises ValueError for anything else."""
    kind = next((kind for kind in Request.__subclasses__() if kind.__name__ == written.get("is")), None)
    if kind is None:
        raise ValueError(f"no request is called {str(written.get('is'))[:40]!r}")
    known = {field.name for field in fields(kind)}
    values = {name: _meant(name, value) for name, value in written.items() if name in known}
    # Fields that were omitted and have no default are ``None``.
    missing = known - values.keys() - {f.name for f in fields(kind) if _has_default(f)}
    given: dict[str, Any] = values | dict.fromkeys(missing)
    found = kind(**given)
    hints = get_type_hints(kind)
    for field in fields(kind):
        if not fits(getattr(found, field.name), hints[field.name]):
            raise ValueError(f"“{field.name}” of a {kind.__name__} has an invalid value")
    return found


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
            return Rules.from_json(value, played=True)
        case "move":
            return Move.parse(value)
        case "clock":
            return TimeControl.from_json(value)
        case "stacks" | "point":
            return tuple(value)
        case "corners":
            return {corner: tuple(place) for corner, place in value.items()}
    return value
