"""Killed while a program thinks and while its turn is being made: nothing is lost or duplicated, and nothing
hangs.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import IO

import pytest

from focus_companion.session.events import GameBegan, Moved, Reply, Seated
from focus_companion.storage.journal import Journal

LIFE = Path(__file__).with_name("life.py")


def children(pid: int) -> list[int]:
    """Child processes of this one."""
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True)
    return [int(word) for word in found.stdout.split()]


def live(folder: Path, until: Callable[[IO[str]], None], obey: str = "obey") -> None:
    """One run, killed when ``until`` returns. Its programs exit at the end of their input."""
    command = [sys.executable, str(LIFE), str(folder), obey]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout:
        until(process.stdout)
        programs = children(process.pid)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    end = time.monotonic() + 60
    while any(Path(f"/proc/{pid}").exists() for pid in programs):
        assert time.monotonic() < end, "a program outlived the game that it played in"
        time.sleep(0.02)


def wait_for(stream: IO[str], word: str, seconds: float = 0.0) -> None:
    for line in stream:
        if line.strip() == word:
            time.sleep(seconds)
            return
    pytest.fail("the life ended by itself")


def check(folder: Path) -> None:
    """Every turn was requested right before it was made, and none twice."""
    with Journal(folder) as journal:
        due: Reply | None = None
        for _, event in journal.events(limit=100_000):
            match event:
                case GameBegan() | Seated():
                    due = None
                case Reply():
                    assert due is None, f"{event.move} was asked for while {due} was due"
                    due = event
                case Moved():
                    assert due is not None and (due.player, due.move) == (event.player, event.move)
                    due = None
        game = journal.last_unfinished()
        if game is not None:
            assert journal.history(game).reply == due


@pytest.mark.slow
def test_killed_at_any_moment(tmp_path: Path) -> None:
    chance = random.Random(7)
    for _ in range(4):
        live(tmp_path, lambda out: wait_for(out, "ready", chance.uniform(0, 1.5)))
        check(tmp_path)


@pytest.mark.slow
def test_a_reply_outlives_the_program_and_is_made_in_the_next(tmp_path: Path) -> None:
    live(tmp_path, lambda out: wait_for(out, "reply"), "wait")
    check(tmp_path)
    with Journal(tmp_path) as journal:
        game = journal.last_unfinished()
        assert game is not None
        due = journal.history(game).reply
    assert due is not None
    live(tmp_path, lambda out: wait_for(out, "move"))
    check(tmp_path)
    with Journal(tmp_path) as journal:
        first = next(event for _, event in journal.events() if isinstance(event, Moved))
    assert first.move == due.move, "the same turn, not a new one"


@pytest.mark.slow
def test_killed_twenty_times(tmp_path: Path) -> None:
    """Three games side by side, since most of the time is spent waiting."""

    def lives(word: str) -> None:
        chance, folder = random.Random(f"{seed} {word}"), tmp_path / word
        # After a restart with a pending reply in the journal, the first event is that it was made.
        for first in [word, *["move"] * 19]:
            live(folder, partial(wait_for, word=first, seconds=chance.uniform(0, 0.4)))
            check(folder)

    seed = random.SystemRandom().randrange(10**6)
    print("seed", seed)
    with ThreadPoolExecutor() as games:
        list(games.map(lives, ("ready", "reply", "move")))
