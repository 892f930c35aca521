"""The loop that owns a game: converts frames and requests to events, each stored before it is emitted."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ..game.match import MatchPlace
from ..game.position import Position
from ..game.rules import Rules
from . import journal_fault
from . import state_json as view
from .beginning import GamePlan, began, following, match_to_go_on, planned, rematch
from .event_feed import HEARTBEAT, Feed, Subscription
from .events import Corrected, Event, Found, Lost, Moved, Placed, Refused, TakenBack
from .events_from_requests import answer, check_current, take_reading
from .events_from_verdicts import follow
from .history import History, Transition
from .kept_time import KeptTime
from .picture import Pictures
from .ports import EventJournal, Recorder, Sight, SightMaker
from .requests import NewGame, PlaceBoard, Rematch, Request, RequestRefused, SwapColours
from .roles import swapped, swaps
from .rulings import nearest_turns
from .seat_kinds import Seating
from .seating import check_seats, seats_changed
from .to_sight import SightControl

if TYPE_CHECKING:
    from ..vision.capture.frames import Frame

log = logging.getLogger(__name__)

_MAX_KNOWN_STATES: Final = 64
"""Number of newest events for which the state right after each is still known."""

_MAX_PENDING_REQUESTS: Final = 64
"""Maximum number of requests pending for the game thread."""

_RETRY_INTERVAL: Final = 1.0
"""Seconds between two attempts to write events that the journal could not store."""

_AT_REST_INTERVAL: Final = 0.3
"""Sufficient seconds between two pictures while nothing moves: a hand stays over the board for longer."""

_STALL_TIMEOUT: Final = 30.0
"""Seconds without an iteration after which the game loop counts as dead; finding the board may take a
while."""


class Session:
    """A game that a camera watches.

    ``push``, ``attend``, ``new_stream``, ``camera_lost`` and ``camera_found`` may be called only on the game
    thread; everything else may be called from any thread.

    ``journal``: stores the events and, with ``resume``, supplies the unfinished game, whose rules and players
    then replace those given. Without a journal, the events are only held in memory.
    ``sight``: the pipeline, or a function that makes one for given rules, which is required if the rules can
    change between games.
    ``again``: seconds of the stream after which a finished game is followed by another; ``None``: only on
    request. ``demo``: the games are played on the simulated board; their first events say so.

    ``match``: which game of a match the first one is. With ``resume``, a match whose last game has not been
    played is continued like an unfinished game.

    ``rescued``: the name of the file to which a damaged journal was moved; part of the state until the next
    turn.

    ``played_by``: kinds of seat by letter, for a new game; in a resumed game they replace those of the
    same colours. ``pace``: seconds for which a computer may think about a turn; ``None``: as in the game.

    ``start_from``: "camera" if a new game begins from the position that the camera reads, as soon as the
    players accept it, or immediately with ``takes_reading``, if there is nobody to ask.

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
        start_from: str = "",
        takes_reading: bool = False,
    ) -> None:
        self._journal = journal
        self._make: SightMaker | None = sight if callable(sight) else None
        self._again = again
        self._demo = demo
        self.takes_reading, self._sight_control = takes_reading, SightControl()
        self._clock = clock
        self._requests: queue.Queue[tuple[Request, Future[None]]] = queue.Queue(_MAX_PENDING_REQUESTS)
        self._state = threading.Lock()
        self._rescued = rescued
        self._cached_state: tuple[History, dict[str, Any]] | None = None
        self._held: list[Transition] = []
        self._newest: deque[tuple[int, Transition]] = deque(maxlen=_MAX_KNOWN_STATES)
        self._journal_fault: OSError | None = None
        self._retry_at = 0.0
        self._frames = 0
        self._frame_at = self._turned_at = clock()
        self._time = self._offset = 0.0
        self._fresh_stream = False
        self._camera_fault = ""
        self._idle = threading.Event()
        self._idle.set()
        self.tape: Recorder | None = None
        """Records all input and all emitted events, if it is set before the first frame."""
        self._pictures = Pictures()
        self._kept_time = KeptTime(journal)
        self._feed = Feed(journal.last_event() if journal else 0, journal)
        game = journal.last_unfinished() if journal is not None and resume else None
        self.resumed = game is not None
        if journal is not None and game is not None:
            self._history = journal.history(game).looked_away()
            # A clock went on after the last event until the program ended. While it is off, none does.
            self._time = self._offset = max(self._history.time, journal.kept_time())
        elif (before := match_to_go_on(journal) if resume else None) is not None:
            self._history = following(before).begin(journal, self._time)
        else:
            check_seats(played_by or {}, "".join(rules.order))
            seating = Seating.make(played_by, pace)
            plan = GamePlan(rules, players, match=match, seating=seating, start_from=start_from)
            self._history = plan.begin(journal, self._time)
        self._sight: Sight = sight(self.rules) if callable(sight) else sight
        if self._history.corners is not None:
            # The board or the camera may have been moved in the meantime.
            self._sight.place(self._history.corners, believed=False)
        if not self._history.begun:
            self._commit(self._history.transitions([began(self._history, self._time, self._demo)]))
        if changed := seats_changed(self._history, played_by or {}, pace, self._time):
            self._commit(self._history.transitions(changed))

    # Queries and requests, from any thread

    @property
    def rules(self) -> Rules:
        return self._history.rules

    @property
    def position(self) -> Position:
        """The position that the board should show now."""
        return self._history.position

    @property
    def history(self) -> History:
        return self._history

    @property
    def time(self) -> float:
        """Seconds of the stream, up to the newest frame; a resumed game goes on where it was left."""
        return self._time

    def submit(self, request: Request) -> Future[None]:
        """Submit a request, which the game thread carries out between two frames.

        The future is then done; it holds :class:`RequestRefused` if the request cannot be carried out.

        Raises:
            RequestRefused: too many requests are pending.
        """
        done: Future[None] = Future()
        try:
            self._requests.put_nowait((request, done))
        except queue.Full:
            raise RequestRefused("There are too many requests at once. Try again in a moment.") from None
        return done

    def subscribe(self, after: int | None = None, *, heartbeat: float = HEARTBEAT) -> Subscription:
        """Events with ids above ``after`` (``None``: only new ones), oldest first, without gap or repeat.

        The iterator yields ``(id, event)``, and ``None`` after ``heartbeat`` seconds without an event.
        """
        return self._feed.subscribe(after, heartbeat=heartbeat)

    def state(self) -> dict[str, Any]:
        """The contract's ``/api/state``, with ``event``, the id of the last event that it includes."""
        with self._state:
            history, last = self._history, self._feed.last
            cached = self._cached_state
        if cached is None or cached[0] is not history:
            cached = (history, view.state(history))
            self._cached_state = cached
        return cached[1] | self._surroundings(history, last, self._time)

    def state_after(self, event: int) -> dict[str, Any] | None:
        """The state right after the event with that id, with ``moves`` as a change to the list before it
        (:func:`state_json.change`); ``None`` if that is no longer known.
        """
        with self._state:
            transition = next(
                (transition for number, transition in reversed(self._newest) if number == event), None
            )
        if transition is None:
            return None
        return view.change(transition) | self._surroundings(transition.after, event, transition.after.time)

    def _surroundings(self, history: History, event: int, time: float) -> dict[str, Any]:
        """The part of the state outside the game: camera, journal and clocks."""
        return {
            "camera": self.camera,
            "camera_why": self._why_blind(history),
            "event": event,
            "resumed": self.resumed,
            **journal_fault.to_json(self._journal_fault),
            "rescued": self._rescued,
            "clock": history.clock and history.clock.to_json(time, history.position.players),
            "mount": self._sight.mount(),
            "corners": self.corners,
            "pieces": view.named(self._sight.pieces()),
            "swaps": swaps(history, self._sight),
        }

    @property
    def lifted(self) -> tuple[int, int] | None:
        """The square (index) of a stack from which pieces seem lifted, and their number; else ``None``."""
        return self._sight.lifted

    def legal(self) -> list[str]:
        """The legal turns now, those that explain most squares of the alert first."""
        return [str(move) for move in nearest_turns(self._history)]

    @property
    def camera(self) -> str:
        """ "starting", "ok", "no board", "lost" (no pictures, or the board is out of view), or what makes the
        pictures useless: "frozen", "dark", "covered", "grey", "damaged", "unsteady".
        """
        if self._camera_fault:
            return "frozen" if self._camera_fault == "frozen" else "lost"
        return self._sight.camera_state if self._frames else "starting"

    def _why_blind(self, history: History) -> str | None:
        """``why`` of the event ``lost`` while the camera or the board is lost, otherwise ``None``."""
        return self._camera_fault or history.lost.get("camera") or history.lost.get("board")

    def snapshot(self, overlay: bool = False, width: int | None = None) -> bytes | None:
        """The newest picture as JPEG, with the reading drawn on it if ``overlay``; ``None`` before the first.

        ``width``: maximum width in pixels.
        """
        sight, stacks = self._sight, self._history.position.stacks
        if not overlay:
            return self._pictures.jpeg(width=width)
        wrong = view.wrong_squares(self._history)
        return self._pictures.jpeg(lambda image: sight.overlay(image, stacks, wrong), (stacks, wrong), width)

    @property
    def frame(self) -> Any:
        """The newest frame, whose image, (H, W, 3) uint8 BGR, must not change; ``None`` before the first."""
        return self._pictures.newest

    @property
    def corners(self) -> Mapping[str, Sequence[float]] | None:
        """The corners of the lattice, as fractions of the picture's size; ``None``: no board is in view."""
        return self._sight.corners()

    def wait_while_busy(self, timeout: float) -> None:
        """Wait at most ``timeout`` seconds while a picture is processed: the game thread has priority."""
        self._idle.wait(timeout)

    def health(self) -> dict[str, Any]:
        """Whether the game loop is alive; ages in seconds, ``None`` before the first frame."""
        now = self._clock()
        loop_age = now - self._turned_at
        return {
            "ok": self._frames > 0 and loop_age < _STALL_TIMEOUT,
            "frame_age": round(now - self._frame_at, 3) if self._frames else None,
            "loop_age": round(loop_age, 3),
            "frames": self._frames,
            "camera": self.camera,
            "game": self._history.game,
            "journal": "ok" if self._journal_fault is None else str(self._journal_fault),
        }

    @property
    def waits_for_journal(self) -> bool:
        """Whether events wait until the journal can store them. Pictures are not looked at meanwhile."""
        return bool(self._held)

    @property
    def apart(self) -> float:
        """Sufficient seconds between two pictures now; 0 if every picture is wanted."""
        return _AT_REST_INTERVAL if self._sight.at_rest else 0.0

    def close(self) -> None:
        """End all subscriptions. The journal belongs to whoever opened it."""
        self._kept_time.note(self._history.clock, self._feed.last, self._time, at_once=True)
        self._feed.close()

    # The game thread

    def push(self, frame: Frame) -> list[Event]:
        """Process one frame; returns the events emitted because of it, in order, already stored."""
        if self.tape is not None:
            # A replay has only the decoded picture, so nothing else may be used now.
            frame = replace(frame, picture=frame.image)
            self.tape.frame(frame)
        self._idle.clear()
        try:
            return self._push(frame)
        finally:
            self._idle.set()

    def _push(self, frame: Frame) -> list[Event]:
        if self._fresh_stream:
            self._offset, self._fresh_stream = self._time - frame.time, False
        if self._offset:
            # A reopened source counts from 0, but waiting times (until the board is sought again, or a
            # picture counts as still) are measured in the time of the game.
            frame = replace(frame, time=frame.time + self._offset)
        # Whole microseconds are sufficient for any camera, and readable in the journal.
        self._time = max(self._time, round(frame.time, 6))
        emitted = self.attend()
        in_view = self._sight.camera_state == "ok"
        self._pictures.take(frame, same=in_view and self._sight.at_rest)
        self._frames += 1
        self._frame_at = self._clock()
        if self._held or self._history.paused:
            return emitted
        if self._history.over and self._again is not None and self._time >= self._history.time + self._again:
            emitted += self._begin_next_game()
        transitions = self._history.transitions(self._history.times_up(self._time))
        history = transitions[-1].after if transitions else self._history
        seen = self._sight_control.verdicts(self._sight, frame, history, self._time)
        transitions += follow(seen, history, self._time)
        history = transitions[-1].after if transitions else history
        if history.start_from and history.reading and self.takes_reading:
            transitions += history.transitions(take_reading(history.reading, history, self._time))
        self._turned_at = self._clock()
        emitted += self._emit(transitions)
        self._kept_time.note(self._history.clock, self._feed.last, self._time)
        return emitted

    def attend(self) -> list[Event]:
        """Carry out the pending requests; to be called regularly even while there are no frames."""
        self._turned_at = self._clock()
        emitted: list[Event] = []
        if self._held:
            if self._turned_at < self._retry_at:
                return emitted
            held, self._held = self._held, []
            emitted += self._emit(held)
        while not self._held:
            try:
                request, done = self._requests.get_nowait()
            except queue.Empty:
                break
            if self.tape is not None:
                self.tape.request(request, in_push=not self._idle.is_set())
            try:
                emitted += self._execute(request)
            except RequestRefused as refused:
                template = refused.text if refused.values else ""
                emitted += self._emit_events(Refused(self._time, str(refused), template, refused.values))
                done.set_exception(refused)
            except Exception as error:
                done.set_exception(error)
                raise
            else:
                done.set_result(None)
        return emitted

    def new_stream(self) -> None:
        """The next frame comes from a reopened source: its times continue where the last ones ended."""
        if self.tape is not None:
            self.tape.camera("anew")
        self._fresh_stream = True

    def camera_lost(self, why: str = "") -> list[Event]:
        """The camera gives no pictures, or always the same one; ``why`` as in the event ``lost``."""
        if self.tape is not None:
            self.tape.camera("lost", why)
        self._camera_fault = why or "unreadable"
        # Events must not accumulate while the journal cannot store them.
        if self._held or "camera" in self._history.lost:
            return []
        return self._emit_events(Lost(self._time, "camera", why))

    def camera_found(self) -> list[Event]:
        """The camera gives pictures again."""
        if self.tape is not None:
            self.tape.camera("found")
        self._camera_fault = ""
        return self._emit_events(Found(self._time, "camera")) if "camera" in self._history.lost else []

    def _execute(self, request: Request) -> list[Event]:
        check_current(request, self._history)
        if isinstance(request, Rematch):
            request = rematch(self._history)
        if isinstance(request, SwapColours):
            request = swapped(request, self._history, self._sight)
        if isinstance(request, NewGame):
            try:
                return self._new_game(request)
            except OSError as error:
                # The old game continues.
                reason = journal_fault.reason(error)
                raise RequestRefused("The new game cannot be saved: {reason}.", reason=reason) from error
        if isinstance(request, PlaceBoard):
            return self._place(request)
        transitions = self._history.transitions(answer(request, self._history, self._time))
        if any(isinstance(transition.event, TakenBack | Corrected) for transition in transitions):
            # The players must correct the board: the pipeline compares it with the new history.
            transitions[-1] = replace(
                transitions[-1], after=replace(transitions[-1].after, ready=False, set_up=())
            )
        self._sight_control.pass_on(request, self._sight, self._time)
        return self._emit(transitions)

    def _new_game(self, request: NewGame) -> list[Event]:
        before = self._history
        plan = planned(request, before)
        history = plan.begin(self._journal, self._time)
        if self._make and history.rules != self.rules:
            self._sight = self._make(history.rules)
            if before.corners is not None:
                self._sight.place(before.corners)
        with self._state:
            self._history = replace(history, lost=self._history.lost, corners=before.corners)
        self.resumed = False
        return self._emit_events(began(self._history, self._time, self._demo))

    def _place(self, request: PlaceBoard) -> list[Event]:
        try:
            self._sight.place(request.corners)
        except ValueError as error:
            raise RequestRefused("The board cannot be placed like that: {reason}.", reason=error) from error
        return self._emit_events(Placed(self._time, request.corners))

    def _begin_next_game(self) -> list[Event]:
        """Begin a new game after a finished one; if the journal cannot store it, retry a little later."""
        if self._clock() < self._retry_at:
            return []
        try:
            return self._new_game(NewGame())
        except OSError as error:
            self._journal_fault, self._retry_at = error, self._clock() + _RETRY_INTERVAL
            return []

    def _emit_events(self, *events: Event) -> list[Event]:
        before = self._held[-1].after if self._held else self._history
        return self._emit(before.transitions(events))

    def _emit(self, transitions: Sequence[Transition]) -> list[Event]:
        """Store these events, then emit them; hold them back as long as the journal cannot store them."""
        if self._held:
            self._held += transitions
            return []
        if not transitions:
            return []
        try:
            self._commit(transitions)
        except OSError as error:
            if self._journal_fault is None:
                log.error("%s; the game then goes on", error)
            self._held, self._journal_fault = list(transitions), error
            self._retry_at = self._clock() + _RETRY_INTERVAL
            return []
        self._journal_fault = None
        return [transition.event for transition in transitions]

    def _commit(self, transitions: Sequence[Transition]) -> None:
        history, events = transitions[-1].after, tuple(transition.event for transition in transitions)
        numbers = self._keep(events, history.game)
        if any(isinstance(event, Moved) for event in events):
            # The game goes on: the notice about the rescued journal has been read, or is out of date.
            self._rescued = None
        with self._state:
            self._history = history
            self._newest.extend(zip(numbers, transitions, strict=True))
            self._feed.publish(list(zip(numbers, events, strict=True)))
        if self.tape is not None:
            self.tape.emitted(events)

    def _keep(self, events: tuple[Event, ...], game: int) -> list[int]:
        if self._journal is not None:
            return self._journal.append_all(game, events)
        last = self._feed.last
        return list(range(last + 1, last + 1 + len(events)))
