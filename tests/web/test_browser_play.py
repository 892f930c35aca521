"""Play in a real browser: turns, alerts, prompts, choices, and everything by keyboard."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from browsing import Seen, caught_up, playwright, stack, status, until, wait_until_drawn
from playwright.sync_api import expect

from focus_companion.game.moves import Move
from focus_companion.game.play import Removed
from focus_companion.game.squares import INDEX
from focus_companion.referee.verdict import (
    BackInView,
    OutOfView,
    PutRight,
    StartDiffers,
    TrimAwaited,
    Undecided,
    Wrong,
)
from focus_companion.referee.words import say
from focus_companion.session.requests import NewGame

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_moves_appear_at_once_and_nothing_is_requested_from_other_hosts(table, seen: Seen) -> None:
    page = seen.open()
    status(page, "Green to move")
    assert stack(page, "b6") == "b6: green, one piece"
    table.play("b6-b7")
    status(page, "Red to move")
    assert stack(page, "b6") == "b6: empty"
    assert stack(page, "b7") == "b7: 2 pieces, from the bottom red and green"
    expect(page.locator(".path.last")).to_have_count(1)
    expect(page.locator("#moves li")).to_have_count(1)
    assert seen.hosts == {f"127.0.0.1:{seen.port}"}
    assert seen.troubles == []


def test_an_alert_is_shown_with_its_squares_and_disappears(table, seen: Seen) -> None:
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
    page.wait_for_function("() => document.querySelectorAll('.ring.wrong').length === 2")
    expect(page.locator(".path.undo")).to_have_count(0)  # the text is not one of the referee's sentences
    assert page.locator("#board").bounding_box() == before, "an alert must not move the board"
    table.see(PutRight())
    status(page, "Green to move")
    page.wait_for_function("() => !document.querySelector('.ring.wrong')")
    assert seen.troubles == []


def test_the_prompt_shows_the_pieces_to_remove(table, seen: Seen) -> None:
    page = seen.open()
    removed = (Removed("r", "captured", "g"), Removed("g", "reserve", "g"))
    table.see(TrimAwaited(Move.parse("d4-d5"), INDEX["d5"], removed))
    status(page, "Take 2 pieces from the bottom of d5: 1 red captured, 1 green back to Green.")
    uses = page.locator(".take-out use").evaluate_all("all => all.map(use => use.getAttribute('href'))")
    assert uses == ["#cap-r", "#cap-g"]


def test_pieces_of_the_same_colour_are_counted_not_listed(table, seen: Seen) -> None:
    page = seen.open()
    removed = (Removed("r", "captured", "g"), Removed("g", "reserve", "g"), Removed("r", "captured", "g"))
    table.see(TrimAwaited(Move.parse("d4-d5"), INDEX["d5"], removed))
    status(page, "Take 3 pieces from the bottom of d5: 2 red captured, 1 green back to Green.")


def test_the_question_whether_a_stack_was_trimmed_shows_the_pieces_to_remove(table, seen: Seen) -> None:
    page = seen.open()
    move = Move.parse("b6-a6")
    table.see(TrimAwaited(move, move.target, (Removed("r", "captured", "g"),)))
    status(page, "The stack is above five")
    table.see(Undecided((move,)))
    status(page, "Is the stack trimmed?")
    assert page.locator(".status-text").inner_text().endswith("1\u00a0red captured.")
    with table.looping():
        page.get_by_role("button", name="Yes, it is trimmed").click()
        status(page, "Red to move")
    assert table.session.state()["last_move"] == "b6-a6"


def test_during_a_prompt_another_turn_is_asked_about_by_its_own_name(table, seen: Seen) -> None:
    """The first turn may have been taken back and this one made: "yes" to the trimming must not answer it."""
    page = seen.open()
    table.see(TrimAwaited(Move.parse("b6-a6"), INDEX["a6"], (Removed("r", "captured", "g"),)))
    table.see(Undecided((Move.parse("b6-b7"),)))
    status(page, "Green: was it this turn?")
    expect(page.get_by_role("button", name="Yes, it is trimmed")).to_have_count(0)
    with table.looping():
        page.locator(".choice").click()
        status(page, "Red to move")
    assert table.session.state()["last_move"] == "b6-b7"


def test_the_choice_among_candidates_is_sent(table, seen: Seen) -> None:
    page = seen.open()
    table.see(Undecided((Move.parse("b6-b7"), Move.parse("b6-a6"))))
    status(page, "Green: which turn was it?")
    with table.looping():
        page.locator(".choice").nth(1).click()
        status(page, "Red to move")
    assert table.session.state()["last_move"] == "b6-a6"


def test_a_single_candidate_is_asked_about_as_such(table, seen: Seen) -> None:
    """The alternative is not a turn, so there is nothing to choose among."""
    page = seen.open()
    table.see(Undecided((Move.parse("b6-a6"),)))
    status(page, "Green: was it this turn?")
    assert "If not, put the pieces back." in page.locator(".status-text").inner_text()
    with table.looping():
        page.locator(".choice").click()
        status(page, "Red to move")
    assert table.session.state()["last_move"] == "b6-a6"


OPEN = ("b6-b7", "b6-a6", "c6-c7", "c4-c5", "g6-g7", "f6-f7")


CHOICES_OUT_OF_SIGHT = """() => {
    const box = document.querySelector('#status').getBoundingClientRect();
    const answers = [...document.querySelectorAll('.choice')];
    const all = answers.map((one) => one.getBoundingClientRect());
    const whole = ({ left, right, top, bottom, height }) =>
        left >= box.left && right <= box.right && top >= box.top && bottom <= box.bottom && height >= 44;
    const apart = (a, b) => a.right <= b.left || a.bottom <= b.top;
    const covered = all.map((a, at) => all.slice(at + 1).some((b) => !apart(a, b)));
    return answers.filter((one, at) => !whole(all[at]) || covered[at]).map((one) => one.textContent);
}"""


@pytest.mark.parametrize("language", ["en", "pl", "it"])
def test_every_answer_to_an_open_question_is_visible(table, seen: Seen, language: str) -> None:
    page = seen.open(f"/?lang={language}")
    for count in (2, 3, 6):
        table.see(Undecided(tuple(map(Move.parse, OPEN[:count]))))
        expect(page.locator(".choice")).to_have_count(count)
        expect(page.locator(".path.candidate")).to_have_count(count)
        # The letters are placed anew for every window size, as when a phone is rotated during the question.
        for width, height in ((320, 640), (390, 844), (768, 1024), (1280, 720), (1920, 1080)):
            page.set_viewport_size({"width": width, "height": height})
            wait_until_drawn(page)
            assert page.evaluate(CHOICES_OUT_OF_SIGHT) == [], (count, width)


def test_a_question_stays_open_while_play_goes_on_and_is_closed_without_an_answer(table, seen: Seen) -> None:
    page = seen.open()
    table.see(Undecided((Move.parse("b6-b7"), Move.parse("b6-a6"))))
    status(page, "Just play on")
    assert "to move" not in page.text_content("#status"), "whose turn it is is not known meanwhile"
    expect(page.locator(".player[data-turn=true] .note")).to_have_text("turn in doubt")
    table.see(Undecided((Move.parse("b6-b7"), Move.parse("b6-a6"), Move.parse("c6-c7"))))
    expect(page.locator(".choice")).to_have_count(3)
    table.see(PutRight())
    status(page, "Green to move")
    expect(page.locator(".choice, .path.candidate")).to_have_count(0)
    assert seen.troubles == []


def test_turns_along_the_same_squares_are_drawn_beside_each_other(table, seen: Seen) -> None:
    page = seen.open()
    table.see(Undecided(tuple(map(Move.parse, ("b5-c5", "d5-c5", "d5-b5")))))
    expect(page.locator(".path.candidate")).to_have_count(3)
    wait_until_drawn(page)
    boxes = [way.bounding_box() for way in page.locator(".path.candidate .way").all()]
    one, other, across = (box["y"] + box["height"] / 2 for box in boxes)
    assert one == pytest.approx(other, abs=1), "they are on one line and do not overlap"
    assert abs(one - across) > 20
    table.see(Undecided(tuple(map(Move.parse, ("b5-c5", "d5-c5")))))
    expect(page.locator(".path.candidate")).to_have_count(2)
    wait_until_drawn(page)
    middle = page.locator('#board [data-square="c5"]').bounding_box()
    alone = page.locator(".path.candidate .way").first.bounding_box()
    assert middle["y"] < alone["y"] < middle["y"] + middle["height"]
    assert abs(alone["y"] - one) > 10, "a single turn is drawn over its squares"
    table.see(Undecided(tuple(map(Move.parse, ("*c4", "c6-c3")))))
    expect(page.locator(".path.candidate circle")).to_have_count(1)
    wait_until_drawn(page)
    placed, moved = (arrow.bounding_box() for arrow in page.locator(".path.candidate").all())
    middles = [box["x"] + box["width"] / 2 for box in (moved, placed)]
    assert middles[1] - middles[0] > 12, "a piece from the reserve is drawn beside a passing turn"


def test_the_letters_of_turns_that_end_on_one_square_do_not_overlap(table, seen: Seen) -> None:
    page = seen.open()
    table.see(Undecided((Move.parse("b6-b7"), Move.parse("c6-c7"), Move.parse("b7-c7"))))
    expect(page.locator("#board .name")).to_have_count(3)
    places = [letter.bounding_box() for letter in page.locator("#board .name circle").all()]
    middles = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in places]
    for a, b in combinations(middles, 2):
        assert math.dist(a, b) > places[0]["width"]


def test_the_states_of_the_camera_are_shown(table, seen: Seen) -> None:
    page = seen.open()
    table.see(StartDiffers((INDEX["b7"],)))
    status(page, "This square is not right yet: b7.")
    expect(page.locator(".ring.differ")).to_have_count(1)
    table.see(OutOfView("board"))
    status(page, "The board is not found")
    table.session.camera_lost()
    status(page, "The camera gives no picture")
    table.session.camera_found()


def test_the_connection_is_not_called_live_while_the_board_is_out_of_view(table, seen: Seen) -> None:
    page = seen.open()
    expect(page.locator("#line")).to_have_text("Live")
    table.sight.camera_state = "no board"
    table.see(OutOfView("board"))
    expect(page.locator("#line")).to_have_text("Board not seen")
    colour = "() => getComputedStyle(document.querySelector('#line'), '::before').backgroundColor"
    assert page.evaluate(colour) != "rgb(47, 158, 98)", "the indicator must not be green"
    table.sight.camera_state = "ok"
    table.see(BackInView("board"))
    expect(page.locator("#line")).to_have_text("Live")


def test_a_selected_square_is_deselected_by_the_next_turn_and_the_next_game(
    table, seen: Seen, looping
) -> None:
    page = seen.open()
    page.click('[data-square="d4"]')
    expect(page.locator(".ring.selected")).to_have_count(1)
    table.play("b6-b7")
    status(page, "Red to move")
    expect(page.locator(".ring.selected, .ring.target")).to_have_count(0)
    expect(page.locator("#square-info")).to_have_text(page.get_attribute("#square-info", "data-hint"))
    page.click('[data-square="d4"]')
    expect(page.locator(".ring.selected")).to_have_count(1)
    table.session.submit(NewGame())
    until(page, table, game=2)
    expect(page.locator(".ring.selected, .ring.target")).to_have_count(0)
    # Even if no stack differs between the two games.
    page.click('[data-square="d4"]')
    table.session.submit(NewGame())
    until(page, table, game=3)
    caught_up(page, table)
    expect(page.locator(".ring.selected, .ring.target")).to_have_count(0)


def test_squares_are_selected_by_keyboard(table, seen: Seen) -> None:
    page = seen.open()
    page.focus('[data-square="d4"]')
    for key in ("ArrowLeft", "ArrowLeft", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    assert page.text_content("#square-info") == "b5: red, one piece. Red can reach b6, c5, b4 and a5."
    expect(page.locator(".ring.target")).to_have_count(4)
    page.keyboard.press("Escape")
    expect(page.locator(".ring.target")).to_have_count(0)


def test_an_untrimmed_stack_is_drawn_with_all_its_pieces(table, seen: Seen) -> None:
    page = seen.open()
    table.see(TrimAwaited(Move.parse("c4-c5"), INDEX["c5"], (Removed("r", "captured", "r"),)))
    status(page, "The stack is above five")
    page.wait_for_function(
        "() => document.querySelector('[data-square=c5]').getAttribute('aria-label').includes('2 pieces')"
    )
    assert stack(page, "c4") == "c4: empty"
    table.see(PutRight())
    caught_up(page, table)
    assert stack(page, "c4") == "c4: green, one piece"


def test_the_board_shows_what_to_put_back_where(table, seen: Seen) -> None:
    page = seen.open()
    a, b = INDEX["d5"], INDEX["d7"]
    table.see(Wrong("distance", "g", (a, b), say("distance", "g", origin=a, target=b, number=1, far=2)))
    page.wait_for_selector(".path.undo .bend", state="attached")
    start = page.locator(".path.undo circle").bounding_box()
    there = page.locator('[data-square="d7"] .hit').bounding_box()
    assert there["y"] < start["y"] < there["y"] + there["height"], "the arrow leads back from the target"
    table.see(Wrong("no_reserve", "g", (b,), say("no_reserve", "g", target=b)))
    page.wait_for_function(
        "() => document.querySelector('.path.undo') && !document.querySelector('.undo .bend')"
    )
    table.see(Wrong("unexplained", "g", (a, b), say("unexplained", "g", squares=(a, b))))
    page.wait_for_function("() => !document.querySelector('.path.undo')")


def test_turns_and_alerts_are_announced_to_screen_readers(table, seen: Seen) -> None:
    page = seen.open()
    table.play("b6-b7")
    announced = "() => document.querySelector('#quiet').textContent"
    page.wait_for_function(f"() => {announced}.startsWith('Green: 1 piece b6 to b7. Red to move.')")
    assert page.get_attribute("#quiet", "aria-live") == "polite"
    table.see(Wrong("two_moves", "r", (0, 1), say("two_moves", "r", squares=(0, 1))))
    page.wait_for_function("() => document.querySelector('#loud').textContent.includes('made two moves')")
    assert page.text_content("#quiet") == ""


def tab_to(page: playwright.Page, selector: str) -> None:
    """Move the focus there with the Tab key alone."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"the Tab key never comes to {selector}")


def test_a_game_is_played_by_keyboard_alone(table, seen: Seen, looping) -> None:
    page = seen.open()
    tab_to(page, "[data-act=new_game]")
    page.keyboard.press("Enter")
    page.wait_for_selector("#new-game[open]")
    tab_to(page, "[name=name-green]")
    page.keyboard.type("Ann")
    page.keyboard.press("Enter")
    state = until(page, table, game=2)
    assert state["players"]["green"]["name"] == "Ann"
    table.start()
    table.see(Undecided((Move.parse("b6-b7"), Move.parse("b6-a6"))))
    status(page, "Ann: which turn was it?")
    tab_to(page, ".choice:nth-child(2)")
    page.keyboard.press("Enter")
    until(page, table, last_move="b6-a6")
    tab_to(page, "[data-act=take_back]")
    page.keyboard.press("Enter")
    page.wait_for_selector("#confirm[open]")
    page.keyboard.press("Enter")
    until(page, table, ply=0)
    table.start()
    caught_up(page, table)
    tab_to(page, "[data-act=pause]")
    page.keyboard.press(" ")
    until(page, table, paused=True)
    assert seen.troubles == []
