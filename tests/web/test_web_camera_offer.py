"""The page marks the demo as such and offers a camera that was plugged in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browsing import Seen, serious, status
from playwright.sync_api import expect

from focus_companion.game.rules import Rules
from focus_companion.session.session import Session
from focus_companion.storage.journal import Journal
from focus_companion.web.app import create_app
from focus_companion.web.server import PageServer


class Offer:
    found: str | None = None
    taken = False

    source: str | None = None
    dead = "http://dead.local/"

    def take(self, source: str | None = None) -> bool:
        self.source = source
        self.taken = (self.found is not None or source is not None) and source != self.dead
        return self.taken


@pytest.fixture
def demo(table, tmp_path: Path) -> Any:
    """A table that plays the demo."""
    table.session.close()
    table.journal.close()
    table.journal = Journal(tmp_path / "demo")
    table.session = Session(Rules.make(), {}, table.journal, lambda _: table.sight, demo=True)
    table.start()
    return table


def test_the_state_has_the_camera_and_whoever_may_act_can_choose_it(demo) -> None:
    offer = Offer()
    app = create_app(demo.session, demo.journal, lan=True, pin="4821", offer=offer)
    client = app.test_client()
    state = client.get("/api/state").json
    assert state["demo"] is True and state["camera_found"] is None
    early = client.post("/api/camera", json={})
    assert early.status_code == 409 and "no camera" in early.json["error"]
    offer.found = "/dev/video0"
    assert client.get("/api/state").json["camera_found"] == "/dev/video0"
    elsewhere = {"REMOTE_ADDR": "192.168.1.7"}
    assert client.post("/api/camera", json={}, environ_overrides=elsewhere).status_code == 401
    foreign = {"Origin": "http://elsewhere.example"}
    assert client.post("/api/camera", json={}, headers=foreign).status_code == 403
    assert not offer.taken
    assert client.post("/api/camera", json={}).status_code == 202 and offer.taken


@pytest.mark.parametrize(
    "source", ["phone", "demo", "http://camera.local:8080/video", "rtsp://u:p@10.0.0.9/1"]
)
def test_any_camera_may_be_chosen(demo, source: str) -> None:
    offer = Offer()
    client = create_app(demo.session, demo.journal, offer=offer).test_client()
    assert client.get("/api/state").json["camera_free"] is True
    assert client.post("/api/camera", json={"source": source}).status_code == 202
    assert offer.source == source


@pytest.mark.parametrize("source", ["/etc/passwd", "file:///etc/passwd", "", "0", 7, "http://", "http://a b"])
def test_no_file_of_the_machine_is_opened_for_the_page(demo, source: object) -> None:
    offer = Offer()
    client = create_app(demo.session, demo.journal, offer=offer).test_client()
    assert client.post("/api/camera", json={"source": source}).status_code == 400
    assert not offer.taken


def test_an_address_without_a_picture_is_refused(demo) -> None:
    offer = Offer()
    client = create_app(demo.session, demo.journal, offer=offer).test_client()
    answer = client.post("/api/camera", json={"source": offer.dead})
    assert answer.status_code == 409 and "No picture arrives" in answer.json["error"]


def test_a_game_at_a_table_is_not_a_demo_and_has_no_offer(table, client) -> None:
    state = client.get("/api/state").json
    assert state["demo"] is False and state["camera_found"] is None
    assert client.post("/api/camera", json={}).status_code == 409


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_says_demo_and_has_the_button_when_there_is_a_camera(
    demo, table, browser, tmp_path: Path, width: int, make_table
) -> None:
    offer = Offer()
    context = browser.new_context(viewport={"width": width, "height": 844})
    with PageServer(create_app(demo.session, demo.journal, offer=offer), port=0) as server:
        seen = Seen(context.new_page(), server.port)
        page = seen.open()
        expect(page.locator("#demo")).to_be_visible()
        expect(page.locator("#use-camera")).to_be_hidden()
        offer.found = "/dev/video0"
        expect(page.get_by_role("button", name="Use camera")).to_be_visible(timeout=60_000)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert serious(page) == [] and seen.troubles == []
        page.get_by_role("button", name="Use camera").click()
        expect(page.locator("#toast")).to_have_text("The program restarts with the camera.")
        assert offer.taken
    # The program has restarted with the user's own journal.
    real = make_table(tmp_path / "own")
    real.start()
    with PageServer(create_app(real.session, real.journal), port=server.port):
        expect(page.locator("#demo")).to_be_hidden(timeout=60_000)
        expect(page.locator("#use-camera")).to_be_hidden()
        status(page, "Green to move")
        real.play("b6-b7")
        status(page, "Red to move")
        context.close()
