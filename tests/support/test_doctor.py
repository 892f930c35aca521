"""The doctor: every line has its state and remedy; faults are found, without false alarms."""

from __future__ import annotations

import errno
import json
import os
import socket
import sqlite3
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

from focus_companion import private_files
from focus_companion.commands import report as report_command
from focus_companion.commands.doctor import _camera, _checks
from focus_companion.commands.shared import console
from focus_companion.commands.shared.serving import port_is_free
from focus_companion.game.rules import Rules
from focus_companion.session.events import GameBegan
from focus_companion.settings import Settings
from focus_companion.simulator.scene_style import aimed_camera
from focus_companion.storage.folders import demo_folder, folder_to_read
from focus_companion.storage.journal import Journal
from focus_companion.support import camera, machine
from focus_companion.support.checks import Check, worst
from focus_companion.support.report import last_events, settings_without_secrets, write_report
from focus_companion.vision.capture.frames import Frame, FrameError, Image, read_image
from focus_companion.vision.geometry.board_profiles import board_profile, plastic_sets
from focus_companion.vision.geometry.scene import Lens
from focus_companion.vision.geometry.stack_masks import Outlines
from focus_companion.vision.placement_check import Certainty, check_mount

ROOT = Path(__file__).parents[2]
START = ROOT / "fixtures" / "images" / "2p-oblique-start.jpg"


def states(checks: Any) -> dict[str, str]:
    return {check.name: check.state for check in checks}


def test_what_is_not_well_has_a_remedy_and_nothing_else_has() -> None:
    for state, remedy in (("ok", "do"), ("warn", ""), ("fail", "")):
        with pytest.raises(ValueError, match="remedy"):
            Check("a", state, "b", remedy)  # type: ignore[arg-type]
    warn, fail = Check("a", "warn", "b", "c"), Check("a", "fail", "b", "c")
    assert (worst([]), worst([warn]), worst([warn, fail])) == ("ok", "warn", "fail")


def test_versions_are_there() -> None:
    assert states(machine.check_versions()) == {"versions": "ok"}
    assert {"focus-companion", "python", "numpy", "system"} <= machine.versions().keys()


def test_a_device_without_permission_is_reported_with_its_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dev").mkdir()
    for name in ("video0", "ttyUSB0"):
        (tmp_path / "dev" / name).touch()
    monkeypatch.setattr(os, "access", lambda path, mode: "tty" not in str(path))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    found = list(machine.check_rights(tmp_path))
    assert states(found) == {"user": "ok", "video": "ok", "dialout": "fail"}
    assert "usermod -aG dialout" in found[-1].remedy
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert states(machine.check_rights(tmp_path))["user"] == "warn"


def test_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert states(machine.check_disk(tmp_path / "not" / "yet")) == {"disk": "ok", "writing": "ok"}
    assert list(tmp_path.iterdir()) == []
    slow = iter(np.arange(0, 100, 0.4))
    assert states(machine.check_disk(tmp_path, lambda: float(next(slow))))["writing"] == "warn"
    usage = type("Usage", (), {"free": 1e6})
    monkeypatch.setattr(machine.shutil, "disk_usage", lambda path: usage)
    assert states(machine.check_disk(tmp_path))["disk"] == "fail"
    assert states(machine.check_disk(Path("/proc/nowhere")))["writing"] == "fail"


def test_journal(tmp_path: Path) -> None:
    (none,) = machine.check_journal(tmp_path)
    assert none.state == "ok" and "none yet" in none.text
    played(tmp_path)
    (one,) = machine.check_journal(tmp_path)
    assert one.state == "ok" and "1 game" in one.text
    (tmp_path / "journal.sqlite").write_bytes(b"no journal at all" * 500)
    (bad,) = machine.check_journal(tmp_path)
    assert bad.state == "fail" and "journal.sqlite" in bad.text


