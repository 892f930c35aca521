"""Corrections in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browsing import MOVES, REQUEST_TIMEOUT, Seen, caught_up, stack, status, until
from playwright.sync_api import Page, expect

from focus_companion.game.rules import Rules
from focus_companion.game.squares import INDEX
from focus_companion.referee.verdict import Wrong
from focus_companion.session.requests import AgreeDraw, Leave, NewGame, TakeBack
from focus_companion.web.app import create_app
from focus_companion.web.server import PageServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_an_alert_is_overruled(table, seen: Seen, looping) -> None:
    page = seen.open()
    assert page.locator("[data-act=legal]").is_hidden()
    table.see(Wrong("distance", "g", (INDEX["b6"], INDEX["d7"]), "Green went too far."))
    page.click("[data-act=legal]")
    page.click('#board .name[data-move="b6-b7"] text')
    page.click("[data-act=turn_yes]")
    status(page, "Red to move")
    until(page, table, last_move="b6-b7", alert=None)
    assert [incident["type"] for incident in table.session.history.record().incidents] == ["alert", "ruling"]


def test_a_turn_that_is_ruled_illegal_is_taken_back(table, seen: Seen, looping) -> None:
    page = seen.open()
    table.play(*MOVES)
    page.wait_for_function("() => document.querySelectorAll('#moves li').length === 4")
    page.locator("#moves button").nth(2).click()
    page.click(".acts details:has([data-act=edit]) summary")
    page.click("[data-act=not_legal]")
    page.wait_for_selector("#confirm[open]")
    assert "1 later turn is taken back with it." in page.text_content("#confirm h2")
    page.click("#confirm .strong")
    until(page, table, ply=2)
    page.wait_for_function("() => document.querySelectorAll('#moves li').length === 2")


def edit_square(page: Page, square: str) -> None:
    """Open the editor of the position and select a square."""
    page.click(".acts details:has([data-act=edit]) summary")
    page.click("[data-act=edit]")
    page.click(f'[data-square="{square}"]')


def test_a_position_being_edited_is_not_taken_for_another_game(table, seen: Seen, looping) -> None:
    page = seen.open()
    edit_square(page, "b6")
    page.click("[data-edit=empty]")
    expect(page.locator("#editor")).to_be_visible()
    table.session.submit(NewGame()).result(REQUEST_TIMEOUT)
    expect(page.locator("#editor")).to_be_hidden()
    assert stack(page, "b6") == "b6: green, one piece"
    assert seen.troubles == []


@pytest.mark.parametrize(
    ("language", "told"),
    [("en", "gone on meanwhile"), ("pl", "„Graj dalej stąd”"), ("it", "«Continua da qui»")],
)
def test_a_turn_played_while_a_position_is_edited_is_not_lost_unnoticed(
    table, seen: Seen, looping, language: str, told: str
) -> None:
    page = seen.open(f"/?lang={language}")
    edit_square(page, "c3")
    page.click("[data-edit=empty]")
    table.play("b6-b7")
    caught_up(page, table)
    page.click("[data-edit=done]")
    expect(page.locator("#toast")).to_contain_text(told, timeout=10_000)
    assert table.session.history.ply == 1
    # Whoever has read that may still mean it.
    page.click("[data-edit=done]")
    page.wait_for_selector("#editor", state="hidden")
    assert table.session.history.ply == 0
    assert seen.troubles == []


def test_buttons_without_effect_are_disabled_and_nothing_moves(table, seen: Seen, looping) -> None:
    def off() -> set[str]:
        buttons = page.locator(".acts [data-act]:disabled")
        return {button.get_attribute("data-act") or "" for button in buttons.all()}

    def places() -> Any:
        return page.evaluate(
            """() => ["take_back", "pause", "new_game"].map((act) => {
                const button = document.querySelector(`.acts [data-act=${act}]`);
                const down = button.offsetTop - button.closest(".acts").offsetTop;
                return [button.offsetLeft, button.offsetWidth, down];
            })"""
        )

    table.session.submit(NewGame())
    table.session.attend()
    page = seen.open()
    assert off() == {"take_back", "not_legal", "pause", "hint", "is_good", "again"}, (
        "while the pieces are set up"
    )
    table.start()
    expect(page.locator("[data-act=pause]")).to_be_enabled()
    first = places()
    assert off() == {"take_back", "not_legal", "again"}
    table.play(*MOVES[:1])
    expect(page.locator("[data-act=take_back]")).to_be_enabled()
    assert off() == set()
    page.click("[data-act=pause]")
    expect(page.locator("[data-act=pause]")).to_have_text("Go on")
    assert off() == set() and places() == first
    page.click("[data-act=pause]")
    until(page, table, paused=False)
    table.session.submit(AgreeDraw())
    expect(page.locator("[data-act=pause]")).to_be_disabled()
    assert off() == {"pause", "enter", "draw", "resign", "leave", "hint", "is_good"}
    page.reload()
    page.wait_for_selector("body[data-ready]")
    assert off() == {"pause", "enter", "draw", "resign", "leave", "hint", "is_good"}, "in the page as served"
    page.click("[data-act=take_back]")
    page.click("#confirm .strong")
    expect(page.locator("[data-act=pause]")).to_be_enabled()
    assert seen.troubles == []


@pytest.mark.parametrize("size", [(320, 640), (768, 1024), (1920, 1080)])
def test_the_board_and_the_editor_are_visible_together(table, seen: Seen, size: tuple[int, int]) -> None:
    table.play(*MOVES)
    seen.page.set_viewport_size({"width": size[0], "height": size[1]})
    page = seen.open()
    page.click(".acts details:has([data-act=edit]) summary")
    page.click("[data-act=edit]")
    page.click('[data-square="b7"]')
    for needed in ("#board", ".editor .here", ".editor .add", ".editor .buttons", ".editor .answers"):
        expect(page.locator(needed)).to_be_in_viewport(ratio=0.98)
    expect(page.locator(".ring.selected")).to_have_count(1)
    # Neither the last turn nor possible targets are shown while the position is edited.
    expect(page.locator(".path.last, .ring.target")).to_have_count(0)
    page.click("[data-edit=cancel]")
    expect(page.locator(".path.last")).to_have_count(1)


def test_an_unreachable_host_is_reported(table, seen: Seen, looping) -> None:
    page = seen.open()
    page.route("**/api/legal", lambda route: route.abort())
    page.click(".acts details:has([data-act=edit]) summary")
    page.click("[data-act=enter]")
    expect(page.locator("#toast")).to_have_text("The host does not answer. Try again when the page is live.")


def test_a_square_is_edited_and_the_game_goes_on_from_there(table, seen: Seen, looping) -> None:
    page = seen.open()
    edit_square(page, "b6")
    page.click('.add [aria-label*="red"]')
    assert stack(page, "b6") == "b6: 2 pieces, from the bottom green and red"
    page.select_option(".whose select", "red")
    page.fill(".held [name=green]", "2")
    page.click("[data-edit=done]")
    state = until(page, table, to_move="red")
    assert state["reserves"] == {"green": 2, "red": 0}
    assert state["position"].split("/")[2].startswith("-,gr,")
    assert table.session.history.record().incidents[-1]["type"] == "corrected"
    page.wait_for_selector("#editor", state="hidden")


@pytest.mark.parametrize("number", ["-3", "1.5", "999"])
def test_a_reserve_that_no_game_has_is_left_to_the_player(table, seen: Seen, looping, number: str) -> None:
    page = seen.open("/?lang=it")
    edit_square(page, "b6")
    page.fill(".held [name=green]", number)
    page.click("[data-edit=done]")
    # The browser points to it; the draft stays, and nothing is sent.
    expect(page.locator(".held [name=green]")).to_be_focused()
    page.wait_for_timeout(500)
    expect(page.locator("#editor")).to_be_visible()
    expect(page.locator(".held [name=green]")).to_have_value(number)
    expect(page.locator("#toast")).to_have_text("")
    assert not any(incident["type"] == "corrected" for incident in table.session.history.record().incidents)


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "Red: 19 pieces"), ("pl", "Czerwony: pionków"), ("it", "Rosso: in tutto 19")],
)
def test_more_pieces_than_a_set_has_are_pointed_out(
    table, seen: Seen, looping, language: str, words: str
) -> None:
    page = seen.open(f"/?lang={language}")
    edit_square(page, "b6")
    excess = page.locator("#editor .excess")
    expect(excess).to_have_text("")
    page.locator(".add button").nth(1).click()
    expect(excess).to_contain_text(words)
    expect(excess).to_contain_text("18")
    page.click("[data-edit=drop]")
    expect(excess).to_have_text("")
    page.fill(".held [name=red]", "2")
    expect(excess).to_contain_text("20")
    page.fill(".held [name=red]", "0")
    # Sets differ, so that it can be right.
    page.locator(".add button").nth(1).click()
    page.click("[data-edit=done]")
    page.wait_for_selector("#editor", state="hidden")
    # What the game has from then on is no longer pointed out.
    page.click("[data-act=edit]")
    expect(page.locator("#editor")).to_be_visible()
    expect(excess).to_have_text("")
    assert seen.troubles == []


def test_the_editor_follows_those_who_leave(browser, tmp_path: Path, make_table) -> None:
    table = make_table(tmp_path, Rules.make(3, thirteenth_piece=False))
    table.start()
    with PageServer(create_app(table.session, table.journal), port=0) as server, table.looping():
        context = browser.new_context()
        page = Seen(context.new_page(), server.port).open()
        edit_square(page, "b6")
        page.locator(".add button").first.click()
        players = page.locator(".whose option")
        expect(players).to_have_count(3)
        page.select_option(".whose select", "red")
        table.session.submit(Leave("g")).result(REQUEST_TIMEOUT)
        expect(players).to_have_count(2)
        expect(page.locator(".whose select")).to_have_value("red")
        expect(page.locator("#editor .excess")).to_contain_text("12")
        # The draft is kept as long as a game can go on from it.
        assert stack(page, "b6").startswith("b6: 2 pieces")
        table.session.submit(Leave("b")).result(REQUEST_TIMEOUT)
        expect(page.locator("#editor")).to_be_hidden()
        context.close()


def test_no_position_is_set_while_only_one_player_is_left(browser, tmp_path: Path, make_table) -> None:
    table = make_table(tmp_path, Rules.make(3, thirteenth_piece=False))
    table.start()
    with PageServer(create_app(table.session, table.journal), port=0) as server, table.looping():
        context = browser.new_context()
        page = Seen(context.new_page(), server.port).open()
        buttons = [page.locator(f".acts [data-act={act}]") for act in ("edit", "read_board")]
        for player, enabled in (("g", True), ("b", False)):
            table.session.submit(Leave(player)).result(REQUEST_TIMEOUT)
            caught_up(page, table)
            for button in buttons:
                expect(button).to_be_enabled(enabled=enabled)
        table.session.submit(TakeBack()).result(REQUEST_TIMEOUT)
        for button in buttons:
            expect(button).to_be_enabled()
        context.close()


def test_a_rematch_swaps_the_sides_and_counts_for_the_match(browser, tmp_path: Path, make_table) -> None:
    table = make_table(tmp_path, players={"g": "Ann", "r": "Bo"})
    table.start()
    with PageServer(create_app(table.session, table.journal), port=0) as server, table.looping():
        context = browser.new_context()
        page = Seen(context.new_page(), server.port).open()
        assert page.locator("#match").is_hidden()
        table.play(*MOVES)
        page.click(".acts details:has([data-act=resign]) summary")
        page.click("[data-act=resign]")
        page.click('#confirm [value="red"]')
        status(page, "Ann wins")
        page.click("[data-act=rematch]")
        page.click("#confirm .strong")
        state = until(page, table, game=2, ply=0)
        assert {colour: player["name"] for colour, player in state["players"].items()} == {
            "green": "Bo",
            "red": "Ann",
        }
        table.start()
        status(page, "Bo to move")
        table.play(*MOVES[:1])
        page.wait_for_selector("#match:not([hidden])")
        rows = page.locator("#match tbody th").all_text_contents()
        assert sorted(rows) == ["Ann", "Bo"]
        expect(page.locator("#match thead a")).to_have_count(2)
        context.close()
