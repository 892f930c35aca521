"""Settings and fixtures for all tests."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import settings
from system_browser import system_browser

from focus_companion import low_priority

# A failing run in CI must indicate a fault of the change under test, not a fault that a new example has found
# in older code; on a developer's machine every run tries new examples.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")

# A shell that starts the tests in the background makes them and their child processes ignore Ctrl-C, but some
# have to be stopped with it. Python's handlers are not inherited, so child processes have the default one.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

TESTS: Final = Path(__file__).parent

SLOW_TIMEOUT: Final = 900
"""Seconds. The timeout in ``pyproject.toml`` is for tests that hang; those marked slow may just be slow, for
example because many processes are killed and restarted on a busy machine.
"""

SLOWEST_FILES: Final = (
    "vision/single_image/test_measure_set.py",
    "watch/test_watch_sources.py",
    "seats/test_seats_companion.py",
    "seats/test_seats_killed.py",
    "test_readme.py",
    "referee/test_referee_doubt.py",
    "storage/test_storage_kill.py",
    "security/test_security_cameras.py",
    "seats/test_seats_two_programs.py",
    "referee/test_referee_start.py",
    "referee/test_referee_tall.py",
    "vision/detection/test_find_board_simulated.py",
    "firmware/test_firmware_driver.py",
    "firmware/test_firmware_lockstep.py",
    "test_fixtures.py",
    "cli/test_cli_read.py",
    "vision/detection/test_find_board.py",
    "support/test_tape.py",
    "session/test_session_reading.py",
    "formats/test_formats_film.py",
    "session/test_session_drop.py",
    "hall/test_hall_outages.py",
    "session/test_play_memory.py",
    "storage/test_storage_rescue_log.py",
    "session/test_play_command.py",
    "vision/capture/test_live_cameras.py",
    "seats/test_seats_other_table.py",
    "seats/test_seats_programs.py",
    "referee/test_referee_things.py",
    "speech/test_speech_loudspeaker.py",
    "vision/geometry/test_board_profiles.py",
    "security/test_security_connections.py",
    "test_packaging.py",
)
"""The files that take longest. They are started first: all other cores would wait for one started last."""

OTHERS_PER_BROWSER_FILE: Final = 2
"""How many other files are started for each file of browser tests. Browser tests mostly wait, and the others
use the processor meanwhile; all browser tests in a row would leave it idle, then overload it.
"""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Five workers for two cores: many tests wait, for a clock, a browser or another process."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return 5 * cores // 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    waiting = dict.fromkeys(item.path for item in items if item.get_closest_marker("browser"))
    places = {TESTS / name: place for place, name in enumerate(SLOWEST_FILES)}
    others = sorted(
        {item.path for item in items} - waiting.keys(), key=lambda f: (places.get(f, len(SLOWEST_FILES)), f)
    )
    begun = {file: float(place) for place, file in enumerate(others)}
    begun |= {file: OTHERS_PER_BROWSER_FILE * place - 0.5 for place, file in enumerate(waiting)}
    items.sort(key=lambda item: begun[item.path])
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_TIMEOUT))


@pytest.fixture(scope="session", autouse=True)
def usual_priority() -> Iterator[None]:
    """Child processes of a test run at its own priority: at a lower one, they may not run at all on a machine
    under load.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(low_priority, "NICE", None)
        yield


@pytest.fixture(scope="session")
def launch_browser() -> Iterator[Callable[[list[str]], Any]]:
    """Starts the system's Chromium with the given switches and returns Playwright's browser.

    A process can hold one synchronous session of Playwright only, so every browser test starts its browser
    here. All browsers are closed at the end of the run.
    """
    playwright = pytest.importorskip("playwright.sync_api")
    path = system_browser()
    if path is None:
        pytest.skip("no Chromium is installed; apt install chromium-headless-shell")
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
