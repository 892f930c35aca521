"""The driver with an emulated light board: each fault of the connection is reported once, and the lights
recover.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import serial
from driver_noise import check_driver
from light_board_fake import GREETING, FakeBoard
from waiting import until

from focus_companion.lights import Lights, LightSettings, SerialSettings, open_lights, ports
from focus_companion.lights.meaning import Cue, Meaning
from focus_companion.lights.protocol import Command, state_data
from focus_companion.lights.serial import SerialBackend
from focus_companion.session import events

RED = Meaning(turn="red", reserves=(1, 2, 3, 4))
GREEN = Meaning(turn="green", wrong=(0, 51), warning=True)


def settings(path: Path, brightness: int = 96, greeting: float = 1.0) -> LightSettings:
    return LightSettings(
        backends=("serial",),
        serial=SerialSettings(str(path), greeting_timeout=greeting),
        brightness=brightness,
    )


@pytest.fixture
def lights(board: FakeBoard, caplog: pytest.LogCaptureFixture) -> Iterator[Lights]:
    caplog.set_level(logging.INFO)
    # A long timeout: on a busy machine, the emulated board may take long to answer.
    opened = open_lights(settings(board.link, 77, greeting=60.0))
    yield opened
    opened.close()


def test_states_are_shown_and_the_board_is_dark_at_the_end(board: FakeBoard, lights: Lights) -> None:
    lights.present(RED, Cue.TURN)
    assert lights.wait(120)
    assert board.shown in (
        state_data(RED, Cue.TURN),
        state_data(RED),
    )  # without sound if it was shown during the greeting
    assert board.brightness == 77
    lights.present(GREEN, Cue.ALERT)
    assert lights.wait(120)
    assert board.shown == state_data(GREEN, Cue.ALERT)
    lights.close()
    lights.close()
    assert board.heard[-1].command == Command.DARK


def test_sound_can_be_turned_off(board: FakeBoard) -> None:
    with open_lights(
        LightSettings(backends=("serial",), sound=False, serial=SerialSettings(str(board.link)))
    ) as lights:
        assert lights.wait(120)
        lights.present(GREEN, Cue.ALERT)
        assert lights.wait(120)
        assert board.shown == state_data(GREEN, Cue.NONE)


def test_an_event_is_shown(board: FakeBoard, lights: Lights) -> None:
    lights.show(events.Alert(1.0, reason="distance", player="red", squares=["c8", "f1"], text="…"), {})
    assert lights.wait(120)
    assert board.shown is not None and board.shown[8:15] == bytes((1, 0, 0, 0, 0, 0, 8))


@pytest.mark.parametrize("deaf", [1, 3])
def test_lost_frames_are_sent_again(
    board: FakeBoard, lights: Lights, deaf: int, caplog: pytest.LogCaptureFixture
) -> None:
    assert lights.wait(120)
    board.deaf_to = deaf
    lights.present(GREEN)
    assert lights.wait(120)
    assert board.shown == state_data(GREEN)
    assert all(record.levelno < logging.WARNING for record in caplog.records)


@pytest.mark.parametrize("instead", [(-1, 0), (0, -1)], ids=["too late", "of another command"])
def test_an_answer_to_another_frame_is_ignored(
    board: FakeBoard, lights: Lights, instead: tuple[int, int]
) -> None:
    assert lights.wait(120)
    board.instead = instead
    board.deaf_to = 1
    lights.present(GREEN)
    assert lights.wait(120)
    assert board.shown == state_data(GREEN)


def test_garbage_before_answers_is_skipped(board: FakeBoard, lights: Lights) -> None:
    board.babble = bytes(range(256)) * 2
    lights.present(GREEN)
    assert lights.wait(120)
    assert board.shown == state_data(GREEN)


def test_wait_includes_the_greeting(board: FakeBoard, lights: Lights) -> None:
    assert lights.wait(120)
    assert board.shown == state_data(Meaning())


def test_heartbeats_are_sent(board: FakeBoard, lights: Lights) -> None:
    assert lights.wait(120)
    before = len(board.heard)
    until(lambda: sum(f.command == Command.PING for f in board.heard[before:]) >= 2)


def test_after_a_restart_the_board_shows_the_state_again(board: FakeBoard, lights: Lights) -> None:
    lights.present(RED)
    assert lights.wait(120)
    board.restart()
    until(lambda: board.shown == state_data(RED))


def test_a_restart_whose_notice_was_lost_is_detected_by_ping(board: FakeBoard, lights: Lights) -> None:
    lights.present(RED)
    assert lights.wait(120)
    board.shown = None
    until(lambda: board.shown == state_data(RED))


def test_unplugging_and_replugging_is_reported(board: FakeBoard, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    # Not in the fixture: caplog has no records from before the test.
    lights = open_lights(settings(board.link, greeting=60.0))
    lights.present(RED)
    assert lights.wait(120)
    returns = []

    def warnings() -> list[str]:
        return [r.message for r in caplog.records if r.levelno == logging.WARNING]

    def in_use() -> int:
        return sum("is in use" in r.message for r in caplog.records)

    for turn in range(3):
        # The board shows its first state a moment before it counts as in use; if unplugged in between, it was
        # never reported as found, and its loss is not reported either.
        until(lambda: in_use() > turn)  # noqa: B023 (called at once)
        board.unplug()
        lights.present(RED if turn % 2 else GREEN, Cue.ALERT)
        until(lambda: len(warnings()) > turn)  # noqa: B023 (called at once)
        board = FakeBoard(board.link)
        plugged = time.monotonic()
        until(lambda: board.shown == state_data(lights.meaning))  # noqa: B023 (called at once)
        returns.append(time.monotonic() - plugged)
    assert min(returns) < 2  # the machine may have been busy during the others
    assert len(warnings()) == 3 and all("gone" in text or "no light board" in text for text in warnings())
    lights.close()
    board.unplug()


def test_a_board_may_be_plugged_in_late(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    with open_lights(settings(tmp_path / "tty")) as lights:
        lights.present(RED)
        until(lambda: caplog.records)
        assert not lights.wait(0)
        assert [r.message.split(";")[0] for r in caplog.records] == [
            f"Lights: there is no light board on {tmp_path / 'tty'}"
        ]
        board = FakeBoard(tmp_path / "tty")
        assert lights.wait(120)
        assert board.shown == state_data(RED)
    board.unplug()


def test_a_frozen_board_never_blocks_the_game(board: FakeBoard, lights: Lights) -> None:
    assert lights.wait(120)
    board.mute = True
    took = []
    for _ in range(500):
        began = time.perf_counter()
        lights.present(RED)
        lights.present(GREEN)
        took.append(time.perf_counter() - began)
    assert sorted(took)[450] < 0.05  # the timeout for an acknowledgement is five times as long
    board.mute = False
    assert lights.wait(120)
    assert board.shown == state_data(GREEN)


def test_closing_does_not_wait_for_a_silent_device(
    board: FakeBoard, caplog: pytest.LogCaptureFixture
) -> None:
    board.mute = True
    lights = open_lights(
        LightSettings(backends=("serial",), serial=SerialSettings(str(board.link), greeting_timeout=30))
    )
    until(lambda: len(board.heard) > 1)
    began = time.monotonic()
    lights.close()
    assert time.monotonic() - began < 20  # not 30, the timeout for a greeting
    assert "left as they are" not in caplog.text


def test_a_port_in_use_is_reported(board: FakeBoard, caplog: pytest.LogCaptureFixture) -> None:
    holder = serial.Serial(str(board.link), exclusive=True)
    with open_lights(settings(board.link)) as lights:
        lights.present(RED)
        until(lambda: "another program uses" in caplog.text)
        holder.close()
        assert lights.wait(120)
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    ("greeting", "said"),
    [(b"ok", "is not our light board"), (b"\x02" + GREETING[1:], "speaks version 2")],
)
def test_another_device_is_reported(
    board: FakeBoard, greeting: bytes, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    board.greeting = greeting
    with open_lights(settings(board.link)) as lights:
        until(lambda: said in caplog.text)
        assert not lights.wait(0.1)
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    ("name", "what"), [("file", "a serial port"), ("", "a usable serial port (Is a directory)")]
)
def test_what_is_not_a_port_is_reported_in_words(
    tmp_path: Path, name: str, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("x")
    path = tmp_path / name
    with open_lights(settings(path)):
        until(lambda: "serial port" in caplog.text)
    said = f"Lights: {path} is not {what}: name the light board's in lights.serial.port; the game goes on"
    assert [record.getMessage().partition(", and")[0] for record in caplog.records] == [said]


def test_a_single_press_is_reported_once(board: FakeBoard) -> None:
    pressed: list[float] = []
    with open_lights(settings(board.link), on_button=lambda: pressed.append(time.monotonic())) as lights:
        until(lambda: any(frame.command == Command.PING for frame in board.heard))
        assert lights.wait(120)
        for count in (1, 2):
            board.press()
            until(lambda: len(pressed) == count)  # noqa: B023 (called at once)
        # A PING reports the same count again; by the third its answer has arrived.
        heard = len(board.heard)
        until(lambda: sum(frame.command == Command.PING for frame in board.heard[heard:]) >= 3)
    assert len(pressed) == 2


class Sockets:
    """A folder in place of the system's serial ports, with a file for each plugged-in device."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        monkeypatch.setattr(ports, "candidates", self.taken)

    def taken(self) -> tuple[str, ...]:
        return tuple(sorted(map(str, self.folder.glob("tty*"))))


