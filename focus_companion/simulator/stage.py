"""Describes the simulated table at one moment: stacks, pieces beside the board, and a hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from ..game.squares import INDEX
from .scene_style import SceneStyle

F32 = NDArray[np.float32]

SEATS = ("S", "W", "N", "E")
"""The seats, clockwise from above; S sits at rank 1."""

SEAT_DIRECTIONS = {"S": (0.0, -1.0), "W": (-1.0, 0.0), "N": (0.0, 1.0), "E": (1.0, 0.0)}
"""Unit vectors (x, y) from the board's centre to the seats."""

FIRST_PLACE_BESIDE = 52
"""Index of the first place beside the board's squares, that of the first reserve piece."""
_CAPTURED_OFFSET = 20
"""Places from the first reserve piece to the first captured one."""

_RESERVE_SPACING = 37.0
"""Distance, in mm, between reserve pieces."""
_CAPTURED_SPACING = 52.0
"""Distance, in mm, between captured pieces."""

Pose = tuple[float, float, float]
"""The board's displacement from its initial place: dx and dy in mm, rotation in degrees."""


def to_table(pose: Pose, x: NDArray[np.floating], y: NDArray[np.floating]) -> tuple[F32, F32]:
    """Transform points from the board's frame to the table's, that of the board at its initial place."""
    dx, dy, turn = pose
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    return np.asarray(c * x - s * y + dx, np.float32), np.asarray(s * x + c * y + dy, np.float32)


def from_table(pose: Pose, x: float, y: float) -> tuple[float, float]:
    """Transform a point of the table to the frame of the board at ``pose``."""
    dx, dy, turn = pose
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    return float(c * (x - dx) + s * (y - dy)), float(-s * (x - dx) + c * (y - dy))


@dataclass(frozen=True, slots=True)
class Hand:
    """An arm from ``seat``, with the fingers ``height`` mm above (x, y) mm, holding ``pieces``."""

    seat: str
    x: float
    y: float
    height: float
    pieces: str = ""
    closed: float = 1.0
    """From 0 (the hand is open) to 1 (the fingers grip)."""
    head: bool = False
    """Not a hand but the head of somebody leaning over: ``height`` is that of its lowest point."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The table at one moment: ``stacks`` (52) bottom to top; ``reserves`` letter → count; ``captured``
    letter → letters; ``seats`` letter → seat; ``pose`` of the board; ``light``, an index into the look's
    lightings; ``drift`` of the light, in stops; ``nudge``, how far the camera was pushed: pixels to the right
    and down, and degrees.
    """

    stacks: tuple[str, ...]
    reserves: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    captured: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    seats: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({"g": "S", "r": "N"}))
    hand: Hand | None = None
    pose: Pose = (0.0, 0.0, 0.0)
    light: int = 0
    drift: float = 0.0
    nudge: Pose = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Thing:
    """A stack or loose piece: its axis (x, y) and the height of its foot in mm, its pieces bottom to top."""

    x: float
    y: float
    base: float
    pieces: str
    square: int
    """The index of its square, or of its place beside the board from :data:`FIRST_PLACE_BESIDE` on."""
    flipped: bool = False


def square_centre(look: SceneStyle, square: int | str) -> tuple[float, float]:
    """The centre of a square in mm, by index or name."""
    index = INDEX[square] if isinstance(square, str) else square
    x, y = look.profile.centres[index].tolist()
    return x, y


def _foot(look: SceneStyle, square: int, pieces: str) -> tuple[float, float]:
    """Where a stack stands on its square, in mm: there until its lowest piece is another one."""
    x, y = square_centre(look, square)
    off = np.random.default_rng([look.seed, 11, square, ord(pieces[0])]).normal(0, look.pieces.placement, 2)
    return x + float(off[0]), y + float(off[1])


def _beside(seat: str, along: float, out: float) -> tuple[float, float]:
    """A point ``out`` mm from the centre towards the seat and ``along`` mm to the player's right."""
    tx, ty = SEAT_DIRECTIONS[seat]
    return tx * out - ty * along, ty * out + tx * along


def reserve_place(look: SceneStyle, seat: str, number: int) -> tuple[float, float]:
    """The place of the ``number``-th reserve piece of a seat: seven fit on its ledge, the others lie on the
    table in front of it.

    A board cut to the shape of its squares has no ledge; there, all are on the table.
    """
    half = look.profile.half_width
    row, place = divmod(number, 7)
    along = (0, 1, -1, 2, -2, 3, -3)[place] * _RESERVE_SPACING
    if row == 0 and look.board.outline != "cross":
        return _beside(seat, along, (4 * look.profile.pitch + half) / 2)
    return _beside(seat, along, half + 25.0 + _RESERVE_SPACING * (row - (look.board.outline != "cross")))


def captured_place(look: SceneStyle, seat: str, number: int) -> tuple[float, float]:
    """The place of the ``number``-th captured piece of a seat: on the table, to the player's right."""
    rng = np.random.default_rng([look.seed, 7, SEATS.index(seat), number])
    row, column = divmod(number, 3)
    dx, dy = rng.uniform(-8, 8, 2)
    return _beside(
        seat,
        158.0 + _CAPTURED_SPACING * column + float(dx),
        look.profile.half_width + 40.0 + _CAPTURED_SPACING * row + float(dy),
    )


def things_of(stage: Stage, look: SceneStyle) -> frozenset[Thing]:
    """Everything on the table except the arm and what it holds."""
    things = [
        Thing(*_foot(look, square, pieces), 0.0, pieces, square)
        for square, pieces in enumerate(stage.stacks)
        if pieces
    ]
    for colour, count in stage.reserves.items():
        for number in range(count):
            x, y = reserve_place(look, stage.seats[colour], number)
            on_board = max(abs(x), abs(y)) < look.profile.half_width
            base = 0.0 if on_board else look.profile.table
            things.append(Thing(x, y, base, colour, FIRST_PLACE_BESIDE + number))
    for colour, letters in stage.captured.items():
        for number, letter in enumerate(letters):
            x, y = captured_place(look, stage.seats[colour], number)
            flipped = not look.profile.flat and (number * 7 + look.seed) % 5 == 0
            things.append(
                Thing(
                    x, y, look.profile.table, letter, FIRST_PLACE_BESIDE + _CAPTURED_OFFSET + number, flipped
                )
            )
    return frozenset(things)
