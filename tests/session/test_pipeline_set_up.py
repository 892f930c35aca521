"""Setting up: squares that differ are named, and the players have the last word."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest
import simulated

from focus_companion.game.moves import Move
from focus_companion.game.play import play
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.referee.verdict import BackInView, OutOfView, StartDiffers, StartSeen, TurnSeen, Verdict
from focus_companion.session.pipeline import REST_TIME, Pipeline
from focus_companion.simulator.scene_style import pleasant_look
from focus_companion.simulator.stage import Stage
from focus_companion.vision.capture.frames import Frame
from focus_companion.vision.detection.manual_corners import Corners
from focus_companion.vision.tracking import watcher

RULES = Rules.make(2)
START = start_position(RULES)
SEATS = {"g": "S", "r": "N"}


@pytest.fixture(autouse=True)
def _search_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture that is shown over and over is searched for a board once."""
    monkeypatch.setattr(watcher, "find_board", simulated.find_board)


class Setting:
    """A still table, with five pictures a second."""

    def __init__(self, stacks: tuple[str, ...], rules: Rules = RULES) -> None:
        self.show(stacks)
        self.sight, self.number = Pipeline(rules), 0

    def show(self, stacks: tuple[str, ...]) -> None:
        view, rng = simulated.view_of(pleasant_look(640, 480)), np.random.default_rng(4)
        self.pictures = [view.shoot(Stage(stacks, seats=SEATS), rng)]

    def watch(self, seconds: float, *history: Position) -> list[Verdict]:
        told: list[Verdict] = []
        for _ in range(round(seconds * 5)):
            picture = self.pictures[self.number % len(self.pictures)]
            frame = Frame(self.number, self.number / 5, picture)
            told += self.sight.push(frame, history or (START,))
            self.number += 1
        return told


@pytest.mark.parametrize(
    ("corners", "wrong"),
    [
        (None, None),
        ({"a1": (0.2, 0.9), "h1": (0.8, 0.9), "h8": (0.7, 0.2), "a8": (0.3, 0.2)}, None),
        ({"a1": (0.2, 0.9), "h1": (0.8, 0.9), "h8": (0.7, 0.2)}, "its corners"),
        ({"a1": (9.0, 0.9), "h1": (0.8, 0.9), "h8": (0.7, 0.2), "a8": (0.3, 0.2)}, "outside the picture"),
    ],
    ids=["none", "possible", "too few", "outside"],
)
def test_corners_set_by_hand_before_the_first_picture_are_checked_at_once(
    corners: Corners | None, wrong: str | None
) -> None:
    with nullcontext() if wrong is None else pytest.raises(ValueError, match=wrong):
        Pipeline(RULES).place(corners)


@pytest.mark.slow
def test_fewer_pictures_are_enough_until_the_board_is_found_and_while_nothing_moves() -> None:
    table = Setting(START.stacks)
    assert table.sight.at_rest
    table.watch(1.0)
    assert not table.sight.at_rest
    table.watch(REST_TIME + 0.6)
    assert table.sight.at_rest
    table.pictures = [np.roll(table.pictures[0], 90 * way, axis=1) for way in (-1, 1)]
    table.watch(0.4)
    assert not table.sight.at_rest


def test_a_picture_is_examined_for_the_mount_check_when_nothing_has_moved_for_a_while() -> None:
    """Not while the players may be waiting for the first turn to be told."""
    table = Setting(START.stacks)
    assert table.sight.mount() is None
    assert table.watch(2.0) == [StartSeen()]
    table.watch(REST_TIME + 1.0)
    geometry_alone = table.sight.mount()
    assert geometry_alone is not None and table.sight._trial is None and table.sight.at_rest
    table.watch(10.0)
    trial = table.sight._trial
    assert trial is not None and table.sight.mount() is not geometry_alone
    table.watch(1.0)
    assert table.sight._trial is trial, "once is enough"


def test_a_picture_is_examined_for_the_mount_check_after_the_first_turn() -> None:
    table = Setting(START.stacks)
    assert table.watch(2.0) == [StartSeen()]
    after = play(START, Move.parse("d5-d6"), RULES)
    table.show(after.stacks)
    assert {type(verdict) for verdict in table.watch(0.8)} == {TurnSeen} and table.sight._trial is None
    table.watch(0.4, START, after)
    assert table.sight._trial is not None and not table.sight.at_rest


def test_after_a_rest_a_covered_camera_is_reported_and_nothing_is_read_from_its_pictures() -> None:
    table = Setting(START.stacks)
    table.watch(1.0 + REST_TIME + 0.6)
    assert table.sight.at_rest
    table.pictures = [np.full_like(table.pictures[0], 3)]
    # It is noticed at the next picture that has moved, and reported a second later.
    assert table.watch(1.0) == []
    assert table.watch(0.4) == [OutOfView("camera", "dark")] * 2 and table.sight.camera_state == "dark"


