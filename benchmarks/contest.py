"""One row of frames before several watchers, ours and the peer methods. All their events are scored."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

from scoring import Json, Score, score

from focus_companion.commands.watch import PUBLIC
from focus_companion.game.rules import Rules
from focus_companion.referee.referee import Patience
from focus_companion.session.pipeline import Pipeline
from focus_companion.session.session import Session
from focus_companion.vision.frames import Frame, Image
from focus_companion.vision.profiles import plastic_sets


class Contestant(Protocol):
    """Sees every frame once, in order, and answers with the events that it tells because of it."""

    name: str

    def see(self, frame: Frame) -> list[dict[str, Any]]: ...


ABLATIONS: Final = ("height", "beam")
"""Parts of the product that can be left out, to see what each is worth."""

LEVEL: Final = 0.01
"""Millimetres by which a stack grows with a piece, where heights are not to be seen."""


class Ours:
    """The product: pipeline and session, as ``watch`` joins them, whole or without one part.

    Without "height" every stack is taken to be as high as one piece; without "beam" of turns
    that could not be told apart only the likeliest is kept.
    """

    name = "ours"

    def __init__(self, rules: Rules, without: str = "") -> None:
        if without:
            self.name = f"ours without {without}"
        profiles = plastic_sets()
        if without == "height":
            profiles = tuple(replace(profile, rise=LEVEL) for profile in profiles)
        patience = Patience(beliefs=1) if without == "beam" else Patience()
        self.pipeline = Pipeline(rules, profiles, patience=patience)
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
