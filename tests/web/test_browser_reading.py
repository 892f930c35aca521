"""A position read by the camera is offered on the page with its doubtful squares, accepted or corrected."""

from __future__ import annotations

import pytest
from browsing import MOVES, REQUEST_TIMEOUT, Seen, serious, stack, status, until, wait_until_drawn
from playwright.sync_api import expect

from focus_companion.game.position import position_text
from focus_companion.game.rules import Rules
from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.referee.verdict import BoardRead, StartDiffers, StartSeen, Wrong
from focus_companion.referee.words import say
from focus_companion.session.requests import NewGame, TakeBack

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def placed(**stacks: str) -> tuple[str, ...]:
    return tuple(stacks.get(square, "") for square in SQUARES)


READ = placed(d5="rgg", c4="gr", e2="g", h3="rr")


def start_from_camera(table, page) -> None:
    """In the dialog, choose a new game from a position read by the camera."""
    page.click(".acts [data-act=new_game]")
    page.locator("#new-game details summary").last.click()
    page.select_option("[name=set_up]", "position")
    page.click("#new-game .strong")
    page.wait_for_selector("#new-game:not([open])", state="attached")
    assert until(page, table, start_from="camera")["rules"]["set_up"] == "pairs"


def see_until_read(table, page) -> None:
    """Show the camera pictures until a position has been read: the request may arrive after a picture."""
    for _ in range(50):
        table.see()
        if table.session.state()["reading"]:
            break
        page.wait_for_timeout(50)


def test_the_start_is_read_and_accepted_with_one_press(table, seen: Seen, looping) -> None:
    page = seen.open()
    start_from_camera(table, page)
    status(page, "Set up any position")
    table.sight.reads = [BoardRead(READ, (INDEX["c4"], INDEX["h3"]), 0.7)]
    table.see()
    status(page, "Look at these squares first: c4 and h3.")
    expect(page.locator(".ring.differ")).to_have_count(2)
    assert "3 pieces" in stack(page, "d5")
    assert serious(page) == []
    with page.expect_request("**/api/requests") as sent:
        page.click("#status [data-act=take_reading]")
    assert sent.value.post_data_json["at"]["reading"] is not None
    state = until(page, table, start_from=None)
    assert state["position"] == position_text(READ) and state["to_move"] == "green"
    table.see(StartSeen())
    status(page, "Green to move")
    assert table.journal.history(state["game"]).position.stacks == READ
    assert seen.troubles == []


def test_a_reading_is_corrected_square_by_square(table, seen: Seen, looping) -> None:
    page = seen.open()
    start_from_camera(table, page)
    table.sight.reads = [BoardRead(READ, (INDEX["c4"],), 0.7)]
    table.see()
    page.click("#status [data-act=swap_reading]")
    wait_until_drawn(page)
    page.click("#status [data-act=edit_reading]")
    page.click("#editor .first button")
    expect(page.locator("#editor .at")).to_have_text("c4")
    page.click("#editor [data-edit=drop]")
    page.select_option("#editor .whose select", "red")
    page.fill("#editor [name=green]", "2")
    page.click("#editor [data-edit=done]")
    state = until(page, table, start_from=None)
    corrected = placed(d5="grr", c4="r", e2="r", h3="gg")
    assert state["position"] == position_text(corrected), "the colours are swapped, c4 has lost its top"
    assert state["to_move"] == "red" and state["reserves"] == {"green": 2, "red": 0}
    assert seen.troubles == []


def test_after_turns_out_of_sight_the_reading_is_accepted_in_place_of_the_alert(
    table, seen: Seen, looping
) -> None:
    table.play(*MOVES[:3])
    page = seen.open()
    assert page.locator("#status [data-act=read_board]").is_hidden()
    where = tuple(INDEX[name] for name in ("c4", "d5", "e2"))
    table.see(Wrong("unexplained", "r", where, say("unexplained", "r", squares=where)))
    status(page, "in a way that no single turn explains")
    table.sight.reads = [BoardRead(READ, (), 0.9)]
    page.click("#status [data-act=read_board]")
    see_until_read(table, page)
    page.click("#status [data-act=take_reading]")
    assert until(page, table, alert=None)["position"] == position_text(READ)
    assert seen.troubles == []


def test_the_board_is_read_at_any_time_during_the_game(table, seen: Seen, looping) -> None:
    table.start()
    table.play(*MOVES[:3])
    page = seen.open()
    page.click(".acts details:has([data-act=read_board]) summary")
    table.sight.reads = [BoardRead(table.session.position.stacks, (), 0.9)]
    page.click(".acts [data-act=read_board]")
    see_until_read(table, page)
    status(page, "It is the position of the game.")
    page.click("#status [data-act=pass_reading]")
    status(page, "Red to move")
    assert seen.troubles == []


