"""What holds for all tests."""

from __future__ import annotations

import os
import signal
import sys
from typing import Final

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import settings

# A run that decides about a change must not hang on new examples; on a desk every run looks for new ones.
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


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Where a change is decided about, a slow test that fails is tried once more, and that is said.

    Browsers, brokers, streams and cables have deadlines that a machine busy with something else may miss;
    what is broken fails twice.
    """
    if not os.environ.get("CI") or not item.get_closest_marker("slow"):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    if any(report.failed for report in reports):
        why = next(report.longreprtext for report in reports if report.failed)
        print(f"\ntried again: {item.nodeid}\n{why[-1500:]}", file=sys.__stdout__, flush=True)
        item._initrequest()  # type: ignore[attr-defined]
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
