"""Reads the TOML file of a board or lens profile."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any


def values_in(path: Path) -> dict[str, Any]:
    """What the file contains.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not TOML in UTF-8; the message says where.
    """
    try:
        # Windows may begin a text with a byte-order mark.
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start + 1}: not text in UTF-8; save the file as UTF-8") from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
