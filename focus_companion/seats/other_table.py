"""Plays one game at two boards: turns of the other table's players are made here by hand, and ours there.

This side is a remote player of the other table, whose record is authoritative: turns played there become
replies here, and turns played here are sent there. What was missed during an outage is found by comparing the
two records, so there is no need to remember what was sent.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from ..game.colours import LETTER, NAMES
from ..game.declarations import DECLARATION_KINDS, Declaration
from ..game.moves import Move
from ..session.events import Reply
from ..session.history import History
from ..session.requests import (
    AgreeDraw,
    GiveUp,
    Leave,
    Request,
    RequestRefused,
    Resign,
    SetSeat,
    SubmitTurn,
    TakeBack,
)
from ..session.seat_kinds import FAR, TABLE, parse_kind
from .seats import Game
from .table_client import Declined, TableClient, Unreachable

log = logging.getLogger(__name__)

POLL_INTERVAL: Final = 0.5
"""Seconds between two polls of the other table."""

_MAX_PAUSE: Final = 5.0
"""Maximum seconds between two retries while the other table is unreachable."""

_ANSWER_TIMEOUT: Final = 30.0
"""Seconds without an answer after which the players here are asked who continues, if its turn is due."""

Entry = tuple[str, str]
"""A turn: ("move", text); a declaration: (its kind, colour)."""


class GamesDiffer(ValueError):
    """The two records contradict each other; the message says how, and what to do."""


class OtherTable:
    """Keeps ``game`` in step with the table in its seats ``table:ADDRESS``, on a separate thread.

    ``words``: the links' one-time words, by the letters of those seats. ``tell`` prints a line on the
    terminal. Call ``notify`` after every event; it never blocks.
    """

    def __init__(
        self,
        game: Game,
        folder: Path,
        words: Mapping[str, str],
        tell: Callable[[str], None],
    ) -> None:
        kinds = map(parse_kind, game.history.played_by.values())
        address = next(kind.target for kind in kinds if kind.by == TABLE)
        self._game, self._tell = game, tell
        self._client = TableClient(address, folder)
        self._words = dict(words)
        self._agreed: tuple[int, tuple[Entry, ...]] = (game.history.game, ())
        """Our game's number, and the content of both records when they were last equal."""
        self._paired: tuple[int, int] | None = None
        """The numbers of the game here and of the corresponding one there."""
        self._order: tuple[str, ...] = ()
        """The order of players in that game there."""
        self._sent: tuple[object, int, Entry] | None = None
        """The turn that the other table was last asked to make: its game's number, the index, the turn."""
        self._answered = time.monotonic()
        self._said = ""
        self._news = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="other table", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def notify(self) -> None:
        """Notify the thread that something has changed here."""
        self._news.set()

    def close(self, timeout: float = 1.5) -> None:
        """Stop the thread; may be called twice."""
        self._stop.set()
        self._news.set()
        if self._thread.is_alive():
            self._thread.join(timeout)

    def _run(self) -> None:
        pause = POLL_INTERVAL
        while not self._stop.is_set():
            try:
                self.turn()
                pause = POLL_INTERVAL
            except Unreachable as error:
                pause = min(_MAX_PAUSE, 2 * pause)
                self._say(f"The other table, {self._client.address}, does not answer ({error}); trying again")
                if time.monotonic() - self._answered > _ANSWER_TIMEOUT:
                    self._give_up("away", str(error))
            except (GamesDiffer, Declined) as error:
                pause = _MAX_PAUSE
                self._say(f"The other table, {self._client.address}: {error}")
                self._give_up("apart", str(error))
            except Exception:
                # The game must not end with the connection to the other table.
                log.exception("Playing with the other table stopped because of a fault")
                self._tell("   !  Playing with the other table stopped because of a fault; see the log")
                return
            self._news.wait(pause)
            self._news.clear()

    def turn(self) -> None:
        """Do the next step, if there is one.

        Raises:
            Unreachable, Declined, GamesDiffer: the other table does not answer, refuses, or plays another
            game.
        """
        while self._words:
            letter, word = next(iter(self._words.items()))
            try:
                colour = self._client.sit_down(word)
            except Declined:
                del self._words[letter]
                raise
            del self._words[letter]
            self._tell(f"This table plays {NAMES[colour]} at {self._client.address}")
        there = self._client.state()
        self._answered = time.monotonic()
        history = self._game.history
        self._check_pair(history, there)
        ours, theirs = _ours(history), _theirs(there)
        common = _common_prefix(ours, theirs)
        agreed = self._agreed[1] if self._agreed[0] == history.game else ()
        reply = history.reply
        # The turn to be made here may have been taken back there meanwhile.
        if (
            reply is not None
            and reply.by == TABLE
            and common == len(ours)
            and theirs[common : common + 1] != (("move", reply.move),)
        ):
            self._withdraw(history, reply)
        elif ours == theirs:
            self._agreed, self._sent = (history.game, ours), None
            self._check_position(history, there)
            if self._said:
                self._say("")
                self._tell(f"The other table, {self._client.address}, and this one are in step")
        elif common == len(ours):
            self._follow(history, theirs[common])
            if theirs[common][0] != "move":
                self._agreed = history.game, theirs[: common + 1]
        elif ours[common][0] != "move" and ours[common] not in theirs and common >= len(agreed):
            # A resignation counts even if a turn from there is still to come, unless it was taken back there.
            self._send(history, there, common)
            self._agreed = history.game, ours[: common + 1]
        elif (
            common < len(theirs)
            or theirs[: len(agreed)] != agreed
            or self._was_taken_back(history, there, common)
        ):
            # A turn was taken back there, or played there during an outage: that record is authoritative.
            self._tell(f"   !  {_shown(ours[-1])} is taken back, as at the other table")
            self._submit(TakeBack())
            self._agreed = history.game, agreed[:common]
            if common == len(ours) - 1:
                self._sent = None
        else:
            self._send(history, there, common)

    def _was_taken_back(self, history: History, there: Mapping[str, Any], index: int) -> bool:
        """Whether our entry with this index, which the other table accepted, is neither to be made there nor
        was it: it was made and taken back since the last poll. While its journal has a fault, it shows
        nothing new.

        Raises:
            GamesDiffer: it counts no longer there because its player's seat was given to somebody else.
        """
        self._check_seat(history, index, there)
        entry = _entry(history.entries[index].what)
        waits = any(there.get(key) is not None for key in ("reply", "result", "fault"))
        return self._sent == (there.get("game"), index, entry) and not waits

    def _check_pair(self, history: History, there: Mapping[str, Any]) -> None:
        game, rules, order = there.get("game"), there.get("rules"), there.get("order")
        if not isinstance(game, int) or isinstance(game, bool) or not isinstance(order, list):
            raise Declined("it sends no game")
        if self._paired is not None and self._paired != (history.game, game):
            here_new, there_new = self._paired[0] != history.game, self._paired[1] != game
            if here_new != there_new:
                which = "has begun another game; begin it here too" if there_new else (
                    "is still at the game before; begin another there too"
                )  # fmt: skip
                raise GamesDiffer(which)
            self._rotate(there)
            self._paired = None
        if rules != history.rules.to_json():
            if self._paired is not None:
                raise GamesDiffer(
                    "the position was corrected, or another player begins, at one table only; "
                    "enter the same at the other"
                )
            raise GamesDiffer("its game has other rules or another order; begin both games with the same")
        if self._paired is None:
            if len(history.entries) > 1 and not there.get("moves"):
                # An old game here and a new one there: the turns sent would belong to another game.
                raise GamesDiffer("the two tables are in different games; start both again")
            self._paired = history.game, game
            self._order = tuple(str(colour) for colour in order)
        playing = {letter for letter in history.rules.order if not self._is_theirs(history, letter)}
        if missing := playing - self._client.held:
            names = " and ".join(sorted(NAMES[letter] for letter in missing))
            raise GamesDiffer(
                f"{names} cannot be played from here; ask there for the link of a far seat, and start with it"
            )

    def _rotate(self, there: Mapping[str, Any]) -> None:
        """Both tables have begun another game: follow if everybody took the next colour, as in a rematch."""
        seats = there.get("seats")
        far = {c for c, kind in seats.items() if kind == "far"} if isinstance(seats, dict) else set()
        held = {NAMES[letter] for letter in self._client.held}
        after = dict(zip(self._order, self._order[1:] + self._order[:1], strict=True))
        if not held <= far and {after.get(colour, colour) for colour in held} <= far:
            self._client.rename(after)

    def _is_theirs(self, history: History, letter: str) -> bool:
        kind = history.played_by.get(letter, "")
        return bool(kind) and parse_kind(kind).by == TABLE

    def _check_position(self, history: History, there: Mapping[str, Any]) -> None:
        if there.get("position") != history.position.text:
            raise GamesDiffer("its position differs from the one here; correct one of the two")

    def _check_seat(self, history: History, index: int, there: Mapping[str, Any]) -> None:
        """Check that the other table still lets us play the colour of our entry with this index."""
        entry = history.entries[index].what
        at = sum(isinstance(each.what, Move) for each in history.entries[:index])
        letter = entry.player if isinstance(entry, Declaration) else history.positions[at].to_move
        seats = there.get("seats")
        if letter in self._client.held and isinstance(seats, dict) and seats.get(NAMES[letter]) != FAR:
            # Accepted or not, it must be sent again once the seat is ours again.
            self._sent = None
            raise GamesDiffer(
                f"{NAMES[letter]} is no longer played from here; make there what is played here, "
                f"or give {NAMES[letter]} to somebody far away there again"
            )

    def _send(self, history: History, there: Mapping[str, Any], index: int) -> None:
        """Send our next entry to the other table."""
        entry = history.entries[index].what
        self._check_seat(history, index, there)
        if isinstance(entry, Declaration):
            if entry.kind == "draw" or self._is_theirs(history, entry.player):
                raise GamesDiffer(f"{_shown(_entry(entry))} was recorded here only; enter it there too")
            self._client.act("/api/requests", NAMES[entry.player], {"act": entry.kind})
            return
        at = sum(isinstance(each.what, Move) for each in history.entries[:index])
        before = history.positions[at]
        if self._is_theirs(history, before.to_move):
            raise GamesDiffer(
                f"{entry} was played here for {NAMES[before.to_move]}, but not there; take it back"
            )
        if there.get("reply") is not None or there.get("result") is not None:
            return
        if there.get("position") != before.text:
            raise GamesDiffer("its position differs from the one here; correct one of the two")
        where = {key: there.get(key) for key in ("game", "ply", "position")}
        if self._client.act("/api/turn", NAMES[before.to_move], {"move": str(entry)} | where):
            self._sent = there.get("game"), index, _entry(entry)

    def _follow(self, history: History, entry: Entry) -> None:
        """Apply the next entry of the other table's record here."""
        kind, text = entry
        if kind != "move":
            letter = LETTER.get(text, "")
            requests: dict[str, Request] = {
                "resign": Resign(letter), "leave": Leave(letter), "draw": AgreeDraw(),
            }  # fmt: skip
            self._submit(requests[kind])
            return
        letter = history.position.to_move
        if not self._is_theirs(history, letter):
            player = NAMES.get(letter, letter)
            raise GamesDiffer(f"{text} was played there for {player}; make it here, or take it back there")
        if history.reply is not None or history.paused:
            return
        move = Move.parse(text)
        self._submit(SubmitTurn(letter, move, history.game, history.ply, history.position.text))

    def _withdraw(self, history: History, reply: Reply) -> None:
        """Withdraw a turn that was taken back at the other table before it was made here."""
        self._tell(f"   !  {reply.move} is taken back at the other table; it is not to be made here")
        # A seat that is taken anew chooses anew.
        letter = LETTER[reply.player]
        self._submit(SetSeat(letter, history.played_by[letter]))

    def _submit(self, request: Request) -> None:
        """Submit a request to the session, and wait until it is done."""
        try:
            done: Future[None] = self._game.submit(request)
            while not self._stop.is_set():
                try:
                    done.result(0.2)
                    return
                except TimeoutError:
                    continue
        except RequestRefused as refused:
            raise GamesDiffer(f"what was played there is refused here: {refused}") from refused

    def _give_up(self, why: str, detail: str) -> None:
        """Ask the players who continues, if the other table's turn is due."""
        history = self._game.history
        letter = history.position.to_move
        due = not history.over and history.reply is None and self._is_theirs(history, letter)
        if due and history.seat_failed is None:
            place = history.game, history.ply, history.position.text
            # If too many requests are pending, this is tried again at the next poll.
            with suppress(RequestRefused):
                self._game.submit(GiveUp(letter, *place, why, detail))

    def _say(self, line: str) -> None:
        """Print a line on the terminal unless it was the last one."""
        if line and line != self._said:
            log.info("%s", line)
            self._tell(f"   !  {line}")
        self._said = line


