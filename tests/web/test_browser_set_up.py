"""Preparing a game in a real browser: players, rules, drawing lots, and marking the board by hand."""

from __future__ import annotations

import pytest
from browsing import Seen, playwright, status, until, wait_until_drawn
from playwright.sync_api import Route, expect

from focus_companion.game.rules import Rules
from focus_companion.game.squares import INDEX
from focus_companion.referee.verdict import StartDiffers, StartSeen
from focus_companion.session.requests import NewGame

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_game_is_prepared_without_a_manual(table, seen: Seen, looping) -> None:
    table.see(StartDiffers((INDEX["b7"], INDEX["d5"])))
    page = seen.open()
    ready = page.locator("#setup")
    assert "These 2 squares are not right yet: b7 and d5." in ready.text_content()
    assert "it can count the pieces in every stack (31° off the vertical)" in ready.text_content()
    expect(page.locator(".ring.differ")).to_have_count(2)
    ready.locator("[data-act=new_game]").click()
    page.fill("[name=name-green]", "Ann")
    for colour in ("Green", "Red"):
        seat = page.get_by_role("group", name=colour).get_by_role("combobox", name="Seat")
        expect(seat).to_have_attribute("name", f"seat-{colour.lower()}")
    page.select_option("[name=seat-green]", label="top")
    assert page.input_value("[name=seat-red]") == "0", "the player who sat there changes places"
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
    page.wait_for_selector("#setup", state="hidden")
    page.wait_for_function("() => document.querySelector('[data-clock=red]').textContent.startsWith('4:5')")
    assert page.text_content("[data-clock=green]") == "5:00"
    expect(page.locator(".table[data-timed]")).to_have_count(1)  # space for the clocks
    assert seen.troubles == []


def test_the_players_can_overrule_the_reading_of_the_start(table, seen: Seen, looping) -> None:
    """Bare domes may always look like pieces to the camera; the button asks for confirmation."""
    table.see(StartDiffers((INDEX["b7"],)))
    page = seen.open("/?lang=it")
    stands = page.locator("#setup [data-act=stands_right]")
    expect(stands).to_have_text("Sono al posto giusto")
    stands.click()
    expect(page.locator("#confirm h2")).to_have_text("Ogni casella è come nel disegno?")
    page.locator("#confirm button").last.click()
    assert table.sight.vouched == 0, "not before it is confirmed"
    stands.click()
    with page.expect_request("**/api/requests") as sent:
        page.locator("#confirm .strong").click()
    assert sent.value.post_data_json["at"] == {"game": 1, "moves": 0}
    for _ in range(100):
        table.see()
        if table.sight.vouched:
            break
        page.wait_for_timeout(50)
    assert table.sight.vouched == 1
    table.see(StartSeen())
    page.wait_for_selector("#setup", state="hidden")
    assert seen.troubles == []


def test_the_mount_check_says_which_squares_are_hard_to_read(table, seen: Seen) -> None:
    result = {"verdict": "fair", "squares": {"a3": "sure", "c8": "hard", "d8": "hard"}}
    advice = [
        {"code": "higher", "text": "Raise it."},
        {"code": "later", "text": "Wait for the next version."},
    ]
    mount = table.sight.mount() | result | {"advice": advice}
    table.sight.mount = lambda: mount
    table.see(StartDiffers((INDEX["b7"],)))
    page = seen.open("/?lang=pl")
    said = page.text_content("#setup li:nth-child(2)")
    assert "policzy pionki w większości stosów (31° od pionu)" in said
    assert "Trudne do odczytania: c8 i d8." in said
    assert "Podnieś kamerę" in said and "Wait for the next version." in said
    assert page.get_attribute("#setup li:nth-child(2)", "data-kind") == "fair"


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


CUT = """() => {
    const pen = document.createElement('canvas').getContext('2d');
    const shown = (all) => [...document.querySelectorAll(all)].filter((one) => one.checkVisibility());
    // Beside a choice's words there is its arrow.
    const room = (select, { paddingLeft, paddingRight }) =>
        select.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - 18;
    const choices = shown('#new-game select').filter((select) => {
        const style = getComputedStyle(select);
        pen.font = style.font;
        return pen.measureText(select.selectedOptions[0].text).width > room(select, style);
    });
    const words = shown('#setup .who, #new-game :is(legend, button, h2)');
    const spilling = words.filter((one) => one.scrollWidth > one.clientWidth);
    const window = document.querySelector('#new-game').getBoundingClientRect();
    const lost = shown('#new-game .answers button').filter((one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        return left < window.left || right > window.right || top < window.top || bottom > window.bottom;
    });
    return [...choices, ...spilling, ...lost].map((one) => one.name || one.textContent);
}"""
"""Choices, names and buttons that are cut off."""


