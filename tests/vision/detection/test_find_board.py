"""Finding drawn boards from various cameras, at various orientations and in various light; and no board
elsewhere.
"""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_board import PROFILE, Image, draw, look, start_stacks

from focus_companion.game.squares import SQUARES
from focus_companion.simulator.for_tests.corner_error import corner_error
from focus_companion.vision.detection.board_search import BoardSearch
from focus_companion.vision.detection.find_board import find_board
from focus_companion.vision.detection.pixel_aspect import PixelAspects
from focus_companion.vision.detection.refine import refine
from focus_companion.vision.detection.scored_fit import ScoredFit
from focus_companion.vision.geometry.board_profiles import plastic_sets
from focus_companion.vision.geometry.pose import pushed
from focus_companion.vision.geometry.resize import WORK_PIXELS

VIEWS = {
    "from above": (4.0, 20.0, 620.0, (1280, 960), 60.0),
    "oblique, turned": (30.0, 160.0, 640.0, (1280, 960), 60.0),
    "steep, small picture": (45.0, 260.0, 600.0, (640, 480), 68.0),
    "wide picture": (20.0, 305.0, 760.0, (1280, 720), 75.0),
}


@pytest.mark.parametrize("view", VIEWS)
def test_a_known_start_determines_pose_and_orientation(view: str) -> None:
    truth = look(*VIEWS[view])
    image = draw(truth, start_stacks(), np.random.default_rng(3))
    found = find_board(image, [PROFILE], start_stacks())
    assert found is not None
    assert corner_error(found.camera, truth, PROFILE) < 0.06
    assert found.confidence > 0.8
    assert (found.camera.lens.width, found.camera.lens.height) == (image.shape[1], image.shape[0])
    assert found.camera.lens.aspect == 1.0


@pytest.mark.parametrize(("scale", "found"), [(0.75, True), (1.0, True), (1.33, True), (3.0, False)])
def test_with_a_known_pitch_only_boards_of_about_that_size_are_found(scale: float, found: bool) -> None:
    truth = look(*VIEWS["oblique, turned"])
    image = draw(truth, start_stacks(), np.random.default_rng(3))
    pitch = scale * truth.pitch_pixels(PROFILE)
    assert (find_board(image, [PROFILE], start_stacks(), pitch=pitch) is not None) == found


@pytest.mark.parametrize(
    ("view", "size"),
    [
        ("from above", (704, 576)),
        ("from above", (1280, 720)),
        ("oblique, turned", (704, 576)),
        pytest.param("from above", (352, 288), marks=pytest.mark.slow),
        pytest.param("from above", (704, 480), marks=pytest.mark.slow),
    ],
)
def test_a_board_in_a_squeezed_picture_is_found(view: str, size: tuple[int, int]) -> None:
    """The pixels of old and of surveillance cameras are not square."""
    truth = look(*VIEWS[view])
    image = draw(truth, start_stacks(), np.random.default_rng(3))
    scale = np.array(size) / image.shape[1::-1]
    squeezed = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    found = find_board(squeezed, [PROFILE], start_stacks())
    assert found is not None
    camera = found.camera
    off = camera.project(PROFILE.corners) - truth.project(PROFILE.corners) * scale
    assert np.linalg.norm(off, axis=1).max() < 0.06 * camera.pitch_pixels(PROFILE)
    assert camera.lens.aspect == pytest.approx(scale[1] / scale[0])
    assert abs(camera.tilt - truth.tilt) < 3.0


@pytest.mark.parametrize(
    ("size", "aspects"),
    [
        ((1280, 960), [4 / 3]),
        ((1920, 1080), [3 / 4]),
        ((960, 1280), [3 / 4]),
        ((640, 480), [4 / 3]),
        ((352, 288), [12 / 11, 16 / 11]),
        ((288, 352), [11 / 12, 11 / 16]),
        ((720, 480), [8 / 9, 32 / 27]),
        ((3000, 2000), []),
        ((1280, 1024), []),
    ],
)
def test_the_aspects_that_pixels_may_have_follow_from_the_size(
    size: tuple[int, int], aspects: list[float]
) -> None:
    assert PixelAspects.of(*size).others == pytest.approx(tuple(aspects))


