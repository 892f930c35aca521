"""The ``rules`` object of a record: its types are checked here, its meaning by the game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from focus_companion.formats.errors import FormatError
from focus_companion.formats.strict_json import expect
from focus_companion.game.nearest import unknown_rule
from focus_companion.game.rules import Rules, RulesError
from focus_companion.game.setups import start_position


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_switch(value: Any) -> bool:
    return isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1_000


def _is_count_or_null(value: Any) -> bool:
    return value is None or _is_count(value)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_object_or_null(value: Any) -> bool:
    return value is None or isinstance(value, dict)


_KINDS: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    "players": (_is_count, "2, 3 or 4"),
    "order": (_is_texts, "a list of colours"),
    "partners": (_is_switch, "true or false"),
    "fast": (_is_switch, "true or false"),
    "fast_each": (_is_count_or_null, "a number of pieces or null"),
    "fast_total": (_is_count_or_null, "a number of pieces or null"),
    "fast_own": (_is_text, "a text"),
    "set_up": (_is_text, "a text"),
    "reserve_on": (_is_text, "a text"),
    "stuck": (_is_text, "a text"),
    "thirteenth_piece": (_is_switch, "true or false"),
    "move_partner_stacks": (_is_switch, "true or false"),
    "table_talk": (_is_switch, "true or false"),
    "start": (_is_object_or_null, "an object"),
}
KEYS: Final = tuple(_KINDS)
"""The settings that a ``rules`` object may contain."""


def rules_from_json(value: Mapping[str, Any], place: str = "", *, played: bool = False) -> Rules:
    """The rules described by an object of settings.

    ``played``: turns have already been made under these rules; see :meth:`Rules.make`.

    Raises:
        FormatError: an unknown key, a value of the wrong type, or contradictory settings, with the place.
    """
    known_rules(value, place)
    settings: dict[str, Any] = {}
    for key, (kind, what) in _KINDS.items():
        if key in value:
            settings[key] = expect(value[key], kind, what, f"{place}.{key}" if place else key)
    if "players" not in settings:
        raise FormatError(
            "missing", place=f"{place}.players" if place else "players", remedy="write 2, 3 or 4"
        )
    try:
        rules = Rules.from_json(settings, played=played)
        if rules.start is not None:
            start_position(rules)  # refuses a position in which nobody could move
        return rules
    except RulesError as error:
        raise FormatError(str(error), place=place) from None


def known_rules(value: Mapping[str, Any], place: str) -> None:
    """Raise :class:`FormatError` for an unknown key: a mistyped rule would make it a different game."""
    if strangers := [key for key in value if key not in _KINDS]:
        raise FormatError(unknown_rule(strangers[0], KEYS), place=place)