def test_after_the_board_was_disturbed_the_reading_is_shown_and_accepted(table, seen: Seen, looping) -> None:
    table.play(*MOVES[:3])
    page = seen.open()
    # After a turn is taken back on the page, the board has to be corrected by hand.
    table.session.submit(TakeBack()).result(REQUEST_TIMEOUT)
    table.see(StartDiffers((INDEX["d5"],)))
    status(page, "The board differs from the game")
    page.click("#status [data-act=read_board]")
    moved = list(table.session.position.stacks)
    moved[INDEX["d5"]] = ""
    table.sight.reads = [BoardRead(tuple(moved), (), 0.9)]
    see_until_read(table, page)
    status(page, "This square differs from the game: d5.")
    page.click("#status [data-act=take_reading]")
    state = until(page, table, position=position_text(moved))
    assert state["reading"] is None
    assert [incident["type"] for incident in table.session.history.record().incidents] == [
        "taken_back",
        "corrected",
    ]
    assert seen.troubles == []


def test_correcting_the_board_dismisses_the_reading(table, seen: Seen, looping) -> None:
    table.play(*MOVES[:3])
    page = seen.open()
    # After a turn is taken back on the page, the board has to be corrected by hand.
    table.session.submit(TakeBack()).result(REQUEST_TIMEOUT)
    table.sight.reads = [BoardRead(READ, (), 0.9)]
    table.see(StartDiffers((INDEX["d5"],)))
    page.click("#status [data-act=read_board]")
    see_until_read(table, page)
    page.click("#status [data-act=pass_reading]")
    status(page, "The board differs from the game")
    table.see(StartSeen())
    status(page, "Green to move")
    assert table.session.history.ply == 2 and seen.troubles == []


def test_who_has_which_pieces_is_shown_and_swapped_with_one_press(table, seen: Seen, looping) -> None:
    table.sight.looks = {
        "g": {"seen": "#e6dfd0", "name": "White", "shade": "#eee8dc"},
        "r": {"seen": "#201d1c", "name": "Black", "shade": "#1c1a1a"},
    }
    page = seen.open()
    card = page.locator("#roles")
    expect(card.locator("li").first).to_contain_text("White has these")
    swatch = "() => getComputedStyle(document.querySelector('#roles .swatch')).backgroundColor"
    assert page.evaluate(swatch) == "rgb(230, 223, 208)"
    status(page, "White to move")
    assert "white" in stack(page, "b2")
    before = table.sight.corners()
    with page.expect_request("**/api/requests") as sent:
        card.locator("[data-act=swap_colours]").click()
    assert sent.value.post_data_json["at"] == {"game": 1, "moves": 0, "arranged": 0}
    until(page, table, event=table.session.state()["event"])
    for _ in range(100):
        if table.sight.placed:
            break
        page.wait_for_timeout(20)
    ((corners, believed),) = table.sight.placed
    assert believed and corners["a1"] == before["h8"] and corners["h1"] == before["a8"]
    table.play("b6-b7")
    page.wait_for_selector("#roles", state="hidden")
    assert seen.troubles == []


def test_with_three_players_each_shade_is_assigned_to_a_player(table, seen: Seen, looping) -> None:
    shades = {"g": "#e6dfd0", "b": "#7a4a2b", "r": "#201d1c"}
    table.sight.looks = {letter: {"seen": shade} for letter, shade in shades.items()}
    names = {"g": "Ann", "b": "Ben", "r": "Cleo"}
    table.session.submit(NewGame(Rules.make(3), names)).result(REQUEST_TIMEOUT)
    page = seen.open()
    card = page.locator("#roles")
    expect(card.get_by_label("These belong to")).to_have_count(3)
    expect(card.locator("[data-act=swap_colours]")).to_be_hidden()
    assert serious(page) == []
    # By keyboard: Cleo gets the pieces in the place of green, which no rotation of the board would give her.
    card.locator("[name=has-green]").focus()
    page.keyboard.press("End")
    expect(card.locator("[name=has-green] option:checked")).to_have_text("Cleo")
    expect(card.locator("[name=has-red] option:checked")).to_have_text("Ann")
    assert page.evaluate("document.activeElement.name") == "has-green"
    state = table.session.state()
    assert [state["players"][colour]["name"] for colour in ("green", "blue", "red")] == ["Cleo", "Ben", "Ann"]
    # Rotating the board by half a turn gives green's place to blue.
    before = table.sight.corners()
    card.locator("[name=has-green]").select_option("blue")
    until(page, table, event=table.session.state()["event"])
    for _ in range(100):
        if table.sight.placed:
            break
        page.wait_for_timeout(20)
    ((corners, _),) = table.sight.placed
    assert corners["a1"] == before["h8"] and seen.troubles == []


def test_pieces_of_named_colours_are_shown_and_not_swapped(table, seen: Seen, looping) -> None:
    table.sight.any_shades = False
    table.sight.looks = {"g": {"seen": "#186e37"}, "r": {"seen": "#af1e20"}}
    page = seen.open()
    expect(page.locator("#roles li").first).to_contain_text("Green has these")
    expect(page.locator("#roles [data-act=swap_colours]")).to_be_hidden()
    assert seen.troubles == []
