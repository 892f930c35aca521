"""The phone as camera: the program, and a real browser whose camera is a recording."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import av
import pytest
from browsing import REQUEST_TIMEOUT, SWITCHES, playwright

pytestmark = [pytest.mark.slow, pytest.mark.browser]

ROOT: Final = Path(__file__).resolve().parents[2]
CLIP: Final = ROOT / "fixtures" / "images" / "clip-oblique.mp4"
PLAYED: Final = ["f5-f4", "c4-d4", "f7-f6", "c6-c5", "b5-c5", "d5-c5", "e2-d2", "c5-c2"]
CHANCE: Final = random.SystemRandom()
CHROMIUM_RATE: Final = 30
"""Pictures per second at which Chromium's fake camera plays a sequence of JPEG pictures."""


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The clip in the format of Chromium's fake camera; the last picture is shown for a minute."""
    path = tmp_path_factory.mktemp("camera") / "clip.mjpeg"
    with av.open(str(CLIP)) as clip, path.open("wb") as out:
        rate = clip.streams.video[0].average_rate
        assert rate is not None
        coder = av.CodecContext.create("mjpeg", "w")
        coder.width, coder.height, coder.pix_fmt = 1280, 960, "yuvj420p"
        coder.framerate, coder.options = rate, {"qmin": "3", "qmax": "5", "huffman": "default"}
        coder.time_base = 1 / rate
        data = b""
        for frame in clip.decode(video=0):
            jpeg = b"".join(bytes(packet) for packet in coder.encode(frame.reformat(format="yuvj420p")))
            data = jpeg or data
            out.write(data * (CHROMIUM_RATE // round(rate)))
        out.write(data * CHROMIUM_RATE * 60)
    return path


@pytest.fixture
def phone(recording: Path, launch_browser: Callable[[list[str]], Any]) -> Iterator[Any]:
    """A phone's page in a browser whose camera is the recording."""
    switches = [
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-video-capture={recording}",
    ]
    opened = launch_browser(SWITCHES + switches)
    context = opened.new_context(
        ignore_https_errors=True, viewport={"width": 390, "height": 800}, locale="en-GB"
    )
    yield context.new_page()
    opened.close()


class Program:
    """``play`` with a journal of its own; by default with ``--camera phone``."""

    def __init__(self, folder: Path, camera: tuple[str, ...] = ("--camera", "phone")) -> None:
        self.folder, self.port = folder, CHANCE.randrange(10_000, 32_000)
        self.log = folder / "said.txt"
        switches = [*camera, "--players", "2", "--order", "red,green"]
        where = ["--port", str(self.port), "--data", str(folder / "data")]
        with self.log.open("w") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "focus_companion.cli", "play", *switches, *where],
                cwd=ROOT, stdout=said, stderr=said, env=os.environ | {"XDG_RUNTIME_DIR": str(folder)},
            )  # fmt: skip

    @property
    def link(self) -> str:
        file = self.folder / f"focus-companion-{self.port}.phone"
        self.wait(file.exists)
        assert file.stat().st_mode & 0o777 == 0o600
        return file.read_text().strip()

    def answer(self, path: str) -> Any:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30) as answer:
            return json.load(answer)

    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = self.answer("/api/state")
        return state

    def alerts(self) -> list[tuple[str, ...]]:
        """Reason and squares of every alert of the game so far."""
        record = self.answer(f"/api/games/{self.state()['game']}/export?format=json")
        alerts = [incident for incident in record["incidents"] if incident["type"] == "alert"]
        return [(alert["reason"], *sorted(alert["squares"])) for alert in alerts]

    def wait(self, come: Callable[[], bool]) -> None:
        until = time.monotonic() + REQUEST_TIMEOUT
        while not come():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < until, self.log.read_text()
            time.sleep(0.1)

    def close(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(10)


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    made = Program(tmp_path)
    yield made
    made.close()


def test_a_game_is_followed_with_a_phone_as_camera(program: Program, phone: Any) -> None:
    link = program.link
    if shots := os.environ.get("SCREENSHOTS"):
        for width in (390, 1280):
            page = phone.context.new_page()
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(f"http://127.0.0.1:{program.port}/")
            page.wait_for_selector("body[data-ready]")
            page.screenshot(path=f"{shots}/page-{width}.png", full_page=True)
            page.close()
    troubles: list[str] = []
    phone.on("pageerror", lambda error: troubles.append(str(error)))
    phone.goto(link)
    phone.wait_for_selector("body[data-ready]")
    phone.click("#start")
    playwright.expect(phone.locator("#line")).to_have_attribute("data-line", "live")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    if shots:
        phone.screenshot(path=f"{shots}/phone-390.png")
    program.wait(lambda: len(program.state()["moves"]) >= 3)
    alerts = program.alerts()
    # The connection is cut: the companion loses the phone, and both recover by themselves.
    phone.context.set_offline(True)
    playwright.expect(phone.locator("#line")).to_have_attribute("data-line", "off")
    program.wait(lambda: program.state()["camera"] == "lost")
    assert program.state()["camera_why"] == "phone"
    phone.context.set_offline(False)
    program.wait(lambda: program.state()["camera"] == "ok")
    program.wait(lambda: len(program.state()["moves"]) >= len(PLAYED))
    state = program.state()
    assert [turn["move"] if isinstance(turn, dict) else turn for turn in state["moves"]] == PLAYED
    # The clip goes on while the connection is cut: how much is missed, and what the board then seems to show,
    # depends on the speed of the machine. Before that, there may be alerts only for the clip's illegal acts.
    assert set(alerts) <= {("distance", "a6", "c6"), ("out_of_turn", "d4", "f4")}
    assert len(alerts) == len(set(alerts)) and troubles == []
    assert link.partition("#")[2] not in program.log.read_text()


def test_the_phone_goes_on_in_another_language(program: Program, phone: Any) -> None:
    line = phone.locator("#line")
    phone.goto(program.link)
    phone.wait_for_selector("body[data-ready]")
    phone.click(".menu summary")
    phone.click(".languages [lang=pl]")
    phone.wait_for_selector("html[lang=pl] body[data-ready]")
    playwright.expect(phone.locator("#start")).to_be_visible()
    playwright.expect(line).to_have_attribute("data-line", "off")  # it has not been allowed yet
    phone.click("#start")
    playwright.expect(line).to_have_attribute("data-line", "live")
    # It leads to this page, so that touching it by mistake stopped the camera.
    playwright.expect(phone.locator(".brand[href]")).to_have_count(0)
    phone.click(".menu summary")
    phone.click(".languages [lang=it]")
    phone.wait_for_selector("html[lang=it] body[data-ready]")
    playwright.expect(line).to_have_attribute("data-line", "live")
    playwright.expect(phone.locator("#start")).to_be_hidden()
    # Once another phone is the camera, this one stays as it is.
    other = phone.context.new_page()
    other.goto(program.link)
    other.click("#start")
    playwright.expect(line).to_have_attribute("data-line", "stopped")
    phone.reload()
    phone.wait_for_selector("body[data-ready]")
    playwright.expect(phone.locator("#start")).to_be_visible()
    playwright.expect(other.locator("#line")).to_have_attribute("data-line", "live")


MAX_SECONDS_TO_FIRST_TURN: Final = 300.0
"""From the first command to the first reported turn."""


def test_from_the_first_command_to_the_first_turn(tmp_path: Path, phone: Any, browser: Any) -> None:
    """On a machine without a camera, the page leads to the phone. Every user action is counted."""
    begun, actions = time.monotonic(), ["type the command"]
    program = Program(tmp_path, camera=())
    try:
        program.wait(lambda: "Page: " in program.log.read_text())
        page = browser.new_page(viewport={"width": 1280, "height": 800}, locale="en-GB")
        page.goto(f"http://127.0.0.1:{program.port}/")
        actions.append("open the page")
        page.get_by_role("button", name="My phone").click()
        actions.append("choose the phone")
        code = page.locator("#phone a")
        playwright.expect(code).to_be_visible()
        assert page.locator("#cameras").is_hidden()
        phone.goto(code.get_attribute("href"))
        actions += ["scan the code", "go on past the warning"]
        phone.click("#start")
        actions.append("use this phone")
        program.wait(lambda: len(program.state()["moves"]) >= 1)
        assert program.state()["moves"][0]["move"] == PLAYED[0]
        taken = time.monotonic() - begun
        assert len(actions) <= 6 and taken < MAX_SECONDS_TO_FIRST_TURN, (actions, taken)
        playwright.expect(code).to_be_hidden()
        print(f"{taken:.0f} s, {len(actions)} actions: {', '.join(actions)}")
    finally:
        program.close()
