"""The history of measurements: one CSV to which the benchmarks append their figures.

One row per figure: date, commit, benchmark, setting (the relevant options), measure, value. The long format
lets a benchmark add a measure without changing the file's columns.
"""

from __future__ import annotations

import csv
import subprocess
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Final

HISTORY_FILE: Final = Path(__file__).parent / "results" / "history.csv"
COLUMNS: Final = ("date", "commit", "benchmark", "setting", "measure", "value")


def commit() -> str:
    """The commit of this checkout, marked ``-dirty`` if files differ from it."""
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, cwd=HISTORY_FILE.parent
    )
    return done.stdout.strip() or "unknown"


def append(benchmark: str, setting: str, figures: Mapping[str, object], file: Path = HISTORY_FILE) -> None:
    """Append one row per figure to the history."""
    today, at = date.today().isoformat(), commit()
    new = not file.exists()
    with file.open("a", encoding="utf-8", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        if new:
            rows.writerow(COLUMNS)
        rows.writerows((today, at, benchmark, setting, measure, value) for measure, value in figures.items())