@pytest.fixture
def sockets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sockets:
    return Sockets(tmp_path, monkeypatch)


def test_without_devices_nothing_is_reported(sockets: Sockets, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with open_lights(LightSettings()) as lights:
        assert lights.wait(120) and lights.names == ("serial",)
        assert len(caplog.records) == 1 and "no light board is plugged in" in caplog.text
    assert len(caplog.records) == 1
    caplog.clear()
    assert open_lights(LightSettings(), awaited=False).names == () and len(caplog.records) == 1
    caplog.clear()
    assert open_lights(LightSettings(backends=("none",))).names == () and not caplog.records


def test_a_board_is_found(board: FakeBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "candidates", lambda: ("/dev/null/none", str(board.link)))
    with open_lights(LightSettings()) as lights:
        lights.present(RED)
        assert lights.wait(120)
    assert board.heard


def test_plugged_in_while_the_game_runs(sockets: Sockets, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with open_lights(LightSettings()) as lights:
        lights.present(RED)
        assert lights.wait(120)  # no board is expected
        board = FakeBoard(sockets.folder / "ttyACM0")
        until(lambda: "is in use" in caplog.text)
        assert board.shown == state_data(RED)
    assert [r.levelname for r in caplog.records] == ["INFO", "INFO"]
    board.unplug()


def test_a_board_is_found_again_under_another_name(
    sockets: Sockets, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    board = FakeBoard(sockets.folder / "ttyUSB0")
    with open_lights(LightSettings()) as lights:
        for number in range(1, 4):
            lights.present(RED if number % 2 else GREEN)
            assert lights.wait(120)
            assert board.shown == state_data(lights.meaning)
            board.unplug()
            until(lambda: not lights.wait(0))
            board = FakeBoard(sockets.folder / f"ttyUSB{number}")
        assert lights.wait(120)
        assert board.shown == state_data(RED)
    said = [record.message for record in caplog.records]
    assert ["is gone" in text or "no light board is plugged in" in text for text in said] == [
        False,
        True,
    ] * 3 + [False]
    assert [f"ttyUSB{n // 2} is in use" in said[n] for n in (0, 2, 4, 6)] == [True] * 4
    board.unplug()


@pytest.mark.parametrize("mute", [True, False], ids=["silent", "of another make"])
def test_an_unknown_device_is_opened_once(
    sockets: Sockets, mute: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Opening a port may reset a printer at work, so it is not reopened until it is plugged in again."""
    caplog.set_level(logging.INFO)
    stranger = FakeBoard(sockets.folder / "ttyUSB0", greeting=b"ok")
    stranger.mute = mute
    with open_lights(LightSettings(serial=SerialSettings(greeting_timeout=2.0))) as lights:
        until(lambda: "is left alone" in caplog.text)
        asked = len(stranger.heard)
        board = FakeBoard(sockets.folder / "ttyUSB1")
        lights.present(RED)
        until(lambda: "is in use" in caplog.text)  # logged once the board has acknowledged what it shows
        assert board.shown == state_data(RED)
        board.unplug()
        until(lambda: not lights.wait(0))
        board = FakeBoard(sockets.folder / "ttyUSB2")
        assert lights.wait(120)
        assert len(stranger.heard) == asked
        levels = [record.levelname for record in caplog.records]
        assert levels == ["WARNING", "INFO", "WARNING", "INFO"]
    board.unplug()
    stranger.unplug()


def test_a_board_may_replace_an_unknown_device(sockets: Sockets, caplog: pytest.LogCaptureFixture) -> None:
    stranger = FakeBoard(sockets.folder / "ttyUSB0", greeting=b"ok")
    backend = SerialBackend(SerialSettings())

    def look() -> None:
        backend._retry_at = 0.0
        backend.tick()

    backend.present(RED, Cue.NONE)
    for _ in range(3):
        look()
    assert sum(frame.command == Command.HELLO for frame in stranger.heard) == 1
    stranger.unplug()
    look()
    board = FakeBoard(sockets.folder / "ttyUSB0")
    look()
    assert board.shown == state_data(RED)
    backend.close()
    board.unplug()


def test_a_port_of_other_lights_is_left_alone(sockets: Sockets) -> None:
    strip = FakeBoard(sockets.folder / "ttyUSB0")
    (sockets.folder / "strip").symlink_to(strip.link.resolve())
    board = FakeBoard(sockets.folder / "ttyUSB1")
    backend = SerialBackend(SerialSettings(), taken=str(sockets.folder / "strip"))
    backend.present(RED, Cue.NONE)
    backend.tick()
    assert backend.settled() and board.shown == state_data(RED) and not strip.heard
    backend.close()
    board.unplug()
    strip.unplug()


def test_noise_from_the_device(tmp_path: Path) -> None:
    check_driver(tmp_path, 400)


def test_a_device_that_never_stops_sending(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Reported, and released at once when the game ends."""
    board = FakeBoard(tmp_path / "tty", greeting=b"")
    stop = threading.Event()

    def babble() -> None:
        while not stop.is_set():
            with suppress(OSError):  # full, because the driver no longer reads
                os.write(board._master, os.urandom(512))
            time.sleep(0.001)

    os.set_blocking(board._master, False)
    board.mute = True
    babbler = threading.Thread(target=babble)
    babbler.start()
    try:
        lights = open_lights(settings(board.link))
        lights.present(RED)
        until(lambda: "does not answer" in caplog.text)
        lights.close()
        assert "left as they are" not in caplog.text
    finally:
        stop.set()
        babbler.join()
        board.unplug()
