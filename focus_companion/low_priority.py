"""Starts programs at a lower priority than everything that has to do with the camera."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import Final

NICE: Final = shutil.which("nice")
"""The program that lowers the priority; ``None`` where there is none."""

PLAYER_NICENESS: Final = 10
"""Niceness added for a program that plays: the table waits for its turn."""

HELPER_NICENESS: Final = 15
"""Niceness added for exports, reviews and assessments, for which one viewer waits."""


def at_low_priority(command: Sequence[str], niceness: int) -> list[str]:
    """The command, started through :data:`NICE`, so that its child processes inherit the priority."""
    return [*([NICE, "-n", str(niceness)] if NICE else []), *command]
