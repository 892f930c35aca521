"""Which pictures ``play`` plays on: those asked for, else of the first camera that works, else simulated."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from focus_companion.session.events import Begins, Corrected, Event, GameBegan, Moved, Paused, TakenBack
from focus_companion.session.runner import BACK_OFF
from focus_companion.settings import Settings
from focus_companion.vision.capture.frames import FrameError
from focus_companion.vision.capture.phone import NAME as PHONE
from focus_companion.vision.capture.phone import PhoneCamera
from focus_companion.vision.capture.sources import open_source

if TYPE_CHECKING:
    from focus_companion.game.moves import Move
    from focus_companion.game.position import Position
    from focus_companion.session.history import History
    from focus_companion.session.session import Session
    from focus_companion.simulator.board_view import BoardView
    from focus_companion.vision.capture.frames import FrameSource

DEMO: Final = "demo"

STUCK: Final = 30.0
"""Seconds without a turn after which the simulated board is set up anew where the game stands."""

_FIRST_PICTURE: Final = 4.0


class Chosen:
    """The source in use. ``text`` says which, for the terminal; ``first`` is open already."""

    is_demo = False
    phone: PhoneCamera | None = None
    """Where pictures are to be handed in, if they come from a phone."""
    back_off: Sequence[float] = BACK_OFF
    """Seconds before each try to open it again, as the runner takes them."""

    def __init__(self, settings: Settings, text: str, first: FrameSource) -> None:
        self.text = text
        self.first: FrameSource | None = first
        # Its number may be another one after it was plugged in anew.
        self._source = lasting(settings.camera or text)
        self._fps = settings.fps

    def open(self) -> FrameSource:
        """Open it again. Raises :class:`FrameError`."""
        return opened(self._source, self._fps)

    def follow(self, session: Session) -> None:
        """Told which session the pictures are for."""

    def anew(self, told: Sequence[Event]) -> bool:
        """Whether the source has to be opened anew because of what was told just now."""
        return False


class Phone(Chosen):
    """The pictures that a phone sends to us. It is not opened but waited for, so it never has to be late."""

    back_off = (0.3,)

    def __init__(self) -> None:
        self.text = PHONE
        self.phone = PhoneCamera()
        self.first = None

    def open(self) -> FrameSource:
        assert self.phone is not None
        return self.phone.open()


class Demo(Chosen):
    """The simulated board, which always stands as the game does."""

    is_demo = True

    def __init__(self, text: str) -> None:
        self.text = text
        self.first = None
        self._session: Session | None = None
        self._view: BoardView | None = None
        self._moved = time.monotonic()

    def follow(self, session: Session) -> None:
        self._session = session

    def open(self) -> FrameSource:
        from focus_companion.simulator.demo import DemoSource

        if self._session is None:
            raise RuntimeError("the simulated board was opened before its session was known")
        self._moved = time.monotonic()
        *earlier, position = self._session.history.positions
        source = DemoSource(
            rules=self._session.rules, position=position, view=self._view,
            earlier=[before.stacks for before in earlier], orders=Orders(self._session),
        )  # fmt: skip
        self._view = source.view
        return source

    def anew(self, told: Sequence[Event]) -> bool:
        now = time.monotonic()
        if any(isinstance(event, Moved) for event in told):
            self._moved = now
        # What was done on the page (nothing else takes back or corrects, nor has another player begin on this
        # board) has to be done on the board too.
        by_hand = any(
            isinstance(event, GameBegan | Begins | TakenBack | Corrected)
            or (isinstance(event, Paused) and not event.paused)
            for event in told
        )
        history = self._session.history if self._session is not None else None
        if history is not None and (history.paused or _waits_for_reply(history)):
            self._moved = now
        return by_hand or now - self._moved > STUCK


class Orders:
    """What is asked of the simulated table, as the session has it now; asked from the camera's thread."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def awaited(self, position: Position) -> bool:
        # While the last turn is still to be seen, who plays for whom holds all the same.
        return position.to_move in self._session.history.played_by

    def asked(self, position: Position) -> Move | None:
        history = self._session.history
        return history.asked.turn if history.position == position else None


def _waits_for_reply(history: History) -> bool:
    """Whether the table can do nothing before somebody without hands has chosen a turn."""
    return history.position.to_move in history.played_by and history.reply is None


def choose_source(settings: Settings, devices: Callable[[], Sequence[str]] | None = None) -> Chosen:
    """The source that the settings ask for.

    Raises:
        FrameError: the one asked for does not open.
    """
    if settings.camera == DEMO:
        return Demo("demo (the simulated board)")
    if settings.camera == PHONE:
        return Phone()
    if settings.camera is not None:
        return Chosen(settings, settings.camera, opened(settings.camera, settings.fps))
    for device in (devices or cameras)():
        if works(device):
            return Chosen(settings, device, opened(device, settings.fps))
    return Demo("demo (the simulated board; no camera works here)")


def opened(text: str, fps: float = 15.0) -> FrameSource:
    """The source that ``text`` names, files at their own speed. Raises :class:`FrameError`."""
    return cast("FrameSource", open_source(text, fps=fps, paced=True))


def lasting(text: str) -> str:
    """For a camera of this machine, the path that still names it after a replug; else ``text``."""
    if not (text.isdigit() or text.startswith("/dev/")):
        return text
    from focus_companion.vision.capture.v4l2 import stable_path

    return stable_path(text)


def cameras() -> list[str]:
    """The camera devices of this machine, in order of their numbers."""
    found = [path for path in Path("/dev").glob("video*") if path.name[5:].isdigit()]
    return [str(path) for path in sorted(found, key=lambda path: int(path.name[5:]))]


def works(device: str) -> bool:
    """Whether a camera opens and gives a picture soon; many devices are none (encoders, metadata)."""
    got = threading.Event()

    def look() -> None:
        try:
            with opened(device) as source:
                for _ in source:
                    got.set()
                    return
        except FrameError:
            # That is the answer: it does not work.
            return

    thread = threading.Thread(target=look, name="camera try", daemon=True)
    thread.start()
    thread.join(_FIRST_PICTURE)
    return got.is_set()
