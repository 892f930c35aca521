"""Killed without warning, again and again: no told event is lost, none is doubled, and the game goes on."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from focus_companion.game.record import positions
from focus_companion.storage.journal import Journal

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def run_and_kill(folder: Path, rng: random.Random) -> tuple[list[str], list[tuple[int, str, str]], float]:
    """One life of the program: its first line, what it told, and the seconds that it took to start."""
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, str(HERE / "scripted_game.py"), str(folder), str(HERE.parent / "session")],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
    )
    assert process.stdout is not None
    first = process.stdout.readline().split()
    started = time.monotonic() - began
    time.sleep(rng.uniform(0.0, 0.25))
    process.kill()
    told = []
    for line in process.stdout:
        words = line.split()
        # The last line may have been cut off by the kill.
        if line.endswith("\n") and len(words) == 4:
            told.append((int(words[1]), words[2], words[3]))
    process.stdout.close()
    process.wait()
    return first, told, started


def survive(folder: Path, kills: int, seed: int) -> int:
    rng = random.Random(seed)
    last_told = 0
    for _ in range(kills):
        first, told, started = run_and_kill(folder, rng)
        assert first[:1] == ["at"], "the program did not start again"
        assert started < 10
        _, _, _, event = first
        assert int(event) >= last_told, "an event that was told is gone"
        numbers = [number for number, _, _ in told]
        assert numbers == sorted(set(numbers))
        if numbers:
            assert numbers[0] > last_told
            last_told = numbers[-1]
        with Journal(folder) as journal:
            kept = dict(journal.events(limit=1_000_000))
            assert list(kept) == list(range(1, len(kept) + 1)), "ids have a gap"
            for number, kind, ply in told:
                assert kept[number].type == kind
                assert str(getattr(kept[number], "ply", "-")) == ply
            games = journal.games()
            for summary in games:
                # The replay refuses a turn that is doubled, missing or out of place.
                record = journal.record(summary.id)
                assert len(list(positions(record))) == summary.plies + 1
            assert [game.result is None for game in games].count(True) <= 1
            assert all(game.result for game in games[1:])
    return last_told


def test_kill_a_few_times(tmp_path: Path) -> None:
    assert survive(tmp_path, kills=5, seed=1) > 50


@pytest.mark.slow
def test_kill_many_times(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(10**6)
    print("seed", seed)
    assert survive(tmp_path, kills=150, seed=seed) > 1000
