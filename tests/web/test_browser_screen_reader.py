"""A game by screen reader: all that is known of the page is what is announced and what the accessibility
tree holds, and all that is pressed is a key."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browsing import PATIENCE, Seen, at_rest, caught_up, playwright

from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.play import apply, removed
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.referee.verdict import PutRight, TrimAwaited, TurnSeen, Undecided, Wrong
from focus_companion.referee.words import say
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
"""What a screen reader says by itself: each change of a live region that is shown."""

TABS = 120


class Reader:
    """Somebody who hears the page and has a keyboard."""

    def __init__(self, page: Any, table: Any) -> None:
        self.page, self.table, self.read = page, table, 0
        self.walked = False

    def hears(self, *wanted: str) -> None:
        """These announcements come now, in this order, and no other."""
        caught_up(self.page, self.table)
        self.page.wait_for_function("count => announced.length >= count", arg=self.read + len(wanted))
        at_rest(self.page)
        heard = self.page.evaluate("announced")
        assert heard[self.read :] == list(wanted)
        self.read = len(heard)
        self.keeps_the_focus()

    def keeps_the_focus(self) -> None:
        """Once somebody has walked with the Tab key, they are never thrown back to the top."""
        where = self.page.evaluate("document.activeElement.outerHTML.slice(0, 120)")
        assert not (self.walked and where.startswith("<body")), where

    def presses(self, role: str, name: str, key: str = "Enter") -> None:
        """Walk to it with the Tab key alone, and press ``key``."""
        self.keeps_the_focus()
        wanted = self.page.get_by_role(role, name=name, exact=True)
        playwright.expect(wanted).to_have_count(1)
        for _ in range(TABS):
            self.page.keyboard.press("Tab")
            self.walked = True
            if wanted.evaluate("element => element === document.activeElement"):
                self.page.keyboard.press(key)
                return
        raise AssertionError(f"the Tab key never comes to {role} {name!r}")

    def walks_to(self, square: str) -> None:
        """On the board, with the arrow keys alone."""
        self.page.wait_for_function("document.activeElement.matches('[role=gridcell]')")
        for _ in range(16):
            here = self.page.evaluate("document.activeElement.dataset.square")
            if here == square:
                return
            key = ("ArrowLeft" if here[0] > square[0] else "ArrowRight") if here[0] != square[0] else (
                "ArrowDown" if here[1] > square[1] else "ArrowUp"
            )  # fmt: skip
            self.page.keyboard.press(key)
        raise AssertionError(f"the arrow keys never come to {square}")

    def board(self) -> dict[str, str]:
        """The stacks that the accessibility tree tells, square by square."""
        tree = self.page.get_by_role("grid").aria_snapshot()
        return dict(re.findall(r'gridcell "([a-h][1-8]): ([^"]+)"', tree))


@pytest.fixture
def reader(browser: Any, tmp_path: Path, make_table: Any) -> Any:
    """A fast game of Ann (green) and Bo (red), and somebody at its page."""
    table = make_table(tmp_path, Rules.make(2, fast=True, fast_each=2), {"g": "Ann", "r": "Bo"})
    table.start()
    with PageServer(create_app(table.session, table.journal), port=0) as server, table.looping():
        context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
        seen = Seen(context.new_page(), server.port)
        seen.page.add_init_script(ANNOUNCED)
        seen.open()
        seen.page.wait_for_function("document.querySelector('#moves') && document.querySelector('#new-game')")
        yield Reader(seen.page, table)
        context.close()
    assert seen.troubles == []


def tallest(position: Position, rules: Rules) -> Move:
    """A turn that captures, else one that builds, so that the game ends soon."""

    def height(move: Move) -> int:
        after = apply(position, move, rules)
        return 10 * len(removed(position, move, rules)) + len(after.stacks[move.target])

    return max(legal_moves(position, rules), key=lambda move: (height(move), str(move)))


def counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def told(position: Position, move: Move, rules: Rules) -> str:
    """A turn as it is announced."""
    player = {"g": "Ann", "r": "Bo"}[position.to_move or ""]
    words = str(move).replace("-", " to ") if move.origin is not None else f"to {str(move)[1:]}"
    pieces = counted(move.count, "piece", "pieces") if move.origin is not None else "a reserve piece"
    gone = [piece.to for piece in removed(position, move, rules)]
    held, taken = gone.count("reserve"), gone.count("captured")
    more = f", {counted(held, 'piece', 'pieces')} to the reserve" if held else ""
    more += f", {counted(taken, 'piece', 'pieces')} captured" if taken else ""
    return f"{player}: {pieces} {words}{more}."


def test_a_whole_game_is_heard_once_and_answered_by_key(reader: Reader) -> None:
    table, rules = reader.table, reader.table.session.rules
    reader.hears("Ann to move. The game begins.")
    table.play("b6-b7")
    reader.hears("Ann: 1 piece b6 to b7. Bo to move.")

    # An illegal act: said at once, ruled upon, and the turn that it was chosen on the board.
    d5, d7 = INDEX["d5"], INDEX["d7"]
    wrong = Wrong("distance", "r", (d5, d7), say("distance", "r", origin=d5, target=d7, number=1, far=2))
    table.see(wrong)
    why = "Bo moved 1 piece 2 squares from d5 to d7; 1 piece must go exactly 1 square. Please put it back on d5."
    reader.hears(f"Wrong number of squares. {why}")
    table.see(PutRight())
    reader.hears("Bo to move. Last turn: 1 piece b6 to b7.")
    table.see(wrong)
    reader.hears(f"Wrong number of squares. {why}")
    reader.presses("button", "It is settled")
    reader.hears("Bo to move. Last turn: 1 piece b6 to b7.")

    # A question, answered; the answers are gone, the focus is not.
    table.see(Undecided((Move.parse("c6-c7"), Move.parse("c7-c6"))))
    reader.hears("Bo: which turn was it? Just play on: what follows usually tells. Or choose here.")
    reader.presses("button", "B c7–c6 1 piece c7 to c6")
    reader.hears("Bo: 1 piece c7 to c6. Ann to move.")

    # Taken back, and the same turn entered square by square.
    reader.presses("button", "Take back")
    reader.presses("button", "Take back")
    reader.hears("1 turn was taken back. Bo to move. Last turn: 1 piece b6 to b7.")


def test_heard(reader: Reader) -> None:
    table, rules = reader.table, reader.table.session.rules
    reader.hears("Ann to move. The game begins.")
    prompt = TrimAwaited(Move.parse("b6-a6"), INDEX["a6"], ())
    assert prompt and PATIENCE and SQUARES
    heard = []
    while not table.session.state()["result"]:
        position = table.session.position
        move = tallest(position, rules)
        heard.append(told(position, move, rules))
        table.see(TurnSeen(move, 0.97))
        after = table.session.position
        if after.to_move:
            reader.hears(f"{heard[-1]} {'Ann' if after.to_move == 'g' else 'Bo'} to move.")
    print(len(heard))
    reader.hears(f"{heard[-1]} Ann wins. Enough pieces are captured.")