@pytest.mark.parametrize("language", ["en", "pl", "it"])
def test_a_small_phone_shows_every_choice_completely(table, seen: Seen, looping, language: str) -> None:
    table.session.submit(NewGame(table.session.rules, {"g": "Bartholomew", "r": "Maximiliane"}))
    table.session.attend()
    table.see(StartDiffers((INDEX["b7"],)))
    seen.page.set_viewport_size({"width": 320, "height": 640})
    page = seen.open(f"/?lang={language}")
    assert page.locator("#setup .who").count() == 2
    page.click(".acts [data-act=new_game]")
    page.click("#new-game summary")
    for clock in ("down", "up"):
        page.select_option("[name=clock]", clock)
        assert page.evaluate(CUT) == [], clock
    for kind in ("far", "companion"):
        page.select_option("[name=by-green]", kind)
        assert page.evaluate(CUT) == [], kind


def test_a_field_that_keeps_a_game_from_beginning_is_shown(table, seen: Seen) -> None:
    page = seen.open()
    page.locator('[data-act="new_game"]:visible').first.click()
    page.select_option("#new-game [name=preset]", "fast")
    page.click("#new-game summary")
    page.fill("#new-game [name=fast_each]", "")
    page.evaluate("document.querySelector('#new-game details').open = false")
    page.click("#new-game .strong")
    expect(page.locator("#new-game [name=fast_each]")).to_be_focused(timeout=10_000)
    assert seen.troubles == []


def test_pressing_start_twice_begins_one_game(table, seen: Seen, looping) -> None:
    held: list[Route] = []
    seen.page.route("**/api/requests", lambda route: held.append(route))
    page = seen.open()
    page.click(".acts [data-act=new_game]")
    with page.expect_request("**/api/requests"):
        page.dblclick("#new-game .strong")
    wait_until_drawn(page)
    assert len(held) == 1
    held[0].continue_()
    page.wait_for_selector("#new-game:not([open])", state="attached")
    until(page, table, game=2)


DRAW_THE_LAST = "crypto.getRandomValues = (drawn) => drawn.fill(251)"


def test_whoever_the_lot_fell_on_begins_before_it_is_shown(table, seen: Seen, looping) -> None:
    seen.page.add_init_script(DRAW_THE_LAST)
    page = seen.open()
    page.click(".acts [data-act=new_game]")
    page.wait_for_selector("[data-lots]")  # The dialog is loaded when it is first needed.
    # In one go, so that the animation has shown nothing yet.
    page.evaluate(
        """() => {
            document.querySelector("[data-lots]").click();
            document.querySelector("#new-game .strong").click();
        }"""
    )
    page.wait_for_selector("#new-game:not([open])", state="attached")
    assert until(page, table, game=2)["order"] == ["red", "green"]
    assert seen.troubles == []


def test_a_lot_is_void_once_others_play(table, seen: Seen) -> None:
    seen.page.add_init_script(DRAW_THE_LAST)
    page = seen.open()
    page.click(".acts [data-act=new_game]")
    page.select_option("[name=players]", "4")
    page.evaluate(
        """() => {
            document.querySelector("[data-lots]").click();
            const players = document.querySelector("[name=players]");
            players.value = "2";
            players.dispatchEvent(new Event("change", { bubbles: true }));
        }"""
    )
    # Longer than the animation.
    page.wait_for_timeout(2000)
    assert page.input_value("[name=begins]") == "green" and page.text_content(".lot") == ""
    assert seen.troubles == []


def test_drawing_lots_chooses_who_begins(table, seen: Seen) -> None:
    page = seen.open()
    page.click(".acts [data-act=new_game]")
    page.click("[data-lots]")
    page.wait_for_function("() => document.querySelector('.lot').textContent.includes('The lot falls on')")
    begins = page.input_value("[name=begins]")
    assert begins.capitalize() in page.text_content(".lot")


