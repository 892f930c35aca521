"""Any position read by the camera as the start; and reading the board on request."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from scripted import Still, Unseeing
from simulated import view_of
from test_session_requests import refused, told

from focus_companion.game.moves import legal_moves
from focus_companion.game.play import apply
from focus_companion.game.position import Position, position_text
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX
from focus_companion.game.start import Start
from focus_companion.referee.verdict import BoardRead, StartDiffers, StartSeen, Verdict
from focus_companion.session import requests as ask
from focus_companion.session.pipeline import Pipeline
from focus_companion.session.reading import Reader, upright_as
from focus_companion.session.session import Session
from focus_companion.simulator.scene_style import aimed_camera, pleasant_look
from focus_companion.simulator.stage import Stage
from focus_companion.storage.journal import Journal
from focus_companion.vision.capture.frames import Frame
from focus_companion.vision.geometry.board_profiles import plastic_sets
from focus_companion.vision.geometry.orientation import turned_stacks
from focus_companion.vision.geometry.pose import turned
from focus_companion.vision.single_image.read_still import StillReading

RULES = Rules.make(2)


def after(plies: int, rules: Rules = RULES, seed: int = 1) -> Position:
    """A position of a game."""
    chance, position = random.Random(seed), start_position(rules)
    for _ in range(plies):
        position = apply(position, chance.choice(legal_moves(position, rules)), rules)
    return position


MIDDLE = after(14)


class Reads(Unseeing):
    """Returns ``stacks`` for every reading, and otherwise shows the game's position."""

    def __init__(self, stacks: tuple[str, ...], doubtful: tuple[int, ...] = ()) -> None:
        self.shown = BoardRead(stacks, doubtful, 0.8)
        self.asked: list[Position | None] = []
        self.pushed = 0

    def push(self, frame: object, history: object, asked: object = None) -> list[Verdict]:
        self.pushed += 1
        return [StartDiffers((INDEX["d5"],))]

    def read(self, frame: object, standing: Position | None) -> list[Verdict]:
        self.asked.append(standing)
        return [self.shown]


def test_the_start_is_what_was_read_and_the_journal_has_it_first(tmp_path) -> None:
    with Journal(tmp_path, write=True) as journal:
        sight = Reads(MIDDLE.stacks, (INDEX["c4"], INDEX["a3"]))
        session = Session(RULES, {}, journal, sight, start_from="camera")
        (reading,) = session.push(Still(0))
        assert reading.to_json() == {
            "type": "reading", "time": 0.0, "position": position_text(MIDDLE.stacks),
            "doubtful": ["c4", "a3"], "confidence": 0.8,
        }  # fmt: skip
        assert session.push(Still(1)) == [], "the same again is no news"
        state = session.state()
        assert (state["start_from"], state["reading"]["doubtful"]) == ("camera", ["c4", "a3"])
        assert sight.pushed == 0, "nothing is judged before there is a start"
        mended = tuple("g" if square == INDEX["c4"] else stack for square, stack in enumerate(MIDDLE.stacks))
        assert told(session, ask.SetPosition(mended, "r", {"g": 2})) == ["corrected"]
        history = journal.history(1)
        assert history.position.stacks == mended == session.position.stacks
        assert history.position.to_move == "r" and history.position.reserves == (2, 0)
        assert history.rules.set_up == "position" and history.agreed == history.rules
        assert not history.start_from and history.reading is None
        assert history.record().incidents == (), "nothing was corrected: the game began so"
        session.push(Still(2))
        assert sight.pushed == 1


def test_a_start_that_was_not_taken_is_still_wanted_after_a_restart(tmp_path) -> None:
    with Journal(tmp_path, write=True) as journal:
        Session(RULES, {}, journal, Reads(MIDDLE.stacks), start_from="camera").push(Still(0))
        again = Session(RULES, {}, journal, Reads(MIDDLE.stacks))
        assert again.resumed and again.state()["start_from"] == "camera" and again.state()["reading"] is None
        assert [event.type for event in again.push(Still(0))] == ["reading"]


def test_three_players_have_no_piece_in_hand_in_a_position_of_their_own() -> None:
    rules = Rules.make(3)
    session = Session(rules, {}, None, Reads(after(9, rules).stacks), start_from="camera", takes_reading=True)
    assert [event.type for event in session.push(Still(0))] == ["reading", "corrected"]
    assert session.position.reserves == (0, 0, 0) and session.position.to_move == "g"


def test_a_position_that_no_game_begins_from_is_refused_with_its_reason() -> None:
    session = Session(RULES, {}, None, Reads(("",) * 52), start_from="camera")
    session.push(Still(0))
    assert "nobody could move" in refused(session, ask.SetPosition(("",) * 52))
    assert session.state()["start_from"] == "camera"


def test_a_rematch_is_played_from_the_position_that_was_agreed_on() -> None:
    session = Session(RULES, {}, None, Reads(MIDDLE.stacks), start_from="camera")
    session.push(Still(0))
    told(session, ask.SetPosition(MIDDLE.stacks))
    told(session, ask.AgreeDraw())
    told(session, ask.Rematch())
    assert session.position.stacks == MIDDLE.stacks


def test_a_board_set_up_again_is_read_when_asked_and_can_be_taken() -> None:
    sight = Reads(MIDDLE.stacks)
    session = Session(RULES, {}, None, sight)
    session.push(Still(0))
    assert sight.asked == []
    assert told(session, ask.ReadBoard()) == []
    assert [event.type for event in session.push(Still(1))] == ["reading"]
    assert sight.asked == [session.position], "the game says how the board is turned"
    session.push(Still(2))
    assert len(sight.asked) == 1, "read once"
    told(session, ask.SetPosition(MIDDLE.stacks))
    assert session.position.stacks == MIDDLE.stacks and session.state()["reading"] is None


