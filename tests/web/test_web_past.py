"""Past games over HTTP: the list, titles, deleting and restoring, and who may do it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from focus_companion.game.rules import Rules
from focus_companion.session.events import Moved
from focus_companion.session.requests import NewGame, Rematch, Resign
from focus_companion.storage.errors import JournalError
from focus_companion.web.app import create_app

MOVES = ("b6-b7", "b5-b6")
LAN = {"REMOTE_ADDR": "192.168.1.77"}


@pytest.fixture
def two(tmp_path: Path, make_table: Any) -> Any:
    """A table with a finished game of Ann's and the current one."""
    table = make_table(tmp_path, players={"g": "Ann", "r": "Ben"})
    table.start()
    table.play(*MOVES)
    for request in (Resign("r"), NewGame(players={"g": "Cleo", "r": "ANN"})):
        table.session.submit(request)
        table.session.attend()
    return table


@pytest.fixture
def pages(two: Any) -> FlaskClient:
    return create_app(two.session, two.journal).test_client()


def test_a_title_that_the_disk_has_no_room_for(
    two: Any, pages: FlaskClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: Any) -> None:
        raise JournalError("the disk that holds it is full; free some space")

    monkeypatch.setattr(two.journal, "entitle", full)
    answer = pages.post("/api/games/1", json={"title": "Final"}, headers={"Accept-Language": "it"})
    assert answer.status_code == 503
    assert answer.get_json()["error"].startswith("Ora l’host non può leggere o scrivere le sue partite")
    assert "is full; free some space" in caplog.text and "Traceback" not in caplog.text


def listed(client: FlaskClient, which: str = "games") -> list[int]:
    return [game["id"] for game in client.get("/api/games").get_json()[which]]


def test_the_list_has_board_score_times_and_the_current_game(two: Any, pages: FlaskClient) -> None:
    new, old = pages.get("/api/games").get_json()["games"]
    assert (new["running"], old["running"]) == (True, False)
    assert old["position"] == two.journal.history(1).position.text != new["position"]
    assert old["points"] == {"green": 0, "red": 0} and old["match"] is None and old["title"] == ""
    assert old["ended"] > old["date"] and new["ended"] is None


def test_the_score_is_the_number_of_captured_pieces(two: Any, pages: FlaskClient) -> None:
    captures = {"green": {"red": 3}, "red": {"green": 1}}
    history = two.journal.history(1)
    two.journal.append(
        2, Moved(9.0, 1, "green", "b6-b7", history.positions[1].text, {}, captures, "red", 0.9)
    )
    (new, _) = pages.get("/api/games").get_json()["games"]
    assert new["points"] == {"green": 3, "red": 1}


def test_games_say_to_which_match_they_belong(tmp_path: Path, make_table: Any) -> None:
    table = make_table(tmp_path)
    for request in (NewGame(Rules.make(2), {"g": "Ann", "r": "Ben"}, games=3), Resign("r"), Rematch()):
        table.session.submit(request)
        table.session.attend()
    client = create_app(table.session, table.journal).test_client()
    third, second, first = client.get("/api/games").get_json()["games"]
    assert first["match"] is None
    assert second["match"] == {"length": 3, "number": 1, "before": []}
    assert third["match"] == {"length": 3, "number": 2, "before": [2]}
    page = client.get("/games/3").text
    assert "Game 2 of 3 of a match" in page and '<a href="/games/2">#2</a>' in page


def test_players_of_a_match_without_names_are_named_in_the_language_but_are_nobody(
    tmp_path: Path, make_table: Any
) -> None:
    table = make_table(tmp_path)
    for request in (NewGame(Rules.make(2), {"g": "Ann"}, games=3), Resign("r")):
        table.session.submit(request)
        table.session.attend()
    client = create_app(table.session, table.journal).test_client()
    assert "Ann – Giocatore 2" in client.get("/games/2?lang=it").text
    assert client.get("/api/names").get_json() == {"names": ["Ann"]}
    assert [one["name"] for one in client.get("/api/players").get_json()["players"]] == ["Ann"]
    asked = client.get("/api/speech/answer?about=standing&lang=pl").get_json()["text"]
    assert "Czerwony: zbite 0" in asked


def test_deleting_and_restoring(two: Any, pages: FlaskClient) -> None:
    record = pages.get("/api/games/1/export?format=json").data
    assert pages.post("/api/games/1", json={"deleted": True}).get_json() == {"accepted": True}
    assert (listed(pages), listed(pages, "deleted")) == ([2], [1])
    for address in ("/api/games/1", "/api/games/1/export?format=json", "/api/games/1/review", "/games/1"):
        answer = pages.get(address)
        assert answer.status_code == 410 and "Game 1 was deleted on 20" in answer.text, address
    assert pages.get("/api/names").get_json() == {"names": ["Cleo", "ANN"]}
    assert pages.get("/api/players").get_json() == {"players": []}
    assert pages.post("/api/games/1", json={"deleted": False}).status_code == 200
    assert (listed(pages), listed(pages, "deleted")) == ([2, 1], [])
    assert pages.get("/api/games/1/export?format=json").data == record


