"""Where the journals lie: the user's own in the data folder, that of the demonstration in a folder below it.

What the simulated board plays is no game of the user's, and no real board stands as it does.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from .journal import Journal

DEMO: Final = "demo"


def demo_folder(data: Path) -> Path:
    """The folder of the demonstration's journal, and of all else that it writes."""
    return data / DEMO


def folder_to_read(data: Path) -> Path:
    """The folder of the journal that is meant where games are asked for: the user's own; while it holds no
    game, that of the demonstration, if there is one.

    Raises JournalError for one that cannot be read.
    """
    demo = demo_folder(data)
    return demo if not _holds_games(data) and _holds_games(demo) else data


def _holds_games(folder: Path) -> bool:
    with Journal(folder) as journal:
        return bool(journal.games())
