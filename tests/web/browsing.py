"""Helpers of the browser tests, which drive the page in a real browser, on the real server and session."""

from __future__ import annotations

import time
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api")
playwright.expect.set_options(timeout=120_000)

REQUEST_TIMEOUT = 120
"""Seconds; long, for a machine under load."""

SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP board.local 127.0.0.1",
]
MOVES = ["b6-b7", "b5-b6", "c6-c7", "c5-c6"]


class Seen:
    """A page, and the errors on it."""

    def __init__(self, page: playwright.Page, port: int) -> None:
        self.page = page
        page.set_default_timeout(1000 * REQUEST_TIMEOUT)
        self.troubles: list[str] = []
        self.hosts: set[str] = set()
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("console", lambda said: self.troubles.append(said.text) if said.type == "error" else None)
        page.on("request", lambda request: self.hosts.add(request.url.split("/")[2]))
        self.port = port

    def open(self, path: str = "/", host: str = "127.0.0.1") -> playwright.Page:
        self.page.goto(f"http://{host}:{self.port}{path}")
        self.page.wait_for_selector("body[data-ready]")
        return self.page


def wait_until_drawn(page: playwright.Page) -> None:
    """Wait until everything that has happened so far is drawn."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def stack(page: playwright.Page, square: str) -> str:
    return page.get_attribute(f'[data-square="{square}"]', "aria-label") or ""


def status(page: playwright.Page, words: str) -> None:
    """Wait until the status says this; the page may still be on its way to the game."""
    page.wait_for_function(
        "words => document.querySelector('#status')?.textContent.replaceAll('\\u00a0', ' ').includes(words)",
        arg=words,
    )


def until(page: playwright.Page, table: Any, **wanted: object) -> dict[str, Any]:
    """Wait until these keys of the state have these values; return the state."""
    latest = time.monotonic() + REQUEST_TIMEOUT
    while True:
        state: dict[str, Any] = table.session.state()
        if all(state[key] == value for key, value in wanted.items()):
            return state
        assert time.monotonic() < latest, {key: state[key] for key in wanted}
        page.wait_for_timeout(50)


def caught_up(page: playwright.Page, table: Any) -> None:
    """Wait until the page shows the session's current newest event or a later one."""
    event = table.session.state()["event"]
    page.wait_for_function("event => Number(document.body.dataset.event) >= event", arg=event)


def at_rest(page: playwright.Page) -> None:
    """Wait until all finite animations have ended."""
    page.wait_for_function(
        """() => document.getAnimations().every(({ effect, playState }) =>
            effect.getTiming().iterations === Infinity || playState === 'finished')"""
    )


def serious(page: playwright.Page) -> list[tuple[str, str]]:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(page).response["violations"]
    return [
        (item["id"], item["nodes"][0]["html"][:120])
        for item in found
        if item["impact"] in ("serious", "critical")
    ]
