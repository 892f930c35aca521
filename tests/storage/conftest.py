"""Fixtures for the tests of the journal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

# The scripted pipeline is shared by the tests of the session and of the journal.
sys.path.insert(0, str(Path(__file__).parents[1] / "session"))


@pytest.fixture(scope="session")
def many_games(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A folder with a journal of many games, to be copied, and the journal's events."""
    from damage import played

    folder = tmp_path_factory.mktemp("many")
    return folder, played(folder)
