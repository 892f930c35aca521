"""``focus-companion`` with the simulated board in few small pictures: ``python small_demo.py play …``.

For tests of what happens around a game: its table is painted and followed at a fraction of the cost.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any, Final

SMALL_DEMO: Final = (sys.executable, str(Path(__file__)))
"""The command, to be followed by the arguments of ``focus-companion``."""


FPS: Final = 5.0
"""Pictures per second. The demo allows for a reader that takes four."""


def small_demo_source() -> Any:
    """What makes the source of the simulated board, in few small pictures."""
    from focus_companion.simulator.demo import DemoSource

    return partial(DemoSource, size=(640, 480), fps=FPS)


def main() -> None:
    # Run as a script, so that the folder of the tests comes first.
    sys.path[0] = str(Path(__file__).parents[1])
    from focus_companion import cli
    from focus_companion.simulator import demo

    # It is imported when the board is opened.
    demo.DemoSource = small_demo_source()  # type: ignore[misc]
    cli.main()


if __name__ == "__main__":
    main()
