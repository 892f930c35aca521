"""What holds for all tests."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from typing import Any, Final

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


@pytest.fixture(scope="session")
def launch_browser() -> Iterator[Callable[[list[str]], Any]]:
    """Starts the system's Chromium with the given switches and returns Playwright's browser.

    A process can hold one synchronous session of Playwright only, so every browser test starts its browser
    here. All browsers are closed at the end of the run.
    """
    playwright = pytest.importorskip("playwright.sync_api")
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next((found for name in names if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("no Chromium is installed; apt install chromium")
    with playwright.sync_playwright() as driver:
        opened: list[Any] = []

        def launch(switches: list[str]) -> Any:
            opened.append(
                driver.chromium.launch(
                    executable_path=path, args=["--no-sandbox", "--disable-gpu", *switches]
                )
            )
            return opened[-1]

        yield launch
        for browser in opened:
            browser.close()
