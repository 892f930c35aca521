"""Where the journals lie: the user's own in the data folder, that of the demonstration in a folder below it.

What the simulated board plays is no game of the user's, and no real board stands as it does.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from . import opening
from .swap import FILE

DEMO: Final = "demo"


def demo_folder(data: Path) -> Path:
    """The folder of the demonstration's journal, and of all else that it writes."""
    return data / DEMO


def folder_to_read(data: Path) -> Path:
    """The folder of the journal that is meant where games are asked for: the user's own; while it holds no
    game, that of the demonstration, if there is one. What is wrong with it is told when it is read.
    """
    demo = demo_folder(data)
    return demo if not _holds_games(data) and _holds_games(demo) else data


def _holds_games(folder: Path) -> bool:
    path = folder / FILE
    if not path.is_file():
        return False
    try:
        with closing(opening.to_look_at(path)) as database:
            return database.execute("SELECT 1 FROM games LIMIT 1").fetchone() is not None
    except (sqlite3.Error, OSError):
        # A damaged journal held games.
        return True
