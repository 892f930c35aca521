"""Draws the reliability diagram of the referee: is what it believes at 99 % right 99 times in 100?

    python -m benchmarks.accuracy.reliability_diagram [--games N] [--seed S]
                              [--life PROGRAM FOLDER] [--effects NAME…] [--svg FILE] [--csv FILE]

At every look at a still board whose position is known from the truth, the likeliest act claims a position.
Its confidence follows from its lead over the acts with another outcome, and the truth says whether it is
right. Consecutive looks with the same claim are no new evidence: they count once, with the last lead. Uses N
simulated games, and altered recordings as in ``benchmarks.accuracy.life``.

The temperature is the only parameter that converts a lead (nats) to a confidence; the fitted one maximizes
the likelihood of these judgements.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import tempfile
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from benchmarks import history
from benchmarks.accuracy.contest import Ours
from benchmarks.accuracy.life import AlteredRecording, rules_of
from benchmarks.accuracy.report import wilson
from benchmarks.accuracy.scoring import Json, board_text
from benchmarks.accuracy.simulated import case
from focus_companion.game.position import position_text
from focus_companion.game.rules import Rules
from focus_companion.referee.decision import Decision
from focus_companion.vision.appearance.evidence import TEMPERATURE
from focus_companion.vision.capture.frames import Frame
from focus_companion.vision.capture.sources import open_source
from focus_companion.vision.tracking.look import Look

CONFIDENCE_BINS: Final = (0.0, 0.7, 0.9, 0.99, 0.999)
"""Lower bounds of the bins of confidence."""


@dataclass(frozen=True)
class Claim:
    """The claim of consecutive looks: the likeliest ``act`` and the ``position`` it leads to, its ``lead``
    (nats), whether it was ``right``, and whether it was ``reported``, as a turn, an alert, a take-back or a
    question.
    """

    recording: str
    time: float
    act: str
    position: str
    lead: float
    right: bool
    reported: bool

    @property
    def confidence(self) -> float:
        return confidence(self.lead, TEMPERATURE)


def confidence(lead: float, temperature: float) -> float:
    """The probability that corresponds to a lead (nats) at a temperature."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, lead / temperature))))


def shown_at(frames: Sequence[Json], time: float) -> str | None:
    """The position that the board shows at a time (s); ``None`` while a hand is moving pieces."""
    at = bisect_right([float(frame["t"]) for frame in frames], time + 1e-6) - 1
    return None if at < 0 or frames[at]["kind"] == "hand" else board_text(frames[at]["board"])


def claims(name: str, frames: Iterable[Frame], truth: Json, rules: Rules) -> list[Claim]:
    """The claims made while a recording is watched, in order."""
    found: list[Claim] = []

    def on_decision(decision: Decision, look: Look) -> None:
        judgement, shown = decision.judgement, shown_at(truth["frames"], look.time)
        if judgement is None or judgement.covered or shown is None:
            return
        stacks = list(watching.session.position.stacks)
        for square, stack in judgement.act.changes.items():
            stacks[square] = stack
        position, act = position_text(stacks), judgement.act.kind.name
        reported = bool(decision.verdicts)
        if found and (found[-1].act, found[-1].position) == (act, position):
            reported = reported or found.pop().reported
        found.append(Claim(name, look.time, act, position, judgement.lead, position == shown, reported))

    watching = Ours(rules, on_decision=on_decision)
    for frame in frames:
        watching.see(frame)
    return found


def fitted(made: Sequence[Claim]) -> float:
    """The temperature (nats) with the maximum likelihood between 0.5 and 50, to an accuracy of 1 %."""
    leads = np.array([claim.lead for claim in made])
    signs = np.array([1.0 if claim.right else -1.0 for claim in made])
    temperatures = np.geomspace(0.5, 50.0, 463)
    losses = [np.logaddexp(0.0, -signs * leads / temperature).sum() for temperature in temperatures]
    return float(temperatures[int(np.argmin(losses))])


@dataclass(frozen=True)
class Bin:
    """Claims of similar confidence: its mean ``claimed``, and how many are ``right``, ``of`` how many."""

    claimed: float
    right: int
    of: int

    @property
    def text(self) -> str:
        low, high = wilson(self.right, self.of)
        share = f"{100 * self.right / self.of:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
        return f"{100 * self.claimed:.1f} % claimed: {share} right of {self.of}"


def binned(made: Sequence[Claim]) -> list[Bin]:
    """The bins that are not empty, by increasing confidence."""
    bins: list[list[Claim]] = [[] for _ in CONFIDENCE_BINS]
    for claim in made:
        bins[bisect_right(CONFIDENCE_BINS, claim.confidence) - 1].append(claim)
    return [
        Bin(sum(claim.confidence for claim in held) / len(held), sum(c.right for c in held), len(held))
        for held in bins
        if held
    ]


