"""Writes simulated games as recordings: ``NAME.mp4``, ``NAME.json`` (its timeline) and ``NAME/truth.json``.

    python -m benchmarks.accuracy.simulated_recordings FOLDER --seed 9101 --count 4
    python -m benchmarks.accuracy.life PROGRAM FOLDER

So a program that alters recordings can be used on boards, places and lights of which there is no other
recording. Only views that the placement check calls sure are written. A game takes about a minute.
"""

from __future__ import annotations

import argparse
import json
from itertools import count, pairwise
from pathlib import Path
from typing import Any, Final

import av
import numpy as np

from benchmarks.accuracy.simulated import Case, case

SIZE: Final = (1280, 960)
RATE: Final = 15
"""Pictures a second."""
_TILTS: Final = (15.0, 42.0)
"""Degrees off the vertical from which heights are sure to be read."""
_MIN_PITCH: Final = 60.0
"""Side of a square in pixels."""


def write(game: Case, folder: Path) -> int:
    """Write one recording; returns its number of pictures."""
    truth = {**game.truth(), "name": game.name}
    (folder / game.name).mkdir(parents=True, exist_ok=True)
    (folder / game.name / "truth.json").write_text(json.dumps(truth))
    pictures = 0
    with av.open(str(folder / f"{game.name}.mp4"), "w") as video:
        stream = video.add_stream("h264", rate=RATE, options={"crf": "20", "preset": "veryfast"})
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        for frame in game.frames():
            image = av.VideoFrame.from_ndarray(np.ascontiguousarray(frame.image), format="bgr24")
            video.mux(stream.encode(image))
            pictures += 1
        video.mux(stream.encode())
    timeline = {"fps": RATE, "frames": pictures, "video": f"{game.name}.mp4"}
    (folder / f"{game.name}.json").write_text(
        json.dumps({**timeline, "timeline": _timeline(truth["frames"], pictures)})
    )
    return pictures


def _timeline(frames: list[dict[str, Any]], pictures: int) -> list[dict[str, Any]]:
    """By picture of the truth: when, and in which pictures of the video, it is shown."""
    firsts = [round(frame["t"] * RATE) for frame in frames] + [pictures]
    return [
        {
            "i": frame["i"],
            "kind": frame["kind"],
            "from": frame["t"],
            "to": last / RATE,
            "first": first,
            "count": last - first,
        }
        for frame, (first, last) in zip(frames, pairwise(firsts), strict=True)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1, help="of the first game that is considered")
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--plies", type=int, default=10)
    given = parser.parse_args()
    written = 0
    for seed in count(given.seed):
        if written == given.count:
            break
        game = case(seed, given.plies, 0.5, SIZE, RATE)
        if _TILTS[0] <= game.tilt <= _TILTS[1] and game.pitch >= _MIN_PITCH:
            pictures = write(game, given.folder)
            written += 1
            print(f"{game.name}: {pictures} pictures, {game.about()}", flush=True)


if __name__ == "__main__":
    main()
