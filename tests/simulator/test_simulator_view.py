"""The rendered picture: consistent with the scene's geometry, deterministic, and fast to update."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

import cv2
import numpy as np
import pytest
from simulated import view_of

from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.simulator.board_view import BoardView, merged, placed_camera
from focus_companion.simulator.for_tests.random_look import random_look
from focus_companion.simulator.scene_style import (
    BoardStyle,
    PieceStyle,
    SceneStyle,
    Sensor,
    TableStyle,
    aimed_camera,
    pleasant_look,
)
from focus_companion.simulator.sensor import ImageSensor, Shot
from focus_companion.simulator.stage import Hand, Stage, square_centre, things_of
from focus_companion.vision.geometry.board_profiles import board_profile
from focus_companion.vision.geometry.scene import Lens, outline

SIZE = (640, 480)
SMALL = (320, 240)
"""For tests that hold for pictures of any size."""
EMPTY = ("",) * len(SQUARES)


def stage(stacks: dict[str, str], **more: object) -> Stage:
    full = list(EMPTY)
    for square, stack in stacks.items():
        full[INDEX[square]] = stack
    return replace(Stage(tuple(full)), **more)  # type: ignore[arg-type]


def bare_look(tilt: float, azimuth: float = 20.0, profile: str = "domination") -> SceneStyle:
    """A grey board without labels or randomness, on which only pieces have colours."""
    lens = replace(Lens.guess(*SIZE, 60.0), distortion=(-0.1, 0.02, 0.0005, -0.0004))
    camera = aimed_camera(lens, board_profile(profile), tilt=tilt, azimuth=azimuth, fill=0.9)
    return SceneStyle(
        camera,
        BoardStyle(colour="#808080", labels=False, cells="none", gloss=0.0),
        PieceStyle(profile, gloss=0.2, jitter=0.0, spread=0.0),
        TableStyle("plain", "#606060", "#606060", 0.0),
        sensor=Sensor(noise=0, blur=0, jpeg=0, shake=0),
    )


def redness(picture: np.ndarray) -> np.ndarray:
    p = picture.astype(int)
    return (p[..., 2] > 2 * p[..., 1]) & (p[..., 2] > 2 * p[..., 0]) & (p[..., 2] > 40)


@pytest.mark.parametrize("tilt", [6.0, 25.0, 48.0])
@pytest.mark.parametrize("profile", ["domination", "domination-shouldered"])
@pytest.mark.parametrize("square", ["c8", "a3", "g6"])
def test_a_stack_covers_the_pixels_that_the_scene_projects(tilt: float, profile: str, square: str) -> None:
    look = bare_look(tilt, profile=profile)
    picture = view_of(look).draw(stage({square: "rrr"}))
    drawn = redness(picture)
    expected = np.zeros(drawn.shape, np.uint8)
    measures = look.profile
    for level in range(3):
        hull = outline(look.camera, measures.piece, square_centre(look, square), level * measures.rise)
        cv2.fillConvexPoly(expected, np.round(hull * 16).astype(np.int32), 1, shift=4)
    overlap = np.count_nonzero(drawn & (expected > 0)) / np.count_nonzero(drawn | (expected > 0))
    assert overlap > 0.9
    rows, columns = np.nonzero(drawn)
    middle = np.argwhere(expected).mean(0)
    assert abs(rows.mean() - middle[0]) < 1.0
    assert abs(columns.mean() - middle[1]) < 1.0


def test_every_piece_of_a_stack_is_visible_from_the_side() -> None:
    look = bare_look(40.0, azimuth=0.0)
    picture = view_of(look).draw(stage({"d4": "rgb"}))
    x, y = square_centre(look, "d4")
    rise, radius = look.profile.rise, look.profile.piece.radius
    for level, channel in ((0, 2), (1, 1), (2, 0)):
        near = np.array([[x, y - radius * 0.99, level * rise + 1.0]])
        column, row = look.camera.project(near)[0].round().astype(int)
        assert picture[row, column].argmax() == channel


def test_the_same_seed_gives_the_same_picture_and_another_seed_another() -> None:
    first, again, other = (random_look(np.random.default_rng(s), SMALL) for s in (4, 4, 5))
    assert first == again != other
    shown = stage({"d4": "rgb", "e5": "y"})
    views = [BoardView(look) for look in (first, again)]
    pictures = [view.shoot(shown, np.random.default_rng(1)) for view in views]
    assert np.array_equal(*pictures)
    assert not np.array_equal(pictures[0], views[0].shoot(shown, np.random.default_rng(2)))


@pytest.mark.parametrize("seed", range(6))
def test_random_looks_are_within_the_documented_range(seed: int) -> None:
    look = random_look(np.random.default_rng(seed))
    width, height = look.size
    assert 4.5 <= look.camera.tilt <= 50.5
    assert 640 <= width <= 1920
    angle = 2 * np.degrees(np.arctan(max(width, height) / 2 / look.camera.lens.focal))
    assert 44.5 <= angle <= 80.5
    corners = look.camera.project(look.profile.corners)
    spread = np.ptp(corners, axis=0)
    assert 0.25 < max(spread[0] / width, spread[1] / height) <= 1.0
    # All squares are inside the picture.
    centres = np.column_stack([look.profile.centres, np.zeros(len(SQUARES))])
    pixels = look.camera.project(centres)
    assert (pixels > 0).all() and (pixels < (width, height)).all()


def test_redrawing_the_changes_gives_the_same_picture_as_redrawing_everything() -> None:
    look = pleasant_look(*SMALL)
    rng = np.random.default_rng(0)
    stacks = {s: "".join(rng.choice(list("rg"), rng.integers(1, 6))) for s in SQUARES if rng.random() < 0.6}
    view = BoardView(look)
    view.draw(stage(stacks, reserves={"g": 1}, captured={"r": "gg"}))
    changed = {**stacks, "d4": "rgrgr", "e5": "", "f3": "g"}
    now = stage(changed, reserves={"g": 0, "r": 2}, captured={"r": "ggg"})
    step, anew = view.draw(now).astype(int), BoardView(look).draw(now).astype(int)
    off = np.abs(step - anew).max(-1)
    assert off.max() <= 6
    assert np.mean(off > 1) < 0.002


def test_a_pushed_board_moves_in_the_picture_as_projected() -> None:
    look = bare_look(30.0)
    pose = (14.0, -9.0, 5.0)
    picture = BoardView(look).draw(stage({"f6": "r"}, pose=pose))
    rows, columns = np.nonzero(redness(picture))
    x, y = square_centre(look, "f6")
    camera = placed_camera(look.camera, pose)
    c, t = np.cos(np.radians(5.0)), np.sin(np.radians(5.0))
    seen = camera.project(np.array([[x, y, 8.0]]))
    on_table = look.camera.project(np.array([[c * x - t * y + 14.0, t * x + c * y - 9.0, 8.0]]))
    assert np.allclose(seen, on_table, atol=1e-6)
    expected = np.zeros(picture.shape[:2], np.uint8)
    hull = outline(camera, look.profile.piece, (x, y), 0.0)
    cv2.fillConvexPoly(expected, np.round(hull * 16).astype(np.int32), 1, shift=4)
    middle = np.argwhere(expected).mean(0)
    assert np.hypot(columns.mean() - middle[1], rows.mean() - middle[0]) < 1.0


def test_a_stack_casts_its_shadow_away_from_the_lamp() -> None:
    look = bare_look(10.0, azimuth=0.0)  # the lamp hangs at the upper left of the board
    view = view_of(look)
    shaded = view.draw(stage({"d4": "rrrrr"})).astype(int)
    bare = view.draw(stage({})).astype(int)
    x, y = square_centre(look, "d4")
    away, towards = (
        look.camera.project(np.array([[x + 22, y - 16, 0.0], [x - 22, y + 16, 0.0]])).round().astype(int)
    )
    darker = [int((bare - shaded)[p[1], p[0]].mean()) for p in (away, towards)]
    assert darker[0] > 15
    assert darker[0] > darker[1] + 10


@pytest.mark.parametrize("seat", ["S", "W", "N", "E"])
def test_an_arm_hides_its_square_and_comes_from_its_seat(seat: str) -> None:
    look = bare_look(12.0, azimuth=0.0)
    view = view_of(look)
    empty = view.draw(stage({})).astype(int)
    x, y = square_centre(look, "d5")
    reached = view.draw(stage({}, hand=Hand(seat, x, y, 10.0))).astype(int)
    changed = np.abs(reached - empty).max(-1) > 25
    column, row = look.camera.project(np.array([[x, y, 20.0]]))[0].round().astype(int)
    assert changed[row - 12 : row + 13, column - 12 : column + 13].mean() > 0.4
    border = {"S": changed[-1], "W": changed[:, 0], "N": changed[0], "E": changed[:, -1]}
    assert border[seat].any()
    assert sum(edge.any() for edge in border.values()) <= 2


def test_noise_has_the_given_strength_and_differs_between_pictures() -> None:
    look = replace(bare_look(20.0), sensor=Sensor(noise=3.0, blur=0, jpeg=0, shake=0, vignette=0))
    view, shown, rng = BoardView(look), stage({}), np.random.default_rng(3)
    clean = view.draw(shown)[::6, ::6].astype(np.float32)
    noise = np.stack([view.shoot(shown, rng)[::6, ::6] for _ in range(300)]) - clean
    strength = noise.std()
    assert 2.0 < strength < 4.0
    # No pixel has less noise than others, or is brighter or darker on average.
    assert noise.std(0).min() > 0.75 * strength
    assert abs(noise.mean(0)).max() < 6 * strength / np.sqrt(300)
    # The noise of a pixel is independent of that in the next picture and in the one after it.
    for lag in (1, 2, 5):
        of_each = (noise[lag:] * noise[:-lag]).mean(0) / noise.var(0)
        assert abs(of_each.mean()) < 0.02
        assert of_each.std() < 1.5 / np.sqrt(300)


def test_blurring_a_part_again_equals_blurring_the_whole_picture() -> None:
    look = replace(pleasant_look(*SMALL), sensor=Sensor(noise=0, blur=0.8, jpeg=0, shake=0.4))
    shown = stage(dict.fromkeys(SQUARES[8:44], "rg"))
    arm = replace(shown, hand=Hand("W", *square_centre(look, "e4"), 20.0, "rg"))
    seen_before, fresh = BoardView(look), BoardView(look)
    rng = np.random.default_rng(5)
    for _ in range(60):
        seen_before.shoot(shown, rng)
    for seed in range(8):
        pictures = [view.shoot(arm, np.random.default_rng(seed)) for view in (seen_before, fresh)]
        assert np.array_equal(*pictures)


def test_light_drifts_and_the_camera_is_nudged() -> None:
    look = bare_look(20.0)
    view, shown = view_of(look), stage({"d4": "rgb"})
    first = view.draw(shown).astype(float)
    rng = np.random.default_rng(0)
    brighter = view.shoot(replace(shown, drift=0.2), rng).astype(float)
    assert 1.0 < (brighter - first).mean() < 25
    nudged = view.shoot(replace(shown, nudge=(3.0, -2.0, 0.0)), rng).astype(float)
    inner = np.s_[10:-10, 10:-10]
    assert np.abs(np.roll(first, (-2, 3), (0, 1)) - nudged)[inner].max() <= 2
    again = view.shoot(shown, rng).astype(float)
    assert np.abs(again - first).max() <= 1


def test_a_head_passes_over_the_board() -> None:
    look = bare_look(12.0, azimuth=0.0)
    view = view_of(look)
    empty = view.draw(stage({})).astype(int)
    over = view.draw(stage({}, hand=Hand("S", 0.0, -60.0, 160.0, head=True))).astype(int)
    assert 0.15 < (np.abs(over - empty).max(-1) > 25).mean() < 0.9


@pytest.mark.parametrize("style", ["octagon", "square", "cross"])
def test_pieces_beside_the_squares_lie_clear_of_the_squares_and_of_each_other(style: str) -> None:
    look = replace(bare_look(20.0), board=BoardStyle(outline=style))
    shown = stage(
        dict.fromkeys(SQUARES, "g"), reserves={"g": 9, "r": 7}, captured={"r": "g" * 14, "g": "r" * 5}
    )
    places = np.array([(thing.x, thing.y) for thing in things_of(shown, look)])
    gaps = np.linalg.norm(places[:, None] - places[None], axis=-1) + 1e3 * np.eye(len(places))
    assert gaps.min() > 2 * look.profile.piece.radius


def test_overlapping_rectangles_are_joined() -> None:
    assert merged([(0, 0, 5, 5), (10, 0, 12, 2), (4, 4, 11, 8), (3, 3, 3, 9)]) == [(0, 0, 12, 8)]


def test_pieces_in_a_hand_are_in_the_same_place_if_they_are_drawn_coarsely() -> None:
    view = view_of(bare_look(35.0))
    holding = stage({}, hand=Hand("E", 10.0, 5.0, 20.0, "rrr"))
    fine, coarse = (redness(view.draw(holding, detail=detail)) for detail in (1.0, 0.5))
    assert fine.sum() > 200
    assert (fine != coarse).sum() < 0.08 * fine.sum()


@pytest.mark.slow
def test_pictures_are_drawn_fast_enough_for_a_live_camera() -> None:
    look = pleasant_look()
    view, rng = view_of(look), np.random.default_rng(0)
    shown = stage(dict.fromkeys(SQUARES[8:44], "rg"))
    x, y = square_centre(look, "d5")
    arm = replace(shown, hand=Hand("S", x, y, 20.0, "rgr"))
    for first in (shown, arm):
        view.shoot(first, rng, detail=0.5)
    spent = []
    for _ in range(5):
        began = time.process_time()
        view.shoot(arm, rng, detail=0.5)
        spent.append(time.process_time() - began)
    assert min(spent) < 1 / 15


@pytest.mark.slow
def test_drawing_a_still_scene_takes_a_few_times_as_long_as_its_noise() -> None:
    # A ratio, since absolute times depend on the machine and its load.
    view, rng = view_of(pleasant_look()), np.random.default_rng(0)
    shown = stage(dict.fromkeys(SQUARES[8:44], "rg"))
    still, sensor = Shot(view.shoot(shown, rng), version=1), ImageSensor(pleasant_look())
    spent = []
    for _ in range(6):
        times = [time.process_time()]
        for picture in (partial(view.shoot, shown, rng), partial(sensor.expose, still, rng)):
            for _ in range(20):
                picture()
            times.append(time.process_time())
        spent.append(np.diff(times))
    # All that is drawn only once is in the first round.
    drawing, noise = np.median(spent[1:], axis=0)
    assert drawing < 4 * noise