def drawing(bins: Sequence[Bin]) -> str:
    """The diagram as SVG: both axes in log-odds, so that 90, 99 and 99.9 % are equally far apart."""

    def place(share: float) -> float:
        share = min(max(share, 0.1), 0.9995)
        return 40 + 300 * (math.log(share / (1 - share)) + 2.2) / 9.8

    ticks = (0.1, 0.5, 0.9, 0.99, 0.999)
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 380 390" '
        'font-family="sans-serif" font-size="11">',
        '<rect width="380" height="390" fill="white"/>',
        f'<path d="M{place(0.1):.0f} {380 - place(0.1):.0f}L{place(0.9995):.0f} {380 - place(0.9995):.0f}" '
        'stroke="#999" stroke-dasharray="4"/>',
    ]
    for tick in ticks:
        at = place(tick)
        parts.append(f'<text x="{at:.0f}" y="358" text-anchor="middle">{100 * tick:g}</text>')
        parts.append(f'<text x="36" y="{384 - at:.0f}" text-anchor="end">{100 * tick:g}</text>')
    parts.append('<text x="190" y="378" text-anchor="middle">claimed, %</text>')
    parts.append('<text x="10" y="20">right, %</text>')
    for each in bins:
        x, (low, high) = place(each.claimed), wilson(each.right, each.of)
        parts.append(f'<path d="M{x:.1f} {380 - place(low):.1f}V{380 - place(high):.1f}" stroke="#1565c0"/>')
        parts.append(
            f'<circle cx="{x:.1f}" cy="{380 - place(each.right / each.of):.1f}" r="4" fill="#1565c0"/>'
        )
    return "\n".join([*parts, "</svg>", ""])


def simulated(games: int, seed: int) -> Iterator[Claim]:
    for number in range(seed, seed + games):
        game = case(number, plies=12, trouble=0.25)
        yield from claims(game.name, game.frames(), game.truth(), game.rules)


def altered(program: Path, folder: Path, effects: Sequence[str], seed: int, cache: Path) -> Iterator[Claim]:
    for effect in effects:
        for name in sorted(path.parent.name for path in folder.glob("*/truth.json")):
            life = AlteredRecording(name, effect, 2, seed)
            video, truth = life.made(program, folder, cache)
            with open_source(str(video)) as source:
                yield from claims(life.name, source, truth, rules_of(truth))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=40, help="simulated games (40)")
    parser.add_argument("--seed", type=int, default=1, help="of the first game, and of the effects (1)")
    parser.add_argument(
        "--life", type=Path, nargs=2, metavar=("PROGRAM", "FOLDER"), help="altered recordings"
    )
    parser.add_argument(
        "--effects",
        nargs="+",
        default=["reflection", "sway", "bodyshadow"],
        help="which (reflection sway bodyshadow)",
    )
    parser.add_argument("--cache", type=Path, help="altered videos",
                        default=Path(tempfile.gettempdir()) / "focus-companion-life")  # fmt: skip
    parser.add_argument("--svg", type=Path, help="draw the diagram here")
    parser.add_argument("--csv", type=Path, help="keep the claims here")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    options.cache.mkdir(parents=True, exist_ok=True)
    made = list(simulated(options.games, options.seed))
    if options.life:
        program, folder = options.life
        made += altered(program, folder, options.effects, options.seed, options.cache)
    if not made:
        print("No look was judged.", file=sys.stderr)
        return 1
    setting = f"{options.games} games from seed {options.seed}" + (
        f"; altered recordings: {' '.join(options.effects)}" if options.life else ""
    )
    figures = {
        "temperature in use": f"{TEMPERATURE:g} nats",
        "temperature fitted": f"{fitted(made):.2g} nats",
    }
    for title, group in (("all", made), ("reported", [claim for claim in made if claim.reported])):
        for each in binned(group):
            print(f"{title:9} {each.text}")
            figures[f"{title}, {100 * each.claimed:.1f} % claimed"] = f"{each.right}/{each.of} right"
    print(f"Temperature in use {TEMPERATURE:g} nats, fitted {fitted(made):.2g} nats.")
    if options.svg is not None:
        options.svg.write_text(drawing(binned(made)), encoding="utf-8")
    if options.csv is not None:
        with options.csv.open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(("recording", "time", "act", "position", "lead", "right", "reported"))
            rows.writerows(
                (c.recording, c.time, c.act, c.position, round(c.lead, 2), c.right, c.reported) for c in made
            )
    history.append("accuracy.reliability_diagram", setting, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
