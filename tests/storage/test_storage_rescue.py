"""A damaged journal: every game is rescued up to the damage, the damaged files are kept, and play goes on."""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scripted import Player, play_on

from focus_companion.game.record import positions
from focus_companion.game.rules import Rules
from focus_companion.session.events import Event, Moved
from focus_companion.session.session import Session
from focus_companion.storage import opening, pages, swap
from focus_companion.storage.errors import JournalDamaged, JournalError, JournalForeign
from focus_companion.storage.journal import Journal

RULES = Rules.make(2, fast=True, fast_total=1)
"""A game ends with the first capture, after 57 turns."""
Emitted = list[tuple[int, Event]]


def played(folder: Path, frames: int = 300) -> Emitted:
    """Some games, one after the other, in a properly closed journal."""
    with Journal(folder, write=True) as journal:
        play_on(Session(RULES, {"g": "Ann"}, journal, Player, again=1.0).push, frames)
        return journal.events(limit=100_000)


def killed(folder: Path, frames: int = 40, then: Callable[[Journal], object] | None = None) -> Emitted:
    """A game in a journal that was never closed: its newest part is only in the log."""
    made = folder.with_name("made")
    journal = Journal(made, write=True)
    play_on(Session(RULES, {"g": "Ann"}, journal, Player).push, frames)
    if then is not None:
        then(journal)
    folder.mkdir()
    for name in ("journal.sqlite", "journal.sqlite-wal"):
        shutil.copy(made / name, folder / name)
    emitted = journal.events(limit=100_000)
    journal.close()
    assert (folder / "journal.sqlite-wal").stat().st_size > 32 + 20 * 4120
    return emitted


def by_game(emitted: Emitted, game_of: dict[int, int]) -> dict[int, Emitted]:
    found: dict[int, Emitted] = {}
    for number, event in emitted:
        found.setdefault(game_of[number], []).append((number, event))
    return found


def games_of(path: Path) -> dict[int, int]:
    database = sqlite3.connect(path)
    try:
        return dict(database.execute("SELECT id, game FROM events"))
    finally:
        database.close()


def check_prefixes(folder: Path, emitted: Emitted, game_of: dict[int, int]) -> int:
    """Every game of the journal is a prefix of the original, and can be opened. Returns its events."""
    with Journal(folder) as journal:
        kept = journal.events(limit=100_000)
        now = games_of(journal.path)
        before = by_game(emitted, game_of)
        for game, events in by_game(kept, now).items():
            assert events == before[game][: len(events)]
        for summary in journal.games():
            assert len(list(positions(journal.record(summary.id)))) == summary.plies + 1
    return len(kept)


def check_playable(folder: Path, before: Emitted | None = None) -> None:
    """Games can be played with this journal, with event ids above all emitted ``before`` the damage."""
    with Journal(folder, write=True) as journal:
        assert journal.notices == []
        last = journal.last_event()
        emitted = play_on(Session(RULES, {}, journal, Player, again=1.0).push, 70, 5000)
        assert [type(event) for event in emitted].count(Moved) > 50
        assert min(number for number, _ in journal.events(after=last)) > (before[-1][0] if before else last)
        for summary in journal.games():
            assert journal.record(summary.id).result is not None or summary.result is None


def overwrite(path: Path, start: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(content)


def garbage(length: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(length)


def truncate(path: Path, parts: float) -> None:
    with path.open("r+b") as file:
        file.truncate(int(path.stat().st_size * parts))


def flip_bit(path: Path, of: bytes) -> None:
    """Flip one bit in the middle of some text, as old disks may; SQLite does not notice."""
    content = path.read_bytes()
    places = [at for at in range(len(content)) if content.startswith(of, at)]
    at = places[len(places) // 2]
    overwrite(path, at, bytes([content[at] ^ 1]))


def middle(path: Path) -> int:
    """The offset of the middle page."""
    return path.stat().st_size // 8192 * 4096


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


@pytest.fixture(scope="module")
def many_games(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Emitted]:
    folder = tmp_path_factory.mktemp("many")
    return folder, played(folder)


def damaged_copy(
    games: tuple[Path, Emitted], folder: Path, spoil: Callable[[Path], object]
) -> tuple[Emitted, Path, dict[int, int]]:
    """Copy and damage the games in ``folder``; return emitted events, journal, and every event's game."""
    source, emitted = games
    shutil.copytree(source, folder, dirs_exist_ok=True)
    path = folder / "journal.sqlite"
    game_of = games_of(path)
    spoil(path)
    return emitted, path, game_of


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


def flip_top_bit(path: Path, of: bytes, nth: int = -1) -> None:
    """Flip the highest bit of the last byte of the ``nth`` occurrence of ``of``, which makes it invalid
    UTF-8.
    """
    content = path.read_bytes()
    places = [at for at in range(len(content)) if content.startswith(of, at)]
    at = places[nth] + len(of) - 1
    overwrite(path, at, bytes([content[at] ^ 0x80]))


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
