"""What holds for all tests."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from hypothesis import settings

# A failing run in CI must indicate a fault of the change under test, not one that a new example has found in
# older code; on a developer's machine every run looks for new examples.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")

# A shell that starts the tests in the background makes them and their child processes ignore Ctrl-C, but some
# have to be stopped with it. Own handlers are not inherited, so the child processes have the default one.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

SLOW_HANGS_AFTER: Final = 900
"""Seconds. The timeout in ``pyproject.toml`` is for tests that hang; those marked slow may just be slow, for
example because many processes are killed and restarted on a busy machine.
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
