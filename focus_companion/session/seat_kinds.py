"""The kinds of seat: who chooses the turns of a colour, at the table or away from it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from ..players.levels import BEST_LEVEL

BOARD: Final = "board"
COMPANION: Final = "companion"
FAR: Final = "far"
ENGINE: Final = "engine"
TABLE: Final = "table"

PACES: Final = (1.0, 5.0, 20.0)
"""Choices of the maximum number of seconds for which a computer may think about a turn; the first is the
default."""

_MAX_TEXT_LENGTH: Final = 1000
"""Maximum number of characters of a seat's text; a command line is the longest."""


class SeatError(ValueError):
    """An invalid seat; the text says what a seat may be."""


@dataclass(frozen=True)
class SeatKind:
    """``by`` is one of the words above. ``level``: the companion's, ``None`` for its best; ``target``: the
    engine's command or the other table's address.
    """

    by: str
    level: int | None = None
    target: str = ""

    @property
    def handless(self) -> bool:
        """Whether the people at the table make the turns of this seat on the board."""
        return self.by != BOARD

    @property
    def thinks(self) -> bool:
        """Whether a program on this machine chooses its turns."""
        return self.by in (COMPANION, ENGINE)

    @property
    def command(self) -> list[str]:
        """The engine's command, as words."""
        return shlex.split(self.target)

    def __str__(self) -> str:
        more = self.target or ("" if self.level is None else str(self.level))
        return f"{self.by}:{more}" if more else self.by


def parse_kind(text: str) -> SeatKind:
    """Parse ``board``, ``companion``, ``companion:LEVEL``, ``far``, ``engine:COMMAND`` or ``table:ADDRESS``.

    Only the scheme, host and port of an address are kept; :func:`word_of` gives the one-time word of a link.

    Raises:
        SeatError: it is none of these.
    """
    if len(text) > _MAX_TEXT_LENGTH or not text.isprintable():
        raise SeatError(f"a seat is written on one line, in at most {_MAX_TEXT_LENGTH} characters")
    by, colon, rest = text.strip().partition(":")
    rest = rest.strip()
    if by in (BOARD, FAR) and not colon:
        return SeatKind(by)
    if by == COMPANION:
        if not colon:
            return SeatKind(by)
        if len(rest) == 1 and rest.isascii() and rest.isdigit() and 1 <= int(rest) <= BEST_LEVEL:
            return SeatKind(by, int(rest))
        raise SeatError(f"the companion's level is a number from 1 to {BEST_LEVEL}, not {rest[:20]!r}")
    if by == ENGINE:
        try:
            if shlex.split(rest):
                return SeatKind(by, target=rest)
        except ValueError as error:
            raise SeatError(f"the engine's command cannot be read ({str(error).lower()})") from error
        raise SeatError("name the program that plays, for example engine:./my-engine")
    if by == TABLE:
        return SeatKind(by, target=_split_table_link(rest)[0])
    raise SeatError(
        f"{text[:40]!r} is not a kind of seat; it may be board, companion, "
        f"companion:1 to companion:{BEST_LEVEL}, far, table:ADDRESS or engine:COMMAND"
    )


def word_of(text: str) -> str:
    """The one-time word of the link in a seat ``table:LINK``; "" if it has none, and for other kinds.

    Raises:
        SeatError: the address cannot be read.
    """
    by, _, rest = text.strip().partition(":")
    return _split_table_link(rest.strip())[1] if by == TABLE else ""


def _split_table_link(text: str) -> tuple[str, str]:
    """Scheme, host and port of the other table, and the word behind the # of its link."""
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or parts.scheme not in ("http", "https") or parts.username is not None or " " in text:
        raise SeatError(
            "name the other table by the link that it shows for its far seat, for example "
            "table:http://192.0.2.7:8000/seat#WORD"
        )
    name = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{name}" + (f":{port}" if port else ""), parts.fragment


@dataclass(frozen=True)
class Seating:
    """Who plays a game. ``played_by``: the kind of seat by letter, for seats that are not at the board;
    ``pace``: seconds for which a computer may think about a turn.
    """

    played_by: Mapping[str, str] = field(default_factory=dict)
    pace: float = PACES[0]

    @classmethod
    def make(cls, played_by: Mapping[str, str] | None, pace: float | None) -> Seating:
        """The seating with defaults for ``None``."""
        return cls(dict(played_by or {}), PACES[0] if pace is None else pace)

    def of(self, players: Iterable[str]) -> dict[str, str]:
        """The seats of these players that are not at the board."""
        return {p: self.played_by[p] for p in players if self.played_by.get(p, BOARD) != BOARD}


AT_THE_BOARD: Final = Seating()
"""Everybody sits at the board."""
