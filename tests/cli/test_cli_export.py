"""``export``: every format, from a file or the journal, written atomically."""

from __future__ import annotations

import csv
import io
import json
import stat
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from cli_games import game

from focus_companion.commands.shared.sources import data_folder
from focus_companion.game.moves import Move
from focus_companion.game.play import apply
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.session.events import Moved
from focus_companion.storage.journal import Journal

FORMATS = ("json", "sgf", "text", "csv", "svg", "gif", "html", "mp4")


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_written_to_a_file(focus: Any, write: Any, tmp_path: Path, name: str) -> None:
    output = tmp_path / f"out.{name}"
    # More turns would only make the film slower to write.
    record = game({"players": 3}, 2 if name == "mp4" else 12)
    ended = focus("export", write("g.json", record), "--format", name, "--output", output)
    assert (ended.status, ended.out, ended.err) == (0, "", "")
    starts = {
        "json": b"{",
        "sgf": b"(;FF[4]GM[36]",
        "text": b"Focus move sheet",
        "csv": b"game,ply,",
        "svg": b"<svg ",
        "gif": b"GIF89a",
        "html": b"<!doctype html>",
        "mp4": b"\0\0\0",
    }
    assert output.read_bytes().startswith(starts[name])
    assert name != "mp4" or output.read_bytes()[4:8] == b"ftyp"
    assert stat.S_IMODE(output.stat().st_mode) & 0o400
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".part")] == []


def test_without_output_option_the_export_goes_to_standard_output(focus: Any, write: Any) -> None:
    record = game({"players": 2}, 5)
    ended = focus("export", write("g.json", record), "--format", "json")
    assert [item["move"] for item in json.loads(ended.out)["moves"]] == record["moves"]


def test_formats_can_be_piped(focus: Any, write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = focus("export", write("g.json", game({"players": 2}, 5)), "--format", "text").out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(sheet.encode())))
    assert focus("export", "-", "--format", "text").out == sheet


def test_an_illegal_record_leaves_the_old_file_unchanged(focus: Any, write: Any, tmp_path: Path) -> None:
    output = tmp_path / "out.sgf"
    output.write_text("the old one")
    bad = write("g.json", game({"players": 2}, 0) | {"moves": ["b2-b3", "b2-b3"]})
    focus("export", bad, "--format", "sgf", "--output", output).refused(1, "ply 2, b2-b3")
    assert output.read_text() == "the old one"


def test_a_link_stays_and_the_export_is_where_it_leads(focus: Any, write: Any, tmp_path: Path) -> None:
    link, place = tmp_path / "link.sgf", tmp_path / "stick" / "game.sgf"
    place.parent.mkdir()
    link.symlink_to(place)
    record = write("g.json", game({"players": 2}, 3))
    for name in ("text", "sgf"):
        assert focus("export", record, "--format", name, "--output", link).status == 0
        assert link.is_symlink() and list(place.parent.iterdir()) == [place]
    assert place.read_bytes().startswith(b"(;FF[4]")


def test_the_record_that_is_read_is_not_overwritten(focus: Any, write: Any, tmp_path: Path) -> None:
    record = write("g.json", game({"players": 2}, 4))
    before = record.read_bytes()
    link = tmp_path / "link"
    link.symlink_to(record)
    for output in (record, link):
        ended = focus("export", record, "--format", "csv", "--output", output)
        ended.refused(2, f"--output: {output} is the file that is read")
    assert record.read_bytes() == before


def test_a_missing_folder_is_reported(focus: Any, write: Any, tmp_path: Path) -> None:
    path = write("g.json", game({"players": 2}, 1))
    ended = focus("export", path, "--format", "sgf", "--output", tmp_path / "no" / "out.sgf")
    ended.refused(2, "out.sgf", "No such file or directory")


def test_the_table_has_a_row_per_turn(focus: Any, write: Any) -> None:
    record = game({"players": 4, "order": ["green", "blue", "yellow", "red"]}, 250) | {
        "players": {"red": {"name": "=1+1"}}
    }
    rows = list(csv.DictReader(io.StringIO(focus("export", write("g.json", record), "--format", "csv").out)))
    assert [row["turn"] for row in rows] == record["moves"]
    assert {row["name"] for row in rows} == {
        "",
        "'=1+1",
    }  # escaped, so that no spreadsheet takes it for a formula
    taken = sum(len(row["captured"]) for row in rows)
    assert taken == sum(int(value) for key, value in rows[-1].items() if key.startswith("captured_by_")) > 0


