"""Runs the game thread, which reads the source, pushes its frames, and reopens a lost camera."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from ..vision.capture.frames import FrameError
from ..vision.capture.picture_faults import Repeats
from .events import Event
from .session import Session

if TYPE_CHECKING:
    from ..vision.capture.frames import Frame, Source

log = logging.getLogger(__name__)

REOPEN_DELAYS: Final[Sequence[float]] = (1.0, 2.0, 5.0, 10.0)
"""Seconds before each attempt to reopen a lost camera; the last one repeats."""

_MAX_SILENCE: Final = 3.0
"""Seconds without a frame after which a live source counts as lost."""

_FIRST_FRAME_TIMEOUT: Final = 60.0
"""Timeout in seconds for the first frame of a source: cameras warm up, streams are probed, the simulated
board is rendered."""

_POLL_INTERVAL: Final = 0.2
"""Maximum seconds between two checks for requests."""

_MIN_SUSPENSION: Final = 5.0
"""Seconds of waiting in one iteration from which the whole process must have been suspended (stopped, or in a
frozen virtual machine), so that the frames buffered in the camera are stale."""

_MIN_SLEEP: Final = 2.0
"""Seconds for which the computer must have slept for the camera to be reopened."""

_STALE_FRAME_TIMEOUT: Final = 2.0
"""Seconds within which a reopened camera must show another picture than the one in which it was frozen."""

_REOPEN: Final = "reopen"
"""Reason to give up a source: it is to be reopened at once, unreported, or the runner is being stopped."""

_LOG_TEXTS: Final[Mapping[str, str]] = {
    "unplugged": "the camera is gone; is it plugged in?",
    "ended": "the stream has ended; it is requested again",
    "stalled": "no more pictures arrive; it is reopened",
    "frozen": "always the same picture, bit for bit; it is reopened",
    "phone": "no picture arrives from the phone; waiting for it",
    "damaged": "none of its pictures arrives whole; it is reopened",
    "asleep": "the computer slept or stood still; the camera is reopened",
}
"""What the log says for each reason of a loss; the page has its own sentences."""

_MAX_READ_AHEAD: Final = 4
"""Number of frames of a file to read ahead."""


def _boot_time() -> float:
    # Only Linux has a clock that includes sleep; elsewhere, sleep appears as a stall.
    return time.clock_gettime(time.CLOCK_BOOTTIME) if sys.platform == "linux" else time.monotonic()


class SleepMeter:
    """Measures how long the computer has slept, by a clock that runs during sleep and one that does not."""

    def __init__(
        self, always: Callable[[], float] = _boot_time, awake: Callable[[], float] = time.monotonic
    ) -> None:
        self._always, self._awake = always, awake
        self._offset = self._always() - self._awake()

    def slept(self) -> float:
        """Seconds slept since the last call."""
        offset = self._always() - self._awake()
        slept, self._offset = offset - self._offset, offset
        return slept


def _reason(error: Exception | None, otherwise: str) -> str:
    """The ``why`` of the event ``lost``: that of the source's error if it has one, else ``otherwise``."""
    return error.why if isinstance(error, FrameError) else otherwise


