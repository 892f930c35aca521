"""Looking back in a real browser: replay, past games, review, match."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import MOVES, Seen, caught_up, stack
from playwright.sync_api import expect

from focus_companion.game.rules import Rules
from focus_companion.session.clock import TimeControl
from focus_companion.session.requests import NewGame, Resign
from focus_companion.web.app import create_app
from focus_companion.web.server import PageServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_looking_back_and_to_now_again(table, seen: Seen) -> None:
    page = seen.open()
    table.play(*MOVES)
    page.wait_for_function("() => document.querySelectorAll('#moves li').length === 4")
    page.locator("#moves button").first.click()
    page.wait_for_selector('body[data-looking="back"]')
    assert stack(page, "b5") == "b5: red, one piece"
    assert page.locator('#moves [aria-current="step"]').text_content().startswith("1")
    page.locator("#replay [data-step=next]").click()
    page.wait_for_function("() => document.querySelector('#replay output').textContent === '2 / 4'")
    page.locator("#back-to-now").click()
    page.wait_for_selector('body[data-looking="now"]')
    assert stack(page, "c5") == "c5: empty"


def test_arrow_keys_walk_through_the_game(table, seen: Seen) -> None:
    page = seen.open()
    table.play(*MOVES)
    page.wait_for_function("() => document.querySelectorAll('#moves li').length === 4")
    page.keyboard.press("Home")
    page.wait_for_function("() => document.querySelector('#replay output').textContent === '0 / 4'")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('#replay output').textContent === '1 / 4'")
    page.keyboard.press("End")
    page.wait_for_selector('body[data-looking="now"]')


def test_a_game_plays_through_and_stops_where_one_likes(table, seen: Seen) -> None:
    table.play(*MOVES)
    page = seen.open()
    play = page.locator("#replay [data-step=play]")
    play.click()
    expect(play).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#replay output")).to_have_text("1 / 4")
    page.locator("#replay [data-step=first]").click()
    expect(play).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#replay output")).to_have_text("0 / 4")
    play.click()
    page.wait_for_selector('body[data-looking="now"]')
    expect(play).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#replay output")).to_have_text("4 / 4")
    assert seen.troubles == []


def test_past_games_are_listed_and_shown(table, seen: Seen) -> None:
    table.play(*MOVES[:2])
    page = seen.open("/games")
    expect(page.locator("#games li")).to_have_count(1)
    page.fill("#search", "nobody of that name")
    expect(page.locator("#games li:visible")).to_have_count(0)
    page.fill("#search", "")
    page.locator("#games a").click()
    page.wait_for_selector("body[data-ready]")
    assert stack(page, "b6") == "b6: red, one piece"
    assert seen.troubles == []


def test_a_finished_game_is_reviewed(table, seen: Seen) -> None:
    table.play(*MOVES)
    table.session.submit(Resign("r"))
    table.session.attend()
    page = seen.open("/games/1")
    page.wait_for_selector("#review button", timeout=60000)
    assert "the chance went from" in page.text_content("#review")
    expect(page.locator("#review .chance")).to_have_count(2)
    page.locator("#review button").first.click()
    page.wait_for_selector('#moves [aria-current="step"]')


def test_past_games_are_searched_by_name_number_and_result(browser, tmp_path: Path, make_table) -> None:
    table = make_table(tmp_path, players={"g": "Żaneta", "r": "Bo"})
    table.start()
    table.play(*MOVES)
    for request in (Resign("r"), NewGame(players={"g": "Cleo", "r": "Dan"})):
        table.session.submit(request)
        table.session.attend()
    with PageServer(create_app(table.session, table.journal), port=0) as server:
        context = browser.new_context()
        page = Seen(context.new_page(), server.port).open("/games")
        for words, found in (
            ("żaneta", ["#1"]),
            ("ZANETA", ["#1"]),
            ("dan cleo", ["#2"]),
            ("#2", ["#2"]),
            ("wins", ["#1"]),
            ("not finished", ["#2"]),
            ("bo dan", []),
        ):
            page.fill("#search", words)
            assert page.locator("#games li:visible .number").all_text_contents() == found, words
        context.close()


def test_clocks_run_down_with_increment(table, seen: Seen) -> None:
    table.session.submit(NewGame(Rules.make(), clock=TimeControl("down", 300, 20)))
    table.session.attend()
    page = seen.open()
    table.start()
    table.play("b6-b7")
    page.wait_for_function("() => document.querySelector('[data-clock=green]').textContent.startsWith('5:1')")
    expect(page.locator("[data-clock=red]")).to_have_attribute("data-state", "runs")
    caught_up(page, table)
    before = page.text_content("[data-clock=red]")
    page.wait_for_function(f"() => document.querySelector('[data-clock=red]').textContent !== '{before}'")
    assert page.text_content("[data-clock=green]").startswith("5:1")
