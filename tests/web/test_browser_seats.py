"""Seats in a real browser: making turns for absent players, choosing who plays, and
playing remotely.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from browsing import Seen, playwright, status, until

from focus_companion.game.moves import Move
from focus_companion.game.squares import INDEX
from focus_companion.referee.asked import Asked
from focus_companion.referee.verdict import StartSeen, Undecided, Wrong
from focus_companion.session.requests import GiveUp, NewGame, Rematch, SetSeat, SubmitTurn
from focus_companion.web.app import create_app
from focus_companion.web.server import PageServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]

expect = playwright.expect


def assessed(square: str) -> re.Pattern[str]:
    """The page's assessment of moving the stack on a square."""
    return re.compile(rf"{square}\sis\s(good|not\sbad)|Careful\swith\s{square}")


def ask(table: Any, request: Any) -> None:
    done = table.session.submit(request)
    table.session.attend()
    assert done.exception(0) is None


def choose(table: Any, move: str) -> None:
    """Submit this turn for the player to move, who is not at the table."""
    h = table.session.history
    ask(table, SubmitTurn(h.position.to_move, Move.parse(move), h.game, h.ply, h.position.text))


def test_a_reply_is_shown_until_it_is_made_on_the_board(table: Any, seen: Seen) -> None:
    page = seen.open()
    ask(table, SetSeat("g", "companion:3"))
    status(page, "Green is thinking")
    choose(table, "c4-c5")
    status(page, "Do this for Green")
    status(page, "1 piece c4 to c5")
    expect(page.locator(".path.asked.g")).to_have_count(1)
    table.see(Asked("g", Move.parse("c4-c5")).wrong(Move.parse("b4-b5"), table.session.position))
    status(page, "Not the turn that was asked for")
    status(page, "Green asked for 1 piece c4 to c5, and not for 1 piece b4 to b5")
    expect(page.locator(".path.undo")).to_have_count(1)
    table.play("c4-c5")
    status(page, "Red to move")
    expect(page.locator(".path.asked")).to_have_count(0)
    assert seen.troubles == []


def test_a_hint_comes_in_two_steps(table: Any, seen: Seen, looping: None) -> None:
    page = seen.open()
    page.get_by_role("button", name="Hint", exact=True).click()
    status(page, "Hint: move the stack on")
    expect(page.locator(".ring.selected")).to_have_count(1)
    expect(page.locator(".path.asked")).to_have_count(0)
    page.get_by_role("button", name="Hint", exact=True).click()
    expect(page.locator(".path.asked.g")).to_have_count(1)
    status(page, "Hint: 1 piece")
    assert seen.troubles == []


def test_the_page_says_how_good_the_stack_in_hand_is(table: Any, seen: Seen, looping: None) -> None:
    page = seen.open()
    good = page.locator(".acts").get_by_role("button", name="Is this good?")
    good.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Lift one of your stacks, or touch it in the drawing")).to_be_visible()
    page.locator('[data-square="d5"]').click()
    good.click()
    expect(page.locator("#status")).to_contain_text(assessed("d5"))
    # After a while, lifted pieces cause an alert, with the same question beside the other answers.
    table.sight.lifted = INDEX["c4"], 1
    table.see(Wrong("wrong_removal", "g", (INDEX["c4"],), "Pieces are missing."))
    page.locator("#status").get_by_role("button", name="Is this good?").click()
    expect(page.locator("#status")).to_contain_text(assessed("c4"))
    # The browser logs the first answer as an error, because it was a refusal.
    (refused,) = seen.troubles
    assert "409" in refused


def test_trying_again_from_an_earlier_turn(table: Any, seen: Seen, looping: None) -> None:
    page = seen.open()
    table.play("c4-c5", "d4-d5")
    status(page, "Green to move")
    page.locator("summary", has_text="Corrections").click()
    page.get_by_role("button", name="Try again from here").click()
    expect(page.get_by_text("Look back at a position first")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("body")).to_have_attribute("data-looking", "back")
    page.get_by_role("button", name="Try again from here").click()
    page.locator("#confirm").get_by_role("button", name="Try again from here").click()
    status(page, "Set the pieces up")
    assert table.session.history.game == 2 and table.session.history.position.to_move == "r"
    assert seen.troubles == []