def test_the_journal_of_the_demo_is_checked_too(tmp_path: Path) -> None:
    assert states(machine.check_journals(tmp_path)) == {"journal": "ok"}
    played(demo_folder(tmp_path))
    assert states(machine.check_journals(tmp_path)) == {"journal": "ok", "demo journal": "ok"}
    (demo_folder(tmp_path) / "journal.sqlite").write_bytes(b"no journal at all" * 500)
    own, bad = machine.check_journals(tmp_path)
    assert own.state == "ok" and bad.state == "fail" and str(demo_folder(tmp_path)) in bad.text


def test_a_journal_that_this_user_may_not_read_does_not_end_the_checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played(demo_folder(tmp_path))
    stat, opened = Path.stat, sqlite3.connect
    denied = PermissionError(errno.EACCES, "Permission denied")

    def no_stat(path: Path, **options: Any) -> os.stat_result:
        if path.parent == demo_folder(tmp_path):
            raise denied
        return stat(path, **options)

    def no_file(name: Any, *args: Any, **options: Any) -> Any:
        if str(demo_folder(tmp_path)) in str(name):
            raise denied
        return opened(name, *args, **options)

    monkeypatch.setattr(Path, "stat", no_stat)
    monkeypatch.setattr(sqlite3, "connect", no_file)
    _, denied_check = machine.check_journals(tmp_path)
    assert (denied_check.name, denied_check.state) == ("demo journal", "fail")
    assert "may not be used by this user" in denied_check.text
    assert denied_check.remedy == "make it writable or give another --data folder"
    assert folder_to_read(tmp_path) == demo_folder(tmp_path), "it may hold games"


def played(folder: Path) -> None:
    with Journal(folder, write=True) as journal:
        rules = Rules.make(2)
        game = journal.begin(rules, {"g": "Ann Onymous"})
        players = {"green": {"name": "Ann Onymous"}}
        journal.append(game, GameBegan(0.0, game, rules.to_json(), players))


def test_a_port_in_use_is_reported() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert states(machine.check_port(port, "127.0.0.1")) == {"port": "warn"}
    assert states(machine.check_port(0, "127.0.0.1")) == {"port": "ok"}


def test_a_port_that_this_user_may_not_use_is_reported_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    def bind(self: socket.socket, address: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(socket.socket, "bind", bind)
    (found,) = machine.check_port(80, "127.0.0.1")
    assert (found.text, found.remedy) == ("80 may not be used by this user", "give a --port from 1024 on")
    with pytest.raises(
        console.BadInput, match="--port 80 may not be used by this user; give a --port from 1024"
    ):
        port_is_free(Settings(Path(), port=80))


def test_a_folder_that_this_user_may_not_write_to_is_not_said_to_be_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def create(path: Path) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(private_files, "create", create)
    failed = [check for check in machine.check_disk(tmp_path) if check.state == "fail"]
    assert [check.remedy for check in failed] == ["make it writable, or give another --data folder"]


def test_lights(tmp_path: Path) -> None:
    assert states(machine.check_lights({})) == {"lights": "ok"}
    gone = {"port": str(tmp_path / "ttyUSB9")}
    with socket.create_server(("127.0.0.1", 0)) as strip:
        there = {"url": f"http://127.0.0.1:{strip.getsockname()[1]}"}
        assert states(machine.check_lights({"wled": there})) == {"lights": "ok"}
        bare = {"url": there["url"].removeprefix("http://")}
        assert states(machine.check_lights({"wled": bare})) == {"lights": "ok"}
    for table, words in (
        ({"backends": ["serial"], "serial": gone}, "ttyUSB9"),
        ({"wled": gone}, "ttyUSB9"),
        ({"wled": there}, "does not answer"),
        ({"gpio": {}}, "no pins"),
        ({"backends": ["candles"]}, "candles"),
    ):
        (check,) = machine.check_lights(table, root=tmp_path)
        assert check.state == "fail" and words in check.text and "[lights" in check.remedy
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "gpiochip0").touch()
    assert states(machine.check_lights({"gpio": {}}, root=tmp_path)) == {"lights": "ok"}


