"""Writes an altered recording: ``… VIDEO OUT EFFECT:STRENGTH… --seed S``, or lists the effects: ``--list``.

VIDEO is ``NAME.mp4`` of a recording, whose truth is ``NAME/truth.json``. OUT is written, and the same truth
beside it as ``.truth.json``: its times and events hold for the altered recording too, but its ``camera`` and
``board_pose`` are those of the unaltered picture. STRENGTH is 1 to 3. Effects are applied in the order in
which ``--list`` names them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np

from benchmarks.accuracy.alterations.effects import EFFECTS, Asked, combined
from benchmarks.accuracy.alterations.scene import Picture, Scene


def write(video: Path, out: Path, asked: Iterable[Asked], seed: int) -> None:
    """Write the video with these effects, and its truth."""
    truth = json.loads((video.parent / video.stem / "truth.json").read_text(encoding="utf-8"))
    with av.open(str(video)) as source, av.open(str(out), "w") as target:
        shown = source.streams.video[0]
        rate = shown.average_rate or Fraction(15)
        scene = Scene(truth, shown.frames / float(rate), (shown.width, shown.height))
        alteration = combined(scene, asked, video.stem, seed)
        stream = target.add_stream("h264", rate=rate, options={"crf": "23", "preset": "veryfast"})
        stream.pix_fmt = "yuv420p"
        for number, frame in enumerate(source.decode(shown)):
            picture: Picture = frame.to_ndarray(format="bgr24").astype(np.float32)
            picture = alteration(picture, number / float(rate))
            if number == 0:
                # An effect may have changed the size.
                stream.height, stream.width = picture.shape[:2]
            changed = np.clip(picture, 0, 255, out=picture).astype(np.uint8)
            target.mux(stream.encode(av.VideoFrame.from_ndarray(changed, format="bgr24")))
        target.mux(stream.encode())
    out.with_suffix(".truth.json").write_text(json.dumps(truth), encoding="utf-8")


def listed() -> str:
    """The name of every effect and what happens."""
    lines = ((name, (effect.__doc__ or "").partition("\n")[0]) for name, effect in EFFECTS.items())
    return "\n".join(f"{name:13} {line}" for name, line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("video", type=Path, nargs="?")
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("effects", nargs="*", metavar="EFFECT:STRENGTH")
    parser.add_argument("--seed", type=int, default=1, help="of all that is random (1)")
    parser.add_argument("--list", action="store_true", help="name the effects")
    given = parser.parse_intermixed_args()
    if given.list:
        print(listed())
        return
    if not given.effects:
        parser.error("name a video, a file to write, and at least one effect")
    try:
        asked = [Asked.parse(text) for text in given.effects]
    except ValueError as error:
        parser.error(str(error))
    cv2.setNumThreads(1)
    write(given.video, given.out, asked, given.seed)


if __name__ == "__main__":
    main()
