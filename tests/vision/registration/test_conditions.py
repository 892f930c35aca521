"""Camera motion and changes of light between two pictures are measured and undone."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from focus_companion.vision.capture.frames import Image, read_image
from focus_companion.vision.geometry.scene import Lens
from focus_companion.vision.geometry.stack_masks import Window
from focus_companion.vision.registration.baseline import Baseline, share_differing
from focus_companion.vision.registration.conditions import Conditions
from focus_companion.vision.registration.light_patch import LightPatch
from focus_companion.vision.registration.motion import Motion, Sampling
from focus_companion.vision.tracking.change import blurred

NDFloat = NDArray[np.float64]

BOARD = np.ascontiguousarray(
    cv2.resize(
        read_image(Path(__file__).parents[3] / "fixtures" / "images" / "2p-oblique-start.jpg"),
        None,
        fx=0.5,
        fy=0.5,
        interpolation=cv2.INTER_AREA,
    )
)
HEIGHT, WIDTH = BOARD.shape[:2]
LENS = Lens(WIDTH, HEIGHT, 0.9 * WIDTH, (WIDTH / 2, HEIGHT / 2), (-0.08, 0.01, 0.0, 0.0))
WINDOW = Window(WIDTH // 10, HEIGHT // 10, WIDTH * 9 // 10, HEIGHT * 9 // 10)
PITCH = WIDTH / 17
STEP = max(1, round(PITCH / 18))
SAMPLING = Sampling(WINDOW, STEP, PITCH / STEP, LENS)


def coarse(image: Image) -> Image:
    return blurred(image[WINDOW.slices])[::STEP, ::STEP].copy()


def found(image: Image) -> Conditions:
    before = coarse(BOARD)
    return Baseline(before, SAMPLING).conditions(coarse(image), before)[0]


def remaining(image: Image, conditions: Conditions | None = None) -> float:
    """Share of the picture that still differs clearly after undoing the conditions (or those found in it)."""
    return share_differing(coarse((conditions or found(image)).undo(image, WINDOW, BOARD)), coarse(BOARD))


@cache
def all_rays() -> NDFloat:
    """The rays of all pixels."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    return LENS.rays(np.column_stack([x.ravel(), y.ravel()]).astype(float))


