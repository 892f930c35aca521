"""Finds recordings with their truth; makes missing videos, and copies in other sizes, frame rates and paces.

A folder of footage holds recordings (``NAME/frames``, ``NAME/truth.json``), perhaps ``NAME.mp4``, the program
``assemble.py`` that makes a video of a recording, and folders of stills with a ``truth.json`` of their own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from benchmarks.accuracy.finding import MAX_CORNER_ERROR, PROFILES, true_camera
from focus_companion.game.rules import Rules
from focus_companion.game.squares import SQUARES
from focus_companion.simulator.for_tests.corner_error import corner_error
from focus_companion.vision.capture.frames import Frame, Image
from focus_companion.vision.capture.sources import open_source
from focus_companion.vision.geometry.board_profiles import board_profile, plastic_sets
from focus_companion.vision.geometry.scene import Camera
from focus_companion.vision.geometry.stack_masks import Outlines
from focus_companion.vision.single_image.read_still import read_still

VARIANTS: Final[dict[str, tuple[str, ...]]] = {
    "vga at 10": ("--size", "640x480", "--fps", "10", "--noise", "4", "--seed", "2"),
    "xga at 12, slow": ("--size", "1024x768", "--fps", "12", "--settled", "2.2", "--hand", "0.5"),
    "hd at 30, hasty": ("--fps", "30", "--settled", "1.0", "--hand", "0.2", "--seed", "4"),
    "noisy at 15": ("--noise", "6", "--crf", "30", "--seed", "5"),
    "5 a second": ("--fps", "5", "--settled", "1.6", "--hand", "0.4", "--seed", "6"),
}  # fmt: skip
"""The options of ``assemble.py`` for each altered copy of a recording."""


@dataclass(frozen=True)
class Recording:
    """A recording and how its video is made: by ``make``, options of ``assemble.py``; none: unaltered."""

    folder: Path
    group: str
    make: tuple[str, ...]
    video: Path

    @property
    def name(self) -> str:
        return self.folder.name if not self.make else f"{self.folder.name}, {self.group}"

    def _truth(self) -> dict[str, Any]:
        truth: dict[str, Any] = json.loads((self.folder / "truth.json").read_text(encoding="utf-8"))
        return truth

    @property
    def rules(self) -> Rules:
        settings = self._truth()["settings"]
        return Rules.make(
            settings["players"],
            order="".join(settings["order"]).lower(),
            partners=settings["partners"],
        )

    @property
    def camera(self) -> Camera:
        """The camera, in the coordinates of the board's first place."""
        truth = self._truth()
        return true_camera(truth["camera"], truth["frames"][0]["board_pose"])

    def about(self) -> dict[str, Any]:
        """A short description for a table of results."""
        truth = self._truth()
        profile = board_profile(PROFILES[truth["geometry"]["cap"]["profile"]])
        width, height = self._option("--size", "x".join(map(str, truth["camera"]["size"]))).split("x")
        pitch = self.camera.pitch_pixels(profile) * int(width) / truth["camera"]["size"][0]
        return {
            "fps": float(self._option("--fps", "15")),
            "size": [int(width), int(height)],
            "tilt": round(self.camera.tilt, 1),
            "pitch": round(pitch, 1),
        }

    def _option(self, option: str, usual: str) -> str:
        return self.make[self.make.index(option) + 1] if option in self.make else usual

    def truth(self) -> dict[str, Any]:
        """The truth with the times of this video."""
        self._assembled()
        truth, timeline = (
            self._truth(),
            json.loads(self.video.with_suffix(".json").read_text(encoding="utf-8")),
        )
        begins = {shown["i"]: shown["from"] for shown in timeline["timeline"]}
        truth["frames"] = [{**f, "t": begins[f["i"]]} for f in truth["frames"] if f["i"] in begins]
        return truth

    def frames(self) -> Iterator[Frame]:
        self._assembled()
        with open_source(str(self.video), fps=15.0) as source:
            yield from source

    def picture(self, number: int) -> Image:
        """The recording's own picture, by the truth's ``i``."""
        frame = next(f for f in self._truth()["frames"] if f["i"] == number)
        return np.asarray(cv2.imread(str(self.folder / frame["file"])), np.uint8)

    def moment(self, time: float) -> tuple[Image, Outlines]:
        """The recording's own picture at a time (s) of this video, and its camera and board."""
        truth = self.truth()
        shown = [frame for frame in truth["frames"] if frame["t"] <= time + 1e-6]
        frame = shown[-1] if shown else truth["frames"][0]
        camera = true_camera(truth["camera"], frame["board_pose"])
        profile = board_profile(PROFILES[truth["geometry"]["cap"]["profile"]])
        return self.picture(int(frame["i"])), Outlines(camera, profile)

    def _assembled(self) -> None:
        if self.video.exists() and self.video.with_suffix(".json").exists():
            return
        self.video.parent.mkdir(parents=True, exist_ok=True)
        program = self.folder.parent / "assemble.py"
        command = [sys.executable, str(program), str(self.folder), str(self.video), *self.make]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _cache(folder: Path) -> Path:
    """The folder for missing videos, kept between runs; nothing is written to the footage itself."""
    return Path(tempfile.gettempdir()) / f"focus-companion-{folder.resolve().name}"


