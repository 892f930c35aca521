"""Reads a TOML file that a user may have written: settings, rules, or the profile of a board or lens."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

_MAX_BYTES: Final = 1_000_000
"""Maximum size of a file; a sensible one has at most a few thousand bytes."""


class TomlTooLarge(ValueError):
    """The file is larger than any sensible one."""


class TomlNotUtf8(ValueError):
    """The file is not text in UTF-8; the message says where, and what to do."""


def values_in(path: Path) -> dict[str, Any]:
    """What the file contains.

    Raises:
        OSError: it cannot be read.
        ValueError: one of the errors above, or it is not TOML; the message says where.
    """
    with path.open("rb") as stream:
        data = stream.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise TomlTooLarge("too large")
    try:
        # Windows may begin a text with a byte-order mark.
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise TomlNotUtf8(f"byte {error.start + 1}: not text in UTF-8; save the file as UTF-8") from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
