"""What happens to pictures after the camera has made them: in its software, its encoder, and on the way.

The size of the pictures may not be that of the recording any more, see :func:`squeezed`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.alterations.scene import (
    Alteration,
    Effect,
    Field,
    Picture,
    Scene,
    blend,
    for_all_colours,
    stretches,
    wander,
)

Mask = NDArray[np.bool_]

BLOCK: Final = 16
"""Pixels of the sides of the blocks in which an encoder divides a picture."""

UNDECODED: Final = ((128, 128, 128), (0, 136, 0))
"""Grey levels of blue, green and red where data are missing: without a picture before, or all zero."""


def reduced(picture: Picture, times: int, interpolation: int = cv2.INTER_LINEAR) -> Picture:
    """The picture as if it had been transmitted with so many times fewer columns and rows."""
    height, width = picture.shape[:2]
    size = max(1, round(width / times)), max(1, round(height / times))
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, (width, height), interpolation=interpolation), np.float32)


def squeezed(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The camera delivers another size, 704×576, 704×480 or 640×360, without square pixels."""
    size = ((704, 576), (704, 480), (640, 360))[strength - 1]
    return lambda picture, time: np.asarray(
        cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.float32
    )


def tone(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The camera's software raises local contrast (CLAHE), now more and now less."""
    limit = (1.5, 3.0, 6.0)[strength - 1]
    equalizer, waves = cv2.createCLAHE(limit, (8, 8)), wander(rng, 1, (4, 20))

    def altered(picture: Picture, time: float) -> Picture:
        part = np.float32(np.clip(0.5 + 0.5 * waves(time)[0], 0, 1))
        grey = cv2.cvtColor(np.clip(picture, 0, 255).astype(np.uint8), cv2.COLOR_BGR2GRAY)
        gain = np.maximum(equalizer.apply(grey), 1) / np.maximum(grey, np.float32(1))
        factors: Field = 1 + part * (np.clip(gain, 0.3, 4.0) - 1)
        picture *= for_all_colours(factors)
        return picture

    return altered


def trail(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """Noise reduction keeps 50 to 85 % of the picture before, at strength 3 also where things move."""
    kept = np.float32((0.5, 0.7, 0.85)[strength - 1])
    # From so many grey levels on, a change counts as motion, which is shown at once.
    motion = np.float32((25, 40, np.inf)[strength - 1])
    before: list[Picture] = []

    def altered(picture: Picture, time: float) -> Picture:
        if before and before[0].shape == picture.shape:
            last = before[0]
            if np.isfinite(motion):
                change = cv2.cvtColor(cv2.absdiff(picture, last), cv2.COLOR_BGR2GRAY)
                blend(picture, last, kept * np.clip(2 - 2 * cv2.blur(change, (5, 5)) / motion, 0, 1))
            else:
                picture = np.asarray(
                    cv2.addWeighted(last, float(kept), picture, 1 - float(kept), 0), np.float32
                )
        before[:] = [picture.copy()]
        return picture

    return altered


def low_stream(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The connection is slow for some seconds, and the resolution falls to a half or, later, to a quarter."""
    slow = stretches(scene, strength + 1, ((2.0, 4.0), (3.0, 7.0), (5.0, 10.0))[strength - 1], rng)
    times = [(2, 4)[number % 2] if strength > 1 else 2 for number in range(len(slow))]

    def altered(picture: Picture, time: float) -> Picture:
        for (since, until), fewer in zip(slow, times, strict=True):
            if since <= time < until:
                return reduced(picture, fewer)
        return picture

    return altered


def pulsing(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The encoder lacks bits: the picture is sharp once a second, and gets blurred and blocky until then."""
    worst, fewer, phase = (0.5, 0.8, 1.0)[strength - 1], (2, 3, 5)[strength - 1], rng.uniform(0, 1)

    def altered(picture: Picture, time: float) -> Picture:
        part = worst * ((time + phase) % 1.0)
        blurred, blocky = reduced(picture, fewer), reduced(picture, BLOCK // 2, cv2.INTER_NEAREST)
        coarse = cv2.addWeighted(blurred, 0.85, blocky, 0.15, 0)
        return np.asarray(cv2.addWeighted(picture, 1 - part, coarse, part, 0), np.float32)

    return altered


def lost_packets(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """Packets are lost: runs of blocks stay as they were for up to a second, some of them out of place."""
    often = (0.15, 0.35, 0.8)[strength - 1]
    losses = np.sort(rng.uniform(1, scene.seconds, round(often * scene.seconds) + 1))
    until = losses + rng.uniform(0.3, 1.0, len(losses))
    # A run starts anywhere in the picture and takes up to so many parts of all blocks.
    starts, lengths = rng.uniform(0, 0.95, len(losses)), rng.uniform(0.02, 0.05 * (strength + 1), len(losses))
    shifts, seeds = rng.integers(-24, 25, (len(losses), 2)), rng.integers(2**32, size=len(losses))
    shown: dict[int, Picture] = {}

    def altered(picture: Picture, time: float) -> Picture:
        lost = [int(number) for number in np.flatnonzero((losses <= time) & (time < until))]
        for number in shown.keys() - set(lost):
            del shown[number]
        for number in lost:
            if number not in shown:
                shown[number] = _stale(picture, shifts[number], seeds[number])
        for number in lost:
            run = _run(picture, starts[number], lengths[number])
            picture[run] = shown[number][run]
        return picture

    return altered


def _stale(picture: Picture, shift: NDArray[np.int64], seed: int) -> Picture:
    """A copy of the picture in which three of ten blocks are shown out of place."""
    out = _pixels(np.random.default_rng(seed).random(_blocks(picture)) < 0.3, picture)
    return np.where(out[..., None], np.roll(picture, shift, axis=(0, 1)), picture)


def _run(picture: Picture, start: float, length: float) -> Mask:
    """The pixels of a run of blocks in the order in which they are transmitted: row by row."""
    rows, columns = _blocks(picture)
    order = np.arange(rows * columns).reshape(rows, columns) / (rows * columns)
    return _pixels((start <= order) & (order < start + length), picture)


def _blocks(picture: Picture) -> tuple[int, int]:
    """The rows and columns of blocks in the picture, of which the last may not be whole."""
    return -(-picture.shape[0] // BLOCK), -(-picture.shape[1] // BLOCK)


def _pixels(blocks: Mask, picture: Picture) -> Mask:
    """The pixels of the picture in these blocks."""
    return np.kron(blocks, np.ones((BLOCK, BLOCK), bool))[: picture.shape[0], : picture.shape[1]]


@dataclass(frozen=True)
class MissingData:
    """The lower part of the picture, or blocks all over it, that cannot be decoded for some time."""

    since: float
    until: float
    colour: tuple[int, int, int]
    lower: float | None
    """Where the lower part begins, as a part of the height; None: blocks."""
    seed: int
    """Of the blocks."""

    def show(self, picture: Picture, moved: Picture) -> None:
        """Put its colour into the picture, in a lower part with what moved since the last good picture."""
        if self.lower is None:
            # In runs along rows.
            runs = cv2.blur(np.random.default_rng(self.seed).random(_blocks(picture)), (9, 1)) > 0.62
            picture[_pixels(runs, picture)] = self.colour
        else:
            rows = slice(int(self.lower * len(picture)) // BLOCK * BLOCK, None)
            picture[rows] = self.colour + np.clip(moved[rows], -60, 60)


def decode_errors(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """Data are missing until a key frame, so the lower part of the picture, or blocks, is grey or green."""
    number, longest = ((3, 0.8), (6, 1.3), (10, 2.2))[strength - 1]
    errors = []
    for since in sorted(rng.uniform(1, scene.seconds - 2, number)):
        blocks, colour = rng.random() < 1 / 3, UNDECODED[rng.integers(len(UNDECODED))]
        until, lower = since + rng.uniform(0.3, longest), rng.uniform(0.3, 0.75)
        errors.append(MissingData(since, until, colour, None if blocks else lower, int(rng.integers(2**32))))
    good: list[Picture] = []

    def altered(picture: Picture, time: float) -> Picture:
        shown = [each for each in errors if each.since <= time < each.until]
        if not shown or not good:
            good[:] = [picture.copy()]
        if shown:
            moved = picture - good[0]
            for each in shown:
                each.show(picture, moved)
        return picture

    return altered


def outage(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The stream is interrupted while play goes on: for 2 to 6 s the picture stands still, or is black."""
    lasting = ((2.0, 2.5), (2.5, 4.0), (4.0, 6.0))[strength - 1]
    breaks = stretches(scene, strength + 1, lasting, rng)
    black = rng.random(len(breaks)) < 0.3
    frozen: dict[int, Picture] = {}

    def altered(picture: Picture, time: float) -> Picture:
        for number, (since, until) in enumerate(breaks):
            if since <= time < until:
                if number not in frozen:
                    frozen.clear()
                    frozen[number] = np.zeros_like(picture) if black[number] else picture.copy()
                return frozen[number].copy()
        return picture

    return altered


EFFECTS: Final[dict[str, Effect]] = {
    each.__name__: each
    for each in (squeezed, tone, trail, low_stream, pulsing, lost_packets, decode_errors, outage)
}
