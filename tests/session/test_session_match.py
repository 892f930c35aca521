"""A match over its games: sides rotate, restarts lose nothing, and it ends after its last game."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripted import Player, Still, play_on

from focus_companion.game.match import MatchPlace
from focus_companion.game.rules import Rules
from focus_companion.session import requests as ask
from focus_companion.session.session import Session
from focus_companion.storage.journal import Journal
from focus_companion.storage.matches import match_of
from focus_companion.web.series import Series

RULES = Rules.make(2)
NAMES = {"g": "Ann", "r": "Ben"}


def opened(journal: Journal | None, games: int = 1, **more: object) -> Session:
    match = MatchPlace(games) if games > 1 else None
    return Session(RULES, NAMES, journal, Player(RULES), match=match, **more)  # type: ignore[arg-type]


def asked(session: Session, request: ask.Request) -> None:
    done = session.submit(request)
    session.attend()
    assert done.exception(timeout=0) is None


def finish(session: Session, loser: str = "r") -> None:
    play_on(session.push, 4, session.health()["frames"])
    asked(session, ask.Resign(loser))
    assert session.history.over


def place(session: Session) -> tuple[int, int] | None:
    told = session.state()["match"]
    return told and (told["number"], told["length"])


def test_the_games_of_a_match_turn_the_sides_and_come_to_an_end() -> None:
    session = opened(None, 3)
    for number in (1, 2, 3):
        assert place(session) == (number, 3)
        assert session.history.players["g"] == ("Ben" if number == 2 else "Ann")
        finish(session)
        asked(session, ask.Rematch())
    assert place(session) == (1, 3), "another match follows"


def test_an_unfinished_game_is_played_again() -> None:
    session = opened(None, 2)
    play_on(session.push, 3)
    asked(session, ask.Rematch())
    assert place(session) == (1, 2) and dict(session.history.players) == NAMES
    asked(session, ask.NewGame())
    assert place(session) == (1, 2) and dict(session.history.players) == NAMES


def test_a_new_game_ends_a_match_or_begins_one() -> None:
    session = opened(None, 2)
    asked(session, ask.NewGame(RULES))
    assert place(session) is None
    asked(session, ask.NewGame(RULES, {}, games=1))
    assert place(session) is None
    for games in (2, 5):
        asked(session, ask.NewGame(RULES, {}, games=games))
        assert place(session) == (1, games)
    nameless = Session(RULES, {}, None, Player(RULES), match=MatchPlace(2))
    assert dict(nameless.history.players) == {"g": "Player 1", "r": "Player 2"}
    finish(nameless)
    asked(nameless, ask.Rematch())
    assert dict(nameless.history.players) == {"g": "Player 2", "r": "Player 1"}


def test_the_demo_continues_the_match_and_rotates_the_sides() -> None:
    session = opened(None, 2, again=1.0)
    finish(session)
    session.push(Still(999))
    assert place(session) == (2, 2) and session.history.players["g"] == "Ben"


@pytest.mark.parametrize("killed_between_games", [False, True])
def test_a_match_is_kept_across_restarts(tmp_path: Path, killed_between_games: bool) -> None:
    with Journal(tmp_path, write=True) as journal:
        session = opened(journal, 3)
        finish(session)
        if not killed_between_games:
            asked(session, ask.Rematch())
            play_on(session.push, 3, 100)
    with Journal(tmp_path, write=True) as journal:
        session = opened(journal)
        assert place(session) == (2, 3) and dict(session.history.players) == {"g": "Ben", "r": "Ann"}
        assert session.resumed is not killed_between_games
        finish(session)
        told = Series().running(journal)
        assert told and (told["length"], told["finished"], told["over"], told["winners"]) == (3, 2, False, [])
        asked(session, ask.Rematch())
        finish(session)
        told = Series().running(journal)
        assert told and told["over"] and told["winners"] and told["games"] == [1, 2, 3]
        assert match_of(journal, 1) == match_of(journal, 3) == (3, (1, 2, 3))
    with Journal(tmp_path, write=True) as journal:
        assert place(opened(journal)) is None, "the match is over: nothing to go on with"
        assert match_of(journal, 4) is None


def test_with_new_no_match_goes_on(tmp_path: Path) -> None:
    with Journal(tmp_path, write=True) as journal:
        finish(opened(journal, 3))
    with Journal(tmp_path, write=True) as journal:
        assert place(opened(journal, resume=False)) is None


def test_a_match_of_more_than_thirty_games(tmp_path: Path) -> None:
    with Journal(tmp_path, write=True) as journal:
        session = opened(journal, 34)
        series = Series()
        for number in range(1, 35):
            assert place(session) == (number, 34)
            asked(session, ask.Resign("r"))
            told = series.running(journal)
            assert told and len(told["games"]) == told["finished"] == number
            assert told["over"] is (number == 34)
            if number < 34:
                asked(session, ask.Rematch())
        assert told and told["tied"] and set(told["winners"]) == {"Ann", "Ben"}


def test_more_than_thirty_games_without_an_agreement_are_summed_up(tmp_path: Path) -> None:
    with Journal(tmp_path, write=True) as journal:
        session = opened(journal)
        for _ in range(33):
            play_on(session.push, 3, session.health()["frames"])
            asked(session, ask.Rematch())
        told = Series().running(journal)
    assert told and len(told["games"]) == 34 and told["length"] is None and not told["over"]
