from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from light_board_fake import FakeBoard


@pytest.fixture
def board(tmp_path: Path) -> Iterator[FakeBoard]:
    fake = FakeBoard(tmp_path / "ttyLIGHTS")
    yield fake
    fake.unplug()
