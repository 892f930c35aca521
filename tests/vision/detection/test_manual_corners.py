"""A board that is not found, but whose corners are marked by hand, is refined, learned and read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from focus_companion.game.rules import Rules
from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.referee.verdict import StartDiffers, StartSeen
from focus_companion.session.pipeline import Pipeline
from focus_companion.vision.arrays import Floats
from focus_companion.vision.capture.frames import Frame, Image
from focus_companion.vision.detection.manual_corners import camera_of, check_corners, corners_of
from focus_companion.vision.geometry.board_profiles import board_profile
from focus_companion.vision.geometry.scene import CORNERS, Camera, Lens
from focus_companion.vision.tracking.look import Look
from focus_companion.vision.tracking.state import State
from focus_companion.vision.tracking.watcher import Watcher

IMAGES = Path(__file__).parents[3] / "fixtures" / "images"
TRUTH = {still["file"]: still for still in json.loads((IMAGES / "truth.json").read_text())["stills"]}
PROFILES = [board_profile(name) for name in ("domination", "domination-shouldered")]
GOOD = {"a1": (0.2, 0.9), "h1": (0.8, 0.9), "h8": (0.7, 0.2), "a8": (0.3, 0.2)}


class Picture:
    """A recorded picture, at a fraction ``size`` of its own, and its ground truth."""

    def __init__(self, name: str, size: float = 0.5) -> None:
        truth = TRUTH[name]
        self.image = np.asarray(
            cv2.resize(cv2.imread(str(IMAGES / name)), None, fx=size, fy=size, interpolation=cv2.INTER_AREA),
            np.uint8,
        )
        self.stacks = tuple(truth["board"].get(square, "").lower() for square in SQUARES)
        self.order = "".join(letter.lower() for letter in truth["settings"]["order"])
        half, (dx, dy, turn) = 4 * truth["geometry"]["pitch_mm"], truth["board_pose"]
        c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
        flat = np.array([(half * sx, half * sy) for sx, sy in CORNERS.values()]) @ [(c, s), (-s, c)]
        points = np.column_stack([flat + np.array([dx, dy]), np.zeros(4)])
        camera = truth["camera"]
        rotation = cv2.Rodrigues(np.array(camera["R"], float))[0]
        lens = np.array(camera["K"], float), np.array(camera["dist"], float)
        pixels = cv2.projectPoints(points, rotation, np.array(camera["t"], float), *lens)[0][:, 0]
        self.corners: Floats = (pixels + 0.5) * size - 0.5
        sides = self.corners - np.roll(self.corners, -1, 0)
        self.pitch = float(np.linalg.norm(sides, axis=1).mean() / 8)

    def pointed_at(self, off: float, seed: int = 0) -> dict[str, tuple[float, float]]:
        """The corners as somebody marks them, each ``off`` squares from its true place."""
        angles = np.random.default_rng(seed).uniform(0, 2 * np.pi, 4)
        shifted = self.corners + off * self.pitch * np.column_stack([np.cos(angles), np.sin(angles)])
        height, width = self.image.shape[:2]
        return {name: (x / width, y / height) for name, (x, y) in zip(CORNERS, shifted, strict=True)}

    def error(self, watcher: Watcher) -> float:
        """Maximum distance of a corner of the watcher's lattice from the true one, in squares."""
        assert watcher.outlines is not None
        camera, profile = watcher.outlines.camera, watcher.outlines.profile
        gap = camera.project(profile.corners) - self.corners
        return float(np.linalg.norm(gap, axis=1).max() / self.pitch)


def watcher_without_finder(picture: Picture, stacks: tuple[str, ...] | None = None) -> Watcher:
    """A watcher that never finds the board by itself."""
    return Watcher(PROFILES, stacks or picture.stacks, picture.order, finder=lambda *_: None)


def first_look(watcher: Watcher, image: Image, first: int = 0, frames: int = 12) -> Look | None:
    """The first look that ``frames`` still frames give."""
    for index in range(first, first + frames):
        if look := watcher.see(Frame(index, index / 15, image)):
            return look
    return None


@pytest.mark.parametrize(
    ("name", "off"),
    [
        # There is nothing to correct.
        ("2p-oblique-start.jpg", 0.0),
        ("3p-blue-board.jpg", 0.15),
        # The largest error that is allowed, on every board and from every side.
        ("2p-oblique-start.jpg", 0.22),
        ("2p-bump-moved.jpg", 0.22),
        ("3p-blue-board.jpg", 0.22),
        ("4p-overhead-start.jpg", 0.22),
    ],
)
def test_manual_corners_are_refined_by_the_picture(name: str, off: float) -> None:
    picture = Picture(name, 1.0)
    watcher = watcher_without_finder(picture)
    assert first_look(watcher, picture.image) is None
    watcher.place(picture.pointed_at(off))
    look = first_look(watcher, picture.image, 20)
    assert look is not None and look.unsettled == ()
    assert watcher.state is State.WATCHING
    assert picture.error(watcher) < 0.06