def test_a_match_still_counts_a_deleted_game(tmp_path: Path, make_table: Any) -> None:
    table = make_table(tmp_path)
    for request in (NewGame(Rules.make(2), {"g": "Ann", "r": "Ben"}, games=2), Resign("r"), Rematch()):
        table.session.submit(request)
        table.session.attend()
    client = create_app(table.session, table.journal).test_client()
    client.post("/api/games/2", json={"deleted": True})
    assert client.get("/api/match").get_json()["match"]["games"] == [2, 3]
    table.play("b6-b7")
    assert len(client.get("/api/games/3/export?format=json&match=1").get_json()["games"]) == 2


@pytest.mark.parametrize("name", ["svg", "gif", "html", "mp4"])
def test_a_match_is_not_saved_as_one_game(tmp_path: Path, make_table: Any, name: str) -> None:
    table = make_table(tmp_path)
    for request in (NewGame(Rules.make(2), games=2), Resign("r"), Rematch()):
        table.session.submit(request)
        table.session.attend()
    client = create_app(table.session, table.journal).test_client()
    answer = client.get(f"/api/games/3/export?format={name}&match=1")
    assert answer.status_code == 400
    assert answer.get_json()["error"] == (
        f"A match has no {name}. Save its games one by one, or the match as one of: json, sgf, text, csv."
    )


def test_the_game_at_the_table_is_not_deleted(pages: FlaskClient) -> None:
    answer = pages.post("/api/games/2", json={"deleted": True})
    assert answer.status_code == 409 and "at the table" in answer.get_json()["error"]
    assert listed(pages) == [2, 1]
    assert pages.post("/api/games/2", json={"title": "Now"}).status_code == 200


def test_a_title_is_cleaned_and_shown_as_text(pages: FlaskClient) -> None:
    pages.post("/api/games/1", json={"title": "  <b>The\n\u202efinal</b> " + "x" * 100})
    title = pages.get("/api/games").get_json()["games"][1]["title"]
    assert title.startswith("<b>The final</b> x") and len(title) == 80
    page = pages.get("/games/1").text
    assert "&lt;b&gt;The final" in page and "<b>The final" not in page
    assert "<h1>Ann – Ben</h1>" not in page and "<p>Ann – Ben</p>" in page


@pytest.mark.parametrize(
    ("address", "body", "status"),
    [
        ("/api/games/9", {"deleted": True}, 404),
        ("/api/games/99999999999999999999", {"title": "x"}, 404),
        ("/api/games/1", {"deleted": "yes"}, 400),
        ("/api/games/1", {"title": 5}, 400),
        ("/api/games/1", {"title": "x", "deleted": True}, 400),
        ("/api/games/1", [], 400),
    ],
)
def test_an_impossible_change_is_refused_with_a_reason(
    pages: FlaskClient, address: str, body: Any, status: int
) -> None:
    answer = pages.post(address, json=body)
    assert answer.status_code == status and answer.get_json()["error"]
    assert listed(pages) == [2, 1]


def test_changing_needs_the_pin_and_no_foreign_page_may(two: Any) -> None:
    client = create_app(two.session, two.journal, lan=True, pin="4821").test_client()
    there = {"headers": {"Host": "192.168.1.20"}, "environ_overrides": LAN}
    refused = client.post("/api/games/1", json={"deleted": True}, **there)
    assert refused.status_code == 401 and refused.get_json()["pin"] is True
    assert client.post("/api/pin", json={"pin": "4821"}, **there).status_code == 200
    foreign = {"Host": "192.168.1.20", "Origin": "http://evil.example"}
    crossed = client.post("/api/games/1", json={"deleted": True}, headers=foreign, environ_overrides=LAN)
    assert crossed.status_code == 403
    form = client.post("/api/games/1", data='{"deleted": true}', content_type="text/plain", **there)
    assert form.status_code == 415
    assert listed(create_app(two.session, two.journal).test_client()) == [2, 1]
    assert client.post("/api/games/1", json={"deleted": True}, **there).status_code == 200


def test_names_are_remembered_once_each_the_newest_first(pages: FlaskClient) -> None:
    assert pages.get("/api/names").get_json() == {"names": ["Cleo", "ANN", "Ben"]}


def test_the_newest_game_is_returned_completely(pages: FlaskClient) -> None:
    assert "Ann – Ben" in pages.get("/games/1").text
    assert pages.get("/games/9").status_code == 404
