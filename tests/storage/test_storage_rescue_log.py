"""A journal whose write-ahead log is damaged, incomplete or missing."""

from __future__ import annotations

import random
import shutil
import sqlite3
from pathlib import Path

import pytest
from damage import (
    RULES,
    Emitted,
    check_playable,
    check_prefixes,
    garbage,
    killed,
    overwrite,
    played,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scripted import Player, play_on

from focus_companion.session.session import Session
from focus_companion.storage import swap
from focus_companion.storage.errors import JournalDamaged, JournalError
from focus_companion.storage.journal import Journal


def test_frames_after_a_bad_frame_in_the_log_are_rescued(tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    emitted = killed(folder)
    log = folder / "journal.sqlite-wal"
    game_of = dict.fromkeys(range(1, len(emitted) + 1), 1)
    # SQLite itself would silently discard everything after the bad frame.
    plain = tmp_path / "plain"
    shutil.copytree(folder, plain)
    overwrite(plain / log.name, log.stat().st_size // 2, garbage(64))
    database = sqlite3.connect(plain / "journal.sqlite")
    assert database.execute("SELECT count(*) FROM events").fetchone()[0] < len(emitted) * 0.8
    database.close()
    overwrite(log, log.stat().st_size // 2, garbage(64))
    spoilt = log.read_bytes()
    # A reader leaves the log alone, even if nobody else has the journal open.
    with Journal(folder) as reader:
        assert reader.games()
    assert log.read_bytes() == spoilt
    with Journal(folder, write=True) as journal:
        assert "in its log" in journal.notices[0]
    assert check_prefixes(folder, emitted, game_of) == len(emitted)
    (kept,) = folder.glob("journal.damaged-*.sqlite-wal")
    assert kept.read_bytes() == spoilt
    check_playable(folder, emitted)


def test_a_log_without_its_header_is_reported(tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    emitted = killed(folder)
    overwrite(folder / "journal.sqlite-wal", 0, garbage(32))
    with Journal(folder, write=True) as journal:
        assert "rescued" in journal.notices[0]
    assert check_prefixes(folder, emitted, dict.fromkeys(range(1, len(emitted) + 1), 1)) == len(emitted)


def test_a_game_without_events_is_rescued_from_a_log_without_its_header(tmp_path: Path) -> None:
    """It had just begun when the power failed."""
    folder = tmp_path / "killed"
    killed(folder, then=lambda journal: journal.begin(RULES, {"g": "Bea"}))
    overwrite(folder / "journal.sqlite-wal", 0, garbage(32))
    with Journal(folder, write=True) as journal:
        assert [summary.id for summary in journal.games()] == [2, 1]
        assert journal.history(2).players == {"g": "Bea"}


def test_what_sqlite_itself_would_read_is_preferred(tmp_path: Path) -> None:
    """A log that belongs to another journal lies beside this one, and its header is damaged."""
    folder = tmp_path / "killed"
    killed(folder)
    with Journal(tmp_path / "own", write=True) as journal:
        play_on(Session(RULES, {"g": "Bea"}, journal, Player).push, 20)
        own = journal.events()
    shutil.copy(tmp_path / "own" / "journal.sqlite", folder)
    overwrite(folder / "journal.sqlite-wal", 0, garbage(32))
    with Journal(folder, write=True) as journal:
        assert "rescued" in journal.notices[0]
        assert journal.events(limit=len(own)) == own


def test_a_truncated_log_does_not_count_as_damage(tmp_path: Path) -> None:
    """This is the state after a power cut: events not yet emitted may be lost without a report."""
    folder = tmp_path / "killed"
    emitted = killed(folder)
    size = (folder / "journal.sqlite-wal").stat().st_size
    game_of = dict.fromkeys(range(1, len(emitted) + 1), 1)
    least = len(emitted)
    for place in random.Random(5).sample(range(33, size), 40):
        copy = tmp_path / "copy"
        shutil.copytree(folder, copy)
        with (copy / "journal.sqlite-wal").open("r+b") as file:
            file.truncate(place)
        with Journal(copy, write=True) as journal:
            assert journal.notices == []
        least = min(least, check_prefixes(copy, emitted, game_of))
        assert not list(copy.glob("*damaged*"))
        shutil.rmtree(copy)
    assert least < len(emitted)


def test_a_torn_last_transaction_does_not_count_as_damage(tmp_path: Path) -> None:
    """The power failed when only the last of its pages had reached the disk: it had not been published."""
    folder = tmp_path / "killed"
    emitted = killed(folder)
    log = folder / "journal.sqlite-wal"
    frames = range(32, log.stat().st_size, 24 + 4096)
    content = log.read_bytes()
    commits = [at for at in frames if content[at + 4 : at + 8] != bytes(4)]
    assert commits[-1] == frames[-1]
    first = commits[-2] + 24 + 4096
    assert first < commits[-1] - 24 - 4096, "it has at least three pages"
    overwrite(log, first + 24, garbage(4096))
    with Journal(folder, write=True) as journal:
        assert journal.notices == []
    game_of = dict.fromkeys(range(1, len(emitted) + 1), 1)
    assert check_prefixes(folder, emitted, game_of) == len(emitted) - 1


def test_a_missing_log_is_reported(tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    killed(folder)
    (folder / "journal.sqlite-wal").unlink()
    (folder / "journal.lock").write_text("4711\nopen\n")
    with Journal(folder, write=True) as journal:
        assert len(journal.notices) == 1 and "journal.sqlite-wal is gone" in journal.notices[0]
    check_playable(folder)
    # After a regular end, the log has been merged into the journal.
    assert not (folder / "journal.sqlite-wal").exists()


@pytest.fixture(scope="module")
def one_log(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Emitted]:
    folder = tmp_path_factory.mktemp("log") / "killed"
    return folder, killed(folder)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.booleans(),
    st.lists(st.tuples(st.floats(0, 1), st.binary(min_size=1, max_size=300)), min_size=1, max_size=4),
)
def test_after_any_damage_a_prefix_of_each_game_remains(
    tmp_path_factory: pytest.TempPathFactory,
    one_log: tuple[Path, Emitted],
    in_log: bool,
    damage: list[tuple[float, bytes]],
) -> None:
    source, emitted = one_log
    folder = tmp_path_factory.mktemp("any") / "copy"
    shutil.copytree(source, folder)
    path = folder / ("journal.sqlite-wal" if in_log else "journal.sqlite")
    for place, content in damage:
        overwrite(path, int(place * (path.stat().st_size - len(content))), content)
    try:
        with Journal(folder, write=True) as journal:
            rescued = journal.rescued is not None
    except JournalError as error:
        # The header seemed to be of another program or a newer version.
        assert not isinstance(error, JournalDamaged)
        return
    check_prefixes(folder, emitted, dict.fromkeys(range(1, len(emitted) + 1), 1))
    check_playable(folder, emitted if rescued else None)
    shutil.rmtree(folder)


def test_a_power_cut_never_leaves_the_old_log_beside_the_rescued_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite would take it for the new journal's own. Until a folder is synced, a power cut may undo any of
    its renamings.
    """
    played(tmp_path, 10)
    overwrite(tmp_path / "journal.sqlite", 0, garbage(4096))
    (tmp_path / "journal.sqlite-wal").write_bytes(b"old")
    unsynced: set[str] = set()
    rename, sync = Path.rename, swap.sync
    in_place: list[set[str]] = []

    def renamed(path: Path, target: Path) -> Path:
        if target.name == "journal.sqlite":
            in_place.append(set(unsynced))
        unsynced.add(path.name)
        return rename(path, target)

    def synced(path: Path) -> None:
        if path.is_dir():
            unsynced.clear()
        sync(path)

    monkeypatch.setattr(Path, "rename", renamed)
    monkeypatch.setattr(swap, "sync", synced)
    with Journal(tmp_path, write=True) as journal:
        assert journal.notices
    assert in_place == [set()] and not unsynced
    assert list(tmp_path.glob("journal.damaged-*.sqlite-wal"))
