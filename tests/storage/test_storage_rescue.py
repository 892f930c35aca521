"""A damaged journal: every game is rescued up to the damage, the damaged files are kept, and play goes on."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from damage import (
    RULES,
    Emitted,
    check_playable,
    check_prefixes,
    damaged_copy,
    flip_bit,
    flip_top_bit,
    games_of,
    garbage,
    middle,
    overwrite,
    played,
    truncate,
)
from scripted import Player, play_on

from focus_companion.session.events import Moved
from focus_companion.session.session import Session
from focus_companion.storage import opening, pages, swap
from focus_companion.storage.errors import JournalDamaged
from focus_companion.storage.journal import Journal

DAMAGES: list[tuple[str, Callable[[Path], None], float]] = [
    ("garbage over the header", lambda path: overwrite(path, 0, garbage(100)), 1.0),
    ("garbage over the first page", lambda path: overwrite(path, 0, garbage(4096)), 1.0),
    ("noughts over the first page", lambda path: overwrite(path, 0, bytes(4096)), 1.0),
    ("cut in half", lambda path: truncate(path, 0.5), 0.3),
    ("cut in the middle of a page", lambda path: truncate(path, 0.9013), 0.6),
    ("a page in the middle", lambda path: overwrite(path, middle(path), garbage(4096)), 0.3),
    ("a bit of a position", lambda path: flip_bit(path, b'"position":"'), 0.3),
    ("a bit of an event's type", lambda path: flip_bit(path, b'{"type":"move"'), 0.3),
    ("all of it", lambda path: overwrite(path, 0, garbage(path.stat().st_size)), 0.0),
    ("nothing but a text", lambda path: overwrite(path, 0, b"no database" * 20) or truncate(path, 0.01), 0.0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("spoil", "least"), [case[1:] for case in DAMAGES], ids=[case[0] for case in DAMAGES]
)
def test_undamaged_events_are_rescued(
    tmp_path: Path, many_games: tuple[Path, Emitted], spoil: Callable[[Path], None], least: float
) -> None:
    emitted, path, game_of = damaged_copy(many_games, tmp_path, spoil)
    spoilt = path.read_bytes()
    # A reader gets the error, and changes nothing.
    with pytest.raises(JournalDamaged, match="rescues what is whole"), Journal(tmp_path) as reader:
        for game in reader.games():
            reader.record(game.id)
    assert path.read_bytes() == spoilt
    with Journal(tmp_path, write=True) as journal:
        (notice,) = journal.notices
    (kept,) = tmp_path.glob("journal.damaged-*.sqlite")
    assert kept.read_bytes() == spoilt and kept.stat().st_mode & 0o077 == 0
    assert "damaged" in notice and str(kept) in notice and "\n" not in notice
    events = check_prefixes(tmp_path, emitted, game_of)
    assert f"{events} event" in notice
    assert events >= least * len(emitted)
    check_playable(tmp_path, emitted)
    # No temporary files are left.
    left = {p.name.split("-")[0] for p in tmp_path.iterdir()}
    assert left == {"journal.sqlite", "journal.lock", "journal.damaged"}


@pytest.mark.parametrize("page_size", [512, 4096, 65536])
def test_rows_longer_than_a_page_are_rescued(tmp_path: Path, page_size: int) -> None:
    path = tmp_path / "long.sqlite"
    texts = {
        number: random.Random(number).randbytes(number).hex()
        for number in (1, 2000, 2030, 2031, 5000, 40_000)
    }
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA page_size = {page_size}")
    with database:
        database.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, r REAL, n INT, b BLOB, text TEXT)")
        for number, text in texts.items():
            database.execute(
                "INSERT INTO t VALUES (?, ?, ?, ?, ?)", (number, number / 3, -(number**3), b"\0\xff", text)
            )
        # A row that is stored without any content.
        database.execute("INSERT INTO t VALUES (50000, NULL, 1, NULL, '')")
    database.close()
    schema, *rows = pages.rows(path, tmp_path / "none")
    assert schema.values[:3] == ("table", "t", "t")
    found = {row.id: row.values for row in rows}
    assert [row.id for row in rows] == [*texts, 50_000], "each row once, and nothing else"
    assert found[50_000] == (None, None, 1, None, "")
    for number, text in texts.items():
        _, real, negative, blob, same = found[number]
        assert (float(real), negative, blob, same) == (number / 3, -(number**3), b"\0\xff", text)


def test_rows_with_impossible_ids_are_not_rescued(tmp_path: Path) -> None:
    """A flipped bit in an id must not make the ids of later games and events as large."""
    emitted = played(tmp_path, 10)
    path = tmp_path / "journal.sqlite"
    with closing(sqlite3.connect(path)) as database, database:
        for made, game in ((10**12, 1), (len(emitted) + 1, 10**12)):
            database.execute(
                "INSERT INTO events SELECT ?, ?, type, time, wall, body, seal FROM events WHERE id = 1",
                (made, game),
            )
        columns = "began, ended, rules, players, plies, result"
        database.execute(f"INSERT INTO games (id, {columns}) SELECT ?, {columns} FROM games", (10**12,))
    overwrite(path, 0, garbage(100))
    with Journal(tmp_path, write=True) as journal:
        assert journal.rescued is not None
        assert [summary.id for summary in journal.games()] == [1]
        assert journal.events() == emitted
        assert journal.begin(RULES, {}) == 2


def test_an_interrupted_rescue_is_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a kill at any of its steps, the next start completes the rescue, and nothing is lost."""
    emitted = played(tmp_path / "start", 60)
    game_of = games_of(tmp_path / "start" / "journal.sqlite")
    overwrite(tmp_path / "start" / "journal.sqlite", 0, garbage(4096))
    spoilt = (tmp_path / "start" / "journal.sqlite").read_bytes()

    class Cut(BaseException):
        pass

    steps = 0
    while True:
        folder = tmp_path / f"cut{steps}"
        shutil.copytree(tmp_path / "start", folder)
        left = [steps]

        def sync(path: Path, left: list[int] = left) -> None:
            if left[0] == 0:
                raise Cut
            left[0] -= 1

        with monkeypatch.context() as patch:
            patch.setattr(swap, "sync", sync)
            try:
                Journal(folder, write=True).close()
            except Cut:
                pass
            else:
                break
        with Journal(folder, write=True) as journal:
            assert journal.notices or steps
        assert check_prefixes(folder, emitted, game_of) == len(emitted)
        (kept,) = folder.glob("journal.damaged-*.sqlite")
        assert kept.read_bytes() == spoilt
        steps += 1
    assert steps >= 4


