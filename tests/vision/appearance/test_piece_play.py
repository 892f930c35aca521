"""Stacks whose pieces stand off centre: where they fit best, and what that says of heights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.simulator.scene_style import aimed_camera, pleasant_look
from focus_companion.vision.appearance.background import Background
from focus_companion.vision.appearance.colour_model import ColourModel
from focus_companion.vision.appearance.evidence import Evidence, classes
from focus_companion.vision.appearance.learning import learn
from focus_companion.vision.appearance.piece_play import (
    Part,
    Place,
    displacement_variances,
    most_off_centre,
    nats_of_play,
)
from focus_companion.vision.geometry.board_profiles import board_profile
from focus_companion.vision.geometry.stack_masks import Outlines, Window

SIZE = 44, 50
SPREAD = 1.5


def disc(down: float = 0.0, right: float = 0.0) -> NDArray[np.bool_]:
    rows, columns = np.mgrid[: SIZE[0], : SIZE[1]]
    return np.asarray((rows - 22 - down) ** 2 + (columns - 25 - right) ** 2 < 11**2)


def painted(places: list[tuple[float, float]]) -> NDArray[np.int_]:
    """Which piece each pixel shows, from 1; 0 for what is behind the stack."""
    shown = np.zeros(SIZE, int)
    for number, place in enumerate(places, 1):
        shown[disc(*place)] = number
    return shown


def nats_if(picture: NDArray[np.int_], label: int) -> NDArray[np.float32]:
    return np.where(picture == label, 1.0, -1.0).astype(np.float32)


def play(
    centres: list[tuple[float, float]],
    places: list[tuple[float, float]],
    *,
    spread: float = SPREAD,
    free: NDArray[np.bool_] | None = None,
) -> float:
    """The nats gained by a stack whose pieces should be at ``centres`` and are at ``places``."""
    picture = painted(places)
    pieces = [(Part(disc(*at), nats_if(picture, number)),) for number, at in enumerate(centres, 1)]
    everywhere = np.ones(SIZE, bool) if free is None else free
    variances = [spread**2 * number for number in range(1, len(pieces) + 1)]
    return nats_of_play(pieces, nats_if(picture, 0), everywhere, variances)[0]


def wrong_pixels(centres: list[tuple[float, float]], places: list[tuple[float, float]]) -> int:
    return int((painted(centres) != painted(places)).sum())


@pytest.mark.parametrize("place", [(0, 0), (2, -1), (-3, 2)])
def test_a_single_piece_is_found_where_it_stands(place: tuple[int, int]) -> None:
    """A pixel that shows the wrong class costs two nats; a displacement costs what is usual."""
    expected = 2 * wrong_pixels([(0, 0)], [place]) - (place[0] ** 2 + place[1] ** 2) / (2 * SPREAD**2)
    assert play([(0, 0)], [place]) == pytest.approx(expected)


def test_a_leaning_stack_is_found_piece_by_piece() -> None:
    centres = [(0.0, 0.0), (-3.0, 0.0), (-6.0, 0.0), (-9.0, 0.0)]
    leaning = [(0.0, 1.0), (-3.0, 2.0), (-6.0, 3.0), (-9.0, 4.0)]
    expected = 2 * wrong_pixels(centres, leaning) - 4 / (2 * SPREAD**2)
    assert play(centres, leaning) == pytest.approx(expected, abs=6.0)


def test_nothing_is_gained_without_play_or_where_nothing_is_visible() -> None:
    place = [(2.0, -1.0)]
    assert play([(0, 0)], place, spread=0.05) == 0.0
    assert play([(0, 0)], place, free=np.zeros(SIZE, bool)) == 0.0


@pytest.mark.parametrize("place", [(0, 0), (3, -4)])
def test_a_piece_with_a_top_and_a_side_is_found_where_it_stands(place: Place) -> None:
    """As no part fits anywhere else, the top and the side are moved together."""
    side, top = disc(2) & ~disc(-2), disc(-2)
    picture = np.roll(np.where(top, 2, np.where(side, 1, 0)), place, (0, 1))
    piece = Part(side, nats_if(picture, 1)), Part(top, nats_if(picture, 2))
    gained, places = nats_of_play([piece], nats_if(picture, 0), np.ones(SIZE, bool), [3.0**2])
    assert places == [place]
    centred = np.where(top, 2, np.where(side, 1, 0))
    expected = 2 * int((centred != picture).sum()) - (place[0] ** 2 + place[1] ** 2) / (2 * 3.0**2)
    assert gained == pytest.approx(expected)


@pytest.mark.parametrize("place", [(0, 0), (2, -1)])
@pytest.mark.parametrize("shown", [0, 1, 2])
def test_no_place_of_a_stack_fits_better_than_its_upper_bound(place: tuple[int, int], shown: int) -> None:
    """The bound excludes a stack whose top is not shown."""
    picture, centred = shown * painted([place]), painted([(0, 0), (-3, 0)])
    nats = [nats_if(picture, label) for label in range(3)]
    args = [(Part(disc(), nats[1]),), (Part(disc(-3), nats[2]),)], nats[0], disc(1), [0.1, 0.2]
    rendered = float(np.choose(centred, nats)[disc(1)].sum())
    most = most_off_centre(*args)
    assert rendered + nats_of_play(*args)[0] <= most
    assert most > 0 if shown == 2 else most < 0


@pytest.mark.parametrize(
    ("name", "flat"),
    [("domination", False), ("lego-round-bricks", False), ("bottle-caps", False), ("chess-draughts", True)],
)
def test_only_flat_pieces_stand_anywhere_near_the_middle_of_a_square(name: str, flat: bool) -> None:
    """Bricks are held by their studs. Each piece adds to how far the one below it stands off."""
    look, profile = pleasant_look(960, 720), board_profile(name)
    camera = aimed_camera(look.camera.lens, profile, tilt=13, azimuth=0, fill=0.9)
    variances = np.array(displacement_variances(Outlines(camera, profile), 5))
    assert (np.diff(variances) > 0).all() and np.allclose(np.diff(variances, n=2), 0)
    foot = np.sqrt(variances[0]) / camera.pitch_pixels(profile)
    assert foot == pytest.approx(0.05 if flat else 0.2 / profile.pitch, rel=0.1)


SHADES = np.array([(200, 210, 215), (40, 40, 180), (60, 120, 30), (180, 90, 40), (30, 190, 235)], np.uint8)
"""The shades (BGR) of the classes in painted pictures: the bare board and four colours of pieces."""


def picture_of(outlines: Outlines, stacks: Sequence[str], square: int, bend: float) -> NDArray[np.uint8]:
    """The board painted in flat shades, with a little noise. Each piece of the stack on ``square`` stands
    ``bend`` pixels farther down than the one below.
    """
    lens, at = outlines.camera.lens, outlines.far_to_near.index(square)
    labels = {s: classes(stack) for s, stack in enumerate(stacks)}
    window = Window(0, 0, lens.width, lens.height)
    before, column = outlines.far_to_near[:at], outlines.columns[square]
    shown = outlines.paint(labels, window, before)
    for number, label in enumerate(labels[square], 1):
        rows, columns = np.nonzero(column.mask(number))
        shown[rows + column.top + round(bend * number), columns + column.left] = label
    free = np.ones(shown.shape, bool)
    for nearer in outlines.far_to_near[at + 1 :]:
        outlines.columns[nearer].cut_from(free, window, len(stacks[nearer]))
    shown = np.where(free, shown, outlines.paint(labels, window, outlines.far_to_near))
    return np.clip(SHADES[shown] + np.random.default_rng(4).normal(0, 3, (*shown.shape, 3)), 0, 255).astype(
        np.uint8
    )


def test_a_bent_stack_keeps_its_height() -> None:
    """Seen from 13°, one more piece shifts the top of a stack by three pixels, and so does this bend."""
    look, square = pleasant_look(960, 720), INDEX["d5"]
    camera = aimed_camera(look.camera.lens, look.profile, tilt=13, azimuth=0, fill=0.9)
    outlines = Outlines(camera, look.profile)
    stacks = tuple("rgrgr" if k == square else "rg"[k % 2] if k % 3 else "" for k in range(len(SQUARES)))
    straight, bent = (picture_of(outlines, stacks, square, bend) for bend in (0.0, 0.6))
    colours, background = ColourModel(), Background()
    learn(straight, outlines, stacks, colours, background, keep=0.0)
    for image in (straight, bent):
        evidence = Evidence(image, outlines, colours, background, stacks)
        assert all(evidence.gain_off_centre({square: other}) < -9.0 for other in ("grgr", "grgrgr"))
    assert evidence.stack_gain(square, "grgr").nats > 9.0, "centred, four pieces would fit better"
