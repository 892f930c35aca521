"""How much of real games is told rightly: recordings, changed copies of them, stills, and simulated games.

    python benchmarks/accuracy.py [--footage FOLDER] [--variants] [--games N] [--seed S] [--plies N]
                                  [--peers] [--minutes M] [--results FILE] [--pictures DIR]

Simulated games have the seeds S, S + 1, …; each follows from its seed alone, so a game that failed is watched
again with ``--seed THAT --games 1``. The two peer methods see the same frames in the same run. With
``--results`` every game is kept as soon as it is done, and those kept are not watched again; ``--minutes``
begins no further game after that time. ``--pictures`` keeps, of every game that is not all right, the
pictures of its first problem.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import report
from contest import Contestant, Ours, hold, scores
from finding import corner_error
from footage import Recording, recordings, still_scores, variants
from peers import BackgroundDifference, NearestColour
from scoring import Json
from simulated import Case, case

from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.vision.finder import find_board
from focus_companion.vision.frames import Frame, Image
from focus_companion.vision.profiles import plastic_sets
from focus_companion.vision.scene import Camera


@dataclass(frozen=True)
class Watched:
    """A game that can be watched, wherever it comes from."""

    name: str
    group: str
    about: dict[str, Any]
    rules: Rules
    camera: Camera
    truth: Callable[[], Json]
    frames: Callable[[], Iterable[Frame]]
    picture: Callable[[int], Image]


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
    )


def watch(game: Watched, with_peers: bool, pictures: Path | None) -> report.Result:
    """One game before all contestants, with its scores."""
    ours = Ours(game.rules)
    contestants: list[Contestant] = [ours]
    if with_peers:
        contestants += [method(game.rules, game.camera) for method in (NearestColour, BackgroundDifference)]
    began = time.monotonic()
    runs = hold(game.frames(), contestants)
    truth = game.truth()
    result: report.Result = {
        "name": game.name,
        "group": game.group,
        **game.about,
        "scores": scores(truth, runs),
        "errors": {name: run.error for name, run in runs.items() if run.error},
        "seconds": {name: round(run.seconds, 2) for name, run in runs.items()},
        "took": round(time.monotonic() - began, 1),
    }
    score = result["scores"]["ours"]
    if not score.all_right:
        start = game.picture(int(truth["frames"][0]["i"]))
        result["found"] = _found(start, game)
        if pictures is not None:
            at = score.problems[0].frame if score.problems else 0
            shown = game.picture(at)
            pictures.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(pictures / f"{game.name}-{at}.jpg"), shown)
            cv2.imwrite(str(pictures / f"{game.name}-{at}-reading.jpg"), ours.overlay(shown))
    return result


def _found(image: Image, game: Watched) -> str:
    """How the finder alone does on the first picture: to tell a wrong pose from a wrong reading."""
    found = find_board(image, plastic_sets(), start_position(game.rules).stacks)
    if found is None:
        return "no"
    off = corner_error(found.camera, game.camera, found.profile, turns=1)
    return f"{off:.2f} squares off as {found.profile.name}"


def games(options: argparse.Namespace) -> Iterator[Watched]:
    """All games that are asked for, recordings first."""
    if options.footage is not None:
        for recording in recordings(options.footage):
            yield of_recording(recording)
        if options.variants:
            for recording in variants(options.footage):
                yield of_recording(recording)
    for seed in range(options.seed, options.seed + options.games):
        yield of_case(case(seed, options.plies, options.trouble, options.size, options.fps))


def commit() -> str:
    """The commit of this checkout, for the head of the results."""
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, cwd=Path(__file__).parent
    )
    return done.stdout.strip() or "unknown"


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
        "--trouble", type=float, default=0.3, help="share of turns with trouble (default 0.3)"
    )
    parser.add_argument("--size", type=_size, help="WIDTHxHEIGHT of simulated pictures, else any")
    parser.add_argument("--fps", type=float, help="simulated pictures a second, else any rate")
    parser.add_argument("--peers", action="store_true", help="the two peer methods on the same frames")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no game after so long")
    parser.add_argument("--results", type=Path, help="keep results here, and go on from those kept")
    parser.add_argument("--pictures", type=Path, help="keep pictures of what fails here")
    options = parser.parse_args()
    cv2.setNumThreads(1)

    results = report.load(options.results)
    done = {result["name"] for result in results}
    end = time.monotonic() + 60 * options.minutes
    print(
        f"commit {commit()}, simulated seeds {options.seed} to {options.seed + options.games - 1}", flush=True
    )
    for game in games(options):
        if game.name in done:
            continue
        if time.monotonic() > end:
            print(f"Out of time before {game.name}; go on with --results.", file=sys.stderr)
            break
        result = watch(game, options.peers, options.pictures)
        report.keep(options.results, result)
        results.append(result)
        _tell(result)
    _sum_up(results)
    if options.footage is not None:
        print("\n## Stills\n")
        print(still_scores(options.footage))
    return 0 if all(result["scores"]["ours"].all_right for result in results) else 1


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
    view = f"tilt {result['tilt']}, pitch {result['pitch']}, {result['fps']:g} fps"
    print(f"{result['name']} ({view}): {state} [{result['took']} s]", flush=True)


def _sum_up(results: list[report.Result]) -> None:
    if not results:
        return
    for head, text in (
        ("Figures", report.by_group(results)),
        ("Illegal acts", report.by_reason(results, "ours")),
        ("By tilt and pitch", report.by_view(results, "ours")),
        ("What failed first", report.first_problems(results, "ours")),
    ):
        print(f"\n## {head}\n\n{text}")


if __name__ == "__main__":
    sys.exit(main())
