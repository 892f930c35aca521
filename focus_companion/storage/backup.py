"""Copies of the journal, made while a game runs, and putting one in the journal's place."""

from __future__ import annotations

import json
import math
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..session.events import GameBegan
from . import opening, schema, swap
from .errors import RESCUED_BY, JournalDamaged, JournalError, JournalForeign, as_journal_error, count
from .journal import LOCK
from .lock import FolderLock
from .rebuilding import replay

_ANOTHER: Final = "give another copy"


@dataclass(frozen=True)
class Copied:
    """What a copy holds, where it is, and where the journal that it replaced is kept."""

    path: Path
    games: int
    events: int
    kept: Path | None = None

    @property
    def content(self) -> str:
        """What it holds, for people."""
        return f"{count(self.games, 'game')}, {count(self.events, 'event')}"


def back_up(folder: Path, target: Path | None = None) -> Copied:
    """Copy the journal in ``folder`` into one sound file; a running game is not interrupted.

    ``target``: ``None`` for a new file in the folder's ``backups``. An older copy of that name is replaced.

    Raises:
        JournalError: there is no journal, or it cannot be read, or the copy cannot be written; an older copy
            is then left as it was.
    """
    path = folder / swap.FILE_NAME
    instead = "another --data folder" if target is None else "another name for the copy"
    if not path.is_file():
        raise JournalError(f"{folder} holds no journal to copy; give its folder with --data")
    try:
        if target is None:
            (folder / "backups").mkdir(exist_ok=True, mode=0o700)
            target = folder / "backups" / f"journal-{swap.stamp()}.sqlite"
        # A link stays, and the copy is where it leads.
        place = target.resolve()
        _refuse_other(place, target)
        with swap.fresh(place.with_name(f".{place.name}.part")) as part:
            with closing(_to_copy(path)) as source:
                opening.copy(source, part)
            found = check(part, path, own=True)
            swap.publish(part, place)
    except (sqlite3.Error, OSError) as error:
        problem = as_journal_error(error, target or folder, instead)
        # The journal is damaged, not the copy, which has just been made.
        raise as_journal_error(error, path) if isinstance(problem, JournalDamaged) else problem from error
    return Copied(target, *found)


def restore(folder: Path, source: Path) -> Copied:
    """Replace the journal in ``folder`` by the copy ``source``; the old journal is kept aside.

    Raises:
        JournalBusy: a running game holds the journal.
        JournalError: the copy is damaged, or there is no space for it; the journal is unchanged.
    """
    if not source.is_file():
        raise JournalError(f"there is no file {source}; {_ANOTHER}")
    found = check(source, source)
    path = folder / swap.FILE_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with closing(FolderLock(folder / LOCK)):
            swap.finish(folder)
            with swap.fresh(folder / swap.PART_NAME) as part:
                with closing(opening.to_look_at(source)) as database:
                    opening.copy(database, part)
                # Once more, as it is on this disk now.
                check(part, source)
                kept = swap.put_in_place(part, "replaced")
    except (sqlite3.Error, OSError) as error:
        raise as_journal_error(error, path) from error
    return Copied(path, *found, kept)


def holds_demo(copy: Path) -> bool:
    """Whether a copy is of the demonstration's journal; :func:`restore` reports a damaged one."""
    if not copy.is_file():
        return False
    query = "SELECT body FROM events WHERE type = ? ORDER BY id LIMIT 1"
    try:
        with closing(opening.to_look_at(copy)) as database:
            first = database.execute(query, (GameBegan.type,)).fetchone()
        return first is not None and bool(json.loads(first[0]).get("demo"))
    except (sqlite3.Error, OSError, ValueError, AttributeError):
        return False


def check(path: Path, name: Path, *, own: bool = False) -> tuple[int, int]:
    """Verify a copy by replaying every game in it. Returns the numbers of games and events.

    ``name``: what to call it in the error; ``own``: it is a copy just made of our own journal.

    Raises:
        JournalForeign: it is not a journal, or a newer program wrote it.
        JournalDamaged: it is damaged.
    """
    remedy, foreign = (RESCUED_BY, schema.MOVE) if own else (_ANOTHER, _ANOTHER)
    try:
        with closing(opening.to_look_at(path)) as database:
            schema.check(database, name, foreign)
            if schema.version(database) == 0:
                raise JournalForeign(f"{name} is not a journal of Focus Companion; {foreign}")
            opening.check_sound(database, name, math.inf)
            games = [int(row[0]) for row in database.execute("SELECT id FROM games").fetchall()]
            return len(games), sum(replay(database, name, game) for game in games)
    except JournalDamaged as error:
        raise JournalDamaged(name, error.what, remedy) from error
    except (sqlite3.Error, OSError) as error:
        problem = as_journal_error(error, name)
        if isinstance(problem, JournalDamaged):
            problem = JournalDamaged(name, problem.what, remedy)
        raise problem from error


def _to_copy(path: Path) -> sqlite3.Connection:
    """A read-only connection to the journal. Raises JournalError, which names the journal, not its copy."""
    try:
        return opening.to_look_at(path)
    except (sqlite3.Error, OSError) as error:
        raise as_journal_error(error, path) from error


def _refuse_other(place: Path, name: Path) -> None:
    """Raise JournalForeign if anything but an older copy would be replaced. ``name``: what to call it."""
    if not place.exists():
        return
    if not place.is_file():
        # A folder, or a device or pipe, which would no longer be one.
        raise JournalForeign(f"{name} is not a file; give another name for the copy")
    if place.name == swap.FILE_NAME and (place.parent / LOCK).exists():
        # A program that plays would go on writing to the file that was replaced.
        raise JournalForeign(f"{name} is a journal in use, not a copy of one; give another name for the copy")
    try:
        with closing(opening.to_look_at(place)) as database:
            schema.check(database, name, "give another name for the copy")
    except sqlite3.DatabaseError as error:
        raise JournalForeign(f"{name} is not a copy of a journal; give another name") from error
