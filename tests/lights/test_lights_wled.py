from __future__ import annotations

import json
import logging
import os
import threading
import tty
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from focus_companion.game.squares import INDEX
from focus_companion.lights import LightSettings, LightsUnavailable, WledSettings, open_lights
from focus_companion.lights.meaning import Meaning
from focus_companion.lights.pixels import PIXELS, dimmed, draw
from focus_companion.lights.wled import AdalightTransport, WledBackend, adalight, make_wled

STEADY = Meaning(reserves=(3, 0, 0, 0), warning=True)


class Strip(BaseHTTPRequestHandler):
    """A WLED server that records what it receives."""

    pixels: dict[int, str]
    bodies: list[dict[str, Any]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path == "/json/state"
        self.bodies.append(body)
        row = body["seg"]["i"]
        self.pixels.update(zip(row[::2], row[1::2], strict=True))
        self.send_response(200)
        self.send_header("Content-Length", "16")
        self.end_headers()
        self.wfile.write(b'{"success":true}')

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def strip() -> Iterator[tuple[str, type[Strip]]]:
    handler = type("ThisStrip", (Strip,), {"pixels": {}, "bodies": []})
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", handler
    server.shutdown()
    thread.join()
    server.server_close()


def test_states_are_sent_over_http(strip: tuple[str, type[Strip]]) -> None:
    url, handler = strip
    with open_lights(LightSettings(brightness=255, wled=WledSettings(url=url))) as lights:
        lights.present(STEADY)
        assert lights.wait(10)
        drawn = [bytes(pixel).hex().upper() for pixel in dimmed(draw(STEADY, 0), 255)]
        assert [handler.pixels[i] for i in range(PIXELS)] == drawn
        assert handler.pixels[PIXELS] == "FF3C00"  # the warning light
        assert handler.bodies[-1]["on"] is True
    assert set(handler.pixels.values()) == {"000000"}


def test_the_pixels_can_be_assigned(strip: tuple[str, type[Strip]]) -> None:
    url, handler = strip
    table = {"d5": 3, "turn red": 0, "reserve green 1": 1}
    settings = WledSettings(url=url, pixels=table)
    with open_lights(LightSettings(brightness=255, wled=settings)) as lights:
        lights.present(Meaning(turn="red", path=(INDEX["d5"],), mover="green", reserves=(9, 1, 0, 0)))
        assert lights.wait(10)
        assert sorted(handler.pixels) == [0, 1, 2, 3]
        red = int(handler.pixels[0][:2], 16)
        assert red >= 105 and handler.pixels[0][2:] == "0000"  # its brightness pulses
        assert handler.pixels[1] == "001800" and handler.pixels[2] == "000000"
        assert handler.pixels[3] in ("00C800", "006E00")


def test_adalight_bytes() -> None:
    assert adalight([(1, 2, 3)] * 2) == b"Ada\x00\x01\x54" + bytes((1, 2, 3)) * 2
    assert adalight([(0, 0, 0)] * 300)[:6] == b"Ada\x01\x2b" + bytes((1 ^ 0x2B ^ 0x55,))


def test_adalight_on_a_port() -> None:
    master, slave = os.openpty()
    tty.setraw(slave)
    backend = WledBackend(AdalightTransport(os.ttyname(slave), 115200), {}, 255)
    backend.tick()
    backend.present(STEADY, 0)  # type: ignore[arg-type]
    backend.tick()
    assert backend.settled()
    frame = 6 + 3 * (PIXELS + 1)
    data = b""
    while len(data) < 2 * frame:
        data += os.read(master, 4096)
    shown = dimmed(draw(STEADY, 0), 255)
    assert data[frame:] == adalight([*shown, (255, 60, 0)])
    os.close(master)
    backend.present(Meaning(), 0)  # type: ignore[arg-type]
    backend.tick()
    assert not backend.settled()
    backend.close()
    os.close(slave)


def test_an_unreachable_strip_gives_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        backend = make_wled(WledSettings(url="127.0.0.1:1"), 96)
        for _ in range(3):
            backend._retry_at = 0  # type: ignore[attr-defined]
            backend.tick()
            assert not backend.settled()
        backend.close()
    assert [record.getMessage() for record in caplog.records] == [
        "Lights: http://127.0.0.1:1 does not take light (Connection refused); the game goes on"
    ]


def test_what_is_not_the_port_of_a_strip_is_reported_in_words(caplog: pytest.LogCaptureFixture) -> None:
    backend = make_wled(WledSettings(port="/dev/null"), 96)
    backend.tick()
    backend.close()
    assert caplog.messages == ["Lights: /dev/null does not take light (not a serial port); the game goes on"]


@pytest.mark.parametrize("nonsense", [b"hello\r\n\r\n", b""])
def test_a_strip_that_answers_nonsense_is_tried_again(
    strip: tuple[str, type[Strip]], nonsense: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    url, handler = strip
    restarting = [True]
    answer = handler.do_POST

    def do_post(self: Strip) -> None:
        if restarting[0]:
            self.wfile.write(nonsense)
        else:
            answer(self)

    handler.do_POST = do_post  # type: ignore[method-assign]
    with caplog.at_level(logging.INFO):
        backend = make_wled(WledSettings(url=url), 255)
        backend.tick()
        assert not backend.settled() and "does not take light" in caplog.text
        restarting[0] = False
        backend._retry_at = 0  # type: ignore[attr-defined]
        backend.tick()
        assert backend.settled() and "is back" in caplog.text
        backend.close()


def test_a_name_that_no_host_has_stops_nothing(caplog: pytest.LogCaptureFixture) -> None:
    backend = make_wled(WledSettings(url="http://a..b"), 96)
    backend.tick()
    backend.close()
    assert "does not take light" in caplog.text


def test_unknown_pixel_names_are_refused() -> None:
    with pytest.raises(LightsUnavailable, match="turn purple"):
        make_wled(WledSettings(url="x", pixels={"turn purple": 1}), 96)