@pytest.mark.slow
def test_between_two_games_the_board_is_not_called_lost() -> None:
    """The final position of the last game has little in common with the start of the next one."""
    table = Setting(START.stacks)
    assert table.watch(3.0) == [StartSeen()]
    empty = [k for k, stack in enumerate(START.stacks) if not stack]
    over = tuple("rgrgr" if k in empty else "" for k in range(len(START.stacks)))
    again = start_position(RULES)
    assert again is not START
    for stacks, seconds in ((over, 3.0), (("",) * len(over), 0.8)):
        table.show(stacks)
        for _ in range(round(seconds * 5)):
            table.watch(0.2, again)
            assert table.sight.camera_state == "ok", stacks
    table.show(START.stacks)
    assert table.watch(3.0, again)[-1] == StartSeen()


def test_a_board_that_is_gone_when_a_game_begins_is_called_lost() -> None:
    table = Setting(START.stacks)
    assert table.watch(3.0) == [StartSeen()]
    again = start_position(RULES)
    # A cloth with broad stripes: a busier one takes the search for a board seconds each time.
    rng, cloth = np.random.default_rng(2), np.zeros((480, 640, 3), np.uint8)
    cloth[:] = np.repeat(np.array([(60, 90, 170), (190, 180, 150)] * 4, np.uint8), 80, axis=0)
    table.pictures = [cloth + rng.integers(0, 4, cloth.shape, np.uint8)]
    table.watch(10.0, again)
    assert table.sight.camera_state == "no board"


@pytest.fixture
def one_too_many() -> Setting:
    """Like bare domes that look like pieces: red on an empty square."""
    stacks = tuple("r" if k == INDEX["a4"] else stack for k, stack in enumerate(START.stacks))
    return Setting(stacks)


def test_squares_that_differ_are_reported_until_the_players_confirm_the_set_up(one_too_many: Setting) -> None:
    assert one_too_many.watch(4.0) == [StartDiffers((INDEX["a4"],))]
    one_too_many.sight.vouch()
    assert one_too_many.watch(1.0) == [StartSeen()]
    assert one_too_many.watch(3.0) == [], "what was learned so is no alarm"


def test_a_confirmation_has_no_effect_if_no_square_differs() -> None:
    table = Setting(START.stacks)
    assert table.watch(3.0) == [StartSeen()]
    table.sight.vouch()
    assert table.watch(2.0) == []


@pytest.mark.parametrize(
    ("early", "said"),
    [
        ({"d5": "g"}, [StartSeen(), TurnSeen]),
        pytest.param({"d5": "g", "a4": "r"}, [StartSeen(), TurnSeen, TurnSeen], marks=pytest.mark.slow),
        pytest.param({"d5": "g", "a4": "r", "f6": "g"}, [StartDiffers], marks=pytest.mark.slow),
    ],
    ids=["one", "two", "too many"],
)
def test_pieces_dropped_before_the_board_was_found_are_the_first_turns(
    early: dict[str, str], said: list[Verdict | type]
) -> None:
    drop = Rules.make(2, set_up="drop")
    stacks = tuple(early.get(square, "") for square in SQUARES)
    # The position stays the same here, so the turns are emitted again for every picture.
    seen = Setting(stacks, drop).watch(3.0, start_position(drop))[: len(said)]
    assert [verdict if isinstance(verdict, StartSeen) else type(verdict) for verdict in seen] == said
    turns = {str(verdict.move) for verdict in seen if isinstance(verdict, TurnSeen)}
    assert turns == ({f"*{square}" for square in early} if TurnSeen in said else set())


@pytest.mark.slow
def test_the_last_pieces_of_a_board_that_is_being_cleared_are_no_turns() -> None:
    """Another game begins while those of the last one are taken off, too fast to be named."""
    drop = Rules.make(2, set_up="drop")
    start = start_position(drop)
    left = {"d5": "g", "a4": "r", "f6": "g"}
    stacks = [left.get(square, "") for square in SQUARES]
    table = Setting(tuple(stacks), drop)
    assert table.watch(0.8, start) == []
    stacks[INDEX["f6"]] = stacks[INDEX["a4"]] = ""
    table.show(tuple(stacks))
    assert table.watch(3.0, start) == [StartDiffers((INDEX["d5"],))]


def test_a_picture_that_never_comes_to_rest_is_reported_until_it_does() -> None:
    setting = Setting(START.stacks)
    (steady,) = setting.pictures
    across = np.arange(steady.shape[1])
    setting.pictures = [
        np.asarray(steady * (0.7 + 0.3 * (np.sin(across / 40 + 2.1 * k) > 0))[:, None], np.uint8)
        for k in range(3)
    ]
    told = setting.watch(14.0)
    assert {(each.what, each.why) for each in told if isinstance(each, OutOfView)} == {("camera", "unsteady")}
    assert setting.sight.camera_state == "unsteady"
    setting.pictures = [steady]
    told = setting.watch(3.0)
    assert told[-2:] == [BackInView("camera"), StartSeen()]
    assert setting.sight.camera_state == "ok"
