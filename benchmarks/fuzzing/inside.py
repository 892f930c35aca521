"""Runs one target under atheris, started by ``fuzz.py``. Arguments: TARGET, then libFuzzer's options."""

from __future__ import annotations

import logging
import sys

import atheris

# Everything imported in this block is instrumented for coverage.
with atheris.instrument_imports(include=["focus_companion", "tomllib", "waitress.parser"]):
    import focus_companion.vision.capture.frames  # noqa: F401 - its settings of OpenCV come before all else
    from benchmarks.fuzzing.targets import TARGETS

    target = TARGETS[sys.argv[1]]
    for seed in target.seeds():  # triggers imports inside functions
        target.run(seed)


def main() -> None:
    # Millions of refused requests need not be logged.
    logging.getLogger("focus_companion").setLevel(logging.CRITICAL)
    atheris.Setup([sys.argv[0], *sys.argv[2:]], target.run)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
