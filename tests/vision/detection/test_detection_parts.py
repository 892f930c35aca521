"""The parts of the board search, on data with exactly known results."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from focus_companion.game.squares import FILE, RANK
from focus_companion.vision.detection.blobs import RADII, Blobs, Roundness, RoundnessMaps, blobs
from focus_companion.vision.detection.cross import cross_scores
from focus_companion.vision.detection.edge_fit import occluded
from focus_companion.vision.detection.edges import Edges, outlines, stack_solid
from focus_companion.vision.detection.lattice import lattices, transform
from focus_companion.vision.detection.quarter_turn import colour_agreement, tints
from focus_companion.vision.detection.site_classifier import surroundings
from focus_companion.vision.geometry.board_profiles import board_profile
from focus_companion.vision.geometry.pose import Prior, adjust, pushed, square_view, undistort
from focus_companion.vision.geometry.scene import Camera, Lens, outline
from focus_companion.vision.geometry.stack_masks import Window

PROFILE = board_profile()


def camera(tilt: float, spin: float, field: float = 62.0, k1: float = 0.0) -> Camera:
    guess = Lens.guess(640, 480, field)
    lens = Lens(640, 480, guess.focal, guess.centre, (k1, 0.0, 0.0, 0.0))
    tip = cv2.Rodrigues(np.array([np.pi - np.radians(tilt), 0.0, 0.0]))[0]
    around = cv2.Rodrigues(np.array([0.0, 0.0, spin]))[0]
    x, y, z = cv2.Rodrigues(tip @ around)[0].reshape(3)
    return Camera(lens, (float(x), float(y), float(z)), (5.0, -8.0, 620.0))


@pytest.mark.parametrize("inner, outer", [(200, 60), (40, 180), (128, 112)])
def test_discs_are_detected_at_any_contrast(inner: int, outer: int) -> None:
    image = np.full((240, 320, 3), outer, np.uint8)
    centres = [(60.0, 60.0), (160.0, 90.0), (250.0, 170.0)]
    for x, y in centres:
        cv2.circle(image, (int(x), int(y)), 10, (inner,) * 3, -1, cv2.LINE_AA)
    found = blobs(RoundnessMaps(image), range(len(RADII))).near_radius(10.5, 1.3)
    for centre in centres:
        assert np.linalg.norm(found.points - centre, axis=1).min() < 2.0


def test_roundness_near_a_point_is_the_maximum_response() -> None:
    rng = np.random.default_rng(7)
    level = Roundness(10.0, 0.6, rng.normal(0, 0.3, (40, 50)).astype(np.float32))
    points = rng.uniform(-10, 95, (200, 2))
    got = level.at(points, 4.0)
    y, x = np.mgrid[:40, :50]
    for point, value in zip(np.rint((points + 0.5) * 0.6 - 0.5), got, strict=True):
        near = (x - point[0]) ** 2 + (y - point[1]) ** 2 <= 4.5
        if near.any():
            assert value == pytest.approx(level.response[near].max())
        else:
            assert np.isnan(value)


def test_edges_of_a_window_are_those_of_the_picture() -> None:
    rng = np.random.default_rng(3)
    image = cv2.GaussianBlur(rng.integers(0, 255, (300, 400, 3), dtype=np.uint8), (0, 0), 3)
    whole, part = Edges.of(image), Edges.of(image, Window(80, 60, 330, 250))
    assert part.size == whole.size == (400, 300)
    view = camera(20.0, 0.4).scaled(0.2)
    central = replace(view, lens=replace(view.lens, centre=(200.0, 150.0)))
    shown = outlines(central, PROFILE, np.zeros(1, int), np.zeros((1, 2))).pixels
    assert part.along(shown, 3.0, 2) == pytest.approx(whole.along(shown, 3.0, 2), abs=0.01)


@settings(max_examples=40, deadline=None)
@given(st.floats(0, 45), st.floats(-3.1, 3.1), st.integers(0, 1000))
# Sites along the diagonals also form a square lattice: in these cases, the board could be split into two.
@example(20.0, 0.0, 362)
@example(45.0, 1.5, 762)
def test_lattice_grows_over_gaps_and_clutter(tilt: float, spin: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    view = camera(tilt, spin)
    sites = view.project(np.column_stack([PROFILE.centres, np.full(52, 6.0)]))
    sites = sites[rng.permutation(52)[:44]] + rng.normal(0, 0.7, (44, 2))
    clutter = rng.uniform((0, 0), (640, 480), (25, 2))
    points = np.concatenate([sites, clutter])
    found = lattices(Blobs(points, np.full(len(points), 12.0), np.ones(len(points))), 13.4, 640, 480)
    best = max(found.grown + found.finer, key=lambda lattice: len(lattice.sites))
    met = sum(np.linalg.norm(best.points - site, axis=1).min() < 0.1 for site in sites)
    assert met >= 36
    places = transform(best.homography, best.sites.astype(float))
    assert np.linalg.norm(places - best.points, axis=1).mean() < 3


@settings(max_examples=40, deadline=None)
@given(st.floats(1, 50), st.floats(-3.1, 3.1), st.floats(52, 74))
def test_square_view_recovers_the_camera_from_a_homography(tilt: float, spin: float, field: float) -> None:
    view = camera(tilt, spin, field)
    steps = np.array([(-4, -4), (4, -4), (4, 4), (-4, 4), (0, 1), (2, -3)], float)
    pixels = view.project(np.column_stack([steps * PROFILE.pitch, np.full(len(steps), 6.0)]))
    homography = np.asarray(cv2.findHomography(steps, pixels)[0], float)
    square = square_view(homography, Lens.guess(640, 480), PROFILE.pitch, 6.0)
    assert square is not None and square.misfit < 0.03
    again = square.camera.project(np.column_stack([steps * PROFILE.pitch, np.full(len(steps), 6.0)]))
    assert np.abs(again - pixels).max() < 6.0


def test_a_mirrored_lattice_has_no_square_view() -> None:
    view = camera(20.0, 0.3)
    steps = np.array([(-4, -4), (4, -4), (4, 4), (-4, 4)], float)
    pixels = view.project(np.column_stack([steps * PROFILE.pitch, np.zeros(4)]))
    homography = np.asarray(cv2.findHomography(steps[:, ::-1].copy(), pixels)[0], float)
    assert square_view(homography, Lens.guess(640, 480), PROFILE.pitch, 0.0) is None


def test_adjust_recovers_pose_focal_and_distortion_despite_outliers() -> None:
    truth = camera(33.0, 0.7, 55.0, k1=-0.12)
    rng = np.random.default_rng(4)
    points = np.column_stack([rng.uniform(-190, 190, (300, 2)), rng.uniform(0, 40, 300)])
    pixels = truth.project(points) + rng.normal(0, 0.2, (300, 2))
    pixels[:40] += rng.uniform(-60, 60, (40, 2))
    start = pushed(camera(30.0, 0.72, 60.0), 4.0, -3.0)
    prior = Prior(start.lens.focal, -0.06)
    found = adjust(start, points, pixels, np.ones(300), prior, sigma=1.0, iterations=40)
    assert np.abs(found.project(points) - truth.project(points)).max() < 0.8
    assert found.lens.focal == pytest.approx(truth.lens.focal, rel=0.02)
    assert found.lens.distortion[0] == pytest.approx(-0.12, abs=0.03)


@given(st.integers(0, 3), st.floats(-50, 50), st.floats(-50, 50))
def test_turned_moves_the_board_under_the_camera(quarters: int, dx: float, dy: float) -> None:
    view = camera(25.0, 0.4)
    moved = pushed(view, dx, dy, quarters * np.pi / 2)
    point = np.array([(30.0, -70.0, 9.0)])
    x, y = point[0, :2]
    for _ in range(quarters):
        x, y = -y, x
    assert moved.project(point) == pytest.approx(view.project(np.array([(x + dx, y + dy, 9.0)])), abs=1e-6)


def test_undistorted_pixels_are_those_of_a_lens_without_distortion() -> None:
    lens = camera(0.0, 0.0, k1=-0.1).lens
    points = np.array([(10.0, 20.0), (320.0, 240.0), (600.0, 450.0)])
    straight = Camera(replace(lens, distortion=(0.0, 0.0, 0.0, 0.0)), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    assert undistort(points, lens) == pytest.approx(straight.project(lens.rays(points)), abs=0.02)


@pytest.mark.parametrize("tilt", [3.0, 25.0, 48.0])
def test_outlines_lie_on_the_hull(tilt: float) -> None:
    view, heights = camera(tilt, 0.5), np.array([3, 0, 1, 5, 1, 0])
    some = outlines(view, PROFILE, heights, PROFILE.centres[:6])
    for k, height in enumerate(heights.tolist()):
        x, y = (float(v) for v in PROFILE.centres[k])
        hull = outline(view, stack_solid(PROFILE, height), (x, y), 0.0).astype(np.float32)
        gaps = [cv2.pointPolygonTest(hull, (float(a), float(b)), True) for a, b in some.pixels[k]]
        assert max(np.abs(gaps)) < 0.35


@pytest.mark.parametrize("tilt", [15.0, 25.0, 48.0])
def test_outlines_are_hidden_by_the_stacks_before_them(tilt: float) -> None:
    view, heights = camera(tilt, 0.5), np.random.default_rng(3).integers(0, 6, 52)
    shown = outlines(view, PROFILE, heights, PROFILE.centres)
    away = np.linalg.norm(PROFILE.centres - view.centre[:2], axis=1)
    depth = np.full(shown.pixels.shape[:2], -np.inf)
    for stack in np.flatnonzero(heights > 0):
        hull = shown.pixels[stack].astype(np.float32)
        near = np.linalg.norm(PROFILE.centres - PROFILE.centres[stack], axis=1) < 3.2 * PROFILE.pitch
        for other in np.flatnonzero(near & (away > away[stack])):
            inside = [cv2.pointPolygonTest(hull, (x, y), True) for x, y in shown.pixels[other].tolist()]
            depth[other] = np.maximum(depth[other], inside)
    found = occluded(view, PROFILE, shown, heights)
    assert found.any() and found[depth > 0.1].all(), "inside"
    assert not found[depth < -1.2].any(), "half a pixel around, more at the corners"


def test_the_cross_is_located_by_its_surroundings() -> None:
    grid = np.zeros((16, 16))
    grid[np.array(RANK) + 5, np.array(FILE) + 3] = 0.5
    grid[5:13, 0] = np.nan
    scores = cross_scores(grid)
    assert divmod(int(scores.argmax()), scores.shape[1]) == (4, 2)
    runner_up = np.sort(scores, axis=None)[-2]
    assert scores.max() > runner_up + 0.1


def test_surroundings_are_the_rings_around_the_board() -> None:
    assert len(surroundings(PROFILE, 1)) == 48
    assert len(surroundings(PROFILE, 2)) == 44
    gaps = np.linalg.norm(surroundings(PROFILE, 1)[:, None] - PROFILE.centres[None], axis=2)
    assert gaps.min() == pytest.approx(PROFILE.pitch)


def test_colours_must_be_arranged_as_their_names_say() -> None:
    tops = ["r", "g", "b", "y"] * 9 + [""] * 16
    paint = {
        "r": (150, 25, 20),
        "g": (15, 90, 50),
        "b": (30, 60, 140),
        "y": (200, 160, 30),
        "": (120, 118, 110),
    }
    rng = np.random.default_rng(6)
    warm = np.array([paint[top] for top in tops]) * (1.0, 0.8, 0.55) + rng.normal(0, 4, (52, 3))
    values = tints(np.clip(warm, 0, 255))
    right = colour_agreement(values, tops)
    swapped = colour_agreement(values, [{"r": "g", "g": "r"}.get(top, top) for top in tops])
    mixed = colour_agreement(values, rng.permutation(tops).tolist())
    assert right > 0.8
    assert swapped < right - 0.3
    assert abs(mixed) < 0.4


@pytest.mark.parametrize("shade", [0.0, 4.0])
def test_pale_red_and_green_are_told_by_their_hues(shade: float) -> None:
    """Through a foggy lens: the lamp, from one side, makes green or red pieces a little lighter by chance."""
    tops = ["r", "g"] * 18 + [""] * 16
    paint = {"r": (128, 112, 111), "g": (113, 127, 115), "": (104, 104, 101)}
    rng = np.random.default_rng(6)
    seen = np.array([paint[top] for top in tops], float) + rng.normal(0, 1.5, (52, 3))
    seen += rng.normal(0, 5.0, (52, 1)) + shade * np.array([[top == "g"] for top in tops])
    values = tints(seen)
    exchanged = [{"r": "g", "g": "r"}.get(top, top) for top in tops]
    assert colour_agreement(values, tops) > 0.5
    assert colour_agreement(values, exchanged) < 0


def test_black_and_white_pieces_are_told_by_their_lightness() -> None:
    tops = ["r", "g"] * 18 + [""] * 16
    paint = {"r": (50, 46, 44), "g": (190, 180, 165), "": (120, 100, 80)}
    seen = np.array([paint[top] for top in tops]) + np.random.default_rng(6).normal(0, 3, (52, 3))
    assert colour_agreement(tints(seen), tops) > 0.9


AGREEMENT = """
import numpy as np
from focus_companion.vision.detection.quarter_turn import colour_agreement
print(repr(colour_agreement(np.random.default_rng(1).normal(size=(52, 3)), [*"rgby", "-"] * 10 + [*"rg"])))
"""


def test_every_process_computes_the_same_agreement_of_colours() -> None:
    """The order of a set of letters differs between processes, and rounding depends on that of a sum."""
    said = {
        subprocess.run(
            [sys.executable, "-c", AGREEMENT],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "12345"
    }
    assert len(said) == 1
