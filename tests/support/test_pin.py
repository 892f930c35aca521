"""The PIN is printed to a terminal, else written to a file that only the user can read."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from focus_companion.commands.shared.pin import print_pin, private_folder


def test_on_a_terminal_it_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    with ExitStack() as closing:
        print_pin("246810", 8000, tmp_path, closing)
    assert "246810" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_elsewhere_it_stands_in_a_file_while_the_program_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    file, elsewhere = tmp_path / "focus-companion-8000.pin", tmp_path / "elsewhere"
    # A file or link that somebody has put there is not followed.
    elsewhere.write_text("mine", encoding="utf-8")
    file.symlink_to(elsewhere)
    with ExitStack() as closing:
        print_pin("246810", 8000, tmp_path / "data", closing)
        assert file.read_text(encoding="utf-8") == "246810\n" and not file.is_symlink()
        assert file.stat().st_mode & 0o777 == 0o600
        said = capsys.readouterr().out
        assert str(file) in said and "246810" not in said
    assert not file.exists() and elsewhere.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("given", ["", "here", "/nowhere/at/all"])
def test_without_a_runtime_folder_it_lies_with_the_journal(given: str, tmp_path: Path) -> None:
    assert private_folder(tmp_path, {"XDG_RUNTIME_DIR": given}) == tmp_path
