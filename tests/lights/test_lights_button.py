"""The button at the table, from its contact to its effect on the game."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from gpiozero import Device
from gpiozero.pins.mock import MockFactory, MockPWMPin
from light_board_fake import FakeBoard
from waiting import until

from focus_companion.commands.shared.listeners import table_lights
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.referee.verdict import StartSeen, Verdict, Wrong
from focus_companion.session.requests import Pause, RequestRefused
from focus_companion.session.session import Session
from focus_companion.settings import Settings
from focus_companion.vision.capture.frames import Frame


class Illegal:
    """A pipeline that sees the start position, then an illegal act that is never corrected."""

    camera_state = "ok"
    at_rest = any_shades = False
    lifted = None

    def __init__(self) -> None:
        self.hurried = 0

    def push(self, frame: Frame, history: Sequence[Position], asked: Any = None) -> Sequence[Verdict]:
        wrong = Wrong("distance", "g", (7,), "Put it back.")
        return {0: [StartSeen()], 1: [wrong]}.get(frame.index, ())

    def hurry(self, until: float) -> None:
        self.hurried += 1

    def vouch(self) -> None:
        return None

    def mount(self) -> None:
        return None

    def place(self, corners: Any, *, believed: bool = True) -> None:
        raise AssertionError("nobody places the board")

    def corners(self) -> None:
        return None

    def pieces(self) -> dict[str, dict[str, str]]:
        return {}

    def read(self, frame: Any, standing: Any) -> Sequence[Any]:
        return ()

    def read_again(self) -> None:
        return None

    def overlay(self, image: Any, stacks: Sequence[str]) -> Any:
        return image


@contextmanager
def table(lights: Mapping[str, Any], spoken: Any = None) -> Iterator[tuple[Session, Illegal]]:
    """A game with these lights, at ten pictures per second, whose alert is 3 s old."""
    sight = Illegal()
    session = Session(Rules.make(2), {}, None, sight)
    with ExitStack() as closing:
        show = table_lights(Settings(data=Path("/nowhere"), lights=lights), session, closing, spoken)
        for index in range(32):
            for event in session.push(Frame(index, index / 10, None)):  # type: ignore[arg-type]
                show(event)
        assert session.state()["alert"]
        yield session, sight


def dismissed(session: Session) -> Callable[[], bool]:
    def done() -> bool:
        session.attend()
        return session.state()["alert"] is None

    return done


def test_the_light_boards_button_dismisses_an_alert(board: FakeBoard) -> None:
    with table({"backends": ["serial"], "serial": {"port": str(board.link)}}) as (session, sight):
        until(lambda: board.shown is not None and board.shown[2] & 1)  # the warning light
        board.press()
        until(dismissed(session))
        assert sight.hurried == 1


def test_a_button_on_pins_dismisses_an_alert() -> None:
    before = Device.pin_factory
    Device.pin_factory = MockFactory(pin_class=MockPWMPin)
    try:
        with table({"backends": ["gpio"], "gpio": {"button": 26}}) as (session, sight):
            Device.pin_factory.pin(26).drive_low()
            until(dismissed(session))
            assert sight.hurried == 1
    finally:
        Device.pin_factory.reset()
        Device.pin_factory = before


def test_an_unavailable_button_is_reported_and_nothing_breaks(
    board: FakeBoard, caplog: pytest.LogCaptureFixture
) -> None:
    """The game loop hangs and its queue is full, but the lights continue."""
    with table({"backends": ["serial"], "serial": {"port": str(board.link)}}) as (session, _):
        until(lambda: board.shown is not None)
        with pytest.raises(RequestRefused):
            while True:
                session.submit(Pause())
        board.press()
        until(lambda: "the button was refused" in caplog.text)
        session.attend()
        board.press()
        until(lambda: session.attend() and not session.history.paused)


class Spoken:
    """Stands in for the loudspeaker and records what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def ask(self, about: str) -> None:
        self.asked.append(about)

    def stop(self) -> bool:
        return False


def test_with_a_loudspeaker_the_light_boards_button_asks(board: FakeBoard) -> None:
    spoken = Spoken()
    with table({"backends": ["serial"], "serial": {"port": str(board.link)}}, spoken) as (session, sight):
        until(lambda: board.shown is not None)
        board.press()
        board.press()
        until(lambda: spoken.asked == ["repeat"])
        assert session.state()["alert"] and sight.hurried == 0, (
            "who asks again has not said that it is settled"
        )
        board.press()
        until(dismissed(session))
        until(lambda: spoken.asked == ["repeat", "turn"])
        assert sight.hurried == 1


def test_with_a_loudspeaker_a_button_on_pins_distinguishes_a_long_press() -> None:
    spoken = Spoken()
    before = Device.pin_factory
    Device.pin_factory = MockFactory(pin_class=MockPWMPin)
    try:
        with table({"backends": ["gpio"], "gpio": {"button": 26}}, spoken) as (session, _):
            pin = Device.pin_factory.pin(26)
            pin.drive_low()
            until(lambda: spoken.asked == ["standing"])
            pin.drive_high()
            time.sleep(1.0)
            assert spoken.asked == ["standing"] and session.state()["alert"], (
                "a long press is not a short one"
            )
            pin.drive_low()
            pin.drive_high()
            until(lambda: spoken.asked == ["standing", "turn"])
            until(dismissed(session))
    finally:
        Device.pin_factory.reset()
        Device.pin_factory = before
