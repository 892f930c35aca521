"""The hall's page in a real browser: real broker, real tables, the real server."""

from __future__ import annotations

import errno
import os
import random
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from hall_page import hall_of
from mosquitto import PROGRAM, Mosquitto
from playwright.sync_api import expect
from published_table import Table
from waiting import until

from focus_companion.hall.app import create_hall
from focus_companion.hall.evening import Evening
from focus_companion.hall.listener import Listener
from focus_companion.mqtt.broker import parse_broker
from focus_companion.session.events import Alert, Lost, Resolved, Unclear
from focus_companion.storage.errors import as_journal_error
from focus_companion.web.server import PageServer

playwright = pytest.importorskip("playwright.sync_api")
PATIENCE = 120_000
"""Timeout in milliseconds for anything on a page, even on a busy machine."""
playwright.expect.set_options(timeout=PATIENCE)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(PROGRAM is None, reason="no Mosquitto is installed; apt install mosquitto"),
]

SHOTS = os.environ.get("FOCUS_COMPANION_SCREENSHOTS")
"""A folder for screenshots."""

AGAIN_MS = 3000
"""After at most twice this time, a page without a stream asks again."""

PEOPLE = [("Ann", "Bob"), ("Cleo", "Dan"), ("Eva", "Filip"), ("Gina", "Hugo"), ("Ida", "Jan"), ("Kai", "Lea")]


@pytest.fixture(scope="module")
def browser(launch_browser: Callable[[list[str]], Any]) -> Any:
    return launch_browser([])


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    with Mosquitto(tmp_path / "broker") as made:
        yield made


@pytest.fixture
def tables(broker: Mosquitto, tmp_path: Path) -> Iterator[list[Table]]:
    """Six tables; two of them have finished a game."""
    made = []
    for number, (green, red) in enumerate(PEOPLE, 1):
        table = Table(tmp_path / f"t{number}", broker.address, f"Table {number}", {"g": green, "r": red})
        table.publisher.start()
        table.play(12 + 5 * number)
        if number <= 2:
            table.another_game()
            table.play(8 * number)
        table.wait_confirmed()
        made.append(table)
    yield made
    for table in made:
        table.close()


@pytest.fixture
def hall(broker: Mosquitto) -> Iterator[str]:
    evening = Evening()
    listener = Listener(parse_broker(broker.address), evening)
    listener.connect()
    with PageServer(create_hall(evening, viewers=8), port=0) as server:
        yield f"http://127.0.0.1:{server.port}/"
        evening.news.close()
    listener.close()


def alert(table: Table, squares: list[str]) -> None:
    text = "Red moved 2 pieces by 3 squares. Put them back, then go exactly 2 squares."
    table.session._emit_events(Alert(table.session.history.time, "distance", "red", squares, text))
    table.publisher.tell()


def shoot(page: playwright.Page, name: str) -> None:
    if SHOTS:
        page.screenshot(path=Path(SHOTS) / f"{name}.png", full_page=True)


def new_page(browser: playwright.Browser, **how: Any) -> playwright.Page:
    page = browser.new_page(**how)
    page.set_default_timeout(PATIENCE)
    return page


PLACES = "() => [...document.querySelectorAll('#tables li')].map((li) => li.getBoundingClientRect().top)"


def at_rest(page: playwright.Page) -> list[float]:
    """The positions of the tables, once fonts have loaded and nothing has moved for a second."""
    page.evaluate("() => document.fonts.ready.then(() => true)")
    before: list[float] = []
    end = time.monotonic() + PATIENCE / 1000
    while (now := page.evaluate(PLACES)) != before:
        assert time.monotonic() < end, "the tables keep moving"
        before = now
        page.wait_for_timeout(1000)
    return now


