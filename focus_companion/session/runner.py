"""The game thread: reads the source, pushes its frames, and opens a camera again that is gone."""

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
    from ..vision.capture.frames import Frame, FrameSource

log = logging.getLogger(__name__)

BACK_OFF: Final[Sequence[float]] = (1.0, 2.0, 5.0, 10.0)
"""Seconds before each try to open a lost camera again; the last one repeats."""

SILENCE: Final = 3.0
"""Seconds without a frame after which a live source counts as lost."""

FIRST: Final = 60.0
"""Seconds until the first frame of a source: cameras warm up, streams are probed, boards are painted."""

_TURN: Final = 0.2
"""Most seconds between two looks at what has been asked for."""

_STOPPED: Final = 5.0
"""Seconds by which a wait of a turn may last too long; longer, and the whole program stood still (stopped, or
a frozen virtual machine): what waits in the camera is old.
"""

_SLEPT: Final = 2.0
"""Seconds of the computer's sleep after which the camera is opened anew."""

_STORED: Final = 2.0
"""Seconds that a camera opened anew has to show something else than the picture that it was frozen in."""

_ANEW: Final = "anew"
"""The source is to be opened anew at once, which is no loss; or the runner is being stopped."""

_IN_WORDS: Final[Mapping[str, str]] = {
    "unplugged": "the camera is gone; is it plugged in?",
    "ended": "the stream has ended; it is asked for again",
    "stalled": "no picture comes any more; it is opened again",
    "frozen": "always the same picture, bit for bit; it is opened again",
    "phone": "no picture comes from the phone; it is waited for",
    "damaged": "none of its pictures arrives whole; it is opened again",
    "asleep": "the computer slept or stood still; the camera is opened again",
}
"""For the log; the page has sentences of its own."""

_AHEAD: Final = 4
"""Frames of a file that are read ahead."""


class Awake:
    """Tells how long the computer has slept: by a clock that goes on in its sleep and one that does not."""

    def __init__(
        self,
        always: Callable[[], float] | None = None,
        awake: Callable[[], float] = time.monotonic,
    ) -> None:
        self._always = always or _boot_time
        self._awake = awake
        self._apart = self._always() - self._awake()

    def slept(self) -> float:
        """Seconds slept since the last question."""
        apart = self._always() - self._awake()
        slept, self._apart = apart - self._apart, apart
        return slept


def _boot_time() -> float:
    # Only Linux has the clock that counts sleep; elsewhere a sleep shows as a stall.
    return time.clock_gettime(time.CLOCK_BOOTTIME) if sys.platform == "linux" else time.monotonic()


def _reason(error: Exception | None, otherwise: str) -> str:
    """The event ``lost``'s ``why``: the source's own word for its fault, if it has one."""
    return error.why if isinstance(error, FrameError) else otherwise


class _SourceReader:
    """Reads one opened source on a thread of its own, so that the game thread never hangs in a camera."""

    def __init__(self, source: FrameSource) -> None:
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
                # A live source keeps by itself what a busy reader needs, and a simulated board waits for it.
                ahead = 1 if opened.live else _AHEAD
                for frame in opened:
                    with self._change:
                        self._change.wait_for(lambda: self._stop or len(self._frames) < ahead)
                        if self._stop:
                            return
                        self._frames.append(frame)
                        self._change.notify_all()
        except Exception as error:
            # Handed to the game thread, which tells what is wrong with a camera from what is wrong with us.
            self.error = error
        finally:
            with self._change:
                self.ended = True
                self._change.notify_all()

    def take(self, timeout: float) -> Frame | None:
        """The next frame, or ``None`` if there is none within ``timeout`` seconds or at the end."""
        with self._change:
            self._change.wait_for(lambda: self._frames or self.ended, timeout)
            frame = self._frames.popleft() if self._frames else None
            self._change.notify_all()
            return frame

    def stop(self, timeout: float = 1.0) -> None:
        """End the reading; a source that hangs in its camera is left behind on its own thread."""
        with self._change:
            self._stop = True
            self._change.notify_all()
        # Wakes a source that waits for its next frame.
        self.source.close()
        self._thread.join(timeout)


