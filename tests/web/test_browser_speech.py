"""A game without looking at the screen, in a real browser: sentences, their order, and keys."""

from __future__ import annotations

import errno
import statistics
import time
from pathlib import Path
from typing import Any, Final
from unittest.mock import Mock

import pytest
from browsing import Seen, caught_up, serious
from playwright.sync_api import expect

from focus_companion.game.moves import Move, legal_moves
from focus_companion.referee.verdict import PutRight, TurnSeen, Undecided, Wrong
from focus_companion.storage.errors import as_journal_error
from focus_companion.web.app import create_app
from focus_companion.web.server import PageServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]

RECORD_SPEECH = """
localStorage.setItem("focus.sound", "speech");
window.heard = [];
speechSynthesis.speak = (spoken) => { heard.push(`${spoken.lang}: ${spoken.text}`); window.spoken = spoken; };
speechSynthesis.cancel = () => heard.push("cut");
"""


def listening(seen: Seen, path: str) -> Any:
    """The page, once it receives sentences."""
    seen.page.add_init_script(RECORD_SPEECH)
    with seen.page.expect_response("**/api/speech?*"):
        return seen.open(path)


def heard(page: Any, *sentences: str) -> None:
    """Wait until these are the latest sentences spoken."""
    page.wait_for_function(
        "wanted => JSON.stringify(heard.slice(-wanted.length)) === JSON.stringify(wanted)",
        arg=list(sentences),
    )


def test_turns_alerts_and_answers_are_spoken(table, seen: Seen) -> None:
    page = listening(seen, "/")
    expect(page.locator("#spoken")).to_be_visible()
    table.play("b6-b7")
    heard(page, "en: Green, bravo six to bravo seven.")
    table.see(Wrong("distance", "r", (1,), "…"))
    # The turn was still being spoken: it is repeated after the alert that interrupted it.
    heard(page, "cut", "en: Red: Wrong number of squares. Please correct: delta eight.",
          "en: Green, bravo six to bravo seven.")  # fmt: skip
    page.evaluate("spoken.dispatchEvent(new Event('end'))")
    table.see(PutRight())
    heard(page, "en: Corrected. Red to move.")
    page.keyboard.press("t")
    heard(page, "cut", "en: Red to move.")
    page.keyboard.press("s")
    heard(
        page,
        "cut",
        "en: Turn 1. Green: 0 captured, 0 in reserve. Red: 0 captured, 0 in reserve. Red to move.",
    )
    page.keyboard.press("c")
    heard(page, "cut", "en: There is no clock.")
    page.keyboard.press("r")
    heard(page, "cut", "en: There is no clock.")
    page.keyboard.press("Escape")
    heard(page, "cut")
    page.focus('[data-square="b7"]')
    page.keyboard.press("w")
    heard(page, "en: Bravo seven, from the top: green, red.")
    page.fill("#spoken [name=square]", "C7")
    page.keyboard.press("Enter")
    heard(page, "en: Charlie seven: red.")
    page.click("#spoken [data-ask=repeat]")
    heard(page, "en: Charlie seven: red.", "cut", "en: Charlie seven: red.")
    assert serious(page) == [] and seen.troubles == []


def test_speech_comes_back_when_the_host_has_room_again(table, browser) -> None:
    table.start()
    with PageServer(create_app(table.session, table.journal, viewers=2), port=0) as server:
        crowd, context = browser.new_context(), browser.new_context(locale="en-GB")
        other = Seen(crowd.new_page(), server.port).open("/?view=table")
        other.wait_for_function("document.querySelector('#line').dataset.line === 'live'")
        seen = Seen(context.new_page(), server.port)
        seen.page.clock.install()
        with seen.page.expect_response(lambda answer: "/api/speech?" in answer.url and answer.status == 503):
            page = listening(seen, "/")
        crowd.close()
        with seen.page.expect_response(lambda answer: "/api/speech?" in answer.url and answer.status == 200):
            page.clock.run_for(6000)
        table.play("b6-b7")
        heard(page, "en: Green, bravo six to bravo seven.")
        context.close()