def test_an_old_answer_does_not_replace_a_newer_list_of_turns(browser, tables, hall) -> None:
    page = new_page(browser)
    held: list[Any] = []

    def hold_first(route: playwright.Route) -> None:
        response = route.fetch()
        held.append((route, response))
        if len(held) > 1:
            route.fulfill(response=response)

    page.goto(hall + "#table=Table%205")
    shown = tables[4].session.history.ply
    playwright.expect(page.locator("#moves li")).to_have_count(shown)
    page.route("**/api/tables/Table%205", hold_first)
    tables[4].play()
    until(lambda: page.wait_for_timeout(50) or held, PATIENCE / 1000)
    tables[4].play()
    playwright.expect(page.locator("#moves li")).to_have_count(shown + 2)
    first, response = held[0]
    assert len(response.json()["moves"]) == shown + 1
    first.fulfill(response=response)
    page.wait_for_timeout(500)
    assert page.locator("#moves li").count() == shown + 2
    page.close()


@pytest.mark.parametrize("width", [768, 1920])
def test_the_hall_shows_all_tables_and_what_is_open(browser, tables, hall, width) -> None:
    page = new_page(browser, viewport={"width": width, "height": 1080})
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
    page.goto(hall)
    playwright.expect(page.locator("#tables li")).to_have_count(6)
    names = page.locator(".tile-name").all_text_contents()
    assert [name[:7] for name in names] == [f"Table {n}" for n in range(1, 7)]

    alert(tables[4], ["d5", "d6"])
    page.wait_for_selector('.tile[data-kind="alert"]')
    # Open alerts come first, before all tables.
    expect(page.locator("#arbiter li")).to_have_count(1)
    assert "Table 5" in page.locator("#arbiter li").inner_text()
    assert "exactly 2\u00a0squares" in page.locator("#arbiter li").inner_text()
    # Every table keeps its place, so that it can be found again.
    assert [name[:7] for name in page.locator(".tile-name").all_text_contents()][4] == "Table 5"
    expect(page.locator("#loud")).to_contain_text("Table 5")

    tables[3].publisher.close(5)
    page.wait_for_selector('.tile[data-kind="gone"]')
    expect(page.locator("#arbiter li")).to_have_count(2)
    playwright.expect(page.locator("#results li")).to_have_count(2)
    shoot(page, f"hall-{width}")

    page.locator("#arbiter li button").first.click()
    page.wait_for_selector("#large:not([hidden])")
    assert page.locator("#large h2").inner_text() == "Table 5"
    shown = tables[4].session.history.ply
    playwright.expect(page.locator("#moves li")).to_have_count(shown)
    tables[4].session._emit_events(Resolved(tables[4].session.history.time))
    tables[4].play(3)
    playwright.expect(page.locator("#moves li")).to_have_count(shown + 3)
    expect(page.locator("#arbiter li")).to_have_count(1)
    shoot(page, f"hall-table-{width}")

    for narrow in (width, 320):
        # The chosen table, then all of them again, on a phone too.
        page.set_viewport_size({"width": narrow, "height": 640})
        assert page.evaluate("document.documentElement.scrollWidth") <= narrow
    page.click("#back-to-all")
    page.wait_for_selector("#large", state="hidden")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    # Cut names would be the same for all tables.
    page.evaluate("() => document.querySelector('.tile-name > span').textContent = 'Club evening, table 12'")
    assert page.evaluate(
        "() => [...document.querySelectorAll('.tile-name > span')].every(e => e.scrollWidth <= e.clientWidth)"
    )
    shoot(page, f"hall-phone-{width}")
    assert faults == []
    page.close()


@pytest.mark.parametrize(
    ("why", "words"),
    [
        ("dark", "Obraz jest ciemny"),
        ("cut off: left", "Część planszy jest poza obrazem"),
        ("disk", "Dysk, na którym leży journal, jest pełny"),
    ],
)
def test_the_arbiter_reads_what_is_wrong_at_a_table(browser, tables, hall, monkeypatch, why, words) -> None:
    session = tables[2].session
    if why == "disk":
        full = as_journal_error(OSError(errno.ENOSPC, "no space"), Path("journal"))
        monkeypatch.setattr(tables[2].journal, "append_all", Mock(side_effect=full))
    session._emit_events(Lost(session.history.time, "board" if why.startswith("cut") else "camera", why))
    tables[2].publisher.tell()
    page = new_page(browser, locale="pl")
    page.goto(hall)
    expect(page.locator("#arbiter li")).to_contain_text(words)
    page.close()


