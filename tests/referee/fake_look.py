"""A look made from numbers instead of a picture, where each case of a table would need a rendered scene."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.vision.appearance.evidence import Gain

T = TypeVar("T")

PIXEL_WEIGHT = 0.04
"""Weight of each pixel's nats, where a square is 55 pixels wide."""

BARE = ("",) * len(SQUARES)
"""The stacks of an empty board."""


def indices(names: Iterable[str]) -> tuple[int, ...]:
    return tuple(INDEX[name] for name in names)


def by_square(values: Mapping[str, T]) -> dict[int, T]:
    """The values by the indices of the squares."""
    return {INDEX[name]: value for name, value in values.items()}


def per_square(values: Mapping[str, float] | float, otherwise: float) -> NDArray[np.float64]:
    """A value for each square: the given one if it is a single number, ``otherwise`` on squares not named."""
    if not isinstance(values, Mapping):
        return np.full(len(SQUARES), float(values))
    found = np.full(len(SQUARES), otherwise)
    for name, value in values.items():
        found[INDEX[name]] = value
    return found


@dataclass
class FakeOutlines:
    """``covers``: pairs of squares, the stack on the first of which covers a part of the second; ``reach``:
    the squares that any act touches, if not only its own.
    """

    step: float = 2.4
    piece_pixels: float = 1000.0
    covers: Collection[tuple[int, int]] = ()
    reach: Sequence[int] | None = None

    def touching(self, squares: Sequence[int]) -> Sequence[int]:
        return squares if self.reach is None else self.reach

    def overlap(self, one: int, _height: int, other: int, _other_height: int) -> bool:
        return (one, other) in self.covers


@dataclass
class FakeEvidence:
    """The nats of each stack on each square; those of several squares add up.

    ``unlisted``: the nats of stacks that are not listed; ``jointly``: the nats of changes of exactly these
    squares, where they do not add up; ``pixels``: the number of pixels that a stack changes on its square;
    ``barely_visible``: squares on which stacks change no pixels.
    """

    standing: tuple[str, ...]
    nats: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    unlisted: float = -200.0
    jointly: Mapping[frozenset[int], float] = field(default_factory=dict)
    pixels: int = 600
    barely_visible: Collection[int] = ()
    outlines: FakeOutlines = field(default_factory=FakeOutlines)
    asked: set[int] = field(default_factory=set)
    """The squares whose picture was asked for."""

    def stack_gain(self, square: int, stack: str) -> Gain:
        self.asked.add(square)
        if stack == self.standing[square]:
            return Gain(0.0, 0, PIXEL_WEIGHT)
        nats = self.nats.get(square, {}).get(stack, self.unlisted)
        return Gain(nats, self.differing_pixels(square, stack), PIXEL_WEIGHT)

    def differing_pixels(self, square: int, stack: str) -> int:
        return 0 if stack == self.standing[square] or square in self.barely_visible else self.pixels

    def gain(self, changes: Mapping[int, str]) -> Gain:
        own = [self.stack_gain(square, stack) for square, stack in changes.items()]
        nats = self.jointly.get(frozenset(changes), sum(gain.nats for gain in own))
        return Gain(nats, sum(gain.pixels for gain in own), PIXEL_WEIGHT)

    def gain_off_centre(self, changes: Mapping[int, str]) -> float:
        return self.gain(changes).nats

    def stack_nats(self, square: int, stack: str, *, off_centre: bool) -> float:
        del off_centre
        return self.stack_gain(square, stack).nats

    def read(self, square: int, _players: Sequence[str], _height: int) -> tuple[str, float]:
        """The likeliest stack on the square, and its lead over the one that stood there."""
        return max(
            [(self.standing[square], 0.0), *self.nats.get(square, {}).items()], key=lambda pair: pair[1]
        )


@dataclass
class FakeChange:
    """The share of each square's pixels that have changed."""

    touched: NDArray[np.float64]
    alike: bool = True
    """Whether both pictures were taken in the same focus and without reflections."""

    def comparable(self, _square: int) -> bool:
        return self.alike


