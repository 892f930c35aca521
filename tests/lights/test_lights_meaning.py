"""What the lights show after each event, independently of the back end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX
from focus_companion.lights import Lights
from focus_companion.lights.meaning import NOTHING, Cue, Meaning, after, cue, path_of
from focus_companion.session import events


def squares(*names: str) -> tuple[int, ...]:
    return tuple(INDEX[name] for name in names)


PLAYING = Meaning(
    players=("green", "red"), turn="red", reserves=(1, 2, 0, 0), path=squares("d4", "d5"), mover="green"
)
STATE: dict[str, Any] = {
    "to_move": "green",
    "reserves": {"green": 3, "red": 0},
    "last_move": "c3-c4",
    "result": None,
}
MOVE = events.Moved(
    9.0, ply=4, player="red", move="f6-d6", position="…", reserves={"green": 2, "red": 5}, captured={},
    to_move="green", confidence=1.0,
)  # fmt: skip

CASES = [
    (
        "a new game",
        replace(PLAYING, warning=True),
        events.GameBegan(0.0, game=1, rules={"players": 2, "order": ["red", "green"]}),
        {},
        Meaning(players=("red", "green"), turn="red"),
        Cue.NONE,
    ),
    (
        "a new game in the default order",
        NOTHING,
        events.GameBegan(0.0, game=1, rules={"players": 3}),
        {"to_move": "green", "reserves": {"green": 1, "blue": 1, "red": 1}},
        Meaning(players=("green", "blue", "red"), turn="green", reserves=(1, 1, 1, 0)),
        Cue.NONE,
    ),
    (
        "the board differs from the start",
        PLAYING,
        events.SetUp(1.0, squares=["d5", "c8", "d5"]),
        {},
        replace(PLAYING, turn=None, wrong=squares("c8", "d5")),
        Cue.NONE,
    ),
    (
        "ready, in the middle of a game that goes on",
        replace(NOTHING, wrong=squares("c8"), camera_lost=True),
        events.Ready(2.0, position="…"),
        STATE,
        Meaning(players=("green", "red"), turn="green", reserves=(0, 3, 0, 0), path=squares("c3", "c4")),
        Cue.NONE,
    ),
    (
        "a move puts all else right",
        replace(PLAYING, warning=True, wrong=squares("a3"), take=(INDEX["d6"], 1), camera_lost=True),
        MOVE,
        {},
        replace(PLAYING, turn="green", path=squares("f6", "e6", "d6"), mover="red", reserves=(5, 2, 0, 0)),
        Cue.TURN,
    ),
    (
        "a piece placed",
        PLAYING,
        replace(MOVE, move="*e1"),
        {},
        replace(PLAYING, turn="green", path=squares("e1"), mover="red", reserves=(5, 2, 0, 0)),
        Cue.TURN,
    ),
    (
        "two from the bottom of d6",
        PLAYING,
        events.Prompt(3.0, square="d6", remove=[{"piece": "r"}, {"piece": "g"}]),
        {},
        replace(PLAYING, take=(INDEX["d6"], 2)),
        Cue.PROMPT,
    ),
    (
        "an illegal act",
        replace(PLAYING, take=(INDEX["d6"], 2)),
        events.Alert(4.0, reason="distance", player="red", squares=["e5", "d5"], text="…"),
        {},
        replace(PLAYING, warning=True, wrong=squares("d5", "e5")),
        Cue.ALERT,
    ),
    (
        "put right",
        replace(PLAYING, warning=True, wrong=squares("d5", "e5")),
        events.Resolved(5.0),
        {"to_move": "red", "reserves": {"green": 2, "red": 1}},
        PLAYING,
        Cue.NONE,
    ),
    (
        "taken back",
        replace(PLAYING, over=True, winners=("red",), turn=None),
        events.TakenBack(6.0, ply=2),
        STATE,
        replace(PLAYING, turn="green", reserves=(0, 3, 0, 0), path=squares("c3", "c4"), mover=None),
        Cue.NONE,
    ),
    (
        "out of view",
        PLAYING,
        events.Lost(7.0, what="camera"),
        {},
        replace(PLAYING, camera_lost=True),
        Cue.NONE,
    ),
    (
        "one of two back in view",
        replace(PLAYING, camera_lost=True),
        events.Found(8.0),
        {"camera": "no board"},
        replace(PLAYING, camera_lost=True),
        Cue.NONE,
    ),
    ("paused", PLAYING, events.Paused(8.0, paused=True), {}, replace(PLAYING, turn=None), Cue.NONE),
    (
        "going on",
        replace(PLAYING, turn=None),
        events.Paused(8.0, paused=False),
        {"to_move": "red", "last_move": "resign"},
        PLAYING,
        Cue.NONE,
    ),
    (
        "ready with a state that knows the mover",
        NOTHING,
        events.Ready(8.0, position="…"),
        STATE | {"moves": [{"move": "c3-c4", "player": "red"}]},
        Meaning(
            players=("green", "red"),
            turn="green",
            reserves=(0, 3, 0, 0),
            path=squares("c3", "c4"),
            mover="red",
        ),
        Cue.NONE,
    ),
    ("back in view", replace(PLAYING, camera_lost=True), events.Found(8.0), {}, PLAYING, Cue.NONE),
    ("unclear", PLAYING, events.Unclear(8.0, candidates=["d5-d6", "*d6"]), {}, PLAYING, Cue.NONE),
    (
        "the end",
        replace(PLAYING, warning=True),
        events.Result(9.0, winners=["green"], reason="domination"),
        {},
        replace(PLAYING, turn=None, over=True, winners=("green",)),
        Cue.OVER,
    ),
    (
        "a player of three leaves",
        PLAYING,
        events.Acted(9.0, act="leave", player="red"),
        {"to_move": "green"},
        replace(PLAYING, turn="green"),
        Cue.NONE,
    ),
    (
        "a player of three leaves while a stack of another is to be trimmed",
        replace(PLAYING, take=(INDEX["d6"], 2)),
        events.Acted(9.0, act="leave", player="green"),
        {"to_move": "red", "prompt": {"square": "d6"}},
        replace(PLAYING, take=(INDEX["d6"], 2)),
        Cue.NONE,
    ),
    (
        "a player of three leaves whose stack was to be trimmed",
        replace(PLAYING, take=(INDEX["d6"], 2)),
        events.Acted(9.0, act="leave", player="red"),
        {"to_move": "green", "prompt": None},
        replace(PLAYING, turn="green"),
        Cue.NONE,
    ),
    (
        "a resignation that ends it",
        PLAYING,
        events.Acted(9.0, act="resign", player="red"),
        {"to_move": None, "result": {"winners": ["green"], "reason": "resigned"}},
        replace(PLAYING, turn=None, over=True, winners=("green",)),
        Cue.NONE,
    ),
    (
        "corrected by hand",
        replace(PLAYING, warning=True, wrong=squares("a3")),
        events.Corrected(9.0, position="…"),
        {"to_move": "red", "reserves": {"green": 0, "red": 0}, "last_move": None},
        replace(PLAYING, path=(), mover=None, reserves=(0, 0, 0, 0)),
        Cue.NONE,
    ),
]


@pytest.mark.parametrize(
    ("before", "event", "state", "wanted", "sound"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_the_meaning_after_an_event(
    before: Meaning, event: events.Event, state: dict[str, Any], wanted: Meaning, sound: Cue
) -> None:
    assert after(before, event, state) == wanted
    assert cue(event) is sound


@pytest.mark.parametrize("what", ["camera", "board", "the table"])
@pytest.mark.parametrize("camera", ["lost", "no board", "frozen", "dark", "covered", "starting", "asleep"])
def test_every_camera_fault_is_shown(what: str, camera: str) -> None:
    """Every fault looks the same and is shown until the session reports that it has ended."""
    lost = after(PLAYING, events.Lost(1.0, what), STATE | {"camera": camera})
    assert lost == replace(PLAYING, camera_lost=True)
    still = after(lost, events.Found(2.0, what), {"camera": camera})
    assert still.camera_lost
    assert after(still, events.Found(3.0, what), {"camera": "ok"}) == PLAYING


@pytest.mark.parametrize("text", ["", "d5", "d5-d5", "d5-e6", "a1-a2", "*a1", "d5-d6-d7", "*"])
def test_an_invalid_path_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        path_of(text)


def test_a_path_leads_down_a_file() -> None:
    assert path_of("a6-a3") == squares("a6", "a5", "a4", "a3")


def test_the_set_up_is_guided_square_by_square() -> None:
    """The next square has the colour of the piece that belongs there; at the end, nothing is shown."""
    start = start_position(Rules.make(2))
    state = {"position": start.text, "to_move": "green", "reserves": {}}
    with Lights(leads=True) as lights:
        lights.show(events.SetUp(0.0, ["b2", "b7", "a3"]), state)
        assert lights.meaning.wrong == ()
        assert (lights.meaning.path, lights.meaning.mover) == ((INDEX["b2"],), "green")
        lights.show(events.SetUp(1.0, ["b7", "a3"]), state)
        assert (lights.meaning.path, lights.meaning.mover) == ((INDEX["b7"],), "red")
        lights.show(events.SetUp(2.0, ["a3"]), state)
        assert (lights.meaning.path, lights.meaning.mover) == ((INDEX["a3"],), None), "nothing belongs there"
        lights.show(events.Ready(3.0, start.text), state)
        assert lights.meaning.path == () and lights.meaning.turn == "green"


def test_without_guidance_all_wrong_squares_blink() -> None:
    with Lights() as lights:
        lights.show(events.SetUp(0.0, ["b2", "b7"]), {})
        assert set(lights.meaning.wrong) == {INDEX["b2"], INDEX["b7"]}
