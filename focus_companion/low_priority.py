"""Starts programs at a lower priority than everything that has to do with the camera."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import Final

NICE: Final = shutil.which("nice")
"""The program that lowers the priority; ``None`` where there is none."""

SEARCH: Final = 10
"""Niceness added for a player's search: people wait for it."""

EXPORT: Final = 15
"""Niceness added for everything that can wait longer."""


def at_low_priority(command: Sequence[str], niceness: int) -> list[str]:
    """The command, started through :data:`NICE`, so that its child processes inherit the
    priority.
    """
    return [*([NICE, "-n", str(niceness)] if NICE else []), *command]
