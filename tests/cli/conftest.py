"""Runs the command line inside the test's process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from focus_companion.cli import cli
from focus_companion.commands.shared.console import run


@dataclass(frozen=True)
class Ended:
    """A command's exit status and output."""

    status: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        """Standard output as JSON, one object per line."""
        return [json.loads(line) for line in self.out.splitlines()]

    def refused(self, status: int, *words: str) -> None:
        """Assert a one-line error that contains these words."""
        assert self.status == status
        (line,) = self.err.splitlines()
        assert line.startswith("focus-companion: ") and len(line) < 1100
        assert "internal error" not in line and "Traceback" not in line
        for word in words:
            assert word in line


@pytest.fixture
def focus(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """``focus("replay", path, "--positions")`` runs the program."""

    def call(*args: object) -> Ended:
        status = run(cli, [str(arg) for arg in args])
        said = capsys.readouterr()
        return Ended(status, said.out, said.err)

    return call


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """``write("a.json", record)`` puts a record, or lines of records, or text, into a file."""

    def to_file(name: str, content: Any) -> Path:
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif isinstance(content, list):
            lines = [line if isinstance(line, str) else json.dumps(line) for line in content]
            path.write_text("\n".join(lines) + "\n")
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return to_file
