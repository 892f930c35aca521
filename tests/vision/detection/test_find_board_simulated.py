"""Finding boards on difficult simulated tables, with wrong fits and a lens that is hardly constrained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from simulated import view_of

from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_stacks
from focus_companion.game.squares import SQUARES
from focus_companion.simulator.board_view import BoardView
from focus_companion.simulator.for_tests.corner_error import corner_error
from focus_companion.simulator.for_tests.random_look import random_look
from focus_companion.simulator.scene_style import SceneStyle, aimed_camera, pleasant_look
from focus_companion.simulator.stage import Stage
from focus_companion.vision.capture.frames import Image
from focus_companion.vision.detection import refine as find_exact
from focus_companion.vision.detection.board_search import BoardSearch, neighbouring_poses
from focus_companion.vision.detection.find_board import FoundBoard, find_board
from focus_companion.vision.detection.pixel_check import pixel_mismatch
from focus_companion.vision.detection.scored_fit import ScoredFit
from focus_companion.vision.geometry.board_profiles import plastic_sets
from focus_companion.vision.geometry.lens_profiles import LensProfile
from focus_companion.vision.geometry.pose import pushed
from focus_companion.vision.geometry.scene import Lens


def pictures(seed: int, noises: Sequence[int]) -> tuple[SceneStyle, tuple[str, ...], list[Image]]:
    """A random look, a start position, and its picture with each of these noise seeds."""
    rng = np.random.default_rng([seed, 77])
    start = start_stacks(Rules.make(int(rng.choice([2, 2, 3, 4]))))
    look = random_look(rng)
    view, stage = view_of(look), Stage(start, seats={})
    return look, start, [view.shoot(stage, np.random.default_rng(noise)) for noise in noises]


def error_of(found: FoundBoard | None, look: SceneStyle) -> float:
    """Mean error of the lattice's corners, in squares."""
    assert found is not None
    return corner_error(found.camera, look.camera, found.profile, true_profile=look.profile)


@pytest.mark.slow
def test_a_wrong_fit_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    look, start, (image,) = pictures(1, (2,))
    assert error_of(find_board(image, plastic_sets(), start), look) < 0.06
    # If the fit is not repeated, it remains a quarter of a square off.
    monkeypatch.setattr(find_exact, "_MAX_MISFIT", 9.0)
    monkeypatch.setattr(find_exact, "MAX_MISMATCH", 9.0)
    assert error_of(find_board(image, plastic_sets(), start), look) > 0.2


@pytest.mark.slow
def test_a_board_seen_obliquely_on_a_chequered_cloth_is_found() -> None:
    """Its lattice is half a square off at the far end, and the cells of the cloth seem more likely."""
    look, start, (image,) = pictures(2655, (1,))
    assert look.table.kind == "gingham"
    assert error_of(find_board(image, plastic_sets(), start), look) < 0.06


def test_only_the_right_camera_and_set_match_the_pixels() -> None:
    """With a shifted camera, some pixels are rendered that the picture does not show."""
    look, start, (image,) = pictures(3, (0,))
    wrong = pushed(look.camera, 0.15 * look.profile.pitch, 0.0, 0.0)
    right = pixel_mismatch(image, look.camera, look.profile, start)
    assert right < 0.01
    assert pixel_mismatch(image, wrong, look.profile, start) > right + 0.03


@pytest.mark.slow
def test_all_pixels_determine_the_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """The outlines of the other set, at a slightly different pose, agree equally well."""
    look, start, (image,) = pictures(127, (0,))
    found = find_board(image, plastic_sets(), start)
    assert found is not None and found.profile.name == look.pieces.profile
    assert error_of(found, look) < 0.05
    monkeypatch.setattr(find_exact, "pixel_mismatch", lambda *_: 0.0)
    other = find_board(image, plastic_sets(), start)
    assert other is not None and other.profile.name != look.pieces.profile
    assert error_of(other, look) > 0.1


@pytest.mark.slow
def test_a_known_lens_makes_the_pose_more_accurate() -> None:
    # The mean of several pictures, because the error in a single one depends on its noise.
    look, start, images = pictures(15, range(5))
    lens = LensProfile("true", look.camera.lens)
    tilts, places = [], []
    for image in images:
        guessed = find_board(image, plastic_sets(), start)
        known = find_board(image, plastic_sets(), start, lens=lens)
        assert guessed is not None and known is not None
        off, rest = (abs(found.camera.lens.focal / look.camera.lens.focal - 1) for found in (guessed, known))
        assert rest < 0.02 and rest < off / 3
        places.append((error_of(known, look), error_of(guessed, look)))
        tilts.append(abs(known.camera.tilt - look.camera.tilt))
    with_lens, without = np.median(places, axis=0)
    assert with_lens < min(0.05, without)
    assert np.median(tilts) < 0.5


def test_an_empty_board_is_shifted_to_where_its_domes_are() -> None:
    """A lattice that is off by a square has no domes along one side, whatever the direction of the shift."""
    look = pleasant_look(640, 480)
    image = BoardView(look).shoot(Stage(("",) * 52), np.random.default_rng(5))
    empty = ("",) * 52
    search = BoardSearch(image, look.profile, empty, None)
    for beside in (look.camera, *neighbouring_poses(look.camera, look.profile)):
        fit = search.on_most_domes(ScoredFit(beside, 2.5, None))
        assert error_of(FoundBoard(fit.camera, look.profile, 1.0), look) < 0.1


@pytest.mark.slow
def test_an_empty_board_whose_hard_shadows_look_rounder_than_its_domes_is_found() -> None:
    """All blobs lie beside the domes, so the fit does not converge from where they are."""
    look = random_look(np.random.default_rng([200, 53]), (960, 720))
    lens = replace(Lens.guess(960, 720, 60.6), distortion=look.camera.lens.distortion)
    camera = aimed_camera(lens, look.profile, tilt=44.4, azimuth=276.1, roll=-1.4, fill=0.83)
    bare = ("",) * len(SQUARES)
    image = BoardView(replace(look, camera=camera)).shoot(Stage(bare), np.random.default_rng(1))
    found = find_board(image, plastic_sets(), bare)
    assert found is not None
    error = corner_error(found.camera, camera, found.profile, true_profile=look.profile, turns=4)
    assert error < 0.05