def placed(page: playwright.Page) -> dict[str, list[float]]:
    """The four points, as fractions of the picture."""
    return page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.corner')].map(corner => {
            const box = corner.getBoundingClientRect();
            const frame = document.querySelector('#corners img').getBoundingClientRect();
            const [x, y] = [box.left + box.width / 2 - frame.left, box.top + box.height / 2 - frame.top];
            return [corner.dataset.corner, [x / frame.width, y / frame.height]];
        }))"""
    )


@pytest.mark.parametrize("pointer", ["mouse", "touch"])
def test_the_board_is_placed_by_dragging_its_corners(table, server, browser, looping, pointer: str) -> None:
    context = browser.new_context(has_touch=pointer == "touch", viewport={"width": 800, "height": 900})
    seen = Seen(context.new_page(), server.port)
    table.sight.camera_state = "no board"
    page = seen.open()
    status(page, "The board is not found")
    page.click("#status [data-act=place]")
    page.wait_for_function("() => document.querySelector('#corners img')?.naturalWidth > 0")
    assert placed(page)["a1"] == pytest.approx([0.2, 0.9], abs=0.004), "where the board was seen last"
    box = page.locator("[data-corner=h8]").bounding_box()
    x, y = box["x"] + box["width"] / 2 + 7, box["y"] + box["height"] / 2 - 5
    frame = page.locator("#corners img").bounding_box()
    drag(page, pointer, (x, y), (x + 0.1 * frame["width"], y + 0.05 * frame["height"]))
    assert placed(page)["h8"] == pytest.approx([0.8, 0.25], abs=0.005)
    expect(page.locator("#corners canvas"), "the glass goes away with the finger").to_be_hidden()
    page.click("#corners .strong")
    page.wait_for_selector("#corners:not([open])", state="attached")
    ((corners, _),) = table.sight.placed
    assert corners["h8"] == pytest.approx((0.8, 0.25), abs=0.005)
    assert corners["a1"] == pytest.approx((0.2, 0.9), abs=0.001)
    assert seen.troubles == []
    context.close()


def drag(page: playwright.Page, pointer: str, at: tuple[float, float], to: tuple[float, float]) -> None:
    """Drag from one point to another; the magnifying glass must be visible meanwhile."""
    glass = page.locator("#corners canvas")
    if pointer == "mouse":
        page.mouse.move(*at)
        page.mouse.down()
        page.mouse.move(*to, steps=5)
        expect(glass).to_be_visible()
        page.mouse.up()
        return
    line = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        line.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]}
        )

    touch("touchStart", at)
    for share in (0.3, 0.7, 1.0):
        touch("touchMove", (at[0] + share * (to[0] - at[0]), at[1] + share * (to[1] - at[1])))
    expect(glass).to_be_visible()
    touch("touchEnd")


def test_the_board_is_placed_by_keyboard_alone(table, seen: Seen, looping) -> None:
    page = seen.open()
    page.focus(".camera [data-act=place]")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#corners svg path')")
    for _ in range(4):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.corner") == "h1":
            break
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+ArrowLeft")
    label = page.get_attribute("[data-corner=h1]", "aria-label")
    assert label == "Corner h1, 77.8 % from the left, 90.0 % from the top. Arrow keys move it."
    expect(page.locator("#corners canvas")).to_be_visible()
    page.click("[data-corners=turn]")
    page.click("#corners .strong")
    page.wait_for_selector("#corners:not([open])", state="attached")
    ((corners, _),) = table.sight.placed
    assert corners["a1"] == pytest.approx((0.778, 0.9), abs=1e-6), "the letters have rotated"
    assert corners["h1"] == pytest.approx((0.7, 0.2), abs=1e-6)
    page.click(".camera [data-act=place]")
    page.click("[data-corners=auto]")
    page.wait_for_selector("#corners:not([open])", state="attached")
    assert table.sight.placed[-1][0] is None


@pytest.mark.parametrize(
    ("language", "words"), [("en", "go round the board"), ("pl", "rogi muszą iść wokół planszy")]
)
def test_invalid_corners_are_refused_but_kept_on_the_page(
    table, seen: Seen, looping, language: str, words: str
) -> None:
    page = seen.open(f"/?lang={language}")
    page.click(".camera [data-act=place]")
    page.wait_for_function("() => document.querySelector('#corners svg path')")
    page.focus("[data-corner=a1]")
    for _ in range(35):
        page.keyboard.press("Shift+ArrowRight")
    page.click("#corners .strong")
    toast = page.wait_for_selector("#corners #toast:not([hidden])")
    assert words in toast.text_content()
    # It is an event, too, shown to other viewers in the same words.
    page.wait_for_function(f"() => Number(document.body.dataset.event) >= {table.journal.last_event()}")
    assert words in toast.text_content()
    assert page.locator("#corners").is_visible()
    assert table.sight.placed == []
