"""The topics: ``focus-companion/1/TABLE/…``. The number is the version; within one, topics are only added."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

VERSION: Final = 1
PREFIX: Final = f"focus-companion/{VERSION}"

MAX_NAME_LENGTH: Final = 40
"""Characters."""

KINDS: Final = ("status", "state", "events", "games", "ask")
"""The kinds of topics of a table; ``games`` has one subtopic per game."""

_FORBIDDEN: Final = re.compile(r"[/+#\x00-\x1f\x7f-\x9f]|^\$")


class BadTableName(ValueError):
    """A name that cannot be part of a topic."""

    setting = "table"


def check_name(name: str) -> str:
    """A table's name, stripped of surrounding spaces. Raises :class:`BadTableName`."""
    clean = name.strip()
    if not clean or len(clean) > MAX_NAME_LENGTH or _FORBIDDEN.search(clean) or not clean.isprintable():
        remedy = f"give a name of 1 to {MAX_NAME_LENGTH} characters without / + #"
        raise BadTableName(f"{name[:60]!r} is invalid; {remedy}")
    return clean


@dataclass(frozen=True)
class Topics:
    """The topics of one table."""

    table: str

    @property
    def status(self) -> str:
        return f"{PREFIX}/{self.table}/status"

    @property
    def state(self) -> str:
        return f"{PREFIX}/{self.table}/state"

    @property
    def events(self) -> str:
        return f"{PREFIX}/{self.table}/events"

    @property
    def ask(self) -> str:
        return f"{PREFIX}/{self.table}/ask"

    def game(self, game: int) -> str:
        return f"{PREFIX}/{self.table}/games/{game}"


def all_tables() -> tuple[str, ...]:
    """What a hall subscribes to."""
    return tuple(f"{PREFIX}/+/{kind}" for kind in ("status", "state", "events", "games/+"))


def parse(topic: str) -> tuple[str, str, int] | None:
    """(table, kind, game or 0) of a topic; ``None`` if it is not one of ours."""
    parts = topic.split("/")
    if "/".join(parts[:2]) != PREFIX or len(parts) not in (4, 5) or parts[3] not in KINDS:
        return None
    table, kind = parts[2:4]
    try:
        known = check_name(table) == table
    except BadTableName:
        known = False
    if not known or (kind == "games") != (len(parts) == 5):
        return None
    if kind != "games":
        return table, kind, 0
    number = parts[4]
    if not (number.isascii() and number.isdigit() and len(number) < 16):
        return None
    return table, kind, int(number)
