"""Single flipped bits in a journal, which SQLite does not notice."""

from __future__ import annotations

import re
import shutil
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest
from damage import (
    Emitted,
    check_playable,
    check_prefixes,
    damaged_copy,
    flip_bit,
    flip_top_bit,
    overwrite,
    played,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from focus_companion.storage.errors import JournalDamaged, JournalError, JournalForeign
from focus_companion.storage.journal import Journal


@pytest.mark.parametrize(
    ("spoil", "reported_as"),
    [
        (lambda path: flip_top_bit(path, b'"position":"'), "Could not decode"),
        (lambda path: flip_top_bit(path, b'{"players":2,"o'), "Could not decode"),
        (lambda path: flip_bit(path, b'"fast":true'), "beginning of game|event"),
        (lambda path: flip_top_bit(path, b"CREATE TABLE events "), "schema|list of tables"),
        (lambda path: flip_top_bit(path, b"rules TEXT NOT NULL,\n"), "no such column"),
        (lambda path: overwrite(path, 47, b"\x06"), "unsupported file format"),
    ],
    ids=["a text", "a game's own row", "a game's rules", "the schema", "a column", "the format's number"],
)  # fmt: skip
def test_a_flipped_bit_is_rescued(
    tmp_path: Path, many_games: tuple[Path, Emitted], spoil: Callable[[Path], None], reported_as: str
) -> None:
    emitted, _, game_of = damaged_copy(many_games, tmp_path, spoil)
    with Journal(tmp_path, write=True) as journal:
        (notice,) = journal.notices
    assert re.search(reported_as, notice) and len(notice) < 400, notice
    assert check_prefixes(tmp_path, emitted, game_of) > len(emitted) / 2


@pytest.fixture(scope="module")
def one_game(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Emitted]:
    folder = tmp_path_factory.mktemp("one") / "game"
    return folder, played(folder, 8)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.floats(0, 1), st.integers(0, 7))
def test_any_flipped_bit_is_harmless_or_reported(
    tmp_path_factory: pytest.TempPathFactory, one_game: tuple[Path, Emitted], place: float, bit: int
) -> None:
    """Whichever bit it is: at worst a reader gets an error message, and play can go on."""
    source, emitted = one_game
    folder = tmp_path_factory.mktemp("bit") / "copy"
    shutil.copytree(source, folder)
    path = folder / "journal.sqlite"
    content = bytearray(path.read_bytes())
    used = [at for at, byte in enumerate(content) if byte]
    content[used[int(place * (len(used) - 1))]] ^= 1 << bit
    path.write_bytes(content)
    with suppress(JournalError), Journal(folder) as reader:
        for game in reader.games():
            reader.record(game.id)
    try:
        Journal(folder, write=True).close()
    except JournalForeign:
        return
    check_prefixes(folder, emitted, dict.fromkeys(range(1, len(emitted) + 1), 1))
    shutil.rmtree(folder)


@pytest.mark.parametrize(("table", "column"), [("games", "rules"), ("games", "players"), ("events", "body")])
def test_a_text_that_a_flipped_bit_made_null_is_reported(tmp_path: Path, table: str, column: str) -> None:
    played(tmp_path, 4)
    path = tmp_path / "journal.sqlite"
    for change in (
        "UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '')",
        f"UPDATE {table} SET {column} = NULL",
    ):
        with closing(sqlite3.connect(path)) as database, database:
            database.execute("PRAGMA writable_schema = ON")
            database.execute(change)
    with Journal(tmp_path) as reader, pytest.raises(JournalDamaged):
        for game in reader.games():
            reader.record(game.id)


def test_an_event_whose_time_is_not_a_number_ends_its_game(tmp_path: Path) -> None:
    emitted = played(tmp_path, 10)
    path = tmp_path / "journal.sqlite"
    # The bytes of the last event's time, with all bits of the exponent set.
    at = path.read_bytes().index(struct.pack(">d", emitted[-1][1].time))
    overwrite(path, at, b"\x7f\xf8")
    with Journal(tmp_path, write=True) as journal:
        assert "rescued" in journal.notices[0]
        assert journal.events() == emitted[:-1]
    check_playable(tmp_path, emitted)
