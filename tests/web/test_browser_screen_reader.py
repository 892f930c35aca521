"""A game by screen reader: the test knows of the page only what is announced and what the accessibility
tree contains, and uses only keys."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browsing import Seen, caught_up, playwright
from playwright.sync_api import expect
from table_rules import last_stack

from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.play import Removed, apply, removed
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.game.squares import FILE, INDEX, RANK, SQUARES
from focus_companion.referee.verdict import PutRight, TrimAwaited, TurnSeen, Undecided, Wrong
from focus_companion.referee.words import say
from focus_companion.session.requests import Leave, NewGame, Resign, SetPosition, TakeBack
from focus_companion.web.app import create_app
from focus_companion.web.server import PageServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ANNOUNCED = """
window.announced = [];
const LIVE = "[role=alert], [role=status], [aria-live], output";
new MutationObserver((changes) => {
  const regions = new Set(changes.map(({ target }) => (target.nodeType === 1 ? target : target.parentElement)?.closest(LIVE)));
  for (const region of regions) {
    if (!region || region.getAttribute("aria-live") === "off" || !region.checkVisibility()) continue;
    const words = region.textContent.trim().replaceAll("\\u00a0", " ");
    if (words) announced.push(words);
  }
}).observe(document, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["hidden"] });
"""  # noqa: E501
"""Records what a screen reader says by itself: each change of a visible live region."""

ANNOUNCEMENTS = Path(__file__).parent / "announcements"
"""The announcements of a whole game, by language; reviewed by hand."""

MAX_TABS = 120
REST_MS = 250
NAMES = {"g": "Ann", "r": "Bo"}


class Reader:
    """A user who hears the page and has a keyboard."""

    def __init__(self, page: Any, table: Any) -> None:
        self.page, self.table, self.read = page, table, 0
        self.walked = False

    def hears(self, *wanted: str) -> None:
        """Assert that exactly these announcements come now, in this order."""
        self.page.wait_for_function("count => announced.length >= count", arg=self.read + len(wanted))
        caught_up(self.page, self.table)
        # Longer than the page waits before it speaks, so any superfluous announcement has come by then.
        self.page.wait_for_timeout(REST_MS)
        heard = self.page.evaluate("announced")
        assert heard[self.read :] == list(wanted)
        self.read = len(heard)
        self.keeps_the_focus()

    def keeps_the_focus(self) -> None:
        """Assert that once the Tab key was used, the focus is never reset to the top."""
        where = self.page.evaluate("document.activeElement.outerHTML.slice(0, 120)")
        assert not (self.walked and where.startswith("<body")), where

    def presses(self, role: str, name: str, key: str = "Enter") -> None:
        """Move the focus to the element with the Tab key alone, and press ``key``."""
        self.keeps_the_focus()
        # Nothing behind an open dialog can be reached.
        dialog = self.page.locator("dialog[open]")
        where = dialog if dialog.count() else self.page
        wanted = where.get_by_role(role, name=name, exact=True)
        playwright.expect(wanted).to_have_count(1)
        element = wanted.element_handle()
        for _ in range(MAX_TABS):
            self.page.keyboard.press("Tab")
            self.walked = True
            if element.evaluate("element => element === document.activeElement"):
                self.page.keyboard.press(key)
                return
        raise AssertionError(f"the Tab key never comes to {role} {name!r}")

    def walks_to(self, square: str) -> None:
        """Move the focus to a square of the board with the arrow keys alone."""
        for _ in range(16):
            here = self.page.evaluate("document.activeElement.dataset.square")
            if here == square:
                return
            key = ("ArrowLeft" if here[0] > square[0] else "ArrowRight") if here[0] != square[0] else (
                "ArrowDown" if here[1] > square[1] else "ArrowUp"
            )  # fmt: skip
            self.page.keyboard.press(key)
        raise AssertionError(f"the arrow keys never come to {square}")

    def reaches_the_board(self) -> None:
        for _ in range(MAX_TABS):
            self.page.keyboard.press("Tab")
            self.walked = True
            if self.page.evaluate("document.activeElement.matches('[role=gridcell]')"):
                return
        raise AssertionError("the board cannot be reached with the Tab key")

    def board(self) -> dict[str, str]:
        """The stacks according to the accessibility tree, by square."""
        tree = self.page.get_by_role("grid").aria_snapshot()
        return dict(re.findall(r'gridcell "([a-h][1-8]): ([^"]+)"', tree))


@pytest.fixture
def language(request: pytest.FixtureRequest) -> str:
    """The page's language: English unless the test is parametrized."""
    return getattr(request, "param", "en")