@pytest.mark.parametrize(
    "rank1, azimuth", [("bottom", 8.0), ("left", 98.0), ("top", 188.0), ("right", 278.0)]
)
def test_an_unknown_position_is_oriented_by_rank_1(rank1: str, azimuth: float) -> None:
    truth = look(25.0, azimuth, 640.0, (960, 720), 62.0)
    rng = np.random.default_rng(5)
    stacks = tuple("".join(rng.choice(list("rgby"), rng.choice([0, 0, 0, 1, 1, 2, 4]))) for _ in SQUARES)
    found = find_board(draw(truth, stacks, rng), [PROFILE], rank1=rank1)
    assert found is not None
    sides = {"bottom": (0, 1), "left": (-1, 0), "top": (0, -1), "right": (1, 0)}
    first, last = found.camera.project(np.array([(0.0, -168.0, 0.0), (0.0, 168.0, 0.0)]))
    assert (first - last) @ sides[rank1] > 0.9 * np.linalg.norm(first - last)
    assert corner_error(found.camera, truth, PROFILE, turns=4) < 0.08


def test_a_dark_board_on_a_chequered_cloth_is_found_in_dim_light() -> None:
    truth = look(22.0, 75.0, 650.0, (1280, 960), 60.0)
    rng = np.random.default_rng(8)
    image = draw(truth, start_stacks(), rng, board=(70, 40, 30), table=(0, 0, 0), noise=0.0)
    cloth = check_cloth(image.shape[1], image.shape[0], 19)
    bare = draw(truth, start_stacks(), rng, board=(70, 40, 30), table=(255, 0, 255), noise=0.0)
    outside = (bare.astype(int) - image).max(2) > 120
    image[outside] = cloth[outside]
    dim = np.clip(image * 0.5 + rng.normal(0, 3, image.shape), 0, 255).astype(np.uint8)
    found = find_board(dim, [PROFILE], start_stacks())
    assert found is not None
    assert corner_error(found.camera, truth, PROFILE) < 0.06


def check_cloth(width: int, height: int, side: int) -> Image:
    y, x = np.mgrid[:height, :width]
    threads = (x // side % 2) + (y // side % 2)
    cloth = np.array([(235, 235, 240), (150, 150, 225), (60, 50, 200)], np.uint8)[threads]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), 24, 1.0)
    return np.asarray(cv2.warpAffine(cloth, turn, (width, height), borderMode=cv2.BORDER_REFLECT), np.uint8)


NO_BOARDS = {
    "black": np.zeros((480, 640, 3), np.uint8),
    "noise": np.random.default_rng(1).integers(0, 255, (480, 640, 3), dtype=np.uint8),
    "small checks": check_cloth(640, 480, 11),
    "large checks": check_cloth(640, 480, 23),
    "tiny picture": np.full((24, 32, 3), 90, np.uint8),
}
SLOW = {"noise", "small checks", "large checks"}


@pytest.mark.parametrize(
    "what",
    [pytest.param(what, marks=[pytest.mark.slow] * (what in SLOW)) for what in NO_BOARDS],
)
def test_no_board_is_found_where_there_is_none(what: str) -> None:
    assert find_board(NO_BOARDS[what], [PROFILE]) is None


@pytest.mark.parametrize("what", ["noise", pytest.param("large checks", marks=pytest.mark.slow)])
def test_a_known_position_is_not_found_where_there_is_no_board(what: str) -> None:
    assert find_board(NO_BOARDS[what], [PROFILE], start_stacks()) is None


@pytest.mark.slow
def test_a_small_board_is_found_at_higher_resolution() -> None:
    truth = look(20.0, 30.0, 1050.0, (1280, 720), 62.0)
    assert truth.pitch_pixels(PROFILE) * np.sqrt(WORK_PIXELS / (1280 * 720)) < 25
    small = look(20.0, 30.0, 1750.0, (1280, 720), 62.0)
    assert small.pitch_pixels(PROFILE) * np.sqrt(WORK_PIXELS / (1280 * 720)) < 15
    for camera in (truth, small):
        found = find_board(draw(camera, start_stacks(), np.random.default_rng(4)), [PROFILE], start_stacks())
        assert found is not None
        assert corner_error(found.camera, camera, PROFILE) < 0.1


