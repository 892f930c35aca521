from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from light_board_fake import FakeBoard

from focus_companion.cli import cli
from focus_companion.commands.lights import command
from focus_companion.commands.shared.console import NegativeResult, run
from focus_companion.lights import ports
from focus_companion.lights.meaning import NOTHING
from focus_companion.lights.pixels import BAR_PIXEL, PIXELS, draw
from focus_companion.lights.protocol import Command, state_data
from focus_companion.lights.walk import walk


@pytest.fixture(autouse=True)
def ignore_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("")
    monkeypatch.setenv("FOCUS_COMPANION_CONFIG", str(tmp_path / "config.toml"))


def test_the_walk_lights_every_pixel() -> None:
    lit = {i for step in walk() for i, pixel in enumerate(draw(step.meaning, 0)) if any(pixel)}
    # The sixth pixel of a bar needs a sixth piece; five show that the bar fills from its beginning.
    assert lit == set(range(PIXELS)) - {BAR_PIXEL + 6 * n + 5 for n in range(4)}


def test_the_walk_is_shown_on_a_board(board: FakeBoard) -> None:
    done = CliRunner().invoke(
        command, ["--test", "--pace", "20", "--port", str(board.link)], catch_exceptions=False
    )
    assert done.exit_code == 0
    assert "These answer: serial" in done.output and "rank 8: its 4 squares" in done.output
    shown = [frame.data for frame in board.heard if frame.command == Command.STATE]
    steps = [state_data(step.meaning, step.cue) for step in walk()]
    assert shown[-len(steps) :] == steps
    assert board.heard[-1].command == Command.DARK and shown[-1] == state_data(NOTHING)


def test_without_lights_the_command_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "candidates", lambda: ())
    done = CliRunner().invoke(command, [])
    assert isinstance(done.exception, NegativeResult) and "no lights to try" in str(done.exception)


def test_a_missing_port_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("focus_companion.commands.lights.ANSWER_TIMEOUT", 0.3)
    done = CliRunner().invoke(command, ["--port", str(tmp_path / "none")])
    assert isinstance(done.exception, NegativeResult) and "serial" in str(done.exception)


@pytest.mark.parametrize("backends", ["auto", "none"])
def test_without_lights_one_line_says_how_to_connect_them(
    backends: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Even if other loggers would log something with a traceback."""
    monkeypatch.setattr(ports, "candidates", lambda: ())
    monkeypatch.setenv("FOCUS_COMPANION_LIGHTS", backends)
    assert run(cli, ["lights", "--test"]) == 1
    printed = capsys.readouterr().err
    assert "Traceback" not in printed and "docs/" not in printed
    *_, last = printed.splitlines()
    assert last.startswith("focus-companion: there are no lights to try") and str(tmp_path / "config") in last
    # It is printed once the second time, too.
    assert run(cli, ["lights", "--test"]) == 1
    assert capsys.readouterr().err == printed


def test_lights_that_are_configured_and_fail_are_not_said_to_be_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ports, "candidates", lambda: ())
    monkeypatch.setenv("FOCUS_COMPANION_LIGHTS", "gpio")
    assert run(cli, ["lights"]) == 1
    why, last = capsys.readouterr().err.splitlines()
    assert why.startswith("Lights: no GPIO lights")
    assert last == "focus-companion: none of the configured lights can be used (gpio); see above for why"
