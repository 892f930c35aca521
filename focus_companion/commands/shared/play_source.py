"""The frame source of ``play``: the requested one, else the first camera that works, else the simulation."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from focus_companion.commands.shared.setting_places import errors_name
from focus_companion.session.events import Begins, Corrected, Event, GameBegan, Moved, Paused, TakenBack
from focus_companion.session.runner import REOPEN_DELAYS
from focus_companion.settings import Settings
from focus_companion.vision.capture.frames import CAMERA_SIZE, FrameError
from focus_companion.vision.capture.phone import NAME as PHONE
from focus_companion.vision.capture.phone import PhoneCamera
from focus_companion.vision.capture.sources import open_source

if TYPE_CHECKING:
    from focus_companion.game.moves import Move
    from focus_companion.game.position import Position
    from focus_companion.session.history import History
    from focus_companion.session.session import Session
    from focus_companion.simulator.board_view import BoardView
    from focus_companion.vision.capture.frames import Source

DEMO: Final = "demo"

STUCK_TIMEOUT: Final = 30.0
"""Seconds without a turn after which the simulated board is set up again in the game's position."""

_FIRST_PICTURE_TIMEOUT: Final = 4.0
"""Seconds within which a camera that works gives a picture."""


class Chosen:
    """The source in use. ``text`` names it on the terminal; ``first`` is open already."""

    is_demo = False
    stands_in = False
    """Whether it is the demo, used because there is no camera."""
    phone: PhoneCamera | None = None
    """Where to hand in pictures, if they come from a phone."""
    back_off: Sequence[float] = REOPEN_DELAYS
    """Seconds before each attempt to reopen it, for the runner."""

    def __init__(
        self, settings: Settings, text: str, first: Source, size: tuple[int, int] = CAMERA_SIZE
    ) -> None:
        self.text = text
        self.first: Source | None = first
        # A camera may get a different number after a replug.
        self._source = stable_name(settings.camera or text)
        self._fps, self._size = settings.fps, size

    def open(self) -> Source:
        """Open it again. Raises :class:`FrameError`."""
        return opened(self._source, self._fps, self._size)

    def follow(self, session: Session) -> None:
        """Receive the session that the pictures are for."""

    def must_reopen(self, emitted: Sequence[Event]) -> bool:
        """Whether the source must be reopened because of the latest events."""
        return False


class Phone(Chosen):
    """Pictures sent by a phone. It is waited for rather than opened, so retries need no delay."""

    back_off = (0.3,)

    def __init__(self) -> None:
        self.text = PHONE
        self.phone = PhoneCamera()
        self.first = None

    def open(self) -> Source:
        assert self.phone is not None
        return self.phone.open()


class Demo(Chosen):
    """The simulated board, which always shows the game's position."""

    is_demo = True

    def __init__(self, text: str, *, stands_in: bool = False) -> None:
        self.text, self.stands_in = text, stands_in
        self.first = None
        self._session: Session | None = None
        self._view: BoardView | None = None
        self._moved = time.monotonic()
        self._unseen = False

    def follow(self, session: Session) -> None:
        self._session = session

    def open(self) -> Source:
        from focus_companion.simulator.demo import DemoSource

        if self._session is None:
            raise RuntimeError("the simulated board was opened before its session was known")
        self._moved = time.monotonic()
        *earlier, position = self._session.history.positions
        source = DemoSource(
            rules=self._session.rules, position=position, view=self._view,
            earlier=[before.stacks for before in earlier], orders=SessionOrders(self._session),
        )  # fmt: skip
        self._view = source.view
        return source

    def must_reopen(self, emitted: Sequence[Event]) -> bool:
        now = time.monotonic()
        if self._session is not None and self._session.waits_for_journal:
            # The simulated players play on, unseen.
            self._moved, self._unseen = now, True
            return False
        if self._unseen:
            self._unseen = False
            return True
        if any(isinstance(event, Moved) for event in emitted):
            self._moved = now
        # Changes made on the page (the simulated players never take back, correct, or change who begins) must
        # be made on the board, too.
        from_page = any(
            isinstance(event, GameBegan | Begins | TakenBack | Corrected)
            or (isinstance(event, Paused) and not event.paused)
            for event in emitted
        )
        history = self._session.history if self._session is not None else None
        if history is not None and (history.paused or _waits_for_reply(history)):
            self._moved = now
        return from_page or now - self._moved > STUCK_TIMEOUT


class SessionOrders:
    """Tells the simulated table which turn the session requests of it; called on the camera's thread."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def awaited(self, position: Position) -> bool:
        # Even while the last turn still has to be seen, it is known who plays for whom.
        return position.to_move in self._session.history.played_by

    def asked(self, position: Position) -> Move | None:
        history = self._session.history
        return history.asked.turn if history.position == position else None


def _waits_for_reply(history: History) -> bool:
    """Whether the table must wait until a player who is not at the table has chosen a turn."""
    return history.position.to_move in history.played_by and history.reply is None


def choose_source(
    settings: Settings,
    devices: Callable[[], Sequence[str]] | None = None,
    *,
    picked: str | None = None,
    size: tuple[int, int] = CAMERA_SIZE,
) -> Chosen:
    """The source that the settings ask for or, if they ask for none, the one ``picked`` on the page.

    ``size``: width and height in pixels to request from a camera of this machine.

    Raises:
        FrameError: the source picked on the page does not open.
        BadInput: that of the settings does not.
    """
    if picked == DEMO:
        return Demo("demo (the simulated board, until a camera is chosen)", stands_in=True)
    if picked is not None:
        settings = replace(settings, camera=picked)
    if settings.camera == DEMO:
        return Demo("demo (the simulated board)")
    if settings.camera == PHONE:
        return Phone()
    if settings.camera is not None:
        with errors_name(settings, "camera") if picked is None else nullcontext():
            return Chosen(settings, settings.camera, opened(settings.camera, settings.fps, size), size)
    for device in (devices or cameras)():
        if works(device):
            return Chosen(settings, device, opened(device, settings.fps, size), size)
    return Demo("demo (the simulated board; no camera works here)", stands_in=True)


def opened(text: str, fps: float = 15.0, size: tuple[int, int] = CAMERA_SIZE) -> Source:
    """The source that ``text`` names, files at their recorded speed. Raises :class:`FrameError`."""
    return open_source(text, fps=fps, paced=True, size=size)


def stable_name(text: str) -> str:
    """For a camera of this machine, the path that still names it after a replug; else ``text``."""
    if not (text.isdigit() or text.startswith("/dev/")):
        return text
    from focus_companion.vision.capture.v4l2 import stable_path

    return stable_path(text)


def cameras() -> list[str]:
    """The camera devices of this machine, by number."""
    found = [path for path in Path("/dev").glob("video*") if path.name[5:].isdigit()]
    return [str(path) for path in sorted(found, key=lambda path: int(path.name[5:]))]


def works(device: str) -> bool:
    """Whether a camera opens and soon gives a picture; many devices are not cameras (encoders, metadata)."""
    got = threading.Event()

    def look() -> None:
        try:
            with opened(device) as source:
                for _ in source:
                    got.set()
                    return
        except FrameError:
            return  # it does not work

    thread = threading.Thread(target=look, name="camera try", daemon=True)
    thread.start()
    thread.join(_FIRST_PICTURE_TIMEOUT)
    return got.is_set()
