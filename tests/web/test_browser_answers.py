"""Answering an alert in a real browser: in the status box, and by choosing the turn on the board."""

from __future__ import annotations

from typing import Any

import pytest
from browsing import MOVES, REQUEST_TIMEOUT, Seen, caught_up, status, until, wait_until_drawn
from playwright.sync_api import expect

from focus_companion.game.moves import Move
from focus_companion.game.rules import Rules
from focus_companion.game.squares import INDEX
from focus_companion.referee.verdict import PutRight, Undecided, Wrong
from focus_companion.referee.words import say
from focus_companion.session.requests import AgreeDraw, NewGame, Resign, SetPosition, TakeBack
from focus_companion.web.app import create_app
from focus_companion.web.server import PageServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def show_diagonal_move(table: Any) -> None:
    """Green has moved the piece on b6 diagonally to c7."""
    a, b = INDEX["b6"], INDEX["c7"]
    table.see(Wrong("not_straight", "g", (a, b), say("not_straight", "g", origin=a, target=b, number=1)))


CHANGED = "What the page showed has changed meanwhile. Please look again."
WINDOWS = [(320, 640), (390, 844), (768, 1024), (1280, 800), (1920, 1080)]


@pytest.mark.parametrize("language", ["en", "pl", "it"])
def test_the_answers_to_an_alert_are_visible_in_its_box(table, seen: Seen, language: str) -> None:
    page = seen.open(f"/?lang={language}")
    show_diagonal_move(table)
    for act in ("legal", "dismiss"):
        expect(page.locator(f"[data-act={act}]")).to_have_count(1)
        expect(page.locator(f"#status [data-act={act}]")).to_be_visible()
    for width, height in WINDOWS:
        page.set_viewport_size({"width": width, "height": height})
        wait_until_drawn(page)
        for part in ("[data-act=legal]", "[data-act=dismiss]", "#status", "#board"):
            expect(page.locator(part)).to_be_in_viewport(ratio=0.99)


def test_an_alert_is_settled_from_its_box(table, seen: Seen, looping) -> None:
    page = seen.open()
    show_diagonal_move(table)
    page.click("#status [data-act=dismiss]")
    until(page, table, alert=None)
    expect(page.locator("[data-act=dismiss]")).to_have_count(0)


def test_whoever_settles_an_alert_does_not_settle_the_next(table, seen: Seen, looping) -> None:
    """The next one may come while the finger is on its way, or while the page does not hear of it."""
    page = seen.open()
    show_diagonal_move(table)
    expect(page.locator("#status [data-act=dismiss]")).to_be_visible()
    page.evaluate(
        """() => new MutationObserver((_, watch) => {
            const box = document.querySelector("#status");
            if (!box.textContent.includes("d4")) return;
            watch.disconnect();
            box.querySelector("[data-act=dismiss]").click();
        }).observe(document.querySelector("#status"), { childList: true, subtree: true })"""
    )
    table.see(Wrong("unexplained", "g", (INDEX["d4"],), say("unexplained", "g", squares=(INDEX["d4"],))))
    expect(page.locator("#toast")).to_have_text(CHANGED)
    assert table.session.state()["alert"]["reason"] == "unexplained"
    page.wait_for_timeout(700)
    with page.expect_request("**/api/requests") as sent:
        page.click("#status [data-act=dismiss]")
    assert sent.value.post_data_json["at"]["alert"] == table.session.history.incidents[-1]["time"]
    until(page, table, alert=None)


def test_a_turn_is_taken_back_once_if_two_viewers_ask_for_it(table, seen: Seen, browser, looping) -> None:
    context = browser.new_context()
    pages = [seen.open(), Seen(context.new_page(), seen.port).open()]
    table.play(*MOVES)
    for page in pages:
        caught_up(page, table)
        page.click(".acts [data-act=take_back]")
        expect(page.locator("#confirm")).to_be_visible()
    for page in pages:
        page.click("#confirm .strong")
        expect(page.locator("#confirm")).to_be_hidden()
        caught_up(page, table)
    expect(pages[1].locator("#toast")).to_have_text("The game has gone on meanwhile.")
    caught_up(pages[0], table)
    wait_until_drawn(pages[0])
    expect(pages[0].locator("#toast")).to_be_hidden()  # what the other was told
    assert table.session.history.ply == len(MOVES) - 1
    context.close()


