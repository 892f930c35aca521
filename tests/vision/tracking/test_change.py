"""Changes between two pictures: pieces put down beside the board, faint changes, occluders."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.simulator.board_view import BoardView
from focus_companion.simulator.scene_style import SceneStyle, aimed_camera, pleasant_look
from focus_companion.simulator.stage import Stage
from focus_companion.vision.appearance.background import Background
from focus_companion.vision.appearance.colour_model import ColourModel
from focus_companion.vision.appearance.first_colours import usual_pieces
from focus_companion.vision.appearance.learning import learn
from focus_companion.vision.capture.frames import Image
from focus_companion.vision.geometry.stack_masks import Outlines, Window, lattice_mask
from focus_companion.vision.tracking.change import Change, Smoothed, table_window
from focus_companion.vision.tracking.occluder import SceneObject
from focus_companion.vision.tracking.reference import Reference
from focus_companion.vision.tracking.regions import Regions

START = start_position(Rules.make(2)).stacks
SEATS = {"g": "S", "r": "N"}


@cache
def table() -> tuple[SceneStyle, BoardView, np.random.Generator, ColourModel, Smoothed]:
    look, rng = pleasant_look(800, 600), np.random.default_rng(4)
    view = BoardView(look)
    first = view.shoot(Stage(START, seats=SEATS), rng)
    colours = ColourModel()
    colours.guess(usual_pieces("gr"))
    learn(first, Outlines(look.camera, look.profile), START, colours, Background(), keep=0.0)
    return look, view, rng, colours, Smoothed(first)


@pytest.mark.parametrize(
    ("reserves", "seen"),
    [({}, ""), ({"r": 1}, "r"), ({"g": 2}, "gg"), ({"g": 1, "r": 1}, "gr"), ({"g": 1, "r": 2}, "grr")],
)
def test_pieces_beside_the_board_are_recognised_by_their_colours(reserves: dict[str, int], seen: str) -> None:
    look, view, rng, colours, before = table()
    now = view.shoot(Stage(START, reserves, seats=SEATS), rng)
    change = Change(Smoothed(now), before, Outlines(look.camera, look.profile), START)
    assert change.appeared(colours) == seen


def test_pieces_put_down_some_squares_away_are_recognised_too() -> None:
    look, view, rng, colours, _ = table()
    camera = aimed_camera(look.camera.lens, look.profile, tilt=30, fill=0.5)
    small = replace(look, camera=camera)
    outlines = Outlines(camera, look.profile)
    view = BoardView(small)
    before, now = (view.shoot(Stage(START, {}, {"g": taken}, SEATS), rng) for taken in ("", "rrr"))
    assert Change(Smoothed(now), Smoothed(before), outlines, START).appeared(colours) == "rrr"


@pytest.mark.parametrize(("laid", "seen"), [("rrr", ""), ("", "rrr")], ids=["lay there before", "new"])
def test_what_lay_beside_the_board_before_is_no_new_piece_in_another_light(laid: str, seen: str) -> None:
    """Also where the light is not measured, some squares away from the lattice."""
    look, view, rng, colours, _ = table()
    camera = aimed_camera(look.camera.lens, look.profile, tilt=30, fill=0.5)
    outlines = Outlines(camera, look.profile)
    view = BoardView(replace(look, camera=camera))
    before, now = (view.shoot(Stage(START, {}, {"g": taken}, SEATS), rng) for taken in (laid, "rrr"))
    conditions = Reference(Smoothed(before)).conditions(Smoothed(before // 3), outlines)
    undone = conditions.undo(before // 3, table_window(outlines), before)
    # The colours were learned in the light of the first picture.
    change = Change(Smoothed(now), Smoothed(undone, conditions), outlines, START)
    assert not conditions.same and change.appeared(colours) == seen


def test_a_piece_put_down_on_something_that_resembles_another_colour_is_recognised() -> None:
    """As on a label that is a little like a green piece."""
    look, view, rng, colours, clear = table()
    green, now = (view.shoot(Stage(START, {}, {"g": taken}, SEATS), rng) for taken in "gr")
    label = cv2.addWeighted(green, 0.75, clear.image, 0.25, 0)
    outlines = Outlines(look.camera, look.profile)
    assert Change(Smoothed(now), Smoothed(np.asarray(label)), outlines, START).appeared(colours) == "r"


def test_what_a_piece_that_was_taken_away_has_uncovered_is_no_piece() -> None:
    """As a label that is a little like a red piece."""
    look, view, rng, colours, clear = table()
    red, green = (view.shoot(Stage(START, {}, {"g": taken}, SEATS), rng) for taken in "rg")
    label = cv2.addWeighted(red, 0.85, clear.image, 0.15, 0)
    outlines = Outlines(look.camera, look.profile)
    assert Change(Smoothed(np.asarray(label)), Smoothed(green), outlines, START).appeared(colours) == ""


@pytest.mark.parametrize(
    ("places", "seen"), [([(0, 0)], "g"), ([(0, 0), (1, 0)], "gg"), ([(0, 0), (1, 0), (0.5, 0.87)], "ggg")]
)
def test_pieces_that_touch_each_other_are_counted_in_spite_of_their_highlights(
    places: list[tuple[float, float]], seen: str
) -> None:
    look, _, _, colours, before = table()
    outlines, now = Outlines(look.camera, look.profile), before.image.copy()
    (green,) = [k for k, stack in enumerate(START) if stack == "g"][:1]
    column = outlines.columns[green]
    shade = np.median(now[column.window.slices][column.mask(1)], axis=0).tolist()
    radius = np.sqrt(outlines.piece_pixels / np.pi)
    corner = look.camera.project(np.array([(-6.3 * look.profile.pitch, 0.0, 0.0)]))[0]
    for place in places:
        centre = corner + 2 * radius * np.array(place)
        cv2.circle(now, tuple(np.round(centre).astype(int).tolist()), round(radius), shade, cv2.FILLED)
        cv2.circle(
            now, tuple(np.round(centre - 3).astype(int).tolist()), round(radius / 4), (250,) * 3, cv2.FILLED
        )
    assert Change(Smoothed(now), before, outlines, START).appeared(colours) == seen


def test_an_object_beside_the_lattice_is_no_piece() -> None:
    """As a red sleeve that belongs to the scene."""
    look, view, rng, colours, before = table()
    now, outlines = view.shoot(Stage(START, {}, {"g": "r"}, SEATS), rng), Outlines(look.camera, look.profile)
    changed = Change(Smoothed(now), before, outlines, START)
    sleeve = SceneObject(
        changed.window,
        now[changed.window.slices],
        changed.changed,
        np.zeros_like(changed.changed),
        (),
        frozenset(),
        outlines.pitch,
    )
    assert changed.appeared(colours) == "r"
    assert Change(Smoothed(now), before, outlines, START, [sleeve]).appeared(colours) == ""


def test_a_blurred_picture_is_subsampled_once_for_a_window() -> None:
    look, _, _, _, before = table()
    window = table_window(Outlines(look.camera, look.profile))
    thin = before.subsampled(window, 3)
    assert before.subsampled(window, 3) is thin
    assert np.array_equal(before.subsampled(window, 2)[::3, ::3], before.part(window)[::6, ::6])
    assert np.array_equal(thin, before.part(window)[::3, ::3])


def test_pieces_on_the_squares_are_not_beside_the_board() -> None:
    look, view, rng, colours, before = table()
    stacks = tuple(stack or ("g" if k % 2 else "") for k, stack in enumerate(START))
    now = view.shoot(Stage(stacks, seats=SEATS), rng)
    change = Change(Smoothed(now), before, Outlines(look.camera, look.profile), START)
    assert change.appeared(colours) == "" and np.count_nonzero(change.touched > 0.3) > len(SQUARES) / 10


def test_a_piece_on_its_own_colour_changes_its_square_faintly_and_no_other() -> None:
    """Seen from nearly straight above, where hardly any pixel changes much."""
    look = pleasant_look(800, 600)
    look = replace(look, camera=aimed_camera(look.camera.lens, look.profile, tilt=7, azimuth=20, fill=0.8))
    view, rng, outlines = BoardView(look), np.random.default_rng(4), Outlines(look.camera, look.profile)
    single = next(k for k, stack in enumerate(START) if len(stack) == 1 and k > 20)
    stacks = tuple(2 * stack if k == single else stack for k, stack in enumerate(START))
    first, now = (view.shoot(Stage(stood, seats=SEATS), rng) for stood in (START, stacks))
    change = Change(Smoothed(now), Smoothed(first), outlines, START)
    assert change.touched[single] < 0.2
    assert change.deviations().argmax() == single and change.deviations()[single] > 15
    near = outlines.touching((single,))
    assert np.delete(change.deviations(), near).max() < 8


def test_a_codec_that_repeats_a_still_picture_exactly_makes_no_square_deviate() -> None:
    """Without noise, nothing but the resolution of the picture limits how exactly a square is known."""
    look, _, _, _, before = table()
    square, outlines = INDEX["d4"], Outlines(look.camera, look.profile)
    column, now = outlines.columns[square], before.image.copy()
    now[column.window.slices][::3, ::3, 0] ^= 1
    deviations = Change(Smoothed(now), before, outlines, START).deviations()
    assert np.abs(deviations).max() < 6
    now[column.window.slices] = 255 - now[column.window.slices]
    changed = Change(Smoothed(now), before, outlines, START).deviations()
    assert changed.argmax() == square and changed[square] > 60


@pytest.mark.parametrize("tilt", [30, 40])
def test_pieces_on_the_ledge_in_front_of_the_first_rank_are_not_an_arm(tilt: float) -> None:
    """Seen obliquely, they stand in front of the nearest squares; side by side, and with the shadow of a
    stack that was removed there, they form one large component.
    """
    look = pleasant_look(640, 480)
    look = replace(look, camera=aimed_camera(look.camera.lens, look.profile, tilt=tilt, azimuth=0, fill=0.9))
    view, rng, outlines = BoardView(look), np.random.default_rng(4), Outlines(look.camera, look.profile)
    emptied = INDEX["d1"]
    stood = tuple("rgrg" if k == emptied else stack for k, stack in enumerate(START))
    first, now = (
        view.shoot(Stage(stacks, reserves, seats={"g": "S"}), rng)
        for stacks, reserves in ((stood, {}), (START, {"g": 3}))
    )
    change = Change(Smoothed(now), Smoothed(first), outlines, stood)
    assert Regions(change).foreign_area([emptied], {emptied: 0}) == 0.0


def test_an_arm_is_distinguished_from_pieces_on_the_ledge() -> None:
    """An arm extends to the picture's edge, however little of it is over the board."""
    look, view, rng, _, before = table()
    now = view.shoot(Stage(START, seats=SEATS), rng)
    outlines = Outlines(look.camera, look.profile)
    middle = outlines.camera.project(np.array([(0.0, -3.2 * look.profile.pitch, 0.0)]))[0]
    wide = int(0.5 * outlines.pitch)
    now[int(middle[1]) :, int(middle[0]) - wide : int(middle[0]) + wide] = (120, 160, 210)
    assert Regions(Change(Smoothed(now), before, outlines, START)).foreign_area(()) > 1.2


