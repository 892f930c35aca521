"""Runs of the scripted game: started, killed with SIGKILL at a random moment, checked, restarted."""

from __future__ import annotations

import multiprocessing
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import scripted_game

from focus_companion.game.record import positions
from focus_companion.storage.journal import Journal

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

MAX_RUN_SECONDS = 0.12
"""Maximum duration of a run from its first line."""

EARLY_KILL_SHARE = 0.15
"""Share of the runs that are killed before any output, while they open the journal."""


@dataclass
class Lives:
    """What is known of a journal after some runs; ``live`` makes another run and checks it."""

    folder: Path
    rng: random.Random
    killed: int = 0
    emitted: int = 0
    """The last event that any run emitted."""
    events: int = 0
    """Total number of emitted events."""
    starts: list[float] = field(default_factory=list)
    """Seconds from the start of a process with its interpreter to its first line."""
    games: dict[int, int] = field(default_factory=dict)

    def live(self, *, fresh: bool) -> None:
        """One run. ``fresh``: in a new interpreter, else forked from a running one."""
        began = time.monotonic()
        early = not fresh and self.rng.random() < EARLY_KILL_SHARE
        with _fresh(self.folder) if fresh else _forked(self.folder) as (output, kill):
            first = b"" if early else _line(output)
            if fresh:
                self.starts.append(time.monotonic() - began)
            time.sleep(self.rng.uniform(0.0, 0.03 if early else MAX_RUN_SECONDS))
            kill()
            rest = b"".join(iter(lambda: os.read(output, 1 << 16), b""))
        self.killed += 1
        # The last line may have been cut off by the kill.
        lines = [line.split() for line in (first + rest).decode().split("\n")[:-1]]
        self._look(lines, early)

    def _look(self, lines: list[list[str]], early: bool) -> None:
        assert not [words for words in lines if words[0] == "notice"], lines[0]
        if not early:
            assert lines[0][0] == "at", "the program did not start again"
        if lines:
            assert int(lines[0][3]) >= self.emitted, "an emitted event is missing"
        emitted = [(int(words[1]), words[2], words[3]) for words in lines[1:]]
        before = self.emitted
        with Journal(self.folder) as journal:
            kept = journal.events(after=before, limit=1_000_000)
            assert [number for number, _ in kept] == list(range(before + 1, before + 1 + len(kept))), "a gap"
            found = dict(kept)
            last = before
            for number, kind, ply in emitted:
                assert number > last, "an event was emitted twice"
                assert found[number].type == kind and str(getattr(found[number], "ply", "-")) == ply
                last = number
            self.events += len(emitted)
            self.emitted = last
            self._replay(journal, every=False)

    def _replay(self, journal: Journal, *, every: bool) -> None:
        """Replay the changed games, or all: a duplicate, missing or misplaced turn would be refused."""
        games = journal.games()
        for summary in games:
            if every or self.games.get(summary.id) != summary.plies:
                record = journal.record(summary.id)
                assert len(list(positions(record))) == summary.plies + 1
                self.games[summary.id] = summary.plies
        assert all(game.result for game in games[1:]), "an earlier game is unfinished"

    def look_at_everything(self) -> None:
        """Check all events from the first to the last, as a start would, and every game."""
        with Journal(self.folder, write=True) as journal:
            assert journal.notices == []
            kept = journal.events(limit=10_000_000)
            assert [number for number, _ in kept] == list(range(1, len(kept) + 1)), "ids have a gap"
            assert len(kept) >= self.emitted
            self._replay(journal, every=True)


def _line(output: int) -> bytes:
    found = b""
    while not found.endswith(b"\n"):
        if not (more := os.read(output, 1)):
            return found
        found += more
    return found


@contextmanager
def _fresh(folder: Path) -> Iterator[tuple[int, object]]:
    process = subprocess.Popen(
        [sys.executable, str(HERE / "scripted_game.py"), str(folder), str(HERE.parent / "session")],
        stdout=subprocess.PIPE, cwd=ROOT, env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert process.stdout is not None
    with process.stdout:
        yield process.stdout.fileno(), process.kill
        process.kill()
        process.wait()


_ready = multiprocessing.get_context("forkserver")
_ready.set_forkserver_preload(["scripted_game"])


@contextmanager
def _forked(folder: Path) -> Iterator[tuple[int, object]]:
    receiver, sender = _ready.Pipe(duplex=False)
    process = _ready.Process(target=_play, args=(str(folder), sender), daemon=True)
    process.start()
    sender.close()
    with receiver:
        yield receiver.fileno(), process.kill
        process.kill()
        process.join()
    process.close()


def _play(folder: str, sender: object) -> None:
    scripted_game.play(folder, sender.fileno())
