"""The HTTP API for programs, as specified."""

from __future__ import annotations

import gzip
import io
import json

import numpy as np
import pytest
from flask.testing import FlaskClient
from PIL import Image

from focus_companion.referee.verdict import Wrong
from focus_companion.web.app import create_app
from focus_companion.web.exports import named_format

EXPORTS = [
    ("json", "json", b"{"),
    ("sgf", "sgf", b"(;"),
    ("text", "txt", b""),
    ("csv", "csv", b""),
    ("svg", "svg", b"<"),
    ("gif", "gif", b"GIF8"),
    ("html", "html", b"<!doctype html>"),
    ("mp4", "mp4", b"\0\0\0 ftyp"),
]

STATE_KEYS = [
    "game",
    "rules",
    "ply",
    "position",
    "to_move",
    "reserves",
    "captured",
    "out",
    "last_move",
    "moves",
    "alert",
    "prompt",
    "result",
    "camera",
    "event",
]


def test_the_state_has_the_specified_keys(table, client: FlaskClient) -> None:
    table.start()
    state = client.get("/api/state").json
    assert set(STATE_KEYS) <= set(state)
    assert (state["ply"], state["to_move"], state["camera"]) == (0, "green", "ok")
    table.play("b6-b7")
    state = client.get("/api/state").json
    assert (state["ply"], state["to_move"], state["last_move"]) == (1, "red", "b6-b7")


def test_health_waits_for_the_first_picture(table, client: FlaskClient) -> None:
    assert client.get("/healthz").status_code == 503
    assert client.get("/snapshot.jpg").status_code == 503
    table.start()
    answer = client.get("/healthz")
    assert answer.status_code == 200
    assert answer.json["frame_age"] >= 0


def test_snapshot_with_and_without_the_reading(table, client: FlaskClient) -> None:
    table.start()
    plain, drawn = (client.get(address) for address in ("/snapshot.jpg", "/snapshot.jpg?overlay=1"))
    assert plain.mimetype == drawn.mimetype == "image/jpeg"
    pictures = [np.asarray(Image.open(io.BytesIO(answer.data))) for answer in (plain, drawn)]
    taken = np.asarray(table.session.frame.image)[..., ::-1]
    assert [picture.shape for picture in pictures] == [taken.shape, taken.shape] == [(96, 128, 3)] * 2
    differ = [np.abs(picture.astype(int) - taken).mean() for picture in pictures]
    assert differ[0] < 5 < differ[1]


def test_an_alert_is_in_the_state_until_resolved(table, client: FlaskClient) -> None:
    table.start()
    table.see(Wrong("not_straight", "g", (5, 9), "Green moved askew. Put it back."))
    alert = client.get("/api/state").json["alert"]
    assert (alert["reason"], alert["player"]) == ("not_straight", "green")


def test_past_games_and_their_positions(table, client: FlaskClient) -> None:
    table.start()
    table.play("b6-b7", "b5-b6")
    games = client.get("/api/games").json["games"]
    assert [(game["id"], game["plies"]) for game in games] == [(1, 2)]
    game = client.get("/api/games/1").json
    assert [step["move"] for step in game["positions"]] == [None, "b6-b7", "b5-b6"]
    assert game["positions"][2]["position"] == client.get("/api/state").json["position"]
    assert game["record"]["format"] == "focus-companion game"
    missing = client.get("/api/games/9")
    assert missing.status_code == 404
    assert "no game 9" in missing.json["error"]


def test_acts_reach_the_game(table, client: FlaskClient) -> None:
    table.start()
    table.play("b6-b7", "b5-b6")
    assert table.ask(client, {"act": "take_back"}).status_code == 200
    assert client.get("/api/state").json["ply"] == 1
    assert table.ask(client, {"act": "pause"}).json == {"accepted": True, "done": True}
    assert client.get("/api/state").json["paused"] is True
    assert table.ask(client, {"act": "resume"}).status_code == 200
    assert table.ask(client, {"act": "choose", "move": "b5-b6"}).status_code == 200
    assert client.get("/api/state").json["last_move"] == "b5-b6"
    assert table.ask(client, {"act": "resign", "player": "red"}).status_code == 200
    assert client.get("/api/state").json["result"] == {"winners": ["green"], "reason": "resigned"}


