"""Names of players on the page, in a real browser: long ones, and those written from right to left."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import Seen, status
from playwright.sync_api import expect

from focus_companion.game.squares import INDEX
from focus_companion.referee.verdict import Wrong
from focus_companion.referee.words import say
from focus_companion.web.app import create_app
from focus_companion.web.server import PageServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]

D5, D7 = INDEX["d5"], INDEX["d7"]

ORDER = """() => {
    const text = document.querySelector('.status-text').firstChild;
    const left = (word) => {
        const range = document.createRange();
        range.setStart(text, text.data.indexOf(word));
        range.setEnd(text, text.data.indexOf(word) + word.length);
        return range.getBoundingClientRect().left;
    };
    return left('דן') < left('1') && left('1') < left('pionek');
}"""


def test_a_name_from_right_to_left_leaves_the_sentence_in_order(browser, tmp_path: Path, make_table) -> None:
    table = make_table(tmp_path, players={"g": "דן", "r": "Bo"})
    table.start()
    text = say("distance", "g", origin=D5, target=D7, number=1, far=2)
    with PageServer(create_app(table.session, table.journal), port=0) as server:
        context = browser.new_context()
        page = Seen(context.new_page(), server.port).open("/?lang=pl")
        table.see(Wrong("distance", "g", (D5, D7), text))
        status(page, "1 pionek o 2 pola")
        assert page.evaluate(ORDER)
        context.close()


def test_a_long_name_without_spaces_stays_within_the_screen(browser, tmp_path: Path, make_table) -> None:
    name = "anna.maria.kowalska-wisniewska@family-of-players.example.com"
    table = make_table(tmp_path, players={"g": name, "r": name.upper()})
    wider = """() => [document.documentElement, document.querySelector('#confirm')].filter(Boolean)
        .some((part) => part.scrollWidth > part.clientWidth)"""
    inside = """part => [...part.querySelectorAll('*')]
        .every((one) => one.getBoundingClientRect().right <= innerWidth)"""
    with PageServer(create_app(table.session, table.journal), port=0) as server, table.looping():
        context = browser.new_context(viewport={"width": 320, "height": 640})
        page = Seen(context.new_page(), server.port).open()
        expect(page.locator("#setup .who")).to_have_count(2)
        assert not page.evaluate(wider)
        assert page.locator("#setup").evaluate(inside)
        table.start()
        status(page, "to move")
        page.click(".acts details:has(#seats) summary")
        expect(page.locator("#seats .sitting")).to_have_count(2)
        page.click(".acts details:has([data-act=resign]) summary")
        page.click("[data-act=resign]")
        expect(page.locator("#confirm")).to_be_visible()
        assert not page.evaluate(wider)
        assert page.locator("#seats").evaluate(inside)
        context.close()


def test_a_long_name_without_spaces_stays_within_its_answer(browser, tmp_path: Path, make_table) -> None:
    table = make_table(tmp_path, players={"r": "annamariakowalskawisniewska" * 2})
    table.start()
    squares = INDEX["d6"], INDEX["d7"]
    text = say("begins_out_of_turn", "r", origin=squares[0], target=squares[1], turn="g")
    table.see(Wrong("out_of_turn", "r", squares, text))
    with PageServer(create_app(table.session, table.journal), port=0) as server:
        context = browser.new_context(viewport={"width": 360, "height": 740})
        page = Seen(context.new_page(), server.port).open()
        expect(page.locator("[data-act=begins]")).to_be_visible()
        for part in (".status-answers", "[data-act=begins]", "[data-act=begins_not]"):
            assert not page.locator(part).evaluate("part => part.scrollWidth > part.clientWidth"), part
        context.close()
