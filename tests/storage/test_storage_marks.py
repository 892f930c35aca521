"""Titles and deletions of games, which never lose recorded events."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner
from scripted import Player, play_on

from focus_companion.commands.export import command
from focus_companion.commands.shared.console import BadInput
from focus_companion.game.rules import Rules
from focus_companion.session.requests import NewGame
from focus_companion.session.session import Session
from focus_companion.storage import seals
from focus_companion.storage.backup import back_up, restore
from focus_companion.storage.journal import Journal


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """Two games, of which the second is still being played."""
    journal = Journal(tmp_path / "games", write=True)
    session = Session(Rules.make(2), {"g": "Ann", "r": "Bob"}, journal, Player)
    play_on(session.push, 8)
    session.submit(NewGame())
    session.attend()
    play_on(session.push, 8, 100)
    return journal


def numbers(journal: Journal, **how: bool) -> list[int]:
    return [game.id for game in journal.games(**how)]


def test_a_deleted_game_is_not_listed_but_complete(journal: Journal) -> None:
    before, record = journal.kept(limit=1000), journal.record(1)
    journal.delete(1)
    assert numbers(journal) == [2]
    assert numbers(journal, deleted=True) == [2, 1]
    assert journal.summary(1).deleted is not None and journal.summary(2).deleted is None
    assert journal.kept(limit=1000) == before and journal.record(1) == record
    with sqlite3.connect(journal.path) as database:
        assert seals.broken(database, 1) is None
    journal.undelete(1)
    assert numbers(journal) == [2, 1] and journal.summary(1).deleted is None
    journal.close()


def test_a_title_is_kept_and_can_be_removed(journal: Journal) -> None:
    journal.entitle(1, "The final")
    journal.delete(1)
    assert journal.summary(1).title == "The final"
    journal.undelete(1)
    journal.close()
    with Journal(journal.folder) as again:
        assert [game.title for game in again.games()] == ["", "The final"]
    with Journal(journal.folder, write=True) as again:
        again.entitle(1, "")
        assert again.summary(1).title == ""


@pytest.mark.parametrize("game", [0, 3, 2**64])
def test_an_unknown_game_cannot_be_changed(journal: Journal, game: int) -> None:
    for change in (journal.delete, journal.undelete, lambda number: journal.entitle(number, "x")):
        with pytest.raises(LookupError, match="no game"):
            change(game)
    journal.close()


def test_a_copy_includes_titles_and_deletions(journal: Journal, tmp_path: Path) -> None:
    journal.entitle(2, "Żółw <&>")
    journal.delete(1)
    copy = back_up(journal.folder, tmp_path / "copy.sqlite")
    journal.undelete(1)
    journal.entitle(2, "")
    journal.close()
    restore(journal.folder, copy.path)
    with Journal(journal.folder) as restored:
        assert [(game.id, game.title) for game in restored.games()] == [(2, "Żółw <&>")]
        assert numbers(restored, deleted=True) == [2, 1]


def test_a_rescue_preserves_titles_and_deletions(journal: Journal) -> None:
    journal.entitle(2, "The final")
    journal.delete(1)
    journal.close()
    with journal.path.open("r+b") as file:
        file.write(bytes(4096))
    with Journal(journal.folder, write=True) as rescued:
        assert rescued.rescued is not None and rescued.rescued.games == 2
        assert [(game.id, game.title) for game in rescued.games()] == [(2, "The final")]
        assert numbers(rescued, deleted=True) == [2, 1]


def test_a_damaged_list_of_titles_is_rescued_when_the_journal_is_opened(journal: Journal) -> None:
    journal.entitle(2, "The final")
    journal.close()
    with sqlite3.connect(journal.path) as database:
        database.execute("UPDATE marks SET title = x'ff00'")
    with Journal(journal.folder, write=True) as rescued:
        assert rescued.rescued is not None and "title of game 2" in rescued.rescued.reason
        assert numbers(rescued) == [2, 1]


def test_the_command_line_says_that_a_game_was_deleted(journal: Journal) -> None:
    journal.delete(1)
    journal.close()
    run = CliRunner().invoke(command, ["1", "--format", "text", "--data", str(journal.folder)])
    assert isinstance(run.exception, BadInput)
    assert "game 1 was deleted on 20" in str(run.exception) and "restore it" in str(run.exception)
    run = CliRunner().invoke(command, ["last", "--format", "text", "--data", str(journal.folder)])
    assert run.exit_code == 0
