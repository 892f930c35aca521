"""A game on a disk that fails at the n-th operation, and on what a power cut at each moment would leave.

Run as ``LD_PRELOAD=faulty_disk.so python faulty_game.py FOLDER TESTS/SESSION SAMPLES SEED``; ``SAMPLES`` is
how many moments of each kind are tried, 0 for all. Prints one JSON object: what was tried, by kind. Any
failure ends it with an AssertionError.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import shutil
import struct
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, sys.argv[2])

from scripted import Player, Still

from focus_companion.game.record import positions
from focus_companion.game.rules import Rules
from focus_companion.session.events import Event
from focus_companion.session.session import Session
from focus_companion.storage.errors import JournalError
from focus_companion.storage.journal import Journal

RULES = Rules.make(2, fast=True, fast_total=1)
FRAMES = 70
"""More than enough for the whole game, which ends with the first capture, after 57 turns."""

KINDS = ("count", "EIO once", "ENOSPC once", "torn write once", "EIO from then on", "ENOSPC from then on",
         "torn write, then EIO")  # fmt: skip
"""In the order of the numbers that the preloaded library uses."""

SECTOR = 512
"""Bytes that a disk writes atomically."""


class Disk:
    """The interface to the preloaded library."""

    def __init__(self) -> None:
        library = ctypes.CDLL(None)
        self._arm, self._count, self._log = library.disk_arm, library.disk_count, library.disk_log
        self._arm.argtypes = [ctypes.c_char_p, ctypes.c_long, ctypes.c_int]
        self._count.restype = ctypes.c_long

    def arm(self, folder: Path, at: int, kind: int) -> None:
        self._arm(f"{folder.resolve()}/".encode(), at, kind)

    def disarm(self) -> None:
        self._arm(b"", 0, 0)

    def log(self, file: int) -> None:
        self._log(file)

    @property
    def count(self) -> int:
        return int(self._count())


@dataclass
class Played:
    """The events of a game, with the number of disk operations before each."""

    emitted: list[tuple[int, Event]]
    after: list[int]
    refused: str | None
    over: bool


def play(folder: Path, disk: Disk) -> Played:
    """One game from opening the journal to its result, as ``play`` does it, with a simulated clock."""
    now = [0.0]
    played = Played([], [], None, False)
    journal = Journal(folder)
    try:
        session = Session(RULES, {"g": "Ann"}, journal, Player, clock=lambda: now[0])
        walk = iter(session.subscribe(0, heartbeat=0.0))
        for index in range(FRAMES):
            session.push(Still(index))
            now[0] += 2.0
            while (item := next(walk)) is not None:
                played.emitted.append(item)
                played.after.append(disk.count)
        assert session.state()["fault"] is None or not session.history.over
        played.over = session.history.over
    except JournalError as error:
        assert "\n" not in str(error) and str(folder) in str(error), error
        played.refused = str(error)
    finally:
        journal.close()
    return played


def check(folder: Path, emitted: list[tuple[int, Event]], whole: list[Event]) -> None:
    """The journal opens without reporting damage, has every emitted event once, and can be played on."""
    with Journal(folder, write=True) as journal:
        # If the disk failed for good, the regular removal of the log could not be recorded.
        assert all("-wal is gone" in notice for notice in journal.notices), journal.notices
        kept = journal.events(limit=10_000)
        assert [number for number, _ in kept] == list(range(1, len(kept) + 1))
        assert kept[: len(emitted)] == emitted, "an emitted event has changed"
        # Any further events were committed when the disk could no longer confirm it.
        assert [event for _, event in kept] == whole[: len(kept)], (
            "these are not the first events of the game"
        )
        assert len(kept) - len(emitted) <= 2
        for summary in journal.games():
            record = journal.record(summary.id)
            assert len(list(positions(record))) == summary.plies + 1
            assert (summary.result is None) == (record.result is None)
        assert len(journal.games()) <= 2
        again = Session(RULES, {"g": "Ann"}, journal, Player)
        emitted_again = [event for index in range(3) for event in again.push(Still(index))]
        assert emitted_again or again.history.over


def faults(folder: Path, disk: Disk, samples: int, rng: random.Random) -> dict[str, int]:
    """Every kind of fault at ``samples`` of the game's operations (0: at all of them)."""
    folder.mkdir()
    disk.arm(folder, 0, 0)
    undisturbed = play(folder, disk)
    operations = disk.count
    disk.disarm()
    assert undisturbed.over
    whole = [event for _, event in undisturbed.emitted]
    tried = {"operations of the game": operations}
    for kind in range(1, len(KINDS)):
        moments = range(1, operations + 1)
        for at in moments if samples == 0 else sorted(rng.sample(moments, min(samples, operations))):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            disk.arm(folder, at, kind)
            played = play(folder, disk)
            disk.disarm()
            try:
                # Once the disk works again, the game continues to its end by itself.
                if "once" in KINDS[kind]:
                    assert played.over or played.refused
                check(folder, played.emitted, whole)
            except (AssertionError, JournalError) as error:
                raise AssertionError(f"{KINDS[kind]} at operation {at}: {error}") from error
            tried[KINDS[kind]] = tried.get(KINDS[kind], 0) + 1
    return tried


