"""One row of frames before several watchers, ours and the peer methods. All their events are scored."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

import numpy as np

from benchmarks.accuracy.scoring import Json, Score, score
from focus_companion.commands.watch import PUBLIC
from focus_companion.game.rules import Rules
from focus_companion.referee.beliefs import MOST
from focus_companion.session.pipeline import Pipeline
from focus_companion.session.session import Session
from focus_companion.vision.capture.frames import Frame, Image
from focus_companion.vision.detection import find_board as finder
from focus_companion.vision.detection.blobs import WORK_PIXELS
from focus_companion.vision.detection.find_board import Found
from focus_companion.vision.geometry import resize as sizes
from focus_companion.vision.geometry.board_profiles import plastic_sets
from focus_companion.vision.geometry.scene import BoardProfile
from focus_companion.vision.tracking.change import Change, Smoothed
from focus_companion.vision.tracking.look import Look
from focus_companion.vision.tracking.stillness import Small
from focus_companion.vision.tracking.watcher import Watcher


class Contestant(Protocol):
    """Sees every frame once, in order, and answers with the events that it tells because of it."""

    name: str

    def see(self, frame: Frame) -> list[dict[str, Any]]: ...


LEVEL: Final = 0.01
"""Millimetres by which a stack grows with a piece, where heights are not to be seen."""


class Unchanging(Watcher):
    """Judges every picture by its colours alone: any square may have changed, as much as any other."""

    def _new_look(self, frame: Frame, smoothed: Smoothed, small: Small, change: Change | None) -> Look:
        look = super()._new_look(frame, smoothed, small, change)
        look.touched = np.full_like(look.touched, 0.5)
        return look


class Unlearning(Watcher):
    """Keeps the colours and the bare board as they were when the board was found."""

    def _learn(self, smoothed: Smoothed, keep: float, doubtful: Sequence[int]) -> None:
        super()._learn(smoothed, 1.0, doubtful)


class Coarse(Watcher):
    """Takes the board where its lattice was found, without fitting the outlines of what stands on it."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more, finder=coarse_board)


def coarse_board(
    image: Image, profiles: Sequence[BoardProfile], stacks: Sequence[str] | None = None
) -> Found | None:
    """The board as the first half of the finder has it."""
    best = finder._Hunt(sizes.reduced(image, WORK_PIXELS)[0], profiles[0], stacks, None).best()
    return None if best is None else Found(sizes.resized(best.camera, image), profiles[0], 1.0)


ABLATIONS: Final[Mapping[str, type[Watcher]]] = {
    "height": Watcher,
    "change": Unchanging,
    "colours": Unlearning,
    "pose": Coarse,
    "beam": Watcher,
}
"""Parts of the product that can be left out, to see what each is worth, and who watches without them."""


class Ours:
    """The product: pipeline and session, as ``watch`` joins them, whole or without one part.

    Without "height" every stack is taken to be as high as one piece; without "beam" of turns
    that could not be told apart only the likeliest is kept.
    """

    name = "ours"

    def __init__(
        self,
        rules: Rules,
        without: str = "",
        *,
        profiles: Sequence[BoardProfile] = plastic_sets(),
        rank1: str = "bottom",
    ) -> None:
        if without:
            self.name = f"ours without {without}"
        if without == "height":
            profiles = tuple(replace(profile, rise=LEVEL) for profile in profiles)
        watcher = ABLATIONS.get(without, Watcher)
        most = 1 if without == "beam" else MOST
        self.pipeline = Pipeline(rules, profiles, rank1=rank1, watcher=watcher, beliefs=most)
        self.session = Session(rules, {}, None, self.pipeline)

    def see(self, frame: Frame) -> list[dict[str, Any]]:
        told = [event.to_json() for event in self.session.push(frame) if event.type in PUBLIC]
        return [{**event, "time": round(event["time"], 3)} for event in told]

    def overlay(self, image: Image) -> Image:
        """The picture with the position that the session believes in drawn over it."""
        return self.pipeline.overlay(image, self.session.position.stacks)


@dataclass
class Run:
    """What one contestant told of one game, and the seconds of processor time that it took."""

    name: str
    events: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0
    error: str = ""


def hold(frames: Iterable[Frame], contestants: Iterable[Contestant]) -> dict[str, Run]:
    """All frames before all contestants. One that fails is out; its run says why."""
    runs = {contestant.name: (contestant, Run(contestant.name)) for contestant in contestants}
    for frame in frames:
        for contestant, run in runs.values():
            if run.error:
                continue
            began = time.thread_time()
            try:
                run.events += contestant.see(frame)
            except Exception as error:  # a benchmark lists what fails, whatever it is
                run.error = f"{type(error).__name__} at {frame.time:.2f} s: {error}"
            run.seconds += time.thread_time() - began
    return {name: run for name, (_, run) in runs.items()}


def scores(truth: Json, runs: Mapping[str, Run]) -> dict[str, Score]:
    return {name: score(truth, run.events) for name, run in runs.items()}
