"""Measures the guarantees of the lights; needs the tools of the firmware's tests (``.ci/system-packages``).

    python -m benchmarks.devices.lights latency        from the event to the last pixel, on the simulated chip
    python -m benchmarks.devices.lights noise [--streams 10000]   random bytes into firmware and driver
    python -m benchmarks.devices.lights cable [--rounds 3]        a game while the cable is pulled
    python -m benchmarks.devices.lights table          the program, the firmware and the button together
    python -m benchmarks.devices.lights mutations [--only TEXT]   each safeguard removed: do tests fail?

Exit status 1 if a guarantee does not hold.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "firmware"), str(ROOT / "tests" / "lights")]

from cable import pulled_game  # noqa: E402
from chip_checks import check_garbage, latencies  # noqa: E402
from chip_harness import FIRMWARE, Chip, build_firmware, build_harness  # noqa: E402
from driver_noise import check_driver  # noqa: E402
from plugged_board import Plugged  # noqa: E402

from benchmarks.devices.light_mutations import MUTATIONS, Mutation, apart  # noqa: E402
from benchmarks.devices.light_table import watch  # noqa: E402

STREAMS_PER_RUN = 1000
"""Number of streams per run of the simulated chip, so that its trace stays small."""


def chip_in(folder: Path) -> Chip:
    return Chip(build_harness(folder), build_firmware(FIRMWARE, folder / "firmware"))


def latency(folder: Path) -> bool:
    took = latencies(chip_in(folder), 300)
    print(
        f"{len(took)} turns, from the first byte at the board to the last pixel latched, simulated time: "
        f"median {statistics.median(took) / 1e3:.1f} ms, worst {max(took) / 1e3:.1f} ms"
    )
    return bool(max(took) <= 60_000)


def noise(folder: Path, streams: int) -> bool:
    chip = chip_in(folder)
    began = time.monotonic()
    for seed, first in enumerate(range(0, streams, STREAMS_PER_RUN)):
        check_garbage(chip, min(STREAMS_PER_RUN, streams - first), seed)
    print(
        f"firmware: {streams} streams, every next good frame shown exactly ({time.monotonic() - began:.0f} s)"
    )
    began = time.monotonic()
    longest = check_driver(folder, streams)
    print(
        f"driver: {streams} streams, every state shown, the slowest after {longest:.2f} s "
        f"({time.monotonic() - began:.0f} s)"
    )
    return True


def cable(folder: Path, rounds: int) -> bool:
    held = []
    with Plugged(chip_in(folder), folder / "ttyFOCUS") as board:
        for _ in range(rounds):
            found = pulled_game(board)
            print(found, flush=True)
            held.append(found.holds)
    return any(held)


def table(folder: Path) -> bool:
    with Plugged(chip_in(folder), folder / "ttyFOCUS") as board:
        result = watch(board, folder, 240)
    pressed = "no" if result.dismissed is None else f"{result.dismissed:.2f} s"
    print(
        f"the turn lights were right {result.right} of {result.checks} times; from the button to the "
        f"alert's end {pressed}; dark at the end: {result.dark}; exit status {result.status}"
    )
    return result.holds


def mutations(folder: Path, only: str) -> bool:
    chosen = [mutation for mutation in MUTATIONS if only in mutation.name]
    noticed = [_noticed(folder / str(n), mutation) for n, mutation in enumerate(chosen)]
    print(f"{sum(noticed)} of {len(noticed)} noticed")
    return all(noticed)


def _noticed(folder: Path, mutation: Mutation) -> bool:
    began = time.monotonic()
    failed = apart(ROOT, folder, mutation)
    print(f"{'noticed' if failed else 'NOT NOTICED':12} {mutation.name}: {failed or '-'} "
          f"({time.monotonic() - began:.0f} s)", flush=True)  # fmt: skip
    return bool(failed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=["latency", "noise", "cable", "table", "mutations"])
    parser.add_argument("--streams", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="mutations whose name has this in it")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        match asked.what:
            case "latency":
                held = latency(folder)
            case "noise":
                held = noise(folder, asked.streams)
            case "cable":
                held = cable(folder, asked.rounds)
            case "table":
                held = table(folder)
            case _:
                held = mutations(folder, asked.only)
    sys.exit(not held)


if __name__ == "__main__":
    main()