def test_the_reply_says_which_pieces_to_remove(table: Any, seen: Seen) -> None:
    from table_rules import tall

    ask(table, NewGame(tall(), played_by={"g": "companion"}))
    table.see(StartSeen())
    page = seen.open()
    choose(table, "d4-d6")
    status(page, "2 pieces d4 to d6. Take 2 pieces from the bottom of d6: 2 red captured.")


def test_another_seat_is_chosen_when_a_program_gives_no_turn(table: Any, seen: Seen, looping: None) -> None:
    page = seen.open()
    table.session.submit(SetSeat("g", "engine:mine")).result(60)
    h = table.session.history
    table.session.submit(GiveUp("g", h.game, h.ply, h.position.text, "late")).result(60)
    status(page, "Who takes over for Green?")
    status(page, "has not answered in time")
    with page.expect_request("**/api/requests") as sent:
        page.get_by_role("button", name="The computer takes over").click()
    assert sent.value.post_data_json["at"]["seat_failed"] is not None
    until(page, table, seats={"green": "companion", "red": "board"}, seat_failed=None)
    status(page, "Green is thinking")
    assert seen.troubles == []


def test_seats_of_a_new_game(table: Any, seen: Seen, looping: None) -> None:
    page = seen.open()
    page.get_by_role("button", name="New game").click()
    page.locator("#new-game [name=players]").select_option("3")
    expect(page.locator("#new-game .pace")).to_be_hidden()
    page.get_by_label("Who plays Blue?").select_option("companion")
    page.get_by_label("Level of Blue").select_option("2")
    page.locator("#new-game [name=pace]").select_option("5")
    page.get_by_label("Who plays Red?").select_option("far")
    expect(page.get_by_label("Level of Red")).to_be_hidden()
    page.get_by_role("button", name="Begin").click()
    until(page, table, seats={"green": "board", "blue": "companion:2", "red": "far"}, pace=5)
    assert seen.troubles == []


def test_a_seat_is_changed_in_the_middle_of_a_game(table: Any, seen: Seen, looping: None) -> None:
    page = seen.open()
    page.get_by_text("Who plays", exact=True).click()
    page.locator("#seats").get_by_label("Who plays Red?").select_option("companion")
    until(page, table, seats={"green": "board", "red": "companion:8"})
    page.locator("#seats").get_by_label("Level of Red").select_option("1")
    until(page, table, seats={"green": "board", "red": "companion:1"})
    page.locator("#seats").get_by_label("Who plays Red?").select_option("far")
    link = page.locator("#seats .far-link input")
    expect(link).to_have_value(f"http://127.0.0.1:{seen.port}/seat#" + link.input_value().partition("#")[2])
    assert len(link.input_value().partition("#")[2]) >= 16
    assert seen.troubles == []


