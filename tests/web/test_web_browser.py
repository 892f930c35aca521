"""The page in a real browser, on the real server and session."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from focus_companion.game.moves import Move
from focus_companion.game.play import Removed
from focus_companion.game.rules import Rules
from focus_companion.game.squares import INDEX
from focus_companion.referee.verdict import OutOfView, PutRight, StartDiffers, TrimAwaited, Undecided, Wrong
from focus_companion.session.requests import Resign
from focus_companion.web.app import create_app
from focus_companion.web.server import PageServer

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.browser, pytest.mark.slow]

SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP board.local 127.0.0.1",
]
MOVES = ["b6-b7", "b5-b6", "c6-c7", "c5-c6"]


@pytest.fixture(scope="module")
def browser() -> Iterator[playwright.Browser]:
    path = next(
        (
            found
            for name in ("chromium", "chromium-browser", "google-chrome")
            if (found := shutil.which(name))
        ),
        None,
    )
    if path is None:
        pytest.skip("no Chromium is installed; apt install chromium")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=path, args=SWITCHES)
        yield opened
        opened.close()


@pytest.fixture
def server(table) -> Iterator[PageServer]:
    table.start()
    with PageServer(create_app(table.session, table.journal), port=0) as made:
        yield made


class Seen:
    """A page, and what went wrong on it."""

    def __init__(self, page: playwright.Page, port: int) -> None:
        self.page = page
        self.troubles: list[str] = []
        self.hosts: set[str] = set()
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("console", lambda said: self.troubles.append(said.text) if said.type == "error" else None)
        page.on("request", lambda request: self.hosts.add(request.url.split("/")[2]))
        self.port = port

    def open(self, path: str = "/", host: str = "127.0.0.1") -> playwright.Page:
        self.page.goto(f"http://{host}:{self.port}{path}")
        self.page.wait_for_selector("body[data-ready]")
        return self.page


@pytest.fixture
def seen(browser, server) -> Iterator[Seen]:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
    made = Seen(context.new_page(), server.port)
    yield made
    context.close()


def stack(page: playwright.Page, square: str) -> str:
    return page.get_attribute(f'[data-square="{square}"]', "aria-label") or ""


def status(page: playwright.Page, words: str) -> None:
    page.wait_for_function(
        "words => document.querySelector('#status').textContent.includes(words)", arg=words
    )


def test_moves_appear_at_once_and_nothing_is_asked_elsewhere(table, seen: Seen) -> None:
    page = seen.open()
    status(page, "Green to move")
    assert stack(page, "b6") == "b6: green, one piece"
    table.play("b6-b7")
    status(page, "Red to move")
    assert stack(page, "b6") == "b6: empty"
    assert stack(page, "b7") == "b7: 2 pieces, from the bottom red and green"
    assert page.locator(".path.last").count() == 1
    assert page.locator("#moves li").count() == 1
    assert seen.hosts == {f"127.0.0.1:{seen.port}"}
    assert seen.troubles == []


def test_alert_is_told_ringed_and_taken_away(table, seen: Seen) -> None:
    page = seen.open()
    before = page.locator("#board").bounding_box()
    table.see(
        Wrong(
            "not_straight",
            "g",
            (INDEX["d5"], INDEX["e4"]),
            "Green moved askew. " + "Please put it back. " * 6,
        )
    )
    status(page, "Not in a straight line")
    assert "Green moved askew" in page.locator("#loud").text_content()
    assert page.locator(".ring.wrong").count() == 2
    assert page.locator("#board").bounding_box() == before, "an alert must not move the board"
    table.see(PutRight())
    status(page, "Green to move")
    assert page.locator(".ring.wrong").count() == 0
    assert seen.troubles == []


def test_prompt_shows_the_pieces_to_take_out(table, seen: Seen) -> None:
    page = seen.open()
    removed = (Removed("r", "captured", "g"), Removed("g", "reserve", "g"))
    table.see(TrimAwaited(Move.parse("d4-d5"), INDEX["d5"], removed))
    status(page, "Take 2 pieces from the bottom of d5: red is captured and green to Green’s reserve.")
    uses = page.locator(".take-out use").evaluate_all("all => all.map(use => use.getAttribute('href'))")
    assert uses == ["#cap-r", "#cap-g"]


def test_choice_among_candidates_is_sent(table, seen: Seen) -> None:
    page = seen.open()
    table.see(Undecided((Move.parse("b6-b7"), Move.parse("b6-a6"))))
    status(page, "Which turn was it?")
    stop = threading.Event()
    loop = threading.Thread(
        target=lambda: [table.session.attend() for _ in iter(lambda: stop.wait(0.02), True)]
    )
    loop.start()
    try:
        page.locator(".choice").nth(1).click()
        status(page, "Red to move")
    finally:
        stop.set()
        loop.join()
    assert table.session.state()["last_move"] == "b6-a6"


def test_states_of_the_camera(table, seen: Seen) -> None:
    page = seen.open()
    table.see(StartDiffers((INDEX["b7"],)))
    status(page, "This square is not right yet: b7.")
    assert page.locator(".ring.differ").count() == 1
    table.see(OutOfView("board"))
    status(page, "The board is not found")
    table.session.camera_lost()
    status(page, "The camera gives no picture")
    table.session.camera_found()


def test_missed_moves_are_there_after_the_host_was_away(table, seen: Seen, server: PageServer) -> None:
    page = seen.open()
    page.wait_for_selector('#line[data-line="live"]')
    server.close()
    page.wait_for_selector('#line:not([data-line="live"])', timeout=15000)
    table.play(*MOVES[:3])
    with PageServer(create_app(table.session, table.journal), port=server.port):
        page.wait_for_selector('#line[data-line="live"]', timeout=20000)
        status(page, "Red to move")
        table.play(MOVES[3])
        page.wait_for_function("() => document.querySelectorAll('#moves li').length === 4")
        page.goto("about:blank")


def test_squares_by_keyboard(table, seen: Seen) -> None:
    page = seen.open()
    page.focus('[data-square="d4"]')
    for key in ("ArrowLeft", "ArrowLeft", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    assert page.text_content("#square-info") == "b5: red, one piece. red can reach b6, c5, b4, and a5."
    assert page.locator(".ring.target").count() == 4
    page.keyboard.press("Escape")
    assert page.locator(".ring.target").count() == 0


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


def test_language_by_hand(table, seen: Seen) -> None:
    page = seen.open("/?lang=pl")
    status(page, "Ruch: Zielony")
    table.see(Wrong("distance", "g", (INDEX["d5"],), "Green went too far."))
    status(page, "Zła liczba pól")
    assert "dokładnie tyle pól" in page.text_content("#status")
    page = seen.open("/?lang=it")
    status(page, "Numero di caselle errato")
    assert seen.troubles == []


@pytest.mark.parametrize("size", [(320, 640), (768, 1024), (1920, 1080)])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_fits_every_window(browser, tmp_path: Path, make_table, size: tuple[int, int], players: int) -> None:
    table = make_table(tmp_path, Rules.make(players=players))
    table.start()
    with PageServer(create_app(table.session, table.journal), port=0) as server:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]})
        page = Seen(context.new_page(), server.port).open()
        for language in ("en", "pl", "it"):
            page = Seen(page, server.port).open(f"/?lang={language}")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), language
            spilling = page.evaluate(
                """() => [...document.querySelectorAll('.player *, .status *, .card *')].filter(element => {
                    const box = element.getBoundingClientRect();
                    const card = element.closest('.player, .status, .card').getBoundingClientRect();
                    return box.width && (box.right > card.right + 1 || box.left < card.left - 1)
                        && !element.closest('.moves, .hidden');
                }).map(element => element.className || element.tagName)"""
            )
            assert spilling == [], language
        context.close()


def test_pin_is_asked_away_from_the_host(table, browser) -> None:
    table.start()
    app = create_app(table.session, table.journal, lan=True, pin="4821", hosts=["board.local"])
    with PageServer(app, port=0) as server:
        context = browser.new_context()
        page = Seen(context.new_page(), server.port).open(host="board.local")
        page.click('[data-act="pause"]')
        page.fill("#pin input", "1111")
        page.click("#pin [value=ok]")
        page.wait_for_function(
            "() => document.querySelector('#pin .note').textContent.includes('not the PIN')"
        )
        page.fill("#pin input", "4821")
        page.click("#pin [value=ok]")
        page.wait_for_selector("#pin:not([open])", state="attached")
        for _ in range(50):
            if table.session.attend():
                break
            page.wait_for_timeout(50)
        status(page, "Paused")
        context.close()


def test_past_games_are_listed_and_shown(table, seen: Seen) -> None:
    table.play(*MOVES[:2])
    page = seen.open("/games")
    assert page.locator("#games li").count() == 1
    page.fill("#search", "nobody of that name")
    assert page.locator("#games li:visible").count() == 0
    page.fill("#search", "")
    page.locator("#games a").click()
    page.wait_for_selector("body[data-ready]")
    assert stack(page, "b6") == "b6: red, one piece"
    assert seen.troubles == []


def serious(page: playwright.Page) -> list[tuple[str, str]]:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(page).response["violations"]
    return [
        (item["id"], item["nodes"][0]["html"][:120])
        for item in found
        if item["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("path", ["/", "/games"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(table, server: PageServer, browser, path: str, scheme: str) -> None:
    table.play(*MOVES)
    # The tool puts its script into the page, which the page's own policy would rightly forbid.
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    page = Seen(context.new_page(), server.port).open(path)
    page.wait_for_timeout(400)
    assert serious(page) == []
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_what_opens(table, server: PageServer, browser, scheme: str) -> None:
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
    page.click('#turn [value=""]')
    page.click(".acts summary >> nth=0")
    page.click("[data-act=edit]")
    page.click('[data-square="b6"]')
    assert serious(page) == [], "the editor"
    context.close()


@pytest.fixture
def looping(table) -> Iterator[None]:
    """The game thread at work beside the browser."""
    stop = threading.Event()
    loop = threading.Thread(
        target=lambda: [table.session.attend() for _ in iter(lambda: stop.wait(0.02), True)]
    )
    loop.start()
    yield
    stop.set()
    loop.join()


def until(page: playwright.Page, table, **wanted: object) -> dict[str, object]:
    """The game's state, as soon as these keys have these values."""
    for _ in range(100):
        state = table.session.state()
        if all(state[key] == value for key, value in wanted.items()):
            return state
        page.wait_for_timeout(50)
    raise AssertionError({key: state[key] for key in wanted})