def test_after_a_correction_on_the_board_the_reading_is_dropped() -> None:
    sight = Reads(MIDDLE.stacks)
    session = Session(RULES, {}, None, sight)
    told(session, ask.ReadBoard())
    session.push(Still(0))
    sight.push = lambda *_: [StartSeen()]  # type: ignore[method-assign]
    session.push(Still(1))
    assert session.state()["ready"] and session.state()["reading"] is None


def test_a_dark_picture_is_reported_before_there_is_a_start() -> None:
    session = Session(RULES, {}, None, Pipeline(RULES), start_from="camera")
    dark = np.random.default_rng(1).integers(0, 6, (120, 160, 3)).astype(np.uint8)
    (lost,) = [event for n in range(12) for event in session.push(Frame(n, n / 5, dark))]
    assert (lost.type, lost.to_json()["what"], lost.to_json()["why"]) == ("lost", "camera", "dark")
    assert session.state()["camera"] == "dark"


@pytest.mark.parametrize("quarters", range(4))
def test_a_reading_is_turned_as_the_board_is_known_to_lie(quarters: int) -> None:
    """As its known pose says or, without one, so that it agrees with the game's position."""
    camera, profile = pleasant_look(800, 600).camera, plastic_sets()[0]
    sure = tuple(float(square) for square in range(52))
    reading = StillReading(MIDDLE.stacks, sure, camera, profile, 0.9)
    expected = turned_stacks(MIDDLE.stacks, quarters)
    other = turned_stacks(MIDDLE.stacks, (quarters + 1) % 4)
    for found in (
        upright_as(reading, other, turned(camera, quarters)),
        upright_as(reading, None, turned(camera, quarters)),
        upright_as(reading, expected, None),
    ):
        assert found.stacks == expected
        assert found.whole == turned_stacks(sure, quarters)
        assert np.allclose(found.camera.rotation_matrix, turned(camera, quarters).rotation_matrix)
    assert upright_as(reading, None, None).stacks == MIDDLE.stacks


@pytest.mark.slow
@pytest.mark.parametrize(("rank1", "quarters"), [("bottom", 0), ("left", 1)])
def test_the_camera_reads_the_start_and_the_game_goes_on_from_it(rank1: str, quarters: int) -> None:
    """From pictures to turns: a position after 14 plies is read, accepted, and followed by a turn."""
    session = Session(RULES, {}, None, Pipeline(RULES, rank1=rank1), start_from="camera", takes_reading=True)
    look, rng = pleasant_look(640, 480), np.random.default_rng(5)
    number = 0

    def show(stacks: tuple[str, ...], seconds: float) -> list[str]:
        nonlocal number
        stage = Stage(turned_stacks(stacks, quarters), seats={"g": "S", "r": "N"})
        pictures = [view_of(look).shoot(stage, rng) for _ in range(2)]
        events = []
        for _ in range(round(seconds * 5)):
            events += session.push(Frame(number, number / 5, pictures[number % 2]))
            number += 1
        return [event.type for event in events]

    assert show(MIDDLE.stacks, 4.0) == ["reading", "corrected", "ready"]
    assert session.position.stacks == MIDDLE.stacks
    move = legal_moves(session.position, session.rules)[3]
    following = apply(session.position, move, session.rules)
    assert show(following.stacks, 3.0) == ["move"]
    assert session.position == following


@pytest.mark.slow
def test_after_a_disturbance_the_board_is_read_and_the_game_continues_from_it() -> None:
    """The board has nothing in common with the game's position, so that it is not even found."""
    start = Start.make("gr", MIDDLE.stacks)
    rules = Rules.make(2, set_up="position", start=start)
    session = Session(rules, {}, None, Pipeline(rules))
    look, rng = pleasant_look(800, 600), np.random.default_rng(5)
    stage = Stage(start_position(RULES).stacks, seats={"g": "S", "r": "N"})
    pictures = [view_of(look).shoot(stage, rng) for _ in range(2)]
    told(session, ask.ReadBoard())
    events = [event for n in range(8) for event in session.push(Frame(n, n / 5, pictures[n % 2]))]
    assert [event.type for event in events] == ["reading"]
    assert session.state()["reading"]["position"] == start_position(RULES).text
    told(session, ask.SetPosition(start_position(RULES).stacks))
    events = [event for n in range(8, 20) for event in session.push(Frame(n, n / 5, pictures[n % 2]))]
    assert [event.type for event in events] == ["ready"]


@pytest.mark.slow
def test_an_uncertain_height_is_doubtful() -> None:
    """One piece too many in the reading must be reported, even if no top is doubtful."""
    position, chance = after(29, seed=7), random.Random(7)
    chance.randint(10, 30)
    look = pleasant_look(960, 720)
    tilt, azimuth = chance.uniform(5, 10), chance.uniform(-30, 30)
    look = replace(
        look, camera=aimed_camera(look.camera.lens, look.profile, tilt=tilt, azimuth=azimuth, fill=0.85)
    )
    stage = Stage(position.stacks, seats={"g": "S", "r": "N"})
    picture = view_of(look).shoot(stage, np.random.default_rng(5))
    reader = Reader(plastic_sets(), "gr", "bottom", None, threaded=False)
    told = [reader.see(Frame(n, n / 5, picture), None, None) for n in range(6)]
    (read,) = [one for one in told if one is not None]
    wrong = {square for square in range(52) if read.stacks[square] != position.stacks[square]}
    assert wrong and wrong <= set(read.doubtful)
