"""Keeps the memory use of a program that runs for days small, at little cost in time.

The C library's allocator gives every thread its own arena, from which freed memory hardly ever returns to the
system. With threads for the camera, the game and hundreds of viewers, all handling big pictures, the process
held twice the memory in use within three games.
"""

from __future__ import annotations

import ctypes
import gc
from functools import cache
from typing import Final

TRIM_INTERVAL: Final = 15.0
"""Seconds between two trims; one takes some 20 ms."""

_COLLECTION_THRESHOLD: Final = 10_000
"""Number of new objects after which Python looks for reference cycles among them. With its default of 700,
that happens 200 times in a recording of a minute, and takes a tenth of the time to import everything. Raising
it keeps cycles in memory for longer; no picture is part of one."""

_M_ARENA_MAX: Final = -8
"""The parameter of ``mallopt`` for the number of arenas, from ``malloc.h``."""


@cache
def _glibc() -> ctypes.CDLL | None:
    """The C library, if it is GNU's, which has these calls."""
    try:
        library = ctypes.CDLL(None)
    except (OSError, TypeError):
        # Windows has no library of that name.
        return None
    return library if hasattr(library, "gnu_get_libc_version") else None


def raise_collection_threshold() -> None:
    """Make Python look for reference cycles less often than by default."""
    gc.set_threshold(_COLLECTION_THRESHOLD)


def share_one_arena() -> bool:
    """Make all threads allocate from one arena; call before starting any.

    Returns whether it worked; only GNU's C library supports it.
    """
    library = _glibc()
    return library is not None and library.mallopt(_M_ARENA_MAX, 1) == 1


def release_free_memory() -> bool:
    """Return free memory to the system. Returns whether there was any."""
    library = _glibc()
    return library is not None and library.malloc_trim(0) == 1