def test_a_game_is_played_remotely(table: Any, browser: Any, seen: Seen, looping: None) -> None:
    host = seen.open()
    table.session.submit(SetSeat("g", "far")).result(60)
    status(host, "Green is choosing far away")
    link = host.evaluate("async () => (await (await fetch('/api/far')).json()).links.green")
    context = browser.new_context(viewport={"width": 390, "height": 800}, locale="en-GB")
    try:
        friend = Seen(context.new_page(), seen.port)
        page = friend.open(link)
        page.get_by_role("button", name="Sit down").click()
        status(page, "Which turn do you play?")
        page.locator('[data-square="c4"]').click()
        page.locator('#board [data-move="c4-c5"]').click()
        page.get_by_role("button", name="Yes, this turn").click()
        status(page, "Your turn is being made at the table")
        status(host, "Do this for Green")
        # The same player in another tab, and again after leaving.
        other = context.new_page()
        other.goto(f"http://127.0.0.1:{seen.port}/")
        other.wait_for_selector("body[data-ready]")
        status(other, "Your turn is being made at the table")
        # A browser draws a page in the background only once a second.
        page.bring_to_front()
        context.set_offline(True)
        table.play("c4-c5", "f5-f6")
        context.set_offline(False)
        for tab in (page, other):
            status(tab, "Which turn do you play?")
        page.get_by_role("button", name="Cancel").click()
        status(page, "It is your turn")
        page.get_by_role("button", name="Choose your turn").click()
        status(page, "Which turn do you play?")
        page.locator('[data-square="b4"]').click()
        page.locator('#board [data-move="b4-b5"]').click()
        page.get_by_role("button", name="Yes, this turn").click()
        status(other, "Your turn is being made at the table")
        assert table.session.state()["reply"]["move"] == "b4-b5"
        # Whoever opens the link in the message once more gets back to the game; anybody else does not.
        again = friend.open(link)
        again.get_by_role("button", name="Sit down").click()
        status(again, "Your turn is being made at the table")
        assert seen.troubles == []
        stranger = seen.open(link)
        stranger.get_by_role("button", name="Sit down").click()
        expect(stranger.locator("#seat-note")).to_contain_text("used already")
    finally:
        context.close()


ENTER_PIN = """() => fetch("/api/pin", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ pin: "1234" }),
})"""


def test_a_new_link_needs_the_pin_again_after_a_restart(table: Any, browser: Any) -> None:
    """And whoever cannot reach the host is told so."""
    ask(table, SetSeat("g", "far"))
    app = create_app(table.session, table.journal, lan=True, pin="1234", hosts=["board.local"])
    far_seats = app.extensions["far"]
    far_seats.enter(far_seats.renew("green"), {"green": "far"})
    with PageServer(app, port=0) as server:
        context = browser.new_context(viewport={"width": 390, "height": 800}, locale="en-GB")
        page = Seen(context.new_page(), server.port).open("/", "board.local")
        page.evaluate(ENTER_PIN)
        page.get_by_text("Who plays", exact=True).click()
        button = page.get_by_role("button", name="New link")
        expect(button).to_be_visible()
        context.set_offline(True)
        button.click()
        expect(page.locator("#toast")).to_contain_text("The host does not answer")
        context.set_offline(False)
        context.clear_cookies()
        # The host no longer tells this viewer about links, which is no reason to take the button away.
        with page.expect_response("**/api/far"):
            page.evaluate("dispatchEvent(new Event('online'))")
        page.wait_for_timeout(200)
        button.click()
        page.locator("#pin input").fill("1234")
        page.keyboard.press("Enter")
        expect(page.locator(".far-link input")).to_have_value(re.compile("/seat#.+"))
        context.close()


def test_a_viewer_without_a_seat_sees_no_more_than_before(table: Any, browser: Any) -> None:
    ask(table, SetSeat("g", "far"))
    table.start()
    with PageServer(create_app(table.session, table.journal), port=0) as server:
        context = browser.new_context(locale="en-GB")
        page = Seen(context.new_page(), server.port).open()
        status(page, "Green is choosing far away")
        expect(page.get_by_role("button", name="Choose your turn")).to_have_count(0)
        context.close()


def take_seat(table: Any, browser: Any, port: int) -> Seen:
    """The page of a new browser that holds Green's seat from far away."""
    ask(table, SetSeat("g", "far"))
    context = browser.new_context(viewport={"width": 390, "height": 800}, locale="en-GB")
    friend = Seen(context.new_page(), port)
    host = context.request.get(f"http://127.0.0.1:{port}/api/far").json()
    friend.open(host["links"]["green"]).get_by_role("button", name="Sit down").click()
    status(friend.page, "Which turn do you play?")
    return friend


