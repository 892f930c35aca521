"""Rebuilds a game from the rows read from disk, up to the first event that is damaged or out of sequence."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any, Final

from ..formats.strict_json import compact
from ..game.colours import LETTER
from ..game.rules import Rules
from ..session.events import GameBegan, event_from_json
from ..session.history import History
from . import schema, seals
from .errors import JournalDamaged

EventRow = tuple[int, str, float, str, str, int]
"""Id, type, time, wall, body and seal of an event, if it is one."""

NO_SEAL: Final = -1
"""Stands for the seal of an event that was written before seals were introduced."""

UNREADABLE: Final = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""Errors that reading a damaged text may raise."""


class GameBuilder:
    """One game, event by event, as long as each continues the one before.

    ``head`` is the game's own row (began, rules, players); if it is lost, the first event has the same.
    """

    def __init__(self, game: int, head: tuple[str, str, str] | None) -> None:
        self._game, self._head = game, head
        self._seal = seals.START
        self.history: History | None = None
        self.rows: list[tuple[Any, ...]] = []

    def begin(self) -> bool:
        """Start from the game's own row, all that is left of the game. Returns whether it is readable."""
        try:
            _, rules, players = self._head or ("", "", "")
            self.history = History.begin(
                Rules.from_json(json.loads(rules), played=True), json.loads(players), game=self._game
            )
        except UNREADABLE:
            return False
        return True

    def take(self, candidate: EventRow) -> bool:
        """Append the game's next event. Returns whether it is intact and in sequence."""
        number, kind, time, wall, body, given = candidate
        try:
            own = seals.seal(self._seal, kind, time, wall, body)
            # Without seals, only the rules show whether an event is in sequence.
            if given not in (NO_SEAL, own):
                return False
            event = event_from_json(json.loads(body))
            if event.type != kind:
                return False
            if self.history is None and isinstance(event, GameBegan):
                self._head = _head(event, wall if self._head is None else self._head[0])
            if self.history is None and not self.begin():
                return False
            assert self.history is not None
            self.history = self.history.take(event)
        except UNREADABLE:
            return False
        self._seal = own
        self.rows.append((number, self._game, kind, time, wall, body, own))
        return True

    def write(self, database: sqlite3.Connection) -> None:
        """Insert the game and its events."""
        assert self.history is not None and self._head is not None
        result = self.history.position.result
        ended = result_text = None
        if result is not None:
            ended = self.rows[-1][4]
            result_text = compact(result.to_json())
        database.execute(
            "INSERT INTO games (id, began, ended, rules, players, plies, result)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (self._game, self._head[0], ended, *self._head[1:], self.history.ply, result_text),
        )
        database.executemany(
            "INSERT INTO events (id, game, type, time, wall, body, seal) VALUES (?, ?, ?, ?, ?, ?, ?)",
            self.rows,
        )


def replay(database: sqlite3.Connection, path: Path, game: int) -> int:
    """Replay a game of the journal at ``path``, of any version. Returns the number of its events.

    Raises:
        JournalDamaged: an event contradicts its seal or the rules.
    """
    head = database.execute("SELECT began, rules, players FROM games WHERE id = ?", (game,)).fetchone()
    builder = GameBuilder(game, head)
    mark = "seal" if schema.version(database) >= schema.SEALED_VERSION else str(NO_SEAL)
    query = f"SELECT id, type, time, wall, body, {mark} FROM events WHERE game = ? ORDER BY id"
    for row in database.execute(query, (game,)):
        if not builder.take(row):
            raise JournalDamaged(path, f"event {row[0]} of game {game}")
    if builder.history is None and not builder.begin():
        raise JournalDamaged(path, f"the beginning of game {game}")
    return len(builder.rows)


def head_holds(database: sqlite3.Connection, game: int) -> bool:
    """Whether the game's own row, which has no seal, is readable and agrees with the rules of its first event
    and the number of turns of its last one.
    """
    # All columns: one whose name is damaged is noticed here, before anything is written.
    row = "SELECT rules, players, began, ended, plies, result FROM games WHERE id = ?"
    rules, players, _, _, plies, _ = database.execute(row, (game,)).fetchone()
    query = "SELECT body FROM events WHERE game = ? AND type = ? ORDER BY id LIMIT 1"
    first = database.execute(query, (game, GameBegan.type)).fetchone()
    turns = (
        "SELECT body FROM events WHERE game = ? AND type IN ('move', 'taken_back', 'corrected')"
        " ORDER BY id DESC LIMIT 1"
    )
    last = database.execute(turns, (game,)).fetchone()
    try:
        settings = json.loads(rules)
        Rules.from_json(settings, played=True)
        named = json.loads(players)
        # A correction restarts the count and has no ply.
        if plies != (0 if last is None else json.loads(last[0]).get("ply", 0)):
            return False
        return isinstance(named, dict) and (first is None or json.loads(first[0])["rules"] == settings)
    except UNREADABLE:
        return False


def _head(event: GameBegan, began: str) -> tuple[str, str, str]:
    """The game's own row, taken from its first event, which is sealed."""
    players = {LETTER[name]: player["name"] for name, player in event.players.items() if player.get("name")}
    return began, json.dumps(event.rules), json.dumps(players, ensure_ascii=False)
