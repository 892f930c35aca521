import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import simulated

from focus_companion.vision.tracking import watcher

# The simulated table serves all tests of the referee.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True, scope="module")
def _search_once() -> Iterator[None]:
    """The picture with which many tests begin is searched for a board once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(watcher, "find_board", simulated.find_board)
        yield
