"""Keeping the memory of a program that runs for days small.

The C library's allocator gives every thread a pool of its own, from which freed memory hardly ever returns to
the system. With threads for the camera, the game and hundreds of viewers, all of which pass big pictures
about, that came to twice what the program really used within three games.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Final

EVERY: Final = 15.0
"""Seconds between two times of giving back; it takes some 20 ms."""

_M_ARENA_MAX: Final = -8


@cache
def _glibc() -> ctypes.CDLL | None:
    """The C library, where it is the one (GNU's) that has these calls."""
    try:
        library = ctypes.CDLL(None)
    except (OSError, TypeError):
        # Windows has no library of that name.
        return None
    return library if hasattr(library, "gnu_get_libc_version") else None


def share_one_pool() -> bool:
    """Let all threads allocate from one pool; to be called before there are any.

    Returns whether that is so; other C libraries than GNU's are left as they are.
    """
    library = _glibc()
    return library is not None and library.mallopt(_M_ARENA_MAX, 1) == 1


def give_back() -> bool:
    """Give what is free back to the system. Returns whether there was any to give."""
    library = _glibc()
    return library is not None and library.malloc_trim(0) == 1