def _folders(folder: Path) -> list[Path]:
    found = [path.parent for path in sorted(folder.glob("*/truth.json")) if (path.parent / "frames").is_dir()]
    if not found:
        raise SystemExit(f"{folder} holds no recording (a folder with truth.json and frames)")
    return found


def recordings(folder: Path) -> Iterator[Recording]:
    """Every unaltered recording; missing videos are made."""
    for path in _folders(folder):
        beside = path.with_suffix(".mp4")
        ready = beside.exists() and beside.with_suffix(".json").exists()
        yield Recording(path, "footage", (), beside if ready else _cache(folder) / beside.name)


def variants(folder: Path) -> Iterator[Recording]:
    """Every recording in other sizes, rates, paces and noise."""
    for path in _folders(folder):
        for group, make in VARIANTS.items():
            file = f"{path.name}-{group.replace(',', '').replace(' ', '-')}.mp4"
            yield Recording(path, group, make, _cache(folder) / file)


def _turned(stacks: Sequence[str], quarter_turns: int) -> list[str]:
    """The stacks on a board whose squares are named from another side."""
    board = dict(zip(SQUARES, stacks, strict=True))
    for _ in range(quarter_turns):
        board = {"abcdefgh"[int(s[1]) - 1] + str(8 - "abcdefgh".index(s[0])): board[s] for s in SQUARES}
    return [board[square] for square in SQUARES]


def still_scores(folder: Path) -> str:
    """Boards found, and squares with the right top, height and whole stack, in all stills of the folder.

    A still does not show which side is rank 1, so the best of the four rotations counts. Squares under an arm
    count too.
    """
    found = total = tops = heights = whole = 0
    lines = []
    for file in sorted(folder.glob("*/truth.json")):
        truth = json.loads(file.read_text(encoding="utf-8"))
        for still in truth.get("stills", ()):
            total += 1
            image = np.asarray(cv2.imread(str(file.parent / still["file"])), np.uint8)
            players = "".join(still["settings"]["order"]).lower()
            reading = read_still(image, plastic_sets(), players)
            if reading is None:
                lines.append(f"- {file.parent.name}/{still['file']}: no board found")
                continue
            want = [still["board"].get(square, "").lower() for square in SQUARES]
            best = max(_alike(want, _turned(reading.stacks, k)) for k in range(4))
            off = corner_error(
                reading.camera,
                true_camera(still["camera"], still["board_pose"]),
                reading.profile,
                turns=4,
            )
            found += off < MAX_CORNER_ERROR
            tops, heights, whole = tops + best[0], heights + best[1], whole + best[2]
            if off >= MAX_CORNER_ERROR or best[0] < len(SQUARES) - 1:
                detail = f"tops {best[0]}/52, heights {best[1]}/52, corners {off:.2f} squares off"
                lines.append(f"- {file.parent.name}/{still['file']}: {detail}")
    if not total:
        return "No stills."
    share = [f"{name} {100 * n / total / len(SQUARES):.2f} %" for name, n in
             (("tops", tops), ("heights", heights), ("whole stacks", whole))]  # fmt: skip
    return "\n".join([f"Boards found {found}/{total}; {', '.join(share)}.", *lines])


def _alike(want: Sequence[str], got: Sequence[str]) -> tuple[int, int, int]:
    pairs = list(zip(want, got, strict=True))
    return (
        sum(a[-1:] == b[-1:] for a, b in pairs),
        sum(len(a) == len(b) for a, b in pairs),
        sum(a == b for a, b in pairs),
    )
