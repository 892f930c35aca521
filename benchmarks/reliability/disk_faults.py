"""Plays a game on a disk that fails at each of its operations, and simulates a power cut after each of them.

    python -m benchmarks.reliability.disk_faults [--samples N] [--seed N]

Builds the failing disk (Linux, gcc) and plays one whole game for every operation on the journal's files and
every kind of fault; then rescues a damaged journal on the same disk; then computes, for every operation, what
a power cut might have left. After each, the journal must open, contain every emitted event exactly once,
replay, and be playable. Prints how many of each kind were tried; the first failure ends it with status 1.
``--samples 0`` (the default) tries every moment, else this many of each kind.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    memory = Path("/dev/shm")
    began = time.monotonic()
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        library = Path(folder) / "faulty_disk.so"
        source = TESTS / "storage" / "faulty_disk.c"
        subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], check=True)
        game = [sys.executable, str(TESTS / "storage" / "faulty_game.py"), folder, str(TESTS / "session")]
        done = subprocess.run(
            [*game, str(given.samples), str(given.seed)],
            capture_output=True,
            text=True,
            cwd=ROOT,
            env=os.environ | {"LD_PRELOAD": str(library), "PYTHONPATH": str(ROOT)},
        )
    if done.returncode:
        sys.exit(done.stderr[-3000:])
    tried = json.loads(done.stdout)
    print(f"operations on the disk in one game: {tried.pop('operations of the game')}")
    for kind, times in tried.items():
        print(f"{kind}: {times} times, the journal right after each")
    print(f"{sum(tried.values())} in all, {time.monotonic() - began:.0f} s, seed {given.seed}")


if __name__ == "__main__":
    main()
