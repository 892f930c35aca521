"""Measures the speed of watching, compared with decoding alone.

    python -m benchmarks.speed.watching VIDEO --players N --order COLOURS [--runs 5]

Prints, as medians of alternating processes (decode, watch, decode, watch, …): seconds to decode the video
with OpenCV, seconds to watch it, their pairwise ratio, the same without start-up and finding the board (the
time that the first second of the video takes), and the peak memory of watching. Then, within one process:
milliseconds for a frame on which nothing happens, for decoding a JPEG picture of that size, and for judging a
settled picture, and seconds for finding the board. Last, the processor time on the same frames of our method
and the two peer methods, which get the corners from our finder.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import history

DECODE = "import cv2, sys; c = cv2.VideoCapture(sys.argv[1])\nwhile c.read()[0]: pass"


def seconds(*command: str) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began


def first_second(video: str, folder: str) -> str:
    """A video of the first second, which takes little more than start-up and finding the board."""
    import cv2

    source = cv2.VideoCapture(video)
    rate = source.get(cv2.CAP_PROP_FPS)
    size = int(source.get(cv2.CAP_PROP_FRAME_WIDTH)), int(source.get(cv2.CAP_PROP_FRAME_HEIGHT))
    path = str(Path(folder) / "start.avi")
    clip = cv2.VideoWriter(path, cv2.VideoWriter.fourcc(*"MJPG"), rate, size)
    for _ in range(round(rate)):
        clip.write(source.read()[1])
    clip.release()
    return path


def whole(video: str, rules: list[str], runs: int) -> dict[str, str]:
    """Time decoding and watching in alternating processes, for the start of the video and all of it."""
    taken: dict[str, list[float]] = {"decode start": [], "watch start": [], "decode": [], "watch": []}
    with tempfile.TemporaryDirectory() as folder:
        events = str(Path(folder) / "events.jsonl")
        start = first_second(video, folder)
        for _ in range(runs):
            for name, shown in ((" start", start), ("", video)):
                taken["decode" + name].append(seconds(sys.executable, "-c", DECODE, shown))
                watch = ["-m", "focus_companion.cli", "watch", shown, *rules, "--events", events]
                taken["watch" + name].append(seconds(sys.executable, *watch))
    pairs = list(zip(*taken.values(), strict=True))
    decoded, watched = statistics.median(taken["decode"]), statistics.median(taken["watch"])
    rest = statistics.median((w - ws) / (d - ds) for ds, ws, d, w in pairs)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return {
        "decoding": f"{decoded:.2f} s",
        "watching": f"{watched:.2f} s",
        "ratio, median of pairs": f"{statistics.median(w / d for _, _, d, w in pairs):.2f}",
        "start-up and finding the board": f"{statistics.median(taken['watch start']):.2f} s",
        "ratio without start-up": f"{rest:.2f}",
        "peak memory of watching": f"{peak:.0f} MB",
    }


def inside(video: str, players: int, order: str) -> dict[str, str]:
    """Time the parts of watching within this process."""
    import cv2

    from focus_companion.game.rules import Rules
    from focus_companion.session.pipeline import Pipeline
    from focus_companion.session.session import Session
    from focus_companion.vision.capture.sources import open_source

    session = Session(Rules.make(players=players, order=order), {}, None, Pipeline)
    taken: list[tuple[float, int]] = []
    jpeg = b""
    with open_source(video) as frames:
        for frame in frames:
            if not jpeg:
                jpeg = cv2.imencode(".jpg", frame.image)[1].tobytes()
            began = time.perf_counter()
            emitted = session.push(frame)
            taken.append((time.perf_counter() - began, len(emitted)))
    import numpy as np

    buffer = np.frombuffer(jpeg, np.uint8)
    decoding = []
    for _ in range(50):
        began = time.perf_counter()
        cv2.imdecode(buffer, cv2.IMREAD_COLOR)
        decoding.append(time.perf_counter() - began)
    finding = max(t for t, _ in taken)
    telling = [t for t, count in taken if count and t < finding]
    return {
        "idle frame": f"{statistics.median(t for t, _ in taken) * 1e3:.2f} ms",
        "decoding its JPEG": f"{statistics.median(decoding) * 1e3:.2f} ms",
        "judging a settled picture, median": f"{statistics.median(telling) * 1e3:.0f} ms",
        "slowest frame (the board is found)": f"{finding:.2f} s",
    }


def beside(video: str, players: int, order: str) -> dict[str, str]:
    """Time our method and the peer methods on the same frames, one after the other on each frame."""
    from benchmarks.accuracy.contest import Contestant, Ours
    from benchmarks.accuracy.peers import BackgroundDifference, NearestColour
    from focus_companion.game.rules import Rules
    from focus_companion.game.setups import start_stacks
    from focus_companion.vision.capture.sources import open_source
    from focus_companion.vision.detection.find_board import find_board
    from focus_companion.vision.geometry.board_profiles import plastic_sets

    rules = Rules.make(players=players, order=order)
    contestants: list[Contestant] = []
    taken: dict[str, list[float]] = {}
    turns: dict[str, int] = {}
    with open_source(video) as frames:
        for frame in frames:
            if not contestants:
                found = find_board(frame.image, plastic_sets(), start_stacks(rules))
                if found is None:
                    sys.exit("the board is not found in the first picture: the peers need its corners")
                contestants = [Ours(rules)]
                contestants += [peer(rules, found.camera) for peer in (NearestColour, BackgroundDifference)]
            for contestant in contestants:
                began = time.thread_time()
                emitted = contestant.see(frame)
                taken.setdefault(contestant.name, []).append(time.thread_time() - began)
                turns[contestant.name] = turns.get(contestant.name, 0) + sum(
                    e["type"] == "move" for e in emitted
                )
    figures: dict[str, str] = {}
    for name, each in taken.items():
        # Without the picture in which ours finds the board, because the others never search for it.
        rest = sum(each) - (max(each) if name == Ours.name else 0.0)
        median = statistics.median(each) * 1e3
        figures[f"processor time, {name}"] = (
            f"a picture {median:.2f} ms, all {rest:.2f} s, {turns[name]} turns"
        )
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("video")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--order", default="green,red")
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    figures = whole(given.video, ["--players", str(given.players), "--order", given.order], given.runs)
    figures |= inside(given.video, given.players, given.order)
    figures |= beside(given.video, given.players, given.order)
    for measure, value in figures.items():
        print(f"{measure}: {value}")
    history.append("speed.watching", Path(given.video).stem, figures)


if __name__ == "__main__":
    main()
