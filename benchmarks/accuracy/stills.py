"""Measures how much of a single picture is read correctly, by tilt and by the size of a square.

    python -m benchmarks.accuracy.stills [--stills 48] [--seed 1] [--played] [--footage FOLDER]
                               [--known] [--keep FOLDER] [--jobs N]

Renders random positions for two, three and four players with random looks (each determined by its seed),
reads them, and compares with the truth. A still does not show which side is which, so the best of the four
rotations counts. ``--played`` shows positions of simulated games instead: there, most pieces have another
colour than the piece below. ``--footage`` also reads the stills of a folder of recordings (with
``truth.json``). ``--known`` reads with the true camera and set, and with colours learned from the true
position: what is misread then, a better search would not mend. ``--keep`` caches the rendered pictures in a
folder.

Prints the share of squares with the right top (colour, or empty), the right height and the whole stack right;
the last also for only those squares that have a stack. *Visible* are squares that show at least a dozen spots
of 2×2 pixels of each piece: nothing is hidden there, so nothing has to be guessed. Seconds are processor time
on one thread.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks import history
from benchmarks.accuracy.finding import MAX_CORNER_ERROR, examples
from benchmarks.accuracy.report import PITCH_BINS, TILT_BINS, share
from focus_companion.game.play import apply
from focus_companion.game.rules import ORDERS, Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import FILE, RANK, SQUARES
from focus_companion.simulator.board_view import BoardView
from focus_companion.simulator.for_tests.corner_error import corner_error
from focus_companion.simulator.for_tests.random_look import random_look
from focus_companion.simulator.player import choose
from focus_companion.simulator.stage import Stage
from focus_companion.vision.geometry.board_profiles import board_profile, plastic_sets
from focus_companion.vision.geometry.scene import BoardProfile, Camera
from focus_companion.vision.geometry.stack_masks import Outlines
from focus_companion.vision.single_image.off_centre import read_off_centre
from focus_companion.vision.single_image.read_still import StillReading, read_still
from focus_companion.vision.single_image.search import Explanation
from focus_companion.vision.single_image.view import StillPicture, View

Image = NDArray[np.uint8]

MIN_VISIBLE_SPOTS = 12
"""Minimum number of 2×2 pixel spots of a piece for it to count as visible."""

PIECES_PER_COLOUR = {2: 18, 3: 13, 4: 13}
"""By number of players."""
HEIGHT_FREQUENCIES = (0.42, 0.26, 0.16, 0.1, 0.06)
"""Frequencies of stacks of one to five pieces in the random positions."""

_AT = {(f, r): s for s, (f, r) in enumerate(zip(FILE, RANK, strict=True))}


@dataclass(frozen=True)
class Still:
    """A picture with its truth."""

    name: str
    image: Image
    letters: str
    camera: Camera
    profile: BoardProfile
    stacks: tuple[str, ...]

    def shown(self) -> list[bool]:
        """For each square, whether all of its pieces (or its bare dome) are visible."""
        outlines = Outlines(self.camera, self.profile)
        window = outlines.window(range(len(SQUARES)))
        # A bare dome is rendered as a piece of its own, identified by its square.
        levels = np.zeros(window.shape, int)
        for square in outlines.far_to_near:
            column = outlines.columns[square]
            part = levels[column.window.within(window)]
            height = len(self.stacks[square])
            for level in range(min(1, height), height + 1):
                part[column.mask(level)] = 10 * square + level + 1
        corners = levels[:-1, :-1], levels[1:, :-1], levels[:-1, 1:], levels[1:, 1:]
        alike = np.logical_and.reduce([corner == corners[0] for corner in corners[1:]])
        seen = np.bincount(corners[0][alike], minlength=10 * len(SQUARES) + 10)
        return [
            all(
                seen[10 * s + level + 1] >= MIN_VISIBLE_SPOTS
                for level in range(min(1, len(stack)), len(stack) + 1)
            )
            for s, stack in enumerate(self.stacks)
        ]


@dataclass(frozen=True)
class Tally:
    """The result of one still, or of many: numbers of squares."""

    squares: int = 0
    tops: int = 0
    heights: int = 0
    stacks: int = 0
    standing: int = 0
    standing_right: int = 0

    @classmethod
    def of(cls, read: Sequence[str], true: Sequence[str], counted: Sequence[bool]) -> Tally:
        pairs = [(a, b) for a, b, some in zip(read, true, counted, strict=True) if some]
        return cls(
            len(pairs),
            sum(a[-1:] == b[-1:] for a, b in pairs),
            sum(len(a) == len(b) for a, b in pairs),
            sum(a == b for a, b in pairs),
            sum(b != "" for _, b in pairs),
            sum(a == b != "" for a, b in pairs),
        )

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(a + b for a, b in zip(self.values, other.values, strict=True)))

    @property
    def values(self) -> tuple[int, ...]:
        return self.squares, self.tops, self.heights, self.stacks, self.standing, self.standing_right

    def __str__(self) -> str:
        parts = [share(right, self.squares) for right in (self.tops, self.heights, self.stacks)]
        return " | ".join([*parts, share(self.standing_right, self.standing)])


@dataclass(frozen=True)
class Row:
    """The result of one still."""

    still: Still
    found: bool
    off: float
    profile: str
    everything: Tally
    visible: Tally
    seconds: float

    def __str__(self) -> str:
        still, seen = self.still, self.everything
        return (
            f"{still.name:22} tilt {still.camera.tilt:4.1f}°"
            f" square {still.camera.pitch_pixels(still.profile):5.1f} px"
            f" {len(still.letters)} players, off {self.off:.3f},"
            f" tops {seen.tops} heights {seen.heights} stacks {seen.stacks},"
            f" visible {self.visible.stacks}/{self.visible.squares}, {self.seconds:.2f} s"
            f"{' (other set)' if self.found and self.profile != still.profile.name else ''}"
        )


def random_stacks(players: int, rng: np.random.Generator) -> tuple[str, ...]:
    """52 stacks, 8 to 30 of them not empty, using no more pieces than a set has."""
    pool = list(rng.permutation(list(ORDERS[players] * PIECES_PER_COLOUR[players])))
    stacks = [""] * len(SQUARES)
    for square in rng.permutation(len(SQUARES))[: int(rng.integers(8, 31))]:
        height = int(rng.choice(5, p=HEIGHT_FREQUENCIES)) + 1
        stacks[square] = "".join(pool[:height])
        del pool[:height]
    return tuple(stacks)


def played_stacks(players: int, rng: np.random.Generator) -> tuple[str, ...]:
    """The 52 stacks after 6 to 59 turns of a simulated game."""
    rules = Rules.make(players)
    position = start_position(rules)
    for _ in range(int(rng.integers(6, 60))):
        move = choose(position, rules, rng)
        if move is None:
            break
        position = apply(position, move, rules)
    return position.stacks


def drawn(seed: int, keep: Path | None, *, played: bool = False) -> Still:
    """The still of a seed; ``played``: of a position of a game."""
    rng = np.random.default_rng([seed, 211])
    players = (2, 3, 4)[seed % 3]
    look = random_look(rng)
    stacks = played_stacks(players, rng) if played else random_stacks(players, rng)
    path = keep / f"still-{seed}{'-played' if played else ''}.png" if keep else None
    if path is not None and path.exists():
        image = np.asarray(cv2.imread(str(path)), np.uint8)
    else:
        image = BoardView(look).shoot(Stage(stacks), rng)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(path), image)
    return Still(f"drawn {seed}", image, ORDERS[players], look.camera, look.profile, stacks)


def recorded(folder: Path) -> Iterator[Still]:
    """The stills of a folder of recordings; the colours in play are guessed from those that appear."""
    for example in examples(folder, every=10**6):
        if not example.known:
            shown = set("".join(example.stacks))
            letters = next(letters for letters in ORDERS.values() if shown <= set(letters))
            profile = board_profile(example.profile)
            yield Still(example.name, example.image(), letters, example.camera, profile, example.stacks)


def turned(stacks: Sequence[str]) -> tuple[str, ...]:
    """The same stacks after a quarter turn of the board."""
    return tuple(stacks[_AT[r, 7 - f]] for f, r in zip(FILE, RANK, strict=True))


def read_knowing(still: Still) -> StillReading:
    """What is read with the true camera and set, and with colours learned from the true position."""
    camera, profile = still.camera, still.profile
    view = View(StillPicture(still.image, camera, profile, still.letters), camera, profile)
    palette = view.relearned(still.stacks)
    found, _ = read_off_centre(Explanation(view, view.solved(palette, None), palette, 0.0))
    return StillReading(found.stacks, (1.0,) * len(SQUARES), camera, profile, 1.0)


def read(still: Still, *, known: bool = False) -> Row:
    """Read one still and compare it with its truth; ``known``: as in :func:`read_knowing`."""
    shown = still.shown()
    began = time.process_time()
    reading = read_knowing(still) if known else read_still(still.image, plastic_sets(), still.letters)
    took = time.process_time() - began
    if reading is None:
        nothing = ("?" * 9,) * len(SQUARES)
        every = [True] * len(SQUARES)
        return Row(
            still,
            False,
            np.inf,
            "",
            Tally.of(nothing, still.stacks, every),
            Tally.of(nothing, still.stacks, shown),
            took,
        )
    off = corner_error(reading.camera, still.camera, still.profile, turns=4)
    best: tuple[Tally, Tally] | None = None
    stacks = reading.stacks
    for _ in range(4):
        both = Tally.of(stacks, still.stacks, [True] * len(stacks)), Tally.of(stacks, still.stacks, shown)
        if best is None or both[0].values[1:] > best[0].values[1:]:
            best = both
        stacks = turned(stacks)
    assert best is not None
    return Row(still, off < MAX_CORNER_ERROR, off, reading.profile.name, *best, took)


def table(rows: Sequence[Row]) -> None:
    """The figures by tilt and size of a square, and over all."""
    print("| tilt | square | stills | tops | heights | whole stacks | of squares with stacks |", flush=True)
    print("| --- | --- | --- | --- | --- | --- | --- |")
    cells: dict[tuple[int, int], list[Row]] = {}
    for row in rows:
        tilt = next(t for t in TILT_BINS if row.still.camera.tilt < t)
        pitch = next(p for p in PITCH_BINS if row.still.camera.pitch_pixels(row.still.profile) < p)
        cells.setdefault((tilt, pitch), []).append(row)
    for (tilt, pitch), some in sorted(cells.items()):
        total = sum((row.everything for row in some), Tally())
        visible = sum((row.visible for row in some), Tally())
        print(f"| < {tilt}° | < {pitch} px | {len(some)} | {total} |")
        print(f"| | visible | | {visible} |")
    print(f"| all | | {len(rows)} | {sum((row.everything for row in rows), Tally())} |")
    print(f"| | visible | | {sum((row.visible for row in rows), Tally())} |")
    found = [row.off for row in rows if row.found]
    wrong = sum(row.found and row.profile != row.still.profile.name for row in rows)
    seconds = [row.seconds for row in rows]
    print(
        f"\nboards found {len(found)}/{len(rows)}, corners off by {np.mean(found):.3f} squares "
        f"(worst {max(found):.3f}), other set taken in {wrong}; "
        f"{np.median(seconds):.2f} s (worst {max(seconds):.2f})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--stills", type=int, default=48)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--played", action="store_true", help="positions of simulated games")
    parser.add_argument("--known", action="store_true", help="the true camera, set and colours")
    parser.add_argument("--footage", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--jobs", type=int, default=1, help="processes that read at the same time")
    parser.add_argument("--lines", action="store_true", help="a line for every still")
    arguments = parser.parse_args()
    limit = ", camera, set and colours known" if arguments.known else ""
    with ProcessPoolExecutor(arguments.jobs, initializer=cv2.setNumThreads, initargs=(1,)) as pool:
        if arguments.footage:
            reads = partial(read, known=arguments.known)
            shown(f"footage{limit}", pool.map(reads, recorded(arguments.footage)), arguments.lines)
        if arguments.stills:
            seeds = range(arguments.seed, arguments.seed + arguments.stills)
            what = "stills of games" if arguments.played else "stills"
            name = f"{arguments.stills} simulated {what} from seed {arguments.seed}{limit}"
            drawn_reads = partial(
                read_drawn, keep=arguments.keep, played=arguments.played, known=arguments.known
            )
            shown(name, pool.map(drawn_reads, seeds), arguments.lines)


def read_drawn(seed: int, keep: Path | None, *, played: bool, known: bool) -> Row:
    """Read the still of a seed."""
    return read(drawn(seed, keep, played=played), known=known)


def shown(name: str, rows: Iterable[Row], lines: bool) -> None:
    """Print each row as it arrives, then the table; the totals go into the history."""
    taken = []
    for row in rows:
        taken.append(row)
        if lines:
            print(row, flush=True)
    if not taken:
        raise SystemExit(f"There are no pictures to read: {name}.")
    table(taken)
    found = f"{sum(row.found for row in taken)}/{len(taken)}"
    sums = {
        "all squares": str(sum((row.everything for row in taken), Tally())),
        "visible squares": str(sum((row.visible for row in taken), Tally())),
    }
    history.append("accuracy.stills", name, {"boards found": found} | sums)


if __name__ == "__main__":
    main()
