"""Tests whether the mount check predicts where heights are misread, on simulated tables in many views.

    python -m benchmarks.accuracy.placement_check [--looks N] [--seed S] [--positions P]
                               [--least-tilt D] [--least-pitch PX] [--minutes M]

For every look, the board is found, its colours are learned and the mount is checked on a picture of the start
position. Then P pictures of random positions with tall stacks are evaluated. *Alone*: the share of stacks for
which a stack with one piece more or less (on top, at the bottom, or taken out) explains the picture at least
as well as the true one. *In a turn*: the same for two squares at once, one with a piece less and the other
with a piece more, as when a player moves the wrong number of pieces. Looks whose board is not found, or is
more than half a square off, are counted separately.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np

from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_stacks
from focus_companion.simulator.board_view import BoardView
from focus_companion.simulator.for_tests.random_look import random_look
from focus_companion.simulator.scene_style import SceneStyle
from focus_companion.simulator.stage import Stage
from focus_companion.vision.appearance.background import Background
from focus_companion.vision.appearance.colour_model import ColourModel
from focus_companion.vision.appearance.evidence import Evidence
from focus_companion.vision.appearance.first_colours import usual_pieces
from focus_companion.vision.appearance.learning import learn
from focus_companion.vision.detection.find_board import find_board
from focus_companion.vision.geometry.board_profiles import plastic_sets
from focus_companion.vision.geometry.stack_masks import Outlines
from focus_companion.vision.placement_check import Mount, check_mount, try_picture

PAIRS_PER_POSITION = 200
"""Pairs of squares sampled from each position."""

NATS_BINS = (0.0, 2.5, 5.0, 10.0, 20.0, 40.0, 1e9)
"""Bins in nats, for the table by square."""


@dataclass(frozen=True)
class Weighed:
    """By how many nats a stack beats the best one with a piece less, and the best with a piece more."""

    square: int
    less: float
    more: float


@dataclass(frozen=True)
class Table:
    """One look: the verdict on its mount, and the evaluated stacks by position."""

    seed: int
    mount: Mount
    positions: tuple[tuple[Weighed, ...], ...]

    @property
    def alone(self) -> list[tuple[float, bool]]:
        """(predicted nats, misread) of every stack."""
        return [
            (self.mount.nats[w.square], min(w.less, w.more) <= 0)
            for weighed in self.positions
            for w in weighed
        ]

    @property
    def turns(self) -> list[bool]:
        """For each of some sampled pairs, whether it is misread."""
        rng = np.random.default_rng(self.seed)
        misread = []
        for weighed in self.positions:
            for _ in range(PAIRS_PER_POSITION):
                one, other = rng.choice(len(weighed), 2, replace=False)
                margin = weighed[one].less + weighed[other].more
                if np.isfinite(margin):
                    misread.append(margin <= 0)
        return misread


def random_stacks(rng: np.random.Generator, letters: str) -> tuple[str, ...]:
    """Stacks of one to five pieces on three quarters of the squares, half of them of one colour."""
    stacks = []
    for _ in range(52):
        height = int(rng.integers(1, 6)) if rng.random() < 0.75 else 0
        mixed = rng.random() < 0.5
        pieces = rng.choice(list(letters), height if mixed else 1)
        stacks.append("".join(pieces) if mixed else str(pieces[0]) * height)
    return tuple(stacks)


def like(stack: str, letters: str) -> tuple[set[str], set[str]]:
    """The stacks with a piece less, and those with a piece more, that look most like this one."""
    less = {stack[1:], stack[:-2] + stack[-1], stack[0] + stack[2:]} if len(stack) > 1 else set()
    more = {letter + stack for letter in letters} | {stack + stack[-1]} if len(stack) < 5 else set()
    return less, more


def weigh(evidence: Evidence, stacks: Sequence[str], letters: str) -> tuple[Weighed, ...]:
    """Compare every stack of a picture with those that look most like it."""
    weighed = []
    for square, stack in enumerate(stacks):
        if stack:
            margins = [
                min((-evidence.stack_gain(square, other).nats for other in others), default=np.inf)
                for others in like(stack, letters)
            ]
            weighed.append(Weighed(square, *margins))
    return tuple(weighed)


def look_at(seed: int, positions: int, least_tilt: float, least_pitch: float) -> Table | str:
    """Evaluate one look, or say why it cannot be."""
    rng = np.random.default_rng([seed, 77])
    players = int(rng.choice([2, 2, 3, 4]))
    letters = {2: "gr", 3: "gbr", 4: "gbyr"}[players]
    look: SceneStyle = random_look(rng)
    truth = look.camera
    if truth.tilt < least_tilt or truth.pitch_pixels(look.profile) < least_pitch:
        return "other view"
    start = start_stacks(Rules.make(players))
    view = BoardView(look)
    first = view.shoot(Stage(start, seats={}), rng)
    found = find_board(first, plastic_sets(), start)
    if found is None:
        return "not found"
    gap = found.camera.project(found.profile.corners) - truth.project(look.profile.corners)
    if np.linalg.norm(gap, axis=1).mean() > 0.5 * truth.pitch_pixels(look.profile):
        return "found elsewhere"
    outlines = Outlines(found.camera, found.profile)
    colours, background = ColourModel(), Background()
    colours.guess(usual_pieces(letters))
    learn(first, outlines, start, colours, background, keep=0.0)
    trial = try_picture(Evidence(first, outlines, colours, background, start), letters)
    weighed = []
    for _ in range(positions):
        stacks = random_stacks(rng, letters)
        image = view.shoot(Stage(stacks, seats={}), rng)
        weighed.append(weigh(Evidence(image, outlines, colours, background, stacks), stacks, letters))
    return Table(seed, check_mount(outlines, trial), tuple(weighed))


def share(values: Iterable[bool]) -> str:
    """A share in per cent, with the sample size."""
    sample = list(values)
    return f"{100 * np.mean(sample):.1f} % of {len(sample)}" if sample else "–"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--looks", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--positions", type=int, default=2)
    parser.add_argument("--least-tilt", type=float, default=0.0)
    parser.add_argument("--least-pitch", type=float, default=0.0)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no look after so long")
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    cv2.setNumThreads(1)
    tables: list[Table] = []
    last = options.seed
    other: dict[str, list[int]] = defaultdict(list)
    for seed in range(options.seed, options.seed + options.looks):
        if time.monotonic() > end:
            print(f"Out of time before seed {seed}.")
            break
        last = seed
        table = look_at(seed, options.positions, options.least_tilt, options.least_pitch)
        if isinstance(table, str):
            other[table].append(seed)
            continue
        tables.append(table)
        mount, trial = table.mount, table.mount.trial
        print(
            f"{seed}: tilt {mount.tilt:.0f}° pitch {mount.pitch:.0f} clearness {trial.clearness:.2f} misfit "
            f"{trial.misfit:.3f} nats {np.percentile(mount.nats, 10):.1f} {mount.verdict} "
            f"[{' '.join(mount.advice)}]: alone {share(bad for _, bad in table.alone)}, "
            f"in a turn {share(table.turns)}",
            flush=True,
        )
    print(f"\nSeeds {options.seed} to {last}, {len(tables)} tables; "
          f"left out: {dict(other)}\n")  # fmt: skip
    print("| verdict | tables | heights misread alone | in a turn | worst table, in a turn |\n"
          "| --- | --- | --- | --- | --- |")  # fmt: skip
    for verdict in ("sure", "fair", "hard"):
        some = [table for table in tables if table.mount.verdict == verdict]
        alone = share(bad for table in some for _, bad in table.alone)
        turns = share(bad for table in some for bad in table.turns)
        worst = max((100 * float(np.mean(table.turns)) for table in some), default=0.0)
        print(f"| {verdict} | {len(some)} | {alone} | {turns} | {worst:.1f} % |")
    print("\n| nats promised for the square | heights misread alone |\n| --- | --- |")
    every = [pair for table in tables for pair in table.alone]
    for low, high in pairwise(NATS_BINS):
        band = f"{low:g} to {high:g}" if high < 1e8 else f"from {low:g}"
        print(f"| {band} | {share(bad for nats, bad in every if low <= nats < high)} |")


if __name__ == "__main__":
    main()
