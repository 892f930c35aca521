"""Copies of the journal: made while a game runs, checked, and restored without losing what was there."""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from scripted import Player, Still, play_on

from focus_companion.game.rules import Rules
from focus_companion.session.session import Session
from focus_companion.storage import lock, opening
from focus_companion.storage.backup import back_up, check, restore
from focus_companion.storage.errors import JournalBusy, JournalDamaged, JournalError, JournalForeign
from focus_companion.storage.journal import Journal

RULES = Rules.make(2)
ROOT = Path(__file__).parents[2]


def played(folder: Path, frames: int = 30) -> None:
    with Journal(folder, write=True) as journal:
        play_on(Session(RULES, {"g": "Ann"}, journal, Player, again=1.0).push, frames)


def events(folder: Path) -> list[object]:
    with Journal(folder) as journal:
        return list(journal.events(limit=100_000))


def test_copies_made_during_a_game_are_complete(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "data", write=True)
    session = Session(RULES, {}, journal, Player, again=1.0)
    stop = threading.Event()

    def play() -> None:
        index = 0
        while not stop.is_set():
            session.push(Still(index))
            index += 1

    thread = threading.Thread(target=play)
    thread.start()
    sizes = []
    try:
        deadline = time.monotonic() + 60
        while len(set(sizes)) < 6 and time.monotonic() < deadline:
            copy = tmp_path / f"copy{len(sizes)}.sqlite"
            made = back_up(tmp_path / "data", copy)
            assert check(copy, copy) == (made.games, made.events)
            sizes.append(made.events)
    finally:
        stop.set()
        thread.join()
    assert len(set(sizes)) == 6, "the game made no progress"
    assert sizes == sorted(sizes)
    kept = journal.events(limit=100_000)
    journal.close()
    restore(tmp_path / "other", copy)
    assert events(tmp_path / "other") == kept[: sizes[-1]]


def test_a_replaced_journal_is_kept(tmp_path: Path) -> None:
    played(tmp_path)
    first = events(tmp_path)
    made = back_up(tmp_path)
    assert made.path.parent == tmp_path / "backups" and made.path.stat().st_mode & 0o077 == 0
    played(tmp_path, 50)
    second = events(tmp_path)
    done = restore(tmp_path, made.path)
    assert events(tmp_path) == first != second
    assert done.kept is not None and check(done.kept, done.kept)[1] == len(second)
    restore(tmp_path, done.kept)
    assert events(tmp_path) == second
    with Journal(tmp_path, write=True) as journal:
        assert journal.notices == []


def test_a_copy_can_be_restored_where_nothing_was(tmp_path: Path) -> None:
    played(tmp_path / "one")
    made = back_up(tmp_path / "one", tmp_path / "copy.sqlite")
    done = restore(tmp_path / "new" / "two", made.path)
    assert done.kept is None and events(tmp_path / "new" / "two") == events(tmp_path / "one")


