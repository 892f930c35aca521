"""A report of a mistake in a real browser is viewed, agreed to and saved, by mouse and by keyboard."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest
from browsing import Seen, playwright, serious
from test_web_report import ReportedTable, wrong

from focus_companion.web.app import create_app
from focus_companion.web.server import PageServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.mark.parametrize("language", ["en", "pl", "it"])
def test_all_of_it_is_shown_before_it_can_be_saved(browser: Any, tmp_path: Path, language: str) -> None:
    table = ReportedTable(tmp_path, {"g": "Ann Secret"})
    table.start()
    table.see(wrong())
    app = create_app(table.session, table.journal, reports=table.reports)
    with PageServer(app, port=0) as server:
        context = browser.new_context(viewport={"width": 390, "height": 844})
        seen = Seen(context.new_page(), server.port)
        page = seen.open(f"/?lang={language}")
        page.wait_for_selector("#report", state="attached")
        page.locator("[data-act=report]").click()
        page.wait_for_selector("#report[open]")
        page.wait_for_function(
            "() => [...document.querySelectorAll('#report img')].every((one) => one.naturalWidth)"
        )
        playwright.expect(page.locator("#report img")).to_have_count(2)
        save = page.locator("#report [value=save]")
        playwright.expect(save).to_be_disabled()
        texts = page.locator("#report pre").all_text_contents()
        assert '"reason": "distance"' in "".join(texts) and "Secret" not in "".join(texts)
        assert page.evaluate("document.querySelector('#report').scrollWidth") <= 390
        assert serious(page) == []
        page.locator("#report [name=agreed]").focus()
        page.keyboard.press("Space")
        with page.expect_download() as saving:
            save.focus()
            page.keyboard.press("Enter")
        with zipfile.ZipFile(saving.value.path()) as packed:
            assert sorted(packed.namelist()) == ["before.png", "events.jsonl", "facts.json", "fault.png"]
            shown = {packed.read(name).decode() for name in ("facts.json", "events.jsonl")}
        assert set(texts) == shown
        # The next time, consent is asked for again.
        page.locator("[data-act=report]").click()
        page.wait_for_selector("#report[open]")
        playwright.expect(save).to_be_disabled()
        page.locator("#report [value='']").click()
        assert seen.hosts == {f"127.0.0.1:{server.port}"} and seen.troubles == []
        context.close()
    table.close()
