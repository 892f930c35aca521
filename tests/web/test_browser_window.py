"""Layout: how the page uses its window, and the display mode for a screen beside the table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browsing import MOVES, Seen, caught_up, playwright, serious, status, wait_until_drawn
from playwright.sync_api import expect

from focus_companion.game.moves import Move
from focus_companion.game.rules import Rules
from focus_companion.game.squares import INDEX
from focus_companion.referee.verdict import StartDiffers, Undecided, Wrong
from focus_companion.referee.words import say
from focus_companion.web.app import create_app
from focus_companion.web.server import PageServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def box(page: playwright.Page, selector: str) -> dict[str, float]:
    found: dict[str, float] = page.locator(selector).bounding_box()
    return found


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080)])
def test_only_the_sidebar_scrolls_and_the_board_stays(table, seen: Seen, size: tuple[int, int]) -> None:
    seen.page.set_viewport_size({"width": size[0], "height": size[1]})
    page = seen.open()
    table.play(*MOVES)
    expect(page.locator("#moves li")).to_have_count(4)
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    before = box(page, "#board"), box(page, "#status")
    page.mouse.move(size[0] - 120, size[1] - 100)
    page.mouse.wheel(0, 3000)
    page.wait_for_function("() => document.querySelector('.side').scrollTop > 100")
    expect(page.locator(".exports")).to_be_in_viewport()
    assert (box(page, "#board"), box(page, "#status")) == before
    assert box(page, ".acts")["y"] < box(page, ".record")["y"], "actions come before the record"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_on_a_television_the_board_takes_up_the_height(browser, tmp_path, make_table, players: int) -> None:
    table = make_table(tmp_path, Rules.make(players=players))
    table.start()
    with PageServer(create_app(table.session, table.journal), port=0) as server:
        context = browser.new_context(viewport={"width": 1920, "height": 1080})
        page = Seen(context.new_page(), server.port).open()
        least = 0.9 if players == 2 else 0.7  # with four players the width is the limit
        assert box(page, "#board")["height"] > least * 1080
        page = Seen(page, server.port).open("/?view=table")
        assert box(page, "#board")["height"] > 0.95 * 1080
        context.close()


@pytest.mark.parametrize("size", [(390, 844), (1280, 800), (1920, 1080)])
def test_before_the_game_the_camera_picture_comes_first(table, browser, size: tuple[int, int]) -> None:
    table.see(StartDiffers((INDEX["b7"],)))
    with PageServer(create_app(table.session, table.journal), port=0) as server:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]})
        page = Seen(context.new_page(), server.port).open()
        expect(page.locator(".frame")).to_be_in_viewport(ratio=0.99)
        picture = box(page, ".frame")
        assert picture["width"] > (300 if size[0] == 390 else 0.4 * size[0])
        if size[0] == 390:
            assert picture["y"] < box(page, "#board")["y"]
        table.start()
        status(page, "Green to move")
        wait_until_drawn(page)
        expect(page.locator("#board")).to_be_in_viewport(ratio=0.99)
        assert box(page, ".frame")["y"] > box(page, "#board")["y"]
        context.close()


def test_the_status_is_as_high_as_its_text(table, seen: Seen) -> None:
    seen.page.set_viewport_size({"width": 390, "height": 844})
    page = seen.open()
    table.play("b6-b7")
    status(page, "Red to move")
    turn = box(page, "#status")["height"]
    assert turn < 110, "the status has no empty space"
    table.play("b5-b6")
    status(page, "Green to move")
    assert box(page, "#status")["height"] == turn, "a turn must not change the layout"
    a, b = INDEX["c6"], INDEX["d7"]
    table.see(Wrong("not_straight", "g", (a, b), say("not_straight", "g", origin=a, target=b, number=1)))
    status(page, "Not in a straight line")
    assert box(page, "#status")["height"] > turn + 40


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("size", [(390, 844), (667, 375), (844, 390), (800, 600), (1280, 800), (1920, 1080)])
def test_beside_the_table_everything_is_visible_and_nothing_can_be_pressed(
    browser, tmp_path: Path, make_table: Any, players: int, size: tuple[int, int]
) -> None:
    table = make_table(tmp_path, Rules.make(players=players))
    table.start()
    with PageServer(create_app(table.session, table.journal), port=0) as server:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]})
        seen = Seen(context.new_page(), server.port)
        page = seen.open("/?view=table")
        page.wait_for_selector('#line[data-line="live"]', state="attached")
        expect(page.locator(".player")).to_have_count(players)
        expect(page.locator("button, a:not(.skip), input, select, summary")).to_have_count(0)
        mover = table.session.position.to_move
        a, b = INDEX["b6"], INDEX["c7"]
        text = say("not_straight", mover, origin=a, target=b, number=1)
        table.see(Wrong("not_straight", mover, (a, b), text))
        status(page, "Not in a straight line")
        caught_up(page, table)
        wait_until_drawn(page)
        for part in ("#board", "#status", *(f".player >> nth={k}" for k in range(players))):
            expect(page.locator(part)).to_be_in_viewport(ratio=0.99)
        page.mouse.click(size[0] / 2, size[1] / 2)
        for key in ("Tab", "Enter", "ArrowLeft", "Home", "Escape"):
            page.keyboard.press(key)
        wait_until_drawn(page)
        assert page.get_attribute("body", "data-looking") == "now"
        expect(page.locator(".ring.selected, .answer")).to_have_count(0)
        assert serious(page) == []
        assert seen.troubles == []
        context.close()


def test_beside_the_table_a_doubt_is_shown_without_a_question(table, seen: Seen) -> None:
    page = seen.open("/?view=table")
    table.see(Undecided((Move.parse("b6-b7"), Move.parse("b6-a6"))))
    expect(page.locator("#board .name")).to_have_count(2)
    status(page, "Just play on")
    assert "choose here" not in page.text_content("#status")
    page.mouse.click(*(box(page, "#board .name >> nth=0")[key] + 12 for key in ("x", "y")))
    caught_up(page, table)
    assert table.session.state()["ply"] == 0


def test_the_screen_beside_the_table_stays_lit_and_a_touch_fills_it(table, seen: Seen) -> None:
    seen.page.add_init_script(
        """window.locks = [];
        navigator.wakeLock.request = async (kind) => { locks.push(kind); return {}; };
        Element.prototype.requestFullscreen = async function () { window.filled = this.tagName; };"""
    )
    page = seen.open("/?view=table")
    page.wait_for_function("() => locks.includes('screen')")
    page.mouse.click(600, 400)
    page.wait_for_function("() => window.filled === 'HTML'")
    page = seen.open("/")
    page.click(".menu summary")
    page.click('.menu a[href="/?view=table"]')
    page.wait_for_selector('body[data-show="table"][data-ready]')
