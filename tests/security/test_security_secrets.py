"""No PIN and no password of a camera is printed, logged or sent to a page."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focus_companion.addresses import shown_address, without_secrets
from focus_companion.settings import SettingsError, load

ROOT = Path(__file__).parents[2]
SECRET = "hunter2"

SHOWN = [
    ("0", "0"),
    ("/dev/video0", "/dev/video0"),
    ("games/user@home.mp4", "games/user@home.mp4"),
    ("http://10.0.0.5:8080/video", "http://10.0.0.5:8080/video"),
    ("http://[::1]:80/a.jpg", "http://[::1]:80/a.jpg"),
    ("rtsp://ann:hunter2@cam/live", "rtsp://…@cam/live"),
    ("rtsp://ann:hun@ter2@cam/live", "rtsp://…@cam/live"),
    ("rtsp://ann:hunter2/x?y#z@cam/live", "rtsp://…@cam/live"),
    ("rtsp://hunter2@cam", "rtsp://…@cam"),
    ("http://ann:hunter2", "http://…"),
    ("http://cam/a.jpg?user=ann&pwd=hunter2", "http://cam/a.jpg?user=…&pwd=…"),
    ("http://cam/a.jpg?hunter2", "http://cam/a.jpg?…"),
    ("rtsp://cam/user=ann_password=hunter2_channel=1", "rtsp://cam/user=ann_password=…"),
    ("http://cam/a#hunter2", "http://cam/a"),
    ("HTTPS://A:B@cam/", "HTTPS://…@cam/"),
]


@pytest.mark.parametrize(("address", "shown"), SHOWN)
def test_an_address_is_shown_without_its_password(address: str, shown: str) -> None:
    assert shown_address(address) == shown


def test_secrets_are_removed_from_sentences_too() -> None:
    said = without_secrets("camera rtsp://ann:hunter2@cam/live is gone, http://b:c@d/?k=v too")
    assert said == "camera rtsp://…@cam/live is gone, http://…@d/?k=… too"


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="…"), min_size=1),
    st.sampled_from(["rtsp", "http", "https"]),
)
def test_no_password_gets_through(password: str, scheme: str) -> None:
    marked = f"<{password}>"
    shown = shown_address(f"{scheme}://ann:{marked}@camera.local:554/live")
    assert marked not in shown
    assert shown == f"{scheme}://…@camera.local:554/live"


def run(*args: str, **environ: str) -> str:
    """All output of a command."""
    done = subprocess.run(
        [sys.executable, "-m", "focus_companion.cli", *args],
        capture_output=True,
        text=True,
        timeout=240,
        cwd=ROOT,
        env=os.environ | environ,
    )
    assert done.returncode == 2, done
    return done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "address",
    [
        f"rtsp://ann:{SECRET}@127.0.0.1:9/live",
        f"http://ann:{SECRET}@127.0.0.1:9/video?token={SECRET}",
        f"http://ann:{SECRET}@127.0.0.1:9/a.jpg",
        f"http://ann:{SECRET}@127.0.0.1:x{SECRET}/a.jpg",
        f"ftp://ann:{SECRET}@127.0.0.1/",
    ],
)
def test_no_command_says_the_cameras_password(address: str, tmp_path: Path) -> None:
    watched = run("watch", address, "--players", "2", "--events", "-")
    assert SECRET not in watched and "…" in watched
    environ = {"FOCUS_COMPANION_CAMERA": address, "FOCUS_COMPANION_CONFIG": ""}
    played = run("play", "--port", "0", "--data", str(tmp_path), **environ)
    assert SECRET not in played and "…" in played


def test_an_invalid_secret_setting_is_not_quoted(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    for line in ('pin = "abc"', "pin = 1234", f'camera = "rtsp://a:{SECRET}\\u0000@cam/"'):
        file.write_text(line, encoding="utf-8")
        with pytest.raises(SettingsError) as refused:
            load(environ={}, config=file)
        assert line.split(" = ")[0] in str(refused.value)
        assert not any(part in str(refused.value) for part in ("abc", "1234", SECRET))
