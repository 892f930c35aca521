"""Measures how much of whole games is read correctly: recordings, altered copies, stills, simulated games.

    python -m benchmarks.accuracy.games [--footage FOLDER] [--variants] [--games N] [--seed S] [--plies N]
                                  [--quick TURNS] [--thinking SECONDS] [--workers N] [--peers]
                                  [--ablate PART…] [--minutes M] [--json FILE] [--failures DIR]

Simulated games have the seeds S, S + 1, …; each is determined by its seed, so a failed game can be repeated
with ``--seed THAT --games 1``. ``--quick`` first plays this many turns without hands or trouble, because tall
stacks are hardest, and they come late in a game. With ``--thinking`` the players think between turns for that
time, give or take half, at five pictures a second: meanwhile arms and heads pass over, hands hover, pieces
are put back, the light drifts and the camera is nudged. The two peer methods (``--peers``), and our own
without a part (``--ablate``), get the same frames in the same run. With ``--json`` every game is saved when
it is done, one per line, and saved games are not repeated; ``--minutes`` starts no further game after that
time. ``--failures`` saves, for every game with an error, the picture of its first problem with what was
believed and what was true, and one line that describes it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2

from benchmarks import history
from benchmarks.accuracy import failure_sheets as failing
from benchmarks.accuracy import report
from benchmarks.accuracy.contest import ABLATIONS, Contestant, Ours, run_all, scores
from benchmarks.accuracy.footage import Recording, recordings, still_scores, variants
from benchmarks.accuracy.peers import BackgroundDifference, NearestColour
from benchmarks.accuracy.scoring import Json
from benchmarks.accuracy.simulated import Case, case
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.simulator.for_tests.corner_error import corner_error
from focus_companion.vision.capture.frames import Frame, Image
from focus_companion.vision.detection.find_board import find_board
from focus_companion.vision.geometry.board_profiles import plastic_sets
from focus_companion.vision.geometry.scene import Camera
from focus_companion.vision.geometry.stack_masks import Outlines


@dataclass(frozen=True)
class Watched:
    """A game to be watched, from any source."""

    name: str
    group: str
    about: dict[str, Any]
    rules: Rules
    camera: Camera
    truth: Callable[[], Json]
    frames: Callable[[], Iterable[Frame]]
    picture: Callable[[int], Image]
    moment: Callable[[float], tuple[Image, Outlines]]


def of_case(game: Case) -> Watched:
    return Watched(
        game.name,
        "simulated",
        game.about(),
        game.rules,
        game.look.camera,
        game.truth,
        game.frames,
        game.picture,
        game.moment,
    )


def of_recording(recording: Recording) -> Watched:
    return Watched(
        recording.name,
        recording.group,
        recording.about(),
        recording.rules,
        recording.camera,
        recording.truth,
        recording.frames,
        recording.picture,
        recording.moment,
    )


def watch(game: Watched, options: argparse.Namespace) -> report.Result:
    """One game watched by all contestants, with their scores."""
    ours = Ours(game.rules)
    contestants: list[Contestant] = [ours, *(Ours(game.rules, part) for part in options.ablate)]
    if options.peers:
        contestants += [method(game.rules, game.camera) for method in (NearestColour, BackgroundDifference)]
    began, worked = time.monotonic(), time.process_time()
    runs = run_all(game.frames(), contestants)
    truth = game.truth()
    mount = ours.pipeline.mount()
    result: report.Result = {
        "name": game.name,
        "group": game.group,
        **game.about,
        "mount": str(mount["verdict"]) if mount else "not found",
        "scores": scores(truth, runs),
        "errors": {name: run.error for name, run in runs.items() if run.error},
        "seconds": {name: round(run.seconds, 2) for name, run in runs.items()},
        "took": round(time.monotonic() - began, 1),
        "processor": round(time.process_time() - worked, 1),
    }
    score = result["scores"]["ours"]
    if not score.all_right:
        start = game.picture(int(truth["frames"][0]["i"]))
        result["found"] = _found(start, game)
        if options.failures is not None and score.problems:
            problem = score.problems[0]
            seen = game.moment(failing.moment(problem))
            drawn = failing.sheet(seen, truth, runs["ours"].events, problem, game.name)
            failing.keep(options.failures, game.name, drawn, failing.line(game.name, problem))
    return result


def _found(image: Image, game: Watched) -> str:
    """The finder's result on the first picture, which distinguishes a wrong pose from a wrong reading."""
    found = find_board(image, plastic_sets(), start_position(game.rules).stacks)
    if found is None:
        return "no"
    off = corner_error(found.camera, game.camera, found.profile, turns=1)
    return f"{off:.2f} squares off as {found.profile.name}"


def recorded(options: argparse.Namespace) -> Iterator[Watched]:
    """The requested recordings, and their variants."""
    if options.footage is not None:
        for recording in recordings(options.footage):
            yield of_recording(recording)
        if options.variants:
            for recording in variants(options.footage):
                yield of_recording(recording)


