"""Where the journals are: the user's own in the data folder, that of the demonstration in a folder below it.

Games of the simulated board are not the user's, and no real board matches their positions.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from . import opening
from .swap import FILE_NAME

DEMO: Final = "demo"


def demo_folder(data: Path) -> Path:
    """The folder of the demonstration's journal, and of everything else that it writes."""
    return data / DEMO


def folder_to_read(data: Path) -> Path:
    """The folder of the journal to take games from: the user's own, or as long as that holds no game, that of
    the demonstration, if there is one. Errors in it are reported when it is read.
    """
    demo = demo_folder(data)
    return demo if not _holds_games(data) and _holds_games(demo) else data


def _holds_games(folder: Path) -> bool:
    path = folder / FILE_NAME
    try:
        if not path.is_file():
            return False
        with closing(opening.to_look_at(path)) as database:
            return database.execute("SELECT 1 FROM games LIMIT 1").fetchone() is not None
    except (sqlite3.Error, OSError):
        # A journal that is damaged, or that this user may not read, counts as one with games.
        return True
