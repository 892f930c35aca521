"""The effects with which recordings are altered, on a small made-up scene."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from benchmarks.accuracy.alterations import light
from benchmarks.accuracy.alterations.__main__ import listed, write
from benchmarks.accuracy.alterations.effects import EFFECTS, STRENGTHS, Asked, combined
from benchmarks.accuracy.alterations.occlusion import stack_cover
from benchmarks.accuracy.alterations.scene import Picture, Scene, stretches

SIZE = (160, 120)
RATE = 5
SECONDS = 20

BOARD = {"b2": "R", "c3": "GR", "d4": "G", "f6": "RGRGR", "g5": "G"}

TRUTH: dict[str, Any] = {
    # From straight above, 600 mm away, about 8 pixels for a square.
    "camera": {
        "K": [[120.0, 0, 79.5], [0, 120.0, 59.5], [0, 0, 1]],
        "dist": [0.0, 0, 0, 0],
        "R": [[1.0, 0, 0], [0, -1, 0], [0, 0, -1]],
        "t": [0.0, 0, 600],
    },
    "geometry": {"pitch_mm": 42.0, "board_half_mm": 210.0, "table_z_mm": -17.5},
    "settings": {"order": ["R", "G"]},
    # A hand is over the board in the last 0.8 of every two seconds.
    "frames": [
        {"t": time + 1.2 * (kind == "hand"), "kind": kind, "board": BOARD, "board_pose": [0.0, 0.0, 0.0]}
        for time in range(0, SECONDS, 2)
        for kind in ("settled", "hand")
    ],
}
SCENE = Scene(TRUTH, SECONDS, SIZE)
TIMES = np.arange(0, SECONDS, 1 / RATE)

SQUEEZED = {1: (704, 576), 2: (704, 480), 3: (640, 360)}


def pictures() -> list[Picture]:
    """Coloured squares of 8 pixels that move by two pixels between pictures."""
    rng = np.random.default_rng(1)
    squares = np.kron(rng.uniform(60, 200, (15, 20, 3)), np.ones((8, 8, 1))).astype(np.float32)
    return [np.roll(squares, 2 * number, axis=1) for number in range(len(TIMES))]


PICTURES = pictures()
STILL = [PICTURES[0]] * len(TIMES)
WRITTEN = json.dumps(TRUTH)


def altered(name: str, strength: int, before: list[Picture], seed: int = 1) -> list[Picture]:
    alteration = combined(SCENE, [Asked(name, strength)], "made-up", seed)
    return [alteration(each.copy(), float(time)) for each, time in zip(before, TIMES, strict=False)]


@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize("name", EFFECTS)
def test_an_effect_changes_pictures_but_not_the_truth_and_is_repeatable(name: str, strength: int) -> None:
    before = PICTURES if name != "squeezed" else PICTURES[:5]
    found = altered(name, strength, before)
    width, height = SQUEEZED[strength] if name == "squeezed" else SIZE
    assert {each.shape for each in found} == {(height, width, 3)}
    assert {each.dtype for each in found} == {np.dtype(np.float32)}
    assert all(np.isfinite(each).all() for each in found)
    if name != "squeezed":
        assert max(np.abs(one - other).max() for one, other in zip(found, before, strict=True)) > 2
    again = altered(name, strength, before)
    assert all(np.array_equal(one, other) for one, other in zip(found, again, strict=True))
    assert json.dumps(TRUTH) == WRITTEN


@pytest.mark.parametrize("name", [*light.EFFECTS, "second_lamp", "party"])
def test_light_never_changes_a_black_picture(name: str) -> None:
    black = [np.zeros_like(PICTURES[0])] * len(TIMES)
    assert not any(each.any() for each in altered(name, 3, black))


@pytest.mark.parametrize("name", ["heaps", "rule_sheet", "tablecloth"])
def test_what_happens_beside_the_board_leaves_the_inner_squares_as_they_are(name: str) -> None:
    left, top = SCENE.pixels(np.array([(-3 * 42.0, 3 * 42.0)]))[0].round().astype(int)
    inside = slice(top, SIZE[1] - top), slice(left, SIZE[0] - left)
    found = altered(name, 3, PICTURES)
    changes = [np.abs(one - each)[inside].max() for one, each in zip(found, PICTURES, strict=True)]
    assert max(changes) < 0.01


@pytest.mark.parametrize("name", ["heaps", "pen", "rule_sheet", "tablecloth"])
def test_hands_are_over_what_lies_there(name: str) -> None:
    hand = STILL[0].copy()
    hand[:, SIZE[0] // 2 :] = 240
    over = [SCENE.hand_near(time, 0.0) for time in TIMES]
    found = altered(name, 3, [hand if each else STILL[0] for each in over])
    # The edge of a hand is soft.
    covered = slice(SIZE[0] // 2 + 8, None)
    changes = [np.abs(one - STILL[0])[:, covered].max() for one in found]
    assert max(change for change, each in zip(changes, over, strict=True) if not each) > 20
    assert np.abs(np.array(found)[over][:, :, covered] - 240).max() < 0.01


@pytest.mark.parametrize("name", ["heaps", "pen", "rule_sheet", "tablecloth", "pushed_board"])
def test_things_come_move_and_go_only_while_a_hand_is_in_view(name: str) -> None:
    found = altered(name, 3, STILL)
    segments = [SCENE.segment(time) for time in TIMES]
    for (one, segment), (other, following) in pairwise(zip(found, segments, strict=True)):
        if segment == following and not segment % 2:
            assert np.array_equal(one, other)


@pytest.mark.parametrize("name", ["laser", "pen", "pointing", "night_mode", "decode_errors", "banner"])
def test_what_lasts_for_seconds_leaves_the_pictures_between_as_they_are(name: str) -> None:
    pairs = zip(altered(name, 2, PICTURES), PICTURES, strict=True)
    assert 5 < sum(np.array_equal(one, before) for one, before in pairs) < 95


def test_a_night_is_grey() -> None:
    spread = [np.ptp(one, axis=2).max() for one in altered("night_mode", 2, PICTURES)]
    assert 20 < spread.count(0) < 70


def test_a_stack_hides_what_is_behind_it_wherever_the_board_is() -> None:
    x, y = SCENE.pixels(SCENE.place("f6")[None], 20.0)[0].round().astype(int)
    assert stack_cover(SCENE, 0)[y, x] > 0.9
    moved = {**TRUTH["frames"][0], "board_pose": [0.0, 84.0, 0.0]}
    assert stack_cover(replace(SCENE, truth={**TRUTH, "frames": [moved]}), 0)[y, x] == 0


def test_effects_are_applied_in_the_order_of_the_list() -> None:
    orders = [["decode_errors:3", "squeezed:3", "sun:3"], ["sun:3", "squeezed:3", "decode_errors:3"]]
    one, other = (combined(SCENE, map(Asked.parse, order), "made-up", 1) for order in orders)
    for before, time in zip(PICTURES, TIMES, strict=True):
        assert np.array_equal(one(before.copy(), float(time)), other(before.copy(), float(time)))


@pytest.mark.parametrize("wrong", ["rain", "sun:0", "sun:4", "sun:strong"])
def test_an_unknown_effect_or_strength_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong.partition(":")[0]):
        Asked.parse(wrong)


def test_the_list_names_every_effect_and_says_what_happens() -> None:
    lines = [line.split(maxsplit=1) for line in listed().splitlines()]
    assert [line[0] for line in lines] == list(EFFECTS)
    assert all(len(line) == 2 and line[1].endswith(".") for line in lines)


def test_places_are_where_pixels_show_them() -> None:
    places = SCENE.places(1)
    pixels = np.array([(20, 10), (79, 59), (140, 100)])
    assert SCENE.pixels(np.array([places[y, x] for x, y in pixels])) == pytest.approx(pixels, abs=1e-6)


def test_stretches_lie_within_the_recording_one_after_another() -> None:
    for seed in range(50):
        found = np.ravel(stretches(SCENE, 4, (1.0, 30.0), np.random.default_rng(seed)))
        assert found[0] > 0 and found[-1] < SECONDS and (np.diff(found) > 0).all()


def test_a_recording_is_written_with_its_truth(tmp_path: Path) -> None:
    video, out = tmp_path / "game.mp4", tmp_path / "altered.mp4"
    (tmp_path / "game").mkdir()
    (tmp_path / "game" / "truth.json").write_text(json.dumps(TRUTH))
    with av.open(str(video), "w") as file:
        stream = file.add_stream("h264", rate=RATE)
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        for each in PICTURES[:10]:
            file.mux(stream.encode(av.VideoFrame.from_ndarray(each.astype(np.uint8), format="bgr24")))
        file.mux(stream.encode())
    write(video, out, [Asked("squeezed", 3), Asked("trail", 1)], 1)
    with av.open(str(out)) as file:
        shown = file.streams.video[0]
        assert (shown.width, shown.height, shown.frames) == (*SQUEEZED[3], 10)
        assert shown.average_rate == RATE
    assert json.loads((tmp_path / "altered.truth.json").read_text()) == TRUTH
