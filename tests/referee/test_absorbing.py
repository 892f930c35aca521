"""How long an apparent occluder must last before it counts as part of the scene."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest
from table_scene import FPS, Table, rules, small_look

from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.play import apply
from focus_companion.game.rules import Rules
from focus_companion.game.squares import INDEX
from focus_companion.referee.decision import Decision
from focus_companion.session.pipeline import (
    HIDDEN_TIME,
    OBJECT_ABSORB_TIME,
    OCCLUDER_ABSORB_TIME,
    RELIT_ABSORB_TIME,
    SHADE_ABSORB_TIME,
)
from focus_companion.simulator.scene_style import BoardStyle
from focus_companion.simulator.stage import Hand, square_centre
from focus_companion.vision.capture.frames import Image
from focus_companion.vision.registration import patch_fit
from focus_companion.vision.tracking.look import Look

Spoil = Callable[[Image], Image]


def relit(amount: float, size: float, stripes: float = 0.0) -> Spoil:
    """Patches of light and shadow of this size in pixels, and fine stripes of another lamp."""

    def spoil(image: Image) -> Image:
        y, x = np.mgrid[: image.shape[0], : image.shape[1]]
        light = 1 + amount * np.sin(x / size) * np.sin(y / size)
        light *= 1 + stripes * np.sign(np.sin((x + 0.3 * y) / 12))
        return np.asarray(np.clip(image * light[..., None], 0, 255), np.uint8)

    return spoil


def shaded(image: Image) -> Image:
    """The shadow of somebody beside the table."""
    spoilt = image.astype(float)
    spoilt[:, : 11 * image.shape[1] // 20] *= 0.55
    return np.asarray(spoilt, np.uint8)


def arm(length: int, width: int, colour: tuple[int, int, int] = (120, 150, 200)) -> Spoil:
    """A sleeve that reaches over the board from the left."""

    def spoil(image: Image) -> Image:
        return np.asarray(
            cv2.line(image.copy(), (0, 240), (length, 240), colour, width, cv2.LINE_AA), np.uint8
        )

    return spoil


def mug(image: Image) -> Image:
    return np.asarray(cv2.circle(image.copy(), (300, 240), 45, (60, 90, 200), -1, cv2.LINE_AA), np.uint8)


ARM = arm(300, 60)


def undo_no_patches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave patches of light with hard edges in the picture, as if they could not be measured."""
    monkeypatch.setattr(patch_fit, "_MAX_PATCHES", 0)


class Watched:
    """A table, for how long each picture that counted as covered had been still, and the last look."""

    def __init__(self, start: Rules | None = None) -> None:
        self.look: Look | None = None
        self.covered: list[float] = []
        self.table = Table(start or Rules.make(2), on_decision=self)
        assert self.table.show().summary == []

    def __call__(self, decision: Decision, look: Look) -> None:
        self.look = look
        if decision.covered:
            self.covered.append(look.age)

    def covered_for(self, seconds: float, spoil: Spoil | None = None) -> float:
        """For how long the board counts as covered if it is shown like this for some seconds."""
        self.covered.clear()
        assert self.table.shoot(self.table.stage(), seconds, spoil).summary == []
        return max(self.covered, default=0.0)


@pytest.mark.parametrize(
    ("spoil", "absorb_time"),
    [
        (relit(0.5, 50, stripes=0.15), RELIT_ABSORB_TIME),
        (relit(0.4, 40), SHADE_ABSORB_TIME),
        (mug, OBJECT_ABSORB_TIME),
        (ARM, OCCLUDER_ABSORB_TIME),
    ],
    ids=["another lamp", "shadows", "a mug", "an arm"],
)
def test_what_is_no_arm_is_absorbed_sooner_than_an_arm(
    monkeypatch: pytest.MonkeyPatch, spoil: Spoil, absorb_time: float
) -> None:
    """A change of light, or an object that stands by itself: turns may follow each other faster."""
    undo_no_patches(monkeypatch)
    lasted = Watched().covered_for(absorb_time + 0.5, spoil)
    assert absorb_time < lasted < absorb_time + 1.5 / FPS


