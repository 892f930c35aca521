"""Live cameras of every kind: a busy reader misses nothing and catches up; invalid sources are refused."""

from __future__ import annotations

import base64
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from phones import Clock, http_server, jpeg, mjpeg, number_of, numbered, rtsp_server, send

from focus_companion.vision.capture import v4l2
from focus_companion.vision.capture.frames import FrameError
from focus_companion.vision.capture.live import Live
from focus_companion.vision.capture.network import MotionJpeg, Snapshots
from focus_companion.vision.capture.sources import open_source

FPS = 25.0


class Driver:
    """A Video4Linux camera, with OpenCV's interface, which gives the newest picture and keeps no queue."""

    def __init__(self, clock: Clock) -> None:
        self.clock, self.last = clock, -1

    def isOpened(self) -> bool:
        return True

    def set(self, _key: int, _value: float) -> bool:
        return False

    def get(self, _key: int) -> float:
        return -1.0

    def read(self) -> tuple[bool, Any]:
        self.last = max(self.last + 1, self.clock.number)
        self.clock.wait(self.last)
        return True, numbered(self.last)

    def release(self) -> None:
        return


class PiRequest:
    def __init__(self, driver: Driver) -> None:
        _, self._image = driver.read()

    def make_array(self, name: str) -> Any:
        assert name == "main"
        return self._image

    def get_metadata(self) -> dict[str, Any]:
        return {}

    def release(self) -> None:
        return


def pi_library(clock: Clock) -> ModuleType:
    """A stand-in for the parts of the library picamera2 that are used."""

    class Picamera2:
        camera_controls: dict[str, Any] = {}  # noqa: RUF012 - the library has it so

        def __init__(self, number: int) -> None:
            if number:
                raise IndexError("list index out of range")
            self._driver, self._running = Driver(clock), False

        def create_video_configuration(self, **wanted: Any) -> dict[str, Any]:
            assert wanted["main"]["format"] == "RGB888" and wanted["queue"] is False
            return wanted

        def configure(self, configuration: dict[str, Any]) -> None:
            return

        def start(self) -> None:
            self._running = True

        def set_controls(self, values: dict[str, Any]) -> None:
            assert not values

        def capture_request(self) -> PiRequest:
            assert self._running
            return PiRequest(self._driver)

        def stop(self) -> None:
            self._running = False

        def close(self) -> None:
            assert not self._running

    library = ModuleType("picamera2")
    library.Picamera2 = Picamera2  # type: ignore[attr-defined]
    return library


@contextmanager
def device(clock: Clock) -> Iterator[Any]:
    yield v4l2.open_camera("0", lambda path: Driver(clock))


@contextmanager
def pi(clock: Clock) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "picamera2", pi_library(clock))
        yield open_source("picamera2:0")


@contextmanager
def phone(clock: Clock, **how: Any) -> Iterator[Any]:
    with http_server(mjpeg(clock, **how)) as address:
        yield open_source(f"{address}/video")


@contextmanager
def snapshots(clock: Clock) -> Iterator[Any]:
    with http_server(lambda handler: send(handler, "image/jpeg", jpeg(clock.number))) as address:
        # The address does not reveal that it gives a picture.
        yield open_source(f"{address}/shot?size=2")


@contextmanager
def rtsp(clock: Clock) -> Iterator[Any]:
    with rtsp_server(clock) as address:
        yield open_source(address)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "open_", "most"),
    [
        (Live, device, 1),
        (Live, pi, 1),
        (MotionJpeg, phone, 2),
        (MotionJpeg, lambda clock: phone(clock, lengths=False, boundary="--odd"), 2),
        (Snapshots, snapshots, 1),
        (Live, rtsp, 2),
    ],
    ids=["v4l2", "picamera2", "mjpeg", "mjpeg without lengths", "snapshots", "rtsp"],
)
def test_a_busy_reader_misses_nothing_and_catches_up(
    kind: type[Any], open_: Callable[[Clock], AbstractContextManager[Any]], most: int
) -> None:
    clock = Clock(FPS)
    with open_(clock) as source:
        assert isinstance(source, kind) and source.live
        with source:
            taken = iter(source)
            numbers, times = [number_of(next(taken).image)], [0.0]
            time.sleep(2.0)
            passed = clock.number
            while numbers[-1] < passed:
                frame = next(taken)
                numbers.append(number_of(frame.image))
                times.append(frame.time)
            lags = [clock.number - number_of(frame.image) for frame in islice(taken, 40)]
    # Fifty pictures have passed; how many were read depends on the machine's load.
    assert len(numbers) > 4 and numbers == sorted(set(numbers)), numbers
    assert times == sorted(times)
    assert min(lags) <= most, lags