def test_a_busy_host_that_refuses_late_says_so_where_it_was_asked(table, seen: Seen, browser) -> None:
    context = browser.new_context()
    pages = [seen.open(), Seen(context.new_page(), seen.port).open()]
    table.play(*MOVES)
    for page in pages:
        caught_up(page, table)
    at = {"game": 1, "moves": len(MOVES)}
    table.session.submit(TakeBack(point=(at["game"], at["moves"])))
    pages[0].click(".acts [data-act=take_back]")
    with pages[0].expect_response("**/api/requests") as answered:
        pages[0].click("#confirm .strong")
    assert answered.value.status == 202
    pages[0].wait_for_timeout(200)
    table.session.attend()
    expect(pages[0].locator("#toast")).to_have_text("The game has gone on meanwhile.")
    caught_up(pages[1], table)
    expect(pages[1].locator("#toast")).to_be_hidden()
    context.close()


def test_a_game_that_somebody_else_has_just_begun_is_not_replaced_unnoticed(
    table, seen: Seen, looping
) -> None:
    page = seen.open()
    page.click(".acts [data-act=new_game]")
    table.session.submit(NewGame(Rules.make(3))).result(REQUEST_TIMEOUT)
    caught_up(page, table)
    page.click("#new-game .strong")
    expect(page.locator("#toast")).to_contain_text("Somebody has begun a game meanwhile.")
    assert table.session.history.game == 2
    page.click("#new-game .strong")
    expect(page.locator("#new-game")).to_be_hidden()
    assert table.session.history.game == 3


def test_nobody_resigns_in_a_game_that_has_begun_since_the_question(table, seen: Seen, looping) -> None:
    page = seen.open()
    page.click(".acts details:has([data-act=resign]) summary")
    page.click("[data-act=resign]")
    expect(page.locator("#confirm")).to_be_visible()
    table.session.submit(NewGame(Rules.make(3))).result(REQUEST_TIMEOUT)
    caught_up(page, table)
    page.locator("#confirm .strong").first.click()
    expect(page.locator("#toast")).to_have_text("The game has gone on meanwhile.")
    assert table.session.state()["out"] == []


def test_a_turn_is_chosen_by_its_letter_on_the_board(table, seen: Seen, looping) -> None:
    page = seen.open()
    show_diagonal_move(table)
    expect(page.locator(".path.undo")).to_have_count(1)
    page.click("[data-act=legal]")
    status(page, "Which turn was it?")
    expect(page.locator(".path.undo, .ghost")).to_have_count(0)
    letters = page.locator("#board .name")
    moves = letters.evaluate_all("all => all.map(({ dataset }) => dataset.move)")
    assert 2 <= len(moves) <= 6
    assert all("b6" in move or "c7" in move for move in moves), (
        "only turns close to what was done are offered"
    )
    assert page.locator("#status .choice b").all_text_contents() == letters.all_text_contents()
    expect(page.locator("dialog[open]")).to_have_count(0)
    page.click('#board .name[data-move="b6-b7"] text')
    status(page, "1 piece b6 to b7?")
    expect(page.locator(".path.candidate")).to_have_count(1)
    assert table.session.state()["ply"] == 0, "the turn must be confirmed first"
    page.click("[data-act=turn_another]")
    expect(page.locator("#board .name")).to_have_count(len(moves))
    page.click('#board .name[data-move="b6-b7"] text')
    page.click("[data-act=turn_yes]")
    until(page, table, last_move="b6-b7", alert=None)
    status(page, "Red to move")
    assert [incident["type"] for incident in table.session.history.record().incidents] == ["alert", "ruling"]
    assert seen.troubles == []