@pytest.mark.slow
def test_a_half_set_up_board_is_found() -> None:
    truth = look(25.0, 200.0, 640.0, (800, 600), 60.0)
    stacks = tuple(stack if k < 26 else "" for k, stack in enumerate(start_stacks()))
    found = find_board(draw(truth, stacks, np.random.default_rng(9)), [PROFILE], start_stacks())
    assert found is not None
    assert corner_error(found.camera, truth, PROFILE, turns=4) < 0.08


def test_refinement_corrects_a_displaced_camera() -> None:
    truth = look(28.0, 40.0, 640.0, (1280, 960), 60.0)
    image = draw(truth, start_stacks(), np.random.default_rng(2))
    nudged = pushed(truth, 3.5, -2.5)
    assert corner_error(nudged, truth, PROFILE) > 0.08
    camera, agreement = refine(image, nudged, PROFILE, start_stacks())
    assert corner_error(camera, truth, PROFILE) < 0.04
    assert agreement > 0.4


@pytest.mark.parametrize("shift", [(0, 0), (1, 0), (-1, 1)])
def test_a_fit_shifted_by_a_square_is_corrected(shift: tuple[int, int]) -> None:
    """On a green board on a green cloth, only the six by six pieces are visible."""
    stacks, camera = start_stacks(), look(30, 20, 900, (800, 600), 60)
    image = draw(camera, stacks, np.random.default_rng(1), board=(58, 74, 44), table=(62, 80, 48))
    search = BoardSearch(image, PROFILE, stacks, None)
    x, y = shift
    shifted = pushed(camera, x * PROFILE.pitch, y * PROFILE.pitch)
    agreement = 1.0 if (x, y) != (0, 0) else 9.0
    found = search.best_shifted(ScoredFit(shifted, 1.0, agreement)).camera
    errors = np.linalg.norm(found.project(PROFILE.corners) - camera.project(PROFILE.corners), axis=1)
    assert errors.max() < 0.1 * camera.pitch_pixels(PROFILE)


def test_a_shift_by_a_square_is_corrected_before_the_search_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise every blob size is searched, even in a larger picture, which takes seconds."""
    stacks, camera = start_stacks(), look(30, 20, 900, (800, 600), 60)
    image = draw(camera, stacks, np.random.default_rng(1), board=(58, 74, 44), table=(62, 80, 48))
    search = BoardSearch(image, PROFILE, stacks, None)
    beside = ScoredFit(pushed(camera, PROFILE.pitch, 0.0), 3.0, 0.74)
    looked: list[int] = []
    monkeypatch.setattr(search, "_fitted", lambda _: beside)
    monkeypatch.setattr(search._search, "best", lambda: [camera, beside.camera])
    monkeypatch.setattr(search._search, "collect", looked.append)
    best = search.best()
    assert best is not None and best.certain and len(looked) == 1
    errors = np.linalg.norm(best.camera.project(PROFILE.corners) - camera.project(PROFILE.corners), axis=1)
    assert errors.max() < 0.1 * camera.pitch_pixels(PROFILE)


@pytest.mark.slow
def test_a_calibration_sheet_with_small_squares_is_not_a_board() -> None:
    """In few pixels, its squares look as round as domes."""
    rng, sheet = np.random.default_rng(1), np.full((11, 13), 235, np.uint8)
    sheet[1:-1, 1:-1] = np.where(np.indices((9, 11)).sum(0) % 2, 235, 40)
    height, width = 11 * 28, 13 * 28
    corners = np.array([(-width, -height), (width, -height), (width, height), (-width, height)]) / 2
    turn = np.deg2rad(20)
    askew = corners @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) + (640, 360)
    paper = cv2.resize(sheet, (width, height), interpolation=cv2.INTER_NEAREST)
    places = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    onto = cv2.getPerspectiveTransform(places, askew.astype(np.float32))
    wall = np.full((720, 1280), 150, np.uint8)
    shown = cv2.warpPerspective(paper, onto, (1280, 720), dst=wall, borderMode=cv2.BORDER_TRANSPARENT)
    grey = cv2.GaussianBlur(shown, (0, 0), 1.0)[..., None] + rng.normal(0, 3, (720, 1280, 3))
    assert find_board(np.clip(grey, 0, 255).astype(np.uint8), plastic_sets()) is None
