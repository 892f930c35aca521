"""How patient the watcher is, and what it takes for a board, a light or a place to be believed."""

from __future__ import annotations

from enum import Enum

SETTLE = 0.18
"""Seconds without motion after which a picture is looked at."""
BLINK = 0.45
"""Seconds of motion between two like pictures that do not make the second a new one."""
SEEK_AGAIN = 1.0
"""Seconds between two attempts to find a board that is out of view, …"""
SEEK_SOON, SOON = 0.3, 4
"""… and after the first few of them: noise may spoil one picture and not the next."""
UPSET = 12
"""Squares that must have changed at once for the light or the board itself to be suspected."""
HELD = 0.75
"""Share of squares that must show their position for a pose to be believed."""
SETTING_UP = 0.3
"""The same for the last known pose while the players set the board up."""
SAME = 0.93
"""Share of squares that must show their position for a lasting change to be taken for another light."""
ABSORB = 1.4
"""Seconds after which it is."""
SPREAD = 0.8
"""Share of the stacks that must have changed for a push or another light; an arm changes fewer."""
LONG_LOST = 5.0
"""Seconds out of view from which the players may well have gone on meanwhile, and …"""
RESUMED = 0.8
"""… the share of squares that must then show their position for the board to be back."""
ASTRAY = 0.3
"""Agreement of the outlines up to which a pose is not believed."""
AWAY = 0.15
"""Squares by which the camera must have moved for its new place to be the one to compare with."""
GONE = 4.0
"""Seconds for which the still picture must make no sense before the board counts as out of view."""


class State(Enum):
    """Where the watcher stands."""

    SEEKING = "no board"
    WATCHING = "ok"
    LOST = "lost"