def test_new_game_takes_rules_and_names(table, client: FlaskClient) -> None:
    table.start()
    body = {"act": "new_game", "rules": {"players": 3}, "players": {"green": {"name": " Anna \n <b> "}}}
    assert table.ask(client, body).status_code == 200
    state = client.get("/api/state").json
    assert state["order"] == ["green", "blue", "red"]
    assert state["players"]["green"]["name"] == "Anna <b>"


def test_an_impossible_request_is_refused_with_a_reason(table, client: FlaskClient) -> None:
    table.start()
    refused = table.ask(client, {"act": "take_back"})
    assert refused.status_code == 409
    assert "No turn" in refused.json["error"]


@pytest.mark.parametrize(
    "body",
    [
        [],
        7,
        {},
        {"act": "fly"},
        {"act": 3},
        {"act": "resign"},
        {"act": "resign", "player": "pink"},
        {"act": "choose", "move": "d5-"},
        {"act": "choose", "move": None},
        {"act": "choose", "move": "z9"},
        {"act": "new_game", "rules": 4},
        {"act": "new_game", "rules": {"players": 9}},
        {"act": "new_game", "rules": {"order": 5}},
        {"act": "new_game", "players": {"pink": {"name": "x"}}},
        {"act": "set_position"},
        {"act": "set_position", "position": "x/y"},
    ],
)
def test_an_invalid_request_is_a_clear_400(table, client: FlaskClient, body: object) -> None:
    table.start()
    answer = client.post("/api/requests", json=body)
    assert answer.status_code == 400
    assert answer.json["error"]


@pytest.mark.parametrize("data", [b"{", b"\xff\xfe", b"[" * 5000, b'{"act": NaN}'])
def test_broken_json_is_a_400(table, client: FlaskClient, data: bytes) -> None:
    assert client.post("/api/requests", data=data, content_type="application/json").status_code == 400


def test_too_large_a_request_is_a_413(client: FlaskClient) -> None:
    data = b'"' + b"a" * 300_000 + b'"'
    assert client.post("/api/requests", data=data, content_type="application/json").status_code == 413


@pytest.mark.parametrize(("name", "suffix", "start"), EXPORTS)
def test_every_format_is_exported(table, client: FlaskClient, name: str, suffix: str, start: bytes) -> None:
    table.start()
    table.play("b6-b7", "b5-b6")
    answer = client.get(f"/api/games/1/export?format={name}")
    assert answer.status_code == 200, answer.text
    assert answer.data.lstrip().startswith(start)
    assert answer.content_type == named_format(name, "en").media_type
    assert answer.headers["Content-Disposition"] == f"attachment; filename=focus-game-1.{suffix}"


def test_the_exported_record_is_the_game(table, client: FlaskClient) -> None:
    table.start()
    table.play("b6-b7", "b5-b6")
    record = json.loads(client.get("/api/games/1/export").data)
    assert [turn["move"] for turn in record["moves"]] == ["b6-b7", "b5-b6"]


def test_unknown_export_is_a_400_and_unknown_game_a_404(table, client: FlaskClient) -> None:
    table.start()
    assert client.get("/api/games/1/export?format=../../etc").status_code == 400
    assert client.get("/api/games/77/export").status_code == 404


def test_assets_can_be_cached_and_are_compressed(app, client: FlaskClient) -> None:
    assets = app.extensions["assets"]
    address = f"/assets/{assets.version}/js/game/main.js"
    plain = client.get(address)
    packed = client.get(address, headers={"Accept-Encoding": "gzip"})
    assert gzip.decompress(packed.data) == plain.data
    assert "immutable" in plain.headers["Cache-Control"]
    assert client.get("/assets/0/js/game/main.js").headers["Cache-Control"] == "no-store"
    assert client.get("/assets/0/../app.py").status_code == 404
    # The first view must be small for a phone's connection.
    page = len(client.get("/", headers={"Accept-Encoding": "gzip"}).data)
    needed = ("boot.js", "main.js", "style.css", "icon.svg")
    assert page + sum(len(assets[name].packed) for name in needed) < 55_000


def test_without_a_journal_the_games_are_a_404(table) -> None:
    assert create_app(table.session).test_client().get("/api/games").status_code == 404


def test_an_unknown_past_game_gives_a_page_that_says_so(client) -> None:
    for address in ("/games/99", "/games/0"):
        answer = client.get(address, headers={"Accept-Language": "en"})
        assert answer.status_code == 404
        assert "There is no such game in the journal." in answer.text
        assert 'href="/games"' in answer.text
        assert "data-act" not in answer.text and 'id="board"' not in answer.text
