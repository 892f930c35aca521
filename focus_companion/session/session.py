"""The one loop that owns a game: frames and requests in, events out, every one kept before it is told."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from ..game.match import MatchPlace, match_names
from ..game.position import Position
from ..game.record import GameRecord
from ..game.rules import Rules
from . import state_json as view
from .beginning import began, match_to_go_on, next_place, turned
from .clock import Clock, TimeControl
from .event_feed import HEARTBEAT, Feed, Subscription
from .events import Corrected, Event, Found, Lost, Moved, Placed, Refused, TakenBack
from .events_from_requests import answer
from .events_from_verdicts import hear
from .history import History
from .picture import Pictures
from .ports import EventJournal, Sight, SightMaker, Tape
from .requests import NewGame, PlaceBoard, Rematch, Request, RequestRefused, StandsRight, TurnDone
from .rulings import nearest_turns
from .seat_kinds import AT_THE_BOARD, SeatError, Seating
from .seating import check_seats, seats_changed

if TYPE_CHECKING:
    from ..vision.capture.frames import Frame

log = logging.getLogger(__name__)

_WAITING: Final = 64
"""Requests that may wait for the game thread."""

_RETRY: Final = 1.0
"""Seconds between two tries to write what the journal refused."""

_HURRY: Final = 2.0
"""Seconds after a press of the button in which the picture may come to rest and is judged at once."""

_STALLED: Final = 30.0
"""Seconds without a turn of the game loop after which it counts as dead; finding the board may take a while.
"""


class Session:
    """A game in front of a camera.

    ``push``, ``attend``, ``new_stream``, ``camera_lost`` and ``camera_found`` belong to the game thread;
    everything else may be called from any thread.

    ``journal``: keeps the events and, with ``resume``, gives back the unfinished game, whose rules and
    players then hold instead of those given. Without one the events live in memory alone.
    ``sight``: the pipeline, or a function that makes one for given rules, wanted where the rules change
    between games.
    ``again``: seconds of the stream after which a finished game is followed by another; ``None``: only when
    asked. ``demo``: the games are played on the simulated board, which their first events tell.

    ``match``: which game of a match the first one is. With ``resume`` a match whose last game has not been
    played goes on as an unfinished game does.

    ``rescued``: the name of the file that is kept of a damaged journal; the state tells it until the next
    turn.

    ``played_by``: kinds of seat by letter, of a new game; in a game that goes on they replace those of the
    same colours. ``pace``: seconds for which a computer may think about a turn, ``None``: as the game has it.

    Raises:
        JournalError: the journal cannot be used.
        SeatError: a seat of a colour that does not play.
    """

    def __init__(
        self,
        rules: Rules,
        players: Mapping[str, str],
        journal: EventJournal | None,
        sight: Sight | SightMaker,
        *,
        resume: bool = True,
        again: float | None = None,
        demo: bool = False,
        clock: Callable[[], float] = time.monotonic,
        rescued: str | None = None,
        match: MatchPlace | None = None,
        played_by: Mapping[str, str] | None = None,
        pace: float | None = None,
    ) -> None:
        self._journal = journal
        self._make: SightMaker | None = sight if callable(sight) else None
        self._again = again
        self._demo = demo
        self._clock = clock
        self._requests: queue.Queue[tuple[Request, Future[None]]] = queue.Queue(_WAITING)
        self._state = threading.Lock()
        self._rescued = rescued
        self._told: tuple[History, dict[str, Any]] | None = None
        self._held: list[Event] = []
        self._fault: str | None = None
        self._retry_at = 0.0
        self._frames = 0
        self._frame_at = self._turned_at = clock()
        self._time = self._offset = 0.0
        self._fresh_stream = False
        self._silent = ""
        self._calm = threading.Event()
        self._calm.set()
        self.tape: Tape | None = None
        """Keeps all that comes in and is told, if it is put here before the first frame."""
        self._pictures = Pictures()
        self._feed = Feed(journal.last_event() if journal else 0, journal)
        game = journal.last_unfinished() if journal is not None and resume else None
        self.resumed = game is not None
        if journal is not None and game is not None:
            self._history = journal.history(game).looked_away()
            self._time = self._offset = self._history.time
        elif (before := match_to_go_on(journal) if resume else None) is not None:
            self._history = self._following(before)
        else:
            check_seats(played_by or {}, "".join(rules.order))
            seating = Seating.make(played_by, pace)
            self._history = self._prepare(rules, players, match=match, seating=seating)
        self._sight: Sight = sight(self.rules) if callable(sight) else sight
        if self._history.corners is not None:
            # The board or the camera may have been moved since.
            self._sight.place(self._history.corners, believed=False)
        if not self._history.begun:
            self._commit((began(self._history, self._time, self._demo),))
        if changed := seats_changed(self._history, played_by or {}, pace, self._time):
            self._commit(changed)

    # What everyone may ask

    @property
    def rules(self) -> Rules:
        return self._history.rules

    @property
    def position(self) -> Position:
        """What the board should show now."""
        return self._history.position

    @property
    def history(self) -> History:
        return self._history

    def submit(self, request: Request) -> Future[None]:
        """Ask for something; the game thread does it between two frames.

        The future is done when that has happened, and holds :class:`RequestRefused` if it cannot be.

        Raises:
            RequestRefused: too many requests wait already.
        """
        done: Future[None] = Future()
        try:
            self._requests.put_nowait((request, done))
        except queue.Full:
            raise RequestRefused("Too much is being asked at once. Try again in a moment.") from None
        return done

    def subscribe(self, after: int | None = None, *, heartbeat: float = HEARTBEAT) -> Subscription:
        """Events with ids above ``after`` (``None``: those to come), oldest first, without gap or repeat.

        The iterator gives ``(id, event)``, and ``None`` after ``heartbeat`` seconds in which nothing
        happened.
        """
        return self._feed.subscribe(after, heartbeat=heartbeat)

    def state(self) -> dict[str, Any]:
        """The contract's ``/api/state``, with ``event``, the id of the last event that it contains."""
        with self._state:
            history, last = self._history, self._feed.last
            told = self._told
        if told is None or told[0] is not history:
            told = (history, view.state(history))
            self._told = told
        clock = history.clock and history.clock.to_json(self._time, history.position.players)
        return told[1] | {
            "camera": self.camera,
            "camera_why": self.camera_why,
            "event": last,
            "resumed": self.resumed,
            "fault": self._fault,
            "rescued": self._rescued,
            "clock": clock,
            "mount": self._sight.mount(),
            "corners": self._sight.corners(),
        }

    def legal(self) -> list[str]:
        """The legal turns now; those first that explain most of what is alerted."""
        return [str(move) for move in nearest_turns(self._history)]

    @property
    def camera(self) -> str:
        """ "starting", "ok", "no board", "lost" (no pictures, or no board any more), or what makes the
        pictures useless: "frozen", "dark", "covered", "grey", "damaged".
        """
        if self._silent:
            return "frozen" if self._silent == "frozen" else "lost"
        return self._sight.camera_state if self._frames else "starting"

    @property
    def camera_why(self) -> str | None:
        """The event ``lost``'s ``why`` while camera or board are lost; ``None`` while all is well."""
        lost = self._history.lost
        return self._silent or lost.get("camera") or lost.get("board")

    def snapshot(self, overlay: bool = False, width: int | None = None) -> bytes | None:
        """The newest picture as JPEG, with the reading on it if ``overlay``; ``None`` before the first.

        ``width``: at most so many pixels wide.
        """
        sight, stacks = self._sight, self._history.position.stacks
        if not overlay:
            return self._pictures.jpeg(width=width)
        wrong = view.wrong_squares(self._history)
        return self._pictures.jpeg(lambda image: sight.overlay(image, stacks, wrong), (stacks, wrong), width)

    def let_pass(self, timeout: float) -> None:
        """Wait while a picture is judged, at most ``timeout`` seconds: the game's thread goes first."""
        self._calm.wait(timeout)

    def health(self) -> dict[str, Any]:
        """Whether the game loop lives; ages in seconds, ``None`` before the first frame."""
        now = self._clock()
        loop_age = now - self._turned_at
        return {
            "ok": self._frames > 0 and loop_age < _STALLED,
            "frame_age": round(now - self._frame_at, 3) if self._frames else None,
            "loop_age": round(loop_age, 3),
            "frames": self._frames,
            "camera": self.camera,
            "game": self._history.game,
            "journal": self._fault or "ok",
        }

    def record(self) -> GameRecord:
        """The record of the current game so far."""
        return self._history.record()

    def close(self) -> None:
        """End all subscriptions. The journal belongs to whoever opened it."""
        self._feed.close()

    # The game thread

    def push(self, frame: Frame) -> list[Event]:
        """Look at one frame; returns what is told because of it, in order, already kept."""
        if self.tape is not None:
            self.tape.frame(frame)
        self._calm.clear()
        try:
            return self._push(frame)
        finally:
            self._calm.set()

    def _push(self, frame: Frame) -> list[Event]:
        if self._fresh_stream:
            self._offset, self._fresh_stream = self._time - frame.time, False
        if self._offset:
            # A source that was opened anew counts from 0, but whoever waits (to seek the board again, for a
            # picture to last) waits in the time of the game.
            frame = replace(frame, time=frame.time + self._offset)
        # Whole microseconds: enough for any camera, and readable in the journal.
        self._time = max(self._time, round(frame.time, 6))
        told = self.attend()
        self._pictures.take(frame)
        self._frames += 1
        self._frame_at = self._clock()
        if self._held or self._history.paused:
            return told
        if self._history.over and self._again is not None and self._time >= self._history.time + self._again:
            told += self._another()
        heard: list[Event] = []
        history = self._history
        for verdict in self._sight.push(frame, history.positions, history.asked):
            events = hear(verdict, history, self._time)
            history = history.take_all(events)
            heard += events
        self._turned_at = self._clock()
        return told + self._tell(*heard)

    def attend(self) -> list[Event]:
        """Do what has been asked for; to be called now and then also while no frames come."""
        self._turned_at = self._clock()
        told: list[Event] = []
        if self._held:
            if self._turned_at < self._retry_at:
                return told
            held, self._held = self._held, []
            told += self._tell(*held)
        while not self._held:
            try:
                request, done = self._requests.get_nowait()
            except queue.Empty:
                break
            if self.tape is not None:
                self.tape.request(request, in_push=not self._calm.is_set())
            try:
                told += self._do(request)
            except RequestRefused as refused:
                template = refused.text if refused.values else ""
                told += self._tell(Refused(self._time, str(refused), template, refused.values))
                done.set_exception(refused)
            except Exception as error:
                done.set_exception(error)
                raise
            else:
                done.set_result(None)
        return told

    def new_stream(self) -> None:
        """The next frame comes from a source opened anew: its times go on where the last ones ended."""
        if self.tape is not None:
            self.tape.camera("anew")
        self._fresh_stream = True

    def camera_lost(self, why: str = "") -> list[Event]:
        """The camera gives no pictures, or always the same; ``why`` as in the event ``lost``."""
        if self.tape is not None:
            self.tape.camera("lost", why)
        self._silent = why or "unreadable"
        # Nothing may pile up while the journal refuses.
        if self._held or "camera" in self._history.lost:
            return []
        return self._tell(Lost(self._time, "camera", why))

    def camera_found(self) -> list[Event]:
        """The camera gives pictures again."""
        if self.tape is not None:
            self.tape.camera("found")
        self._silent = ""
        return self._tell(Found(self._time, "camera")) if "camera" in self._history.lost else []

    def _do(self, request: Request) -> list[Event]:
        if isinstance(request, Rematch):
            before = self._history
            again = before.match is not None and not before.over
            if again:
                return self._new_game(NewGame(players=before.players))
            played_by = turned(before, before.played_by)
            return self._new_game(NewGame(players=turned(before, before.players), played_by=played_by))
        if isinstance(request, NewGame):
            return self._new_game(request)
        if isinstance(request, PlaceBoard):
            return self._place(request)
        events = answer(request, self._history, self._time)
        if any(isinstance(event, TakenBack | Corrected) for event in events):
            told = self._tell(*events)
            self._look_afresh()
            return told
        if isinstance(request, StandsRight):
            self._sight.vouch()
        if isinstance(request, TurnDone):
            self._sight.hurry(self._time + _HURRY)
        return self._tell(*events)

    def _new_game(self, request: NewGame) -> list[Event]:
        before = self._history
        seats, clock = request.seats, request.clock
        match = MatchPlace(request.games) if request.games > 1 else None
        if request.rules is None:
            seats, clock = before.seats, before.clock.control if before.clock else None
            match = next_place(before)
        rules = request.rules or before.agreed or self.rules
        turns = request.rules is None and match is not None and before.over
        players = request.players or (turned(before, before.players) if turns else before.players)
        played_by = turned(before, before.played_by) if turns else before.played_by
        seating = Seating.make(
            played_by if request.played_by is None else request.played_by,
            before.pace if request.pace is None else request.pace,
        )
        if fault := rules.order_fault or view.seats_fault(rules, seats):
            raise RequestRefused("The game cannot begin: {reason}.", reason=fault)
        try:
            check_seats(request.played_by or {}, "".join(rules.order))
            history = self._prepare(rules, players, seats, clock, match, seating)
        except SeatError as error:
            raise RequestRefused("The game cannot begin: {reason}.", reason=error) from error
        except OSError as error:
            # The journal's own sentence; the old game stays.
            raise RequestRefused(str(error)) from error
        if self._make and history.rules != self.rules:
            self._sight = self._make(history.rules)
            if before.corners is not None:
                self._sight.place(before.corners)
        with self._state:
            self._history = replace(history, lost=self._history.lost, corners=before.corners)
        self.resumed = False
        return self._tell(began(self._history, self._time, self._demo))

    def _place(self, request: PlaceBoard) -> list[Event]:
        try:
            self._sight.place(request.corners)
        except ValueError as error:
            raise RequestRefused("The board cannot be placed like that: {reason}.", reason=error) from error
        return self._tell(Placed(self._time, request.corners))

    def _another(self) -> list[Event]:
        """Follow a finished game by another; if the journal refuses it, try a little later."""
        if self._clock() < self._retry_at:
            return []
        try:
            return self._new_game(NewGame())
        except RequestRefused as error:
            self._fault, self._retry_at = str(error), self._clock() + _RETRY
            return []

    def _look_afresh(self) -> None:
        """The board has to be put right by hand: the pipeline tells from the new history what differs."""
        with self._state:
            self._history = replace(self._history, ready=False, set_up=())

    def _prepare(
        self,
        rules: Rules,
        players: Mapping[str, str],
        seats: Mapping[str, str] | None = None,
        clock: TimeControl | None = None,
        match: MatchPlace | None = None,
        seating: Seating = AT_THE_BOARD,
    ) -> History:
        if match is not None:
            players = match_names(rules.order, players)
        number = self._journal.begin(rules, players) if self._journal else 1
        today = date.today().isoformat()
        made = History.begin(rules, players, game=number, date=today)
        control = Clock(clock) if clock else None
        made = replace(made, time=self._time, seats=seats or {}, clock=control, match=match)
        return replace(made, played_by=seating.of(rules.order), pace=seating.pace)

    def _following(self, before: History) -> History:
        """The next game of the match that ``before`` belongs to."""
        clock = before.clock.control if before.clock else None
        rules, seating = before.agreed or before.rules, Seating(turned(before, before.played_by), before.pace)
        players = turned(before, before.players)
        return self._prepare(rules, players, before.seats, clock, next_place(before), seating)

    def _tell(self, *events: Event) -> list[Event]:
        """Keep these events, then tell them; hold them back while the journal refuses them."""
        if self._held:
            self._held += events
            return []
        if not events:
            return []
        try:
            self._commit(events)
        except OSError as error:
            if self._fault is None:
                log.error("%s", error)
            self._held, self._fault = list(events), str(error)
            self._retry_at = self._clock() + _RETRY
            return []
        self._fault = None
        return list(events)

    def _commit(self, events: tuple[Event, ...]) -> None:
        history = self._history.take_all(events)
        numbers = self._keep(events, history.game)
        if any(isinstance(event, Moved) for event in events):
            # The game goes on: it has been read, or it is no news any more.
            self._rescued = None
        with self._state:
            self._history = history
            self._feed.publish(list(zip(numbers, events, strict=True)))
        if self.tape is not None:
            self.tape.told(events)

    def _keep(self, events: tuple[Event, ...], game: int) -> list[int]:
        if self._journal is not None:
            return self._journal.append_all(game, events)
        last = self._feed.last
        return list(range(last + 1, last + 1 + len(events)))