@pytest.mark.parametrize("size", [(390, 844), (1280, 800), (1920, 1080)])
def test_a_missed_turn_is_entered_by_touching_stack_and_target(
    table, seen: Seen, looping, size: tuple[int, int]
) -> None:
    seen.page.set_viewport_size({"width": size[0], "height": size[1]})
    page = seen.open()
    page.click(".acts details:has([data-act=edit]) summary")
    page.click("[data-act=enter]")
    status(page, "Touch the stack that moved")
    for part in ("#board", "#status"):
        expect(page.locator(part)).to_be_in_viewport(ratio=0.99)
    page.click('[data-square="d4"] .hit', force=True)
    expect(page.locator("#toast")).to_have_text("No legal turn begins on d4.")
    page.click('[data-square="b6"] .hit', force=True)
    expect(page.locator("#board .name")).to_have_count(4)
    expect(page.locator("#status .choice")).to_have_count(4)
    expect(page.locator(".ring.selected")).to_have_count(1)
    page.click('[data-square="a6"] .hit', force=True)
    page.click("[data-act=turn_yes]")
    until(page, table, last_move="b6-a6")
    expect(page.locator("#board .name, .ring.selected")).to_have_count(0)
    # Afterwards a touch selects a square again.
    page.click('[data-square="b5"] .hit', force=True)
    expect(page.locator("#square-info")).to_contain_text("Red can reach")


def test_a_reserve_piece_is_entered_by_touching_its_square(table, seen: Seen, looping) -> None:
    table.session.submit(SetPosition(table.session.position.stacks, "g", {"g": 1}))
    until(seen.page, table, reserves={"green": 1, "red": 0})
    table.start()
    page = seen.open()
    page.click(".acts details:has([data-act=edit]) summary")
    page.click("[data-act=enter]")
    status(page, "Touch the stack that moved")
    page.click('[data-square="a3"] .hit', force=True)
    page.click("[data-act=turn_yes]")
    until(page, table, last_move="*a3")
    table.play("b5-a5")
    status(page, "Green to move")
    page.click("[data-act=enter]")
    status(page, "Which turn was played?")
    page.keyboard.press("Escape")
    status(page, "Green to move")
    assert seen.troubles == []


