"""Runs the program on the simulated table, with the firmware on the simulated chip: do the lights follow the
game, and does the button dismiss an alert?
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plugged_board import Plugged

from focus_companion.lights.pixels import DARK, TURN_PIXEL
from focus_companion.lights.settings import COLOURS

DISMISS_DELAY = 2.2
"""Seconds after which an alert may be dismissed by the button."""


@dataclass
class Result:
    """``checks``: how often the turn lights were checked; ``right``: how often they showed whose turn it was;
    ``dismissed``: seconds from the button to the alert's end, ``None`` if it did not end or there was none.
    """

    checks: int = 0
    right: int = 0
    dismissed: float | None = None
    status: int | None = None
    dark: bool = False

    @property
    def holds(self) -> bool:
        return 0 < self.checks == self.right and self.dismissed is not None and self.dark and self.status == 0


def watch(board: Plugged, folder: Path, seconds: float) -> Result:
    """Let the program play until the button has been tried, for at most ``seconds``."""
    result = Result()
    with _program(board, folder) as (process, address):
        end = time.monotonic() + seconds
        while time.monotonic() < end and result.dismissed is None:
            _check_lights(board, address, result)
            if _state(address)["alert"]:
                time.sleep(DISMISS_DELAY)
                _press(board, address, result)
        process.terminate()
        result.status = process.wait(10)
    time.sleep(0.5)
    result.dark = not any(pixel != DARK for pixel in board.now())
    return result


@contextmanager
def _program(board: Plugged, folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    config, log = folder / "config.toml", folder / "log"
    config.write_text(f'[lights]\n[lights.serial]\nport = "{board.link}"\nack_timeout = 1.0\n')
    play = [sys.executable, "-m", "focus_companion.cli", "play", "--camera", "demo", "--port", "0"]
    environment = os.environ | {"FOCUS_COMPANION_CONFIG": str(config)}
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*play, "--data", str(folder / "data")], env=environment, stdout=out, stderr=subprocess.STDOUT
        )
    try:
        while not (line := [text for text in log.read_text().splitlines() if text.startswith("Page: ")]):
            if process.poll() is not None:
                raise RuntimeError(log.read_text())
            time.sleep(0.1)
        yield process, line[0].removeprefix("Page: ")
    finally:
        process.kill()
        process.wait()


def _state(address: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{address}api/state", timeout=10) as answer:
        state: dict[str, Any] = json.load(answer)
    return state


def _check_lights(board: Plugged, address: str, result: Result) -> None:
    before = _state(address)
    time.sleep(0.4)
    pixels, after = board.now(), _state(address)
    if before["event"] != after["event"] or not after["ready"] or not after["to_move"]:
        return  # something happened in between, or nobody is to move
    result.checks += 1
    lit = [colour for n, colour in enumerate(COLOURS) if pixels[TURN_PIXEL + n] != DARK]
    # Without pictures of the camera, as when the machine is too busy to draw them, all four blink slowly.
    wanted = [[after["to_move"]]] if after["camera"] == "ok" else [[], list(COLOURS)]
    result.right += lit in wanted


def _press(board: Plugged, address: str, result: Result) -> None:
    if not _state(address)["alert"]:
        return  # put right on the board
    board.say("press")
    began = time.monotonic()
    while _state(address)["alert"] and time.monotonic() - began < 10:
        time.sleep(0.02)
    if time.monotonic() - began < 10:
        result.dismissed = time.monotonic() - began
    board.say("release")
