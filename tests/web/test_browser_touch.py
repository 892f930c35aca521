"""Usability by touch and at a glance, in a real browser: sizes of targets, sentences that fit, latency."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browsing import MOVES, Seen, caught_up, stack, status, wait_until_drawn
from playwright.sync_api import expect

from focus_companion.game.moves import Move
from focus_companion.game.rules import Rules
from focus_companion.game.squares import INDEX
from focus_companion.referee.asked import Asked
from focus_companion.referee.verdict import StartDiffers, Wrong
from focus_companion.referee.words import TEMPLATES, say
from focus_companion.session.requests import AgreeDraw
from focus_companion.web.app import create_app
from focus_companion.web.server import PageServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]

REASONS = dict.fromkeys(("placed_out_of_turn", "begins_out_of_turn", "begins_placing"), "out_of_turn")
REASONS |= dict.fromkeys(("wrong_trim", "vanished"), "wrong_removal")
ASKED = {"not_the_reply": Move.parse("d5-f5"), "not_asked_yet": None}
"""The chosen turn for those templates that need one: turns that others make for a player."""


def test_no_stack_has_targets_before_the_thirteenth_piece_is_placed(
    browser, tmp_path: Path, make_table
) -> None:
    table = make_table(tmp_path, Rules.make(players=3))
    table.start()
    with PageServer(create_app(table.session, table.journal), port=0) as server:
        context = browser.new_context(has_touch=True)
        page = Seen(context.new_page(), server.port).open()
        status(page, "The thirteenth piece comes first: place it on an empty square.")
        mine = next(name for name, i in INDEX.items() if table.session.position.stacks[i] == "g")
        first = f"{mine}: green, one piece. Green must place a piece first."
        page.tap(f'[data-square="{mine}"]')
        expect(page.locator(".ring.selected")).to_have_count(1)
        expect(page.locator("#square-info")).to_have_text(first)
        expect(page.locator(".ring.target")).to_have_count(0)
        free = next(name for name, i in INDEX.items() if not table.session.position.stacks[i])
        table.play(f"*{free}")
        status(page, "to move")
        caught_up(page, table)
        page.tap(f'[data-square="{mine}"]')
        expect(page.locator("#square-info")).to_contain_text("Green can reach")
        assert page.locator(".ring.target").count() > 0
        page.goto(f"http://127.0.0.1:{server.port}/games/1")
        page.wait_for_selector("body[data-ready]")
        page.locator("#replay [data-step=first]").click()
        page.wait_for_selector('body[data-looking="back"]')
        page.tap(f'[data-square="{mine}"]')
        expect(page.locator("#square-info")).to_have_text(first)
        context.close()


TOO_SMALL = """() => {
    const kinds = 'button, select, input, summary, a, label.switch';
    return [...document.querySelectorAll(kinds)].filter(element => {
        const own = element.getBoundingClientRect();
        const label = element.closest('label')?.getBoundingClientRect() ?? own;
        const shown = element.checkVisibility({ visibilityProperty: true }) && own.width;
        const high = Math.max(own.height, label.height);
        const wide = Math.max(own.width, label.width);
        return shown && !element.matches('.skip, .share a') && (high < 44 || wide < 44);
    }).map(element => `${element.outerHTML.slice(0, 80)} ${element.getBoundingClientRect().height}`);
}"""


@pytest.mark.parametrize("width", [320, 1920])
def test_everything_to_touch_is_large_enough(table, server: PageServer, browser, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800})
    table.see(StartDiffers((INDEX["b7"],)))
    page = Seen(context.new_page(), server.port).open()
    page.click(".menu summary")
    assert page.evaluate(TOO_SMALL) == [], "getting ready"
    page.click(".menu summary")
    table.start()
    table.play(*MOVES)
    expect(page.locator("#moves li")).to_have_count(4)
    for summary in page.locator(".acts summary").all():
        summary.click()
    table.see(Wrong("two_moves", "g", (0, 1), say("two_moves", "g", squares=(0, 1))))
    page.wait_for_selector("[data-act=legal]")
    assert page.evaluate(TOO_SMALL) == [], "an alert"
    page.click(".acts [data-act=new_game]")
    page.click("#new-game summary")
    assert page.evaluate(TOO_SMALL) == [], "a new game"
    page = Seen(page, server.port).open("/games")
    assert page.evaluate(TOO_SMALL) == [], "past games"
    context.close()


ROOM = """event => new Promise(done => {
    const look = () => {
        if (Number(document.body.dataset.event) < event) return;
        seen.disconnect();
        const { scrollHeight, clientHeight } = document.querySelector('#status');
        done(scrollHeight - clientHeight);
    };
    const seen = new MutationObserver(look);
    seen.observe(document.body, { attributeFilter: ['data-event'] });
    look();
})"""
"""By how many pixels the status overflows, once the page shows this event or a later one."""


@pytest.mark.parametrize("size", [(320, 640), (1280, 800), (1920, 1080)])
def test_every_alert_can_be_read_without_scrolling(
    browser, tmp_path: Path, make_table, size: tuple[int, int]
) -> None:
    table = make_table(tmp_path, players={"g": "Bartholomew", "r": "Anastasia"})
    table.start()
    a, b = INDEX["d5"], INDEX["f7"]
    with PageServer(create_app(table.session, table.journal), port=0) as server:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]})
        for language in ("en", "pl", "it"):
            page = Seen(context.new_page(), server.port).open(f"/?lang={language}")
            for what in TEMPLATES:
                if what in ASKED:
                    table.see(Asked("g", ASKED[what]).wrong(Move.parse("e3-e6"), table.session.position))
                else:
                    text = say(
                        what, "g", squares=(a, b), origin=a, target=b, number=2, far=3, turn="r", owner="r"
                    )
                    reason = REASONS.get(what, what)
                    table.see(Wrong(reason, "g", (a, b), text))
                assert page.evaluate(ROOM, table.session.state()["event"]) <= 0, (language, what)
            page.close()
        context.close()


@pytest.mark.parametrize("size", [(320, 640), (390, 844), (768, 1024), (1280, 800), (1920, 1080)])
def test_who_begins_is_asked_and_answered(browser, tmp_path: Path, make_table, size: tuple[int, int]) -> None:
    """Yes and No are large enough and visible in every language; No keeps the alert with its usual answers on
    this page only, Yes accepts the turn."""
    table = make_table(tmp_path, players={"g": "Bartholomew", "r": "Anastasia"})
    table.start()
    squares = INDEX["d6"], INDEX["d7"]
    text = say("begins_out_of_turn", "r", origin=squares[0], target=squares[1], turn="g")
    table.see(Wrong("out_of_turn", "r", squares, text))
    with PageServer(create_app(table.session, table.journal), port=0) as server:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, has_touch=True)
        for language, words in {"pl": "Tak", "it": "Sì", "en": "Yes"}.items():
            page = Seen(context.new_page(), server.port).open(f"/?lang={language}")
            yes, no = page.locator("#status .answer").all()
            assert yes.text_content().startswith(words) and "Anastasia" in yes.text_content()
            assert "Anastasia" in page.text_content(".status-title")
            assert page.evaluate(TOO_SMALL) == []
            wait_until_drawn(page)
            assert page.evaluate(ROOM, table.session.state()["event"]) <= 0, language
            for part in (yes, no, page.locator("#status"), page.locator("#board")):
                expect(part).to_be_in_viewport(ratio=0.99)
            no.focus()
            page.keyboard.press("Enter")
            expect(page.locator("[data-act=begins]")).to_have_count(0)
            for act in ("legal", "dismiss"):
                expect(page.locator(f"#status [data-act={act}]")).to_be_in_viewport(ratio=0.99)
            assert page.evaluate("document.activeElement.matches('#status .answer')"), "the focus stays"
            assert page.locator("#status").get_attribute("data-kind") == "alert"
            assert table.session.state()["begins"] == "red"
            if language != "en":
                page.close()
        page.reload()
        with table.looping():
            page.tap('[data-act="begins"]')
            expect(page.locator("#moves li")).to_have_count(1)
        status(page, "Bartholomew to move")
        assert [turn["player"] for turn in table.session.state()["moves"]] == ["red"]
        context.close()


FRAMES = """
window.redrawn = [];
const listen = EventTarget.prototype.addEventListener;
EventSource.prototype.addEventListener = function (type, handler, ...more) {
  if (type !== "message") return listen.call(this, type, handler, ...more);
  return listen.call(this, type, (message) => {
    const { type: kind, move } = JSON.parse(message.data).event;
    if (kind !== "move") return handler(message);
    const began = performance.now();
    requestAnimationFrame(() => {
      const target = document.querySelector(`[data-square="${move.slice(-2)}"]`).getAttribute("aria-label");
      redrawn.push({ move, target, work: taken });
    });
    handler(message);
    document.body.getBoundingClientRect();
    const taken = performance.now() - began;
  }, ...more);
};
"""


def test_an_event_redraws_within_one_frame(table, seen: Seen) -> None:
    seen.page.add_init_script(FRAMES)
    page = seen.open()
    page.wait_for_selector('#line[data-line="live"]')
    for number, move in enumerate(MOVES, 1):
        table.play(move)
        page.wait_for_function("number => redrawn.length === number", arg=number)
        newest = page.evaluate("redrawn.at(-1)")
        assert newest["target"] == stack(page, move[-2:]) != f"{move[-2:]}: empty", "not in the next frame"
    # Script and layout together; the minimum of four, because other work on the machine only adds to it.
    quickest = min(page.evaluate("redrawn.map(({ work }) => work)"))
    print(f"an event is drawn within {quickest:.1f} ms of work")
    assert quickest < 1000 / 60


SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const { value, sources } of list.getEntries()) {
    shifts.push([value, sources.map(({ node }) => node?.id || node?.className)]);
  }
}).observe({ type: "layout-shift", buffered: true });
"""


