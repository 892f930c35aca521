"""Replay, past games, review and match in a real browser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browsing import MOVES, REQUEST_TIMEOUT, Seen, caught_up, stack
from playwright.sync_api import Route, expect

from focus_companion.game.moves import Move
from focus_companion.game.rules import Rules
from focus_companion.game.squares import INDEX
from focus_companion.referee.verdict import PutRight, Undecided, Wrong
from focus_companion.referee.words import say
from focus_companion.session.clock import TimeControl
from focus_companion.session.requests import NewGame, Resign, TakeBack
from focus_companion.web.app import create_app
from focus_companion.web.server import PageServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_earlier_positions_are_shown_and_the_current_one_again(table, seen: Seen) -> None:
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


def test_after_turns_were_taken_back_the_new_ones_are_looked_back_at(table, seen: Seen, looping) -> None:
    table.play(*MOVES)
    page = seen.open()
    page.locator("#moves button").first.click()
    expect(page.locator("#replay output")).to_have_text("1 / 4")
    page.click('#replay [data-step="last"]')
    for _ in range(4):
        table.session.submit(TakeBack()).result(REQUEST_TIMEOUT)
    table.start()
    table.play("b4-b5", "b5-b6", "c4-c5", "c5-c6")
    caught_up(page, table)
    page.locator("#moves button").nth(1).click()
    expect(page.locator("#replay output")).to_have_text("2 / 4")
    expect(page.locator('[data-square="b4"]')).to_have_attribute("aria-label", re.compile("empty"))
    assert stack(page, "b6").startswith("b6: 2 pieces")
    assert seen.troubles == []


def test_an_alert_is_shown_to_whoever_looks_back(table, seen: Seen) -> None:
    """But it may be looked back from it, and the turns of the others do not interrupt anybody."""
    page = seen.open()
    body, title = page.locator("body"), page.locator(".status-title")
    table.play(*MOVES[:3])
    page.wait_for_function("() => document.querySelectorAll('#moves li').length === 3")
    page.keyboard.press("Home")
    expect(body).to_have_attribute("data-looking", "back")
    table.play(MOVES[3])
    caught_up(page, table)
    expect(page.locator("#replay output")).to_have_text("0 / 4")
    d5, d7 = INDEX["d5"], INDEX["d7"]
    table.see(Wrong("distance", "g", (d5, d7), say("distance", "g", origin=d5, target=d7, number=1, far=2)))
    expect(title).to_have_text("Wrong number of squares")
    expect(page.locator("#loud")).to_contain_text("put it back on d5")
    expect(body).to_have_attribute("data-looking", "now")
    page.keyboard.press("Home")
    expect(body).to_have_attribute("data-looking", "back")
    table.see(PutRight())
    caught_up(page, table)
    expect(body).to_have_attribute("data-looking", "back")
    table.see(Undecided((Move.parse("b4-b5"), Move.parse("c4-c5"))))
    expect(title).to_contain_text("which turn was it")
    assert seen.troubles == []


def test_arrow_keys_step_through_the_game(table, seen: Seen) -> None:
    page = seen.open()
    table.play(*MOVES)
    page.wait_for_function("() => document.querySelectorAll('#moves li').length === 4")
    page.keyboard.press("Home")
    page.wait_for_function("() => document.querySelector('#replay output').textContent === '0 / 4'")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('#replay output').textContent === '1 / 4'")
    page.keyboard.press("End")
    page.wait_for_selector('body[data-looking="now"]')


def test_the_focus_stays_in_the_replay_at_the_beginning_and_the_end_of_the_game(table, seen: Seen) -> None:
    """The button that led there is disabled then."""
    page = seen.open()
    table.play(*MOVES)
    page.wait_for_function("() => document.querySelectorAll('#moves li').length === 4")
    for button, shown in (("first", "0 / 4"), ("last", "4 / 4")):
        page.locator(f"#replay [data-step={button}]").press("Enter")
        expect(page.locator("#replay output")).to_have_text(shown)
        expect(page.locator(f"#replay [data-step={button}]")).to_be_disabled()
        assert page.evaluate("document.querySelector('#replay').contains(document.activeElement)")


REPLAY_INTERVAL_MS = 900
"""How long the replay shows a position."""


def test_a_replay_plays_to_the_end_and_can_be_stopped(table, seen: Seen) -> None:
    table.play(*MOVES)
    # The test advances the page's clock, because a busy machine could miss a position shown for a second.
    seen.page.clock.install()
    page = seen.open()
    page.clock.pause_at(page.evaluate("Date.now() + 1000"))
    play, shown = page.locator("#replay [data-step=play]"), page.locator("#replay output")
    play.click()
    expect(play).to_have_attribute("aria-pressed", "true")
    expect(shown).to_have_text("0 / 4")
    page.clock.run_for(REPLAY_INTERVAL_MS - 1)
    expect(shown).to_have_text("0 / 4")
    page.clock.run_for(1)
    expect(shown).to_have_text("1 / 4")
    page.locator("#replay [data-step=first]").click()
    expect(play).to_have_attribute("aria-pressed", "false")
    expect(shown).to_have_text("0 / 4")
    page.clock.run_for(5 * REPLAY_INTERVAL_MS)
    expect(shown).to_have_text("0 / 4")
    play.click()
    for ply in (1, 2, 3):
        page.clock.run_for(REPLAY_INTERVAL_MS)
        expect(shown).to_have_text(f"{ply} / 4")
        expect(play).to_have_attribute("aria-pressed", "true")
    page.clock.run_for(REPLAY_INTERVAL_MS)
    page.wait_for_selector('body[data-looking="now"]')
    expect(play).to_have_attribute("aria-pressed", "false")
    expect(shown).to_have_text("4 / 4")
    assert seen.troubles == []


def test_on_a_slow_host_the_replay_waits_and_skips_nothing(table, seen: Seen) -> None:
    table.play(*MOVES)
    seen.page.clock.install()
    held: list[Any] = []
    seen.page.route("**/api/games/1", lambda route: held.append(route))
    page = seen.open()
    page.clock.pause_at(page.evaluate("Date.now() + 1000"))
    play, shown = page.locator("#replay [data-step=play]"), page.locator("#replay output")
    with page.expect_request("**/api/games/1"):
        play.click()
    expect(play).to_have_attribute("aria-pressed", "true")
    page.clock.run_for(10 * REPLAY_INTERVAL_MS)
    expect(play).to_have_attribute("aria-pressed", "true")
    (asked,) = held
    asked.continue_()
    expect(shown).to_have_text("0 / 4")
    page.clock.run_for(REPLAY_INTERVAL_MS)
    expect(shown).to_have_text("1 / 4")
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


SHARES = """
window.handed = [];
window.refusals = 1;
navigator.canShare = ({ files }) => files.every((file) => file.type === "video/mp4");
navigator.share = async ({ files }) => {
  if (window.refusals-- > 0) throw new DOMException("too late", "NotAllowedError");
  window.handed.push([files[0].name, files[0].type, files[0].size]);
};
"""
"""Makes a browser able to share files, but only soon after a touch, as on a phone."""


def test_a_game_is_saved_or_the_page_says_why_not(table, seen: Seen) -> None:
    table.start()
    table.play(*MOVES)
    page = seen.open("/games/1")
    page.wait_for_function("() => document.querySelectorAll('#moves li').length === 4")
    with page.expect_download() as saving:
        page.click(".exports [data-export=csv]")
    assert saving.value.suggested_filename == "focus-game-1.csv"
    assert b"b6-b7" in Path(saving.value.path()).read_bytes()
    why = "This game cannot be written as gif: the host has too little memory now."
    page.route("**/export?format=gif", lambda route: route.fulfill(status=503, json={"error": why}))
    page.click(".exports [data-export=gif]")
    expect(page.locator("#toast")).to_have_text(why)
    page.route("**/export?format=svg", lambda route: route.abort())
    page.click(".exports [data-export=svg]")
    expect(page.locator("#toast")).to_contain_text("The host does not answer.")


def test_a_review_that_cannot_be_made_says_why(table, seen: Seen) -> None:
    table.play(*MOVES)
    table.session.submit(Resign("r"))
    table.session.attend()
    why = "Non è stato possibile esaminare la partita; il motivo è nel log dell’host."
    seen.page.route("**/review", lambda route: route.fulfill(status=500, json={"error": why}))
    page = seen.open("/games/1?lang=it")
    expect(page.locator("#review li")).to_have_text(why)


def test_a_review_that_takes_minutes_is_waited_for(table, seen: Seen) -> None:
    """As long as the host goes on making it: it ends one that takes too long."""
    table.play(*MOVES)
    table.session.submit(Resign("r"))
    table.session.attend()
    asked: list[Route] = []

    def not_yet(route: Route) -> None:
        asked.append(route)
        route.fulfill(status=202, json={}) if len(asked) <= 150 else route.continue_()

    seen.page.route("**/review", not_yet)
    seen.page.clock.install()
    page = seen.open("/games/1")
    for _ in range(1000):
        if len(asked) < 150:
            page.clock.run_for(1500)
    assert len(asked) >= 150
    expect(page.locator("#review")).to_contain_text("The game is being analysed")
    page.clock.resume()
    page.wait_for_selector("#review button")


def test_a_review_is_waited_for_while_the_phone_sleeps(table, seen: Seen) -> None:
    table.play(*MOVES)
    table.session.submit(Resign("r"))
    table.session.attend()
    asked: list[Route] = []

    def lost(route: Route) -> None:
        asked.append(route)
        route.abort() if len(asked) <= 2 else route.continue_()

    seen.page.route("**/review", lost)
    page = seen.open("/games/1?lang=pl")
    expect(page.locator("#review li")).to_contain_text("Komputer prowadzący nie odpowiada")
    expect(page.locator("#review .chance")).to_have_count(2)


def test_a_turn_that_a_lost_connection_hides(table, seen: Seen) -> None:
    table.play(*MOVES)
    page = seen.open("/?lang=it")
    page.wait_for_function("() => document.querySelectorAll('#moves li').length === 4")
    seen.page.route("**/api/games/1", lambda route: route.abort())
    page.locator("#moves button").first.click()
    expect(page.locator("#toast")).to_contain_text("L’host non risponde")
    expect(page.locator("#replay output")).to_have_text("4 / 4")


def test_a_film_that_a_lost_connection_prevents(table, seen: Seen) -> None:
    table.play(*MOVES)
    seen.page.add_init_script(SHARES)
    seen.page.route("**/export?format=mp4", lambda route: route.abort())
    page = seen.open("/?lang=pl")
    page.click("#share")
    expect(page.locator("#toast")).to_contain_text("Komputer prowadzący nie odpowiada.")


def test_the_film_is_shared_from_a_phone(table, seen: Seen) -> None:
    table.play(*MOVES)
    seen.page.add_init_script(SHARES)
    asked = []
    seen.page.on("request", lambda request: asked.append(request.url) if "mp4" in request.url else None)
    page = seen.open()
    button = page.locator("#share")
    expect(button).to_have_text("Share the game")
    button.click()
    # Writing the film took longer than a touch remains valid on a phone: the next touch shares it.
    expect(button).to_have_text("The film is ready: share it")
    button.click()
    expect(button).to_have_text("Share the game")
    ((name, kind, size),) = page.evaluate("() => window.handed")
    assert (name, kind) == ("focus-game-1.mp4", "video/mp4") and size > 10_000
    assert len(asked) == 1
    assert seen.troubles == []


def test_without_a_share_function_there_is_no_share_button(table, seen: Seen) -> None:
    seen.page.add_init_script("Object.defineProperty(Navigator.prototype, 'canShare', { value: undefined });")
    page = seen.open()
    page.wait_for_selector("#replay [data-step=first]")
    expect(page.locator("#share")).to_be_hidden()


def test_the_list_of_games_links_to_the_players(table, seen: Seen) -> None:
    page = seen.open("/games")
    page.get_by_role("link", name="Players").click()
    page.wait_for_selector("body[data-ready]")
    expect(page.locator(".empty")).to_contain_text("Nobody yet")
    assert seen.troubles == []


@pytest.mark.parametrize("language", ["en", "pl", "it"])
def test_the_players_fit_on_a_phone(browser, tmp_path: Path, make_table, language: str) -> None:
    table = make_table(tmp_path, players={"g": "Bartholomew", "r": "Ann"})
    table.session.submit(Resign("r"))
    table.session.attend()
    with PageServer(create_app(table.session, table.journal), port=0) as server:
        context = browser.new_context(viewport={"width": 390, "height": 844})
        page = Seen(context.new_page(), server.port).open(f"/players?lang={language}")
        expect(page.locator(".people > li")).to_have_count(2)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        for name in page.locator(".people h2, .people tbody th").all():
            box = name.bounding_box()
            assert box["height"] < 2 * 24, "a name takes one line"
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
