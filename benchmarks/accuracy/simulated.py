"""Simulated games over the whole range of views, boards, lights and cameras, each determined by its seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from focus_companion.game.rules import Rules
from focus_companion.simulator.beats import Pace
from focus_companion.simulator.board_view import BoardView, placed_camera
from focus_companion.simulator.for_tests.random_look import random_look
from focus_companion.simulator.for_tests.script import ScriptedGame, script_game
from focus_companion.simulator.scene_style import SceneStyle
from focus_companion.vision.capture.frames import Frame, Image
from focus_companion.vision.geometry.stack_masks import Outlines

FRAME_RATES: Final = (5.0, 8.0, 10.0, 12.0, 15.0, 15.0, 15.0, 20.0, 30.0)
"""Frame rates to sample from; the usual one is repeated."""

PLAYER_COUNTS: Final = (2, 2, 2, 3, 3, 4, 4)


@dataclass(frozen=True)
class Case:
    """A game to be watched, determined by ``seed``, ``plies`` and ``trouble``."""

    seed: int
    look: SceneStyle
    rules: Rules
    fps: float
    game: ScriptedGame
    detail: float = 1.0
    """The level of detail of arms."""

    @property
    def name(self) -> str:
        return f"simulated-{self.seed}"

    @property
    def tilt(self) -> float:
        """Degrees off the vertical."""
        return self.look.camera.tilt

    @property
    def pitch(self) -> float:
        """Side of a square in pixels."""
        return self.look.camera.pitch_pixels(self.look.profile)

    def about(self) -> dict[str, Any]:
        """A short description of the game for a table of results."""
        look = self.look
        return {
            "seed": self.seed,
            "players": self.rules.players,
            "partners": self.rules.partners,
            "fps": self.fps,
            "size": list(look.size),
            "tilt": round(self.tilt, 1),
            "pitch": round(self.pitch, 1),
            "board": f"{look.board.outline} {look.board.colour} {look.board.cells}",
            "pieces": look.pieces.profile,
            "noise": round(look.sensor.noise, 1),
            "table": look.table.kind,
            "jpeg": look.sensor.jpeg,
        }

    def truth(self) -> dict[str, Any]:
        return self.game.truth(self.fps)

    def frames(self) -> Iterator[Frame]:
        return self.game.frames(self.fps, detail=self.detail)

    def picture(self, beat: int) -> Image:
        """A picture from the middle of a segment of the game, by the truth's ``i``."""
        stage = self.game.beats[beat].at(0.5)
        return BoardView(self.look).shoot(stage, np.random.default_rng(self.seed))

    def moment(self, time: float) -> tuple[Image, Outlines]:
        """The picture at a time (s), and its camera and board."""
        stage = self.game.stage_at(time, self.fps)
        image = BoardView(self.look).shoot(stage, np.random.default_rng(self.seed))
        return image, Outlines(placed_camera(self.look.camera, stage.pose), self.look.profile)


def case(
    seed: int,
    plies: int,
    trouble: float,
    size: tuple[int, int] | None = None,
    rate: float | None = None,
    thinking: float = 0.0,
    quick: int = 0,
) -> Case:
    """The game of a seed. ``trouble``: the fraction of turns before which something else happens.

    ``quick`` turns come first, without trouble or hands, so that there are tall stacks that hide things.
    ``size`` (width, height) and ``rate`` (pictures a second) are random if not given. With ``thinking``,
    seconds between turns, half of the cameras deliver uncompressed pictures.
    """
    rng = np.random.default_rng([seed, 101])
    players = int(rng.choice(PLAYER_COUNTS))
    usual = {2: "gr", 3: "gbr", 4: "gbyr"}[players]
    first = int(rng.integers(players))
    rules = Rules.make(
        players,
        order=usual[first:] + usual[:first],
        partners=players == 4 and bool(rng.random() < 0.5),
    )
    drawn = float(rng.choice(FRAME_RATES))
    fps = rate or drawn
    settle = float(rng.uniform(1.0, 1.5))
    pace = Pace(settle=settle, wrong=max(1.2, settle))
    look = random_look(rng, size)
    if thinking and rng.random() < 0.5:
        look = replace(look, sensor=replace(look.sensor, jpeg=0))
    game = script_game(
        look, rules, seed=seed, plies=plies, trouble=trouble, pace=pace, thinking=thinking, quick=quick
    )
    return Case(seed, look, rules, fps, game, detail=0.5 if thinking else 1.0)