def test_a_remote_player_reads_what_others_are_to_do(table: Any, browser: Any, seen: Seen) -> None:
    from table_rules import tall

    host = seen.open()
    friend = take_seat(table, browser, seen.port)
    page, words = friend.page, friend.page.locator("#status")
    choose(table, "c4-c5")
    status(page, "Your turn is being made at the table")
    status(page, "Green: 1 piece c4 to c5.")
    status(host, "Do this for Green")
    table.see(Asked("g", Move.parse("c4-c5")).wrong(Move.parse("b4-b5"), table.session.position))
    status(page, "Please put the pieces back as they were, then make the turn that was asked for. The")
    expect(host.locator("#status")).not_to_contain_text("The people at the table")
    table.play("c4-c5")
    status(page, "Last turn: 1 piece c4 to c5")
    table.session.camera_lost()
    table.see()
    status(page, "as soon as the picture is back. The people at the table see to it.")
    table.session.camera_found()
    table.see()
    table.see(Undecided((Move.parse("d5-d4"), Move.parse("d5-c5"))))
    status(page, "Red: which turn was it?")
    expect(words).to_contain_text("The people at the table see to it.")
    expect(words).not_to_contain_text("choose here")
    ask(table, SetSeat("r", "companion"))
    ask(table, NewGame(tall(), played_by={"g": "companion", "r": "far"}))
    status(page, "The game begins by itself. The people at the table see to it.")
    table.see(StartSeen())
    status(page, "Green is thinking")
    expect(words).not_to_contain_text("shown here")
    choose(table, "d4-d6")
    status(page, "Green: the turn is being made at the table")
    status(page, "Green: 2 pieces d4 to d6, 2 pieces captured.")
    assert friend.troubles == seen.troubles == []
    page.context.close()


def test_a_remote_player_has_the_new_colour_in_a_rematch_at_once(
    table: Any, browser: Any, seen: Seen
) -> None:
    friend = take_seat(table, browser, seen.port)
    ask(table, Rematch())
    assert table.session.state()["seats"] == {"red": "far", "green": "board"}
    table.start()
    status(friend.page, "Green to move")
    table.play("c4-c5")
    status(friend.page, "Which turn do you play?")
    # Somebody else has opened a new link: the seat is theirs.
    renewed = friend.page.request.post(f"http://127.0.0.1:{seen.port}/api/far", data={"player": "red"})
    seen.open(renewed.json()["link"]).get_by_role("button", name="Sit down").click()
    status(seen.page, "Which turn do you play?")
    friend.page.context.close()


def test_a_link_that_was_used_is_no_longer_shown(table: Any, browser: Any, seen: Seen) -> None:
    ask(table, SetSeat("g", "far"))
    page = seen.open()
    page.get_by_text("Who plays", exact=True).click()
    link = page.locator("#seats .far-link input")
    # It was selected to be copied.
    link.click()
    take_seat(table, browser, seen.port).page.context.close()
    expect(link).to_have_count(0)
    expect(page.get_by_role("button", name="New link")).to_be_focused()
    page.keyboard.press("Enter")
    expect(link).to_be_focused()


def test_seats_are_changed_by_keyboard_in_their_place(table: Any, seen: Seen, looping: None) -> None:
    page = seen.open()
    page.get_by_text("Who plays", exact=True).click()
    who = page.locator("#seats").get_by_label("Who plays Red?")
    who.focus()
    for kind, seat in (("ArrowDown", "companion:8"), ("ArrowDown", "far"), ("ArrowUp", "companion:8")):
        page.keyboard.press(kind)
        until(page, table, seats={"green": "board", "red": seat})
        expect(who).to_have_value(seat.partition(":")[0])
        expect(who).to_be_focused()
        expect(page.locator("#seats .far-link")).to_have_count(int(seat == "far"))


def test_whoever_gives_up_at_the_pin_is_not_told_that_the_computer_thinks(table: Any, browser: Any) -> None:
    table.start()
    app = create_app(table.session, table.journal, lan=True, pin="1234", hosts=["board.local"])
    with PageServer(app, port=0) as server:
        page = Seen(browser.new_context(locale="en-GB").new_page(), server.port).open("/", "board.local")
        page.locator(".acts").get_by_role("button", name="Is this good?").click()
        page.locator("#pin").get_by_role("button", name="Cancel").click()
        expect(page.locator("#pin")).to_be_hidden()
        assert not page.locator("#toast").is_visible()
        page.context.close()
