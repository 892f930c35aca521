"""The history of measurements: rows are appended, never changed, and a spreadsheet can read the file."""

from __future__ import annotations

import csv
from pathlib import Path

from benchmarks.history import COLUMNS, HISTORY_FILE, append


def rows(file: Path) -> list[list[str]]:
    with file.open(encoding="utf-8", newline="") as text:
        return list(csv.reader(text))


def test_rows_are_appended_under_one_header(tmp_path: Path) -> None:
    file = tmp_path / "history.csv"
    append("accuracy.games", "seeds 1 to 3, quick", {"games exact": "3/3", "false alerts": 0}, file)
    append("reliability.soak", "seed 1", {"turns": 100}, file)
    head, *figures = rows(file)
    assert tuple(head) == COLUMNS
    assert [row[2:] for row in figures] == [
        ["accuracy.games", "seeds 1 to 3, quick", "games exact", "3/3"],
        ["accuracy.games", "seeds 1 to 3, quick", "false alerts", "0"],
        ["reliability.soak", "seed 1", "turns", "100"],
    ]


def test_every_row_of_the_history_is_complete() -> None:
    assert {len(row) for row in rows(HISTORY_FILE)} == {len(COLUMNS)}
