"""The examples in the documentation can be read, and the three versions of the first game are equal."""

from __future__ import annotations

import re
from pathlib import Path

from focus_companion.formats.json_record import KEYS as RECORD_KEYS
from focus_companion.formats.match import Match
from focus_companion.formats.reading import detect, read_record
from focus_companion.formats.sgf_record import KNOWN
from focus_companion.formats.writing import FORMATS, write

DOCS = Path(__file__).parents[2] / "docs"


def examples(name: str) -> list[tuple[str, Match]]:
    text = (DOCS / name).read_text(encoding="utf-8")
    blocks = re.findall(r"^```(json|sgf|text)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [(kind, read_record(block.encode())) for kind, block in blocks if detect(block.encode()) == kind]


def test_the_examples_are_legal_games() -> None:
    found = examples("records.md") + examples("sgf.md")
    assert [kind for kind, _ in found] == ["json", "json", "text", "text", "sgf"]
    for _, match in found:
        assert write(match, "text")


def test_the_first_game_is_the_same_in_three_formats() -> None:
    (_, from_json), _, (_, from_text), _ = examples("records.md")
    ((_, from_sgf),) = examples("sgf.md")
    assert from_text == from_json
    assert from_sgf.games[0].entries == from_json.games[0].entries
    assert from_sgf.games[0].players == from_json.games[0].players
    assert from_sgf.games[0].result == from_json.games[0].result


def test_the_documented_tables_are_complete() -> None:
    sgf = (DOCS / "sgf.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in sgf for name in KNOWN)
    records = (DOCS / "records.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in records for name in FORMATS)
    assert all(f'"{key}"' in records or f"`{key}`" in records for key in RECORD_KEYS)