def test_the_table_under_another_lamp_is_not_an_arm() -> None:
    """A lamp is dimmed: the bright table in the corners of the lattice changes more than the dark board."""
    look, view, rng, _, before = table()
    now = view.shoot(Stage(START, seats=SEATS), rng)
    outlines = Outlines(look.camera, look.profile)
    board = lattice_mask(outlines, Window(0, 0, now.shape[1], now.shape[0])).astype(np.uint8)
    for column in outlines.columns:
        rows = slice(column.top, column.top + column.height)
        board[rows, column.left : column.left + column.width] |= column.standing(5)
    border = 2 * round(0.2 * outlines.pitch) + 1
    board = np.asarray(cv2.dilate(board, np.ones((border, border), np.uint8)))
    dim = np.where(board[..., None], now, now * 0.7).astype(np.uint8)
    assert Regions(Change(Smoothed(dim), before, outlines, START)).foreign_area(()) == 0.0
    # A shadow that is just as deep on the squares themselves may be that of an arm over them.
    dim[: now.shape[0] // 2] = (now[: now.shape[0] // 2] * 0.7).astype(np.uint8)
    assert Regions(Change(Smoothed(dim), before, outlines, START)).foreign_area(()) > 1.2


@cache
def turn_made() -> tuple[Outlines, Image, Image]:
    """The pictures before and after the turn b3-c3."""
    look = pleasant_look(640, 480)
    camera = aimed_camera(look.camera.lens, look.profile, tilt=20, azimuth=0, fill=0.7)
    view, rng = BoardView(replace(look, camera=camera)), np.random.default_rng(4)
    turn = tuple({"b3": "", "c3": "gr"}.get(name, START[k]) for k, name in enumerate(SQUARES))
    first, now = (view.shoot(Stage(stacks, seats=SEATS), rng) for stacks in (START, turn))
    return Outlines(camera, look.profile), first, now


@pytest.mark.parametrize(
    ("along", "across", "radius", "squares", "from_edge"),
    [
        (3.5, 3.5, 0.8, set(), False),
        (4.4, 0.5, 1.2, {"h4", "h5"}, False),
        (4.4, 0.5, 3.0, {"h4", "h5", "h3", "h6"}, True),
        (0.0, 0.0, 0.0, set(), False),
    ],
    ids=["in a corner", "in front of two squares", "from the edge", "nothing"],
)
def test_an_occluder_is_detected_with_the_squares_under_it(
    along: float, across: float, radius: float, squares: set[str], from_edge: bool
) -> None:
    """A turn that is made meanwhile is not taken for a part of the occluder."""
    outlines, first, after = turn_made()
    now, camera = after.copy(), outlines.camera
    if radius:
        pitch = outlines.profile.pitch
        around = np.linspace(0, 2 * np.pi, 40)
        ring = [(along + radius * np.cos(a), across + radius * np.sin(a), 0.0) for a in around]
        shape = np.round(camera.project(pitch * np.array(ring))).astype(np.int32)
        cv2.fillPoly(now, [shape], (200, 90, 40))
    occluder = Regions(Change(Smoothed(now), Smoothed(first), outlines, START)).occluder()
    if not squares:
        assert occluder is None
        return
    assert occluder is not None and occluder.from_edge == from_edge
    named = {SQUARES[square] for square in occluder.squares}
    assert named >= squares and named.isdisjoint({"b3", "c3"})
