"""Coverage-guided fuzzing of every reader and of the page, with atheris (libFuzzer for Python).

    .venv/bin/pip install '.[fuzz]'
    python -m benchmarks.fuzzing.fuzz page --minutes 5        one target; names: see targets.py
    python -m benchmarks.fuzzing.fuzz all --minutes 30        all of them, sharing the time
    python -m benchmarks.fuzzing.fuzz all --keep              copies the best finds to tests/corpus

Fails, and keeps the input, if one is handled wrongly, or takes more than ten seconds or 2 GiB. What is found
is kept in the folder of ``--work``, from which the next run starts. Prints one row per target.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from benchmarks.fuzzing.targets import CORPUS, TARGETS, examples

CHILD_MODULE: Final = "benchmarks.fuzzing.inside"
HANG_SECONDS: Final = 10
"""Seconds after which one input counts as hanging the program."""

MAX_MEMORY_MIB: Final = 2048
"""Limit of a run's memory, including the libraries."""

MAX_EXAMPLES: Final = 40
"""Number of a target's examples to keep in the repository."""

MAX_EXAMPLE_BYTES: Final = 1500
"""Size above which an input is not kept as an example."""

_STAT: Final = re.compile(r"^stat::(\w+):\s+(\d+)", re.MULTILINE)
_COVERAGE: Final = re.compile(r"cov: (\d+) ft: (\d+) corp: (\d+)")


def run(name: str, arguments: list[str]) -> tuple[int, str]:
    """Fuzz in a separate process; returns its exit status and output."""
    done = subprocess.run(
        [sys.executable, "-m", CHILD_MODULE, name, *arguments],
        capture_output=True,
        text=True,
        errors="replace",
    )
    return done.returncode, done.stdout + done.stderr


def limits(name: str) -> list[str]:
    target = TARGETS[name]
    return [f"-timeout={HANG_SECONDS}", f"-rss_limit_mb={MAX_MEMORY_MIB}", f"-max_len={target.longest}"]


def fuzz(name: str, seconds: float, work: Path) -> tuple[bool, str]:
    """Fuzz one target for some seconds. Returns whether all was well, and its row of the table."""
    corpus, found = work / name, work / f"{name}-found"
    for place in (corpus, found):
        place.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(TARGETS[name].seeds()):
        (corpus / f"seed-{number}").write_bytes(seed)
    for path in examples(name):
        shutil.copy(path, corpus)
    words = work / f"{name}.dict"
    words.write_text("".join(f"{_quoted(word)}\n" for word in TARGETS[name].words), encoding="utf-8")
    status, output = run(
        name,
        [
            f"-max_total_time={seconds:.0f}",
            "-print_final_stats=1",
            f"-artifact_prefix={found}/",
            *([f"-dict={words}"] if TARGETS[name].words else []),
            *limits(name),
            str(corpus),
        ],
    )
    (work / f"{name}.log").write_text(output, encoding="utf-8")
    stats = {key: int(value) for key, value in _STAT.findall(output)}
    reached = _COVERAGE.findall(output)
    branches, _, kept = reached[-1] if reached else ("?", "?", "?")
    row = (
        f"| {name:8} | {seconds / 60:5.1f} | {stats.get('number_of_executed_units', 0):9,} | {branches:>6} "
        f"| {kept:>5} | {stats.get('slowest_unit_time_sec', 0):3} | {stats.get('peak_rss_mb', 0):5} "
        f"| {'nothing' if status == 0 else 'FOUND'} |"
    )
    if status:
        row += f"\n{_why(output)}\n  input in {found}, all that was said in {work / f'{name}.log'}"
    return status == 0, row


def _quoted(word: str) -> str:
    """A word in the format of libFuzzer's dictionary: printable ASCII, everything else as \\xNN."""
    raw = re.sub(r"\\x([0-9a-f]{2})", lambda found: chr(int(found[1], 16)), word).encode("latin-1")
    plain = "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}" for byte in raw
    )
    return f'"{plain}"'


def _why(output: str) -> str:
    lines = output.splitlines()
    start = next((number for number, line in enumerate(lines) if "Uncaught Python exception" in line), -25)
    return "\n".join(f"  {line}" for line in lines[start : start + 25 if start >= 0 else None])


def keep(name: str, work: Path) -> int:
    """Copy an even selection of the corpus (the inputs that reached new code) to the repository.

    Returns how many there are now.
    """
    (CORPUS / name).mkdir(parents=True, exist_ok=True)
    kept = sorted((work / name).iterdir(), key=lambda path: (path.stat().st_size, path.name))
    kept = [path for path in kept if 0 < path.stat().st_size <= MAX_EXAMPLE_BYTES]
    for path in examples(name):
        # Inputs that were once handled wrongly have such names, and stay.
        if not path.name.startswith("found-"):
            path.unlink()
    for path in kept[:: max(1, -(-len(kept) // MAX_EXAMPLES))]:
        shutil.copy(path, CORPUS / name / path.name[:16])
    return len(examples(name))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("target", choices=[*TARGETS, "all"])
    parser.add_argument("--minutes", type=float, default=1.0, help="in all")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "focus-companion-fuzz")
    parser.add_argument("--keep", action="store_true", help="do not fuzz: take examples into tests/corpus")
    given = parser.parse_args()
    names = list(TARGETS) if given.target == "all" else [given.target]
    if given.keep:
        for name in names:
            (CORPUS / name).mkdir(parents=True, exist_ok=True)
            print(f"{name}: {keep(name, given.work)} examples", flush=True)
        return
    print("| target | minutes | inputs | branches | kept | slowest, s | MiB | found |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    fine = True
    for name in names:
        well, row = fuzz(name, given.minutes * 60 / len(names), given.work)
        print(row, flush=True)
        fine = fine and well
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
