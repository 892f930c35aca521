"""The page for everyone, in a real browser: languages, windows, axe, the PIN, an unreachable host."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import MOVES, Seen, at_rest, caught_up, serious, status
from playwright.sync_api import Route, expect

from focus_companion.game.rules import Rules
from focus_companion.game.squares import INDEX
from focus_companion.referee.verdict import PutRight, StartDiffers, Wrong
from focus_companion.referee.words import say
from focus_companion.session.clock import TimeControl
from focus_companion.session.requests import NewGame, SetPosition
from focus_companion.web.app import create_app
from focus_companion.web.server import PageServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_the_chosen_language_is_remembered(table, seen: Seen) -> None:
    page = seen.open("/?lang=pl")
    status(page, "Ruch: Zielony")
    assert page.get_attribute("html", "lang") == "pl"
    page = seen.open("/?lang=it")
    status(page, "Tocca a: Verde")
    page = seen.open()
    status(page, "Tocca a: Verde")
    assert seen.troubles == []


D5, D7, E6 = INDEX["d5"], INDEX["d7"], INDEX["e6"]
SAID = {
    "en": [
        "Ann moved 1 piece 2 squares from d5 to d7; 1 piece must go exactly 1 square.",
        "Bo moved Ann’s stack from d5 to d7; only Ann, whose piece is on top, may move it.",
        "The board has changed at d5, d7 and e6 in a way",
    ],
    "pl": [
        "Ann: 1 pionek o 2 pola z d5 na d7, a 1 pionek to ruch dokładnie o 1 pole. Proszę odłożyć go na d5.",
        "Bo: ruch cudzym stosem z d5 na d7; wolno nim ruszać tylko graczowi Ann",
        "Plansza zmieniła się na d5, d7 i e6 tak",
    ],
    "it": [
        "Ann ha mosso 1 pezzo di 2 caselle da d5 a d7; con 1 pezzo si va",
        "Bo ha mosso la pila di Ann da d5 a d7",
        "è cambiato in d5, d7 e e6 in un modo",
    ],
}


@pytest.mark.parametrize("language", ["en", "pl", "it"])
def test_alerts_are_translated_and_name_the_players(
    browser, tmp_path: Path, make_table, language: str
) -> None:
    table = make_table(tmp_path, players={"g": "Ann", "r": "Bo"})
    table.start()
    sentences = [
        ("distance", "g", (D5, D7), say("distance", "g", origin=D5, target=D7, number=1, far=2)),
        ("not_your_stack", "r", (D5, D7), say("not_your_stack", "r", owner="g", origin=D5, target=D7)),
        ("unexplained", "g", (D5, D7, E6), say("unexplained", "g", squares=(D5, D7, E6))),
    ]
    with PageServer(create_app(table.session, table.journal), port=0) as server:
        context = browser.new_context()
        page = Seen(context.new_page(), server.port).open(f"/?lang={language}")
        for (reason, player, squares, text), shown in zip(sentences, SAID[language], strict=True):
            table.see(Wrong(reason, player, squares, text))
            status(page, shown)
        context.close()


SPILLING = """() => [...document.querySelectorAll('.player *, .status *, .card *')].filter(element => {
    const box = element.getBoundingClientRect();
    const card = element.closest('.player, .status, .card').getBoundingClientRect();
    return box.width && (box.right > card.right + 1 || box.left < card.left - 1)
        && !element.closest('.moves, .hidden');
}).map(element => element.className || element.tagName)"""
"""Elements that extend beyond their card."""

HIDDEN = """() => [...document.querySelectorAll('.player, .player dd > *, .board')].filter(element => {
    const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
    return !width || !height || left < 0 || right > innerWidth || top < 0 || bottom > innerHeight;
}).map(element => element.className)"""
"""The parts of the board and the players that are not visible without scrolling."""

OVERLAPPING = """() => {
    const all = [...document.querySelectorAll('.player, .wood')].map(one => one.getBoundingClientRect());
    const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
    return all.flatMap((a, at) => all.slice(at + 1).filter(b => !apart(a, b))).length;
}"""


@pytest.mark.parametrize("clock", [None, TimeControl("down", 900, 10)], ids=["untimed", "timed"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_board_and_players_are_visible_in_every_window(
    browser, tmp_path: Path, make_table, players: int, clock: TimeControl | None
) -> None:
    """With many captured pieces, in every language, and with any side of the board nearest."""
    table = make_table(tmp_path)
    rules = Rules.make(players=players, fast=players > 2)
    names = dict(zip(rules.order, ("Ann", "Bartholomew", "Cy", "Dorothea"), strict=False))
    table.session.submit(NewGame(rules, names, clock=clock))
    table.session.attend()
    each = {2: 13, 3: 4, 4: 2}[players]
    taken = {one: {other: each for other in rules.order if other != one} for one in rules.order}
    held = dict.fromkeys(rules.order, 12)
    stacks = table.session.position.stacks
    table.session.submit(SetPosition(stacks, rules.order[1], held, taken))
    table.session.attend()
    table.start()
    with PageServer(create_app(table.session, table.journal), port=0) as server:
        context = browser.new_context()
        for language in ("en", "pl", "it"):
            page = Seen(context.new_page(), server.port).open(f"/?lang={language}")
            for width, height in ((320, 640), (390, 780), (430, 740), (768, 1024), (1280, 800), (1920, 1080)):
                page.set_viewport_size({"width": width, "height": height})
                # The nearest side does not affect the texts.
                for turn in range(4 if language == "en" else 1):
                    where = (language, width, turn)
                    assert page.locator(".player").count() == players, where
                    assert page.evaluate(HIDDEN) == [], where
                    assert page.evaluate(SPILLING) == [], where
                    assert page.evaluate(OVERLAPPING) == 0, where
                    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), where
                    page.click("#rotate")
            page.close()
        context.close()


OF_THE_LINE = (
    "Connecting",
    "Host unreachable",
    "Brak połączenia",
    "In diretta, ogni 5 s",
    "Host non raggiunto",
)
CROWDED = """(said) => {
  document.querySelector('#line').textContent = said;
  const bar = document.querySelector('.bar').getBoundingClientRect();
  const brand = document.querySelector('.brand').getBoundingClientRect();
  const name = document.querySelector('.brand span').getBoundingClientRect();
  const line = document.querySelector('#line');
  if (line.scrollWidth > line.clientWidth) return true;
  const shown = name.top < brand.bottom ? [name] : [];
  const rest = [...document.querySelectorAll('.bar > :not(.brand)')].map(one => one.getBoundingClientRect());
  const boxes = [...shown, ...rest.filter(one => one.width)].sort((a, b) => a.left - b.left);
  const ends = [...boxes.slice(1).map(one => one.left), bar.right];
  return boxes.some((one, k) => one.right > ends[k] + 0.5);
}"""


@pytest.mark.parametrize("width", [320, 360, 397, 430, 1280])
def test_every_text_about_the_connection_fits_into_the_bar(table, seen: Seen, width: int) -> None:
    page = seen.open()
    page.set_viewport_size({"width": width, "height": 780})
    for said in OF_THE_LINE:
        assert not page.evaluate(CROWDED, said), said
    name = page.locator(".brand span").bounding_box()
    brand = page.locator(".brand").bounding_box()
    assert (name["y"] < brand["y"] + brand["height"]) == (width == 1280), (
        "the name is shown where there is room"
    )


BESIDE_THE_LINE = """([demo, viewers]) => {
  document.querySelector('#demo').hidden = !demo;
  document.querySelector('#watching').hidden = !viewers;
  document.querySelector('#watching').textContent = viewers;
}"""


@pytest.mark.parametrize("width", [320, 360, 390, 420, 500, 640])
@pytest.mark.parametrize(("language", "viewers"), [("en", "12 viewers"), ("it", "12 guardano")])
def test_the_connection_is_readable_beside_the_demos_sign_and_the_viewers(
    table, seen: Seen, width: int, language: str, viewers: str
) -> None:
    page = seen.open(f"/?lang={language}")
    page.set_viewport_size({"width": width, "height": 780})
    for demo, shown in ((True, ""), (False, viewers), (True, viewers)):
        page.evaluate(BESIDE_THE_LINE, [demo, shown])
        for said in (*OF_THE_LINE, "Connessione", "In diretta", "Live"):
            assert not page.evaluate(CROWDED, said), (demo, shown, said)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("path", ["/", "/games", "/players"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(table, server: PageServer, browser, path: str, scheme: str) -> None:
    table.play(*MOVES)
    # axe injects its script into the page, which the page's content security policy forbids.
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    page = Seen(context.new_page(), server.port).open(path)
    at_rest(page)
    assert serious(page) == []
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_dialogs(table, server: PageServer, browser, scheme: str) -> None:
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    table.see(StartDiffers((INDEX["b7"],)))
    page = Seen(context.new_page(), server.port).open()
    assert serious(page) == [], "getting ready"
    page.click("#setup [data-act=new_game]")
    page.click("#new-game summary")
    page.select_option("[name=preset]", "fast")
    page.select_option("[name=clock]", "down")
    assert serious(page) == [], "a new game"
    page.click("[data-close]")
    table.start()
    table.see(Wrong("distance", "g", (INDEX["b6"], INDEX["d7"]), "Green went too far."))
    page.click("[data-act=legal]")
    assert serious(page) == [], "a ruling"
    page.click("[data-act=turn_stop]")
    page.click(".acts details:has([data-act=edit]) summary")
    page.click("[data-act=edit]")
    page.click('[data-square="b6"]')
    assert serious(page) == [], "the editor"
    page.click("[data-edit=cancel]")
    page.click(".camera [data-act=place]")
    page.wait_for_function("() => document.querySelector('#corners svg path')")
    assert serious(page) == [], "the corners"
    context.close()


def test_the_pin_is_asked_for_on_other_machines(table, browser) -> None:
    table.start()
    app = create_app(table.session, table.journal, lan=True, pin="4821", hosts=["board.local"])
    with PageServer(app, port=0) as server:
        context = browser.new_context()
        page = Seen(context.new_page(), server.port).open(host="board.local")
        page.click('[data-act="pause"]')
        page.wait_for_selector("#pin[open]")
        page.fill("#pin input", "1111")
        page.click("#pin [value=ok]")
        page.wait_for_function(
            "() => document.querySelector('#pin .note').textContent.includes('not the PIN')"
        )
        page.fill("#pin input", "4821")
        page.click("#pin [value=ok]")
        page.wait_for_selector("#pin:not([open])", state="attached")
        with table.looping():
            status(page, "Paused")
        context.close()


def test_escape_or_a_touch_elsewhere_closes_the_settings(table, seen: Seen) -> None:
    page = seen.open()
    menu = page.locator(".menu .panel")
    page.click(".menu summary")
    expect(menu).to_be_visible()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    assert page.evaluate("document.activeElement.matches('.menu summary')")
    page.keyboard.press("Enter")
    expect(menu).to_be_visible()
    page.click("#square-info")
    expect(menu).to_be_hidden()


def test_missed_moves_are_shown_once_the_host_is_reachable_again(
    table, seen: Seen, server: PageServer
) -> None:
    page = seen.open()
    page.wait_for_selector('#line[data-line="live"]')
    server.close()
    page.wait_for_selector('#line:not([data-line="live"])', timeout=40000)
    table.play(*MOVES[:3])
    with PageServer(create_app(table.session, table.journal), port=server.port):
        page.wait_for_selector('#line[data-line="live"]', timeout=40000)
        status(page, "Red to move")
        table.play(MOVES[3])
        page.wait_for_function("() => document.querySelectorAll('#moves li').length === 4")
        page.goto("about:blank")


@pytest.mark.parametrize("lost", ["later.js", "later.css", "dialogs/en"])
def test_deferred_parts_are_requested_again_after_a_failure(table, seen: Seen, lost: str) -> None:
    table.play(*MOVES[:1])
    seen.page.route(f"**/{lost}*", lambda route: route.abort())
    page = seen.open()
    page.click('[data-square="b5"]')
    assert "Red can reach" in page.text_content("#square-info")
    page.click(".acts [data-act=new_game]")
    expect(page.locator("#toast")).to_have_text("The host does not answer. Try again when the page is live.")
    page.unroute(f"**/{lost}*")
    page.click(".acts [data-act=new_game]")
    expect(page.locator("#new-game")).to_be_visible()
    expect(page.locator("#moves li")).to_have_count(1)
    expect(page.locator("dialog")).to_have_count(5)


def test_a_dialog_opens_while_the_host_is_unreachable_and_is_filled_in_later(
    table, seen: Seen, server: PageServer
) -> None:
    seen.page.route("**/later.js*", lambda route: route.abort())
    page = seen.open()
    page.wait_for_selector('#line[data-line="live"]')
    server.close()
    page.wait_for_selector('#line:not([data-line="live"])', timeout=40000)
    page.unroute("**/later.js*")
    table.play(*MOVES[:2])
    with PageServer(create_app(table.session, table.journal), port=server.port):
        page.wait_for_selector('#line[data-line="live"]', timeout=40000)
        expect(page.locator("#moves li")).to_have_count(2)
    page.wait_for_selector('#line:not([data-line="live"])', timeout=40000)
    page.click(".acts [data-act=new_game]")
    expect(page.locator("#new-game")).to_be_visible()
    assert (
        page.evaluate("getComputedStyle(document.querySelector('#new-game .answers')).position") == "sticky"
    )
    page.goto("about:blank")


HEARD = """
window.heard = [];
navigator.vibrate = (pattern) => heard.push(`shake ${pattern}`);
speechSynthesis.speak = (spoken) => heard.push(`${spoken.lang}: ${spoken.text}`);
const make = AudioContext.prototype.createOscillator;
AudioContext.prototype.createOscillator = function () {
  heard.push("tone");
  return make.call(this);
};
"""


def test_sound_speech_and_vibration_can_be_chosen(table, seen: Seen) -> None:
    seen.page.add_init_script(HEARD)
    page = seen.open()

    def heard_of(text: str) -> list[str]:
        page.evaluate("heard.length = 0")
        table.see(Wrong("unexplained", "g", (D5,), say("unexplained", "g", squares=(D5,)) + text))
        caught_up(page, table)
        table.see(PutRight())
        caught_up(page, table)
        return page.evaluate("heard")

    page.click(".menu summary")
    # The modules that make sounds are loaded after the first view.
    heard_of("")
    page.wait_for_function("() => heard.join() === 'shake 120,80,120'")
    page.select_option("[name=vibration]", "off")
    page.select_option("[name=sound]", "tones")
    assert page.evaluate("heard") == ["shake 120,80,120", "tone"], (
        "a setting that is switched on is demonstrated at once"
    )
    assert heard_of("") == ["tone", "tone"]
    with page.expect_response("**/api/speech?*"):
        page.select_option("[name=sound]", "speech")
    # Tones and spoken sentences are independent and come in any order.
    heard_of("")
    page.wait_for_function("() => heard.filter((sound) => sound === 'tone').length === 2")
    page.wait_for_function("() => heard.includes('en: Corrected. Green to move.')")
    assert seen.troubles == []


def test_an_alert_is_felt_that_comes_before_the_page_has_loaded_everything(table, seen: Seen) -> None:
    seen.page.add_init_script(HEARD)
    held: list[Route] = []
    seen.page.route("**/later.js*", lambda route: held.append(route))
    with seen.page.expect_request("**/later.js*"):
        page = seen.open()
    page.click(".menu summary")
    table.see(Wrong("unexplained", "g", (D5,), say("unexplained", "g", squares=(D5,))))
    caught_up(page, table)
    assert page.evaluate("heard") == []
    held[0].continue_()
    page.wait_for_function("() => heard.join() === 'shake 120,80,120'")
    assert seen.troubles == []


def test_nothing_is_missed_while_the_computer_sleeps(table, seen: Seen) -> None:
    page = seen.open()
    page.wait_for_selector('#line[data-line="live"]')
    # As after sleep: the connection was lost silently, and the page becomes visible again.
    page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))")
    table.play(*MOVES[:3])
    expect(page.locator("#moves li")).to_have_count(0)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    status(page, "Red to move")
    expect(page.locator("#moves li")).to_have_count(3)
    table.play(MOVES[3])
    page.wait_for_function("() => document.querySelectorAll('#moves li').length === 4")


HELD = """
const ask = window.fetch;
window.fetch = async (address, ...more) => {
  const answer = await ask(address, ...more);
  if (address === "/api/state" && window.hold) await new Promise((release) => (window.release = release));
  return answer;
};
"""


def test_a_state_older_than_the_latest_event_is_never_shown(table, seen: Seen) -> None:
    seen.page.add_init_script(HELD)
    page = seen.open()
    page.wait_for_selector('#line[data-line="live"]')
    page.evaluate("window.hold = true; dispatchEvent(new Event('online'))")
    page.wait_for_function("() => window.release")
    table.play(MOVES[0])
    status(page, "Red to move")
    page.evaluate(
        """() => {
            window.titles = [];
            const title = document.querySelector('.status-title');
            new MutationObserver(() => titles.push(title.textContent))
                .observe(title, { childList: true, characterData: true, subtree: true });
            window.hold = false;
            window.release();
        }"""
    )
    page.wait_for_function("() => titles.length > 0")
    assert page.evaluate("titles[0]") == "Red to move"


def test_the_number_of_viewers_is_shown(table, seen: Seen, browser) -> None:
    page = seen.open()
    page.wait_for_selector('#line[data-line="live"]')
    assert page.locator("#watching").is_hidden()
    context = browser.new_context()
    other = Seen(context.new_page(), seen.port).open()
    other.wait_for_selector('#line[data-line="live"]')
    page.reload()
    page.wait_for_selector("body[data-ready]")
    page.wait_for_selector('#line[data-line="live"]')
    # A viewer who has left is no longer counted once the host has noticed; the page asks when it is visible.
    page.wait_for_function(
        """() => {
            document.dispatchEvent(new Event('visibilitychange'));
            return document.querySelector('#watching').textContent === '2 viewers';
        }""",
        polling=300,
    )
    context.close()


def test_a_rescued_journal_is_reported_until_the_next_turn(table, seen: Seen) -> None:
    table.start()
    table.session._rescued = "journal.damaged-1.sqlite"
    page = seen.open()
    status(page, "The journal was damaged")
    status(page, "kept as journal.damaged-1.sqlite")
    table.play(MOVES[0])
    status(page, "Last turn")
    assert "damaged" not in (page.text_content("#status") or "")
    assert seen.troubles == []
