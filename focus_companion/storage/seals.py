"""A seal on every event: a checksum over the event and the previous seal of its game.

It fails if a bit of the event has flipped or an earlier event is missing.
"""

from __future__ import annotations

import sqlite3
import zlib

START = 0
"""Used as the previous seal of a game's first event."""


def seal(before: int, kind: str, time: float, wall: str, body: str) -> int:
    """The seal of an event that follows the seal ``before``; the arguments are the columns of its row."""
    content = f"{kind}\n{float(time)!r}\n{wall}\n{body}"
    return zlib.crc32(content.encode("utf-8", "surrogatepass"), before)


def last(database: sqlite3.Connection, game: int) -> int:
    """The seal of the newest event of ``game``."""
    row = database.execute(
        "SELECT seal FROM events WHERE game = ? ORDER BY id DESC LIMIT 1", (game,)
    ).fetchone()
    return START if row is None else int(row[0] or START)


def seal_all(database: sqlite3.Connection) -> None:
    """Seal events that were written before seals were introduced."""
    before: dict[int, int] = {}
    rows = database.execute("SELECT id, game, type, time, wall, body FROM events ORDER BY id").fetchall()
    for number, game, kind, time, wall, body in rows:
        before[game] = seal(before.get(game, START), kind, time, wall, body)
        database.execute("UPDATE events SET seal = ? WHERE id = ?", (before[game], number))


def broken(database: sqlite3.Connection, game: int) -> int | None:
    """The first event of ``game`` whose seal does not match; ``None`` if all do."""
    before = START
    query = "SELECT id, type, time, wall, body, seal FROM events WHERE game = ? ORDER BY id"
    for number, kind, time, wall, body, found in database.execute(query, (game,)):
        try:
            before = seal(before, kind, time, wall, body)
        except (TypeError, ValueError):
            # A damaged row may have something other than a number as its time.
            return int(number)
        if before != found:
            return int(number)
    return None