class Camera:
    """Shows a picture every ``pace`` seconds of its own clock, with noise unless it is ``frozen``."""

    live = True
    now = 1.0

    def __init__(self, image: Image, *, pace: float = 0.02, frozen: bool = False, locks: Any = None) -> None:
        self.image, self.pace, self.frozen, self.locks = image, pace, frozen, locks or {}
        Camera.now = 1.0

    def __enter__(self) -> Camera:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __iter__(self) -> Iterator[Frame]:
        for index in range(10_000):
            Camera.now += self.pace
            image = self.image.copy()
            image[0, 0] = 0 if self.frozen else index % 250
            yield Frame(index, index * self.pace, image)


class HangingCamera(Camera):
    """Gives no picture before it is released."""

    def __init__(self, released: threading.Event) -> None:
        super().__init__(read_image(START))
        self.released = released

    def __iter__(self) -> Iterator[Frame]:
        self.released.wait()
        yield from ()


def examined(source: Callable[[], Any]) -> dict[str, Check]:
    seen = camera.look(source, lambda: Camera.now)
    return {check.name: check for check in camera.check_camera("test", seen, plastic_sets())}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(camera, "LOOK_SECONDS", 0.5)


def test_a_good_camera_over_a_board_is_well_in_all() -> None:
    found = examined(lambda: Camera(read_image(START), locks={"exposure": "locked"}))
    assert states(found.values()) == dict.fromkeys(
        ("camera", "frame rate", "exposure lock", "picture", "board", "mount"), "ok"
    ), found


def table_top() -> Image:
    """A cloth with broad stripes, in which the search for a board soon comes to an end."""
    few = np.random.default_rng(1).integers(60, 200, (1, 8, 3), dtype=np.uint8)
    return np.asarray(cv2.resize(few, (1280, 960), interpolation=cv2.INTER_NEAREST), np.uint8)


def shrunk(image: Image) -> Image:
    return np.asarray(cv2.resize(image, (480, 360)), np.uint8)