@pytest.fixture
def reader(browser: Any, tmp_path: Path, make_table: Any, language: str) -> Any:
    """A fast game of Ann (green) and Bo (red), and a user at its page."""
    table = make_table(tmp_path, Rules.make(2, fast=True, fast_each=2), NAMES)
    table.start()
    with PageServer(create_app(table.session, table.journal), port=0) as server, table.looping():
        context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
        seen = Seen(context.new_page(), server.port)
        seen.page.add_init_script(ANNOUNCED)
        seen.open(f"/?lang={language}")
        seen.page.wait_for_selector("#moves", state="attached")
        seen.page.wait_for_selector("#new-game", state="attached")
        yield Reader(seen.page, table)
        context.close()
    assert seen.troubles == []


def tallest(position: Position, rules: Rules) -> Move:
    """A turn that captures, or else builds a tall stack, so that the game ends soon."""

    def height(move: Move) -> int:
        after = apply(position, move, rules)
        return 10 * len(removed(position, move, rules)) + len(after.stacks[move.target])

    return max(legal_moves(position, rules), key=lambda move: (height(move), str(move)))


COLOURS = {"g": "green", "r": "red"}


def stands(stack: str) -> str:
    """A stack as the accessibility tree describes it."""
    if not stack:
        return "empty"
    if len(stack) == 1:
        return f"{COLOURS[stack]}, one piece"
    *first, last = [COLOURS[piece] for piece in stack]
    return f"{len(stack)} pieces, from the bottom {', '.join(first)} and {last}"


def counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def span(move: Move) -> int:
    """How far a turn goes, which is the number of pieces moved."""
    assert move.origin is not None
    return abs(FILE[move.origin] - FILE[move.target]) + abs(RANK[move.origin] - RANK[move.target])


def announcement_of(position: Position, move: Move, rules: Rules) -> str:
    """A turn as it is announced."""
    player = NAMES[position.to_move or ""]
    words = str(move).replace("-", " to ") if move.origin is not None else f"to {str(move)[1:]}"
    pieces = counted(span(move), "piece", "pieces") if move.origin is not None else "a reserve piece"
    gone = [piece.to for piece in removed(position, move, rules)]
    held, taken = gone.count("reserve"), gone.count("captured")
    more = f", {counted(held, 'piece', 'pieces')} to the reserve" if held else ""
    more += f", {counted(taken, 'piece', 'pieces')} captured" if taken else ""
    return f"{player}: {pieces} {words}{more}."


BEGINS = "Ann to move. The game begins."
LAST = "Bo to move. Last turn: 1 piece b6 to b7."
SET_UP = "Set the pieces up. Set the pieces up as the drawing shows. The game begins by itself."
D5, D7 = INDEX["d5"], INDEX["d7"]
WRONG = Wrong("distance", "r", (D5, D7), say("distance", "r", origin=D5, target=D7, number=1, far=2))
ALERTED = (
    "Wrong number of squares. Bo moved 1 piece 2 squares from d5 to d7; 1 piece must go exactly 1 square. "
    "Please put it back on d5."
)


def test_every_turn_up_to_the_end_is_announced_once(reader: Reader) -> None:
    table = reader.table
    rules = table.session.rules
    reader.hears(BEGINS)
    position = table.session.position
    while position.to_move:
        move = tallest(position, rules)
        heard = announcement_of(position, move, rules)
        table.see(TurnSeen(move, 0.97))
        position = table.session.position
        if position.to_move:
            reader.hears(f"{heard} {NAMES[position.to_move]} to move.")
    winner = NAMES[position.result.winners]
    reader.hears(f"{heard} {winner} wins. Enough pieces are captured.")
    assert reader.board() == {
        square: stands(stack) for square, stack in zip(SQUARES, position.stacks, strict=True)
    }
    reader.presses("button", "Rematch")
    reader.presses("button", "Rematch")
    reader.hears(SET_UP)
    table.start()
    reader.hears("Bo to move. The game begins.")


def chooses_on_the_board(reader: Reader) -> None:
    """Overrule the alert: the turn was c7-c6, chosen square by square, and not yet confirmed."""
    reader.presses("button", "That was legal")
    reader.hears("Which turn was it? Touch a letter, or the stack that moved and then where it went.")
    reader.reaches_the_board()
    reader.walks_to("c7")
    reader.page.keyboard.press("Enter")
    reader.hears("Which turn was it? Touch where it went, or a letter.")
    reader.walks_to("c6")
    reader.page.keyboard.press("Enter")
    note = "The players’ word counts, and the record says so. It must be a turn that the rules allow."
    reader.hears(f"1 piece c7 to c6? {note}")


