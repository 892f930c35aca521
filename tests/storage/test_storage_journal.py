"""The journal keeps every event, reports damage clearly, and is written by one process at a time."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
import threading
import time
from datetime import date
from pathlib import Path

import pytest
from scripted import Player, Still, play_on

from focus_companion.game.record import positions
from focus_companion.game.rules import Rules
from focus_companion.session import requests as ask
from focus_companion.session.events import Alert, Moved, Resolved
from focus_companion.session.session import Session
from focus_companion.storage import schema
from focus_companion.storage.errors import JournalBusy, JournalDamaged, JournalError
from focus_companion.storage.journal import Journal

RULES = Rules.make(2)
NAMES = {"g": "Ann <&> Ó", "r": "Bob"}


def played(folder: Path, frames: int = 12) -> tuple[Journal, Session]:
    journal = Journal(folder, write=True)
    session = Session(RULES, NAMES, journal, Player(RULES))
    play_on(session.push, frames)
    return journal, session


def test_events_are_read_back_unchanged(tmp_path: Path) -> None:
    journal, session = played(tmp_path)
    kept = journal.events()
    assert [number for number, _ in kept] == list(range(1, len(kept) + 1))
    assert [event.type for _, event in kept] == ["game", "ready", *["move"] * 11]
    assert journal.events(5) == kept[5:] and journal.events(2, 3) == kept[2:5]
    assert journal.last_event() == kept[-1][0] == session.state()["event"]
    with Journal(tmp_path) as reader:
        assert reader.events() == kept


def test_the_record_from_the_journal_is_that_of_the_game(tmp_path: Path) -> None:
    journal, session = played(tmp_path)
    game = session.state()["game"]
    record = journal.record(game)
    assert record == session.history.record()
    assert list(positions(record)) == list(session.history.positions)
    assert record.players == NAMES
    with pytest.raises(LookupError, match="no game 77"):
        journal.record(77)


@pytest.mark.parametrize("zone", ["UTC-14", "UTC+12"])
def test_the_date_of_a_game_is_that_of_the_players_calendar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zone: str
) -> None:
    """At any time of the day, one of these zones has another date than UTC."""
    try:
        with monkeypatch.context() as changed:
            changed.setenv("TZ", zone)
            time.tzset()
            journal, session = played(tmp_path, 4)
            assert journal.record(1).date == session.history.date == date.today().isoformat()
    finally:
        time.tzset()


def test_ids_increase_across_games_and_restarts(tmp_path: Path) -> None:
    journal, session = played(tmp_path, 4)
    session.submit(ask.NewGame())
    session.attend()
    journal.close()
    journal, session = played(tmp_path, 4)
    kept = journal.events()
    assert [number for number, _ in kept] == list(range(1, len(kept) + 1))
    assert [summary.id for summary in journal.games()] == [2, 1]


def test_a_game_continues_where_it_stopped(tmp_path: Path) -> None:
    journal, session = played(tmp_path, 9)
    before = session.state()
    journal.close()
    journal = Journal(tmp_path, write=True)
    # Other rules are given, but the unfinished game takes precedence.
    session = Session(Rules.make(3), {}, journal, Player)
    after = session.state()
    assert session.resumed and after["resumed"]
    same = ("game", "rules", "ply", "position", "to_move", "moves", "players", "captured", "event")
    assert {key: after[key] for key in same} == {key: before[key] for key in same}
    emitted = play_on(session.push, 2)
    assert [event.type for event in emitted] == ["ready", "move"]
    # Times continue too, although the new stream starts at 0 again.
    assert emitted[0].time >= before["moves"][-1]["time"]
    assert emitted[1].ply == before["ply"] + 1


def test_a_finished_game_is_not_continued(tmp_path: Path) -> None:
    journal, session = played(tmp_path, 5)
    session.submit(ask.Resign("g"))
    session.attend()
    assert journal.last_unfinished() is None
    (summary,) = journal.games()
    assert summary.result == {"winners": ["red"], "reason": "resigned"} and summary.plies == 4
    assert summary.ended and summary.began <= summary.ended and summary.players == NAMES
    assert journal.record(1) == session.history.record()
    # Once the result is taken back, the game is unfinished again.
    session.submit(ask.TakeBack())
    session.attend()
    assert journal.last_unfinished() == 1 and journal.games()[0].result is None
    session.submit(ask.Resign("g"))
    session.attend()
    journal.close()
    journal, session = played(tmp_path, 1)
    assert session.state()["game"] == 2 and not session.resumed


def test_every_kind_of_event_is_read_back(tmp_path: Path) -> None:
    """Acts, turns taken back, corrections, a pause: the history in the journal is that of the game."""
    journal, session = played(tmp_path, 20)
    stacks = ("gr", *("r", "g") * 25, "")
    for request in (
        ask.TakeBack(), ask.TakeBack(), ask.Resign("r"), ask.TakeBack(), ask.SetPosition(stacks),
        ask.Pause(), ask.Resume(),
    ):  # fmt: skip
        session.submit(request)
        session.attend()
    play_on(session.push, 3, 50)
    assert journal.history(1).looked_away() == session.history.looked_away()
    assert journal.record(1) == session.history.record()
    assert [i["type"] for i in journal.record(1).incidents] == ["taken_back"] * 3 + ["corrected"]


def test_the_files_are_accessible_only_to_their_owner(tmp_path: Path) -> None:
    journal, _ = played(tmp_path / "new" / "folder")
    assert stat.S_IMODE(journal.folder.stat().st_mode) & 0o077 == 0
    for path in journal.folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def test_every_commit_is_synced(tmp_path: Path) -> None:
    journal, _ = played(tmp_path)
    assert journal._writer is not None
    assert journal._writer.execute("PRAGMA synchronous").fetchone() == (2,)
    assert journal._writer.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_the_events_of_one_frame_are_stored_together_or_not_at_all(tmp_path: Path) -> None:
    journal, _ = played(tmp_path, 2)
    before = journal.events()

    class Strange(Resolved):
        def to_json(self) -> dict[str, object]:
            raise ValueError("no JSON of this")

    with pytest.raises(ValueError, match="no JSON"):
        journal.append_all(1, [Resolved(1.0), Strange(2.0)])
    assert journal.events() == before
    assert journal.append(1, Resolved(3.0)) == before[-1][0] + 1


HOLDER = """
import sys, time
from focus_companion.storage.journal import Journal
journal = Journal(sys.argv[1], write=True)
print("held", flush=True)
time.sleep(3600)
"""


def test_a_second_process_is_refused_naming_the_first(tmp_path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, tmp_path], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with pytest.raises(JournalBusy, match=rf"process {holder.pid}\b") as busy:
            Journal(tmp_path, write=True)
        assert "\n" not in str(busy.value) and str(tmp_path) in str(busy.value)
        # Reading is still possible.
        assert Journal(tmp_path).games() == []
    finally:
        holder.kill()
        holder.communicate()
    Journal(tmp_path, write=True).close()


def test_an_empty_folder_has_no_games(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "nothing")
    assert journal.games() == [] and journal.events() == [] and journal.last_unfinished() is None
    with pytest.raises(LookupError):
        journal.record(1)
    assert not (tmp_path / "nothing").exists()


def make_foreign(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE recipes (name)")
    database.close()


def make_newer(path: Path) -> None:
    Journal(path.parent, write=True).close()
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA user_version = {len(schema.MIGRATIONS) + 1}")
    database.close()


def make_a_folder(path: Path) -> None:
    path.mkdir(parents=True)


BAD = [
    (make_foreign, "not a journal"),
    (make_newer, "newer"),
    (make_a_folder, "cannot be"),
]


@pytest.mark.parametrize(("spoil", "word"), BAD, ids=["foreign", "newer", "folder"])
def test_a_bad_file_is_reported_and_not_changed(tmp_path: Path, spoil: object, word: str) -> None:
    path = tmp_path / "journal.sqlite"
    spoil(path)
    before = path.read_bytes() if path.is_file() else b""
    changed = path.stat().st_mtime_ns
    with pytest.raises(JournalError, match=word) as error:
        Journal(tmp_path, write=True)
    assert "\n" not in str(error.value) and str(path) in str(error.value)
    assert (path.read_bytes() if path.is_file() else b"") == before
    assert path.stat().st_mtime_ns == changed


def test_an_event_that_contradicts_the_rules_is_reported(tmp_path: Path) -> None:
    journal, _ = played(tmp_path, 5)
    last = next(event for _, event in reversed(journal.events()) if isinstance(event, Moved))
    journal.append(1, last)
    with pytest.raises(JournalDamaged, match=r"game 1.*ply"):
        journal.record(1)


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    now = [0.0]
    journal = Journal(tmp_path, write=True)
    session = Session(RULES, NAMES, journal, Player(RULES), clock=lambda: now[0])
    play_on(session.push, 5)
    writer = journal._writer
    assert writer is not None
    pages = writer.execute("PRAGMA page_count").fetchone()[0]
    writer.execute(f"PRAGMA max_page_count = {pages}")
    emitted = play_on(session.push, 200, 5)
    state = session.state()
    assert "full" in state["fault"] and session.health()["journal"] == state["fault"]
    # No event is emitted that is not stored.
    assert state["ply"] == 4 + sum(event.type == "move" for event in emitted)
    assert journal.record(1) == session.history.record()
    writer.execute(f"PRAGMA max_page_count = {pages + 1000}")
    now[0] += 2
    emitted += play_on(session.push, 10, 300)
    assert session.state()["fault"] is None
    assert [event.ply for event in emitted if event.type == "move"] == list(range(5, session.history.ply + 1))
    assert journal.record(1) == session.history.record()


def test_viewers_resume_from_the_journal_after_a_restart(tmp_path: Path) -> None:
    journal, session = played(tmp_path, 8)
    seen = journal.events()[:4]
    journal.close()
    journal, session = played(tmp_path, 3)
    rest = journal.events(seen[-1][0])
    walk = iter(session.subscribe(seen[-1][0], heartbeat=0.01))
    assert [next(walk) for _ in rest] == rest
    assert next(walk) is None


def test_reading_while_another_thread_writes(tmp_path: Path) -> None:
    journal, session = played(tmp_path, 2)
    stop = threading.Event()
    errors: list[BaseException] = []

    def read() -> None:
        try:
            while not stop.is_set():
                kept = journal.events(limit=10_000)
                assert [number for number, _ in kept] == list(range(1, len(kept) + 1))
                journal.games()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for i in range(60):
        session.push(Still(i))
    stop.set()
    for thread in threads:
        thread.join()
    assert not errors


def test_a_migration_is_atomic(tmp_path: Path) -> None:
    journal, session = played(tmp_path, 6)
    record = session.history.record()
    journal.close()
    database = sqlite3.connect(tmp_path / "journal.sqlite", isolation_level=None)
    bad = (*schema.MIGRATIONS, ("ALTER TABLE games ADD COLUMN place TEXT", "THIS IS NO SQL"))
    with pytest.raises(sqlite3.Error):
        schema.migrate(database, bad)
    assert schema.version(database) == len(schema.MIGRATIONS)
    assert "place" not in [row[1] for row in database.execute("PRAGMA table_info(games)")]
    schema.migrate(database, (*schema.MIGRATIONS, ("ALTER TABLE games ADD COLUMN place TEXT",)))
    assert schema.version(database) == len(schema.MIGRATIONS) + 1
    assert "place" in [row[1] for row in database.execute("PRAGMA table_info(games)")]
    database.execute(f"PRAGMA user_version = {len(schema.MIGRATIONS)}")
    database.close()
    assert Journal(tmp_path, write=True).record(1) == record


def test_an_open_alert_is_restored_after_a_power_cut(tmp_path: Path) -> None:
    journal, session = played(tmp_path, 3)
    journal.append(1, Alert(1.0, "distance", "green", ["d5"], "Put it back."))
    journal.close()
    journal = Journal(tmp_path, write=True)
    session = Session(RULES, NAMES, journal, Player(RULES))
    assert session.state()["alert"]["reason"] == "distance"
    emitted = play_on(session.push, 1)
    assert [event.type for event in emitted] == ["resolved", "ready"]
    journal.close()
