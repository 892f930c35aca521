"""A match on the page, from the form to its end; and the drop set-up while pieces are placed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from browsing import Seen, until, wait_until_drawn
from playwright.sync_api import expect

from focus_companion.game.rules import Rules
from focus_companion.session.requests import NewGame, Resign

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def save_screenshot(page: Any, name: str) -> None:
    """Save a screenshot of the page if FOCUS_PICTURES=FOLDER is set."""
    if folder := os.environ.get("FOCUS_PICTURES"):
        for width, height in ((390, 844), (1280, 800)):
            page.set_viewport_size({"width": width, "height": height})
            wait_until_drawn(page)
            page.screenshot(path=Path(folder) / f"{name}-{width}.png", full_page=True)
        page.set_viewport_size({"width": 1280, "height": 800})


def test_players_without_names_are_called_so_in_the_viewers_language(table, seen: Seen, looping) -> None:
    table.session.submit(NewGame(Rules.make(2), {"r": "Ann"}, games=2)).result(60)
    page = seen.open("/?lang=pl")
    expect(page.locator("#match tbody")).to_contain_text("Gracz 1")
    expect(page.locator(".setup .names, .card .names").first).to_contain_text("Gracz 1")
    page.click(".acts [data-act=new_game]")
    assert (page.input_value("[name=name-green]"), page.input_value("[name=name-red]")) == ("", "Ann")


def test_a_tournament_from_the_form_to_its_winner(table, seen: Seen, looping) -> None:
    page = seen.open()
    page.click(".acts [data-act=new_game]")
    page.select_option("[name=preset]", "tournament")
    assert page.input_value("[name=games]") == "2"
    page.fill("[name=name-green]", "Ann")
    page.fill("[name=name-red]", "Bartholomew")
    save_screenshot(page, "form")
    page.click("#new-game .strong")
    until(page, table, ply=0, game=2)
    assert table.session.state()["match"] == {"length": 2, "number": 1, "before": []}
    card = page.locator("#match")
    expect(card.locator(".standing")).to_have_text("Game 1 of 2, 0 finished.")
    table.session.submit(Resign("r")).result(60)
    rematch = page.locator("[data-act=rematch]")
    expect(rematch).to_have_text("Next game of the match")
    expect(card.locator(".standing")).to_have_text("Game 1 of 2, 1 finished.")
    save_screenshot(page, "between")
    rematch.click()
    until(page, table, ply=0, game=3)
    assert table.session.history.players == {"g": "Bartholomew", "r": "Ann"}
    expect(card.locator(".standing")).to_have_text("Game 2 of 2, 1 finished.")
    table.session.submit(Resign("r")).result(60)
    expect(card.locator(".standing")).to_have_text("The match is tied between Ann and Bartholomew.")
    expect(rematch).to_have_text("Rematch")
    save_screenshot(page, "tied")
    link = card.locator("[data-match-export] a").first.get_attribute("href")
    answer = page.request.get(f"http://127.0.0.1:{seen.port}{link}").json()
    assert answer["length"] == 2 and len(answer["games"]) == 2 and answer["score"]["tied"]
    page.click(".acts [data-act=new_game]")
    assert page.input_value("[name=preset]") == "tournament", "the form keeps the preset for the next match"
    page.select_option("[name=preset]", "domination")
    assert page.input_value("[name=games]") == "1"
    page.fill("[name=games]", "40")
    page.click("#new-game .strong")
    until(page, table, ply=0, game=4)
    assert table.session.state()["match"]["length"] == 40
    assert seen.troubles == []


def test_the_total_of_a_long_match_stays_visible(table, seen: Seen, looping) -> None:
    table.session.submit(NewGame(Rules.make(2), {"g": "Ann", "r": "Bartholomew"}, games=34)).result(60)
    for _ in range(33):
        table.session.submit(Resign("g")).result(60)
        table.session.submit(NewGame()).result(60)
    page = seen.open()
    card = page.locator("#match")
    expect(card.locator("thead a")).to_have_count(34)
    expect(card.locator(".standing")).to_have_text("Game 34 of 34, 33 finished.")
    page.set_viewport_size({"width": 390, "height": 844})
    total = card.locator(".total").first
    total.scroll_into_view_if_needed()
    box = total.bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= 390
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    save_screenshot(page, "long")


def test_while_pieces_are_placed_the_page_does_not_call_them_a_reserve(table, seen: Seen, looping) -> None:
    table.session.submit(NewGame(Rules.make(2, set_up="drop"))).result(60)
    page = seen.open()
    until(page, table, ply=0, game=2)
    panel = page.locator(".player[data-colour=green]")
    expect(panel.locator("dt").first).to_have_text("To place")
    expect(panel.get_by_role("img", name="18 pieces to place")).to_have_count(1)
    assert "eserve" not in page.locator(".table").inner_text()
    save_screenshot(page, "drop")
