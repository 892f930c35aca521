"""Causes external faults, each many times: does the game resume by itself, and how soon?

    python -m benchmarks.reliability.outside_faults   # every fault 50 times
    python -m benchmarks.reliability.outside_faults --times 5 --fault frozen --fault stalled

A phone on loopback (a real MJPEG stream over HTTP) shows a simulated board to the real source, pipeline,
session, journal and game thread. A fault starts; once it is reported, a turn is made unseen at the board;
then the fault ends. The recovery time counts from there until that very turn is emitted. Where no device is
possible (a camera on a cable, the computer's sleep), a test double behaves like one; the table says where.
Every fault runs in a separate process, ``--jobs`` at a time.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from benchmarks.mjpeg_server import MjpegServer
from benchmarks.quantiles import quantile
from focus_companion.game.moves import DISTANCE, legal_moves
from focus_companion.game.play import removed
from focus_companion.game.rules import Rules
from focus_companion.session.pipeline import Pipeline
from focus_companion.session.runner import Runner, SleepMeter
from focus_companion.session.session import Session
from focus_companion.simulator.beats import Pace
from focus_companion.simulator.board_view import BoardView
from focus_companion.simulator.director import Director
from focus_companion.simulator.scene_style import pleasant_look
from focus_companion.storage.journal import Journal
from focus_companion.vision.capture.frames import Frame, FrameError, Image, Source
from focus_companion.vision.capture.sources import open_source

FPS: Final = 8.0
SIZE: Final = (640, 480)
VARIANTS: Final = 5
"""Number of pictures of one position, each with different noise."""

TIMEOUT: Final = 60.0
"""Seconds after which a fault counts as not reported, or not recovered from."""


class Table:
    """The simulated board: ``picture`` is the camera's current view, each time with different noise."""

    def __init__(self, session: Session) -> None:
        self._session = session
        look = pleasant_look(*SIZE)
        self._view, self._director = BoardView(look), Director(look, session.rules, Pace())
        self._rng, self._chance = np.random.default_rng(3), np.random.default_rng()
        self._pictures: list[Image] = []
        self.show()

    def picture(self) -> Image:
        picture = self._pictures[int(self._chance.integers(VARIANTS))].copy()
        # A few unique pixels, so that no two pictures are equal by chance.
        picture[:8, :8] = self._chance.integers(0, 255, (8, 8, 3), np.uint8)
        return picture

    def show(self, stacks: tuple[str, ...] | None = None) -> None:
        position = self._session.position
        stage = self._director.stage(position, stacks or position.stacks)
        self._pictures = [self._view.shoot(stage, self._rng, detail=0.5) for _ in range(VARIANTS)]

    def turn(self) -> str:
        """Make a turn that needs no trimming, without a visible hand; returns it."""
        position, rules = self._session.position, self._session.rules
        plain = [move for move in legal_moves(position, rules) if not removed(position, move, rules)]
        # Low stacks first, so that such turns exist for a long game.
        move = min(plain, key=lambda move: (len(position.stacks[move.target]), str(move)))
        stacks = list(position.stacks)
        assert move.origin is not None
        pieces = DISTANCE[move.origin][move.target]
        stacks[move.target] += stacks[move.origin][-pieces:]
        stacks[move.origin] = stacks[move.origin][:-pieces]
        self.show(tuple(stacks))
        return str(move)


