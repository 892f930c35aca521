"""However often the program is killed, no emitted event is lost or duplicated, and the game continues.

``benchmarks/reliability/kills.py`` does the same a thousand times, and kills the real program too.
"""

from __future__ import annotations

import random
from itertools import count
from pathlib import Path

import pytest
from lives import Lives


def survive(folder: Path, kills: int, seed: int, fresh: int, events: int) -> Lives:
    """Run and kill this often, every ``fresh``-th time in a new interpreter; more often if the machine is so
    slow that fewer than ``events`` were emitted.
    """
    lives = Lives(folder, random.Random(seed))
    for number in count():
        if number >= kills and lives.events > events:
            break
        lives.live(fresh=number % fresh == 0)
        if number % 25 == 0:
            lives.look_at_everything()
    lives.look_at_everything()
    assert all(seconds < 120 for seconds in lives.starts)
    return lives


def test_kill_a_few_times(tmp_path: Path) -> None:
    assert survive(tmp_path, kills=6, seed=1, fresh=2, events=10).killed < 60


@pytest.mark.slow
def test_kill_many_times(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(10**6)
    print("seed", seed)
    assert survive(tmp_path, kills=100, seed=seed, fresh=20, events=200).killed < 1000