def test_a_question_is_answered_by_its_number(table, seen: Seen) -> None:
    page = listening(seen, "/?lang=it")
    table.see(Undecided((Move.parse("b6-b7"), Move.parse("c6-c7"))))
    heard(page, "it: Quale mossa era? uno: bravo sei a bravo sette; due: ciarli sei a ciarli sette.")
    with table.looping():
        page.keyboard.press("2")
        heard(page, "it: Verde, ciarli sei a ciarli sette.")
    assert table.session.state()["last_move"] == "c6-c7"
    assert seen.troubles == []


@pytest.mark.parametrize("path", ["/", "/?view=table"])
def test_that_the_game_cannot_be_saved_is_spoken_once(table, seen: Seen, monkeypatch, path: str) -> None:
    full = as_journal_error(OSError(errno.ENOSPC, "no space"), Path("journal"))
    monkeypatch.setattr(table.journal, "append_all", Mock(side_effect=full))
    table.play("b6-b7")
    assert table.session.state()["fault"]
    page = listening(seen, path)
    page.wait_for_function("() => heard.length > 0")
    page.evaluate("dispatchEvent(new Event('online'))")
    page.wait_for_timeout(300)
    (said,) = page.evaluate("heard.filter((each) => each !== 'cut')")
    assert said.startswith("en: The game cannot be saved. The disk that holds")


def test_a_number_answers_nothing_on_a_screen_beside_the_table(table, seen: Seen) -> None:
    page = listening(seen, "/?view=table")
    table.see(Undecided((Move.parse("b6-b7"), Move.parse("c6-c7"))))
    heard(page, "en: Which turn was it? one: bravo six to bravo seven; two: charlie six to charlie seven.")
    page.keyboard.press("2")
    page.keyboard.press("t")
    heard(page, "en: Green to move.")
    assert not page.locator("#toast").is_visible()
    assert seen.troubles == []


RECORD_SPEECH_TIMES = """
localStorage.setItem("focus.sound", "speech");
window.heard = [];
speechSynthesis.speak = (spoken) => {
  heard.push({ at: performance.timeOrigin + performance.now(), text: spoken.text });
  queueMicrotask(() => spoken.dispatchEvent(new Event("end")));
};
"""
MAX_FIRST_WORD_DELAY: Final = 0.3
"""Seconds from an event to its first word."""


def test_the_first_word_comes_soon_after_the_event(table, seen: Seen) -> None:
    """From the picture of a turn to ``speechSynthesis.speak``, through server and browser."""
    seen.page.add_init_script(RECORD_SPEECH_TIMES)
    with seen.page.expect_response("**/api/speech?*"):
        page = seen.open()
    taken: list[float] = []
    for number in range(20):
        position, rules = table.session.position, table.session.rules
        turn = min(
            legal_moves(position, rules), key=lambda move: (len(position.stacks[move.target]), str(move))
        )
        begun = time.time()
        table.see(TurnSeen(turn, 0.97))
        page.wait_for_function("number => heard.length > number", arg=number)
        taken.append(page.evaluate("heard.at(-1).at") / 1000 - begun)
    assert page.evaluate("heard.length") == len(taken)
    print(f"first word: median {statistics.median(taken):.3f} s, longest {max(taken):.3f} s")
    # The minimum, as the machine may be busy.
    assert min(taken) < MAX_FIRST_WORD_DELAY and statistics.median(taken) < 4 * MAX_FIRST_WORD_DELAY, taken


def test_without_speech_no_key_speaks_and_nothing_is_requested(table, seen: Seen) -> None:
    seen.page.add_init_script(RECORD_SPEECH.replace('"speech"', '"tones"'))
    asked: list[str] = []
    seen.page.on("request", lambda request: asked.append(request.url))
    page = seen.open()
    table.play("b6-b7")
    caught_up(page, table)
    page.keyboard.press("t")
    expect(page.locator("#spoken")).to_be_hidden()
    assert page.evaluate("heard.filter(text => text !== 'cut')") == []
    assert not any("/api/speech" in url for url in asked)
