"""A report from a tape: the two pictures that show the fault, and nothing without a yes."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from focus_companion.commands.report import command
from focus_companion.commands.shared.console import BadInput
from focus_companion.game.rules import Rules
from focus_companion.session.events import Alert, GameBegan, Lost, Moved, Ready, Resolved
from focus_companion.storage.tape.replay import Recording
from focus_companion.storage.tape.tape import Tape, TapeError
from focus_companion.support import tape_report
from focus_companion.support.tape_report import NoBoard, blurred_outside, fault_of, tape_parts
from focus_companion.vision.capture.frames import Frame, read_image
from focus_companion.vision.capture.sources import open_source

ROOT = Path(__file__).parents[2]
CLIP = ROOT / "fixtures" / "images" / "clip-oblique.mp4"
RULES = Rules.make(2).to_json()


def grey(level: int) -> Any:
    return np.full((48, 64, 3), level, np.uint8)


def alert(time: float) -> Alert:
    return Alert(time, "distance", "red", ["d5"], "Put it back.")


def moved(time: float, ply: int) -> Moved:
    return Moved(time, ply, "green", "d5-d6", "", {}, {}, "red", 0.9)


def taped(folder: Path, *steps: Any) -> Path:
    """A tape of these steps: pictures as arrays, and events told."""
    header = {"program": "1", "game": 1, "rules": RULES, "players": {"g": "Ann Secret"}, "events": None}
    tape = Tape(folder, header, megabytes=100.0)
    for index, step in enumerate(steps):
        if isinstance(step, np.ndarray):
            tape.frame(Frame(index, index / 10, step))
        else:
            tape.emitted([step])
    tape.close()
    return folder


def level(path: Path | None) -> int | None:
    return None if path is None else int(read_image(path)[0, 0, 0])


def test_the_last_alert_and_the_last_picture_before_it_are_chosen(tmp_path: Path) -> None:
    folder = taped(
        tmp_path / "tape",
        grey(1), Ready(0.0, ""), grey(2), moved(0.2, 1), grey(3), alert(0.4), grey(4), Resolved(0.5),
        grey(5), moved(0.6, 2), grey(6), grey(7), alert(0.8), grey(8),
        Lost(0.9, "board", "out of view"), grey(9),
    )  # fmt: skip
    fault = fault_of(Recording(folder))
    assert (level(fault.before), level(fault.picture)) == (5, 7)
    assert [event["type"] for event in fault.events] == [
        "ready", "move", "alert", "resolved", "move", "alert",
    ]  # fmt: skip
    earlier = fault_of(Recording(folder), at=0.3)
    assert (level(earlier.before), level(earlier.picture)) == (2, 3)


def test_without_an_alert_it_is_what_was_lost_else_the_end(tmp_path: Path) -> None:
    lost = taped(tmp_path / "lost", grey(1), Ready(0.0, ""), grey(2), Lost(0.2, "board"), grey(3))
    assert level(fault_of(Recording(lost)).picture) == 2
    untold = taped(tmp_path / "untold", grey(1), Ready(0.0, ""), grey(2), grey(3))
    fault = fault_of(Recording(untold))
    assert (level(fault.before), level(fault.picture), fault.event) == (1, 3, {})
    with pytest.raises(TapeError, match="holds no picture"):
        fault_of(Recording(taped(tmp_path / "empty", Ready(0.0, ""))))


def test_beside_the_board_nothing_is_recognisable_and_on_it_all(tmp_path: Path) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (240, 320, 3), dtype=np.uint8)
    outline = np.array([[100, 60], [220, 60], [220, 180], [100, 180]])
    blurred = blurred_outside(noise, outline)
    assert np.array_equal(blurred[62:178, 102:218], noise[62:178, 102:218])
    # Beside it a block of 20 pixels has one colour: noise is averaged away.
    assert len(np.unique(blurred[:40].reshape(-1, 3), axis=0)) <= 2 * tape_report.BLOCKS_ACROSS
    assert int(np.ptp(blurred[:40].astype(int))) < 40 < int(np.ptp(noise[:40].astype(int)))


@pytest.fixture(scope="module")
def scene() -> tuple[Any, Any]:
    """Two pictures of a board in which a face could be: something beside the board."""
    frames = open_source(str(CLIP))
    first = next(iter(frames)).image.copy()
    cv2.circle(first, (40, 40), 36, (90, 150, 220), -1)
    second = first.copy()
    second[0, 0] = 7
    return first, second


@pytest.mark.slow
def test_a_report_of_a_tape_asks_first_and_packs_no_more_than_it_showed(
    tmp_path: Path, scene: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    began = GameBegan(0.0, 1, RULES, {"green": {"name": "Ann Secret"}})
    folder = taped(tmp_path / "tape", scene[0], began, Ready(0.0, ""), scene[1], alert(0.4))
    out = tmp_path / "fault.zip"
    refused = CliRunner().invoke(command, ["--tape", str(folder), "--output", str(out)], input="n\n")
    assert refused.exit_code == 0 and "Nothing was packed" in refused.output and not out.exists()
    for name in ("before.png", "fault.png", "events.jsonl", "facts.json"):
        assert name in refused.output
    unasked = CliRunner().invoke(command, ["--tape", str(folder), "--output", str(out)], input="")
    assert isinstance(unasked.exception, BadInput) and "--yes" in str(unasked.exception), "as from a script"
    assert "in a terminal to look at the pictures" in str(unasked.exception), "the folder is gone by now"
    assert not out.exists()
    unseen = CliRunner().invoke(
        command, ["--tape", str(folder), "--output", str(tmp_path / "unseen"), "--yes"]
    )
    assert unseen.exit_code == 0 and "Look at it in" not in unseen.output
    done = CliRunner().invoke(command, ["--tape", str(folder), "--output", str(out)], input="y\n")
    assert done.exit_code == 0 and "Nothing was sent" in done.output
    with zipfile.ZipFile(out) as packed:
        assert sorted(packed.namelist()) == ["before.png", "events.jsonl", "facts.json", "fault.png"]
        everything = b"".join(packed.read(name) for name in packed.namelist())
        picture = cv2.imdecode(np.frombuffer(packed.read("before.png"), np.uint8), cv2.IMREAD_COLOR)
        facts = json.loads(packed.read("facts.json"))
    assert b"Secret" not in everything
    assert facts["fault"]["reason"] == "distance" and facts["blurred"] is True
    height, width = picture.shape[:2]
    middle = slice(height // 2 - 40, height // 2 + 40), slice(width // 2 - 40, width // 2 + 40)
    assert np.array_equal(picture[middle], scene[0][middle])
    # The disc beside the board is a few blocks of one colour each, its edge is gone.
    assert len(np.unique(picture[:80, :80].reshape(-1, 3), axis=0)) <= 4


def test_where_no_board_is_found_nothing_is_packed_unblurred_by_mistake(tmp_path: Path) -> None:
    folder = taped(tmp_path / "tape", grey(80), alert(0.1))
    with pytest.raises(NoBoard):
        tape_parts(folder)
    assert "fault.png" in tape_parts(folder, blurred=False)
