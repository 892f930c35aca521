"""Single sentences: what each event says, that no two squares sound alike, and what is answered."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from transcript import LANGUAGES

from focus_companion.game.moves import Move
from focus_companion.game.rules import Rules
from focus_companion.game.squares import SQUARES
from focus_companion.game.start import Start
from focus_companion.referee.verdict import TurnSeen
from focus_companion.session import events
from focus_companion.session.beginning import began
from focus_companion.session.clock import Clock, TimeControl
from focus_companion.session.events_from_verdicts import follow
from focus_companion.session.history import History
from focus_companion.session.state_json import state
from focus_companion.speech import NoSuchQuestion, Voice, answer, narrate, opening
from focus_companion.speech.narration import alert_title
from focus_companion.web.catalogues import translations

ROOT = Path(__file__).parents[2]
EN = Voice(translations("en"))


def table(*moves: str, players: dict[str, str] | None = None) -> dict[str, Any]:
    """The state of a two-player game after some turns."""
    return state(played(*moves, players=players))


def played(*moves: str, players: dict[str, str] | None = None) -> History:
    history = History.begin(Rules.make(2), {"g": "Ann", "r": "Bob"} if players is None else players)
    history = history.take(began(history, 0.0))
    for move in moves:
        history = follow([TurnSeen(Move.parse(move), 0.9)], history, 1.0)[-1].after
    return history


SAID = [
    (events.Alert(1, "distance", "green", ["d5", "e4"], ""),
     "Ann: Wrong number of squares. Please correct: delta five, echo four."),
    (events.Prompt(1, "d6", [{"piece": "g"}, {"piece": "r"}]),
     "Take two from the bottom of delta six: green, red."),
    (events.Unclear(1, ["d5-d6", "*b2"]),
     "Which turn was it? one: delta five to delta six; two: places on bravo two."),
    (events.Reply(1, "red", "c7-d7", [{"piece": "g"}], "companion"),
     "Please do this for Bob: charlie seven to delta seven. Take one from the bottom of delta seven: green."),
    (events.SetUp(1, ["a3", "b3", "c3", "d3", "e3", "f3"]),
     "Please check alpha three, bravo three, charlie three, delta three, and two more."),
    (events.Lost(1, "camera", "dark"), "It is too dark to see the board."),
    (events.Lost(1, "board", "out of view"), "I do not see the board."),
    (events.Result(1, ["green"], "domination"), "Ann wins."),
    (events.Resolved(1), "Corrected. Ann to move."),
    (events.Hinted(1, "green", 1, "c4"), "Hint: move the stack on charlie four, or a part of it."),
    (events.Hinted(1, "green", 1, ""), "Hint: place a piece from the reserve."),
    (events.Hinted(1, "green", 2, "c4", "c4-c5"), "Hint: charlie four to charlie five."),
    (events.Assessed(1, "green", "c4", "good"), "charlie four is good: hardly any turn is better."),
    (events.Assessed(1, "green", "c4", "fair"), "charlie four is not bad, but there is something better."),
    (events.Assessed(1, "green", "c4", "poor"), "Careful with charlie four: there is something much better."),
    (events.TimeUp(1, "red"), "Bob: the time is up."),
    (events.Placed(1, None), None),
]  # fmt: skip


@pytest.mark.parametrize(("event", "text"), SAID)
def test_the_sentence_for_each_event(event: events.Event, text: str | None) -> None:
    said = narrate(event, table(), EN)
    assert (said and said.text) == text
    urgent = isinstance(
        event, events.Alert | events.Prompt | events.Unclear | events.Reply | events.SetUp | events.Lost
    )
    assert said is None or said.urgent is urgent


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Ann, charlie four to charlie five, Bo out."),
        ("pl", "Ann, czarli cztery na czarli pięć, odpada Bo."),
        ("it", "Ann, ciarli quattro a ciarli cinque, fuori Bo."),
    ],
)
def test_who_falls_out_is_said_with_the_turn(language: str, text: str) -> None:
    stacks = {"c4": "g", "c5": "b", "f4": "r", "e2": "g"}
    start = Start.make("gbr", tuple(stacks.get(name, "") for name in SQUARES), to_move="g")
    names = {"g": "Ann", "b": "Bo", "r": "Cy"}
    history = History.begin(Rules.make(3, set_up="position", start=start), names)
    history = history.take(began(history, 0.0))
    for move in ("c4-c5", "f4-f5", "e2-e3"):
        last = follow([TurnSeen(Move.parse(move), 0.9)], history, 1.0)[-1]
        history = last.after
        said = narrate(last.event, state(history), Voice(translations(language)))
        assert said is not None and ("Bo" in said.text) == (move == "c4-c5")
        assert move != "c4-c5" or said.text == text


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_square_sounds_like_another(language: str) -> None:
    """Any two of the words differ in at least half of their letters."""
    voice = Voice(translations(language))
    for words in (list(voice.files().values()), list(voice.numbers())):
        for one, other in combinations(words, 2):
            assert edit_distance(one, other) * 2 >= min(len(one), len(other)), (one, other)
    assert len({voice.square(name) for name in SQUARES}) == len(SQUARES)


def edit_distance(one: str, other: str) -> int:
    """The number of letters to change, add or remove to turn one word into the other."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        before, row = row, [i]
        for j, b in enumerate(other, start=1):
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b)))
    return row[-1]


