"""All effects, and those of one recording."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.accuracy.alterations import (
    camera,
    lamps,
    lens,
    light,
    objects,
    overlays,
    stream,
    surroundings,
)
from benchmarks.accuracy.alterations.scene import Alteration, Effect, Picture, Scene

EFFECTS: Final[dict[str, Effect]] = {
    **light.EFFECTS, **lamps.EFFECTS, **surroundings.EFFECTS, **objects.EFFECTS, **lens.EFFECTS,
    **camera.EFFECTS, **overlays.EFFECTS, **stream.EFFECTS,
}  # fmt: skip
"""In the order in which they are applied: light falls on the table and on objects, a camera sees both through
its lens, software writes over its pictures, and a stream carries them."""

STRENGTHS: Final = (1, 2, 3)


@dataclass(frozen=True)
class Asked:
    """An effect that is asked for, and its strength."""

    name: str
    strength: int

    @classmethod
    def parse(cls, text: str) -> Asked:
        """From ``EFFECT:STRENGTH`` or ``EFFECT``, of strength 2. Raises ValueError with what is wrong."""
        name, _, strength = text.partition(":")
        if name not in EFFECTS:
            raise ValueError(f"no effect {name}; --list names them")
        if (strength or "2") not in map(str, STRENGTHS):
            raise ValueError(f"the strength of {name} is 1, 2 or 3, not {strength}")
        return cls(name, int(strength or 2))


def combined(scene: Scene, asked: Iterable[Asked], recording: str, seed: int) -> Alteration:
    """These effects, one after another. All follows from the seed, the effect and the recording's name."""
    order = list(EFFECTS)
    alterations = [
        EFFECTS[each.name](scene, each.strength, _random(seed, each.name, recording))
        for each in sorted(asked, key=lambda each: order.index(each.name))
    ]

    def altered(picture: Picture, time: float) -> Picture:
        for each in alterations:
            picture = each(picture, time)
        return picture

    return altered


def _random(seed: int, effect: str, recording: str) -> np.random.Generator:
    return np.random.default_rng([seed, *(zlib.crc32(each.encode()) for each in (effect, recording))])