def rescues(folder: Path, disk: Disk, samples: int, rng: random.Random) -> int:
    """The disk fails while a damaged journal is rescued: the next start completes the rescue without loss."""
    source = folder.with_name("damaged")
    disk.disarm()
    source.mkdir()
    whole = [event for _, event in play(source, disk).emitted]
    with (source / "journal.sqlite").open("r+b") as file:
        file.write(bytes(4096))
    spoilt = (source / "journal.sqlite").read_bytes()

    def attempt(at: int, kind: int) -> int:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(source, folder)
        disk.arm(folder, at, kind)
        try:
            Journal(folder, write=True).close()
        except JournalError as error:
            assert "\n" not in str(error)
        operations = disk.count
        disk.disarm()
        with Journal(folder, write=True) as journal:
            assert [event for _, event in journal.events(limit=10_000)] == whole
        (kept,) = folder.glob("journal.damaged-*.sqlite")
        assert kept.read_bytes() == spoilt
        return operations

    moments = range(1, attempt(0, 0) + 1)
    tried = 0
    for kind in range(1, len(KINDS)):
        for at in moments if samples == 0 else rng.sample(moments, min(samples, len(moments))):
            try:
                attempt(at, kind)
            except (AssertionError, ValueError, JournalError) as error:
                raise AssertionError(f"rescue, {KINDS[kind]} at operation {at}: {error}") from error
            tried += 1
    return tried


@dataclass(frozen=True)
class Operation:
    """One in the log: 0 is a write, 1 a sync (of the folder if ``file`` is ""), 2 truncation to ``offset``
    bytes, 3 the removal of the file.
    """

    what: int
    file: str
    offset: int
    data: bytes


def operations_of(log: Path) -> Iterator[Operation]:
    data, at = log.read_bytes(), 0
    while at < len(data):
        what, name, offset, length = struct.unpack_from("4q", data, at)
        at += 32
        file = data[at : at + name].decode()
        at += name
        yield Operation(what, file, offset, data[at : at + length] if what == 0 else b"")
        at += length if what == 0 else 0


def apply(content: bytearray, operation: Operation) -> None:
    if operation.what == 2:
        del content[operation.offset :]
        content.extend(bytes(operation.offset - len(content)))
    elif operation.what == 0:
        content.extend(bytes(max(0, operation.offset - len(content))))
        content[operation.offset : operation.offset + len(operation.data)] = operation.data


def sectors(operation: Operation) -> Iterator[Operation]:
    """A write split into the sectors that the disk writes; any other operation unchanged."""
    if operation.what != 0:
        yield operation
    at, end = operation.offset, operation.offset + len(operation.data)
    while at < end:
        stop = min(end, (at // SECTOR + 1) * SECTOR)
        yield Operation(
            0, operation.file, at, operation.data[at - operation.offset : stop - operation.offset]
        )
        at = stop


def after_power_cut(operations: Sequence[Operation], rng: random.Random) -> dict[str, bytes]:
    """Files that may exist after these operations: what was not synced may or may not be on disk, sector by
    sector, and a removed file may still exist.
    """
    durable: dict[str, bytearray] = {}
    waiting: dict[str, list[Operation]] = {}
    removed: set[str] = set()
    for operation in operations:
        if operation.what == 3:
            removed.add(operation.file)
        elif operation.what == 1 and not operation.file:
            for name in removed:
                durable.pop(name, None)
                waiting.pop(name, None)
            removed.clear()
        elif operation.what == 1:
            for done in waiting.pop(operation.file, []):
                apply(durable.setdefault(operation.file, bytearray()), done)
        else:
            if operation.file in removed:
                removed.remove(operation.file)
                durable.pop(operation.file, None)
                waiting.pop(operation.file, None)
            waiting.setdefault(operation.file, []).append(operation)
    for name, writes in waiting.items():
        kept = rng.choice([0.0, 0.5, 0.9, 1.0])
        for piece in (piece for write in writes for piece in sectors(write)):
            if rng.random() < kept:
                apply(durable.setdefault(name, bytearray()), piece)
    gone = {name for name in removed if rng.random() < 0.5}
    return {name: bytes(content) for name, content in durable.items() if name not in gone}


def power_cuts(folder: Path, disk: Disk, samples: int, rng: random.Random) -> int:
    """Power fails after ``samples`` of the operations of a game (0: after each)."""
    log = folder.with_name("operations")
    with log.open("wb") as file:
        folder.mkdir()
        disk.log(file.fileno())
        disk.arm(folder, 0, 0)
        played = play(folder, disk)
        disk.disarm()
        disk.log(-1)
    whole = [event for _, event in played.emitted]
    operations = list(operations_of(log))
    assert played.over and len(operations) > played.after[-1]
    moments = range(len(operations) + 1)
    cuts = moments if samples == 0 else sorted(rng.sample(moments, min(samples, len(operations))))
    for cut in cuts:
        shutil.rmtree(folder)
        folder.mkdir()
        for name, content in after_power_cut(operations[:cut], rng).items():
            (folder / name).write_bytes(content)
        emitted = [item for item, after in zip(played.emitted, played.after, strict=True) if after <= cut]
        try:
            check(folder, emitted, whole)
        except (AssertionError, JournalError) as error:
            raise AssertionError(f"power cut after operation {cut}: {error}") from error
    return len(cuts)


def main() -> None:
    folder, samples, seed = Path(sys.argv[1]), int(sys.argv[3]), int(sys.argv[4])
    rng, disk = random.Random(seed), Disk()
    tried = faults(folder / "faults", disk, samples, rng)
    tried["fault in a rescue"] = rescues(folder / "rescues", disk, samples // 4, rng)
    tried["power cut"] = power_cuts(folder / "cuts", disk, samples * 3, rng)
    print(json.dumps(tried))


if __name__ == "__main__":
    os.umask(0o077)
    main()
