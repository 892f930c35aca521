"""The browser that the tests of the page use."""

from __future__ import annotations

import shutil
from typing import Final

NAMES: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Programs, best first: the headless shell, which has no window of its own, takes half the processor time."""


def system_browser() -> str | None:
    """The path of the system's Chromium or Chrome; ``None`` if there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)
