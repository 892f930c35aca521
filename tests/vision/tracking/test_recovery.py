"""Recovery of pose and colours after many squares changed at once."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from drawn_board import PROFILE, draw, look, start_stacks

from focus_companion.game.squares import SQUARES
from focus_companion.vision.appearance.background import Background
from focus_companion.vision.appearance.colour_model import ColourModel
from focus_companion.vision.capture.frames import Frame, Image
from focus_companion.vision.detection.find_board import FoundBoard
from focus_companion.vision.geometry.pose import corner_shift, pushed
from focus_companion.vision.geometry.scene import Camera
from focus_companion.vision.tracking import probe as probes
from focus_companion.vision.tracking import push_fit, recovery, watching
from focus_companion.vision.tracking.change import Change
from focus_companion.vision.tracking.look import Look
from focus_companion.vision.tracking.placement import Hypothesis, Verified
from focus_companion.vision.tracking.probe import agreeing
from focus_companion.vision.tracking.state import LOST_TIMEOUT, State
from focus_companion.vision.tracking.watcher import Watcher

START = start_stacks()
FPS = 10


class Table:
    """A watched board; the tests determine which later hypotheses a picture verifies."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.truth = truth = look(25.0, 0.0, 700.0, (640, 480), 60.0)
        self.image: Image = draw(truth, START, np.random.default_rng(3), noise=0.0)
        self.watcher = Watcher([PROFILE], START, "gr", finder=lambda *_: FoundBoard(truth, PROFILE, 1.0))
        self.frames = 0
        first = self.show(self.image)
        assert first is not None
        self.first, self.held = first, self.camera
        self.right, self.beside = (pushed(self.held, s * PROFILE.pitch, 0.0, 0.0) for s in (0.1, 0.5))
        self.tried: list[tuple[Camera, bool]] = []
        """The poses that were tested, and whether colours were learned again there."""
        self.verified: set[tuple[Camera, bool]] = set()
        """The poses that any picture verifies, and whether with relearned colours."""
        self.disagree: tuple[int, ...] = ()
        """The squares that disagree in any picture that verifies."""
        monkeypatch.setattr(watching, "verify", self.verify)

    @property
    def camera(self) -> Camera:
        assert self.watcher.outlines is not None
        return self.watcher.outlines.camera

    def show(self, image: Image) -> Look | None:
        """The look after this picture has been shown for a second."""
        for _ in range(FPS):
            seen = self.watcher.see(Frame(self.frames, self.frames / FPS, image))
            self.frames += 1
        return seen

    def verify(self, image: Image, hypothesis: Hypothesis, *_: object) -> Verified | None:
        this = hypothesis.placement.camera, hypothesis.relearn
        self.tried.append(this)
        known = Verified(hypothesis.placement, Background(), self.disagree)
        return known if this in self.verified else None

    def recognised(
        self, monkeypatch: pytest.MonkeyPatch, here: float, place: Camera, there: float = 1.0
    ) -> None:
        """In later pictures, by the known colours, this share of the squares agrees where the board is held,
        and at best that of ``there`` at ``place``.
        """
        monkeypatch.setattr(recovery, "share_agreeing", lambda *_: here)
        monkeypatch.setattr(recovery, "seek", lambda *_: (place, there))

    def unrecognised(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """In later pictures, the known colours recognise the board nowhere."""
        self.recognised(monkeypatch, 0.1, self.beside, 0.2)

    def another_lamp(self) -> Look | None:
        """The look after a lamp has changed every square."""
        return self.show(np.asarray(255 - self.image, np.uint8))


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Table:
    return Table(monkeypatch)


@pytest.mark.parametrize("certain", [True, False], ids=["certain", "uncertain"])
def test_in_another_light_outlines_take_precedence_over_colours(
    monkeypatch: pytest.MonkeyPatch, table: Table, certain: bool
) -> None:
    """A lamp was moved: by the known colours, the board seems to be half a square off."""
    agreements = (0.79, 0.4) if certain else (0.5, 0.4)
    table.verified = {(table.beside, False), (table.right, True)}
    table.recognised(monkeypatch, 0.67, table.beside)
    monkeypatch.setattr(push_fit, "agreements", lambda *_: [0.2])
    places = list(zip((table.right, table.beside), agreements, strict=True))
    monkeypatch.setattr(push_fit, "fits", lambda *_: places)
    assert table.another_lamp() is not table.first
    assert table.camera is (table.right if certain else table.beside)


@pytest.mark.parametrize(("stayed", "moves"), [(0.76, False), (0.62, True)])
def test_a_board_that_agrees_best_where_it_was_has_not_moved(
    monkeypatch: pytest.MonkeyPatch, table: Table, stayed: float, moves: bool
) -> None:
    """A lamp was moved, and the fit, which starts where the colours indicate the board, converges beside
    the true pose.
    """
    table.verified = {(table.beside, False), (table.held, True)}
    table.recognised(monkeypatch, 0.65, table.beside)
    monkeypatch.setattr(push_fit, "agreements", lambda *_: [stayed])
    monkeypatch.setattr(push_fit, "fits", lambda *_: [(table.beside, 0.64)])
    table.another_lamp()
    assert table.camera is (table.beside if moves else table.held)


def test_somebody_who_leans_over_the_board_starts_one_search_for_it_elsewhere(
    monkeypatch: pytest.MonkeyPatch, table: Table
) -> None:
    """A search in vain takes seconds, and a body never stands quite still."""
    searches: list[float | None] = []
    monkeypatch.setattr(watching, "search", lambda _context, _picture, pitch: searches.append(pitch))
    table.unrecognised(monkeypatch)
    for shade in range(3):
        table.show(np.asarray(255 - table.image // (1 + shade), np.uint8))
    assert table.watcher.outlines is not None
    assert searches == [table.watcher.outlines.pitch], "only for a board of the same size"


@pytest.mark.parametrize(("stayed", "tries"), [(0.76, [False, True]), (0.4, [False])])
def test_a_lamp_that_changes_only_the_bare_board_is_learned(
    monkeypatch: pytest.MonkeyPatch, table: Table, stayed: float, tries: list[bool]
) -> None:
    """This happens once per look, and only if the outlines still agree."""
    table.unrecognised(monkeypatch)
    seen = table.another_lamp()
    assert seen is not None and seen.all_over
    table.tried.clear()
    monkeypatch.setattr(watching, "agreements", lambda *_: [stayed])
    table.watcher.absorb(seen, seen.scene_object({}), {})
    table.watcher.absorb(seen, seen.scene_object({}), {})
    assert table.tried == [(table.held, relearn) for relearn in tries]


@pytest.mark.parametrize("certain", [True, False])
def test_a_square_where_a_certain_turn_is_plain_to_see_is_not_under_an_arm(
    monkeypatch: pytest.MonkeyPatch, table: Table, certain: bool
) -> None:
    """The light has changed, perhaps because of an arm that has gone by now."""
    origin, target, beside = (SQUARES.index(name) for name in ("d5", "d6", "e6"))
    turn = {origin: "", target: START[target] + START[origin]}
    stacks = [turn.get(square, stack) for square, stack in enumerate(START)]
    seen = table.show(draw(table.truth, stacks, np.random.default_rng(3), noise=0.0))
    assert seen is not None and seen.plainly_changed(turn) == {origin, target}
    table.verified, table.disagree = {(table.held, False)}, (origin, target, beside)
    monkeypatch.setattr(watching.Watching, "_under_arm", lambda *_: (origin, target, beside))
    table.watcher.absorb(seen, None, turn if certain else {})
    after = table.show(seen.image)
    assert after is not None
    assert set(after.hidden_by_object) == ({beside} if certain else {origin, target, beside})


def test_a_change_of_half_the_board_is_another_light_only_once_it_has_lasted(
    monkeypatch: pytest.MonkeyPatch, table: Table
) -> None:
    """Before that, it may be somebody who leans over the table."""
    table.verified = {(table.held, False)}
    table.recognised(monkeypatch, 1.0, table.held)
    image = table.image.copy()
    half = image.shape[1] // 2
    image[:, :half] = 255 - image[:, :half]
    table.show(image)
    seen = table.show(image)
    assert table.tried == [] and seen is not None and seen.change is not None
    seen = table.show(image)
    assert table.tried == [(table.held, False)]
    assert seen is not None and seen.change is None, "the picture is the new reference"


@pytest.mark.parametrize(("undone", "relearned"), [(True, set()), (False, {True})])
def test_colours_are_not_learned_under_an_arm_in_a_light_that_can_be_undone(
    monkeypatch: pytest.MonkeyPatch, table: Table, undone: bool, relearned: set[bool]
) -> None:
    """Somebody reaches over the board and keeps some light from all of it."""
    table.recognised(monkeypatch, 0.8, table.held)
    monkeypatch.setattr(push_fit, "agreements", lambda *_: [0.9])
    monkeypatch.setattr(push_fit, "fits", lambda *_: [(table.held, 0.9)])
    image = table.image // 2 if undone else 255 - table.image
    rows, columns = image.shape[:2]
    image[: rows // 2, : columns // 2] = (60, 90, 150)
    table.show(np.asarray(image, np.uint8))
    assert {relearn for _, relearn in table.tried if relearn} == relearned


@pytest.mark.parametrize(
    ("stacks", "touched", "changed", "wide"),
    [
        pytest.param(START, 0.15, 36, True, id="a small push changes a little of every stack"),
        pytest.param(START, 0.15, 20, False, id="a soft shadow changes a little of some"),
        pytest.param(START, 0.5, 12, True, id="an arm or a push hides or changes much of many"),
        pytest.param(START, 0.5, 11, False, id="an arm over few"),
        pytest.param(START, 0.05, 36, False, id="noise"),
        pytest.param(START[:3] + ("",) * 49, 0.5, 3, False, id="a few stacks, all of which were touched"),
    ],
)
def test_how_many_squares_change_if_a_push_is_suspected(
    stacks: tuple[str, ...], touched: float, changed: int, wide: bool
) -> None:
    standing = [square for square, stack in enumerate(stacks) if stack][:changed]
    shares = np.zeros(len(SQUARES))
    shares[standing] = touched
    assert recovery.is_wide(cast(Change, SimpleNamespace(touched=shares)), stacks) is wide


@pytest.mark.parametrize("number", [0, 3])
def test_a_soft_shadow_over_a_nearly_empty_board_is_no_push(number: int) -> None:
    """It changes a little of every square, but bare ones say nothing about a push."""
    stacks = ("r",) * number + ("",) * (len(SQUARES) - number)
    shares = np.full(len(SQUARES), 0.15)
    assert not recovery.is_wide(cast(Change, SimpleNamespace(touched=shares)), stacks)


def test_a_board_seen_from_elsewhere_is_found_at_once() -> None:
    """Somebody lifts the camera and puts it down again."""
    before, after = (look(25.0, azimuth, 700.0, (640, 480), 60.0) for azimuth in (0.0, 45.0))
    cameras = [before]
    watcher = Watcher([PROFILE], START, "gr", finder=lambda *_: FoundBoard(cameras[-1], PROFILE, 1.0))
    pictures = [draw(camera, START, np.random.default_rng(3), noise=2.0) for camera in (before, after)]
    for number in range(2 * FPS):
        if number == FPS:
            cameras.append(after)
        watcher.see(Frame(number, number / FPS, pictures[number // FPS]))
    assert watcher.state is State.WATCHING and watcher.outlines is not None
    assert corner_shift(watcher.outlines.camera, after, PROFILE) < 0.1


@pytest.mark.parametrize("found", [True, False])
def test_if_no_outlines_agree_the_whole_picture_is_searched_before_colours_decide(
    monkeypatch: pytest.MonkeyPatch, table: Table, found: bool
) -> None:
    """Somebody zooms. Domes have the colour of the board: most squares of the old lattice seem to agree."""
    zoomed = look(25.0, 0.0, 600.0, (640, 480), 60.0)
    board = FoundBoard(zoomed, PROFILE, 1.0) if found else None
    table.verified = {(table.beside, False), (zoomed, True)}
    table.recognised(monkeypatch, 0.9, table.beside, there=0.95)
    monkeypatch.setattr(push_fit, "agreements", lambda *_: [0.2])
    monkeypatch.setattr(push_fit, "fits", lambda *_: [(table.beside, 0.25)])
    monkeypatch.setattr(watching, "search", lambda *_: board)
    table.another_lamp()
    assert table.camera == (zoomed if found else table.beside)


def test_the_longer_a_board_was_out_of_view_the_fewer_squares_must_agree(
    monkeypatch: pytest.MonkeyPatch, table: Table
) -> None:
    """Somebody leaned over the board and pushed it, and three turns were played meanwhile."""
    table.verified = {(table.right, False)}
    table.recognised(monkeypatch, 0.1, table.right, there=0.87)
    monkeypatch.setattr(push_fit, "agreements", lambda *_: [0.2])
    monkeypatch.setattr(push_fit, "fits", lambda *_: [(table.right, 0.75)])
    assert table.another_lamp() is not None and table.camera is table.held
    for _ in range(3):
        seen = table.another_lamp()
    assert table.camera is table.right and table.watcher.state is State.WATCHING
    assert seen is not None and 2.0 < seen.unwatched < 4.0


def test_a_board_that_is_found_nowhere_is_lost(monkeypatch: pytest.MonkeyPatch, table: Table) -> None:
    """Not at once, as an arm may hide it for a while; it is then found again in the same place."""
    table.unrecognised(monkeypatch)
    began = table.frames
    while table.watcher.state is State.WATCHING:
        seen = table.another_lamp()
        assert table.frames - began < 10 * FPS
    assert seen is None and (table.frames - began) / FPS > LOST_TIMEOUT
    assert table.camera is table.held, "its place is still known"
    table.verified = {(table.held, False)}
    assert table.show(table.image) is not None and table.watcher.state is State.WATCHING


@pytest.mark.parametrize(
    ("nats", "named", "share"), [(0.3, (), 1.0), (-0.2, (4,), 51 / 52), (-3.0, (4,), 51 / 52)]
)
def test_a_bare_dome_whose_colour_is_close_to_a_pieces_is_undecided(
    monkeypatch: pytest.MonkeyPatch, table: Table, nats: float, named: tuple[int, ...], share: float
) -> None:
    """A dark blue board in a dark corner: a square that could be either is taken for what should be there,
    and is not evidence against a pose.
    """
    agreed = np.full(len(SQUARES), 2.0)
    agreed[4] = nats
    monkeypatch.setattr(probes, "agreement", lambda *_: agreed)
    assert table.first.disagreeing(START) == named
    probe = probes.Probe(PROFILE, START)
    assert probes.share_agreeing(table.image, table.held, probe, ColourModel()) == share


@pytest.mark.parametrize(
    ("clear", "neither", "share"), [(52, 0, 1.0), (43, 9, 1.0), (39, 13, 1.0), (26, 26, 2 / 3), (0, 52, 0.0)]
)
def test_a_pose_needs_squares_that_clearly_show_the_position(clear: int, neither: int, share: float) -> None:
    """If most squares are undecided, nothing is known of the pose."""
    assert agreeing(np.array([2.0] * clear + [0.3] * neither)) == pytest.approx(share)


def reflected(image: Image) -> Image:
    """The picture with a reflection in its middle."""
    y, x = np.mgrid[0:480, 0:640]
    blob = 0.2 * np.exp(-0.5 * (((x - 320) / 35) ** 2 + ((y - 240) / 35) ** 2))
    return np.asarray(255 * np.clip((image / 255) ** 2.2 + blob[..., None], 0, 1) ** (1 / 2.2), np.uint8)


@pytest.mark.parametrize("lasts", [True, False], ids=["some time after it came", "as soon as it came"])
def test_a_reflection_may_go_after_the_board_was_pushed_under_it(
    monkeypatch: pytest.MonkeyPatch, table: Table, lasts: bool
) -> None:
    """The reference that is adopted after the push shows the reflection."""
    seen = table.show(reflected(table.image))
    assert seen is not None and seen.conditions is not None and seen.conditions.veiled
    if lasts:
        table.watcher.unchanged()
    there = pushed(table.held, 0.8 * PROFILE.pitch, 0.3 * PROFILE.pitch, 0.1)
    moved = draw(there, START, np.random.default_rng(3), noise=0.0)
    table.verified = {(there, False)}
    table.recognised(monkeypatch, 0.3, there)
    monkeypatch.setattr(push_fit, "fits", lambda *_: [(there, 0.7)])
    table.show(reflected(moved))
    assert table.camera == there, "the picture is the new reference"
    seen = table.show(moved)
    assert seen is not None and seen.conditions is not None and seen.conditions.veiled
    assert seen.change is not None and seen.change.touched.max() < 0.1


def test_a_reflection_that_was_there_when_the_board_was_found_may_go() -> None:
    truth = look(25.0, 0.0, 700.0, (640, 480), 60.0)
    image = draw(truth, START, np.random.default_rng(3), noise=2.0)
    watcher = Watcher([PROFILE], START, "gr", finder=lambda *_: FoundBoard(truth, PROFILE, 1.0))
    for number, shown in enumerate([reflected(image)] * FPS + [image] * FPS):
        seen = watcher.see(Frame(number, number / FPS, shown))
        if number == FPS - 1:
            watcher.confirm(START)
    assert seen is not None and seen.conditions is not None and seen.conditions.veiled
    assert seen.change is not None and seen.change.touched.max() < 0.1


def test_what_the_known_colours_say_under_a_reflection_does_not_count(
    monkeypatch: pytest.MonkeyPatch, table: Table
) -> None:
    """A lamp went out while a reflection was on the board: its colours are paler there."""
    table.show(reflected(table.image))
    table.watcher.unchanged()
    outlines = table.watcher.outlines
    assert outlines is not None
    distances = np.linalg.norm(
        table.held.project(np.pad(PROFILE.centres, ((0, 0), (0, 1)))) - (320, 240), axis=1
    )
    under, away = int(distances.argmin()), int(distances.argmax())
    table.disagree = (under, away)
    table.verified = {(table.held, False)}
    table.recognised(monkeypatch, 1.0, table.held)
    monkeypatch.setattr(push_fit, "fits", lambda *_: [(table.held, 0.7)])
    seen = table.another_lamp()
    assert seen is not None and seen.touched[away] == 1.0 and seen.touched[under] == 0.0


def test_a_board_pushed_by_a_part_of_a_square_while_out_of_view_is_found_where_it_lies() -> None:
    """The colours agree at its last pose, too, but a stack of two would look like a single piece there."""
    before = look(25.0, 0.0, 700.0, (640, 480), 60.0)
    after = pushed(before, 0.2 * PROFILE.pitch, -0.1 * PROFILE.pitch, float(np.radians(2.0)))
    nowhere = np.full((480, 640, 3), 12, np.uint8)
    shown = [draw(before, START, np.random.default_rng(3), noise=2.0)] * FPS + [nowhere] * (9 * FPS)
    shown += [draw(after, START, np.random.default_rng(3), noise=2.0)] * (2 * FPS)
    found = iter([FoundBoard(before, PROFILE, 1.0)])
    watcher = Watcher([PROFILE], START, "gr", finder=lambda *_: next(found, None))
    states = set()
    for number, image in enumerate(shown):
        watcher.see(Frame(number, number / FPS, image))
        states.add(watcher.state)
    assert State.LOST in states and watcher.state is State.WATCHING and watcher.outlines is not None
    assert corner_shift(watcher.outlines.camera, after, PROFILE) < 0.1