def test_the_end_of_a_stream_is_no_error() -> None:
    clock = Clock(FPS)
    # Long enough that it is requested before it ends, even on a busy machine.
    with phone(clock, until=40) as source, source:
        assert [number_of(frame.image) for frame in source][-1] == 39


def test_a_truncated_picture_in_a_stream_is_dropped() -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "multipart/x-mixed-replace; boundary=b")
        handler.end_headers()
        for picture in (jpeg(3), b"torn", jpeg(4)):
            handler.wfile.write(b"--b\r\nContent-Type: image/jpeg\r\n\r\n" + picture + b"\r\n")
            handler.wfile.write(b"--b\r\n\r\n \r\n")
            time.sleep(0.1)

    with http_server(answer) as address, open_source(address) as source:
        assert {number_of(frame.image) for frame in source} <= {3, 4}


def test_a_snapshot_that_fails_once_is_requested_again() -> None:
    asked: list[int] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        asked.append(len(asked))
        if len(asked) == 3:
            send(handler, "text/plain", b"busy", 503)
        elif len(asked) == 4:
            send(handler, "image/jpeg", b"no picture")
        else:
            send(handler, "image/jpeg", jpeg(len(asked)))

    with http_server(answer) as address, open_source(address) as source:
        assert [number_of(frame.image) for frame in islice(source, 3)] == [2, 5, 6]


def test_user_and_password_are_sent_but_never_shown() -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        given = handler.headers.get("Authorization", "")
        if given != "Basic " + base64.b64encode(b"ann:se cret").decode():
            handler.send_response(401)
            handler.send_header("WWW-Authenticate", 'Basic realm="phone"')
            handler.end_headers()
        else:
            send(handler, "image/jpeg", jpeg(9))

    with http_server(answer) as address:
        host = address.removeprefix("http://")
        with open_source(f"http://ann:se%20cret@{host}/shot") as source:
            assert number_of(next(iter(source)).image) == 9
            assert source.name == f"http://…@{host}/shot"
        with pytest.raises(FrameError, match="another user or password") as raised:
            open_source(f"http://ann:wrong@{host}/shot")
        assert "wrong" not in str(raised.value)


def test_a_web_page_is_not_a_camera() -> None:
    with (
        http_server(lambda handler: send(handler, "text/html", b"<html>")) as address,
        pytest.raises(FrameError, match="web page, not its pictures"),
    ):
        open_source(address)


def test_why_an_address_does_not_answer_is_said_in_words() -> None:
    with http_server(lambda handler: send(handler, "image/jpeg", b"")) as address:
        pass  # Nobody listens there any more.
    with pytest.raises(FrameError, match=r"does not answer \(Connection refused\); check the address"):
        open_source(address)


@pytest.mark.parametrize(
    ("source", "words"),
    [("picamera2:0", "picamera2.*apt install"), ("picamera2:left", "names no camera")],
)
def test_a_pi_camera_without_its_library_is_reported(
    source: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(FrameError, match=words):
        open_source(source)


def test_a_missing_pi_camera_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", pi_library(Clock(FPS)))
    with pytest.raises(FrameError, match="plugged in"):
        open_source("picamera2:1")


def test_a_camera_is_found_again_by_its_stable_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "by-id").mkdir()
    link = tmp_path / "by-id" / "usb-Maker_Camera_123-video-index0"
    first, second = tmp_path / "video0", tmp_path / "video1"
    first.touch()
    link.symlink_to("../video0")
    assert v4l2.stable_path(str(first), tmp_path) == str(link)
    opened: list[str] = []

    def opener(path: str) -> Driver:
        opened.append(path)
        return Driver(Clock(FPS))

    v4l2.open_camera(str(link), opener).close()
    # It is unplugged, then plugged in again under another number.
    first.unlink()
    with pytest.raises(FrameError, match="not plugged in"):
        v4l2.open_camera(str(link), opener)
    second.touch()
    link.unlink()
    link.symlink_to("../video1")
    v4l2.open_camera(str(link), opener).close()
    assert opened == [str(first), str(second)]


def test_a_camera_without_a_serial_number_is_identified_by_its_port(tmp_path: Path) -> None:
    (tmp_path / "by-path").mkdir()
    (tmp_path / "video2").touch()
    link = tmp_path / "by-path" / "pci-0000:00:14.0-usb-0:2:1.0-video-index0"
    link.symlink_to("../video2")
    assert v4l2.stable_path(str(tmp_path / "video2"), tmp_path) == str(link)
    assert v4l2.stable_path("97", tmp_path) == "97"
