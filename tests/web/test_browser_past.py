"""Past games in a real browser: the list, titles, deleting and restoring, replay with graph, names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import MOVES, Seen, serious, stack, wait_until_drawn
from playwright.sync_api import expect

from focus_companion.game.rules import Rules
from focus_companion.session.requests import NewGame, Rematch, Resign
from focus_companion.web.app import create_app
from focus_companion.web.server import PageServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def save_screenshot(page: Any, name: str) -> None:
    """Save a screenshot of the page if FOCUS_PICTURES=FOLDER is set."""
    if folder := os.environ.get("FOCUS_PICTURES"):
        for width, height in ((390, 844), (1280, 800)):
            page.set_viewport_size({"width": width, "height": height})
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                wait_until_drawn(page)
                page.screenshot(path=Path(folder) / f"{name}-{width}-{scheme}.png", full_page=True)
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 1280, "height": 800})


def ask(table: Any, *requests: Any) -> None:
    for request in requests:
        table.session.submit(request)
        table.session.attend()


@pytest.fixture
def past(browser: Any, tmp_path: Path, make_table: Any) -> Iterator[Seen]:
    """A single game, then two games of a match, of which the first is over and the second is being played."""
    table = make_table(tmp_path, players={"g": "Żaneta", "r": "Bartholomew"})
    table.start()
    table.play(*MOVES)
    ask(table, Resign("r"), NewGame(Rules.make(), {"g": "Cleo", "r": "Dan"}, games=2))
    table.start()
    table.play(*MOVES[:2])
    ask(table, Resign("g"), Rematch())
    table.start()
    with PageServer(create_app(table.session, table.journal), port=0) as server:
        context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
        seen = Seen(context.new_page(), server.port)
        seen.table = table
        yield seen
        context.close()


def game(page: Any, number: int) -> Any:
    return page.locator(f'[data-game="{number}"]')


INK = """canvas => new Set(new Uint32Array(
    canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size"""
"""The number of different colours on a canvas, which is 1 if it is empty."""


def test_the_list_shows_board_score_time_and_match(past: Seen) -> None:
    page = past.open("/games")
    expect(page.locator("#games > li")).to_have_count(3)
    first = game(page, 1)
    expect(first).to_contain_text("Żaneta 0")
    expect(first).to_contain_text("Żaneta wins")
    expect(first.locator(".facts")).to_have_text(re.compile(r"\d{1,2} \w+ 20\d\d, \d\d:\d\d .*4 turns"))
    expect(game(page, 2)).to_contain_text("Game 1 of 2 of a match")
    expect(game(page, 3)).to_contain_text("at the table now")
    assert game(page, 3).locator("a").get_attribute("href") == "/"
    expect(game(page, 3).locator("[data-do=delete]")).to_have_count(0)
    wait_until_drawn(page)
    assert first.locator("canvas").evaluate(INK) > 5
    assert past.troubles == []
    assert serious(page) == []
    save_screenshot(page, "games")


def test_a_game_is_renamed_found_by_its_title_and_named_as_before(past: Seen) -> None:
    page = past.open("/games")
    game(page, 1).locator("[data-do=rename]").click()
    page.fill("#rename input", "The final")
    save_screenshot(page, "rename")
    page.keyboard.press("Enter")
    expect(game(page, 1).locator(".title")).to_have_text("The final")
    page.fill("#search", "final")
    expect(page.locator("#games > li:visible")).to_have_count(1)
    page.goto(f"http://127.0.0.1:{past.port}/games/1")
    page.wait_for_selector("body[data-ready]")
    expect(page.locator(".heading h1")).to_have_text("The final")
    assert page.title() == "The final · Focus Companion"
    page.go_back()
    page = past.open("/games")
    game(page, 1).locator("[data-do=rename]").click()
    page.fill("#rename input", "A slip")
    page.click("#rename .strong")
    expect(game(page, 1).locator(".title")).to_have_text("A slip")
    game(page, 1).locator("[data-do=unname]").click()
    expect(game(page, 1).locator(".title")).to_have_text("The final")
    assert past.troubles == []


def test_a_deleted_game_is_restored_at_once_or_later(past: Seen) -> None:
    page = past.open("/games")
    game(page, 1).locator("[data-do=delete]").focus()
    page.keyboard.press("Enter")
    expect(game(page, 1)).to_contain_text("Game #1 is deleted.")
    expect(page.locator("#announcement")).to_have_text("Game #1 is deleted.")
    assert [each.id for each in past.table.journal.games()] == [3, 2]
    # The focus is on the undo button.
    expect(game(page, 1).locator("[data-do=undo]")).to_be_focused()
    save_screenshot(page, "deleted")
    page.keyboard.press("Enter")
    expect(game(page, 1).locator("[data-do=delete]")).to_be_visible()
    game(page, 1).locator("[data-do=delete]").click()
    expect(game(page, 1)).to_contain_text("is deleted")
    page = past.open("/games")
    expect(page.locator("#games > li")).to_have_count(2)
    page.click("#deleted summary")
    expect(page.locator("#deleted li")).to_contain_text("Żaneta")
    save_screenshot(page, "restore")
    page.click("#deleted [data-do=undelete]")
    expect(page.locator("#games > li")).to_have_count(3)
    expect(page.locator("#deleted")).to_be_hidden()
    assert past.troubles == []


def test_deleting_asks_for_the_pin_on_the_lan(browser: Any, past: Seen) -> None:
    app = create_app(past.table.session, past.table.journal, lan=True, pin="4821", hosts=["board.local"])
    with PageServer(app, port=0) as server:
        context = browser.new_context()
        page = Seen(context.new_page(), server.port).open("/games", host="board.local")
        game(page, 1).locator("[data-do=delete]").click()
        expect(page.locator("#pin .note")).to_contain_text("Enter the PIN")
        page.fill("#pin input", "1111")
        page.keyboard.press("Enter")
        expect(page.locator("#pin .note")).to_contain_text("not the PIN")
        assert len(past.table.journal.games()) == 3
        page.fill("#pin input", "4821")
        page.keyboard.press("Enter")
        expect(game(page, 1)).to_contain_text("is deleted")
        context.close()


def test_viewers_without_permission_have_no_buttons(browser: Any, past: Seen) -> None:
    app = create_app(past.table.session, past.table.journal, lan=True, hosts=["board.local"])
    with PageServer(app, port=0) as server:
        context = browser.new_context()
        page = Seen(context.new_page(), server.port).open("/games", host="board.local")
        expect(page.locator("#games > li")).to_have_count(3)
        expect(page.locator("[data-do]")).to_have_count(0)
        context.close()


def test_before_the_first_past_game_the_list_says_so(table: Any, seen: Seen) -> None:
    page = seen.open("/games")
    expect(page.locator("#none-yet")).to_contain_text("No past games yet")
    expect(page.locator("#no-games")).to_be_hidden()
    save_screenshot(page, "none")
    assert seen.troubles == []


def test_without_a_journal_the_list_says_why_it_is_empty(browser: Any, table: Any) -> None:
    with PageServer(create_app(table.session, None), port=0) as server:
        context = browser.new_context()
        page = Seen(context.new_page(), server.port).open("/games")
        expect(page.locator("#trouble")).to_contain_text("without a journal")
        context.close()


def test_the_graph_is_operated_by_pointer_and_keys(past: Seen) -> None:
    page = past.open("/games/1")
    graph = page.locator("#review .chances")
    expect(page.locator("#review .at")).to_contain_text("Turn 4: Żaneta")
    graph.click(position={"x": graph.bounding_box()["width"] * 0.34, "y": 20})
    expect(page.locator("#replay output")).to_have_text("2 / 4")
    expect(page.locator("#review .at")).to_contain_text("Turn 2: Żaneta")
    assert stack(page, "b6") == "b6: red, one piece" or stack(page, "b5").endswith("empty")
    assert graph.get_attribute("aria-valuenow") == "2"
    graph.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#replay output")).to_have_text("3 / 4")
    assert "Turn 3" in graph.get_attribute("aria-valuetext")
    expect(page.locator(".heading h1")).to_have_text("Żaneta – Bartholomew")
    expect(page.locator(".heading time")).to_have_text(re.compile(r"\d{1,2} \w+ 20\d\d, \d\d:\d\d"))
    assert past.troubles == []
    assert serious(page) == []
    save_screenshot(page, "replay")


WAITS = """() => {
    const own = setInterval;
    window.waits = [];
    window.setInterval = (act, ms) => {
        window.waits.push(ms);
        return own(act, ms);
    };
}"""
"""Records the milliseconds of every interval."""


def test_the_speed_of_a_replay_can_be_chosen(past: Seen) -> None:
    page = past.open("/games/1")
    page.wait_for_selector("#moves li")
    page.evaluate(WAITS)
    page.click("#replay [data-step=first]")
    page.select_option("#replay .speed select", "0.5")
    page.click("#replay [data-step=play]")
    page.select_option("#replay .speed select", "4")
    page.wait_for_selector('body[data-looking="now"]')
    assert page.evaluate("() => window.waits") == [1800, 225]


@pytest.mark.parametrize("width", [390, 1280])
def test_the_turns_are_listed_in_two_columns(past: Seen, width: int) -> None:
    past.page.set_viewport_size({"width": width, "height": 844})
    page = past.open("/games/1")
    expect(page.locator("#moves li")).to_have_count(5)
    boxes = [each.bounding_box() for each in page.locator("#moves li.turn").all()]
    (left, right), tops = {box["x"] for box in boxes}, [box["y"] for box in boxes]
    assert [box["x"] for box in boxes] == [min(left, right), max(left, right)] * 2
    assert tops[0] == tops[1] < tops[2] == tops[3]
    cut = "turns => turns.filter((one) => one.scrollWidth > one.clientWidth).length"
    assert page.locator("#moves button").evaluate_all(cut) == 0


def test_names_of_earlier_games_are_offered(past: Seen) -> None:
    page = past.open()
    page.click(".acts [data-act=new_game]")
    offered = page.locator("#known-names option")
    expect(offered).to_have_count(4)
    names = [each.get_attribute("value") for each in offered.all()]
    assert set(names[:2]) == {"Cleo", "Dan"} and set(names[2:]) == {"Żaneta", "Bartholomew"}
    assert page.locator("[name=name-green]").get_attribute("list") == "known-names"
    save_screenshot(page, "new-game")


def test_the_language_is_changed_with_one_press(table: Any, seen: Seen) -> None:
    page = seen.open()
    page.click(".menu summary")
    expect(page.locator(".languages [aria-current]")).to_have_text("English")
    assert "Appearance" in page.text_content("#settings")
    save_screenshot(page, "settings")
    page.click(".languages [lang=pl]")
    page.wait_for_selector("html[lang=pl]")
    page = seen.open("/games")
    expect(page.locator("html")).to_have_attribute("lang", "pl")


def test_the_list_is_fetched_again_when_the_browser_shows_the_page_as_it_was_left(past: Seen) -> None:
    page = past.open("/games")
    running = page.locator("#games li", has_text="at the table now")
    expect(running).to_contain_text("not finished")
    ask(past.table, Resign("r"))
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(running).to_contain_text("Dan wins")
    assert past.troubles == []


def test_a_game_is_printed_in_dark_letters_and_without_buttons(past: Seen) -> None:
    page = past.open("/games/1")
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    light = "element => Math.max(...getComputedStyle(element).color.match(/\\d+/g).slice(0, 3))"
    letters = page.locator(".heading h1, .player .name, .status-text, #moves .text")
    assert min(letters.evaluate_all(f"all => all.map({light})")) > 150
    page.emulate_media(media="print", color_scheme="dark")
    assert max(letters.evaluate_all(f"all => all.map({light})")) < 120
    page = past.open()
    ask(past.table, Resign("r"))
    rematch = page.get_by_role("button", name="Rematch")
    page.emulate_media(media="screen")
    expect(rematch).to_be_visible()
    page.emulate_media(media="print")
    expect(rematch).to_be_hidden()
