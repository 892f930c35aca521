"""Measures how well recordings are read after a program has altered their light, camera or stream.

    python -m benchmarks.accuracy.life PROGRAM FOLDER [--effects NAME…] [--recordings NAME…] [--strengths N…]
                              [--seed S] [--cache DIR] [--csv FILE] [--events DIR]

PROGRAM, a Python file or a package such as ``benchmarks/accuracy/alterations``, alters a recording:
``PROGRAM VIDEO OUT EFFECT:STRENGTH --seed S`` writes OUT and, beside it, its ``.truth.json``; ``PROGRAM
--list`` names the effects. FOLDER holds ``NAME.mp4``, ``NAME.json`` and ``NAME/truth.json`` of each
recording. An altered video is made once and kept in the cache. One row is printed for every run, and appended
to the CSV. ``none`` is the unaltered recording.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import cv2

from benchmarks.accuracy.contest import Ours, run_all
from benchmarks.accuracy.scoring import Json, Score, score
from benchmarks.history import commit
from focus_companion.game.rules import Rules
from focus_companion.vision.capture.sources import open_source

ROOT: Final = Path(__file__).resolve().parents[2]
"""Of the checkout."""

FAILED_EFFECTS: Final = (
    "bodyshadow", "reflection", "sway", "nudge", "head", "flicker", "autofocus", "autoexp", "noise", "grey",
    "mirror",
)  # fmt: skip
"""Effects of another program with which recordings have failed; used by default."""

COLUMNS: Final = (
    "commit", "recording", "effect", "strength", "seed", "exact", "plies_ok", "plies_due", "alerts_ok",
    "alerts_due", "false_alerts", "wrong_moves", "late_moves", "asked", "silent", "lost", "all_right",
    "processor",
)  # fmt: skip


@dataclass(frozen=True)
class AlteredRecording:
    """One recording under one effect."""

    recording: str
    effect: str
    strength: int
    seed: int

    @property
    def name(self) -> str:
        return f"{self.recording}-{self.effect}-{self.strength}-s{self.seed}"

    def made(self, program: Path, folder: Path, cache: Path) -> tuple[Path, Json]:
        """The video, made if missing, and its truth."""
        source = folder / f"{self.recording}.mp4"
        video = source if self.effect == "none" else cache / f"{self.name}.mp4"
        truth = (
            folder / self.recording / "truth.json" if video == source else video.with_suffix(".truth.json")
        )
        if not truth.exists():
            # A combination of effects that the program names, such as +phone, has strengths of its own.
            effects = [
                effect if effect.startswith("+") else f"{effect}:{self.strength}"
                for effect in self.effect.split(",")
            ]
            # A package here imports its modules by their full names.
            path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
            environment = {**os.environ, "PYTHONPATH": path}
            with TemporaryDirectory(dir=cache) as apart:
                command = [sys.executable, str(program), str(source), str(Path(apart) / video.name)]
                command += [*effects, "--seed", str(self.seed)]
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
                # The truth comes last: once it is there, another run takes the video from the cache.
                for file in sorted(Path(apart).iterdir(), key=lambda file: file.name == truth.name):
                    file.replace(cache / file.name)
        content: Json = json.loads(truth.read_text(encoding="utf-8"))
        return video, content


def rules_of(truth: Json) -> Rules:
    """The rules by which a recorded game was played."""
    settings = truth["settings"]
    order = "".join(settings["order"]).lower()
    return Rules.make(settings["players"], order=order, partners=settings["partners"])


def watched(video: Path, truth: Json) -> tuple[Score, list[dict[str, Any]], float]:
    """The score of one video, the emitted events, and seconds of processor time."""
    with open_source(str(video)) as source:
        run = run_all(source, [Ours(rules_of(truth))])[Ours.name]
    if run.error:
        print(f"{video.name}: {run.error}", file=sys.stderr)
    return score(truth, run.events), run.events, run.seconds


def runs(options: argparse.Namespace) -> Iterator[AlteredRecording]:
    names = options.recordings or sorted(path.parent.name for path in options.folder.glob("*/truth.json"))
    for effect in options.effects:
        for strength in options.strengths if effect != "none" else (0,):
            for name in names:
                yield AlteredRecording(name, effect, strength, options.seed)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program", type=Path, help="the program that changes a recording")
    parser.add_argument("folder", type=Path, help="the recordings")
    parser.add_argument(
        "--effects",
        nargs="+",
        default=FAILED_EFFECTS,
        help="which (those that have failed); none; several at once as in nudge,head",
    )
    parser.add_argument("--recordings", nargs="+", help="which (all)")
    parser.add_argument("--strengths", nargs="+", type=int, default=[2], help="1 to 3 (2)")
    parser.add_argument("--seed", type=int, default=1, help="of the effects (1)")
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path(tempfile.gettempdir()) / "focus-companion-life",
        help="changed videos",
    )
    parser.add_argument("--csv", type=Path, help="append a row for every run here")
    parser.add_argument("--events", type=Path, help="keep the events and the problems of every run here")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    options.cache.mkdir(parents=True, exist_ok=True)
    right = True
    version = commit()
    for life in runs(options):
        began = time.monotonic()
        video, truth = life.made(options.program, options.folder, options.cache)
        run, events, processor = watched(video, truth)
        right = right and run.all_right
        lost = sum(event["type"] == "lost" for event in events)
        known = vars(life) | vars(run)
        known |= {
            "commit": version,
            "lost": lost,
            "all_right": run.all_right,
            "processor": round(processor, 1),
        }
        row = {column: known[column] for column in COLUMNS}
        print(_line(row), f"[{time.monotonic() - began:.0f} s]", flush=True)
        if options.csv is not None:
            _append(options.csv, row)
        if options.events is not None:
            options.events.mkdir(parents=True, exist_ok=True)
            kept = [*(json.dumps(event) for event in events), *(f"# {problem}" for problem in run.problems)]
            (options.events / f"{life.name}.jsonl").write_text("\n".join(kept) + "\n", encoding="utf-8")
    return 0 if right else 1


def _line(row: dict[str, Any]) -> str:
    what = f"{row['effect']}:{row['strength']}"
    return (
        f"{row['recording']:16} {what:13} {'exact' if row['exact'] else '     '} "
        f"moves {row['plies_ok']:2}/{row['plies_due']:2} alerts {row['alerts_ok']}/{row['alerts_due']} "
        f"false {row['false_alerts']} wrong {row['wrong_moves']} late {row['late_moves']} "
        f"asked {row['asked']} silent {row['silent']} lost {row['lost']}"
        f"{' ALL RIGHT' if row['all_right'] else ''}"
    )


def _append(path: Path, row: dict[str, Any]) -> None:
    new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if new:
            writer.writeheader()
        writer.writerow(row)


if __name__ == "__main__":
    sys.exit(main())