def test_getting_ready_without_a_manual(table, seen: Seen, looping) -> None:
    table.see(StartDiffers((INDEX["b7"], INDEX["d5"])))
    page = seen.open()
    ready = page.locator("#setup")
    assert "These 2 squares are not right yet: b7 and d5." in ready.text_content()
    assert "31° off the vertical: heights are read surely" in ready.text_content()
    assert page.locator(".ring.differ").count() == 2
    ready.locator("[data-act=new_game]").click()
    page.fill("[name=name-green]", "Ann")
    page.select_option("[name=seat-green]", label="top")
    assert page.input_value("[name=seat-red]") == "0", "who sat there changes places"
    page.select_option("[name=begins]", "red")
    page.select_option("[name=preset]", "fast")
    assert "first to capture enough pieces" in page.text_content("#preset-text")
    page.select_option("[name=clock]", "down")
    page.fill("[name=minutes]", "5")
    page.click("#new-game .strong")
    page.wait_for_selector("#new-game:not([open])", state="attached")
    state = until(page, table, to_move="red")
    assert state["rules"]["fast"] is True
    assert state["players"]["green"] == {"name": "Ann", "seat": "top"}
    assert (state["clock"]["kind"], state["clock"]["seconds"]) == ("down", 300)
    table.see()
    table.start()
    status(page, "Red to move")
    assert page.locator("#setup").is_hidden()
    page.wait_for_function("() => document.querySelector('[data-clock=red]').textContent.startsWith('4:5')")
    assert page.text_content("[data-clock=green]") == "5:00"
    assert seen.troubles == []