def test_the_picture_shows_every_piece(focus: Any, write: Any) -> None:
    ended = focus("export", write("g.json", game({"players": 2}, 20)), "--format", "svg")
    root = ElementTree.fromstring(ended.out)
    letters = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text") if e.text in ("R", "G")]
    assert (letters.count("R"), letters.count("G")) == (18, 18)


@pytest.mark.parametrize(("language", "words"), [("en", ">Moves<"), ("pl", ">Ruchy<"), ("it", ">Mosse<")])
def test_a_page_is_in_the_requested_language(focus: Any, write: Any, language: str, words: str) -> None:
    path = write("g.json", game({"players": 2}, 4))
    page = focus("export", path, "--format", "html", "--language", language, "--no-swings").out
    assert f'<html lang="{language}">' in page and words in page


def test_a_film_is_not_written_to_a_terminal(focus: Any, write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    path = write("g.json", game({"players": 2}, 1))
    for name in ("gif", "mp4"):
        focus("export", path, "--format", name).refused(2, name, "--output")


def test_progress_of_a_film_is_shown_on_terminals_only(
    focus: Any, write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("g.json", game({"players": 2}, 1))
    command = ("export", path, "--format", "mp4", "--output", tmp_path / "f")
    assert focus(*command).err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert "100%" in focus(*command).err


def test_options_of_the_html_page_are_refused_for_other_formats(
    focus: Any, write: Any, tmp_path: Path
) -> None:
    path = write("g.json", game({"players": 2}, 1))
    focus("export", path, "--format", "mp4", "--no-swings").refused(2, "--no-swings", "html")
    focus("export", path, "--format", "json", "--tape", tmp_path).refused(2, "--tape", "html")
    focus("export", path, "--format", "html", "--tape", tmp_path).refused(2, "--tape", str(tmp_path), "tape")


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A folder with a journal of two games, the second with two turns."""
    folder = tmp_path / "data"
    rules = Rules.make(2)
    with Journal(folder) as journal:
        journal.begin(rules, {"g": "Ann"})
        number = journal.begin(rules, {"g": "Ann", "r": "Ben"})
        position = start_position(rules)
        for ply, text in enumerate(("b2-b3", "b5-b4"), 1):
            position = apply(position, Move.parse(text), rules)
            event = Moved(
                time=float(ply),
                ply=ply,
                player="green",
                move=text,
                position=position.text,
                reserves={},
                captured={},
                to_move=None,
                confidence=1.0,
            )
            journal.append(number, event)
    return folder


@pytest.mark.parametrize("name", ["last", "2"])
def test_a_game_of_the_journal_is_exported_and_replayed(focus: Any, journal: Path, name: str) -> None:
    found = json.loads(focus("export", name, "--format", "json", "--data", journal).out)
    assert [item["move"] for item in found["moves"]] == ["b2-b3", "b5-b4"]
    assert found["players"]["red"]["name"] == "Ben"
    assert len(focus("replay", name, "--positions", "--data", journal).objects) == 3


@pytest.mark.parametrize(("name", "words"), [("7", ("no game 7", "1 to 2")), ("0", ("no game 0",))])
def test_an_unknown_game_is_reported(focus: Any, journal: Path, name: str, words: tuple[str, ...]) -> None:
    focus("export", name, "--format", "json", "--data", journal).refused(2, str(journal), *words)


def test_an_empty_journal_has_no_games(focus: Any, tmp_path: Path) -> None:
    focus("export", "last", "--format", "json", "--data", tmp_path).refused(2, "no game", "--data")
    assert list(tmp_path.iterdir()) == []  # reading creates no files


def test_where_the_data_folder_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FOCUS_COMPANION_DATA", str(tmp_path / "env"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("FOCUS_COMPANION_CONFIG", raising=False)
    assert data_folder(str(tmp_path)) == tmp_path
    assert data_folder(None) == tmp_path / "env"
    monkeypatch.delenv("FOCUS_COMPANION_DATA")
    assert data_folder(None).is_relative_to(tmp_path / "xdg")


@pytest.mark.parametrize("name", ["nothing.json", "last.json", "\x00", "-1"])
def test_a_missing_file_is_reported(
    focus: Any, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    focus("replay", "--positions", "--", name).refused(2, "GAME: no file", "journal")


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\x00", b"{}", b"(;GM[1])", b"Focus move sheet", b"[" * 99999]
)
def test_a_file_that_is_not_a_record_is_refused(focus: Any, write: Any, content: bytes) -> None:
    path = write("bad", content)
    focus("replay", path, "--positions").refused(2, str(path))
    focus("export", path, "--format", "json").refused(2, str(path))


def test_a_folder_is_not_a_record(focus: Any, tmp_path: Path) -> None:
    focus("replay", tmp_path, "--positions").refused(2, str(tmp_path), "Is a directory")
