"""What holds for all tests."""

from __future__ import annotations

import os
from typing import Final

import pytest
from hypothesis import settings

# A run that decides about a change must not hang on new examples; on a desk every run looks for new ones.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")

SLOW_HANGS_AFTER: Final = 900
"""Seconds. The guard in ``pyproject.toml`` is there for tests that hang; those marked slow may only be slow,
as where many processes are killed and started again on a machine that is busy with other things.
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_HANGS_AFTER))
