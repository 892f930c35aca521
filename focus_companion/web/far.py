"""Remote players: a link with a one-time word gives one browser a far seat (the seat of a remote player).

Only digests are stored, in a file that only this user can read, so its content gives nobody a seat. With
them is stored to which game's colours they belong: from there, players are followed to the running game.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Mapping
from http import HTTPStatus
from itertools import combinations
from pathlib import Path
from typing import Final

from .. import private_files
from ..game.colours import LETTER, NAMES
from ..session.history import History
from ..session.seat_kinds import FAR
from .access import HttpError
from .ports import GameJournal
from .secret_words import digest, has_digest, is_same, new_word

log = logging.getLogger(__name__)

SEAT_COOKIE_SECONDS: Final = 30 * 24 * 3600
"""Seconds for which a browser keeps its seat."""

FILE_NAME: Final = "far-seats.json"


class FarSeats:
    """Who holds which far seat. ``folder``: where this is stored across restarts; ``None``: nowhere."""

    def __init__(self, folder: Path | None = None) -> None:
        self._path = None if folder is None else folder / FILE_NAME
        self._lock = threading.Lock()
        self._words: dict[str, str] = {}
        self._game: int | None = None
        """The game to whose colours words and holders belong; ``None``: the first one that is followed."""
        self._holders: dict[str, str] = self._read()
        """Digests of tokens by colour."""

    def follow(self, game: int, journal: GameJournal | None) -> None:
        """Give everybody the colour that they have in this game of the journal, the running one."""
        with self._lock:
            if self._game == game:
                return
            if journal is None or self._game is None or self._game > game:
                self._game = game
            else:
                self._game = self._moved_on(self._game, game, journal)
            if self._holders:
                self._write()

    def links(self, seats: Mapping[str, str]) -> dict[str, str | None]:
        """For every far seat of ``seats`` (kinds by colour) its unused word, or ``None`` if somebody has
        taken the seat.
        """
        with self._lock:
            return {colour: self._word(colour) for colour, kind in seats.items() if kind == FAR}

    def renew(self, colour: str) -> str:
        """A new word for a seat. The present holder keeps the seat until the word is used."""
        with self._lock:
            return self._words.setdefault(colour, new_word())

    def enter(self, word: str, seats: Mapping[str, str]) -> tuple[str, str]:
        """The colour and the token for the seat's cookie, in exchange for an unused word.

        Raises:
            HttpError: it is not, or no longer, the word of a far seat.
        """
        with self._lock:
            for colour, right in self._words.items():
                if is_same(word, right) and seats.get(colour) == FAR:
                    token = new_word()
                    del self._words[colour]
                    self._holders[colour] = digest(token)
                    self._write()
                    return colour, token
        raise HttpError(
            HTTPStatus.FORBIDDEN,
            "This link was used already, or is out of date. Ask at the table for a new one.",
        )

    def seat_of(self, token: str, seats: Mapping[str, str]) -> str:
        """The colour that this browser plays now; "" if none."""
        with self._lock:
            held = (colour for colour, holder in self._holders.items() if has_digest(token, holder))
            return next((colour for colour in held if seats.get(colour) == FAR), "")

    def _moved_on(self, before: int, game: int, journal: GameJournal) -> int:
        """Follow everybody from the game ``before`` to ``game``; the last game that has begun."""
        for number in range(before + 1, game + 1):
            try:
                if not (first := journal.kept(limit=1, game=number)):
                    continue
                into = moved(journal.history(before), journal.history(number, first[0].id))
            except (LookupError, OSError) as error:
                log.warning("in game %d the far seats stay with their colours (%s)", number, error)
                into = {}
            self._holders = {into.get(colour, colour): holder for colour, holder in self._holders.items()}
            self._words = {into.get(colour, colour): word for colour, word in self._words.items()}
            before = number
        return before

    def _word(self, colour: str) -> str | None:
        if colour not in self._holders:
            return self._words.setdefault(colour, new_word())
        return self._words.get(colour)

    def _read(self) -> dict[str, str]:
        if self._path is None:
            return {}
        try:
            stored = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            log.warning("%s cannot be read (%s); far seats need new links", self._path, error)
            return {}
        if not isinstance(stored, dict):
            return {}
        game = stored.get("game")
        self._game = game if isinstance(game, int) and game > 0 else None
        return {str(colour): str(digest) for colour, digest in stored.items() if colour in LETTER}

    def _write(self) -> None:
        if self._path is None:
            return
        try:
            private_files.replace(self._path, json.dumps(self._holders | {"game": self._game}).encode())
        except OSError as error:
            # The holders keep their seats until the program ends.
            log.warning(
                "%s cannot be written (%s); after a restart far seats need new links", self._path, error
            )


def moved(before: History, after: History) -> dict[str, str]:
    """By colour of the game ``before``, the colour that its player has at the beginning of the game
    ``after``, as names and seats show; empty if they do not.
    """
    order = before.positions[0].players
    if set(order) != set(after.positions[0].players):
        return {}
    same = dict(zip(order, order, strict=True))
    following = dict(zip(order, order[1:] + order[:1], strict=True))
    exchanged = [same | {one: other, other: one} for one, other in combinations(order, 2)]
    # If other names have been given, the seats alone tell.
    fitting = [
        way
        for way in (same, following, *exchanged)
        if _fits(way, before.players, after.players) and _fits(way, before.played_by, after.played_by)
    ] or [way for way in (same, following) if _fits(way, before.played_by, after.played_by)]
    return {NAMES[one]: NAMES[other] for way in fitting[:1] for one, other in way.items()}


def _fits(way: Mapping[str, str], before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    return all(before.get(one, "") == after.get(other, "") for one, other in way.items())