def test_under_a_head_that_bends_lower_no_piece_appears() -> None:
    """It hides squares and stands still, then becomes a little darker: that is no piece on one of them."""

    def head(shade: int) -> Spoil:
        def spoil(image: Image) -> Image:
            hair = cv2.circle(np.zeros(image.shape[:2], np.float32), (300, 240), 50, 1.0, -1)
            hair = cv2.GaussianBlur(hair, (0, 0), 8)[..., None]
            return np.asarray(image * (1 - hair) + hair * np.array([shade, shade + 3, shade + 6]), np.uint8)

        return spoil

    watched = Watched()
    watched.covered_for(OBJECT_ABSORB_TIME + 0.5, head(52))
    assert watched.table.shoot(watched.table.stage(), 2.0, head(30)).summary == []
    assert watched.look is not None and watched.look.hidden_by_object
    assert watched.look.faintly_changed.keys().isdisjoint(watched.look.hidden_by_object)


@pytest.mark.parametrize("spoil", [relit(0.5, 50, stripes=0.15), relit(0.4, 40), shaded])
def test_light_with_edges_that_is_undone_covers_nothing(spoil: Spoil) -> None:
    assert Watched().covered_for(RELIT_ABSORB_TIME + 0.5, spoil) == 0.0


def test_a_turn_in_a_shadow_is_emitted() -> None:
    watched = Watched()
    watched.table.stacks = watched.table.after("d5-d6")
    assert watched.table.shoot(watched.table.stage(), 0.6, shaded).summary == ["move d5-d6"]


def test_a_turn_in_a_shadow_that_is_not_undone_is_emitted_once_the_shadow_is_absorbed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    undo_no_patches(monkeypatch)
    watched = Watched()
    watched.table.stacks = watched.table.after("d5-d6")
    emitted = watched.table.shoot(watched.table.stage(), 1.2, shaded)
    assert emitted.summary == ["move d5-d6"]
    assert SHADE_ABSORB_TIME < max(watched.covered) < SHADE_ABSORB_TIME + 1.5 / FPS


