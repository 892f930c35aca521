"""Journals of every earlier version are migrated, and a copy is kept; a newer journal is left unchanged."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from scripted import Player, play_on

from focus_companion.game.record import positions
from focus_companion.game.rules import Rules
from focus_companion.session.events import Moved
from focus_companion.session.session import Session
from focus_companion.storage import schema
from focus_companion.storage.backup import check, restore
from focus_companion.storage.errors import JournalError, JournalForeign
from focus_companion.storage.journal import Journal

OLDER = sorted((Path(__file__).parent / "older").glob("journal-*.sql"))

MOVES = {
    1: "b6-b5 d2-e2 d7-c7 e4-f4 f6-g6 d4-d3 g4-g3 resign",
    2: "*a4 *d8 *h4 c3-c2 b2-c2 f2-e2 d2-c2 g3-h3 h4-h5",
}
"""The games of the older journals, as emitted by the programs that wrote them."""


def build(folder: Path, source: Path) -> Path:
    """A journal of an earlier version, as its program left it."""
    path = folder / "journal.sqlite"
    database = sqlite3.connect(path)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.executescript(source.read_text(encoding="utf-8"))
    finally:
        database.close()
    return path


def dump(path: Path) -> list[str]:
    database = sqlite3.connect(path)
    try:
        return list(database.iterdump())
    finally:
        database.close()


def test_there_is_a_journal_of_every_earlier_version() -> None:
    versions = [int(path.stem.removeprefix("journal-")) for path in OLDER]
    assert versions == list(range(1, len(schema.MIGRATIONS)))


@pytest.mark.parametrize("source", OLDER, ids=lambda path: path.stem)
def test_an_older_journal_is_migrated(tmp_path: Path, source: Path) -> None:
    path = build(tmp_path, source)
    before = dump(path)
    # Reading does not migrate it.
    with pytest.raises(JournalError, match="older form"):
        Journal(tmp_path).games()
    with Journal(tmp_path, write=True) as journal:
        (notice,) = journal.notices
        for game, moves in MOVES.items():
            record = journal.record(game)
            assert " ".join(getattr(e.what, "kind", str(e.what)) for e in record.entries) == moves
            assert len(list(positions(record))) == journal.games()[2 - game].plies + 1
        assert journal.games()[1].result == {"winners": ["red"], "reason": "resigned"}
        assert [number for number, _ in journal.events()] == list(range(1, journal.last_event() + 1))
        session = Session(Rules.make(2), {}, journal, Player)
        assert session.resumed and session.history.ply == 9 and session.history.seats == {"b": "left"}
        assert any(isinstance(event, Moved) for event in play_on(session.push, 3, 900))
    (kept,) = tmp_path.glob("journal.version-*.sqlite")
    assert str(kept) in notice and dump(kept) == before and kept.stat().st_mode & 0o077 == 0
    assert check(path, path)[0] == 2
    # The copy can be restored, and is migrated again.
    restore(tmp_path, kept)
    with Journal(tmp_path, write=True) as journal:
        assert [summary.plies for summary in journal.games()] == [9, 7]


@pytest.mark.parametrize("source", OLDER, ids=lambda path: path.stem)
def test_an_older_journal_that_is_damaged_is_rescued(tmp_path: Path, source: Path) -> None:
    path = build(tmp_path, source)
    with path.open("r+b") as file:
        file.write(bytes(4096))
    with Journal(tmp_path, write=True) as journal:
        assert "30 events of 2 games rescued" in journal.notices[0]
        assert [summary.plies for summary in journal.games()] == [9, 7]
        for summary in journal.games():
            journal.record(summary.id)


@pytest.mark.parametrize("source", OLDER, ids=lambda path: path.stem)
def test_without_disk_space_for_the_copy_nothing_is_changed(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = build(tmp_path, source)
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("focus_companion.storage.opening.copy", full)
        with pytest.raises(JournalError, match="full"):
            Journal(tmp_path, write=True)
    assert path.read_bytes() == before and not list(tmp_path.glob("journal.version*"))
    Journal(tmp_path, write=True).close()


def test_a_newer_journal_is_refused_unchanged(tmp_path: Path) -> None:
    path = build(tmp_path, OLDER[0])
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA user_version = {len(schema.MIGRATIONS) + 1}")
    database.close()
    before, changed = path.read_bytes(), path.stat().st_mtime_ns
    for opened in (lambda: Journal(tmp_path, write=True), lambda: Journal(tmp_path).games()):
        with pytest.raises(JournalForeign, match="newer Focus Companion"):
            opened()
    with pytest.raises(JournalForeign, match="newer Focus Companion"):
        restore(tmp_path / "other", path)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, changed)
