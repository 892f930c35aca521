"""Shows a sequence to the product on a small simulated table, and notes what it makes of every step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import numpy as np

from benchmarks.accuracy.contest import Ours
from benchmarks.accuracy.unruly_play.truth import Game, Moment
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.simulator.beats import Pace
from focus_companion.simulator.board_view import BoardView
from focus_companion.simulator.director import Director
from focus_companion.simulator.scene_style import aimed_camera, pleasant_look
from focus_companion.simulator.stage import Hand, Stage, square_centre
from focus_companion.vision.capture.frames import Frame

SIZE: Final = (640, 480)
"""Pixels of a picture."""
FRAME_RATE: Final = 10.0
"""Pictures a second."""
START_SECONDS: Final = 1.0
"""Seconds for which the start is shown before the first step."""

ARM_HEIGHT: Final = 60.0
"""Millimetres above the board at which a hand rests that stays over it."""


@dataclass(frozen=True, slots=True)
class CameraView:
    """Where the camera is: degrees off the vertical, and degrees around the board."""

    tilt: float
    azimuth: float

    def __str__(self) -> str:
        return f"{self.tilt:g}°, {self.azimuth:g}° around"


@dataclass(frozen=True, slots=True)
class Noted:
    """What the product made of one step.

    ``games`` are the recorded games in turn, after every change, and whether a question was open then; the
    last one is that at the end. ``alerts`` are the reasons in turn; the others say what was emitted, and what
    was open at the end.
    """

    games: tuple[tuple[Game, bool], ...]
    alerts: tuple[str, ...]
    asked: bool
    prompted: bool
    alert_open: str
    question_open: bool


@cache
def board_view(view: CameraView) -> BoardView:
    look = pleasant_look(*SIZE)
    camera = aimed_camera(
        look.camera.lens, look.profile, tilt=view.tilt, azimuth=view.azimuth, roll=-1.5, fill=0.83
    )
    return BoardView(replace(look, camera=camera))


def watched(rules: Rules, shown: list[Moment], view: CameraView) -> Iterator[Noted]:
    """Show the start and the steps. Yields what is made of each; nothing if the start is misread."""
    table = _SmallTable(rules, view)
    if "ready" not in {event["type"] for event in table.show(table.stage, START_SECONDS)}:
        return
    for moment in shown:
        yield table.step(moment)


class _SmallTable:
    def __init__(self, rules: Rules, view: CameraView) -> None:
        self.ours = Ours(rules)
        self._view = board_view(view)
        self._director = Director(self._view.look, rules, Pace())
        self._rng = np.random.default_rng(5)
        self._frames = 0
        self.stage = self._director.stage(start_position(rules))

    def step(self, moment: Moment) -> Noted:
        """Show a step, after a moment with a hand over a square that changes."""
        games = [self._recorded()]
        alerts: list[str] = []
        types: set[str] = set()
        after = self._director.stage(moment.position, moment.stacks)
        changed = next((s for s, was in enumerate(self.stage.stacks) if was != after.stacks[s]), None)
        shows: list[tuple[Stage, float]] = []
        if changed is not None:
            hand = Hand("E", *square_centre(self._view.look, changed), 20.0)
            shows.append((replace(self.stage, hand=hand), 1 / FRAME_RATE))
        self.stage = after
        if moment.step.hand:
            hand = Hand("E", *square_centre(self._view.look, moment.step.hand), ARM_HEIGHT, closed=0.4)
            after = replace(after, hand=hand)
        for stage, seconds in (*shows, (after, moment.step.seconds)):
            for event in self.show(stage, seconds):
                types.add(event["type"])
                if event["type"] == "alert":
                    alerts.append(event["reason"])
                if games[-1] != (recorded := self._recorded()):
                    games.append(recorded)
        history = self.ours.session.history
        return Noted(
            tuple(games),
            tuple(alerts),
            asked="unclear" in types,
            prompted="prompt" in types,
            alert_open=history.alert.reason if history.alert is not None else "",
            question_open=history.unclear is not None,
        )

    def show(self, stage: Stage, seconds: float) -> Iterator[dict[str, str]]:
        """Show a still stage. Yields the emitted events as JSON."""
        for _ in range(round(seconds * FRAME_RATE)):
            image = self._view.shoot(stage, self._rng, detail=0.5)
            yield from self.ours.see(Frame(self._frames, self._frames / FRAME_RATE, image))
            self._frames += 1

    def _recorded(self) -> tuple[Game, bool]:
        history = self.ours.session.history
        return tuple(str(move.what) for move in history.moves), history.unclear is not None
