"""Gives the same frames to several watchers, ours and the peer methods, and scores all their events."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Protocol

import numpy as np

from benchmarks.accuracy.scoring import Json, Score, score
from focus_companion.commands.watch import WRITTEN_EVENTS
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.referee.referee import Referee
from focus_companion.session.decisions import DecisionListener
from focus_companion.session.events import Event
from focus_companion.session.pipeline import Pipeline
from focus_companion.session.session import Session
from focus_companion.vision.capture.frames import Frame, Image
from focus_companion.vision.detection.board_search import BoardSearch
from focus_companion.vision.detection.find_board import FoundBoard
from focus_companion.vision.geometry import resize as sizes
from focus_companion.vision.geometry.board_profiles import plastic_sets
from focus_companion.vision.geometry.resize import WORK_PIXELS
from focus_companion.vision.geometry.scene import BoardProfile
from focus_companion.vision.tracking.look import Look
from focus_companion.vision.tracking.watcher import Watcher


class Contestant(Protocol):
    """Receives every frame once, in order, and returns the events that it emits for it."""

    name: str

    def see(self, frame: Frame) -> list[dict[str, Any]]: ...


INVISIBLE_RISE: Final = 0.01
"""Millimetres that each piece adds to a stack if heights are to be ignored."""


class NoChangeDetection(Watcher):
    """Judges pictures by colour alone, without change detection: any square is equally likely to have
    changed.
    """

    def see(self, frame: Frame) -> Look | None:
        look = super().see(frame)
        if look is not None:
            look.touched = np.full_like(look.touched, 0.5)
        return look


def coarse_board(
    image: Image, profiles: Sequence[BoardProfile], stacks: Sequence[str] | None, _pitch: float | None
) -> FoundBoard | None:
    """The board as found by the first half of the finder."""
    best = BoardSearch(sizes.reduced(image, WORK_PIXELS)[0], profiles[0], stacks, None).best()
    return None if best is None else FoundBoard(sizes.resized(best.camera, image), profiles[0], 1.0)


ABLATIONS: Final[Mapping[str, Callable[..., Watcher]]] = {
    "height": Watcher,
    "change": NoChangeDetection,
    "colours": partial(Watcher, keep=1.0),
    "pose": partial(Watcher, finder=coarse_board),
    "beam": Watcher,
}
"""Parts of the product that can be disabled (ablated), and the watchers without them: without "colours", the
colours stay as learned when the board was found; without "pose", the outlines of the pieces are not fitted.
"""


class AblatedPipeline(Pipeline):
    """The product's pipeline without one of its parts."""

    def __init__(self, rules: Rules, profiles: Sequence[BoardProfile], without: str) -> None:
        super().__init__(rules, profiles)
        self._without = without
        if without == "beam":
            self._referee = Referee(rules, max_beliefs=1)

    def _new_watcher(self, position: Position) -> Watcher:
        kind = ABLATIONS[self._without]
        return kind(self._profiles, position.stacks, self._players, rank1=self._rank1, lens=self._lens)


class Ours:
    """The product: pipeline and session, as in ``watch``, complete or without one part.

    Without "height" every stack is taken to be as high as one piece; without "beam" only the
    likeliest of several indistinguishable turns is kept.
    """

    name = "ours"

    def __init__(
        self,
        rules: Rules,
        without: str = "",
        *,
        profiles: Sequence[BoardProfile] = plastic_sets(),
        rank1: str = "bottom",
        on_decision: DecisionListener | None = None,
    ) -> None:
        if without:
            self.name = f"ours without {without}"
        if without == "height":
            profiles = tuple(replace(profile, rise=INVISIBLE_RISE) for profile in profiles)
        self.pipeline = (
            AblatedPipeline(rules, profiles, without)
            if without
            else Pipeline(rules, profiles, rank1=rank1, on_decision=on_decision)
        )
        self.session = Session(rules, {}, None, self.pipeline)

    def see(self, frame: Frame) -> list[dict[str, Any]]:
        return self.public(self.session.push(frame))

    def public(self, events: Iterable[Event]) -> list[dict[str, Any]]:
        """The events that ``watch`` writes, as JSON."""
        emitted = [event.to_json() for event in events if event.type in WRITTEN_EVENTS]
        return [{**event, "time": round(event["time"], 3)} for event in emitted]

    def overlay(self, image: Image) -> Image:
        """The picture with the position that the session believes drawn over it."""
        return self.pipeline.overlay(image, self.session.position.stacks)


@dataclass
class Run:
    """The events of one contestant for one game, and the seconds of processor time that it took."""

    name: str
    events: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0
    error: str = ""


def run_all(frames: Iterable[Frame], contestants: Iterable[Contestant]) -> dict[str, Run]:
    """Give all frames to all contestants. One that raises an exception is dropped; its run says why."""
    runs = {contestant.name: (contestant, Run(contestant.name)) for contestant in contestants}
    for frame in frames:
        for contestant, run in runs.values():
            if run.error:
                continue
            began = time.thread_time()
            try:
                run.events += contestant.see(frame)
            except Exception as error:  # a benchmark lists every failure, of any kind
                run.error = f"{type(error).__name__} at {frame.time:.2f} s: {error}"
            run.seconds += time.thread_time() - began
    return {name: run for name, (_, run) in runs.items()}


def scores(truth: Json, runs: Mapping[str, Run]) -> dict[str, Score]:
    return {name: score(truth, run.events) for name, run in runs.items()}