def slow_down(context: Any, page: Any) -> None:
    """Slow the network down so much that the page is drawn before its script has arrived."""
    line = context.new_cdp_session(page)
    slow = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 90_000}
    line.send("Network.enable")
    line.send("Network.emulateNetworkConditions", slow)


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize(("players", "begun"), [(2, False), (2, True), (3, True), (4, True)])
def test_the_layout_is_stable_while_the_page_loads(
    browser, tmp_path: Path, make_table, players: int, begun: bool, width: int
) -> None:
    table = make_table(tmp_path, Rules.make(players=players))
    if begun:
        table.start()
    else:
        table.see(StartDiffers((INDEX["b7"],)))
    with PageServer(create_app(table.session, table.journal), port=0) as server:
        context = browser.new_context(viewport={"width": width, "height": 844})
        page = context.new_page()
        page.add_init_script(SHIFTS)
        slow_down(context, page)
        Seen(page, server.port).open()
        page.wait_for_selector('#line[data-line="live"]')
        wait_until_drawn(page)
        jumped = page.evaluate("shifts")
        assert sum(share for share, _ in jumped) < 0.01, jumped
        context.close()


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_layout_is_stable_while_a_past_game_loads(
    browser, tmp_path: Path, make_table, players: int, width: int
) -> None:
    table = make_table(tmp_path, Rules.make(players=players))
    table.start()
    table.play(table.session.legal()[0])
    table.session.submit(AgreeDraw())
    table.session.attend()
    with PageServer(create_app(table.session, table.journal), port=0) as server:
        context = browser.new_context(viewport={"width": width, "height": 844})
        page = context.new_page()
        page.add_init_script(SHIFTS)
        slow_down(context, page)
        Seen(page, server.port).open("/games/1")
        page.wait_for_selector("#review button", timeout=60_000)
        wait_until_drawn(page)
        jumped = page.evaluate("shifts")
        assert sum(share for share, _ in jumped) < 0.01, jumped
        context.close()
