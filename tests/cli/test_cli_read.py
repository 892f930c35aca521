"""``read``: its output and exit status."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from simulated import view_of

from focus_companion.commands import read
from focus_companion.game.position import parse_position
from focus_companion.game.rules import ORDERS
from focus_companion.simulator.scene_style import pleasant_look
from focus_companion.simulator.stage import Stage
from focus_companion.vision.geometry.board_profiles import board_profile
from focus_companion.vision.geometry.scene import Camera, Lens
from focus_companion.vision.single_image.read_still import StillReading

STACKS = ("rg", "b", *[""] * 50)


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    """A picture without a board."""
    path = tmp_path / "nothing.png"
    cv2.imwrite(str(path), np.full((240, 320, 3), 90, np.uint8))
    return path


@pytest.fixture
def reading() -> StillReading:
    camera = Camera(Lens.guess(640, 480), (np.pi, 0.0, 0.0), (0.0, 0.0, 800.0))
    return StillReading(STACKS, (0.5, *[0.999] * 51), camera, board_profile(), 0.87654)


def test_no_board_exits_with_status_1(focus: Any, picture: Path) -> None:
    done = focus("read", picture, "--players", 2, "--json")
    done.refused(1, str(picture), "no board", "if it is not the plastic set, name its profile with --board")


def test_a_set_that_was_named_is_not_asked_for(focus: Any, picture: Path) -> None:
    done = focus("read", picture, "--board", "chess-draughts")
    done.refused(1, "no board")
    assert "--board" not in done.err


@pytest.mark.parametrize("content", [None, b"", b"no picture at all"])
def test_a_file_that_is_not_a_picture_exits_with_status_2(
    focus: Any, tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "there.jpg"
    if content is not None:
        path.write_bytes(content)
    focus("read", path, "--players", 2, "--json").refused(2, str(path), "give a photograph")


@pytest.mark.parametrize(
    ("kind", "fault"),
    [*((kind, "cut") for kind in ("png", "bmp", "tiff", "gif", "jpg", "webp")), ("png", "changed")],
)
def test_a_damaged_picture_is_refused_in_one_line(tmp_path: Path, kind: str, fault: str) -> None:
    """The libraries that decode it print nothing: neither to Python nor to the terminal."""
    image = np.random.default_rng(0).integers(0, 255, (120, 160, 3), np.uint8)
    path = tmp_path / f"{fault}.{kind}"
    whole = cv2.imencode(f".{kind}", image)[1].tobytes()
    half = len(whole) // 2
    path.write_bytes(whole[:half] + (b"" if fault == "cut" else b"changed" + whole[half + 7 :]))
    program = [sys.executable, "-m", "focus_companion.cli"]
    done = subprocess.run([*program, "read", path], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and "is not a picture" in done.stderr, done.stderr


def test_a_file_without_an_end_exits_with_status_2(focus: Any) -> None:
    focus("read", "/dev/zero").refused(2, "/dev/zero has more than 114 MiB", "give a photograph")


FIXTURES = Path(__file__).parents[2] / "fixtures" / "images"


def photograph(name: str) -> Any:
    image = cv2.imread(str(FIXTURES / f"{name}.jpg"))
    assert image is not None
    return image


def test_a_picture_without_colours_is_refused_before_it_is_searched(focus: Any, tmp_path: Path) -> None:
    grey = cv2.cvtColor(photograph("2p-overhead-start"), cv2.COLOR_BGR2GRAY)
    cv2.imwrite(str(tmp_path / "grey.png"), grey)
    focus("read", tmp_path / "grey.png").refused(1, "no colours", "switch the camera to colour")


@pytest.mark.slow
@pytest.mark.parametrize(("edge", "kept"), [("left", np.s_[:, 440:]), ("bottom", np.s_[:640])])
def test_a_board_that_is_cut_off_is_refused_naming_the_edge(
    focus: Any, tmp_path: Path, edge: str, kept: tuple[slice, ...]
) -> None:
    part = photograph("4p-overhead-start")[kept]
    cv2.imwrite(
        str(tmp_path / "part.png"), cv2.resize(part, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    )
    done = focus("read", tmp_path / "part.png", "--players", 4)
    done.refused(1, "part of the board is outside", f"its {edge} edge;", "turn the camera that way")


@pytest.mark.parametrize("wrong", [("--players", 5), ("--rank1", "north"), ("--json", "more")])
def test_wrong_usage_exits_with_status_2(focus: Any, picture: Path, wrong: tuple[object, ...]) -> None:
    focus("read", picture, *wrong).refused(2, "--help")


def test_the_json_object_has_the_documented_keys(reading: StillReading) -> None:
    shown = read.as_object(reading, "left")
    assert list(shown) == ["position", "rank1", "corners", "confidence"]
    assert parse_position(str(shown["position"])) == STACKS
    assert shown["rank1"] == "left" and shown["confidence"] == 0.8765
    corners = shown["corners"]
    assert isinstance(corners, dict)
    # Seen from straight above, with file a on the left and rank 1 at the bottom.
    assert corners["a1"][0] < 320 < corners["h1"][0] and corners["h8"][1] < 240 < corners["h1"][1]
    assert list(corners) == ["a1", "h1", "h8", "a8"]


def test_the_text_shows_board_counts_and_doubtful_squares(reading: StillReading) -> None:
    text = read.as_text(reading, "bottom")
    assert "rg" in text and "88%" in text
    assert "red 1, green 1, blue 1" in text
    assert text.splitlines()[-1].endswith(": c8.")


def drawn(players: int) -> tuple[np.ndarray, tuple[str, ...]]:
    """A picture of the simulated board with some stacks, and its position."""
    letters = ORDERS[players]
    rng = np.random.default_rng(players)
    stacks = [""] * 52
    for square in rng.choice(52, 18, replace=False):
        stacks[square] = "".join(rng.choice(list(letters), int(rng.integers(1, 4))))
    stage = Stage(tuple(stacks))
    return view_of(pleasant_look(1024, 768)).shoot(stage, rng), tuple(stacks)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_drawn_board_is_read(focus: Any, tmp_path: Path, players: int) -> None:
    image, stacks = drawn(players)
    path = tmp_path / "board.png"
    cv2.imwrite(str(path), image)
    ended = focus("read", path, "--players", players, "--json")
    assert ended.status == 0
    (shown,) = ended.objects
    assert 0.5 < shown["confidence"] <= 1
    assert sum(a == b for a, b in zip(parse_position(shown["position"]), stacks, strict=True)) >= 50
    tops = [stack[-1:] for stack in parse_position(shown["position"])]
    assert tops == [stack[-1:] for stack in stacks]
