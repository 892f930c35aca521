"""Who plays which colour, on the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from focus_companion.session.seat_kinds import SeatError, parse_kind, word_of


@pytest.mark.parametrize(
    ("text", "thinks"),
    [
        ("board", False),
        ("companion", True),
        ("companion:1", True),
        ("companion:8", True),
        ("far", False),
        ("engine:./mine --fast 3", True),
        ("table:http://a.lan:8000", False),
    ],
)
def test_a_kind_is_written_as_it_is_read(text: str, thinks: bool) -> None:
    assert str(parse_kind(text)) == text
    assert parse_kind(text).handless == (text != "board")
    assert parse_kind(text).thinks is thinks


@pytest.mark.parametrize(
    "text",
    [
        "", "human", "companion:0", "companion:9", "companion:x", "companion:", "companion:١", "far:me",
        "board:1", "engine", "engine:", 'engine:"half', "engine:a\nb", "table", "table:", "table:ftp://a", "table:http://me:secret@a",
        "table:http://a:port", "companion:33",
        "engine:" + "x" * 2000,
    ],
)  # fmt: skip
def test_what_is_no_kind_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(SeatError) as refused:
        parse_kind(text)
    assert str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("link", "address", "word"),
    [
        ("http://192.0.2.1:8000/seat#abc", "http://192.0.2.1:8000", "abc"),
        ("192.0.2.1:8000", "http://192.0.2.1:8000", ""),
        ("https://a.example/seat#x", "https://a.example", "x"),
        ("http://[2001:db8::1]:80/", "http://[2001:db8::1]:80", ""),
    ],
)
def test_a_link_gives_the_address_and_apart_from_it_the_word(link: str, address: str, word: str) -> None:
    kind = parse_kind(f"table:{link}")
    assert (kind.target, word_of(f"table:{link}")) == (address, word)
    assert kind.handless and not kind.thinks and parse_kind(str(kind)) == kind


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--seat", "red=robot"], "not a kind of seat"),
        (["--seat", "pink=companion"], "names no colour"),
        (["--seat", "red"], "names no colour"),
        (["--seat", "red=companion:9"], "level"),
        (["--seat", "red=engine:/nowhere/player"], "no program"),
        (["--seat", "red=table:file:///etc"], "name the other table"),
        (["--players", "3", "--seat", "r=table:a:1", "--seat", "b=table:b:1"], "two other tables"),
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
