"""Work for which nobody at the board waits yields the processor to everything else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from focus_companion import low_priority
from focus_companion.low_priority import HELPER_NICENESS, PLAYER_NICENESS, at_low_priority

SHOW = [sys.executable, "-c", "import os; print(os.nice(0))"]


@pytest.mark.parametrize("niceness", [PLAYER_NICENESS, HELPER_NICENESS])
def test_a_program_runs_at_low_priority(monkeypatch: pytest.MonkeyPatch, niceness: int) -> None:
    monkeypatch.setattr(low_priority, "NICE", shutil.which("nice"))
    shown = subprocess.check_output(at_low_priority(SHOW, niceness))
    assert int(shown) == min(19, os.nice(0) + niceness)


def test_without_nice_a_program_runs_nevertheless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(low_priority, "NICE", None)
    assert at_low_priority(SHOW, PLAYER_NICENESS) == SHOW