def picture_after(motion: Motion) -> Image:
    """The picture after this motion of the camera."""
    back = Motion((-motion.turn[0], -motion.turn[1], -motion.turn[2]), -motion.zoom)
    at = back.project(all_rays(), LENS).reshape(HEIGHT, WIDTH, 2).astype(np.float32)
    return np.asarray(cv2.remap(BOARD, at, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)


@pytest.mark.parametrize("pixels", [1.0, 3.0, 12.5, -12.5], ids=["shakes", "sways", "was knocked", "back"])
def test_a_motion_is_measured_to_a_fraction_of_a_pixel(pixels: float) -> None:
    turn = pixels / LENS.focal
    image = picture_after(Motion((turn, -0.7 * turn, 0.5 * turn), 0.002))
    conditions = found(image)
    off = conditions.motion.vector - [turn, -0.7 * turn, 0.5 * turn, 0.002]
    assert np.abs(off * WIDTH / 2).max() < 0.2
    assert remaining(image, conditions) < 0.01


@pytest.mark.parametrize("pixels", [0.0, 3.0, 12.5])
def test_in_the_dark_a_motion_is_measured_and_none_is_invented(pixels: float) -> None:
    """A lamp went out and left little light, but as much noise."""
    turn = pixels / LENS.focal
    image = picture_after(Motion((turn, -0.7 * turn, 0.5 * turn)))
    dark = np.clip(image * 0.28 + np.random.default_rng(5).normal(0, 4, BOARD.shape), 0, 255)
    motion, fits = Baseline(coarse(BOARD), SAMPLING).motion(coarse(dark.astype(np.uint8)), relit=True)
    off = motion.vector - [turn, -0.7 * turn, 0.5 * turn, 0.0]
    assert fits > 0.4 and np.abs(off * WIDTH / 2).max() < 0.2


def test_a_motion_is_undone_outside_the_measured_window_too() -> None:
    """Pieces beside the board may lie outside the window in which motion is measured. What has moved out of
    view has not changed.
    """
    turn = 6 / LENS.focal
    moved = picture_after(Motion((turn, turn, 0.0)))
    table = Window(0, 0, WIDTH, HEIGHT)
    back = found(moved).undo(moved, table, BOARD)
    ring = np.zeros((HEIGHT, WIDTH), bool)
    ring[table.slices], ring[WINDOW.slices] = True, False

    def off(image: Image) -> float:
        return share_differing(blurred(image)[ring], blurred(BOARD)[ring])

    assert off(moved) > 0.05 > 0.01 > off(back)


def test_an_unchanged_picture_is_not_corrected() -> None:
    noisy = np.clip(BOARD + np.random.default_rng(1).normal(0, 4, BOARD.shape), 0, 255).astype(np.uint8)
    assert found(noisy).same
    assert found(noisy).undo(noisy, WINDOW, BOARD) is noisy


def lit(factor: NDFloat) -> Image:
    return np.asarray(np.clip(BOARD * factor, 0, 255), np.uint8)


GRADIENT = np.linspace(-1, 1, WIDTH)[None, :, None]


@pytest.mark.parametrize(
    "factor",
    [
        np.full((1, 1, 3), 0.7),
        np.array([[[0.85, 1.0, 1.1]]]),
        1 - 0.3 / (1 + np.exp(-GRADIENT / 0.15)),
        1 + 0.06 * np.sin(2 * np.pi * 2 * np.linspace(0, 1, HEIGHT))[:, None, None],
    ],
    ids=["exposure", "white balance", "the shadow of a body", "flicker"],
)
def test_another_light_is_undone(factor: NDFloat) -> None:
    assert remaining(lit(factor)) < 0.004


def reflection(image: Image, x: int, y: int, amount: float = 0.2, width: float = 0.8) -> Image:
    """A blurred spot of white light; ``amount`` 1 is white on black, ``width`` is in squares."""
    gy, gx = np.mgrid[0:HEIGHT, 0:WIDTH]
    across, down = (gx - x) / (width * PITCH), (gy - y) / (0.75 * width * PITCH)
    blob = amount * np.exp(-0.5 * (across**2 + down**2))
    light = np.clip((image / 255.0) ** 2.2 + blob[..., None], 0, 1)
    return np.asarray(255 * light ** (1 / 2.2), np.uint8)


@pytest.mark.parametrize(("amount", "width"), [(0.2, 0.8), (0.35, 0.6), (0.5, 1.0), (0.7, 1.5)])
def test_a_reflection_is_removed(amount: float, width: float) -> None:
    shown = reflection(BOARD, WIDTH // 2, HEIGHT // 2, amount, width)
    assert share_differing(coarse(shown), coarse(BOARD)) > 0.008
    assert remaining(shown) < 0.2 * share_differing(coarse(shown), coarse(BOARD))


def test_a_reflection_is_removed_from_a_picture_that_is_partly_black() -> None:
    """No light at all comes back from a corner of it."""
    board = BOARD.copy()
    board[: 2 * HEIGHT // 5, : 2 * WIDTH // 5] = 0
    shown = reflection(board, round(0.7 * WIDTH), round(0.7 * HEIGHT), 0.2, 0.8)
    before = coarse(board)
    found, _ = Baseline(before, SAMPLING).conditions(coarse(shown), before)
    assert found.veiled
    left = share_differing(coarse(found.undo(shown, WINDOW, board)), before)
    assert left < 0.2 * share_differing(coarse(shown), before)


@pytest.mark.parametrize("colour", [(40, 40, 45), (32, 30, 175)], ids=["gone", "red"])
def test_a_reflection_is_removed_where_a_piece_came_or_went_too(colour: tuple[int, int, int]) -> None:
    """The picture becomes the reference: what is left there would change when the reflection is gone."""
    x, y = WIDTH // 2, HEIGHT // 2
    after = np.asarray(cv2.circle(BOARD.copy(), (x, y), round(0.4 * PITCH), colour, -1))
    shown = reflection(after, x + round(0.3 * PITCH), y, 0.2, 1.0)
    left = share_differing(coarse(found(shown).undo(shown, WINDOW, BOARD)), coarse(after))
    assert left < 0.15 * share_differing(coarse(shown), coarse(after))


@pytest.mark.parametrize(("x", "y"), [(0.38, 0.35), (0.5, 0.5), (0.62, 0.4), (0.45, 0.62)])
def test_a_reflection_hardly_wider_than_a_piece_is_removed(x: float, y: float) -> None:
    """It is as large as a piece that came or went, but it leaves the details of what it covers."""
    shown = reflection(BOARD, round(x * WIDTH), round(y * HEIGHT), 0.1, 0.5)
    assert remaining(shown) < 0.3 * share_differing(coarse(shown), coarse(BOARD))


@pytest.mark.parametrize(("x", "y"), [(0.25, 0.2), (0.7, 0.28), (0.25, 0.77), (0.7, 0.77)])
@pytest.mark.parametrize("darkness", [0.5, 0.65])
def test_the_shadow_of_a_stack_that_is_gone_is_not_taken_for_a_reflection(
    x: float, y: float, darkness: float
) -> None:
    """It leaves the details, too, but multiplies the light."""
    gy, gx = np.mgrid[0:HEIGHT, 0:WIDTH]
    across, down = (gx - x * WIDTH) / PITCH, (gy - y * HEIGHT) / PITCH
    away = np.hypot(across - np.clip(across, 0.0, 1.2), down)
    light = 1 - darkness / (1 + np.exp((away - 0.45) / 0.06))
    shaded = np.asarray(BOARD * light[..., None] ** (1 / 2.2), np.uint8)
    found, _ = Baseline(coarse(shaded), SAMPLING).conditions(coarse(BOARD), coarse(shaded))
    assert not found.veiled
    # It is no light on the whole board, either: what has changed shows where a stack was.
    left = share_differing(coarse(found.undo(BOARD, WINDOW, shaded)), coarse(shaded))
    assert left > 0.7 * share_differing(coarse(BOARD), coarse(shaded)) > 0


def test_a_reflection_that_fades_is_still_removed() -> None:
    """What is left of it would not be recognized by itself; it is expected from the look before."""
    before, baseline = coarse(BOARD), Baseline(coarse(BOARD), SAMPLING)
    bright, faint = (reflection(BOARD, WIDTH // 2, HEIGHT // 2, amount) for amount in (0.2, 0.03))
    alone, _ = baseline.conditions(coarse(faint), before)
    assert alone.light is None or alone.light.veil is None
    baseline.conditions(coarse(bright), before)
    after, _ = baseline.conditions(coarse(faint), before)
    assert after.light is not None and after.light.veil is not None
    assert share_differing(coarse(after.undo(faint, WINDOW, BOARD)), before) <= share_differing(
        coarse(alone.undo(faint, WINDOW, BOARD)), before
    )


@pytest.mark.parametrize(
    "colour", [(40, 40, 45), (32, 30, 175), (25, 188, 238)], ids=["gone", "red", "yellow"]
)
def test_an_added_or_removed_piece_is_not_taken_for_a_change_of_light(colour: tuple[int, int, int]) -> None:
    other = np.asarray(cv2.circle(BOARD.copy(), (WIDTH // 2, HEIGHT // 2), round(0.4 * PITCH), colour, -1))
    assert remaining(other) > 0.8 * share_differing(coarse(other), coarse(BOARD)) > 0


def test_an_arm_is_not_taken_for_camera_motion() -> None:
    arm = BOARD.copy()
    arm[: HEIGHT // 2, WIDTH // 3 : WIDTH // 2] = (120, 150, 200)
    assert found(arm).corner_displacement() < 1.0


@pytest.mark.parametrize("place", [(0.37, 0.44), (0.5, 0.37), (0.62, 0.51)])
def test_a_reflection_is_removed_from_under_a_piece_that_was_set_down_in_its_middle(
    place: tuple[float, float],
) -> None:
    """What remains of it would be in the reference, and seem to be a change when the reflection is gone."""
    x, y = round(place[0] * WIDTH), round(place[1] * HEIGHT)
    after = BOARD.copy()
    cv2.circle(after, (x, y), round(0.4 * PITCH), (32, 30, 175), -1)
    shown = reflection(after, x, y, 0.15, 1.0)
    middle = slice(y - 3, y + 4), slice(x - 3, x + 4)
    restored = found(shown).undo(shown, WINDOW, BOARD)
    without, left = (float(((each[middle] / 255) ** 2.2).mean()) for each in (after, restored))
    assert abs(left - without) < 0.15 * 0.15


def dim(image: Image) -> Image:
    return np.asarray(cv2.LUT(image, np.round(np.arange(256) * 0.5).astype(np.uint8)))


def test_noise_under_a_strong_reflection_is_not_magnified_into_a_change() -> None:
    """Bright light leaves dark pieces a tenth of their contrast: undoing that magnifies noise tenfold."""
    dark, noise = dim(BOARD), np.random.default_rng(2).normal(0, 3, BOARD.shape)
    shown = reflection(dark, WIDTH // 2, HEIGHT // 2, 0.5, 0.9)
    shown = np.clip(shown + noise, 0, 255).astype(np.uint8)
    before = coarse(dark)
    found, _ = Baseline(before, SAMPLING).conditions(coarse(shown), before)
    undone = found.undo(shown, WINDOW, dark)
    middle = slice(HEIGHT // 2 - 20, HEIGHT // 2 + 20), slice(WIDTH // 2 - 20, WIDTH // 2 + 20)
    assert np.abs(undone[middle].astype(float) - dark[middle]).mean() < 4.0


@pytest.mark.parametrize("colour", [(20, 20, 22), (16, 15, 88), (12, 94, 119)], ids=["gone", "red", "yellow"])
def test_a_piece_that_came_or_went_still_shows_under_a_strong_reflection(
    colour: tuple[int, int, int],
) -> None:
    dark, x, y = dim(BOARD), WIDTH // 2, HEIGHT // 2
    after = np.asarray(cv2.circle(dark.copy(), (x, y), round(0.4 * PITCH), colour, -1))
    shown = reflection(after, x + round(0.5 * PITCH), y, 0.4, 1.0)
    before = coarse(dark)
    found, _ = Baseline(before, SAMPLING).conditions(coarse(shown), before)
    assert found.veiled
    left = share_differing(coarse(found.undo(shown, WINDOW, dark)), before)
    assert left > share_differing(coarse(after), before) / 3 > 0


@pytest.mark.parametrize(("x", "y"), [(0.4, 0.4), (0.5, 0.5), (0.6, 0.45)])
def test_a_reflection_is_measured_in_its_place(x: float, y: float) -> None:
    """A veil that is displaced by a twentieth of a square leaves a bright edge on dark pieces."""
    shown = reflection(BOARD, round(x * WIDTH), round(y * HEIGHT), 0.3, 0.8)
    light = found(shown).light
    assert light is not None and light.veil is not None
    veil = cv2.resize(
        light.veil, (WINDOW.right - WINDOW.left, WINDOW.bottom - WINDOW.top), interpolation=cv2.INTER_LINEAR
    )
    rows, columns = np.mgrid[WINDOW.top : WINDOW.bottom, WINDOW.left : WINDOW.right]
    weights = np.where(veil > 0.03, veil, 0)
    centre = np.array([(weights * columns).sum(), (weights * rows).sum()]) / weights.sum()
    assert np.abs(centre - (round(x * WIDTH), round(y * HEIGHT))).max() < 0.035 * PITCH


LIGHTER = 210 - np.percentile(BOARD, 95)
"""Grey levels by which the lightest parts of the board come to 210."""


def patch_of_light(image: NDFloat | Image, x: float, y: float, factor: tuple[float, float, float]) -> Image:
    """A turned square with hard edges around (x, y), as shares of the picture, in so many times the light
    (blue, green, red).
    """
    corners = cv2.boxPoints(((x * WIDTH, y * HEIGHT), (5 * PITCH, 4 * PITCH), 25.0))
    inside = cv2.fillConvexPoly(np.zeros((HEIGHT, WIDTH)), np.round(corners).astype(int), 1.0)
    factors = 1 + (np.array(factor) - 1) * cv2.GaussianBlur(inside, (0, 0), 1.2)[..., None]
    return np.asarray(np.clip(image * factors ** (1 / 2.2), 0, 255), np.uint8)


@pytest.mark.parametrize(("x", "y"), [(0.4, 0.4), (0.5, 0.55), (0.65, 0.45)])
@pytest.mark.parametrize(
    "factor",
    [(1.5, 1.6, 1.7), (0.6, 0.6, 0.6), (0.45, 0.4, 0.4)],
    ids=["sun", "shadow", "shadow in the sun"],
)
def test_a_patch_of_light_with_hard_edges_is_undone(
    x: float, y: float, factor: tuple[float, float, float]
) -> None:
    board = 0.6 * BOARD
    shown, before = patch_of_light(board, x, y, factor), board.astype(np.uint8)
    conditions, _ = Baseline(coarse(before), SAMPLING).conditions(coarse(shown), coarse(before))
    assert unlike(conditions.undo(shown, WINDOW, before), before) < 0.1 * unlike(shown, before)


def unlike(one: Image, other: Image) -> float:
    """The mean difference of two pictures in grey levels."""
    return float(cv2.absdiff(coarse(one), coarse(other)).mean())


@pytest.mark.parametrize("sun", [1.5, 2.4])
def test_the_factor_of_a_patch_that_is_white_in_part_is_measured(sun: float) -> None:
    """Most of a light board is clipped there. What is beside a clipped pixel is clipped in part."""
    bright = np.asarray(np.clip(BOARD + LIGHTER, 0, 255), np.uint8)
    shown = patch_of_light(bright, 0.45, 0.5, (sun, sun, sun))
    conditions, _ = Baseline(coarse(bright), SAMPLING).conditions(coarse(shown), coarse(bright))
    assert conditions.light is not None
    (patch,) = conditions.light.patches
    assert patch.factor == pytest.approx(np.full(3, sun ** (1 / 2.2)), rel=0.025)


def test_the_sun_goes_from_a_board_that_was_white_in_it() -> None:
    """Where the earlier picture is clipped, it does not say how bright the later one is."""
    pale = np.asarray(235 * (BOARD / 255.0) ** 0.4, np.uint8)
    sunny = patch_of_light(pale, 0.4, 0.5, (3.0, 3.0, 3.0))
    conditions, _ = Baseline(coarse(sunny), SAMPLING).conditions(coarse(pale), coarse(sunny))
    assert unlike(conditions.undo(pale, WINDOW, sunny), sunny) < 0.1 * unlike(pale, sunny)


@pytest.mark.parametrize(
    ("shadow", "sun", "dimming"),
    [((0.36, 0.42), 0.48, 0.5), ((0.44, 0.42), 0.56, 0.5)],
)
def test_a_patch_of_sun_that_overlaps_a_shadow_that_is_gone_is_undone(
    shadow: tuple[float, float], sun: float, dimming: float
) -> None:
    """Where both were, the light has changed by both factors; neither explains that alone."""
    before = patch_of_light(BOARD + LIGHTER, *shadow, (dimming, dimming, dimming))
    now = patch_of_light(BOARD + LIGHTER, sun, 0.5, (1 / dimming, 1 / dimming, 1 / dimming))
    conditions, _ = Baseline(coarse(before), SAMPLING).conditions(coarse(now), coarse(before))
    assert unlike(conditions.undo(now, WINDOW, before), before) < 0.2 * unlike(now, before)


def test_a_piece_that_came_still_shows_in_a_patch_of_light() -> None:
    x, y = round(0.5 * WIDTH), round(0.5 * HEIGHT)
    after = np.asarray(cv2.circle(BOARD.copy(), (x, y), round(0.4 * PITCH), (32, 30, 175), -1))
    shown = patch_of_light(after, 0.5, 0.5, (0.6, 0.6, 0.6))
    undone = found(shown).undo(shown, WINDOW, BOARD)
    assert unlike(undone, after) < 0.15 * unlike(shown, after)
    assert 0.8 < unlike(undone, BOARD) / unlike(after, BOARD) < 1.5


def test_two_patches_of_light_are_undone() -> None:
    """The sun has moved from one window to the next."""
    before, now = (patch_of_light(0.6 * BOARD, x, y, (1.6, 1.6, 1.6)) for x, y in ((0.35, 0.4), (0.65, 0.6)))
    conditions, _ = Baseline(coarse(before), SAMPLING).conditions(coarse(now), coarse(before))
    assert unlike(conditions.undo(now, WINDOW, before), before) < 0.15 * unlike(now, before)


@pytest.mark.parametrize("colour", [(33, 38, 26), (150, 120, 90), (90, 120, 200), (235, 235, 230)])
def test_an_object_over_the_board_is_not_taken_for_a_patch_of_light(colour: tuple[int, int, int]) -> None:
    """A head, a sleeve, a hand, a sheet of paper."""
    covered, centre = BOARD.copy(), (round(0.45 * WIDTH), round(0.5 * HEIGHT))
    cv2.ellipse(covered, centre, (round(3 * PITCH), round(2 * PITCH)), 30, 0, 360, colour, -1)
    assert found(covered).light is None or not found(covered).light.patches
    assert remaining(covered) > 0.7 * share_differing(coarse(covered), coarse(BOARD))


def test_a_sleeve_over_the_table_is_not_taken_for_a_patch_of_light() -> None:
    """It hides the board as well, but most of it lies on cloth without details."""
    board = np.full_like(BOARD, (60, 90, 40))
    shown = slice(HEIGHT // 4, HEIGHT * 3 // 4), slice(WIDTH // 2, WIDTH * 9 // 10)
    board[shown] = BOARD[shown]
    covered = board.copy()
    covered[HEIGHT // 3 : HEIGHT // 2, : round(0.65 * WIDTH)] = (90, 135, 60)
    before = coarse(board)
    conditions, _ = Baseline(before, SAMPLING).conditions(coarse(covered), before)
    assert conditions.light is None or not conditions.light.patches


def test_white_beside_a_patch_of_sun_is_no_part_of_it() -> None:
    """In the patch, the light ground is as white as a piece; beside it, white is a change."""
    inside = np.zeros((8, 8), bool)
    inside[:, :4] = True
    patch = LightPatch(inside, np.full(3, 1.3, np.float32))
    white, ground = np.full((16, 16, 3), 255, np.float32), np.full((16, 16, 3), 220, np.float32)
    factors = patch.factors(white, ground, ground)
    assert np.allclose(factors[:, :6], 255 / 220)
    assert np.allclose(factors[:, 10:], 1.0)
