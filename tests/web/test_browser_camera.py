"""Camera faults in a real browser: each fault has a text, in three languages, which disappears afterwards."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from browsing import Seen, status
from playwright.sync_api import expect
from waiting import until

from focus_companion.referee.verdict import BackInView, OutOfView
from focus_companion.storage.errors import as_journal_error

pytestmark = [pytest.mark.slow, pytest.mark.browser]

WORDS = {
    "unplugged": ("The camera gives no picture", "Kamera nie daje obrazu", "La telecamera non dà immagini"),
    "unreachable": ("The camera does not answer", "Kamera nie odpowiada", "La telecamera non risponde"),
    "ended": ("stopped sending", "przestała wysyłać", "non trasmette più"),
    "stalled": ("gone silent", "zamilkła", "tace"),
    "frozen": ("The picture is frozen", "Obraz się zaciął", "bloccata"),
    "asleep": ("The computer was asleep", "Komputer był uśpiony", "in sospensione"),
    "dark": ("The picture is dark", "Obraz jest ciemny", "buia"),
    "covered": ("The camera is covered", "zasłonięta", "coperta"),
    "grey": ("The camera shows no colours", "nie pokazuje kolorów", "senza colori"),
    "damaged": ("are incomplete", "w kawałkach", "a pezzi"),
    "unsteady": ("never comes to rest", "nie uspokaja", "mai ferma"),
    "hidden": ("The board is hidden", "Plansza jest zasłonięta", "Il tavoliere è nascosto"),
    "resolution": ("changed size", "inny rozmiar", "altra dimensione"),
    "mirrored": ("The picture is mirrored", "lustrzanym odbiciem", "speculare"),
    "another position": ("shows another position", "inną pozycję", "un’altra posizione"),
    "cut off: left, top": ("outside the picture", "poza obrazem", "fuori dall’immagine"),
}
OF_THE_BOARD = ("hidden", "resolution", "mirrored", "another position", "cut off: left, top")
OF_THE_PICTURE = ("dark", "covered", "grey", "damaged", "unsteady")


@pytest.mark.parametrize("language", [0, 1, 2], ids=["en", "pl", "it"])
def test_every_camera_fault_has_its_own_text_which_disappears_with_it(
    table: Any, seen: Seen, language: int
) -> None:
    table.start()
    page = seen.open(f"/?lang={('en', 'pl', 'it')[language]}")
    whose_turn = page.text_content(".status-title") or ""
    for why, words in WORDS.items():
        if why in OF_THE_PICTURE:
            table.see(OutOfView("camera", why))
        elif why in OF_THE_BOARD:
            table.see(OutOfView("board", why))
        else:
            table.session.camera_lost(why)
        status(page, words[language])
        if why in ("frozen", "dark"):
            # A new viewer sees the same.
            page.reload()
            page.wait_for_selector("body[data-ready]")
            status(page, words[language])
        if why in OF_THE_PICTURE:
            table.see(BackInView("camera"))
        elif why in OF_THE_BOARD:
            table.see(BackInView("board"))
        else:
            table.session.camera_found()
        status(page, whose_turn)
    assert seen.troubles == []


CHECK_INTERVAL_MS = 30_000
"""As in ``link.js``: the state changes without an event."""


@pytest.mark.parametrize(
    ("language", "code", "words", "after"),
    [
        ("pl", sqlite3.SQLITE_FULL, "jest pełny. Zwolnij trochę miejsca", "Ruch: Czerwony"),
        ("it", sqlite3.SQLITE_IOERR, "non funziona. Controllalo", "Tocca a: Rosso"),
        ("pl", sqlite3.SQLITE_READONLY, "Nie wolno zapisywać pliku journal", "Ruch: Czerwony"),
        ("it", sqlite3.SQLITE_CANTOPEN, "Non si riesce ad aprire journal", "Tocca a: Rosso"),
        ("pl", sqlite3.SQLITE_BUSY, "jest zajęty przez inny program", "Ruch: Czerwony"),
        ("it", sqlite3.SQLITE_CORRUPT, "Journal è danneggiato", "Tocca a: Rosso"),
        ("en", sqlite3.SQLITE_READONLY, "Journal may not be written; make it writable", "Red to move"),
    ],
)
def test_a_game_that_cannot_be_saved_is_said_on_a_page_that_is_open(
    table: Any, seen: Seen, monkeypatch: pytest.MonkeyPatch, language: str, code: int, words: str, after: str
) -> None:
    table.start()
    seen.page.clock.install()
    page = seen.open(f"/?lang={language}")
    keep = table.journal.append_all

    def fails(*_: Any) -> list[int]:
        error = sqlite3.OperationalError("as in a test")
        error.sqlite_errorcode = code
        raise as_journal_error(error, Path("journal"))

    monkeypatch.setattr(table.journal, "append_all", fails)
    table.play("b6-b7")
    page.clock.run_for(CHECK_INTERVAL_MS)
    expect(page.locator("#status")).to_contain_text(words)
    monkeypatch.setattr(table.journal, "append_all", keep)
    until(lambda: table.session.attend() or table.session.state()["fault"] is None)
    expect(page.locator("#status")).to_contain_text(after)
