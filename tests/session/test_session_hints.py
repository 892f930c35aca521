"""Hints for the players at the table: in two steps, recorded with the game, refused where they are not
allowed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scripted import Script, Still

from focus_companion.game.match import MatchPlace
from focus_companion.game.moves import Move
from focus_companion.game.rules import Rules
from focus_companion.referee.verdict import StartSeen, TurnSeen
from focus_companion.session import requests as ask
from focus_companion.session.session import Session
from focus_companion.storage.journal import Journal

MOVE = Move.parse("c4-c5")


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
    assert [one["type"] for one in made.record().incidents] == ["hint", "hint"]


def test_there_are_none_in_a_match_nor_for_others_nor_for_another_position() -> None:
    assert "match" in hint(session(match=MatchPlace(3)))
    assert "at the table" in hint(session(played_by={"g": "far"}))
    made = session()
    assert "gone on" in hint(made, ply=3)
    assert "straight" in hint(made, Move.parse("c4-d5"))
    made.submit(ask.Resign("g"))
    made.attend()
    assert "over" in hint(made)
    assert not made.record().incidents


def test_a_hint_outlives_the_program(tmp_path: Path) -> None:
    with Journal(tmp_path, write=True) as journal:
        hint(session(journal=journal))
    with Journal(tmp_path, write=True) as journal:
        made = session(journal=journal)
        assert made.state()["hint"]["square"] == "c4"
        assert hint(made)[0]["step"] == 2
