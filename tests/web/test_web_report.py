"""A report of a fault: only for those who may act, and with nothing in it that was not shown."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient
from scripted_table import ScriptedSight, Table

from focus_companion.game.moves import Move
from focus_companion.referee.verdict import TurnSeen, Verdict, Wrong
from focus_companion.support.live_report import LiveReport
from focus_companion.vision.capture.frames import Frame
from focus_companion.web.app import create_app

PIN = "246810"
HOST = {"Host": "127.0.0.1"}
LAN = {"Host": "192.168.1.2"}
FROM_LAN = {"REMOTE_ADDR": "192.168.1.77"}


class ReportedTable(Table):
    """A table whose pictures each have a grey level of their own, and noise beside the board."""

    def __init__(self, folder: Path, players: dict[str, str]) -> None:
        super().__init__(folder, players=players)
        self.reports = LiveReport(self.session)

    def see(self, *verdicts: Verdict) -> None:
        self.sight.script = list(verdicts)
        self.frames += 1
        for event in self.session.push(Frame(self.frames, self.frames / 15, picture(self.frames))):
            self.reports.on_event(event)


def picture(number: int) -> Any:
    noise = np.random.default_rng(number).integers(0, 255, (120, 160, 3), dtype=np.uint8)
    noise[40:80, 60:100] = number
    return noise


@pytest.fixture
def table(tmp_path: Path) -> Any:
    made = ReportedTable(tmp_path, {"g": "Ann Secret"})
    yield made
    made.close()


@pytest.fixture
def app(table: ReportedTable) -> Flask:
    return create_app(table.session, table.journal, lan=True, pin=PIN, reports=table.reports)


def ask(client: FlaskClient, **more: Any) -> Any:
    return client.post("/api/report", json={}, headers=HOST, **more)


def wrong() -> Wrong:
    return Wrong("distance", "r", (1,), "…")


def test_the_file_holds_what_was_shown_and_nothing_else(table: ReportedTable, client: FlaskClient) -> None:
    table.start()
    table.see(TurnSeen(Move.parse("b6-b7"), 0.97))
    table.see()
    table.see(wrong())
    table.see()
    answer = ask(client).get_json()
    assert answer["fault"]["reason"] == "distance"
    names = [part["name"] for part in answer["parts"]]
    assert sorted(names) == ["before.png", "events.jsonl", "facts.json", "fault.png"]
    at = f"/api/report/{answer['report']}"
    shown = {name: client.get(f"{at}/{name}", headers=HOST).data for name in names}
    assert [len(shown[part["name"]]) for part in answer["parts"]] == [
        part["bytes"] for part in answer["parts"]
    ]
    # The pictures of the turn and the alert are sharp on the board and pixelated beside it.
    for name, number in (("before.png", 2), ("fault.png", 4)):
        image = cv2.imdecode(np.frombuffer(shown[name], np.uint8), cv2.IMREAD_COLOR)
        assert (image[60, 80] == number).all()
        assert len(np.unique(image[:20, :20].reshape(-1, 3), axis=0)) <= 9
    assert b"Secret" not in b"".join(shown.values())
    saved = client.get(f"{at}/focus-companion-report.zip", headers=HOST)
    assert "attachment" in saved.headers["Content-Disposition"]
    with zipfile.ZipFile(io.BytesIO(saved.data)) as packed:
        assert {name: packed.read(name) for name in packed.namelist()} == shown
    again = ask(client).get_json()
    assert again["report"] != answer["report"]
    assert client.get(f"{at}/fault.png", headers=HOST).status_code == 404


def test_only_those_who_may_act_can_make_or_see_a_report(table: ReportedTable, client: FlaskClient) -> None:
    table.start()
    table.see()
    refused = client.post("/api/report", json={}, headers=LAN, environ_base=FROM_LAN)
    assert refused.status_code == 401 and refused.get_json()["pin"]
    word = ask(client).get_json()["report"]
    at = f"/api/report/{word}/fault.png"
    assert client.get(at, headers=LAN, environ_base=FROM_LAN).status_code == 401
    other = {"Origin": "http://elsewhere.example"} | HOST
    assert client.post("/api/report", json={}, headers=other).status_code == 403
    entered = client.post("/api/pin", json={"pin": PIN}, headers=LAN, environ_base=FROM_LAN)
    assert entered.status_code == 200
    assert client.post("/api/report", json={}, headers=LAN, environ_base=FROM_LAN).status_code == 200
    assert client.get("/api/report/x/fault.png", headers=LAN, environ_base=FROM_LAN).status_code == 404


def test_a_report_without_a_fault_shows_the_current_state(table: ReportedTable, client: FlaskClient) -> None:
    table.start()
    table.see()
    answer = ask(client).get_json()
    assert answer["fault"] == {} and {part["name"] for part in answer["parts"]} >= {"fault.png", "facts.json"}


def test_without_a_board_in_view_a_report_is_refused(
    table: ReportedTable, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask(client).status_code == 409
    monkeypatch.setattr(ScriptedSight, "corners", lambda self: None)
    table.see()
    refused = ask(client)
    assert refused.status_code == 409 and "blur" in refused.get_json()["error"]


def test_a_page_without_reports_has_no_button(table: ReportedTable) -> None:
    client = create_app(table.session, table.journal).test_client()
    assert 'data-act="report"' not in client.get("/", headers=HOST).text
    assert ask(client).status_code == 404


def test_a_new_game_starts_without_the_pictures_of_the_previous_one(
    table: ReportedTable, client: FlaskClient
) -> None:
    from focus_companion.session.requests import NewGame

    table.start()
    table.see(wrong())
    table.session.submit(NewGame())
    for event in table.session.attend():
        table.reports.on_event(event)
    table.see()
    answer = ask(client).get_json()
    assert answer["fault"] == {}
    events = json.dumps(answer)
    assert "distance" not in events
