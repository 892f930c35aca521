"""Alters the light of a recording in uneven ways: a program for :mod:`benchmarks.accuracy.life`.

    python -m benchmarks.accuracy.life benchmarks/accuracy/uneven_light.py FOLDER --effects patches sun leaves

It is run as ``uneven_light.py VIDEO OUT EFFECT:STRENGTH… --seed S``. VIDEO is ``NAME.mp4`` of a recording;
OUT and its ``.truth.json`` are written. STRENGTH is 1 to 3. Everything follows from the seed, the effect and
the name of the recording.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import av
import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Field = NDArray[np.float32]
Lit = Callable[[float], Field]
"""The factors of grey levels (h, w, 1 or 3) at a time in seconds."""

GAMMA: Final = 2.2
"""Of the pictures: so many times the light is that power of it in grey levels."""


@dataclass(frozen=True)
class Scene:
    """A recording: its truth, its duration in seconds, and the size (w, h) of its pictures."""

    truth: dict[str, Any]
    seconds: float
    size: tuple[int, int]

    def pixels(self, places: Floats) -> Floats:
        """The pixels (N, 2) of places (N, 2) in mm from the centre of the board."""
        camera = self.truth["camera"]
        points = np.column_stack([places, np.full(len(places), 10.0)])
        turn, shift = cv2.Rodrigues(np.array(camera["R"]))[0], np.array(camera["t"], float)
        lens = np.array(camera["K"]), np.array(camera["dist"])
        return np.asarray(cv2.projectPoints(points, turn, shift, *lens)[0].reshape(-1, 2), float)

    def reaches(self) -> list[float]:
        """The times in the middle of each stretch in which a hand is over the board."""
        return [
            float(frame["t"]) + 0.2
            for before, frame in pairwise(self.truth["frames"])
            if frame["kind"] == "hand" and before["kind"] != "hand"
        ]


@dataclass(frozen=True)
class Patch:
    """A rectangle on the board in ``factor`` times the light, with hard edges.

    Times in seconds; on the board, in mm from its centre, the ``centre`` at first, its ``drift`` in a second,
    and ``half`` of both sides; their ``angle`` in radians.
    """

    since: float
    until: float
    centre: Floats
    drift: Floats
    angle: float
    half: Floats
    factor: float

    def lit(self, scene: Scene, time: float, fading: float) -> Field:
        """The factors of grey levels; the patch comes and goes within ``fading`` seconds."""
        shown = np.clip(min(time - self.since, self.until - time) / fading, 0, 1)
        if shown == 0:
            return np.ones((1, 1, 1), np.float32)
        along = np.array([np.cos(self.angle), np.sin(self.angle)])
        sides = np.array([along, (-along[1], along[0])]) * self.half[:, None]
        centre = self.centre + self.drift * (time - self.since)
        corners = centre + np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) @ sides
        mask = np.zeros(scene.size[::-1], np.float32)
        cv2.fillConvexPoly(mask, np.round(scene.pixels(corners)).astype(int), 1.0)
        mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), 2.0), np.float32)
        return _levels(1 + np.float32((self.factor - 1) * shown) * mask[..., None])


def _levels(light: Floats | Field) -> Field:
    """Factors of light as factors of grey levels."""
    return np.asarray(light, np.float32) ** np.float32(1 / GAMMA)


def patches(scene: Scene, strength: int, rng: np.random.Generator) -> Lit:
    """Sun and shadows with hard edges come while a hand is over the board, and stay for some turns."""
    factor, number, reaches = (1.3, 1.6, 2.4)[strength - 1], strength + 1, scene.reaches()
    lasting = 0.7 * scene.seconds / number
    found: list[Patch] = []
    for some in np.array_split(np.array(reaches), number):
        since = float(rng.choice(some))
        where = (
            rng.uniform(-110, 110, 2),
            rng.uniform(-1, 1, 2),
            rng.uniform(0, np.pi),
            rng.uniform(60, 140, 2),
        )
        found.append(Patch(since, since + lasting, *where, factor if len(found) % 2 == 0 else 1 / factor))
    return lambda time: reduce(np.multiply, (each.lit(scene, time, 0.4) for each in found))


def sun(scene: Scene, strength: int, rng: np.random.Generator) -> Lit:
    """The sun comes through a window at any time, moves by up to 4 mm a second, and goes."""
    factor, number = (1.25, 1.6, 2.4)[strength - 1], strength + 1
    found = []
    for part in range(number):
        since = scene.seconds * (part + rng.uniform(0.2, 0.6)) / number
        where = (
            rng.uniform(-120, 120, 2),
            rng.uniform(-4, 4, 2),
            rng.uniform(0, np.pi),
            rng.uniform(60, 130, 2),
        )
        found.append(Patch(since, since + rng.uniform(5, 14), *where, factor))
    return lambda time: reduce(np.multiply, (each.lit(scene, time, 0.8) for each in found))


def leaves(scene: Scene, strength: int, rng: np.random.Generator) -> Lit:
    """The dappled shadows of leaves that move in the wind, half a square across."""
    size, depth = scene.size, 2 * (0.1, 0.2, 0.35)[strength - 1]
    pitch = scene.truth["geometry"]["pitch_mm"]
    square = float(np.linalg.norm(np.diff(scene.pixels(np.array([(0.0, 0.0), (pitch, 0.0)])), axis=0)))
    noise = cv2.GaussianBlur(rng.standard_normal((size[1] + 400, size[0] + 400)), (0, 0), square / 2)
    dark = depth / (1 + np.exp(-3 * noise / noise.std()))
    phases = rng.uniform(0, 2 * np.pi, 4)

    def lit(time: float) -> Field:
        waves = np.sin(np.array([0.7, 1.3, 0.9, 1.1]) * time + phases)
        right, down = (200 + 0.5 * square * (waves[::2] + 0.5 * waves[1::2])).astype(int)
        return _levels(1 - dark[down : down + size[1], right : right + size[0], None])

    return lit


def television(scene: Scene, strength: int, rng: np.random.Generator) -> Lit:
    """A television lights one side of the picture; its colour and brightness jump."""
    spread, angle = (0.05, 0.12, 0.25)[strength - 1], rng.uniform(0, 2 * np.pi)
    times = np.cumsum(rng.uniform(0.3, 2.5, round(scene.seconds) * 2))
    colours = np.clip(
        rng.normal(0, spread, (len(times) + 1, 3)) + rng.normal(0, spread, (len(times) + 1, 1)), -0.6, 1
    )
    y, x = np.mgrid[-1 : 1 : scene.size[1] * 1j, -1 : 1 : scene.size[0] * 1j]
    near = 0.5 + 0.5 * np.clip(x * np.cos(angle) + y * np.sin(angle), -1, 1)

    def lit(time: float) -> Field:
        colour = colours[np.searchsorted(times, time)]
        return _levels(np.clip(1 + near[..., None] * colour, 0.2, 2.5))

    return lit


EFFECTS: Final = {"patches": patches, "sun": sun, "leaves": leaves, "television": television}


def altered(video: Path, out: Path, effects: list[str], seed: int) -> None:
    """Write the video with these effects, and its truth."""
    truth = json.loads((video.parent / video.stem / "truth.json").read_text(encoding="utf-8"))
    with av.open(str(video)) as source, av.open(str(out), "w") as target:
        shown = source.streams.video[0]
        size, rate = (shown.width, shown.height), shown.average_rate or Fraction(15)
        scene = Scene(truth, shown.frames / float(rate), size)
        lit = []
        for text in effects:
            name, _, strength = text.partition(":")
            rng = np.random.default_rng([seed, *(zlib.crc32(each.encode()) for each in (name, video.stem))])
            lit.append(EFFECTS[name](scene, int(strength or 2), rng))
        stream = target.add_stream("h264", rate=rate, options={"crf": "23", "preset": "veryfast"})
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        for number, frame in enumerate(source.decode(shown)):
            image: Field = frame.to_ndarray(format="bgr24").astype(np.float32)
            for each in lit:
                image = image * each(number / float(rate))
            changed = np.clip(image, 0, 255).astype(np.uint8)
            target.mux(stream.encode(av.VideoFrame.from_ndarray(changed, format="bgr24")))
        target.mux(stream.encode())
    out.with_suffix(".truth.json").write_text(json.dumps(truth), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("video", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("effects", nargs="+", metavar="EFFECT:STRENGTH", help=", ".join(EFFECTS))
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    unknown = {text.partition(":")[0] for text in given.effects} - EFFECTS.keys()
    if unknown:
        parser.error(f"no effect {', '.join(sorted(unknown))}; there are {', '.join(EFFECTS)}")
    altered(given.video, given.out, given.effects, given.seed)


if __name__ == "__main__":
    main()
