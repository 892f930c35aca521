"""A camera plugged in while the demo stands in for one: it is found, offered, and used."""

from __future__ import annotations

import json
import shutil
import threading
import time
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from loopback import free_port
from small_demo import small_demo_source

from focus_companion.commands import play as play_command
from focus_companion.commands.shared import camera_offer, play_source, playing
from focus_companion.commands.shared.camera_offer import MAX_TRIES, CameraOffer
from focus_companion.commands.shared.game_options import GameOptions
from focus_companion.settings import Settings
from focus_companion.simulator import demo
from focus_companion.storage.folders import demo_folder
from focus_companion.storage.journal import Journal

CLIP = Path(__file__).parents[2] / "fixtures" / "images" / "clip-oblique.mp4"


class Devices:
    """A folder in place of /dev. ``tried`` lists every attempt; ``broken`` are devices that never work."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tried: list[str] = []
        self.broken: set[str] = set()

    def plug(self, name: str) -> str:
        (self.folder / name).touch()
        return str(self.folder / name)

    def there(self) -> list[str]:
        return sorted(map(str, self.folder.glob("video*")))

    def works(self, device: str) -> bool:
        self.tried.append(device)
        return device not in self.broken


@pytest.fixture
def devices(tmp_path: Path) -> Devices:
    return Devices(tmp_path)


def test_a_camera_is_offered_while_it_is_there(devices: Devices) -> None:
    offer = CameraOffer(devices.there, devices.works)
    offer.scan()
    assert offer.found is None and not offer.take()
    device = devices.plug("video0")
    offer.scan()
    assert offer.found == device
    Path(device).unlink()
    offer.scan()
    assert offer.found is None and not offer.take() and not offer.taken.is_set()
    devices.plug("video0")
    offer.scan()
    assert offer.take() and offer.taken.is_set()


def test_a_device_that_is_no_camera_is_left_alone_until_it_is_replugged(devices: Devices) -> None:
    device = devices.plug("video0")
    devices.broken.add(device)
    offer = CameraOffer(devices.there, devices.works)
    for _ in range(MAX_TRIES + 3):
        offer.scan()
    assert offer.found is None and len(devices.tried) == MAX_TRIES
    # Another file with the same name, as a replugged device has another inode.
    other = devices.plug("other")
    shutil.move(other, device)
    devices.broken.clear()
    offer.scan()
    assert offer.found == device


def test_the_one_that_is_offered_is_not_disturbed(devices: Devices) -> None:
    device = devices.plug("video0")
    offer = CameraOffer(devices.there, devices.works)
    for _ in range(4):
        offer.scan()
    assert devices.tried == [device]


class Playing:
    """``play`` on a thread of this process, and its return value or exception."""

    def __init__(self, settings: Settings, picked: str | None = None) -> None:
        self.port = settings.port
        self.stop = threading.Event()
        self.left: play_command.Restart | None = None
        self.problem: BaseException | None = None
        self.thread = threading.Thread(target=self._run, args=(settings, picked))
        self.thread.start()

    def _run(self, settings: Settings, picked: str | None) -> None:
        try:
            with ExitStack() as closing:
                self.left = play_command.play(settings, GameOptions(), self.stop, closing, picked)
        except BaseException as error:
            self.problem = error

    def state(self, condition: Callable[[Any], object]) -> Any:
        """The first state that fulfils the condition; waits as long as the program runs."""
        while True:
            assert self.thread.is_alive(), self.problem
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/state", timeout=60) as answer:
                    found = json.load(answer)
                if condition(found):
                    return found
            except OSError:
                # Not up yet.
                pass
            time.sleep(0.1)

    def post(self, path: str, body: bytes = b"{}") -> int:
        address = f"http://127.0.0.1:{self.port}{path}"
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(address, body, headers, method="POST")
        with urllib.request.urlopen(request, timeout=60) as answer:
            return int(answer.status)

    def end(self) -> None:
        self.stop.set()
        self.thread.join()
        assert self.problem is None, self.problem


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_demo_gives_way_to_a_camera_that_begins_a_game_of_its_own(
    devices: Devices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A recording in place of the camera."""
    monkeypatch.setattr(play_command, "end_in_time", lambda: None)
    monkeypatch.setattr(play_source, "cameras", devices.there)
    monkeypatch.setattr(demo, "DemoSource", small_demo_source())
    monkeypatch.setattr(play_source, "works", devices.works)
    quick = partial(CameraOffer, devices.there, devices.works, 0.1)
    monkeypatch.setattr(camera_offer, "CameraOffer", quick)
    brokers: list[Any] = []

    def publisher(settings: Settings, broker: Any, *_: Any) -> Callable[[Any], None]:
        brokers.append(broker)
        return lambda event: None

    monkeypatch.setattr(playing, "publisher", publisher)
    data = tmp_path / "data"
    settings = Settings(
        data=data, port=free_port(), lights={"backends": ["none"]}, mqtt="mqtt://localhost", table="Table 7"
    )
    before = Playing(settings)
    try:
        shown = before.state(lambda state: state["ply"] >= 1)
        assert shown["demo"] and shown["camera_found"] is None
        shutil.copy(CLIP, tmp_path / "video0.mp4")
        assert before.state(lambda state: state["camera_found"])["camera_found"].endswith("video0.mp4")
        assert before.post("/api/camera") == 202
        before.thread.join()
    finally:
        before.end()
    assert before.left is not None and before.left.picked is None
    assert before.left.settings.data == data and before.left.settings.port == settings.port
    real = Playing(before.left.settings)
    try:
        shown = real.state(lambda state: state["ready"])
        assert not shown["demo"] and shown["game"] == 1 and not shown["resumed"]
        assert shown["camera_found"] is None
    finally:
        real.end()
    # The hall never takes the demo's games for the table's.
    assert brokers[0] is None and brokers[1] is not None
    with Journal(demo_folder(data)) as journal:
        assert journal.history(1).demo
    # Without the camera the demo continues where it was; the user's game is not touched.
    (tmp_path / "video0.mp4").unlink()
    again = Playing(settings)
    try:
        shown = again.state(lambda state: state["demo"])
        assert shown["resumed"]
    finally:
        again.end()
    with Journal(data) as journal:
        (game,) = journal.games()
        assert not journal.history(game.id).demo