def test_a_board_is_placed_before_it_is_set_up() -> None:
    picture = Picture("2p-oblique-six-high.jpg")
    pipeline = Pipeline(Rules.make(order=("red", "green")))
    before = Picture("2p-oblique-start.jpg")
    history = [_start(pipeline)]
    # The first frame creates the watcher; the corners are given before it has searched.
    pipeline.place(picture.pointed_at(0.1))
    said = [v for i in range(20) for v in pipeline.push(Frame(i, i / 15, picture.image), history)]
    (differs,) = said
    assert isinstance(differs, StartDiffers)
    true = {s for s in range(52) if picture.stacks[s] != before.stacks[s]}
    tops = {s for s in true if picture.stacks[s][-1:] != before.stacks[s][-1:]}
    assert tops <= set(differs.squares) <= true
    said = [v for i in range(20, 60) for v in pipeline.push(Frame(i, i / 15, before.image), history)]
    assert said[-1] == StartSeen()


def _start(pipeline: Pipeline) -> Any:
    from focus_companion.game.setups import start_position

    return start_position(Rules.make(order=("red", "green")))


def test_play_continues_from_a_manually_placed_board() -> None:
    before, after = Picture("2p-oblique-start.jpg"), Picture("2p-oblique-distance.jpg")
    watcher = watcher_without_finder(before)
    watcher.place(before.pointed_at(0.2))
    assert first_look(watcher, before.image) is not None
    watcher.confirm(before.stacks)
    look = first_look(watcher, after.image, 20, 30)
    assert look is not None and look.change is not None
    changed = {SQUARES[s] for s in np.flatnonzero(look.touched > 0.5)}
    assert {"c6", "a6"} <= changed and len(changed) < 12
    assert look.evidence.standing[INDEX["c6"]] == "g"


def test_remembered_corners_are_used_only_if_the_picture_confirms_them() -> None:
    picture = Picture("2p-oblique-start.jpg")
    elsewhere = {name: (0.5 * x, 0.5 * y) for name, (x, y) in picture.pointed_at(0).items()}
    for corners, found in ((picture.pointed_at(0.1), True), (elsewhere, False)):
        watcher = watcher_without_finder(picture)
        watcher.place(corners, believed=False)
        assert (first_look(watcher, picture.image) is not None) == found


def test_corners_apply_to_pictures_of_another_size() -> None:
    """Corners are fractions of the picture's size, which may change before they are refined."""
    picture = Picture("2p-oblique-start.jpg")
    watcher = watcher_without_finder(picture)
    watcher.place(picture.pointed_at(0.1))
    assert watcher.see(Frame(0, 0.0, np.ascontiguousarray(picture.image[::2, ::2]))) is None
    assert watcher.outlines is not None and watcher.setting_up
    assert first_look(watcher, picture.image, 1) is not None
    assert picture.error(watcher) < 0.06


def test_corners_marked_in_pictures_of_another_shape_are_dropped() -> None:
    """Corners remembered from before a restart may make the board too small to read."""
    picture = Picture("2p-oblique-start.jpg")
    watcher = watcher_without_finder(picture)
    watcher.place(picture.pointed_at(0.1), believed=False)
    assert watcher.see(Frame(0, 0.0, np.ascontiguousarray(picture.image[::6, ::6]))) is None
    assert watcher.outlines is None
    assert first_look(watcher, picture.image, 1) is None and watcher.state is State.SEEKING


def test_a_new_search_forgets_the_manual_corners() -> None:
    picture = Picture("2p-oblique-start.jpg")
    watcher = watcher_without_finder(picture)
    watcher.place(picture.pointed_at(0.1))
    assert first_look(watcher, picture.image) is not None
    watcher.place(None)
    assert watcher.outlines is None and first_look(watcher, picture.image, 20) is None


@pytest.mark.parametrize(
    ("corners", "why"),
    [
        ({"a1": (0, 0)}, "by its corners"),
        (GOOD | {"a1": (float("nan"), 0.9)}, "two numbers"),
        (GOOD | {"a1": (-3.0, 0.9)}, "outside"),
        (GOOD | {"a1": GOOD["h1"], "h1": GOOD["a1"]}, "without crossing"),
        (dict(zip(GOOD, list(GOOD.values())[::-1], strict=True)), "from a1 to h1"),
        (GOOD | {"a1": (0.6, 0.4)}, "without crossing"),
    ],
)
def test_invalid_corners_are_refused(corners: dict[str, Any], why: str) -> None:
    check_corners(GOOD)
    with pytest.raises(ValueError, match=why):
        check_corners(corners)


def test_a_board_too_small_to_read_is_refused() -> None:
    small = {name: (0.5 + 0.1 * x, 0.5 + 0.1 * y) for name, (x, y) in GOOD.items()}
    with pytest.raises(ValueError, match="too small"):
        camera_of(small, 640, 480, PROFILES[0])


@pytest.mark.parametrize("field", [50.0, 62.0, 76.0])
def test_the_camera_projects_the_corners_where_they_were_marked(field: float) -> None:
    lens = Lens.guess(1280, 720, field)
    rotation = cv2.Rodrigues(cv2.Rodrigues(np.array([np.pi - 0.5, 0.0, 0.0]))[0])[0].ravel()
    camera = Camera(lens, (float(rotation[0]), float(rotation[1]), float(rotation[2])), (5.0, -8.0, 620.0))
    corners = corners_of(camera, PROFILES[0])
    back = corners_of(camera_of(corners, 1280, 720, PROFILES[0]), PROFILES[0])
    for name in CORNERS:
        assert back[name] == pytest.approx(corners[name], abs=0.004)