def test_standings_and_results_come_by_themselves(browser, tables, hall) -> None:
    page = new_page(browser, viewport={"width": 1280, "height": 900}, locale="pl")
    page.goto(hall)
    playwright.expect(page.locator("#standings tbody tr")).to_have_count(4)
    tables[5].another_game()
    playwright.expect(page.locator("#standings tbody tr")).to_have_count(6)
    playwright.expect(page.locator("#results li")).to_have_count(3)
    assert page.locator("#standings tbody tr").first.locator("td").first.inner_text() == "1"
    assert "Tabela" in page.locator(".standings h2").inner_text()
    assert "Kai" in page.locator("#standings").inner_text()
    with page.expect_download() as waiting:
        page.locator('a[href="/evening.zip"]').click()
    assert waiting.value.suggested_filename == "evening.zip"
    page.close()


def test_the_page_outlives_broker_and_hall(browser, broker, tables, hall) -> None:
    page = new_page(browser)
    page.goto(hall)
    page.wait_for_selector('#line[data-line="live"]')
    broker.stop()
    page.wait_for_selector('#line[data-line="broker"]')
    tables[0].play(5)
    broker.start()
    page.wait_for_selector('#line[data-line="live"]')
    newest = tables[0].journal.last_event()
    until(lambda: tables[0].publisher.confirmed == newest)
    page.close()


def test_alerts_move_no_table_and_keep_the_keyboards_place(browser, tables, hall) -> None:
    for width in (768, 1920):
        page = new_page(browser, viewport={"width": width, "height": 1080})
        page.goto(hall)
        playwright.expect(page.locator("#tables li")).to_have_count(6)
        before = at_rest(page)
        alert(tables[2], ["d5", "d6"])
        playwright.expect(page.locator("#arbiter li")).to_have_count(1)
        page.keyboard.press("Tab")
        page.locator("#arbiter li button").focus()
        for number in (0, 4, 5):
            alert(tables[number], ["c3"])
        playwright.expect(page.locator("#arbiter li")).to_have_count(4)
        # The oldest stays first, and keeps the focus.
        focused = page.evaluate("document.activeElement.textContent")
        assert "Table 3" in focused and "Table 3" in page.locator("#arbiter li").first.inner_text()
        assert page.evaluate(PLACES) == before
        page.keyboard.press("Enter")
        page.wait_for_selector("#large:not([hidden])")
        assert page.evaluate("document.activeElement.textContent") == "Table 3"
        page.keyboard.press("Escape")
        page.wait_for_selector("#large", state="hidden")
        for number in (0, 2, 4, 5):
            tables[number].session._emit_events(Resolved(tables[number].session.history.time))
            tables[number].publisher.tell()
        playwright.expect(page.locator("#arbiter li")).to_have_count(0)
        assert page.evaluate(PLACES) == before
        page.close()


def test_a_viewer_without_a_stream_gets_updates_by_polling(browser, tables, broker) -> None:
    evening = Evening()
    listener = Listener(parse_broker(broker.address), evening)
    listener.connect()
    with PageServer(create_hall(evening, viewers=1), port=0) as server:
        first, second = new_page(browser), new_page(browser)
        second.clock.install()
        for page in (first, second):
            page.goto(f"http://127.0.0.1:{server.port}/")
            playwright.expect(page.locator("#tables li")).to_have_count(6)
        alert(tables[0], ["c3"])
        playwright.expect(first.locator("#arbiter li")).to_have_count(1)
        second.clock.fast_forward(2 * AGAIN_MS)
        playwright.expect(second.locator("#arbiter li")).to_have_count(1)
        evening.news.close()
        for page in (first, second):
            page.close()
    listener.close()


