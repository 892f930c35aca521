"""How reliably heights can be read: the verdict and advice of the check, and whether they hold."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from simulated import view_of

from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import SQUARES
from focus_companion.simulator.scene_style import aimed_camera, pleasant_look
from focus_companion.simulator.stage import Stage
from focus_companion.vision.appearance.background import Background
from focus_companion.vision.appearance.colour_model import ColourModel
from focus_companion.vision.appearance.evidence import Evidence
from focus_companion.vision.appearance.first_colours import usual_pieces
from focus_companion.vision.appearance.learning import learn
from focus_companion.vision.geometry.board_profiles import board_profile
from focus_companion.vision.geometry.scene import Camera, Lens
from focus_companion.vision.geometry.stack_masks import MIN_VISIBLE_STEP, Outlines
from focus_companion.vision.placement_check import (
    Advice,
    Certainty,
    Mount,
    Trial,
    check_mount,
    separations,
    tilted,
    try_picture,
)

PROFILE = board_profile()
START = start_position(Rules.make(2)).stacks


def camera(
    tilt: float, pitch: float, field: float = 62.0, azimuth: float = 25.0, fill: float = 0.9
) -> Camera:
    """A camera for which squares are ``pitch`` pixels wide; the picture is as large as that requires."""
    aimed = aimed_camera(Lens.guess(960, 720, field), PROFILE, tilt=tilt, azimuth=azimuth, fill=fill)
    return aimed.scaled(pitch / aimed.pitch_pixels(PROFILE))


@cache
def mount(tilt: float, pitch: float, field: float = 62.0, azimuth: float = 25.0) -> Mount:
    return check_mount(Outlines(camera(tilt, pitch, field, azimuth), PROFILE))


@pytest.mark.parametrize(("field", "azimuth"), [(45.0, 0.0), (62.0, 130.0), (80.0, 0.0)])
def test_heights_are_sure_from_fifteen_degrees_at_forty_pixels(field: float, azimuth: float) -> None:
    assert mount(15.5, 40.5, field, azimuth).verdict is Certainty.SURE
    steep = mount(6.0, 40.5, field, azimuth)
    # A wide lens sees the outer squares obliquely even then, but not those right below it.
    assert steep.verdict is not Certainty.SURE or field == 80.0
    assert Certainty.HARD in steep.squares and Certainty.SURE not in {steep.squares[k] for k in range(22, 30)}


def test_a_more_oblique_view_and_a_larger_board_make_heights_more_certain() -> None:
    def nats(tilt: float, pitch: float) -> np.ndarray:
        return separations(Outlines(camera(tilt, pitch), PROFILE), 0.9)

    least = [np.percentile(nats(tilt, 40), 10) for tilt in (6, 12, 20, 30, 40)]
    assert least == sorted(least)
    assert np.median(nats(20, 25)) < np.median(nats(20, 40))


@pytest.mark.parametrize(("tilt", "pitch"), [(20.0, 26.0), (15.0, 30.0), (24.0, 20.0)])
def test_a_shift_within_the_blur_of_an_edge_is_not_reliable(tilt: float, pitch: float) -> None:
    small = mount(tilt, pitch)
    assert small.step < MIN_VISIBLE_STEP and small.verdict is Certainty.FAIR and small.advice
    assert mount(tilt, 2.2 * pitch).verdict is Certainty.SURE


def test_the_advice_follows_from_the_view() -> None:
    steep = mount(6, 45)
    assert steep.verdict is not Certainty.SURE and steep.advice[0] is Advice.LOWER
    assert Advice.LARGER in mount(14, 18).advice
    assert mount(35, 45).advice == ()
    # The board is near the picture's edges: a tall stack would extend beyond them.
    cut = check_mount(Outlines(camera(12, 40, fill=1.5), PROFILE))
    assert cut.advice == (Advice.WHOLE,)


@pytest.mark.parametrize("tilt, pitch, field", [(72.0, 25.0, 62.0), (72.0, 25.0, 45.0), (80.0, 25.0, 45.0)])
def test_from_the_side_the_advice_is_to_raise_the_camera(tilt: float, pitch: float, field: float) -> None:
    low = mount(tilt, pitch, field, 0.0)
    assert low.verdict is not Certainty.SURE
    assert low.advice[0] is Advice.HIGHER and Advice.LOWER not in low.advice


def test_following_the_advice_helps() -> None:
    steep = camera(10, 40)
    before, after = (check_mount(Outlines(c, PROFILE)) for c in (steep, tilted(steep, 10)))
    assert abs(tilted(steep, 10).tilt - steep.tilt - 10) < 1e-6
    assert abs(np.linalg.norm(tilted(steep, 10).centre) / np.linalg.norm(steep.centre) - 1) < 1e-9
    assert after.verdict is Certainty.SURE and before.verdict is not Certainty.SURE


def test_an_unclear_picture_or_a_poor_fit_is_not_reliable() -> None:
    outlines = Outlines(camera(32, 42), PROFILE)
    assert check_mount(outlines, Trial(0.95, 0.012)).verdict is Certainty.SURE
    dim = check_mount(outlines, Trial(0.1, 0.012))
    assert dim.verdict is not Certainty.SURE and dim.advice == (Advice.LIGHT,)
    misfit = check_mount(outlines, Trial(0.95, 0.05))
    assert misfit.verdict is Certainty.FAIR and misfit.advice == (Advice.LENS,)


@pytest.mark.parametrize(
    ("tilt", "pitch", "clearness", "sure"),
    [(16.0, 43.0, 0.4, True), (15.6, 76.0, 0.5, True), (16.0, 43.0, 0.2, False), (16.0, 30.0, 0.4, False)],
)
def test_in_poor_light_a_good_view_stays_reliable_but_more_light_is_advised(
    tilt: float, pitch: float, clearness: float, sure: bool
) -> None:
    found = check_mount(Outlines(camera(tilt, pitch), PROFILE), Trial(clearness, 0.012))
    assert (found.verdict is Certainty.SURE) == sure
    assert not (sure and Certainty.HARD in found.squares)
    assert found.advice[0] is Advice.LIGHT


def test_the_json_for_the_page_has_verdict_and_squares() -> None:
    sent = mount(6, 45).to_json()
    assert sent["tilt"] == 6.0 and sent["verdict"] in ("fair", "hard")
    assert set(sent["squares"]) == {str(square) for square in SQUARES}
    assert set(sent["squares"].values()) <= {"sure", "fair", "hard"}
    assert sent["advice"][0]["code"] == "lower" and sent["advice"][0]["text"].endswith(".")
    assert len({advice.text for advice in Advice}) == len(Advice)


def misread(tilt: float) -> tuple[Mount, list[int]]:
    """The mount of a simulated table, and the squares whose height would be misread by one piece."""
    look = pleasant_look(800, 600)
    look = replace(look, camera=aimed_camera(look.camera.lens, PROFILE, tilt=tilt, azimuth=20, fill=0.85))
    rng = np.random.default_rng(4)
    view = view_of(look)
    first = view.shoot(Stage(START, seats={}), rng)
    outlines = Outlines(look.camera, PROFILE)
    colours, background = ColourModel(), Background()
    colours.guess(usual_pieces("gr"))
    learn(first, outlines, START, colours, background, keep=0.0)
    trial = try_picture(Evidence(first, outlines, colours, background, START), "gr")
    assert trial.misfit < 0.03 and trial.clearness > 0.7
    stacks = tuple(("r" if k % 2 else "g") * (1 + k % 5) for k in range(len(SQUARES)))
    evidence = Evidence(view.shoot(Stage(stacks, seats={}), rng), outlines, colours, background, stacks)
    wrong = []
    for square, stack in enumerate(stacks):
        others = [stack[1:]] * (len(stack) > 1) + [stack + stack[-1]] * (len(stack) < 5)
        if max(evidence.stack_gain(square, other).nats for other in others) >= 0:
            wrong.append(square)
    return check_mount(outlines, trial), wrong


@pytest.mark.slow
def test_the_verdict_agrees_with_what_is_misread() -> None:
    slanted, wrong = misread(33)
    assert slanted.verdict is Certainty.SURE and wrong == []
    steep, wrong = misread(5)
    assert steep.verdict is not Certainty.SURE and len(wrong) > 5
    assert all(steep.squares[square] is not Certainty.SURE for square in wrong)
