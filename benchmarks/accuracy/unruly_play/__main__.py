"""Measures what is made of play that is not simply turn after turn: pieces lifted, put right, taken back…

    python -m benchmarks.accuracy.unruly_play [--views TILT,AZIMUTH…] [--only TEXT…] [--workers N] [--list]

The sequences are in the text files beside this module, whose form is described in its ``sequences``. Each is
shown from every view, in pictures of 640×480 at 10 a second, and judged against the truth. Prints, as they
come, those that are not right: the view, the place in the file, what was expected there and what was made of
it; then how many were what, by view.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import cv2

from benchmarks import history
from benchmarks.accuracy.report import table
from benchmarks.accuracy.unruly_play.sequences import PlaySequence, sequences
from benchmarks.accuracy.unruly_play.table import CameraView, watched
from benchmarks.accuracy.unruly_play.truth import moments
from benchmarks.accuracy.unruly_play.verdicts import VERDICTS, Ruling, judged

VIEWS = tuple(CameraView(tilt, azimuth) for azimuth in (7, -30) for tilt in (35, 20, 13))


def ruling(sequence: PlaySequence, view: CameraView) -> Ruling:
    """What was made of a sequence; callable in another process."""
    cv2.setNumThreads(1)
    truth = moments(sequence)
    return judged(truth, list(watched(sequence.rules, truth, view)))


def rulings(asked: list[PlaySequence], view: CameraView, workers: int) -> Iterator[Ruling]:
    """What was made of each sequence, in order."""
    if workers < 2:
        yield from map(partial(ruling, view=view), asked)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        yield from pool.map(partial(ruling, view=view), asked)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.accuracy.unruly_play",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--views",
        nargs="+",
        type=_view,
        default=VIEWS,
        metavar="TILT,AZIMUTH",
        help="degrees off the vertical, and around the board (default: six views)",
    )
    parser.add_argument("--only", nargs="+", default=[], help="sequences whose place or title has this text")
    parser.add_argument("--workers", type=int, default=1, help="sequences at a time (default 1)")
    parser.add_argument("--list", action="store_true", help="list the sequences, and show none")
    options = parser.parse_args()
    asked = [s for s in sequences() if _is_asked(s, options.only)]
    if options.list:
        print("\n".join(f"{sequence.place}: {sequence.name}" for sequence in asked))
        return 0

    print(f"commit {history.commit()}, {len(asked)} sequences", flush=True)
    began = time.monotonic()
    counts: dict[CameraView, Counter[str]] = {}
    for view in options.views:
        counts[view] = Counter()
        for sequence, found in zip(asked, rulings(asked, view, options.workers), strict=True):
            counts[view][found.verdict] += 1
            if found.verdict != "right":
                _tell(sequence, view, found)
    print(f"\n{(time.monotonic() - began) / 60:.1f} minutes\n")
    rows = [[str(view), *(counted[verdict] for verdict in VERDICTS)] for view, counted in counts.items()]
    print(table(rows, ["view", *VERDICTS]))
    if not options.only:
        _remember(counts, len(asked))
    return 0 if all(set(counted) <= {"right"} for counted in counts.values()) else 1


def _tell(sequence: PlaySequence, view: CameraView, found: Ruling) -> None:
    """One line about a sequence that is not right."""
    file = sequence.place.partition(":")[0]
    details = f" line {found.line}: expected {found.expected}; got {found.got}" if found.line else ""
    print(f"{view}: {found.verdict}: {file}: {sequence.name}:{details}", flush=True)


def _remember(counts: dict[CameraView, Counter[str]], number: int) -> None:
    for view, counted in counts.items():
        figures = {verdict: counted[verdict] for verdict in VERDICTS if counted[verdict]}
        history.append("accuracy.unruly_play", f"{number} sequences, {view}", figures)


def _is_asked(sequence: PlaySequence, texts: Iterable[str]) -> bool:
    named = f"{sequence.place} {sequence.name}"
    return not texts or any(text in named for text in texts)


def _view(text: str) -> CameraView:
    tilt, _, azimuth = text.partition(",")
    return CameraView(float(tilt), float(azimuth or 0))


if __name__ == "__main__":
    sys.exit(main())