def test_a_turn_is_chosen_by_keyboard_alone(table, seen: Seen, looping) -> None:
    page = seen.open()
    show_diagonal_move(table)
    page.focus("[data-act=legal]")
    page.keyboard.press("Enter")
    status(page, "Which turn was it?")
    assert page.evaluate("document.activeElement.matches('#status .choice')"), (
        "the focus stays on the answers"
    )
    page.focus('[data-square="d4"]')
    for key in ("ArrowLeft", "ArrowLeft", "ArrowUp", "ArrowUp", "Enter", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    status(page, "1 piece b6 to b7?")
    page.focus("[data-act=turn_yes]")
    page.keyboard.press("Enter")
    until(page, table, last_move="b6-b7")


def test_choosing_ends_when_the_players_correct_the_board(table, seen: Seen, looping) -> None:
    page = seen.open()
    show_diagonal_move(table)
    page.click("[data-act=legal]")
    status(page, "Which turn was it?")
    table.see(PutRight())
    status(page, "Green to move")
    expect(page.locator("#board .name, #status .choice")).to_have_count(0)


def test_the_letter_of_a_doubtful_turn_is_its_answer(table, seen: Seen, looping) -> None:
    page = seen.open()
    table.see(Undecided((Move.parse("b6-b7"), Move.parse("b6-a6"))))
    page.click('#board .name[data-move="b6-a6"] text')
    until(page, table, last_move="b6-a6")


def ghost(page: Any) -> list[str]:
    return page.locator(".ghost use").evaluate_all("all => all.map((use) => use.getAttribute('href'))")


@pytest.mark.parametrize("view", ["tilted", "flat"])
def test_misplaced_pieces_are_drawn_as_ghosts(table, seen: Seen, view: str) -> None:
    page = seen.open()
    page.click(".menu summary")
    page.select_option("[name=view]", view)
    page.click(".menu summary")
    part = "cap" if view == "tilted" else "bar"
    table.play(*MOVES)
    assert table.session.position.stacks[INDEX["b7"]] == "rg"
    a, b = INDEX["b7"], INDEX["b4"]
    table.see(Wrong("distance", "g", (a, b), say("distance", "g", origin=a, target=b, number=2, far=3)))
    expect(page.locator(".ghost")).to_have_count(1)
    assert ghost(page) == [f"#{part}-r", f"#{part}-g"], "all the pieces that moved, in order"
    wait_until_drawn(page)
    piece = page.locator(".ghost use").first.bounding_box()
    home = page.locator('[data-square="b4"] .hit').bounding_box()
    assert home["x"] < piece["x"] + piece["width"] / 2 < home["x"] + home["width"], "where the arrow starts"
    table.see(Wrong("no_reserve", "g", (b,), say("no_reserve", "g", target=b)))
    page.wait_for_function("() => document.querySelectorAll('.ghost use').length === 1")
    assert ghost(page) == [f"#{part}-g"]
    out_of_turn = say("out_of_turn", "r", origin=a, target=INDEX["b5"], turn="g")
    table.see(Wrong("out_of_turn", "r", (a, INDEX["b5"]), out_of_turn))
    page.wait_for_function("() => document.querySelectorAll('.ghost use').length === 2")
    table.see(Wrong("unexplained", "g", (a, b), say("unexplained", "g", squares=(a, b))))
    expect(page.locator(".ghost")).to_have_count(0)


def test_after_the_game_rematch_and_review_are_in_the_box(table, seen: Seen, looping) -> None:
    page = seen.open()
    table.play(*MOVES)
    table.session.submit(AgreeDraw())
    status(page, "A draw")
    expect(page.locator("#status [data-act=rematch]")).to_be_in_viewport(ratio=0.99)
    review = page.locator("#status a", has_text="Review")
    expect(review).to_be_in_viewport(ratio=0.99)
    page.click("#status [data-act=rematch]")
    page.wait_for_selector("#confirm[open]")
    page.keyboard.press("Escape")
    review.click()
    page.wait_for_selector("#review button", timeout=60_000)
    expect(page.locator("#status .answer")).to_have_count(0)
    expect(page.locator("#review")).to_be_in_viewport()


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_a_win_is_celebrated_unless_reduced_motion_is_preferred(
    browser, table, server: PageServer, motion: str
) -> None:
    context = browser.new_context(reduced_motion=motion)
    page = Seen(context.new_page(), server.port).open()
    page.wait_for_selector('#line[data-line="live"]')
    page.evaluate(
        """() => new MutationObserver((changes) => changes.forEach(({ addedNodes }) => addedNodes.forEach(
            (node) => node.className === "rain" && (window.rained = node.querySelectorAll("use").length)
        ))).observe(document.body, { childList: true })"""
    )
    table.play(*MOVES)
    caught_up(page, table)
    with table.looping():
        table.session.submit(Resign("r"))
        status(page, "Green wins")
        caught_up(page, table)
    wait_until_drawn(page)
    rained = page.evaluate("window.rained ?? 0")
    assert (rained > 20) is (motion == "no-preference"), rained
    page.wait_for_function("() => !document.querySelector('.rain')")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    expect(page.locator(".rain")).to_have_count(0)  # only once, when the game is won
    context.close()


def test_reserves_and_captures_are_drawn_as_large_piles(browser, tmp_path, make_table) -> None:
    table = make_table(tmp_path, Rules.make(order=("green", "red")))
    table.start()
    table.session.submit(SetPosition(table.session.position.stacks, "g", {"g": 7, "r": 0}, {"g": {"r": 12}}))
    table.session.attend()
    table.start()
    with PageServer(create_app(table.session, table.journal), port=0) as server:
        for width, height, least in ((390, 844, 20), (1280, 800, 32), (1920, 1080, 56)):
            context = browser.new_context(viewport={"width": width, "height": height})
            page = Seen(context.new_page(), server.port).open()
            green = page.locator(".player[data-colour=green]")
            assert green.locator(".pile b").all_text_contents() == ["7", "12"]
            assert green.locator(".heap use").count() == 19, "every piece lies in a pile"
            size = green.locator(".pile b").first.evaluate(
                "one => parseFloat(getComputedStyle(one).fontSize)"
            )
            assert size >= least, (width, size)
            context.close()
