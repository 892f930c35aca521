"""The one loop that owns a game: frames and requests in, events out, every one kept before it is told."""

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
from ..game.record import GameRecord
from ..game.rules import Rules
from . import state_json as view
from .beginning import GamePlan, began, following, match_to_go_on, planned, rematch
from .event_feed import HEARTBEAT, Feed, Subscription
from .events import Corrected, Event, Found, Lost, Moved, Placed, Refused, TakenBack
from .events_from_requests import answer, take_reading
from .events_from_verdicts import follow
from .history import History, Transition
from .picture import Pictures
from .ports import EventJournal, Sight, SightMaker, Tape
from .requests import NewGame, PlaceBoard, Rematch, Request, RequestRefused, SwapColours
from .roles import swapped
from .rulings import nearest_turns
from .seat_kinds import Seating
from .seating import check_seats, seats_changed
from .to_sight import Looking

if TYPE_CHECKING:
    from ..vision.capture.frames import Frame

log = logging.getLogger(__name__)

_NEWEST: Final = 64
"""Newest events of which it can still be told what the state was right after them."""

_WAITING: Final = 64
"""Requests that may wait for the game thread."""

_RETRY: Final = 1.0
"""Seconds between two tries to write what the journal refused."""

_AT_REST: Final = 0.2
"""Seconds between two pictures that are enough while nothing moves: a hand's visit takes longer."""

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

    ``start_from``: "camera" where a new game begins from the position that the camera reads, as soon as the
    players take it; with ``takes_reading``, because nobody is there to ask, at once.

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
        self.takes_reading, self._looking = takes_reading, Looking()
        self._clock = clock
        self._requests: queue.Queue[tuple[Request, Future[None]]] = queue.Queue(_WAITING)
        self._state = threading.Lock()
        self._rescued = rescued
        self._told: tuple[History, dict[str, Any]] | None = None
        self._held: list[Transition] = []
        self._newest: deque[tuple[int, Transition]] = deque(maxlen=_NEWEST)
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
            self._history = following(before).begin(journal, self._time)
        else:
            check_seats(played_by or {}, "".join(rules.order))
            seating = Seating.make(played_by, pace)
            plan = GamePlan(rules, players, match=match, seating=seating, start_from=start_from)
            self._history = plan.begin(journal, self._time)
        self._sight: Sight = sight(self.rules) if callable(sight) else sight
        if self._history.corners is not None:
            # The board or the camera may have been moved since.
            self._sight.place(self._history.corners, believed=False)
        if not self._history.begun:
            self._commit(self._history.transitions([began(self._history, self._time, self._demo)]))
        if changed := seats_changed(self._history, played_by or {}, pace, self._time):
            self._commit(self._history.transitions(changed))

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
        return told[1] | self._around(history, last, self._time)

    def state_after(self, event: int) -> dict[str, Any] | None:
        """The state right after the event of that id, ``moves`` as what it changed in the list before it
        (:func:`state_json.change`); ``None`` if that is no longer known.
        """
        with self._state:
            transition = next(
                (transition for number, transition in reversed(self._newest) if number == event), None
            )
        if transition is None:
            return None
        return view.change(transition) | self._around(transition.after, event, transition.after.time)

    def _around(self, history: History, event: int, time: float) -> dict[str, Any]:
        """What belongs to the state beside the game: how camera, journal and clocks stand."""
        return {
            "camera": self.camera,
            "camera_why": self._why_blind(history),
            "event": event,
            "resumed": self.resumed,
            "fault": self._fault,
            "rescued": self._rescued,
            "clock": history.clock and history.clock.to_json(time, history.position.players),
            "mount": self._sight.mount(),
            "corners": self._sight.corners(),
            "pieces": view.named(self._sight.pieces()),
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
        return self._why_blind(self._history)

    def _why_blind(self, history: History) -> str | None:
        return self._silent or history.lost.get("camera") or history.lost.get("board")

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

    @property
    def apart(self) -> float:
        """Seconds between two pictures that are enough now; 0 if every one is wanted."""
        return _AT_REST if self._sight.at_rest else 0.0

    def close(self) -> None:
        """End all subscriptions. The journal belongs to whoever opened it."""
        self._feed.close()

    # The game thread

    def push(self, frame: Frame) -> list[Event]:
        """Look at one frame; returns what is told because of it, in order, already kept."""
        if self.tape is not None:
            # What is run again has only the whole picture, so nothing else may be looked at now.
            frame = replace(frame, picture=frame.image)
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
        history = self._history
        seen = self._looking.verdicts(self._sight, frame, history, self._time)
        transitions = follow(seen, history, self._time)
        history = transitions[-1].after if transitions else history
        if history.start_from and history.reading and self.takes_reading:
            transitions += history.transitions(take_reading(history.reading, history, self._time))
        self._turned_at = self._clock()
        return told + self._emit(transitions)

    def attend(self) -> list[Event]:
        """Do what has been asked for; to be called now and then also while no frames come."""
        self._turned_at = self._clock()
        told: list[Event] = []
        if self._held:
            if self._turned_at < self._retry_at:
                return told
            held, self._held = self._held, []
            told += self._emit(held)
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
            return self._new_game(rematch(self._history))
        if isinstance(request, NewGame):
            return self._new_game(request)
        if isinstance(request, SwapColours):
            request = swapped(self._history, self._sight.corners())
        if isinstance(request, PlaceBoard):
            return self._place(request)
        transitions = self._history.transitions(answer(request, self._history, self._time))
        if any(isinstance(transition.event, TakenBack | Corrected) for transition in transitions):
            # The board has to be put right by hand: the pipeline tells from the new history what differs.
            transitions[-1] = replace(
                transitions[-1], after=replace(transitions[-1].after, ready=False, set_up=())
            )
        self._looking.pass_on(request, self._sight, self._time)
        return self._emit(transitions)

    def _new_game(self, request: NewGame) -> list[Event]:
        before = self._history
        plan = planned(request, before)
        try:
            history = plan.begin(self._journal, self._time)
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

    def _tell(self, *events: Event) -> list[Event]:
        before = self._held[-1].after if self._held else self._history
        return self._emit(before.transitions(events))

    def _emit(self, transitions: Sequence[Transition]) -> list[Event]:
        """Keep these events, then tell them; hold them back while the journal refuses them."""
        if self._held:
            self._held += transitions
            return []
        if not transitions:
            return []
        try:
            self._commit(transitions)
        except OSError as error:
            if self._fault is None:
                log.error("%s", error)
            self._held, self._fault = list(transitions), str(error)
            self._retry_at = self._clock() + _RETRY
            return []
        self._fault = None
        return [transition.event for transition in transitions]

    def _commit(self, transitions: Sequence[Transition]) -> None:
        history, events = transitions[-1].after, tuple(transition.event for transition in transitions)
        numbers = self._keep(events, history.game)
        if any(isinstance(event, Moved) for event in events):
            # The game goes on: it has been read, or it is no news any more.
            self._rescued = None
        with self._state:
            self._history = history
            self._newest.extend(zip(numbers, transitions, strict=True))
            self._feed.publish(list(zip(numbers, events, strict=True)))
        if self.tape is not None:
            self.tape.told(events)

    def _keep(self, events: tuple[Event, ...], game: int) -> list[int]:
        if self._journal is not None:
            return self._journal.append_all(game, events)
        last = self._feed.last
        return list(range(last + 1, last + 1 + len(events)))
