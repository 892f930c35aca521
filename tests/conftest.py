"""What holds for all tests."""

from __future__ import annotations

import os
import signal
from typing import Final

import pytest
from hypothesis import settings

# A red run that decides about a change must tell of a fault of that change, not of one that a new example has
# found in what was there before; on a desk every run looks for new examples.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")

# A shell that starts the tests in the background has them ignore Ctrl-C, and all that they start: some of it
# has to be stopped with Ctrl-C. Handlers of one's own are not inherited; what is started has the usual one.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

SLOW_HANGS_AFTER: Final = 900
"""Seconds. The guard in ``pyproject.toml`` is there for tests that hang; those marked slow may only be slow,
as where many processes are killed and started again on a machine that is busy with other things.
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_HANGS_AFTER))
