"""Fixtures for the page of a scripted table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from scripted_table import Table

from focus_companion.game.rules import Rules
from focus_companion.web.app import create_app
from focus_companion.web.server import PageServer


@pytest.fixture
def make_table() -> Iterator[Callable[..., Table]]:
    """Creates tables with any rules; closes them at the end."""
    made: list[Table] = []

    def make(folder: Path, rules: Rules | None = None, players: dict[str, str] | None = None) -> Table:
        made.append(Table(folder, rules, players))
        return made[-1]

    yield make
    for table in made:
        table.close()


@pytest.fixture
def table(tmp_path: Path, make_table: Callable[..., Table]) -> Table:
    return make_table(tmp_path)


@pytest.fixture
def app(table: Table) -> Flask:
    return create_app(table.session, table.journal)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture(scope="session")
def browser(launch_browser: Callable[[list[str]], Any]) -> Any:
    """The system's Chromium, driven by Playwright."""
    from browsing import SWITCHES

    return launch_browser(SWITCHES)


@pytest.fixture
def server(table: Table) -> Iterator[PageServer]:
    table.start()
    with PageServer(create_app(table.session, table.journal), port=0) as made:
        yield made


@pytest.fixture
def seen(browser: Any, server: PageServer) -> Iterator[Any]:
    """A page on a wide screen, and the errors on it."""
    from browsing import Seen

    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
    made = Seen(context.new_page(), server.port)
    yield made
    context.close()


@pytest.fixture
def looping(table: Table) -> Iterator[None]:
    """The game thread, running while the browser is used."""
    with table.looping():
        yield