class Runner:
    """Runs ``session`` on the frames of the sources that ``open_source`` gives, on a thread of its own.

    ``first``: a source that is open already. ``anew(told)``: asked at every turn with what was told just now,
    whether the source is to be opened anew (the simulated board, which has to follow). ``heard``: called on
    the game thread with every told event; ``turned``: at every turn of its loop, which hangs without it.
    ``apart``: seconds between two pictures of a live source, if the machine is too slow for all. A file ends
    when it is read; a live source is opened again and again.
    """

    def __init__(
        self,
        session: Session,
        open_source: Callable[[], FrameSource],
        *,
        first: FrameSource | None = None,
        anew: Callable[[Sequence[Event]], bool] | None = None,
        heard: Callable[[Event], None] | None = None,
        back_off: Sequence[float] = BACK_OFF,
        silence: float = SILENCE,
        awake: Awake | None = None,
        turned: Callable[[], None] | None = None,
        apart: float = 0.0,
    ) -> None:
        self._session = session
        self._open = open_source
        self._first = first
        self._anew = anew or (lambda _: False)
        self._heard = heard or (lambda _: None)
        self._back_off = back_off
        self._silence = silence
        self._awake = awake or Awake()
        self._turned = turned or (lambda: None)
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
        """End the game thread; may be called twice and from any thread."""
        self._stop.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(timeout)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end: of :meth:`stop`, or of a :attr:`failure`. Returns whether it has come."""
        return self._done.wait(timeout)

    def _run(self) -> None:
        try:
            self._loop()
        except BaseException as error:
            # Whoever started us tells it; where it arose is for those who look for it.
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
                    self._idle(self._back_off[min(tries, len(self._back_off) - 1)])
                    tries += 1
                    continue
                self._session.new_stream()
                self.reopened += 1
            reader = _SourceReader(source)
            try:
                fresh, why = self._follow(reader)
            finally:
                reader.stop()
            problem, live, name, gone = reader.error, source.live, source.name, source.gone
            # Let go of the old source before the next one opens: a simulated table is many megabytes.
            del reader
            source = None
            if why == _ANEW or self._stop.is_set():
                continue
            if problem is not None and not (live and isinstance(problem, OSError)):
                raise problem
            if not live:
                self.ended = True
                self._idle(None)
                return
            why = why or _reason(problem, gone)
            self._lost(why, str(problem) if problem else f"{name}: {_IN_WORDS.get(why, why)}")
            tries = 0 if fresh else tries
            # After a sleep the camera is there most likely; it only has to be opened anew.
            if why != "asleep":
                self._idle(self._back_off[min(tries, len(self._back_off) - 1)])
                tries += 1

    def _lost(self, why: str, text: str) -> None:
        if why != "frozen":
            # One that was away may come back with the picture that it went with: that it gives any is news.
            self._repeats = Repeats()
        log.warning("%s", text)
        self._tell(self._session.camera_lost(why))

    def _follow(self, reader: _SourceReader) -> tuple[int, str]:
        """Push frames until the source ends, falls silent or freezes.

        Returns how many new pictures came, and why it is given up: "" where the source ended by itself.
        """
        source, fresh, last = reader.source, 0, time.monotonic()
        first: float | None = None
        silence = FIRST if source.waits else self._silence
        while not self._stop.is_set():
            asked = time.monotonic()
            frame = reader.take(_TURN)
            now = time.monotonic()
            if source.live and (now - asked > _STOPPED or self._awake.slept() > _SLEPT):
                return fresh, "asleep"
            if frame is None:
                if reader.ended:
                    return fresh, ""
                if source.live and now - last > (silence if fresh else FIRST):
                    return fresh, source.silent
                told = self._session.attend()
            else:
                last = now
                first = now if first is None else first
                same = self._repeated(frame, now) if source.live else 0.0
                if not same:
                    fresh += 1
                    told = self._session.camera_found() if fresh == 1 else []
                else:
                    told = []
                told = told + self._session.push(frame)
                source.apart = max(self._apart, self._session.apart)
                # One just opened may begin with a picture that it had in store.
                if same > source.frozen_after and now - first > min(source.frozen_after, _STORED):
                    return fresh, "frozen"
            self._tell(told)
            self._turned()
            if self._anew(told):
                return fresh, _ANEW
        return fresh, _ANEW

    def _repeated(self, frame: Frame, now: float) -> float:
        """Seconds for which the camera has given this very picture, across being opened anew."""
        # Sources of other kinds of frames (a script's) have nothing to compare.
        return self._repeats.update(frame.picture, now) if frame.picture is not None else 0.0

    def _idle(self, seconds: float | None) -> None:
        """Go on doing what is asked for while there are no frames; ``None``: until stopped."""
        until = None if seconds is None else time.monotonic() + seconds
        while not self._stop.wait(_TURN if until is None else max(0.0, min(_TURN, until - time.monotonic()))):
            self._tell(self._session.attend())
            self._turned()
            if until is not None and time.monotonic() >= until:
                return

    def _tell(self, events: Sequence[Event]) -> None:
        for event in events:
            self._heard(event)
