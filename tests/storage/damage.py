"""Journals with known events, ways to damage them, and what must be left of them after a rescue."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

from scripted import Player, play_on

from focus_companion.game.record import positions
from focus_companion.game.rules import Rules
from focus_companion.session.events import Event, Moved
from focus_companion.session.session import Session
from focus_companion.storage.journal import Journal

RULES = Rules.make(2, fast=True, fast_total=1)
"""A game ends with the first capture, after 57 turns."""
Emitted = list[tuple[int, Event]]
"""Events with their numbers."""


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


def flip_top_bit(path: Path, of: bytes, nth: int = -1) -> None:
    """Flip the highest bit of the last byte of the ``nth`` occurrence of ``of``, which makes it invalid
    UTF-8.
    """
    content = path.read_bytes()
    places = [at for at in range(len(content)) if content.startswith(of, at)]
    at = places[nth] + len(of) - 1
    overwrite(path, at, bytes([content[at] ^ 0x80]))


def middle(path: Path) -> int:
    """The offset of the middle page."""
    return path.stat().st_size // 8192 * 4096


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