def test_the_page_is_fit_for_everyone(browser, tables, hall) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    for theme in ("light", "dark"):
        page = new_page(browser, viewport={"width": 1280, "height": 900}, color_scheme=theme)
        page.goto(hall)
        playwright.expect(page.locator("#tables li")).to_have_count(6)
        alert(tables[1], ["c3"])
        page.wait_for_selector('.tile[data-kind="alert"]')
        page.locator(".tile").first.click()
        page.wait_for_selector("#large:not([hidden])")
        found = axe.Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa"]})
        assert found.violations_count == 0, found.generate_report()
        page.close()


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800), (1920, 1080)])
def test_one_table_alone_is_shown_in_large(browser, broker, hall, tmp_path, width: int, height: int) -> None:
    table = Table(tmp_path / "only", broker.address, "Table 1", {"g": "Ann", "r": "Bob"})
    table.publisher.start()
    table.play(6)
    table.wait_confirmed()
    page = new_page(browser, viewport={"width": width, "height": height})
    page.goto(hall)
    expect(page.locator("#large h2")).to_have_text("Table 1")
    board = page.locator("#board").bounding_box()
    assert board["width"] > min(0.8 * width, 0.45 * height), board
    expect(page.locator("#moves li").first).to_be_visible()
    expect(page.locator("#back-to-all")).to_be_hidden()
    expect(page.locator(".all")).to_be_hidden()
    shoot(page, f"one-{width}")
    other = Table(tmp_path / "other", broker.address, "Table 2", {"g": "Cleo", "r": "Dan"})
    other.publisher.start()
    other.play(2)
    # With a second one, both are side by side, and the viewer chooses.
    expect(page.locator("#tables li")).to_have_count(2)
    expect(page.locator(".all")).to_be_visible()
    expect(page.locator("#large")).to_be_hidden()
    page.close()
    for made in (table, other):
        made.close()


def test_an_address_that_was_cut_off_shows_all_tables(browser) -> None:
    with hall_of(2, random.Random(1)) as (_, address):
        page = new_page(browser)
        # The rest of a letter that is none in ASCII.
        page.goto(f"{address}#table=Sto%C5")
        expect(page.locator("#tables li")).to_have_count(2)
        expect(page.locator("#large")).to_be_hidden()
        page.close()


@pytest.mark.parametrize("how", ["button", "Escape", "Back"])
def test_the_keyboard_goes_on_at_the_tile_of_the_table_that_was_left(browser, how: str) -> None:
    with hall_of(3, random.Random(1)) as (_, address):
        page = new_page(browser)
        page.goto(address)
        page.locator("#tables button").nth(1).press("Enter")
        expect(page.locator("#large h2")).to_be_focused()
        if how == "button":
            page.locator("#back-to-all").press("Enter")
        elif how == "Escape":
            page.keyboard.press("Escape")
        else:
            page.go_back()
        expect(page.locator("#tables button").nth(1)).to_be_focused()
        page.close()


def test_escape_closes_the_settings_and_not_the_table_too(browser) -> None:
    with hall_of(2, random.Random(1)) as (_, address):
        page = new_page(browser)
        page.goto(f"{address}#table=Table%202")
        expect(page.locator("#large h2")).to_be_visible()
        page.locator(".menu summary").press("Enter")
        page.keyboard.press("Escape")
        expect(page.locator(".menu summary")).to_be_focused()
        expect(page.locator("#large")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#large")).to_be_hidden()
        page.close()


def test_the_hall_asks_nobody_to_answer_a_question_there(browser) -> None:
    with hall_of(2, random.Random(1)) as (tables, address):
        page = new_page(browser)
        page.goto(f"{address}#table=Table%202")
        tables[1].take(Unclear(tables[1].time, ["d5-d6", "d5-c5"]))
        tables[1].tell()
        now = page.locator("#large-status")
        expect(now).to_have_text(re.compile("which.turn.was.it\\? Just play on: .* settle.it\\.$"))
        page.close()