FAULTS: list[tuple[str, dict[str, Any], Callable[[Image], Image], str, str]] = [
    ("dark", {}, lambda image: image // 40, "picture", "fail"),
    (
        "blurred",
        {},
        lambda image: np.asarray(cv2.GaussianBlur(image, (0, 0), 9), np.uint8),
        "picture",
        "warn",
    ),
    ("no board", {}, lambda image: table_top(), "board", "fail"),
    ("slow", {"pace": 0.3}, lambda image: image, "frame rate", "fail"),
    ("frozen", {"frozen": True}, lambda image: image, "movement", "warn"),
    ("small", {}, shrunk, "camera", "warn"),
    (
        "not locked",
        {"locks": {"focus": "cannot be locked: no"}},
        lambda image: image,
        "exposure lock",
        "warn",
    ),
    ("no locks", {}, lambda image: image, "exposure lock", "warn"),
]


@pytest.mark.parametrize(
    ("tilt", "state", "remedy"),
    [(35, "ok", ""), (5, "warn", "more of a slant"), (72, "warn", "")],
)
def test_the_mount_is_judged_as_play_judges_it(
    tilt: float, state: str, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = board_profile()
    stands = aimed_camera(Lens.guess(1280, 960, 58.0), profile, tilt=tilt)
    found = SimpleNamespace(camera=stands, profile=profile)
    monkeypatch.setattr(camera, "find_board", lambda *_, **__: found)
    check = examined(lambda: Camera(read_image(START)))["mount"]
    assert check.state == state and remedy in check.remedy, check
    mount = check_mount(Outlines(stands, profile))
    assert f"{mount.step:.1f} pixels" in check.text and (state == "ok") == (mount.verdict is Certainty.SURE)


@pytest.mark.parametrize(
    ("how", "make", "name", "state"), [c[1:] for c in FAULTS], ids=[c[0] for c in FAULTS]
)
def test_what_is_wrong_with_a_camera_is_found(
    how: dict[str, Any],
    make: Callable[[Image], Image],
    name: str,
    state: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if name != "board":
        # Finding the board is slow, and not part of this test.
        monkeypatch.setattr(camera, "find_board", lambda *_, **__: None)
    found = examined(lambda: Camera(make(read_image(START)), **how))
    assert found[name].state == state, found
    assert found[name].remedy


def test_a_camera_that_does_not_open_or_hangs_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def closed() -> Any:
        raise FrameError("camera 7 does not open", "unplugged")

    found = examined(closed)
    assert found["camera"].state == "fail" and "does not open" in found["camera"].text
    monkeypatch.setattr(camera, "FIRST_PICTURE_TIMEOUT", 0.2)
    monkeypatch.setattr(camera, "MAX_SETTLING_SECONDS", 0.1)
    released = threading.Event()
    found = examined(lambda: HangingCamera(released))
    released.set()
    assert found["camera"].state == "fail" and "hangs" in found["camera"].text


SECRETS = ("482913", "geheim", "sesam", "Ann Onymous")


def test_a_report_holds_what_helps_and_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    log = tmp_path / "state" / "focus_companion" / "log"
    log.mkdir(parents=True)
    (log / "focus-companion.log").write_text("it began\nthe PIN 482913 was entered\n", encoding="utf-8")
    played(tmp_path)
    settings = Settings(
        data=tmp_path, camera="rtsp://anna:geheim@camera.local/1", pin="482913", mqtt_password="sesam",
        lights={"wled": {"url": "http://bob:geheim@wled.local"}, "serial": {"port": "/dev/ttyUSB0"}},
    )  # fmt: skip
    path = tmp_path / "report.zip"
    with path.open("wb") as out:
        fault = Check("camera", "fail", "rtsp://anna:geheim@camera.local/1 does not answer", "look")
        write_report(out, settings, [fault])
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name).decode() for name in packed.namelist()}
    assert not any(secret in text for secret in SECRETS for text in parts.values())
    assert not any(name.startswith("pictures/") for name in parts)
    assert "it began" in parts["log/focus-companion.log"]
    assert json.loads(parts["events.jsonl"].splitlines()[0])["players"] == ["green"]
    assert json.loads(parts["settings.json"])["lights"]["serial"]["port"] == "/dev/ttyUSB0"
    assert json.loads(parts["versions.json"])["focus-companion"]
    assert json.loads(parts["doctor.json"])[0]["state"] == "fail"


def test_a_report_of_a_damaged_journal_is_a_report(tmp_path: Path) -> None:
    played(tmp_path)
    path = tmp_path / "journal.sqlite"
    path.write_bytes(path.read_bytes().replace(b'{"type":"game"', b'{"type";"game"'))
    (line,) = last_events(tmp_path)
    assert json.loads(line)["damaged"] > 0 and "Onymous" not in line


def test_every_setting_that_is_a_secret_is_hidden() -> None:
    shown = settings_without_secrets(Settings(data=Path("/d"), pin="482913", mqtt_password="sesam"))
    assert shown["pin"] == shown["mqtt_password"] == "…" and shown["port"] == 8000


def run(*args: str | Path, home: Path) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("FOCUS_COMPANION_")}
    return subprocess.run(
        [sys.executable, "-m", "focus_companion.cli", *map(str, args)],
        cwd=home, capture_output=True, text=True, timeout=200,
        env=clean | {"XDG_STATE_HOME": str(home), "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


@pytest.mark.slow
def test_doctor_as_a_command(tmp_path: Path) -> None:
    empty = tmp_path / "clip"
    empty.mkdir()
    cv2.imwrite(str(empty / "1.png"), np.full((480, 640, 3), 3, np.uint8))
    done = run(
        "doctor", "--camera", empty, "--data", tmp_path / "data", "--port", "0", "--json", home=tmp_path
    )
    found = json.loads(done.stdout)
    assert done.returncode == 1 and found["state"] == "fail"
    by_name = {check["name"]: check for check in found["checks"]}
    assert by_name["picture"]["state"] == "fail" and by_name["picture"]["remedy"]
    assert by_name["journal"]["state"] == "ok"
    assert done.stderr.count("\n") == 1
    lines = run("doctor", "--camera", empty, "--data", tmp_path / "data", "--port", "0", home=tmp_path).stdout
    assert "fail  picture: dark\n      → put a light on" in lines


@pytest.mark.parametrize("place", ["FOCUS_COMPANION_LIGHTS", "[lights] in /there.toml"])
def test_the_remedy_for_wrong_lights_names_where_they_are_set(tmp_path: Path, place: str) -> None:
    places = {"lights": place.removeprefix("[lights] in ")}
    settings = Settings(tmp_path, port=0, lights={"backends": ["candles"]}, places=places)
    check = next(check for check in _checks(settings, []) if check.name == "lights")
    assert check.remedy == f"correct {place}"


@pytest.mark.slow
def test_a_wrong_profile_is_a_finding_and_not_the_end(tmp_path: Path) -> None:
    places = {"board": "FOCUS_COMPANION_BOARD", "lens": "config.toml: lens"}
    settings = Settings(tmp_path, camera="phone", board="tray", lens="spyglass", places=places)
    found = list(_camera(settings, []))
    assert states(found) == {"board profile": "fail", "lens profile": "fail", "camera": "ok"}
    assert "'tray'" in found[0].text and "spyglass" in found[1].text
    assert [check.remedy for check in found[:2]] == [f"correct {place}" for place in places.values()]


def test_the_simulated_board_has_no_camera_to_be_put_right(tmp_path: Path) -> None:
    found = run(
        "doctor", "--camera", "demo", "--data", tmp_path / "data", "--port", "0", "--json", home=tmp_path
    )
    checks = {check["name"]: check["state"] for check in json.loads(found.stdout)["checks"]}
    assert checks["camera"] == checks["exposure lock"] == "ok"


def test_report_as_a_command(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "1.png"), np.full((480, 640, 3), 3, np.uint8))
    words = ("report", "--camera", tmp_path, "--data", tmp_path / "data", "--port", "9")
    done = run(*words, "--output", tmp_path / "r.zip", "--pictures", home=tmp_path)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(tmp_path / "r.zip") as packed:
        assert "pictures/picture.png" in packed.namelist()
    assert (tmp_path / "r.zip").stat().st_mode & 0o777 == 0o600
    again = run(*words, "--output", tmp_path / "r.zip", home=tmp_path)
    assert again.returncode == 2 and "already" in again.stderr and again.stderr.count("\n") == 1
    dated = run(*words, home=tmp_path)
    (found,) = tmp_path.glob("focus-companion-report-*.zip")
    assert dated.returncode == 0 and found.name in dated.stdout
    with zipfile.ZipFile(found) as packed:
        assert not any(name.startswith("pictures") for name in packed.namelist())


@pytest.mark.parametrize("end", [KeyboardInterrupt, OSError(errno.ENOSPC, "full")], ids=["Ctrl-C", "full"])
def test_a_report_that_is_not_finished_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: BaseException
) -> None:
    def examine(settings: Settings) -> None:
        assert list(tmp_path.glob("*.zip")), "a name in use is refused before anything is examined"
        raise end

    monkeypatch.setattr(report_command, "examine", examine)
    words = ["report", "--data", str(tmp_path / "data"), "--output", str(tmp_path / "report.zip")]
    assert console.run(report_command.command, words[1:]) == (130 if end is KeyboardInterrupt else 2)
    assert not list(tmp_path.glob("*.zip"))