class _SourceReader:
    """Reads one opened source on a separate thread, so that the game thread never hangs in a driver."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.error: Exception | None = None
        self.ended = False
        self._stop = False
        self._frames: deque[Frame] = deque()
        self._change = threading.Condition()
        self._thread = threading.Thread(target=self._read, name="reader", daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            with self.source as opened:
                # A live source buffers frames itself, and a simulated board waits for its reader.
                ahead = 1 if opened.live else _MAX_READ_AHEAD
                for frame in opened:
                    with self._change:
                        self._change.wait_for(lambda: self._stop or len(self._frames) < ahead)
                        if self._stop:
                            return
                        self._frames.append(frame)
                        self._change.notify_all()
        except Exception as error:
            # Handled on the game thread, which distinguishes faults of a camera from our own.
            self.error = error
        finally:
            with self._change:
                self.ended = True
                self._change.notify_all()

    def take(self, timeout: float) -> Frame | None:
        """The next frame; ``None`` at the end, or if there is none within ``timeout`` seconds."""
        with self._change:
            self._change.wait_for(lambda: self._frames or self.ended, timeout)
            frame = self._frames.popleft() if self._frames else None
            self._change.notify_all()
            return frame

    def stop(self, timeout: float = 1.0) -> None:
        """Stop reading; a source that hangs in its driver is abandoned on its thread."""
        with self._change:
            self._stop = True
            self._change.notify_all()
        # This wakes a source that waits for its next frame.
        self.source.close()
        self._thread.join(timeout)


class Runner:
    """Runs ``session`` on the frames of the sources that ``open_source`` returns, on a separate thread.

    ``first``: a source that is already open. ``must_reopen(events)``: called in every iteration with the
    events just emitted; says whether the source must be reopened (the simulated board, after changes by
    hand). ``on_event``: called on the game thread with every emitted event; ``on_iteration``: called in every
    iteration of the loop, for a watchdog. ``apart``: seconds between two pictures of a live source, on a
    machine too slow for all of them. A file is read once; a live source is reopened whenever it ends.
    """

    def __init__(
        self,
        session: Session,
        open_source: Callable[[], Source],
        *,
        first: Source | None = None,
        must_reopen: Callable[[Sequence[Event]], bool] | None = None,
        on_event: Callable[[Event], None] | None = None,
        back_off: Sequence[float] = REOPEN_DELAYS,
        silence: float = _MAX_SILENCE,
        sleep_meter: SleepMeter | None = None,
        on_iteration: Callable[[], None] | None = None,
        apart: float = 0.0,
    ) -> None:
        self._session = session
        self._open = open_source
        self._first = first
        self._must_reopen = must_reopen or (lambda _: False)
        self._on_event = on_event or (lambda _: None)
        self._back_off = back_off
        self._silence = silence
        self._sleep_meter = sleep_meter or SleepMeter()
        self._on_iteration = on_iteration or (lambda: None)
        self._apart = apart
        self._repeats = Repeats()
        self._stop = threading.Event()
        self._done = threading.Event()
        self.failure: BaseException | None = None
        self.ended = False
        self.reopened = 0
        self._thread = threading.Thread(target=self._run, name="game", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout: float = 2.0) -> None:
        """Stop the game thread; may be called twice and from any thread."""
        self._stop.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(timeout)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the game thread ends, by :meth:`stop` or a :attr:`failure`; return whether it has."""
        return self._done.wait(timeout)

    def _run(self) -> None:
        try:
            self._loop()
        except BaseException as error:
            # Whoever started the runner reports the failure; the traceback is only for debugging.
            log.debug("the game loop has stopped", exc_info=True)
            self.failure = error
        finally:
            self._done.set()

    def _loop(self) -> None:
        tries = 0
        source, self._first = self._first, None
        while not self._stop.is_set():
            if source is None:
                try:
                    source = self._open()
                except OSError as error:
                    self._lost(_reason(error, "unplugged"), str(error))
                    self._attend_for(self._back_off[min(tries, len(self._back_off) - 1)])
                    tries += 1
                    continue
                self._session.new_stream()
                self.reopened += 1
            reader = _SourceReader(source)
            try:
                fresh, why = self._follow(reader)
            finally:
                reader.stop()
            problem, live, name, gone = reader.error, source.live, source.name, source.end_reason
            # Release the old source before the next one opens: a simulated table takes many megabytes.
            del reader
            source = None
            if why == _REOPEN or self._stop.is_set():
                continue
            if problem is not None and not (live and isinstance(problem, OSError)):
                raise problem
            if not live:
                self.ended = True
                self._attend_for(None)
                return
            why = why or _reason(problem, gone)
            self._lost(why, str(problem) if problem else f"{name}: {_LOG_TEXTS.get(why, why)}")
            tries = 0 if fresh else tries
            # After sleep the camera is most likely still there, and need only be reopened.
            if why != "asleep":
                self._attend_for(self._back_off[min(tries, len(self._back_off) - 1)])
                tries += 1

    def _lost(self, why: str, text: str) -> None:
        if why != "frozen":
            # A lost camera may come back with the same picture as before: any picture will do.
            self._repeats = Repeats()
        log.warning("%s", text)
        self._notify(self._session.camera_lost(why))

    def _follow(self, reader: _SourceReader) -> tuple[int, str]:
        """Push frames until the source ends, stalls or freezes.

        Returns the number of new pictures, and why the source was given up: "" if it ended by itself.
        """
        source, fresh, last = reader.source, 0, time.monotonic()
        first: float | None = None
        began = 0.0
        silence = _FIRST_FRAME_TIMEOUT if source.on_demand else self._silence
        while not self._stop.is_set():
            asked = time.monotonic()
            frame = reader.take(_POLL_INTERVAL)
            now = time.monotonic()
            if source.live and (now - asked > _MIN_SUSPENSION or self._sleep_meter.slept() > _MIN_SLEEP):
                return fresh, "asleep"
            if frame is None:
                if reader.ended:
                    return fresh, ""
                if source.live and now - last > (silence if fresh else _FIRST_FRAME_TIMEOUT):
                    return fresh, source.silence_reason
                emitted = self._session.attend()
            else:
                last = now
                if first is None:
                    first, began = now, now - frame.time
                # Timed by when it was taken: it may have waited while another frame was processed.
                same = self._repeated(frame, began + frame.time) if source.live else 0.0
                if not same:
                    fresh += 1
                    emitted = self._session.camera_found() if fresh == 1 else []
                else:
                    emitted = []
                emitted = emitted + self._session.push(frame)
                source.min_interval = max(self._apart, self._session.apart)
                # A source that was just opened may begin with a buffered picture.
                patience = min(source.frozen_after, _STALE_FRAME_TIMEOUT)
                if same > source.frozen_after and now - first > patience:
                    return fresh, "frozen"
            self._notify(emitted)
            self._on_iteration()
            if self._must_reopen(emitted):
                return fresh, _REOPEN
        return fresh, _REOPEN

    def _repeated(self, frame: Frame, now: float) -> float:
        """Seconds for which the camera has given exactly this picture, even if it was reopened meanwhile."""
        # Frames without a picture (those of a test double) cannot be compared.
        return self._repeats.update(frame.picture, now) if frame.picture is not None else 0.0

    def _attend_for(self, seconds: float | None) -> None:
        """Carry out requests for some seconds without frames; ``None``: until stopped."""
        until = None if seconds is None else time.monotonic() + seconds
        while not self._stop.wait(
            _POLL_INTERVAL if until is None else max(0.0, min(_POLL_INTERVAL, until - time.monotonic()))
        ):
            self._notify(self._session.attend())
            self._on_iteration()
            if until is not None and time.monotonic() >= until:
                return

    def _notify(self, events: Sequence[Event]) -> None:
        for event in events:
            self._on_event(event)
