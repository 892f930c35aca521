"""Measures how reliably and accurately the board is found, in recordings, stills and altered copies of them.

    python -m benchmarks.accuracy.finding FOOTAGE [--every N] [--changed N] [--seed S]

FOOTAGE holds recordings (folders with ``truth.json`` and ``frames``) and folders of stills. For recordings
the finder knows the position, for stills nothing. Per picture: the mean error of the corners and of the top
of a five-high stack, both in squares, the processor time in seconds, and the confidence. ``--changed N`` adds
N copies of each picture, randomly rotated, warped, resized, cropped, darkened, tinted and made noisy.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from focus_companion.game.squares import SQUARES
from focus_companion.simulator.for_tests.corner_error import corner_error
from focus_companion.vision.detection.find_board import find_board
from focus_companion.vision.geometry.board_profiles import board_profile
from focus_companion.vision.geometry.pose import turned
from focus_companion.vision.geometry.scene import BoardProfile, Camera, Lens

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

PROFILES = {"hemi": "domination", "shoulder": "domination-shouldered"}
"""Board profiles by the name of the piece's shape in a truth file."""

MAX_CORNER_ERROR = 0.35
"""Mean error of the corners, in squares, below which a board counts as found."""

EXACT_CORNER_ERROR = 0.06
"""The same for a board that counts as found exactly."""


@dataclass(frozen=True)
class Example:
    """A picture with its truth; ``known`` if the finder may know the position."""

    name: str
    look: str
    path: Path
    camera: Camera
    stacks: tuple[str, ...]
    known: bool
    profile: str

    def image(self) -> Image:
        return np.asarray(cv2.imread(str(self.path)), np.uint8)


def true_camera(values: dict[str, Any], pose: list[float]) -> Camera:
    """The camera of a truth file, in the coordinates of the board at ``pose`` (dx, dy mm, degrees)."""
    rotation, place = np.array(values["R"]), np.array(values["t"])
    angle = np.radians(pose[2])
    turn = np.array([(np.cos(angle), -np.sin(angle), 0), (np.sin(angle), np.cos(angle), 0), (0, 0, 1)])
    place = rotation @ (pose[0], pose[1], 0.0) + place
    x, y, z = cv2.Rodrigues(rotation @ turn)[0].reshape(3)
    matrix = values["K"]
    k1, k2, p1, p2 = values["dist"]
    width, height = values["size"]
    lens = Lens(width, height, matrix[0][0], (matrix[0][2], matrix[1][2]), (k1, k2, p1, p2))
    return Camera(lens, (float(x), float(y), float(z)), (float(place[0]), float(place[1]), float(place[2])))


def examples(folder: Path, every: int = 1) -> Iterator[Example]:
    """The first and every ``every``-th settled frame of each recording, and all stills."""
    for truth_file in sorted(folder.glob("*/truth.json")):
        truth = json.loads(truth_file.read_text())
        look = truth_file.parent.name
        stills = truth.get("stills")
        frames = [frame for frame in truth.get("frames", ()) if frame["kind"] == "settled"]
        for frame in stills if stills is not None else frames[::every]:
            shot = frame if stills is not None else truth
            yield Example(
                f"{look}/{Path(frame['file']).stem}",
                look + (frame["file"] if stills is not None else ""),
                truth_file.parent / frame["file"],
                true_camera(shot["camera"], frame["board_pose"]),
                tuple(frame["board"].get(square, "").lower() for square in SQUARES),
                stills is None,
                PROFILES[shot["geometry"]["cap"]["profile"]],
            )


def near(camera: Camera, truth: Camera, profile: BoardProfile) -> bool:
    """Whether a camera is correct, up to quarter turns."""
    return corner_error(camera, truth, profile, turns=4) < MAX_CORNER_ERROR


def top_error(camera: Camera, truth: Camera, profile: BoardProfile, turns: int) -> float:
    """Mean distance in squares between the true and the predicted tops of five-high stacks."""
    tops = np.column_stack([profile.centres, np.full(52, 4 * profile.rise + profile.piece.height)])
    wanted = truth.project(tops)
    errors = []
    for k in range(turns):
        shown = turned(camera, k).project(tops)
        errors.append(np.linalg.norm(shown[:, None] - wanted[None], axis=2).min(1).mean() if k else None)
        if k == 0:
            errors[0] = np.linalg.norm(shown - wanted, axis=1).mean()
    return float(min(error for error in errors if error is not None) / truth.pitch_pixels(profile))