@dataclass
class FakeLook:
    """The part of a look that the referee reads."""

    evidence: FakeEvidence
    touched: NDArray[np.float64]
    deviations: NDArray[np.float64]
    change: FakeChange | None
    faintly_changed: dict[int, float]
    unsettled: tuple[int, ...]
    before: Mapping[int, float]
    """Nats by which the reference already favoured any other stack on a square."""
    since_mark: FakeChange | None
    appeared: str
    appeared_since_mark: str
    number: int = 0
    age: float = 0.0
    time: float = 0.0
    shadows: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    unwatched: float = 0.0
    displaced: bool = False
    only_stacks_changed: bool = True
    wrong_tops: tuple[int, ...] = ()
    hidden_by_object: tuple[int, ...] = ()

    def disagreeing(self, _stacks: Sequence[str]) -> tuple[int, ...]:
        return self.wrong_tops

    @property
    def since(self) -> float:
        return self.time - self.age

    def gain_before(self, square: int, _stack: str, *, off_centre: bool = False) -> float:
        del off_centre
        return 0.0 if square in self.unsettled else self.before.get(square, -9.0)

    @property
    def shadows_known(self) -> bool:
        return bool(self.shadows)

    def shadow_evidence(self, square: int, changes: Mapping[int, str]) -> float:
        return self.shadows.get(square, {}).get(changes[square], 0.0)

    def arm_area(self, _squares: Sequence[int]) -> float:
        return 0.0

    def foreign_area(self, _explained: Sequence[int], _tallest: Mapping[int, int]) -> float:
        return 0.0


def fake_look(
    standing: Sequence[str] | Mapping[str, str] = BARE,
    touched: Mapping[str, float] | float = 0.0,
    nats: Mapping[str, Mapping[str, float]] = {},
    *,
    unlisted: float = -200.0,
    jointly: Mapping[tuple[str, ...], float] = {},
    pixels: int = 600,
    barely_visible: Iterable[str] = (),
    deviations: Mapping[str, float] | float | None = None,
    faintly_changed: Mapping[str, float] = {},
    changed_since_reference: Mapping[str, float] | float | None = None,
    unsettled: Iterable[str] = (),
    before: Mapping[str, float] = {},
    touched_since_mark: float | None = None,
    comparable: bool = True,
    beside: str = "",
    covers: Iterable[tuple[str, str]] = (),
    reach: Sequence[int] | None = None,
    step: float = 2.4,
    piece_pixels: float = 1000.0,
    number: int = 0,
    age: float = 0.0,
    time: float | None = None,
    shadows: Mapping[str, Mapping[str, float]] = {},
    hidden: Iterable[str] = (),
) -> Any:
    """A look whose squares are given by name.

    Args:
        standing: the stacks of the reference: all of them, or by square on an otherwise empty board.
        nats: by which each stack fits a square better than the one that stood there.
        deviations: in standard deviations; by default large on squares that have changed, small on others.
        changed_since_reference: the changed shares, where they differ from ``touched``.
        touched_since_mark: the share of every square that has changed since a prompt, if there was one.
        beside: the pieces that have appeared beside the board.
        shadows: nats of each stack on each square by its shadow.
        hidden: squares that an object hides, which has become part of the scene.
        time: by default that of a picture that has been still since 0 s.
    """
    stacks = list(BARE)
    if isinstance(standing, Mapping):
        for name, stack in standing.items():
            stacks[INDEX[name]] = stack
    else:
        stacks = list(standing)
    shares = per_square(touched, 0.0)
    faint = by_square(faintly_changed)
    if deviations is None:
        differing = np.where(shares > 0, 9.0, 1.0)
        for square, by in faint.items():
            differing[square] = by
    else:
        differing = per_square(deviations, 1.0)
    since = shares if changed_since_reference is None else per_square(changed_since_reference, 0.0)
    outlines = FakeOutlines(step, piece_pixels, {(INDEX[one], INDEX[two]) for one, two in covers}, reach)
    return FakeLook(
        FakeEvidence(
            tuple(stacks),
            by_square(nats),
            unlisted,
            {frozenset(indices(squares)): gained for squares, gained in jointly.items()},
            pixels,
            indices(barely_visible),
            outlines,
        ),
        shares,
        differing,
        FakeChange(since),
        faint,
        indices(unsettled),
        by_square(before),
        None
        if touched_since_mark is None
        else FakeChange(np.full(len(SQUARES), touched_since_mark), comparable),
        beside,
        beside,
        number,
        age,
        age if time is None else time,
        by_square(shadows),
        hidden_by_object=indices(hidden),
    )
