"""The pictures and the clip in ``fixtures/`` are complete and small, and the program reads them correctly."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from focus_companion.cli import cli
from focus_companion.commands.shared.console import run

FIXTURES: Final = Path(__file__).resolve().parent.parent / "fixtures"
IMAGES: Final = FIXTURES / "images"
CLIP: Final = IMAGES / "clip-oblique.mp4"
MAX_MEGABYTES: Final = 6
RANKS: Final = ("cdef", "bcdefg", *4 * ("abcdefgh",), "bcdefg", "cdef")
REASONS: Final = {"wrong_distance": {"distance"}, "opponents_stack": {"not_your_stack", "out_of_turn"}}

STILLS: Final[list[dict[str, Any]]] = json.loads((IMAGES / "truth.json").read_text(encoding="utf-8"))[
    "stills"
]
TRUTH: Final[dict[str, Any]] = json.loads((IMAGES / "clip-oblique.json").read_text(encoding="utf-8"))


def position_text(board: dict[str, str]) -> str:
    """The truth's {square: pile} as a position text."""
    return "/".join(
        ",".join(board.get(f"{file}{rank}", "-").lower() for file in files)
        for rank, files in zip(range(8, 0, -1), RANKS, strict=True)
    )


def companion(*args: str | Path) -> str:
    """Standard output of the program; a failure shows its output."""
    done = subprocess.run(
        [sys.executable, "-m", "focus_companion.cli", *map(str, args)],
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_picture_has_a_ground_truth() -> None:
    assert {still["file"] for still in STILLS} == {path.name for path in IMAGES.glob("*.jpg")}


def test_the_fixtures_are_small() -> None:
    assert sum(path.stat().st_size for path in FIXTURES.rglob("*") if path.is_file()) < MAX_MEGABYTES * 1e6


@pytest.mark.slow
@pytest.mark.parametrize(
    "still", [s for s in STILLS if s.get("event") == "start"], ids=lambda still: str(still["file"])
)
def test_the_board_is_found_in_start_pictures(
    still: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """With its corners within a tenth of a square of the ground truth."""
    cv2 = pytest.importorskip("cv2")
    np = pytest.importorskip("numpy")
    players = str(still["settings"]["players"])
    # In this process, which has imported everything after the first picture.
    status = run(cli, ["read", str(IMAGES / still["file"]), "--players", players, "--json"])
    said = capsys.readouterr()
    assert status == 0, said.err
    read = json.loads(said.out)
    camera, half = still["camera"], 4 * still["geometry"]["pitch_mm"]
    corners = np.array([[-half, -half, 0], [half, -half, 0], [half, half, 0], [-half, half, 0]])
    true, _ = cv2.projectPoints(
        corners,
        cv2.Rodrigues(np.array(camera["R"]))[0],
        np.array(camera["t"], float),
        np.array(camera["K"]),
        np.array(camera["dist"]),
    )
    true = true.reshape(-1, 2)
    found = np.array([read["corners"][name] for name in ("a1", "h1", "h8", "a8")])
    # A still does not show where rank 1 is, so any quarter turn of the true board is correct.
    apart = min(np.abs(np.roll(found, turn, 0) - true).max() for turn in range(4))
    pitch = np.linalg.norm(true[1] - true[0]) / 8
    assert apart < 0.1 * pitch


@pytest.mark.slow
def test_the_clip_is_refereed_without_errors() -> None:
    """From the video file to the events: every turn, every illegal act, nothing else."""
    lines = companion("watch", CLIP, "--players", "2", "--order", "red,green", "--events", "-").splitlines()
    events = [json.loads(line) for line in lines]
    frames = TRUTH["frames"]
    expected = [
        (f["move"], position_text(f["board"])) for f in frames if f["kind"] == "settled" and f.get("move")
    ]
    assert [(e["move"], e["position"]) for e in events if e["type"] == "move"] == expected
    acts = [REASONS[f["illegal"]["type"]] for f in frames if f["kind"] == "illegal"]
    alerts = [event for event in events if event["type"] == "alert"]
    assert len(alerts) == len(acts)
    assert all(alert["reason"] in reasons for alert, reasons in zip(alerts, acts, strict=True))
    assert sum(event["type"] == "resolved" for event in events) == len(acts)
    assert [event["time"] for event in events] == sorted(event["time"] for event in events)