def test_the_camera_chosen_on_the_page_is_reported_and_must_give_a_picture(devices: Devices) -> None:
    offer = CameraOffer(devices.there, devices.works)
    assert offer.take("phone") and offer.source == "phone" and offer.taken.is_set()
    other = CameraOffer(devices.there, devices.works)
    devices.broken.add("http://nobody.local/video")
    assert not other.take("http://nobody.local/video") and not other.taken.is_set()
    assert other.take("http://camera.local/video") and other.source == "http://camera.local/video"
    again = CameraOffer(devices.there, devices.works)
    assert again.take("demo") and again.source == "demo"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_phone_is_chosen_on_the_page_and_the_choice_is_taken_back(
    devices: Devices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a machine without any camera: demo, phone, and back to the choice."""
    monkeypatch.setattr(play_command, "end_in_time", lambda: None)
    monkeypatch.setattr(play_source, "cameras", devices.there)
    monkeypatch.setattr(demo, "DemoSource", small_demo_source())
    settings = Settings(data=tmp_path / "data", port=free_port(), lights={"backends": ["none"]})
    going = play_command.Restart(settings)
    for choice, shows_demo in ((b'{"source": "phone"}', True), (b'{"source": "demo"}', False)):
        table = Playing(going.settings, going.picked)
        try:
            shown = table.state(lambda state: state["game"])
            assert shown["demo"] is shows_demo and shown["camera_free"] is True
            if not shows_demo:
                assert shown["camera"] == "starting"
            assert table.post("/api/camera", choice) == 202
            table.thread.join()
        finally:
            table.end()
        assert table.left is not None
        going = table.left
    last = Playing(going.settings, going.picked)
    try:
        assert last.state(lambda state: state["game"])["demo"] is True
    finally:
        last.end()
    assert last.left is None