def test_a_game_with_an_illegal_event_continues_from_before_it(tmp_path: Path) -> None:
    emitted = played(tmp_path, 10)
    last = next(event for _, event in reversed(emitted) if isinstance(event, Moved))
    with Journal(tmp_path, write=True) as journal:
        journal.append(1, last)
    with Journal(tmp_path, write=True) as journal:
        assert (
            f"(event {len(emitted) + 1} of game 1): {len(emitted)} events of 1 game rescued"
            in journal.notices[0]
        )
        assert "1 later event lost" in journal.notices[0]
        assert journal.events() == emitted
    check_playable(tmp_path, emitted)


def test_the_page_shows_the_rescue_until_the_next_turn(tmp_path: Path) -> None:
    played(tmp_path, 10)
    overwrite(tmp_path / "journal.sqlite", 0, garbage(4096))
    with Journal(tmp_path, write=True) as journal:
        assert journal.rescued is not None
        kept = journal.rescued.kept.name
        session = Session(RULES, {}, journal, Player, rescued=kept)
        assert session.state()["rescued"] == kept and (tmp_path / kept).is_file()
        play_on(session.push, 1)
        assert session.state()["rescued"] == kept
        play_on(session.push, 1, 1)
        assert session.state()["rescued"] is None


def test_a_start_checks_the_newest_games_first_for_a_limited_time(tmp_path: Path) -> None:
    """However long the journal is: without any time, only the newest game is checked."""
    emitted = played(tmp_path, 300)
    path = tmp_path / "journal.sqlite"
    game_of = games_of(path)
    newest = max(game_of.values())
    assert newest > 1
    for game, found in ((1, False), (newest, True)):
        last = max(number for number, of in game_of.items() if of == game)
        content = path.read_bytes()
        database = sqlite3.connect(path, isolation_level=None)
        database.execute("UPDATE events SET wall = '' WHERE id = ?", (last,))
        try:
            opening.check_sound(database, path, 60)
        except JournalDamaged as error:
            assert error.what == f"event {last} of game {game}"
        else:
            raise AssertionError("the damage was not seen")
        try:
            opening.check_sound(database, path, 0)
            seen = False
        except JournalDamaged:
            seen = True
        database.close()
        assert seen is found and len(emitted) == len(game_of)
        path.write_bytes(content)


@pytest.mark.parametrize(
    "damage", ["wall = ''", "time = 'soon'", "time = x'00'", "body = x'ff'"],
    ids=["another text", "a text as time", "bytes as time", "bytes as body"],
)  # fmt: skip
def test_an_event_of_an_earlier_game_with_other_values_is_reported(
    tmp_path: Path, many_games: tuple[Path, Emitted], damage: str
) -> None:
    _, path, game_of = damaged_copy(many_games, tmp_path, lambda _: None)
    assert max(game_of.values()) > 1
    last = max(number for number, game in game_of.items() if game == 1)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute(f"UPDATE events SET {damage} WHERE id = ?", (last,))
        with pytest.raises(JournalDamaged, match=f"event {last} of game 1"):
            opening.check_sound(database, path)


def test_a_reader_that_had_opened_the_damaged_journal_reads_the_rescued_one(tmp_path: Path) -> None:
    emitted = played(tmp_path, 10)
    with Journal(tmp_path) as journal:
        assert journal.events() == emitted
        path = tmp_path / "journal.sqlite"
        # The last event's text is changed, so its seal no longer matches.
        flip_top_bit(path, b'"move":"')
        game = journal.begin(RULES, {})
        assert journal.rescued is not None
        assert [summary.id for summary in journal.games()] == [game, 1]
        assert len(journal.events()) < len(emitted)


def test_a_second_rescue_keeps_the_file_of_the_first(tmp_path: Path) -> None:
    for count in (1, 2, 3):
        played(tmp_path, 30)
        overwrite(tmp_path / "journal.sqlite", 0, garbage(4096))
        Journal(tmp_path, write=True).close()
        assert len(list(tmp_path.glob("journal.damaged-*.sqlite"))) == count