PRESET_RULES = [
    ("2", "domination", {"players": 2}),
    ("2", "checkerboard", {"players": 2, "set_up": "checkerboard"}),
    ("3", "twelve", {"players": 3, "thirteenth_piece": False}),
    ("2", "open-partners", {"players": 4, "partners": True, "move_partner_stacks": True, "table_talk": True}),
    ("4p", "fast", {"players": 4, "fast": True}),
    ("4", "last-standing", {"players": 4, "stuck": "out"}),
    ("3", "quiet-reserve", {"players": 3, "reserve_on": "empty_or_own"}),
]


def test_presets_make_the_rules_that_they_name(table, seen: Seen, looping) -> None:
    page = seen.open()
    for game, (players, preset, rules) in enumerate(PRESET_RULES, 2):
        page.click(".acts [data-act=new_game]")
        page.select_option("[name=players]", players)
        page.select_option("[name=preset]", preset)
        page.click("#new-game .strong")
        page.wait_for_selector("#new-game:not([open])", state="attached")
        until(page, table, ply=0, game=game)
        assert table.session.rules == Rules.make(**rules), preset
    assert seen.troubles == []


def test_lots_fall_on_somebody(table, seen: Seen) -> None:
    page = seen.open()
    page.click(".acts [data-act=new_game]")
    page.click("[data-lots]")
    page.wait_for_function("() => document.querySelector('.lot').textContent.includes('The lot falls on')")
    begins = page.input_value("[name=begins]")
    assert begins.capitalize() in page.text_content(".lot")