def test_the_shadow_of_an_arm_that_is_about_to_act_delays_no_alert() -> None:
    """On a black board it changes only the pieces, so it is no reason to call the board covered."""
    black = BoardStyle(colour="#1b1b1d", cell_colour="#1b1b1d")
    decisions: list[Decision] = []
    table = Table(
        Rules.make(2),
        replace(small_look(), board=black),
        on_decision=lambda decision, look: decisions.append(decision),
    )
    table.show()

    def shadow(image: Image) -> Image:
        y, x = np.mgrid[: image.shape[0], : image.shape[1]]
        return np.asarray(np.where((x + 0.7 * y < 0.75 * image.shape[1])[..., None], image // 2, image))

    assert table.shoot(table.stage(), 0.4, shadow).summary == []
    assert decisions[-1].unchanged and not decisions[-1].covered
    table.stacks = table.put({"f7": table.stacks[INDEX["f7"]] + "g"})
    assert table.shoot(table.stage(), 0.8).summary == ["alert no_reserve"]


def test_an_arm_with_its_shadow_is_no_shadow() -> None:
    """They change as much of the board, but the squares under the arm show no pieces."""
    lasted = Watched().covered_for(1.5, lambda image: ARM(shaded(image)))
    assert lasted > SHADE_ABSORB_TIME + 5 / FPS


def test_a_shadow_with_a_resting_arm_shows_no_turn() -> None:
    """The sleeve, coloured like a piece, ends between two squares as a piece that moved would."""
    watched = Watched()
    watched.covered_for(OCCLUDER_ABSORB_TIME + 1.0, lambda image: arm(230, 90)(shaded(image)))
    assert watched.table.shoot(watched.table.stage(), 1.0).summary == []
    watched.table.stacks = watched.table.after("b4-b3")
    assert watched.table.shoot(watched.table.stage(), 1.0).summary == ["move b4-b3"]


def test_a_sleeve_as_pale_as_the_board_is_not_alerted() -> None:
    """It hides pieces, but between them the board looks as before."""
    watched = Watched()
    sleeve = arm(255, 75, (168, 200, 212))
    watched.covered_for(OCCLUDER_ABSORB_TIME + 1.5, sleeve)
    assert watched.table.shoot(watched.table.stage(), 1.0).summary == []
    watched.table.stacks = watched.table.after("b4-b3")
    assert watched.table.shoot(watched.table.stage(), 1.0).summary == ["move b4-b3"]


def test_a_board_that_stays_hidden_is_reported_until_the_view_is_free() -> None:
    """Somebody leans over the board, and the shadow lies on the rest of it. No turn can be read then."""
    table = Watched().table
    leaning = arm(330, 170, (60, 70, 90))
    assert table.shoot(table.stage(), HIDDEN_TIME - 1.0, lambda image: leaning(shaded(image))).summary == []
    hidden = table.shoot(table.stage(), 2.0, lambda image: leaning(shaded(image)))
    assert [event.to_json() | {"time": 0} for event in hidden.events] == [
        {"type": "lost", "time": 0, "what": "board", "why": "hidden"}
    ]
    table.stacks = table.after("b4-b3")
    assert table.shoot(table.stage(), 1.0).summary == ["found", "move b4-b3"]


@pytest.mark.parametrize("at", [(0.0, 1.4), (-0.8, 1.2)])
def test_a_turn_beside_an_object_that_came_with_it_is_no_part_of_the_object(at: tuple[float, float]) -> None:
    """A saucer was put down in the same moment, as close as parts of one object may be."""
    watched = Watched()
    table, outlines = watched.table, watched.table.pipeline.outlines
    assert outlines is not None
    column = outlines.columns[INDEX["a4"]]
    x = column.left + column.width // 2 + round(at[0] * outlines.pitch)
    y = column.top + column.height // 2 + round(at[1] * outlines.pitch)

    def saucer(image: Image) -> Image:
        radius = round(0.85 * outlines.pitch)
        return np.asarray(cv2.circle(image.copy(), (x, y), radius, (250, 250, 250), -1, cv2.LINE_AA))

    table.stacks = table.after("b4-a4")
    assert table.shoot(table.stage(), OBJECT_ABSORB_TIME + 1.0, saucer).summary == ["move b4-a4"]
    assert watched.covered


def test_an_arm_that_has_gone_leaves_the_board_free_at_once() -> None:
    """It rested there until it counted as part of the scene."""
    watched = Watched()
    assert watched.covered_for(OCCLUDER_ABSORB_TIME + 0.5, ARM) > 0.0
    assert watched.covered_for(1.2) == 0.0


def test_turns_made_while_the_stream_shows_an_arm_are_emitted_once_it_goes_on() -> None:
    """The pale sleeve, which stands still with its shadow, counts as a shadow and is absorbed."""
    sleeve = arm(420, 50, (168, 200, 212))

    def reaching(image: Image) -> Image:
        shade = cv2.line(np.zeros(image.shape[:2], np.float32), (0, 300), (420, 300), 0.6, 120)
        shade = cv2.GaussianBlur(shade, (0, 0), 4)[..., None]
        return sleeve(np.asarray(image * (1 - shade), np.uint8))

    greens = dict.fromkeys(("b2", "b6", "f3", "f7", "h5"), "g")
    few = greens | {"c3": "r", "d5": "rg", "d8": "r", "e2": "gr", "e6": "gr", "g4": "r", "g6": "gr"}
    watched = Watched(rules({name: few.get(name, "") for name in INDEX}, {}))
    lasted = watched.covered_for(SHADE_ABSORB_TIME + 0.7, reaching)
    assert SHADE_ABSORB_TIME < lasted < SHADE_ABSORB_TIME + 1.5 / FPS
    table = watched.table
    position = apply(table.session.position, Move.parse("h5-h4"), table.rules)
    table.stacks = apply(position, Move.parse("c3-b3"), table.rules).stacks
    assert table.shoot(table.stage(), 0.8).summary == ["move h5-h4", "move c3-b3"]


def test_others_play_on_beside_an_arm_that_rests() -> None:
    """No position stands long enough for an arm to become part of the scene, but this one is not acting."""
    resting, watched = arm(230, 60), Watched()
    table = watched.table
    position, stacks, played = table.session.position, [], []
    for _ in range(2):
        move = next(
            move
            for move in legal_moves(position, table.rules)
            if all(square[0] in "fgh" for square in str(move).split("-"))
        )
        played.append(f"move {move}")
        position = apply(position, move, table.rules)
        stacks.append(position.stacks)
    assert watched.covered_for(0.8, resting) > 0.0
    for number, stands in enumerate(stacks):
        hand = Hand("E", *square_centre(table.director.look, INDEX["g5"]), 20.0)
        table.shoot(replace(table.stage(), hand=hand), 0.3, resting)
        table.stacks = stands
        emitted = table.shoot(table.stage(), 1.0, resting).summary
        assert emitted == played[number : number + 1]


@pytest.mark.parametrize("radius", [58, 64])
def test_turns_are_seen_through_a_drop_on_the_lens(radius: int) -> None:
    """It blurs what lies behind it and has a dark rim, but hides few squares."""

    def drop(image: Image) -> Image:
        inside, rim = (
            cv2.circle(np.zeros(image.shape[:2], np.float32), (320, 215), radius, 1.0, width)[..., None]
            for width in (cv2.FILLED, 8)
        )
        behind = image * (1 - inside) + cv2.GaussianBlur(image, (0, 0), 3.0) * inside
        return np.asarray(behind * (1 - 0.5 * rim) + rim * np.array([90.0, 50.0, 20.0]), np.uint8)

    watched = Watched()
    assert watched.covered_for(2.0, drop) > 0.0
    watched.table.stacks = watched.table.after("d5-d6")
    assert watched.table.shoot(watched.table.stage(), 1.0, drop).summary == ["move d5-d6"]


def test_an_arm_that_stays_while_nobody_acts_may_still_be_acting() -> None:
    """Only something else has moved."""
    resting, watched = arm(230, 60), Watched()
    hand = Hand("E", *square_centre(watched.table.director.look, INDEX["g5"]), 20.0)
    for _ in range(3):
        assert watched.covered_for(1.0, resting) > 1.0 - 3 / FPS
        watched.table.shoot(replace(watched.table.stage(), hand=hand), 0.3, resting)


@pytest.mark.parametrize("turns", [7, pytest.param(9, marks=pytest.mark.slow)])
def test_more_turns_out_of_sight_than_can_be_reconstructed_are_alerted(turns: int) -> None:
    """Stacks side by side that have all changed are no arm."""
    table = Table(Rules.make(2))
    table.show()
    position, touched = table.session.position, set[int]()
    for _ in range(turns):
        free = (m for m in legal_moves(position, table.rules) if touched.isdisjoint((m.origin, m.target)))
        move = next(free)
        assert move.origin is not None
        touched |= {move.origin, move.target}
        position = apply(position, move, table.rules)
    hand = Hand("E", *square_centre(table.director.look, INDEX["d5"]), 20.0)
    table.shoot(replace(table.stage(), hand=hand), 0.3)
    table.stacks = position.stacks
    emitted = table.shoot(table.stage(), 4.0)
    assert emitted.summary == ["alert unexplained"]
    assert {INDEX[square] for square in emitted.events[0].to_json()["squares"]} == touched


def test_a_turn_made_under_an_arm_that_rested_is_reported_when_the_arm_has_gone() -> None:
    """It had counted as part of the scene, and so did what was done under it."""
    watched = Watched()
    watched.covered_for(OCCLUDER_ABSORB_TIME + 0.5, ARM)
    watched.table.stacks = watched.table.after("d5-d6")
    assert watched.table.shoot(watched.table.stage(), 1.0).summary == ["move d5-d6"]


def test_a_turn_that_was_prompted_for_stays_certain_under_an_arm() -> None:
    """Its squares differ from the position before it: not because the arm covers them."""
    decisions: list[Decision] = []
    start = rules({"d5": "rgrrg", "d7": "rg", "b2": "", "c2": "", "b7": "", "g7": "", "g3": ""}, {"g": 1})
    table = Table(start, on_decision=lambda decision, look: decisions.append(decision))
    table.show()
    high = {"d7": "", "d5": "rgrrgrg"}
    assert table.show(table.put(high)).summary == ["prompt d5"]
    assert table.shoot(table.stage(), 0.5, ARM).summary == []
    assert decisions[-1].covered and decisions[-1].judgement is not None
    assert decisions[-1].judgement.certain_changes == {INDEX[name]: stack for name, stack in high.items()}
