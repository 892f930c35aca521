"""Draws the first error of a failed game: the picture, with what was believed and what was true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from benchmarks.accuracy.scoring import Json, Problem, board_text
from focus_companion.game.position import parse_position
from focus_companion.vision.capture.frames import Image
from focus_companion.vision.geometry.stack_masks import Outlines
from focus_companion.vision.overlay import draw_reading

PANEL_WIDTH = 960
"""Width of a panel in pixels."""

SECONDS_AFTER_DUE = 0.5
"""Seconds after which the picture is taken if something was due and nothing was emitted."""

Event = Mapping[str, Any]


def believed(events: Sequence[Event], time: float, start: str) -> str:
    """The position that was believed at ``time`` (s), as text; ``start`` is the first one."""
    positions = [start]
    for event in events:
        if float(event["time"]) > time:
            break
        if event["type"] == "move":
            positions = [*positions[: int(event["ply"])], str(event["position"])]
        elif event["type"] == "taken_back":
            positions = positions[: int(event["ply"]) + 1]
    return positions[-1]


def moment(problem: Problem) -> float:
    """The time (s) at which a problem is visible."""
    return problem.time + (SECONDS_AFTER_DUE if problem.what.startswith("missed") else 0.0)


def shown_at(truth: Json, time: float) -> Json:
    """The segment of the ground truth at a time (s)."""
    frames: Sequence[Json] = truth["frames"]
    return next((frame for frame in reversed(frames) if float(frame["t"]) <= time + 1e-6), frames[0])


def line(name: str, problem: Problem) -> str:
    """What went wrong, in one line."""
    return f"{name} at {problem.time:.1f} s: {problem.kind}: {problem.detail}".rstrip(": ")


def sheet(
    seen: tuple[Image, Outlines], truth: Json, events: Sequence[Event], problem: Problem, name: str
) -> Image:
    """The picture at that time, what was believed and what was true, with the differences marked."""
    image, outlines = seen
    time = moment(problem)
    start = board_text(truth["frames"][0]["board"])
    reading = parse_position(believed(events, time, start))
    true = parse_position(board_text(shown_at(truth, time)["board"]))
    wrong = [square for square, (a, b) in enumerate(zip(reading, true, strict=True)) if a != b]
    panels = [
        _titled(image, f"{name}, {time:.1f} s"),
        _titled(draw_reading(image, outlines, reading, wrong), "believed"),
        _titled(draw_reading(image, outlines, true, wrong), "true"),
    ]
    return np.asarray(np.hstack(panels), np.uint8)


def keep(directory: Path, name: str, picture: Image, text: str) -> None:
    """Write ``NAME.png`` and ``NAME.txt``."""
    directory.mkdir(parents=True, exist_ok=True)
    if not cv2.imwrite(str(directory / f"{name}.png"), picture):
        raise OSError(f"cannot write {directory / name}.png")
    (directory / f"{name}.txt").write_text(text + "\n", encoding="utf-8")


def _titled(image: Image, title: str) -> Image:
    height = round(image.shape[0] * PANEL_WIDTH / image.shape[1])
    panel = np.asarray(cv2.resize(image, (PANEL_WIDTH, height), interpolation=cv2.INTER_AREA), np.uint8)
    for colour, thick in (((0, 0, 0), 5), ((255, 255, 255), 2)):
        cv2.putText(panel, title, (14, 36), cv2.FONT_HERSHEY_SIMPLEX, 1.0, colour, thick, cv2.LINE_AA)
    return panel
