"""A real session and journal with a scripted sight instead of a camera."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from focus_companion.game.moves import Move
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.game.squares import SQUARES
from focus_companion.referee.verdict import StartSeen, TurnSeen, Verdict
from focus_companion.session.session import Session
from focus_companion.storage.journal import Journal
from focus_companion.vision.capture.frames import Frame
from focus_companion.vision.detection.manual_corners import check_corners


class ScriptedSight:
    """Emits for each frame the verdicts that the test has scripted."""

    camera_state = "ok"
    any_shades = True
    at_rest = False
    lifted: tuple[int, int] | None = None

    def __init__(self) -> None:
        self.script: list[Verdict] = []
        self.placed: list[Any] = []
        self.vouched = 0
        self.reads: list[Verdict] = []
        self.looks: dict[str, dict[str, str]] = {}

    def read(self, frame: Frame, standing: Position | None) -> Sequence[Verdict]:
        return self.reads

    def read_again(self) -> None:
        pass

    def push(self, frame: Frame, history: Sequence[Position], asked: Any = None) -> Sequence[Verdict]:
        said, self.script = self.script, []
        return said

    def hurry(self, until: float) -> None:
        pass

    def vouch(self) -> None:
        self.vouched += 1

    def mount(self) -> dict[str, Any]:
        squares = dict.fromkeys(SQUARES, "sure")
        return {"tilt": 31.4, "pitch_pixels": 44.0, "step_pixels": 5.6} | {
            "verdict": "sure", "squares": squares, "advice": [],
        }  # fmt: skip

    def place(self, corners: Any, *, believed: bool = True) -> None:
        if corners is not None:
            check_corners(corners)
        self.placed.append((corners, believed))

    def corners(self) -> dict[str, tuple[float, float]]:
        return {"a1": (0.2, 0.9), "h1": (0.8, 0.9), "h8": (0.7, 0.2), "a8": (0.3, 0.2)}

    def pieces(self) -> dict[str, dict[str, str]]:
        return self.looks

    def overlay(self, image: Any, stacks: Sequence[str], wrong: Sequence[int] = ()) -> Any:
        drawn = image.copy()
        drawn[:40] = 255
        return drawn


class Table:
    """A game controlled by the test."""

    def __init__(
        self, folder: Path, rules: Rules | None = None, players: dict[str, str] | None = None
    ) -> None:
        self.sight = ScriptedSight()
        self.journal = Journal(folder)
        self.session = Session(rules or Rules.make(), players or {}, self.journal, lambda _: self.sight)
        self.frames = 0

    def see(self, *verdicts: Verdict) -> None:
        """Push one frame with these verdicts."""
        self.sight.script = list(verdicts)
        image = np.full((96, 128, 3), self.frames % 200, np.uint8)
        self.frames += 1
        self.session.push(Frame(self.frames, self.frames / 15, image))

    def start(self) -> None:
        self.see(StartSeen())

    def play(self, *moves: str) -> None:
        for move in moves:
            self.see(TurnSeen(Move.parse(move), 0.97))

    @contextmanager
    def looping(self) -> Iterator[None]:
        """Carry out requests on a separate thread, as the game thread does between two frames."""
        stop = threading.Event()
        loop = threading.Thread(
            target=lambda: [self.session.attend() for _ in iter(lambda: stop.wait(0.02), True)]
        )
        loop.start()
        try:
            yield
        finally:
            stop.set()
            loop.join()

    def ask(self, client: FlaskClient, body: Any, headers: dict[str, str] | None = None) -> TestResponse:
        """The response to an act that is carried out while the game thread is running."""
        with self.looping():
            return client.post("/api/requests", json=body, headers=headers)

    def close(self) -> None:
        self.session.close()
        self.journal.close()