def test_that_was_legal(table, seen: Seen, looping) -> None:
    page = seen.open()
    assert page.locator("[data-act=legal]").is_hidden()
    table.see(Wrong("distance", "g", (INDEX["b6"], INDEX["d7"]), "Green went too far."))
    page.click("[data-act=legal]")
    page.select_option("#turn select", "b6-b7")
    page.click("#turn .strong")
    status(page, "Red to move")
    until(page, table, last_move="b6-b7", alert=None)
    assert [incident["type"] for incident in table.session.record().incidents] == ["alert", "ruling"]


def test_that_was_not_legal_takes_the_looked_at_turn_back(table, seen: Seen, looping) -> None:
    page = seen.open()
    table.play(*MOVES)
    page.wait_for_function("() => document.querySelectorAll('#moves li').length === 4")
    page.locator("#moves button").nth(2).click()
    page.click(".acts summary >> nth=0")
    page.click("[data-act=not_legal]")
    assert "1 later turn is taken back with it." in page.text_content("#confirm h2")
    page.click("#confirm .strong")
    until(page, table, ply=2)
    page.wait_for_function("() => document.querySelectorAll('#moves li').length === 2")


def test_a_square_is_edited_and_the_game_goes_on_from_there(table, seen: Seen, looping) -> None:
    page = seen.open()
    page.click(".acts summary >> nth=0")
    page.click("[data-act=edit]")
    page.click('[data-square="b6"]')
    page.click('.add [aria-label*="red"]')
    assert stack(page, "b6") == "b6: 2 pieces, from the bottom green and red"
    page.select_option(".whose select", "red")
    page.fill(".held [name=green]", "2")
    page.click("[data-edit=done]")
    state = until(page, table, to_move="red")
    assert state["reserves"] == {"green": 2, "red": 0}
    assert state["position"].split("/")[2].startswith("-,gr,")
    assert table.session.record().incidents[-1]["type"] == "corrected"
    page.wait_for_selector("#editor", state="hidden")


def test_a_rematch_is_offered_after_the_end(table, seen: Seen, looping) -> None:
    page = seen.open()
    table.play(*MOVES)
    page.click(".acts summary >> nth=1")
    page.click("[data-act=resign]")
    page.click('#confirm [value="red"]')
    status(page, "Green wins")
    page.click("[data-act=rematch]")
    page.click("#confirm .strong")
    until(page, table, game=2, ply=0)


def test_a_stack_that_awaits_its_trimming_stands_high_on_the_board(table, seen: Seen) -> None:
    page = seen.open()
    table.see(TrimAwaited(Move.parse("c4-c5"), INDEX["c5"], (Removed("r", "captured", "r"),)))
    status(page, "The stack is above five")
    page.wait_for_function(
        "() => document.querySelector('[data-square=c5]').getAttribute('aria-label').includes('2 pieces')"
    )
    assert stack(page, "c4") == "c4: empty"
    table.see(PutRight())
    status(page, "Green to move")
    assert stack(page, "c4") == "c4: green, one piece"


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


def test_a_finished_game_is_reviewed(table, seen: Seen) -> None:
    table.play(*MOVES)
    table.session.submit(Resign("r"))
    table.session.attend()
    page = seen.open("/games/1")
    page.wait_for_selector("#review button", timeout=60000)
    assert "the chance went from" in page.text_content("#review")
    assert page.locator("#review .chance").count() == 2
    page.locator("#review button").first.click()
    page.wait_for_selector('#moves [aria-current="step"]')
