"""Makes random looks over the whole supported range of tables, lights and cameras."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...vision.geometry.board_profiles import board_profile
from ...vision.geometry.scene import Lens
from ..scene_style import (
    Arms,
    BoardStyle,
    Lamp,
    Lighting,
    PieceStyle,
    SceneStyle,
    Sensor,
    TableStyle,
    Triple,
    aimed_camera,
)

SIZES = ((640, 480), (800, 600), (960, 720), (1280, 720), (1280, 960), (1920, 1080))

BOARDS = (
    "#d9d0b8",
    "#1d1e20",
    "#e4e4e0",
    "#74777a",
    "#dcd6c6",
    "#26325c",
    "#4a2f2b",
    "#8d8467",
    "#2d4a3a",
    "#f0efe9",
)
GROUNDS = (("#6d1b2c", "#f3ead2"), ("#d8ba45", "#17140c"), ("#22262b", "#efeeea"), ("#e8e6df", "#26324f"))
TABLES = (
    TableStyle("wood", "#b58a5a", "#7d5630", 0.3),
    TableStyle("wood", "#d9b982", "#b48a52", 0.25),
    TableStyle("wood", "#5d3b28", "#3b2417", 0.45),
    TableStyle("cloth", "#3c5a45", "#324c3a", 0.0),
    TableStyle("cloth", "#8d8f92", "#7f8184", 0.0),
    TableStyle("cloth", "#1f1f24", "#19191d", 0.05),
    TableStyle("gingham", "#efe9df", "#b8303a", 0.0),
    TableStyle("gingham", "#e9e6d9", "#3a5a95", 0.0),
    TableStyle("plain", "#3a3936", "#3a3936", 0.6),
    TableStyle("plain", "#cfcac0", "#cfcac0", 0.3),
)
SKINS = ("#e3b799", "#d9a583", "#c98f6c", "#a9724f", "#8a5a3e", "#5c3a28")
SLEEVES = ("#3c4a5e", "#803b2e", "#4d5f4a", "#2b2d33", "#c9c4b8", "#7a2f4a")
PROPS = ("mug", "paper", "phone", "lid")


def _pick(rng: np.random.Generator, values: tuple[str, ...], count: int) -> tuple[str, ...]:
    return tuple(str(values[i]) for i in rng.permutation(len(values))[:count])


def _shade(rng: np.random.Generator, colour: str, spread: float) -> str:
    """The colour, made randomly lighter or darker, with a slightly different tint."""
    level = rng.normal(0, spread)
    parts = [int(colour[i : i + 2], 16) * (1 + level + rng.normal(0, spread / 3)) for i in (1, 3, 5)]
    return "#" + "".join(f"{int(np.clip(p, 6, 248)):02x}" for p in parts)


def _hung(rng: np.random.Generator, height: tuple[float, float], away: tuple[float, float]) -> Triple:
    angle, far = rng.uniform(0, 2 * np.pi), rng.uniform(*away)
    return float(far * np.cos(angle)), float(far * np.sin(angle)), float(rng.uniform(*height))


def random_lighting(rng: np.random.Generator) -> Lighting:
    """Daylight, one warm lamp with hard shadows, ceiling lamps with reflections, or a dim evening."""
    lamps: tuple[Lamp, ...]
    kind = rng.choice(["window", "lamp", "ceiling", "dim"])
    if kind == "window":
        lamps = (Lamp(_hung(rng, (700, 1500), (900, 1700)), rng.uniform(0.6, 1.1), (1.0, 0.98, 0.95), 480.0),)
        return Lighting(lamps, rng.uniform(0.3, 0.5), (0.95, 0.98, 1.0), rng.normal(0, 0.2))
    if kind == "lamp":
        lamps = (Lamp(_hung(rng, (420, 700), (420, 700)), rng.uniform(0.9, 1.3), (1.0, 0.78, 0.52), 45.0),)
        return Lighting(lamps, rng.uniform(0.1, 0.22), (1.0, 0.85, 0.68), rng.normal(0, 0.25))
    if kind == "ceiling":
        tint = (1.0, 0.92, 0.78)
        lamps = tuple(
            Lamp(_hung(rng, (1400, 1900), (100, 700)), rng.uniform(0.3, 0.6), tint, 160.0) for _ in range(2)
        )
        return Lighting(lamps, rng.uniform(0.2, 0.35), (1.0, 0.94, 0.84), rng.normal(0, 0.2))
    lamps = (Lamp(_hung(rng, (900, 1500), (500, 900)), rng.uniform(0.5, 0.9), (1.0, 0.82, 0.58), 260.0),)
    return Lighting(lamps, rng.uniform(0.1, 0.2), (1.0, 0.86, 0.7), rng.uniform(-0.9, -0.3))


def random_look(rng: np.random.Generator, size: tuple[int, int] | None = None) -> SceneStyle:
    """A random look: from 5° to 50° off the vertical, at any rotation, with lenses of 45° to 80°, the board
    filling 45 to 97 % of the picture, 640×480 to 1920×1080 (unless ``size`` (width, height) is given), and
    boards, lights and noise of all kinds.
    """
    width, height = size or SIZES[int(rng.integers(len(SIZES)))]
    k1 = float(rng.uniform(-0.14, 0.02))
    lens = replace(Lens.guess(width, height, rng.uniform(45, 80)), distortion=(k1, -k1 / 6, 0.0005, -0.0004))
    profile = "domination-shouldered" if rng.random() < 0.35 else "domination"
    camera = aimed_camera(
        lens,
        board_profile(profile),
        tilt=rng.uniform(5, 50),
        azimuth=rng.uniform(0, 360),
        roll=rng.normal(0, 3),
        fill=rng.uniform(0.45, 0.97),
        shift=(rng.normal(0, 0.012) * width, rng.normal(0, 0.012) * height),
    )
    ground, ink = GROUNDS[int(rng.integers(len(GROUNDS)))]
    colour = _shade(rng, str(rng.choice(BOARDS)), 0.06)
    cells = str(rng.choice(["pads", "pads", "lines", "none"]))
    board = BoardStyle(
        outline=str(rng.choice(["octagon", "square", "cross"])),
        colour=colour,
        cells=cells,
        cell_colour="#d3c7a5" if rng.random() < 0.15 else "",
        labels=bool(rng.random() < 0.7),
        label_ground=ground,
        label_ink=ink,
        gloss=rng.uniform(0.1, 0.8),
    )
    plain = PieceStyle()
    pieces = PieceStyle(
        profile,
        {letter: _shade(rng, colour, 0.12) for letter, colour in plain.colours.items()},
        gloss=rng.uniform(0.35, 0.9),
        spread=rng.uniform(0.02, 0.09),
        jitter=rng.uniform(0.2, 0.9),
        crooked=0.03,
    )
    gains: Triple = (float(rng.normal(1, 0.09)), 1.0, float(rng.normal(1, 0.13)))
    dim = rng.random() < 0.25
    sensor = Sensor(
        noise=float(rng.uniform(4, 8) if dim else rng.uniform(1.2, 3.5)),
        blur=rng.uniform(0.4, 1.2),
        vignette=rng.uniform(0.05, 0.35),
        balance=gains,
        contrast=rng.uniform(0.1, 0.4),
        jpeg=int(rng.integers(60, 95)),
    )
    table = TABLES[int(rng.integers(len(TABLES)))]
    return SceneStyle(
        camera,
        board,
        pieces,
        replace(table, props=_pick(rng, PROPS, int(rng.integers(0, 4)))),
        (random_lighting(rng), random_lighting(rng)),
        sensor,
        Arms(_pick(rng, SKINS, 4), _pick(rng, SLEEVES, 4)),
        seed=int(rng.integers(2**31)),
    )