def truncate(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def alter(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content.replace(b'"confidence":0.9', b'"confidence":0.8', 1))


def contradict(path: Path) -> None:
    from focus_companion.storage import seals

    database = sqlite3.connect(path, isolation_level=None)
    database.execute("DELETE FROM events WHERE type = 'move' AND id = (SELECT min(id) + 3 FROM events)")
    database.execute("UPDATE events SET seal = NULL")
    seals.seal_all(database)
    database.close()


@pytest.mark.parametrize("spoil", [truncate, alter, contradict])
def test_a_damaged_copy_is_refused(tmp_path: Path, spoil: object) -> None:
    played(tmp_path)
    before = events(tmp_path)
    made = back_up(tmp_path)
    spoil(made.path)
    with pytest.raises(JournalDamaged, match="give another copy") as error:
        restore(tmp_path, made.path)
    assert str(made.path) in str(error.value)
    assert events(tmp_path) == before
    assert not list(tmp_path.glob("journal.replaced*")) and not list(tmp_path.glob("journal.part*"))


def overwrite_pages(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(b"no database" * 9 + content[99:])


@pytest.mark.parametrize("spoil", [alter, overwrite_pages])
def test_if_the_journal_is_damaged_it_is_named_and_not_the_copy(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    played(tmp_path)
    spoil(tmp_path / "journal.sqlite")
    with pytest.raises(JournalDamaged, match="rescues what is whole") as error:
        back_up(tmp_path)
    assert str(error.value).startswith(f"{tmp_path / 'journal.sqlite'} is damaged")
    assert not list((tmp_path / "backups").iterdir())


def test_a_journal_that_may_not_be_read_is_named_and_not_the_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played(tmp_path)

    def refuse(path: Path) -> sqlite3.Connection:  # as for another user's file, which root may read
        error = sqlite3.OperationalError("unable to open database file")
        error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
        raise error

    monkeypatch.setattr(opening, "to_look_at", refuse)
    with pytest.raises(JournalError, match=r"journal\.sqlite cannot be opened; check that file and folder"):
        back_up(tmp_path, tmp_path / "copy.sqlite")


def test_a_disk_without_locks_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(file: int, how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(lock.fcntl, "flock", flock)
    with pytest.raises(JournalError, match="No locks available") as error:
        lock.FolderLock(tmp_path / "journal.lock")
    assert not isinstance(error.value, JournalBusy)


def test_a_file_that_is_not_a_copy_is_refused_and_not_overwritten(tmp_path: Path) -> None:
    played(tmp_path)
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Ann, " * 100)
    with pytest.raises(JournalForeign, match="give another name"):
        back_up(tmp_path, letter)
    assert letter.read_text().startswith("Dear Ann")
    with pytest.raises(JournalError, match=r"letter\.txt"):
        restore(tmp_path, letter)
    with pytest.raises(JournalError, match="holds no journal"):
        back_up(tmp_path / "nowhere")
    with pytest.raises(JournalError, match="no file"):
        restore(tmp_path, tmp_path / "none.sqlite")


def test_a_journal_is_not_replaced_by_a_copy_while_a_game_is_played(tmp_path: Path) -> None:
    (tmp_path / "link.sqlite").symlink_to(tmp_path / "data" / "journal.sqlite")
    with Journal(tmp_path / "data", write=True) as journal:
        session = Session(RULES, {}, journal, Player, again=1.0)
        play_on(session.push, 10)
        for name in ("data/journal.sqlite", "link.sqlite"):
            with pytest.raises(JournalForeign, match=rf"{name} is a journal in use, not a copy"):
                back_up(tmp_path / "data", tmp_path / name)
        play_on(session.push, 10, 10)
        expected = list(journal.events(limit=1000))
    assert events(tmp_path / "data") == expected


def test_a_pipe_is_not_replaced_by_a_copy_and_a_link_stays(tmp_path: Path) -> None:
    played(tmp_path / "data")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(JournalForeign, match="pipe is not a file"):
        back_up(tmp_path / "data", tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()
    (tmp_path / "stick").mkdir()
    link = tmp_path / "link.sqlite"
    link.symlink_to(tmp_path / "stick" / "copy.sqlite")
    for _ in range(2):
        made = back_up(tmp_path / "data", link)
        assert made.path == link and link.is_symlink()
        assert check(tmp_path / "stick" / "copy.sqlite", link) == (made.games, made.events)
    assert [path.name for path in (tmp_path / "stick").iterdir()] == ["copy.sqlite"]


def test_a_copy_is_replaced_only_by_a_complete_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played(tmp_path)
    made = back_up(tmp_path, tmp_path / "copy.sqlite")
    before = made.path.read_bytes()
    played(tmp_path, 50)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("focus_companion.storage.swap.sync", full)
        with pytest.raises(JournalError, match=r"full"):
            back_up(tmp_path, made.path)
    assert made.path.read_bytes() == before and len(list(tmp_path.glob(".copy*"))) == 0
    assert back_up(tmp_path, made.path).events > made.events


def test_nothing_is_restored_while_a_game_is_played(tmp_path: Path) -> None:
    played(tmp_path)
    made = back_up(tmp_path)
    with Journal(tmp_path, write=True) as journal, pytest.raises(JournalBusy, match="in use by another"):
        before = journal.events()
        restore(tmp_path, made.path)
    assert events(tmp_path) == before


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "focus_companion.cli", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, cwd=ROOT)


def test_the_commands_backup_and_restore(tmp_path: Path) -> None:
    data, copy = tmp_path / "data", tmp_path / "copy.sqlite"
    played(data)
    done = run("backup", copy, "--data", data)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith(f"{copy}: ")
    done = run("restore", copy, "--data", data)
    assert done.returncode == 0 and "The previous journal is kept as" in done.stdout
    truncate(copy)
    cases = [
        (("restore", copy, "--data", data), "damaged"),
        (("restore", tmp_path / "none", "--data", data), "no file"),
        (("backup", copy, "--data", tmp_path / "nowhere"), "no journal"),
        (("backup", "/proc/none/copy", "--data", data), "/proc/none/copy"),
    ]
    with Journal(data, write=True):
        cases.append((("restore", next(data.glob("*replaced*")), "--data", data), "in use by another"))
        for words, part in cases:
            done = run(*words)
            assert done.returncode == 2 and part in done.stderr, done
            assert done.stderr.count("\n") == 1 and not done.stdout


def test_a_place_where_no_copy_can_be_is_reported_as_that_of_the_copy(tmp_path: Path) -> None:
    played(tmp_path / "data")
    with pytest.raises(JournalError, match="free it or give another name for the copy"):
        back_up(tmp_path / "data", tmp_path / "nowhere" / "copy.sqlite")