def watch_seed(seed: int, options: argparse.Namespace) -> report.Result:
    """Watch the simulated game of a seed; callable in another process."""
    cv2.setNumThreads(1)
    fps = options.fps or (5.0 if options.thinking else None)
    game = case(seed, options.plies, options.trouble, options.size, fps, options.thinking, options.quick)
    return watch(of_case(game), options)


def results(options: argparse.Namespace, done: set[str], end: float) -> Iterator[report.Result]:
    """All requested games not done yet, recordings first, started before ``end``."""
    for game in recorded(options):
        if game.name not in done and time.monotonic() < end:
            yield watch(game, options)
    due = (s for s in range(options.seed, options.seed + options.games) if f"simulated-{s}" not in done)
    if options.workers < 2:
        for seed in due:
            if time.monotonic() > end:
                break
            yield watch_seed(seed, options)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.workers, mp_context=context) as pool:
        running: set[Future[report.Result]] = set()
        while True:
            while len(running) < options.workers and time.monotonic() < end:
                next_seed = next(due, None)
                if next_seed is None:
                    break
                running.add(pool.submit(watch_seed, next_seed, options))
            if not running:
                return
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                yield future.result()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--footage", type=Path, help="folder of recordings, with its assemble.py, and of stills"
    )
    parser.add_argument(
        "--variants", action="store_true", help="also recordings in other sizes, rates, paces"
    )
    parser.add_argument("--games", type=int, default=20, help="simulated games (default 20)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first simulated game (default 1)")
    parser.add_argument("--plies", type=int, default=20, help="turns of a simulated game (default 20)")
    parser.add_argument(
        "--quick", type=int, default=0, metavar="TURNS", help="turns played quickly before those (none)"
    )
    parser.add_argument(
        "--trouble", type=float, default=0.3, help="share of turns with trouble (default 0.3)"
    )
    parser.add_argument("--size", type=_size, help="WIDTHxHEIGHT of simulated pictures, else any")
    parser.add_argument("--fps", type=float, help="simulated pictures a second, else any rate")
    parser.add_argument("--peers", action="store_true", help="the two peer methods on the same frames")
    parser.add_argument(
        "--ablate", nargs="+", default=[], choices=ABLATIONS, help="also ourselves without these parts"
    )
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no game after so long")
    parser.add_argument(
        "--thinking", type=float, default=0.0, metavar="SECONDS", help="time between simulated turns (none)"
    )
    parser.add_argument("--workers", type=int, default=1, help="simulated games at a time (default 1)")
    parser.add_argument(
        "--json", "--results", dest="json", type=Path, help="keep results here, and go on from those kept"
    )
    parser.add_argument("--failures", type=Path, help="keep pictures of what fails here")
    options = parser.parse_args()
    cv2.setNumThreads(1)

    kept = report.load(options.json)
    end = time.monotonic() + 60 * options.minutes
    seeds = f"simulated seeds {options.seed} to {options.seed + options.games - 1}"
    print(f"commit {history.commit()}, {seeds}, thinking {options.thinking:g} s", flush=True)
    for result in results(options, {result["name"] for result in kept}, end):
        report.keep(options.json, result)
        kept.append(result)
        _tell(result)
    if time.monotonic() > end:
        print("Out of time; go on with --json.", file=sys.stderr)
    _sum_up(kept)
    if kept:
        given = [f"--{name} {getattr(options, name):g}" for name in ("plies", "quick", "trouble", "thinking")]
        history.append("accuracy.games", ", ".join([seeds, *given]), report.for_history(kept, "ours"))
    if options.footage is not None:
        print("\n## Stills\n")
        print(still_scores(options.footage))
    return 0 if all(result["scores"]["ours"].all_right for result in kept) else 1


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    return int(width), int(height)


def _tell(result: report.Result) -> None:
    """One line of progress."""
    score = result["scores"]["ours"]
    state = "all right"
    if not score.all_right:
        parts = [f"plies {score.plies_ok}/{score.plies_due}", f"alerts {score.alerts_ok}/{score.alerts_due}"]
        parts += [f"false alerts {score.false_alerts}", f"board found: {result['found']}"]
        parts += [f"first at {problem.time:.1f} s: {problem.kind}" for problem in score.problems[:1]]
        state = "; ".join([*parts, result["errors"].get("ours", "")])
    view = f"tilt {result['tilt']}, pitch {result['pitch']}, mount {result['mount']}"
    print(f"{result['name']} ({view}): {state} [{result['took']} s]", flush=True)


def _sum_up(results: list[report.Result]) -> None:
    if not results:
        return
    minutes = sum(float(result.get("processor", 0)) for result in results) / 60
    hours = sum(result["scores"]["ours"].seconds for result in results) / 3600
    print(f"\n{len(results)} games, {hours:.2f} hours, in {minutes:.1f} minutes of processor time")
    for head, text in (
        ("Figures", report.by_group(results)),
        ("Illegal acts", report.by_reason(results, "ours")),
        ("By tilt and pitch", report.by_view(results, "ours")),
        ("By what the mount check says", report.by_mount(results, "ours")),
        ("What failed first", report.first_problems(results, "ours")),
    ):
        print(f"\n## {head}\n\n{text}")


if __name__ == "__main__":
    sys.exit(main())
