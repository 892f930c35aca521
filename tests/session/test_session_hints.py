"""Help for the players at the table: hints in two steps, and whether the stack in hand is good; recorded with
the game, refused where it is not allowed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scripted import Script, Still

from focus_companion.game.match import MatchPlace
from focus_companion.game.moves import Move
from focus_companion.game.rules import Rules
from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.game.start import Start
from focus_companion.referee.verdict import (
    PutRight,
    StartDiffers,
    StartSeen,
    TurnSeen,
    Undecided,
    Verdict,
    Wrong,
)
from focus_companion.session import requests as ask
from focus_companion.session.hinting import turns_in_question
from focus_companion.session.history import History
from focus_companion.session.session import Session
from focus_companion.storage.journal import Journal

MOVE = Move.parse("c4-c5")
ILLEGAL = Wrong("not_straight", "g", (5, 9), "Green moved askew. Put it back.")


def session(**more: Any) -> Session:
    journal = more.pop("journal", None)
    return Session(Rules.make(2), {}, journal, Script({0: [StartSeen()], 1: [TurnSeen(MOVE, 0.9)]}), **more)


def hint(made: Session, move: Move = MOVE, **other: Any) -> Any:
    h = made.history
    place: dict[str, Any] = {"game": h.game, "ply": h.ply, "position": h.position.text} | other
    done = made.submit(ask.TakeHint(move, **place))
    told = made.attend()
    return str(done.exception(0)) if done.exception(0) else [event.to_json() for event in told]


def test_which_stack_then_where_to_then_nothing_more() -> None:
    made = session()
    made.push(Still(0))  # type: ignore[arg-type]
    (first,) = hint(made)
    assert (first["type"], first["player"], first["step"], first["square"]) == ("hint", "green", 1, "c4")
    assert first["move"] == "", "where to is not told yet"
    (second,) = hint(made)
    assert (second["step"], second["move"]) == (2, "c4-c5")
    assert hint(made) == []
    assert made.state()["hint"]["move"] == "c4-c5"
    made.push(Still(1))  # type: ignore[arg-type]
    assert made.history.ply == 1 and made.state()["hint"] is None
    assert [one["type"] for one in made.history.record().incidents] == ["hint", "hint"]


def test_the_second_step_is_given_only_if_the_first_was_seen() -> None:
    made = session()
    made.push(Still(0))  # type: ignore[arg-type]
    assert [one["step"] for one in hint(made, step=1)] == [1]
    assert hint(made, step=1) == []
    assert [one["step"] for one in hint(made, step=2)] == [2]


def test_there_are_none_in_a_match_nor_for_others_nor_for_another_position() -> None:
    assert "match" in hint(session(match=MatchPlace(3)))
    assert "at the table" in hint(session(played_by={"g": "far"}))
    made = session()
    assert "gone on" in hint(made, ply=3)
    assert "straight" in hint(made, Move.parse("c4-d5"))
    made.submit(ask.Resign("g"))
    made.attend()
    assert "over" in hint(made)
    assert not made.history.record().incidents


@pytest.mark.parametrize("verdict", [ILLEGAL, Undecided((MOVE,)), StartDiffers((3,))])
def test_what_is_to_be_put_right_comes_before_a_hint(verdict: Verdict) -> None:
    """But a stack that is lifted for long may be assessed."""
    script = Script({0: [StartSeen()], 1: [verdict], 2: [PutRight(), StartSeen()]})
    made = Session(Rules.make(2), {}, None, script)
    for number in (0, 1):
        made.push(Still(number))  # type: ignore[arg-type]
    assert "has to show" in hint(made)
    assert [one["grade"] for one in assess(made)] == ["good"]
    made.push(Still(2))  # type: ignore[arg-type]
    assert [one["step"] for one in hint(made)] == [1]


def assess(made: Session, square: str = "c4", missed: float = 0.0, **other: Any) -> Any:
    h = made.history
    place: dict[str, Any] = {"game": h.game, "ply": h.ply, "position": h.position.text} | other
    done = made.submit(ask.Assess(INDEX[square], missed, **place))
    emitted = made.attend()
    return str(done.exception(0)) if done.exception(0) else [event.to_json() for event in emitted]


def test_the_stack_in_hand_is_good_fair_or_poor() -> None:
    made = session()
    made.push(Still(0))  # type: ignore[arg-type]
    for missed, grade in ((0.0, "good"), (0.03, "good"), (0.04, "fair"), (0.12, "fair"), (0.13, "poor")):
        (event,) = assess(made, missed=missed)
        assert {key: event[key] for key in ("type", "player", "square", "grade")} == {
            "type": "assessment",
            "player": "green",
            "square": "c4",
            "grade": grade,
        }
        assert made.state()["assessment"]["grade"] == grade
    assert [one["type"] for one in made.history.record().incidents] == ["assessment"] * 5
    made.push(Still(1))  # type: ignore[arg-type]
    assert made.history.ply == 1 and made.state()["assessment"] is None


def test_a_hint_takes_the_place_of_the_assessment_before_it() -> None:
    """Also if no picture comes between them, so that their times are equal."""
    made = session()
    made.push(Still(0))  # type: ignore[arg-type]
    for step in (1, 2, 2):
        assess(made)
        assert made.state()["assessment"] is not None
        (again,) = hint(made)
        assert again["step"] == step
        assert made.state()["assessment"] is None and made.state()["hint"]["step"] == step


def test_only_turns_of_ones_own_stack_are_assessed_and_none_in_a_match() -> None:
    assert "match" in assess(session(match=MatchPlace(3)))
    assert "at the table" in assess(session(played_by={"g": "far"}))
    made = session()
    assert "no legal turn" in assess(made, "c3"), "a stack of red, who is not to move"
    assert "no legal turn" in assess(made, "c1"), "an empty square"
    assert "gone on" in assess(made, ply=3)
    assert not made.history.record().incidents


def test_the_turns_in_question_are_those_with_the_pieces_lifted() -> None:
    stacks = tuple({"c4": "rgg", "f6": "r"}.get(name, "") for name in SQUARES)
    start = Start.make(("g", "r"), stacks, to_move="g")
    h = History.begin(Rules.make(2, set_up="position", start=start), {})
    every = {str(move) for move in turns_in_question(h, INDEX["c4"])}
    assert every == {
        *("c4-b4", "c4-d4", "c4-c3", "c4-c5"),
        *("c4-a4", "c4-e4", "c4-c2", "c4-c6"),
        *("c4-f4", "c4-c1", "c4-c7"),
    }
    two = {str(move) for move in turns_in_question(h, INDEX["c4"], 2)}
    assert two == {"c4-a4", "c4-e4", "c4-c2", "c4-c6"}
    assert {str(move) for move in turns_in_question(h, INDEX["c4"], 4)} == every, "more than stand there"


def test_a_hint_survives_a_restart(tmp_path: Path) -> None:
    with Journal(tmp_path, write=True) as journal:
        hint(session(journal=journal))
    with Journal(tmp_path, write=True) as journal:
        made = session(journal=journal)
        assert made.state()["hint"]["square"] == "c4"
        assert hint(made)[0]["step"] == 2
