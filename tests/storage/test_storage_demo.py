"""The demo's journal and the user's own are separate and never confused."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripted import Player, play_on

from focus_companion.cli import cli
from focus_companion.commands.shared.console import run
from focus_companion.game.rules import Rules
from focus_companion.session.session import Session
from focus_companion.storage.backup import holds_demo
from focus_companion.storage.folders import demo_folder, folder_to_read
from focus_companion.storage.journal import Journal
from focus_companion.support.report import last_events


def played(folder: Path, name: str, *, demo: bool = False) -> None:
    with Journal(folder, write=True) as journal:
        play_on(Session(Rules.make(2), {"g": name}, journal, Player, again=1.0, demo=demo).push, 30)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder in which only the demo was played. The user's own journal exists, but is empty."""
    folder = tmp_path / "data"
    Journal(folder, write=True).close()
    played(demo_folder(folder), "Demo", demo=True)
    return folder


def emitted(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[str, str]:
    assert run(cli, [str(word) for word in words]) == 0
    said = capsys.readouterr()
    return said.out, said.err


def test_a_demo_is_marked_in_its_events_and_its_state(data: Path) -> None:
    with Journal(demo_folder(data), write=True) as journal:
        assert journal.history(1).demo
        assert Session(Rules.make(2), {}, journal, Player, demo=True).state()["demo"] is True
    played(data, "Ann")
    with Journal(data) as journal:
        assert not journal.history(1).demo


@pytest.mark.parametrize("game", ["last", "1"])
def test_the_demos_games_are_shown_until_the_user_has_one(
    game: str, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (("export", game, "--format", "json"), ("replay", game)):
        out, err = emitted(capsys, *command, "--data", data)
        assert "Demo" in out and "the demo's" in err
    assert '"players": ["green"]' in last_events(data)[0]
    played(data, "Ann")
    for command in (("export", game, "--format", "json"), ("replay", game)):
        out, err = emitted(capsys, *command, "--data", data)
        assert "Ann" in out and "Demo" not in out and not err
    assert folder_to_read(data) == data


def test_a_copy_of_the_demo_is_restored_to_the_demo(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy, own = tmp_path / "copy.sqlite", tmp_path / "own.sqlite"
    emitted(capsys, "backup", copy, "--data", data)
    assert holds_demo(copy)
    played(data, "Ann")
    emitted(capsys, "restore", copy, "--data", data)
    with Journal(data) as journal, Journal(demo_folder(data)) as demo:
        assert {game.players["g"] for game in journal.games()} == {"Ann"}
        assert demo.history(1).demo
    emitted(capsys, "backup", own, "--data", data)
    assert not holds_demo(own)
    emitted(capsys, "restore", own, "--data", tmp_path / "elsewhere")
    assert folder_to_read(tmp_path / "elsewhere") == tmp_path / "elsewhere"


def test_looking_for_the_journal_leaves_no_files(data: Path) -> None:
    before = sorted(data.rglob("*"))
    assert folder_to_read(data) == demo_folder(data)
    assert sorted(data.rglob("*")) == before


def test_a_damaged_journal_of_the_user_is_reported_and_not_ignored(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (data / "journal.sqlite").write_bytes(b"noise" * 1000)
    assert run(cli, ["export", "last", "--format", "json", "--data", str(data)]) == 2
    assert str(data / "journal.sqlite") in capsys.readouterr().err


def test_a_file_that_is_not_a_copy_is_not_a_demo(tmp_path: Path) -> None:
    (tmp_path / "noise.sqlite").write_bytes(b"noise" * 1000)
    assert not holds_demo(tmp_path / "noise.sqlite") and not holds_demo(tmp_path / "none.sqlite")