def _entry(what: Move | Declaration | object) -> Entry:
    if isinstance(what, Declaration):
        return what.kind, NAMES.get(what.player, "")
    return "move", str(what)


def _ours(history: History) -> tuple[Entry, ...]:
    return tuple(_entry(entry.what) for entry in history.entries)


def _theirs(there: Mapping[str, Any]) -> tuple[Entry, ...]:
    """The entries in the other table's state. Raises Declined if one is invalid."""
    moves = there.get("moves")
    found: list[Entry] = []
    for entry in moves if isinstance(moves, list) else [None]:
        if not isinstance(entry, dict):
            raise Declined("it sends no turns")
        if isinstance(entry.get("move"), str):
            try:
                found.append(("move", str(Move.parse(entry["move"]))))
            except ValueError as error:
                raise Declined("it sends something that is not a turn") from error
        elif entry.get("act") in DECLARATION_KINDS and entry.get("player", "") in ("", *LETTER):
            found.append((entry["act"], entry.get("player", "")))
        else:
            raise Declined("it sends something that is not a turn")
    return tuple(found)


def _common_prefix(ours: Sequence[Entry], theirs: Sequence[Entry]) -> int:
    """The length of the common prefix."""
    for index, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        if one != other:
            return index
    return min(len(ours), len(theirs))


def _shown(entry: Entry) -> str:
    return entry[1] if entry[0] == "move" else " ".join(filter(None, entry))
