"""The computer as ``play`` starts it: the real engine, and a simulated table that makes its turns."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from loopback import free_port
from small_demo import SMALL_DEMO
from test_seats_killed import children

from focus_companion.game.colours import NAMES
from focus_companion.game.moves import Move
from focus_companion.game.play import removed
from focus_companion.game.position import parse_position
from focus_companion.session.events import Alert, GameBegan, Moved, Reply
from focus_companion.storage.journal import Journal

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

ROOT = Path(__file__).parents[2]
SOON = 30
"""Timeout in seconds for a turn with one second of thinking, on a machine under load."""


class Playing:
    """``focus-companion play`` on the simulated table, its data and its log in ``folder``."""

    def __init__(self, folder: Path, *more: str) -> None:
        self.port = free_port()
        kept = {key: value for key, value in os.environ.items() if not key.startswith("FOCUS_COMPANION_")}
        self.process = subprocess.Popen(
            [*SMALL_DEMO, "play", "--camera", "demo",
             "--port", str(self.port), "--data", str(folder / "data"), *more],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=kept | {"FOCUS_COMPANION_LIGHTS": "none", "XDG_STATE_HOME": str(folder / "state"),
                        "PYTHONPATH": str(ROOT)},
        )  # fmt: skip

    def until(self, what: Callable[[dict[str, Any]], Any], seconds: float = 300) -> dict[str, Any]:
        end = time.monotonic() + seconds
        state: dict[str, Any] = {}
        while time.monotonic() < end:
            assert self.process.poll() is None, self.process.communicate()[0]
            with suppress(OSError):  # it is not up yet
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/state", timeout=60) as answer:
                    state = json.load(answer)
                if what(state):
                    return state
            time.sleep(0.2)
        pytest.fail(f"timed out waiting; the state is {state}")

    def end(self) -> str:
        """Stop it as a service is stopped; what it printed."""
        programs = children(self.process.pid)
        assert programs, "nobody thinks"
        self.process.send_signal(signal.SIGTERM)
        said = self.process.communicate(timeout=120)[0]
        assert self.process.returncode == 0, said
        end = time.monotonic() + 60
        while any(Path(f"/proc/{pid}").exists() for pid in programs):
            assert time.monotonic() < end, "a program outlived the game that it played in"
            time.sleep(0.02)
        return said


@pytest.fixture
def playing(tmp_path: Path) -> Iterator[Callable[..., Playing]]:
    made: list[Playing] = []

    def start(*more: str) -> Playing:
        made.append(Playing(tmp_path, *more))
        return made[-1]

    yield start
    for one in made:
        one.process.kill()
        one.process.communicate()


def replies_made(folder: Path, without_hands: Sequence[str]) -> int:
    """The number of replies made; each was made as requested, and no turn of those players without one."""
    made = 0
    with Journal(folder / "data" / "demo") as journal:
        due: Reply | None = None
        for _, event in journal.events(limit=100_000):
            match event:
                case GameBegan():
                    due = None
                case Reply():
                    assert due is None and event.by == "companion" and event.player in without_hands
                    due = event
                case Moved(player=player) if player in without_hands:
                    assert due is not None and (due.player, due.move) == (player, event.move)
                    due, made = None, made + 1
                case Alert(reason="not_the_reply"):
                    assert due is not None and due.player == event.player
    return made


@pytest.mark.parametrize(
    ("options", "seats"),
    [
        (["--seat", "red=companion:3"], {"green": "board", "red": "companion:3"}),
        (
            ["--players", "4", "--partners", "--seat", "red=companion", "--seat", "blue=companion"],
            {"green": "board", "blue": "companion", "yellow": "board", "red": "companion"},
        ),
    ],
    ids=["two", "partners"],
)
def test_the_computer_plays_at_the_table(
    playing: Callable[..., Playing], tmp_path: Path, options: list[str], seats: dict[str, str]
) -> None:
    without_hands = [colour for colour, kind in seats.items() if kind != "board"]
    one = playing(*options)
    first = one.until(lambda state: state["to_move"] in without_hands)
    assert first["seats"] == seats
    state = one.until(lambda state: state["reply"], SOON)
    reply = state["reply"]
    assert reply["player"] == state["to_move"] and reply["by"] == "companion"
    # It says what to take off, as a prompt does.
    letters = {name: letter for letter, name in NAMES.items()}
    with Journal(tmp_path / "data" / "demo") as journal:
        history = journal.history(state["game"])
    before = history.positions[state["ply"]]
    assert before.stacks == parse_position(state["position"]) and before.to_move == letters[reply["player"]]
    gone = removed(before, Move.parse(reply["move"]), history.rules)
    assert [item["piece"] for item in reply["remove"]] == [piece.piece for piece in gone]
    one.until(lambda state: state["game"] > 1 or state["ply"] >= 8)
    said = one.end()
    made = replies_made(tmp_path, without_hands)
    assert made >= 4
    # It resumes the same game with the same seats, and makes the pending turn.
    two = playing()
    after = two.until(lambda _: True)
    assert after["seats"] == seats
    two.until(lambda state: replies_made(tmp_path, without_hands) >= made + 2)
    said += two.end()
    log = (tmp_path / "state" / "focus_companion" / "log" / "focus-companion.log").read_text(encoding="utf-8")
    for told in (said, log):
        assert not any(word in told for word in ("Traceback", "ERROR", "WARNING", "stopped playing")), told
    assert "nodes" not in said and f"For {without_hands[0]}: " in said
