"""The HTML export, opened from the disk in a real browser without a network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from browsing import at_rest, serious, stack
from playwright.sync_api import expect
from stories import ALERT, game

from focus_companion.formats.match import Match
from focus_companion.formats.walk import steps
from focus_companion.formats.writing import write
from focus_companion.game.record import GameRecord
from focus_companion.game.rules import Rules
from focus_companion.web.story import story_format

pytestmark = [pytest.mark.browser, pytest.mark.slow]
NAMES = {"g": "Ann", "r": "Żaneta"}


@pytest.fixture
def sent(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """``sent(record)`` opens its page from the disk; any error or request on it fails the test."""
    troubles: list[str] = []
    contexts = []

    def open_(record: GameRecord, language: str = "en", *, more: Any = None, **how: Any) -> Any:
        path = tmp_path / "game.html"
        path.write_bytes(write(Match((record,), single=True), story_format(language, **more or {})))
        context = browser.new_context(offline=True, **{"viewport": {"width": 390, "height": 844}} | how)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on(
            "console", lambda said: troubles.append(said.text) if said.type in ("error", "warning") else None
        )
        page.on("request", lambda asked: troubles.append(asked.url) if asked.url != path.as_uri() else None)
        page.on("dialog", lambda dialog: (troubles.append(dialog.message), dialog.dismiss()))
        page.goto(path.as_uri())
        page.wait_for_selector("body[data-ready]")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert [trouble for trouble in troubles if not trouble.startswith("data:image/")] == []


def at(page: Any, ply: int, last: int) -> None:
    expect(page.locator("#replay output")).to_have_text(f"{ply} / {last}")
    expect(page.locator("body")).to_have_attribute("data-ply", str(ply))


def test_the_date_is_the_same_in_every_time_zone(sent: Callable[..., Any]) -> None:
    for zone in ("America/New_York", "Pacific/Kiritimati"):
        expect(sent(game(3), timezone_id=zone).locator("#facts")).to_contain_text("20 Nov 2026")


def test_a_game_is_stepped_through_by_keys(sent: Callable[..., Any]) -> None:
    record = game(12, players=NAMES)
    page = sent(record)
    at(page, 0, 12)
    assert page.locator("h1").inner_text() == "Ann – Żaneta"
    facts = page.locator("#facts").inner_text()
    assert "20 Nov 2026" in facts and "12 turns" in facts and "wins" in facts
    for step in steps(record):
        if step.move is None:
            continue
        page.keyboard.press("ArrowRight")
        at(page, step.ply, 12)
        name = str(step.move)[-2:]
        assert len(step.after.stack(name)) == page.locator(f'[data-square="{name}"] use').count()
    expect(page.locator(".status")).to_have_attribute("data-kind", "result")
    page.keyboard.press("ArrowLeft")
    at(page, 11, 12)
    page.keyboard.press("Home")
    at(page, 0, 12)
    page.keyboard.press("End")
    at(page, 12, 12)
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    expect(page.locator("[data-step=play]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#replay output")).to_have_text("2 / 12")
    page.keyboard.press(" ")
    expect(page.locator("[data-step=play]")).to_have_attribute("aria-pressed", "false")


def test_a_game_is_stepped_through_by_touch(sent: Callable[..., Any]) -> None:
    page = sent(game(60, players=NAMES), has_touch=True, is_mobile=True)
    for step, ply in (("next", 1), ("next", 2), ("back", 1), ("last", 60), ("first", 0)):
        button = page.locator(f"[data-step={step}]")
        box = button.bounding_box()
        # On a phone, the buttons stay visible and large enough for a thumb.
        assert box["y"] + box["height"] <= 844 and min(box["width"], box["height"]) >= 44
        button.tap()
        at(page, ply, 60)
    page.locator("#moves [data-ply='40']").tap()
    at(page, 40, 60)
    page.locator("#review li button").first.tap()
    expect(page.locator("#replay output")).not_to_have_text("40 / 60")
    width = page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
    assert width[0] <= width[1]


def test_the_selected_turn_is_visible_in_the_list(sent: Callable[..., Any]) -> None:
    page = sent(game(60), viewport={"width": 1280, "height": 800})
    page.keyboard.press("End")
    for _ in range(10):
        page.keyboard.press("ArrowLeft")
    at(page, 50, 60)
    current, listed = (page.locator(what).bounding_box() for what in ("#moves [aria-current]", "#moves"))
    assert listed["y"] <= current["y"] and current["y"] + 44 <= listed["y"] + listed["height"]


@pytest.mark.parametrize("width", [390, 720, 1040, 1300])
def test_all_turns_and_the_names_are_printed(sent: Callable[..., Any], width: int) -> None:
    page = sent(game(60, players=NAMES), viewport={"width": width, "height": 700})
    page.emulate_media(media="print")
    for name in ("#moves", ".side", ".play"):
        box = page.locator(name)
        assert box.evaluate("box => box.scrollHeight <= box.clientHeight + 1"), name
    low = page.locator("#moves li").last.bounding_box()
    assert low is not None
    assert low["y"] + low["height"] <= page.evaluate("document.documentElement.scrollHeight")
    expect(page.locator("h1")).to_be_visible()
    expect(page.locator("#facts")).to_be_visible()
    expect(page.locator("#replay")).to_be_hidden()


def test_alerts_are_shown_with_their_turn_and_on_the_board(sent: Callable[..., Any]) -> None:
    page = sent(game(6, players=NAMES, incidents=(ALERT | {"time": 25.0},)))
    notes = page.locator("#notes")
    expect(notes).to_be_hidden()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(notes).to_contain_text("Żaneta moved from c4 to c5, but it is Ann’s turn.")
    expect(page.locator(".ring.wrong")).to_have_count(0)
    page.locator("#moves .alert button").click()
    expect(page.locator(".ring.wrong")).to_have_count(2)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".ring.wrong")).to_have_count(0)
    expect(notes).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(sent: Callable[..., Any], scheme: str) -> None:
    page = sent(game(6, players=NAMES, incidents=(ALERT | {"time": 5.0},)), color_scheme=scheme)
    page.keyboard.press("ArrowRight")
    at_rest(page)
    assert serious(page) == []


def test_hostile_names_do_nothing(sent: Callable[..., Any]) -> None:
    name = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    incident = ALERT | {"text": name, "time": 5.0}
    page = sent(game(3, players={"g": name, "r": name}, date=name, incidents=(incident,)))
    assert page.locator("h1").inner_text() == f"{name} – {name}"
    expect(page.locator("#notes li")).to_have_text(name)
    assert page.locator("img").count() == 0
    width = page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
    assert width[0] <= width[1]


@pytest.mark.parametrize(("language", "words"), [("pl", "Ruch: Ann"), ("it", "Tocca a: Ann")])
def test_the_page_is_in_the_requested_language(sent: Callable[..., Any], language: str, words: str) -> None:
    page = sent(game(2, players=NAMES), language)
    assert words in page.locator(".status").inner_text().replace("\u00a0", " ")
    assert page.locator("html").get_attribute("lang") == language


def test_light_and_dark_follow_the_device(sent: Callable[..., Any]) -> None:
    colours = {
        scheme: sent(game(2), color_scheme=scheme).evaluate(
            "() => getComputedStyle(document.body).backgroundColor"
        )
        for scheme in ("light", "dark")
    }
    assert colours == {"light": "rgb(244, 241, 234)", "dark": "rgb(16, 23, 28)"}


@pytest.mark.parametrize("players", [3, 4])
def test_games_of_more_players_are_shown(sent: Callable[..., Any], players: int) -> None:
    page = sent(game(30, rules=Rules.make(players), over=False), viewport={"width": 1280, "height": 800})
    page.keyboard.press("End")
    at(page, 30, 30)
    assert page.locator(".player").count() == players
    expect(page.locator("#review")).to_be_hidden()


def test_a_game_without_turns_is_shown(sent: Callable[..., Any]) -> None:
    page = sent(game(0, over=False))
    at(page, 0, 0)
    assert stack(page, "d4") != ""


def test_the_camera_pictures_are_shown(sent: Callable[..., Any]) -> None:
    jpeg = bytes(cv2.imencode(".jpg", np.full((30, 40, 3), 90, np.uint8))[1])
    page = sent(game(3), more={"stills": lambda _: {1: jpeg}})
    picture = page.locator("#still img")
    expect(picture).to_be_hidden()
    page.keyboard.press("ArrowRight")
    expect(picture).to_be_visible()
    assert page.evaluate("() => document.querySelector('#still img').naturalWidth") == 40