def test_every_alert_is_spoken_in_the_words_of_the_page() -> None:
    page = (ROOT / "focus_companion/web/static/js/game/words.js").read_text(encoding="utf-8")
    titles = page.partition("function alertTitle")[2].partition("function alertText")[0]
    reasons = re.findall(r'^      (\w+): t\("([^"]+)"\)', titles, re.MULTILINE)
    assert len(reasons) == 13
    for reason, title in reasons:
        assert alert_title(reason, EN) == title
    assert alert_title("else", EN) == "Something is not right"


NAMES = [
    ({"g": "Ann Lee", "r": "Ann Low"}, "Green, bravo six to bravo seven."),
    ({"g": "Delta"}, "Green, bravo six to bravo seven."),
    ({"g": "Red"}, "Green, bravo six to bravo seven."),
    ({"g": "  42 "}, "Green, bravo six to bravo seven."),
    ({"g": "O’Neil the Great"}, "O’Neil, bravo six to bravo seven."),
    ({}, "Green, bravo six to bravo seven."),
]


@pytest.mark.parametrize(("players", "text"), NAMES)
def test_every_player_has_a_unique_spoken_name(players: dict[str, str], text: str) -> None:
    after = table("b6-b7", players=players)
    moved = follow([TurnSeen(Move.parse("b6-b7"), 0.9)], played(players=players), 1.0)[0].event
    said = narrate(moved, after, EN)
    assert said is not None and said.text == text


def test_questions_are_answered() -> None:
    now = table("b6-b7")
    assert answer("turn", now, EN) == "Bob to move."
    assert answer("standing", now, EN) == (
        "Turn 1. Ann: 0 captured, 0 in reserve. Bob: 0 captured, 0 in reserve. Bob to move."
    )
    assert answer("time", now, EN) == "There is no clock."
    assert answer("square", now, EN, "b6") == "Bravo six is empty."
    assert answer("square", now, EN, "b7") == "Bravo seven, from the top: green, red."
    assert answer("square", now, EN, "c7") in ("Charlie seven: red.", "Charlie seven: green.")
    for about, square in (("square", "z9"), ("square", ""), ("weather", "")):
        with pytest.raises(NoSuchQuestion):
            answer(about, now, EN, square)


def test_the_answer_to_whose_turn_says_why_play_has_stopped() -> None:
    alert = events.Alert(1, "out_of_turn", "red", ["d5"], "").to_json()
    assert answer("turn", table() | {"alert": alert}, EN) == "Not this player’s turn. Ann to move."
    assert answer("turn", table() | {"paused": True}, EN) == "The game is paused."


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Ann: 9 minutes 1 second. Bob: the time is up."),
        ("pl", "Ann: 9 minut 1 sekunda. Bob: koniec czasu."),
        ("it", "Ann: 9 minuti 1 secondo. Bob: il tempo è scaduto."),
    ],
)
def test_the_clocks_are_announced(language: str, text: str) -> None:
    clock = Clock(TimeControl("down", 600.0), {"g": 59.0, "r": 601.0})
    history = replace(played(), clock=clock)
    now = state(history) | {"clock": clock.to_json(0.0, "gr")}
    assert answer("time", now, Voice(translations(language))) == text


def test_a_new_listener_hears_who_plays_or_that_the_game_is_under_way() -> None:
    assert opening(table(), EN) == "New game. Ann is green, Bob is red. Ann begins."
    assert opening(table("b6-b7"), EN) == "The game goes on. Bob to move."