@pytest.mark.parametrize("language", ["pl", "it"], indirect=True)
def test_the_game_can_be_followed_in_other_languages(reader: Reader, language: str) -> None:
    """The file holds the announcements, one per line; the lines alone are enough to follow the turns."""
    table = reader.table
    rules = table.session.rules
    lines = (ANNOUNCEMENTS / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    reader.hears(lines.pop(0))
    position = table.session.position
    while position.to_move:
        table.see(TurnSeen(tallest(position, rules), 0.97))
        line = lines.pop(0)
        reader.hears(line)
        position = apply(position, parsed_announcement(line, position, rules), rules)
        assert position == table.session.position
    assert lines == []


def parsed_announcement(line: str, position: Position, rules: Rules) -> Move:
    """The turn that an announcement names: where from and where to, or where a piece was placed."""
    squares = [INDEX[square] for square in re.findall(r"\b[a-h][1-8]\b", line)]
    origin, target = squares if len(squares) == 2 else (None, *squares)
    (move,) = (
        move for move in legal_moves(position, rules) if (move.origin, move.target) == (origin, target)
    )
    return move


def test_alerts_are_announced_at_once_and_ruled_upon(reader: Reader) -> None:
    table = reader.table
    reader.hears(BEGINS)
    table.play("b6-b7")
    reader.hears("Ann: 1 piece b6 to b7. Bo to move.")
    table.see(WRONG)
    reader.hears(ALERTED)
    table.see(PutRight())
    reader.hears(LAST)
    table.see(WRONG)
    reader.hears(ALERTED)
    reader.presses("button", "It is settled")
    reader.hears(LAST)
    table.see(WRONG)
    reader.hears(ALERTED)
    chooses_on_the_board(reader)
    reader.presses("button", "Yes, this turn")
    reader.hears("Bo: 1 piece c7 to c6. Ann to move.")


def test_an_alert_is_not_repeated_between_an_answer_and_the_turn(reader: Reader) -> None:
    table = reader.table
    reader.hears(BEGINS)
    table.play("b6-b7")
    reader.hears("Ann: 1 piece b6 to b7. Bo to move.")
    table.see(WRONG)
    reader.hears(ALERTED)
    chooses_on_the_board(reader)
    # The host accepts the turn, but its new state arrives late.
    sent: list[str] = []

    def accepted(route: Any) -> None:
        sent.append(route.request.post_data)
        route.fulfill(json={"accepted": True, "done": False})

    reader.page.route("**/api/requests", accepted)
    with reader.page.expect_response("**/api/requests"):
        reader.presses("button", "Yes, this turn")
    reader.presses("button", "Yes, this turn")
    reader.hears()
    assert len(sent) == 1
    table.play("c7-c6")
    reader.hears("Bo: 1 piece c7 to c6. Ann to move.")


def test_questions_and_prompts_are_announced_and_answered(reader: Reader) -> None:
    table = reader.table
    reader.hears(BEGINS)
    table.see(Undecided((Move.parse("b6-b7"), Move.parse("b6-a6"))))
    reader.hears("Ann: which turn was it? Just play on: the next turns usually settle it. Or choose here.")
    reader.presses("button", "A b6–b7 1 piece b6 to b7")
    reader.hears("Ann: 1 piece b6 to b7. Bo to move.")
    table.see(TrimAwaited(Move.parse("c7-c6"), INDEX["c6"], (Removed("g", "captured", "r"),)))
    reader.hears("The stack is above five. Take 1 piece from the bottom of c6: 1 green captured.")
    table.see(Undecided((Move.parse("c7-c6"),)))
    reader.hears("Is the stack trimmed? Take 1 piece from the bottom of c6: 1 green captured.")
    reader.presses("button", "A Yes, it is trimmed 1 piece c7 to c6")
    reader.hears("Bo: 1 piece c7 to c6. Ann to move.")


def test_the_game_is_managed_and_reviewed_by_keyboard(reader: Reader) -> None:
    table = reader.table
    reader.hears(BEGINS)
    table.see(*(TurnSeen(Move.parse(move), 0.97) for move in ("b6-b7", "c7-c6")))
    reader.hears("Ann: 1 piece b6 to b7. Bo: 1 piece c7 to c6. Ann to move.")
    reader.reaches_the_board()
    reader.walks_to("b7")
    reader.page.keyboard.press("Enter")
    reader.hears("b7: 2 pieces, from the bottom red and green. Green can reach c7, d7, b6 and b5.")
    reader.page.keyboard.press("Escape")
    reader.presses("button", "Take back")
    reader.presses("button", "Take back")
    reader.hears(f"1 turn was taken back. {LAST}")
    table.start()
    reader.presses("button", "Pause")
    reader.hears("Paused. The board is not watched until the game goes on.")
    reader.presses("button", "Go on")
    reader.hears(LAST)
    reader.presses("button", "Take back")
    reader.presses("button", "Take back")
    # The button is disabled now, so the focus has moved to what matters now.
    reader.hears(f"1 turn was taken back. {SET_UP}")
    table.start()
    reader.hears(BEGINS)
    table.session.camera_lost()
    table.see()
    reader.hears(
        "The camera gives no picture. Check its cable. "
        "The game goes on by itself as soon as the picture is back."
    )
    table.session.camera_found()
    table.see()
    reader.hears(BEGINS)


def test_a_position_is_corrected_by_keyboard(reader: Reader) -> None:
    reader.hears(BEGINS)
    page = reader.page
    page.locator("summary", has_text="Corrections").press("Enter")
    reader.presses("button", "Edit the position")
    reader.reaches_the_board()
    reader.walks_to("b6")
    page.keyboard.press("Enter")
    reader.hears("b6: green, one piece.")
    reader.presses("button", "Put a red piece on top")
    more = "Bo: 19 pieces in all, with the reserve and those captured. A set has 18."
    reader.hears(more, "b6: 2 pieces, from the bottom green and red.")
    reader.presses("button", "Remove the top piece")
    reader.hears("b6: green, one piece.")
    # The button is disabled now.
    page.keyboard.press("Enter")
    reader.hears("b6: empty.")
    # A screen reader can go to a square by itself.
    page.locator('[data-square="g7"]').focus()
    page.keyboard.press("Enter")
    reader.hears("g7: red, one piece.")
    reader.presses("button", "Cancel")
    reader.hears()
    expect(page.locator("#status")).to_be_focused()


def asks(table: Any, *requests: Any) -> None:
    for request in requests:
        table.session.submit(request).result(60)


def test_what_is_no_turn_is_announced_too(reader: Reader) -> None:
    """Players who leave, resign or fall out, what is taken back of that, and a correction by hand."""
    table = reader.table
    reader.hears(BEGINS)
    asks(table, NewGame(last_stack(), {"g": "Ann", "b": "Bo", "r": "Cy"}))
    reader.hears(SET_UP)
    table.start()
    reader.hears("Ann to move. The game begins.")
    table.play("c4-b4")
    reader.hears("Ann: 1 piece c4 to b4. Bo to move.")
    last = "Bo to move. Last turn: 1 piece c4 to b4."
    asks(table, Leave("r"))
    reader.hears(f"Cy leaves. {last}")
    asks(table, TakeBack())
    reader.hears(f"Taken back: Cy leaves. {last}")
    table.play("c5-b5", "f4-f5")
    reader.hears("Bo: 1 piece c5 to b5. Cy: 1 piece f4 to f5. Ann to move.")
    table.play("b4-b5")
    reader.hears("Ann: 1 piece b4 to b5, Bo is out. Cy to move.")
    asks(table, Resign("r"))
    reader.hears("Ann wins. The others have resigned.")
    asks(table, TakeBack())
    reader.hears("Taken back: Cy resigns. Cy to move. Last turn: 1 piece b4 to b5.")
    asks(table, NewGame(last_stack(), {"g": "Ann", "b": "Bo", "r": "Cy"}))
    reader.hears(SET_UP)
    table.start()
    reader.hears("Ann to move. The game begins.")
    asks(table, SetPosition(table.session.position.stacks, "r"))
    reader.hears(f"The position was corrected. {SET_UP}")
    table.start()
    reader.hears("Cy to move. The game begins.")


def test_why_the_pin_is_asked_for_is_read_with_its_field(table, browser, looping) -> None:
    app = create_app(table.session, table.journal, lan=True, pin="4821", hosts=["board.local"])
    context = browser.new_context(locale="en-GB")
    with PageServer(app, port=0) as server:
        page = Seen(context.new_page(), server.port).open(host="board.local")
        page.click(".acts [data-act=new_game]")
        page.click("#new-game .strong")
        field = page.locator("#pin input")
        expect(field).to_have_accessible_description("Enter the PIN that the host shows.")
        field.fill("0000")
        field.press("Enter")
        wrong = "That is not the PIN. It is shown on the screen of the host."
        expect(field).to_have_accessible_description(wrong)
    context.close()