class Phone:
    """A phone that streams pictures, possibly with a fault given by ``mode``."""

    def __init__(self, table: Table) -> None:
        self.table, self.mode = table, "fine"
        self.alter: Callable[[Image], Image] = lambda image: image
        self._server: MjpegServer | None = None
        self.port = 0
        self.switch_on()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/video"

    def switch_on(self) -> None:
        self._server = MjpegServer(self.stream, self.port)
        self.port = self._server.port

    def switch_off(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None

    def stream(self) -> Generator[bytes, None, None]:
        began, frozen = self._server, b""
        while True:
            time.sleep(1 / FPS)
            if self._server is not began or self.mode == "ended":
                return
            if self.mode == "silent":
                continue
            image = self.alter(self.table.picture())
            data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes()
            if self.mode == "frozen":
                data = frozen = frozen or data
            else:
                frozen = b""
            yield data[: len(data) // 2] if self.mode == "torn" else data


class Cable(Source):
    """Test double of a camera on a cable: its frames end when it is unplugged, and then it does not open."""

    live, end_reason = True, "unplugged"

    def __init__(self, table: Table, plugged: threading.Event) -> None:
        if not plugged.is_set():
            raise FrameError("camera 0 does not open; is it plugged in?", "unplugged")
        super().__init__("camera 0")
        self._table, self._plugged = table, plugged

    def __iter__(self) -> Iterator[Frame]:
        for index in range(10**9):
            if self._closed.wait(1 / FPS) or not self._plugged.is_set():
                return
            yield Frame(index, index / FPS, self._table.picture())


class Sleeper(SleepMeter):
    """Test double of the clock that keeps running while the computer sleeps."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def slept(self) -> float:
        seconds, self.seconds = self.seconds, 0.0
        return seconds


class Trial:
    """The real program with a fault: its ``begin`` and ``end``, by name."""

    def __init__(self, fault: str, folder: str) -> None:
        self.journal = Journal(Path(folder), write=True)
        self.session = Session(Rules.make(2), {}, self.journal, Pipeline)
        self.table = Table(self.session)
        self.phone, self.plugged, self.sleeper = Phone(self.table), threading.Event(), Sleeper()
        self.plugged.set()
        self.fault = fault
        self.events: queue.SimpleQueue[tuple[float, Any]] = queue.SimpleQueue()
        self.runner = Runner(
            self.session,
            self._open,
            on_event=lambda event: self.events.put((time.monotonic(), event)),
            sleep_meter=self.sleeper,
        )
        self.runner.start()
        self.wait("ready")

    def _open(self) -> Any:
        return (
            Cable(self.table, self.plugged) if self.fault == "unplugged" else open_source(self.phone.address)
        )

    def wait(self, kind: str, **more: Any) -> tuple[float, Any]:
        """When an event of that kind, with these keys, was emitted, and the event."""
        end = time.monotonic() + TIMEOUT
        while True:
            try:
                when, event = self.events.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise TimeoutError(f"{kind} {more} was not reported within {TIMEOUT:.0f} s") from None
            if event.type == kind and all(getattr(event, name) == value for name, value in more.items()):
                return when, event

    def begin(self) -> None:
        match self.fault:
            case "unplugged":
                self.plugged.clear()
            case "switched off":
                self.phone.switch_off()
            case "ended":
                self.phone.mode = "ended"
            case "stalled":
                self.phone.mode = "silent"
            case "torn":
                self.phone.mode = "torn"
            case "frozen":
                self.phone.mode = "frozen"
            case "dark":
                self.phone.alter = lambda image: np.asarray(image // 30, np.uint8)
            case "covered":
                self.phone.alter = covered
            case "broken off":
                self.phone.alter = broken_off
            case "other size":
                self.phone.alter = lambda image: np.asarray(cv2.resize(image, (800, 600)), np.uint8)
            case "asleep":
                self.sleeper.seconds = 3600.0

    def end(self) -> None:
        if self.fault == "switched off":
            self.phone.switch_on()
        self.plugged.set()
        # After "other size", this switches back to pictures of the first size.
        self.phone.mode = "fine"
        self.phone.alter = lambda image: image

    def once(self) -> tuple[str, float, float]:
        """Why the camera was lost, the seconds until the report, and from the fault's end to the turn."""
        began = time.monotonic()
        self.begin()
        reported, event = self.wait("lost")
        # For sleep, the turn is made while the computer sleeps, before anything can be reported.
        move = self.table.turn()
        if self.fault not in ("asleep", "other size"):
            time.sleep(1.0)
        ended = time.monotonic()
        if self.fault != "other size":
            self.end()
        back, _ = self.wait("move", move=move)
        if self.fault == "other size":
            # Changing back to the first size is the second half of the trial.
            self.end()
            self.wait("lost")
            self.wait("found")
        return event.why, reported - began, back - ended

    def close(self) -> None:
        self.runner.stop()
        self.phone.switch_off()
        self.session.close()
        self.journal.close()


def covered(image: Image) -> Image:
    few = cv2.resize(image, (4, 3), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(few, image.shape[1::-1], interpolation=cv2.INTER_LINEAR), np.uint8)


def broken_off(image: Image) -> Image:
    broken = image.copy()
    broken[len(image) // 2 :] = 128
    # Areas that a decoder fills in lack the encoder's noise.
    return broken


def viewers(times: int) -> dict[str, Any]:
    """One viewer does not read, another does: both get everything, the first one once it reads again."""
    from focus_companion.session.requests import Pause, Resume
    from focus_companion.web.app import create_app
    from focus_companion.web.server import PageServer

    each, back, slowest = 400, [], 0.0
    with tempfile.TemporaryDirectory() as folder, ExitStack() as closing:
        journal = Journal(Path(folder), write=True)
        closing.callback(journal.close)
        session = Session(Rules.make(2), {}, journal, Pipeline)
        server = closing.enter_context(PageServer(create_app(session, journal), port=0))
        for _ in range(times):
            first = session.state()["event"]
            quiet, awake = (_viewer(server.port, first) for _ in range(2))
            for number in range(each):
                began = time.monotonic()
                session.submit(Resume() if number % 2 else Pause())
                session.attend()
                slowest = max(slowest, time.monotonic() - began)
            wanted = list(range(first + 1, first + each + 1))
            assert _ids(awake, each) == wanted
            began = time.monotonic()
            assert _ids(quiet, each) == wanted
            back.append(time.monotonic() - began)
            for line in (quiet, awake):
                line.close()
        session.close()
    return {"fault": "viewer", "why": ["—"], "reported": [], "back": back, "failed": [], "slowest": slowest}


def _viewer(port: int, after: int) -> socket.socket:
    line = socket.create_connection(("127.0.0.1", port))
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.sendall(f"GET /api/events?after={after} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    return line


def _ids(line: socket.socket, count: int) -> list[int]:
    line.settimeout(TIMEOUT)
    data = b""
    while data.count(b"\ndata: ") < count or not data.endswith(b"\n"):
        data += line.recv(65536)
    return [int(row[4:]) for row in data.split(b"\n") if row.startswith(b"id: ")]


FAULTS: Final[dict[str, str]] = {
    "unplugged": "a camera's cable is pulled (a stand-in for the device)",
    "switched off": "the phone is off, nobody answers at its address",
    "ended": "the phone ends the stream, again and again",
    "stalled": "the stream stays open and sends nothing",
    "torn": "every picture of the stream is torn in the middle",
    "frozen": "always the same picture, bit for bit",
    "dark": "no light",
    "covered": "something over the lens",
    "broken off": "the lower half of each picture is missing",
    "other size": "pictures of another size",
    "asleep": "the computer sleeps for an hour (a stand-in for its clock)",
    "viewer": "a viewer of the page that reads nothing",
}
"""Description of each fault by name."""


def trials(fault: str, times: int) -> dict[str, Any]:
    if fault == "viewer":
        return viewers(times)
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(fault, folder)
        found: dict[str, Any] = {"fault": fault, "why": [], "reported": [], "back": [], "failed": []}
        try:
            for number in range(times):
                why, reported, back = trial.once()
                found["why"] = sorted({*found["why"], why})
                found["reported"].append(reported)
                found["back"].append(back)
                print(
                    f"{fault} {number + 1}: {why}, reported {reported:.2f} s, back {back:.2f} s",
                    file=sys.stderr,
                )
        except TimeoutError as error:
            found["failed"].append(str(error))
        finally:
            trial.close()
    return found


def row(found: dict[str, Any], times: int) -> str:
    back = np.array(found["back"] or [np.nan])
    reported = f"{np.median(found['reported']):.1f} s" if found["reported"] else "—"
    figures = " | ".join(f"{value:.2f} s" for value in (np.median(back), quantile(back, 0.95), back.max()))
    words = FAULTS[found["fault"]]
    return f"| {words} | {', '.join(found['why'])} | {reported} | {len(found['back'])}/{times} | {figures} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--fault", action="append", choices=list(FAULTS), help="only this (may be repeated)")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    wanted = asked.fault or list(FAULTS)
    if asked.json:
        print(json.dumps(trials(wanted[0], asked.times)), flush=True)
        # Threads inside the picture library would abort an interpreter that is being finalized.
        os._exit(0)

    def run(fault: str) -> dict[str, Any]:
        command = [
            sys.executable,
            "-m",
            "benchmarks.reliability.outside_faults",
            "--json",
            "--fault",
            fault,
            "--times",
            str(asked.times),
        ]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return found

    with ThreadPoolExecutor(asked.jobs) as pool:
        results = list(pool.map(run, wanted))
    print("| fault | reported as | reported after, median | back to play | median | p95 | worst |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for found in results:
        print(row(found, asked.times))
    for found in results:
        for failure in found["failed"]:
            print(f"{found['fault']}: {failure}", file=sys.stderr)
    sys.exit(any(len(found["back"]) < asked.times for found in results))


if __name__ == "__main__":
    main()