def changed(image: Image, camera: Camera, rng: np.random.Generator) -> tuple[Image, Camera]:
    """The picture as another camera in the same place would take it, rotated about its centre, in other
    light.
    """
    height = image.shape[0]
    size = [(640, 480), (1280, 960), (960, 720), (1280, 720), (1920, 1080)][rng.integers(5)]
    zoom = size[1] / height * rng.uniform(0.85, 1.1)
    lens = Lens(
        *size,
        camera.lens.focal * zoom,
        (size[0] / 2 - 0.5, size[1] / 2 - 0.5),
        (float(rng.uniform(-0.1, 0.0)), 0.005, 0.0, 0.0),
    )
    spin = cv2.Rodrigues(np.array([rng.normal(0, 0.05), rng.normal(0, 0.05), rng.uniform(-np.pi, np.pi)]))[0]
    x, y, z = cv2.Rodrigues(spin @ camera.rotation_matrix)[0].reshape(3)
    moved = spin @ np.array(camera.translation)
    view = Camera(lens, (float(x), float(y), float(z)), (float(moved[0]), float(moved[1]), float(moved[2])))
    grid = np.stack(np.meshgrid(np.arange(size[0]), np.arange(size[1])), -1).reshape(-1, 1, 2).astype(float)
    rays = cv2.undistortPoints(grid, lens.matrix, np.array(lens.distortion)).reshape(-1, 2)
    rays = np.column_stack([rays, np.ones(len(rays))]) @ spin
    rays /= np.maximum(rays[:, 2:], 0.1)
    source = Camera(camera.lens, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)).project(rays)
    places = source.astype(np.float32).reshape(size[1], size[0], 2)
    seen = cv2.remap(image, places, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    tint = rng.uniform(0.4, 1.15) * rng.uniform(0.8, 1.2, 3)
    noisy = seen * tint + rng.normal(0, rng.uniform(0.5, 6), seen.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8), view


def main() -> None:
    cv2.setNumThreads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("footage", type=Path)
    parser.add_argument("--every", type=int, default=8)
    parser.add_argument("--changed", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    profiles = [board_profile(name) for name in PROFILES.values()]
    rng = np.random.default_rng(arguments.seed)
    rows: list[tuple[bool, float, float, float]] = []
    for example in examples(arguments.footage, arguments.every):
        pictures = [(example.name, example.image(), example.camera)]
        for copy in range(arguments.changed):
            pictures.append((f"{example.name}~{copy}", *changed(example.image(), example.camera, rng)))
        for name, image, camera in pictures:
            if arguments.only not in name:
                continue
            start = time.process_time()
            found = find_board(image, profiles, example.stacks if example.known else None)
            took = time.process_time() - start
            turns = 1 if example.known else 4
            if found is None:
                rows.append((example.known, np.inf, np.inf, took))
                print(f"{name:28} not found, {took:.2f} s  <<", flush=True)
                continue
            off = corner_error(found.camera, camera, profiles[0], turns=turns)
            top = top_error(found.camera, camera, profiles[0], turns)
            rows.append((example.known, off, top, took))
            focal = found.camera.lens.focal / camera.lens.focal
            flags = "" if off < EXACT_CORNER_ERROR else " <" if off < MAX_CORNER_ERROR else " <<"
            flags += "" if found.profile.name == example.profile else " (profile)"
            print(
                f"{name:28} corners {off:.3f} tops {top:.3f} {took:.2f} s confidence {found.confidence:.2f} "
                f"focal ×{focal:.2f} tilt {found.camera.tilt:.1f}° ({camera.tilt:.1f}°){flags}",
                flush=True,
            )
    for known, what in ((True, "position known"), (False, "nothing known")):
        some = np.array([row[1:] for row in rows if row[0] == known])
        if len(some):
            good = some[some[:, 0] < MAX_CORNER_ERROR]
            print(
                f"{what}: found {len(good)}/{len(some)}, "
                f"corners {good[:, 0].mean():.3f} (worst {good[:, 0].max():.3f}), "
                f"tops {good[:, 1].mean():.3f} (worst {good[:, 1].max():.3f}) squares, "
                f"{np.median(some[:, 2]):.2f} s (worst {some[:, 2].max():.2f})"
            )


if __name__ == "__main__":
    main()
