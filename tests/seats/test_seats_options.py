"""Who plays which colour, on the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from focus_companion.session.seat_kinds import SeatError, parse_kind


@pytest.mark.parametrize(
    "text", ["board", "companion", "companion:1", "companion:8", "far", "engine:./mine --fast 3"]
)
def test_a_kind_is_written_as_it_is_read(text: str) -> None:
    assert str(parse_kind(text)) == text
    assert parse_kind(text).handless == (text != "board")


@pytest.mark.parametrize(
    "text",
    [
        "", "human", "companion:0", "companion:9", "companion:x", "companion:", "companion:١", "far:me",
        "board:1", "engine", "engine:", 'engine:"half', "engine:a\nb", "table", "companion:33",
        "engine:" + "x" * 2000,
    ],
)  # fmt: skip
def test_what_is_no_kind_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(SeatError) as refused:
        parse_kind(text)
    assert str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--seat", "red=robot"], "no kind of seat"),
        (["--seat", "pink=companion"], "names no colour"),
        (["--seat", "red"], "names no colour"),
        (["--seat", "red=companion:9"], "level"),
        (["--seat", "red=engine:/nowhere/player"], "no program"),
        (["--seat", "red=table:http://127.0.0.1:1"], "another table"),
        (["--seat", "red=far", "--seat", "r=companion"], "twice"),
        (["--seat", "blue=companion"], "Blue does not play"),
        (["--seat", "red=companion", "--pace", "7"], "pace"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_seat_that_cannot_be_meant_ends_with_one_line(
    tmp_path: Path, options: list[str], said: str
) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "focus_companion.cli", "play", "--camera", "demo", "--port", "0"),
            *("--data", str(tmp_path), *options),
        ],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert said.lower() in line.lower()
