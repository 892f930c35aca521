"""Files that only their owner may read, with these permissions from the moment they are created."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def create(path: Path) -> int:
    """Create a new file that only its owner may read and write; returns a descriptor to write to.

    Raises:
        FileExistsError: there is one already, or a link; neither is written to.
        OSError: it cannot be created.
    """
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)


def replace(path: Path, content: bytes) -> None:
    """Replace or create a file, which is never seen half written. A link is replaced, not followed.

    Raises:
        OSError: it cannot be written; ``path`` is unchanged.
    """
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    try:
        with os.fdopen(create(fresh), "wb") as out:
            out.write(content)
        fresh.replace(path)
    except OSError:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise
