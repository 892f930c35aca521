"""Seats over HTTP: who may take one, who may act from it, and that requests are idempotent."""

from __future__ import annotations

import json
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from focus_companion.game.moves import Move
from focus_companion.game.rules import Rules
from focus_companion.game.squares import INDEX
from focus_companion.referee.verdict import StartSeen
from focus_companion.session.requests import NewGame, Rematch, Resign, SetSeat
from focus_companion.session.session import Session
from focus_companion.web import api, hinting
from focus_companion.web.app import create_app
from focus_companion.web.far import FILE_NAME, FarSeats

AWAY = {"REMOTE_ADDR": "192.0.2.7"}
HOST = {"Host": "192.0.2.1:8000"}


@pytest.fixture
def far(tmp_path: Path) -> FarSeats:
    return FarSeats(tmp_path)


@pytest.fixture
def app(table: Any, far: FarSeats) -> Flask:
    table.session.submit(SetSeat("g", "far"))
    table.session.attend()
    return create_app(table.session, table.journal, lan=True, pin="123456", far=far)


def away(app: Flask) -> FlaskClient:
    """A browser on another machine."""
    client = app.test_client()
    client.environ_base.update(AWAY)
    return client


def post(client: FlaskClient, path: str, body: Any, **headers: str) -> Any:
    return client.post(path, json=body, headers=HOST | headers)


def word_of(app: Flask, colour: str = "green") -> str:
    link = app.test_client().get("/api/far", headers={"Host": "127.0.0.1"}).get_json()["links"][colour]
    return str(link).removeprefix("/seat#")


def turn(table: Any, move: str = "c4-c5", player: str = "green", **other: Any) -> dict[str, Any]:
    state = table.session.state()
    return {"player": player, "move": move} | {key: state[key] for key in ("game", "ply", "position")} | other


def sit(app: Flask) -> FlaskClient:
    client = away(app)
    assert post(client, "/api/seat", {"word": word_of(app)}).get_json()["player"] == "green"
    return client


def test_the_word_works_once_and_only_for_its_seat(table: Any, app: Flask) -> None:
    word = word_of(app)
    friend, other = away(app), away(app)
    assert post(friend, "/api/seat", {"word": word}).status_code == 200
    refused = post(other, "/api/seat", {"word": word})
    assert refused.status_code == 403 and "used already" in refused.get_json()["error"]
    again = post(friend, "/api/seat", {"word": word})
    assert again.status_code == 200 and again.get_json()["player"] == "green", "they hold the seat already"
    with table.looping():
        assert post(other, "/api/turn", turn(table)).status_code == 401, "everybody may watch, but not act"
        assert post(friend, "/api/turn", turn(table)).status_code == 200
    reply = table.session.state()["reply"]
    assert (reply["player"], reply["move"], reply["by"]) == ("green", "c4-c5", "far")


def test_a_remote_player_may_only_play(table: Any, app: Flask) -> None:
    friend = sit(app)
    with table.looping():
        for body in (
            {"act": "take_back"}, {"act": "seat", "player": "red", "kind": "far"}, {"act": "draw"},
            {"act": "resign", "player": "red"}, {"act": "nonsense"},
        ):  # fmt: skip
            assert post(friend, "/api/requests", body).status_code == 401
        stranger = away(app)
        assert post(stranger, "/api/requests", {"act": "resign", "player": "green"}).status_code == 401
        assert post(friend, "/api/far", {"player": "green"}).status_code == 401
        assert friend.get("/api/far", headers=HOST).status_code == 401
        table.start()
        table.session.submit(SetSeat("r", "far")).result(60)
        assert post(friend, "/api/turn", turn(table, player="red")).status_code == 401, "another's seat"


def test_a_remote_player_may_resign(table: Any, app: Flask) -> None:
    friend = sit(app)
    with table.looping():
        assert post(friend, "/api/requests", {"act": "resign", "player": "green"}).status_code == 200
    assert table.session.state()["result"] == {"winners": ["red"], "reason": "resigned"}


def test_a_turn_that_is_sent_several_times_is_made_once(table: Any, app: Flask) -> None:
    friend = sit(app)
    sent = turn(table)
    with table.looping():
        assert [post(friend, "/api/turn", sent).status_code for _ in range(3)] == [200] * 3
        other = post(friend, "/api/turn", turn(table, "b4-b5"))
        assert other.status_code == 409 and "chosen already" in other.get_json()["error"]
    types = [event.type for _, event in table.journal.events()]
    assert types.count("reply") == 1
    table.see(StartSeen())
    table.play("c4-c5")
    with table.looping():
        assert post(friend, "/api/turn", sent).status_code == 200, (
            "it was made; that it comes again is no fault"
        )
        late = post(friend, "/api/turn", sent | {"move": "b4-b5"})
    assert late.status_code == 409 and "gone on" in late.get_json()["error"]
    assert table.session.history.ply == 1


def test_an_illegal_turn_is_refused_with_its_reason(table: Any, app: Flask) -> None:
    friend = sit(app)
    with table.looping():
        refused = post(friend, "/api/turn", turn(table, "c4-d5"))
    assert refused.status_code == 409 and "straight" in refused.get_json()["error"]
    assert table.session.state()["reply"] is None


@pytest.mark.parametrize(
    "body",
    [
        [], {}, {"player": "pink"}, {"player": "green", "move": 3},
        {"player": "green", "move": "c4-c5", "game": True, "ply": 0, "position": ""},
        {"player": "green", "move": "nonsense", "game": 1, "ply": 0, "position": ""},
        {"player": ["green"], "move": "c4-c5", "game": 1, "ply": 0, "position": ""},
    ],
)  # fmt: skip
def test_an_invalid_turn_is_a_bad_request(app: Flask, body: Any) -> None:
    assert post(sit(app), "/api/turn", body).status_code == 400


def test_other_sites_cannot_act_for_a_remote_player(table: Any, app: Flask) -> None:
    friend = sit(app)
    for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert post(friend, "/api/turn", turn(table), **headers).status_code == 403
        assert post(away(app), "/api/seat", {"word": word_of(app) or "x"}, **headers).status_code == 403


def test_a_player_keeps_the_seat_after_a_restart(table: Any, app: Flask, tmp_path: Path) -> None:
    friend = sit(app)
    kept = tmp_path / FILE_NAME
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    cookie = friend.get_cookie("focus_seat_8000", domain="192.0.2.1")
    assert cookie is not None and cookie.value not in kept.read_text(), "only its digest may be stored"
    again = create_app(table.session, table.journal, lan=True, pin="123456", far=FarSeats(tmp_path))
    page = away(again)
    page.set_cookie("focus_seat_8000", cookie.value, domain="192.0.2.1")
    assert 'data-seat="green"' in page.get("/", headers=HOST).text
    assert "data-seat" not in away(again).get("/", headers=HOST).text
    links = again.test_client().get("/api/far", headers={"Host": "127.0.0.1"}).get_json()["links"]
    assert links == {"green": None}, "the seat is taken"


def test_a_new_link_takes_the_seat_from_its_holder(table: Any, app: Flask) -> None:
    before = sit(app)
    host = app.test_client()
    link = host.post("/api/far", json={"player": "green"}, headers={"Host": "127.0.0.1"}).get_json()["link"]
    with table.looping():
        assert post(before, "/api/turn", turn(table)).status_code == 200, (
            "the old holder keeps the seat until the link is used"
        )
    after = away(app)
    assert post(after, "/api/seat", {"word": link.removeprefix("/seat#")}).status_code == 200
    assert post(before, "/api/turn", turn(table)).status_code == 401


def test_a_seat_that_is_no_longer_remote_has_no_holder(table: Any, app: Flask) -> None:
    friend = sit(app)
    table.session.submit(SetSeat("g", "board"))
    table.session.attend()
    assert post(friend, "/api/turn", turn(table)).status_code == 409
    assert "data-seat" not in friend.get("/", headers=HOST).text


def test_after_swapping_sides_all_players_keep_their_seats(table: Any, app: Flask) -> None:
    friend = sit(app)
    with table.looping():
        done = app.test_client().post("/api/requests", json={"act": "rematch"}, headers={"Host": "127.0.0.1"})
    assert done.status_code == 200
    assert table.session.state()["seats"] == {"green": "board", "red": "far"}
    assert 'data-seat="red"' in friend.get("/", headers=HOST).text


def test_players_who_are_all_far_away_keep_their_seats_in_a_rematch(table: Any, app: Flask) -> None:
    friend = sit(app)
    host = app.test_client()
    for body in ({"act": "new_game", "players": {"green": "Ann", "red": "Ben"},
                  "played_by": {"green": "far", "red": "far"}}, {"act": "rematch"}):  # fmt: skip
        with table.looping():
            done = host.post("/api/requests", json=body, headers={"Host": "127.0.0.1"})
        assert done.status_code == 200, done.get_json()
    assert table.session.state()["players"]["red"]["name"] == "Ann"
    assert 'data-seat="red"' in friend.get("/", headers=HOST).text


def test_players_keep_their_seats_in_a_rematch_that_begins_late(
    table: Any, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    friend = sit(app)
    monkeypatch.setattr(api, "_SUBMIT_TIMEOUT", 0.01)
    done = app.test_client().post("/api/requests", json={"act": "rematch"}, headers={"Host": "127.0.0.1"})
    assert done.status_code == 202
    assert 'data-seat="green"' in friend.get("/", headers=HOST).text
    table.session.attend()
    assert 'data-seat="red"' in friend.get("/", headers=HOST).text


def test_players_keep_their_seats_if_the_program_is_restarted_between_two_games_of_a_match(
    table: Any, app: Flask, tmp_path: Path
) -> None:
    table.session.submit(NewGame(Rules.make(), games=3, played_by={"g": "far"}))
    table.session.attend()
    friend = sit(app)
    table.session.submit(Resign("r"))
    table.session.attend()
    again = Session(Rules.make(), {}, table.journal, lambda _: table.sight)
    assert again.state()["seats"] == {"green": "board", "red": "far"}
    page = away(create_app(again, table.journal, lan=True, pin="123456", far=FarSeats(tmp_path)))
    page.set_cookie(
        "focus_seat_8000", friend.get_cookie("focus_seat_8000", domain="192.0.2.1").value, domain="192.0.2.1"
    )
    assert 'data-seat="red"' in page.get("/", headers=HOST).text
    again.close()


def test_players_keep_their_seats_if_two_of_three_swap_their_colours(table: Any, app: Flask) -> None:
    table.sight.any_shades = False
    far = {"green": "far", "blue": "board", "red": "far"}
    names = {"green": "Ann", "blue": "Ben", "red": "Cleo"}
    host = app.test_client()

    def ask(**body: Any) -> None:
        with table.looping():
            done = host.post("/api/requests", json=body, headers={"Host": "127.0.0.1"})
        assert done.status_code == 200, done.get_json()

    ask(act="new_game", rules={"players": 3}, players=names, played_by=far)
    friend = sit(app)
    ask(act="swap_colours", player="blue", other="red")
    assert table.session.state()["seats"] == {"green": "far", "blue": "far", "red": "board"}
    assert 'data-seat="green"' in friend.get("/", headers=HOST).text, "nothing has changed for Green"
    ask(act="swap_colours", player="green", other="red")
    assert table.session.state()["players"]["red"]["name"] == "Ann"
    assert 'data-seat="red"' in friend.get("/", headers=HOST).text
    ask(act="rematch")
    assert table.session.state()["players"]["green"]["name"] == "Ann"
    assert 'data-seat="green"' in friend.get("/", headers=HOST).text


def test_players_keep_their_seats_over_several_games(table: Any, app: Flask) -> None:
    """Also if nobody has looked at the page meanwhile, and seats changed during the games."""
    friend = sit(app)
    for request in (SetSeat("r", "companion"), Rematch(), SetSeat("g", "board"), Rematch(), Rematch()):
        table.session.submit(request)
        table.session.attend()
    assert table.session.state()["seats"] == {"green": "board", "red": "far"}
    assert 'data-seat="red"' in friend.get("/", headers=HOST).text


def test_a_link_follows_its_seat(table: Any, app: Flask) -> None:
    word = word_of(app)
    table.session.submit(Rematch())
    table.session.attend()
    assert post(away(app), "/api/seat", {"word": word}).get_json()["player"] == "red"


def test_seats_stored_without_their_game_are_those_of_the_running_game(
    table: Any, app: Flask, tmp_path: Path
) -> None:
    friend = sit(app)
    kept = tmp_path / FILE_NAME
    kept.write_text(json.dumps({"green": json.loads(kept.read_text())["green"]}))
    page = away(create_app(table.session, table.journal, lan=True, pin="123456", far=FarSeats(tmp_path)))
    page.set_cookie(
        "focus_seat_8000", friend.get_cookie("focus_seat_8000", domain="192.0.2.1").value, domain="192.0.2.1"
    )
    assert 'data-seat="green"' in page.get("/", headers=HOST).text


def test_the_word_is_neither_in_the_state_nor_in_the_log(table: Any, app: Flask, caplog: Any) -> None:
    word = word_of(app)
    friend = sit(app)
    sent = json.dumps(friend.get("/api/state", headers=HOST).get_json())
    assert word not in sent + caplog.text


def test_a_page_cannot_start_programs(table: Any, client: FlaskClient) -> None:
    for body in (
        {"act": "seat", "player": "red", "kind": "engine:touch seats-were-here"},
        {"act": "new_game", "rules": {"players": 2}, "played_by": {"red": "engine:touch seats-were-here"}},
    ):
        assert table.ask(client, body).status_code == 403
    for kind in ("engine:mine", "table:http://192.0.2.1:8000"):
        assert table.ask(client, {"act": "seat", "player": "red", "kind": kind}).status_code == 403
        table.session.submit(SetSeat("r", kind))
        table.session.attend()
        assert table.ask(client, {"act": "seat", "player": "red", "kind": kind}).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        {"act": "seat", "player": "red", "kind": "robot"},
        {"act": "seat", "player": "red", "kind": "table:"},
        {"act": "seat", "player": "red"},
        {"act": "seat", "player": "red", "kind": "companion", "pace": 3},
        {"act": "seat", "player": "red", "kind": "companion", "pace": True},
        {"act": "new_game", "played_by": ["red"]},
        {"act": "new_game", "played_by": {"pink": "far"}},
    ],
)
def test_invalid_seats_are_refused(table: Any, client: FlaskClient, body: Any) -> None:
    answer = table.ask(client, body)
    assert answer.status_code == 400 and answer.get_json()["error"]


def test_a_new_game_has_the_given_seats(table: Any, client: FlaskClient) -> None:
    body = {
        "act": "new_game",
        "rules": {"players": 3},
        "played_by": {"green": "board", "blue": "companion:2", "red": "far"},
        "pace": 5,
    }
    assert table.ask(client, body).status_code == 200
    state = table.session.state()
    assert state["seats"] == {"green": "board", "blue": "companion:2", "red": "far"} and state["pace"] == 5
    assert table.ask(client, {"act": "new_game"}).status_code == 200
    assert table.session.state()["seats"]["blue"] == "companion:2", "the next game keeps the seats"
    wrong = table.ask(client, {"act": "new_game", "rules": {"players": 2}, "played_by": {"blue": "far"}})
    assert wrong.status_code == 409
    assert table.session.state()["rules"]["players"] == 3


def test_the_state_of_every_game_has_its_seats(table: Any, client: FlaskClient) -> None:
    state = client.get("/api/state").get_json()
    assert state["seats"] == {"green": "far", "red": "board"} and state["reply"] is None
    assert table.ask(client, {"act": "seat", "player": "green", "kind": "board"}).status_code == 200
    assert client.get("/api/state").get_json()["seats"] == {"green": "board", "red": "board"}


def test_a_hint_is_given_in_two_steps(table: Any, client: FlaskClient) -> None:
    assert table.ask(client, {"act": "seat", "player": "green", "kind": "board"}).status_code == 200
    before = table.session.state()
    with table.looping():
        for step in (1, 2):
            answer = client.post("/api/hint", json={})
            assert answer.status_code == 200, answer.get_json()
            assert table.session.state()["hint"]["step"] == step
    hint = table.session.state()["hint"]
    assert hint["move"] in table.session.legal() and hint["move"].startswith(hint["square"])
    assert table.session.state()["position"] == before["position"]


def test_pressing_twice_while_the_computer_thinks_gives_one_step(
    table: Any, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_pressed = threading.Barrier(2)

    def computer_turn(_: object) -> Move:
        both_pressed.wait(60)
        return Move.parse("b6-b7")

    monkeypatch.setattr(hinting, "computer_turn", computer_turn)
    table.start()
    table.session.submit(SetSeat("g", "board"))
    table.session.attend()
    with table.looping(), ThreadPoolExecutor() as pool:
        pressed = [pool.submit(app.test_client().post, "/api/hint", json={}) for _ in range(2)]
        assert [answer.result(60).status_code for answer in pressed] == [200, 200]
    assert table.session.state()["hint"]["step"] == 1


def test_only_those_who_may_act_get_a_hint(table: Any, app: Flask) -> None:
    friend = sit(app)
    with table.looping():
        assert post(friend, "/api/hint", {}).status_code == 401
        refused = app.test_client().post("/api/hint", json={}, headers={"Host": "127.0.0.1"})
    assert refused.status_code == 409 and "at the table" in refused.get_json()["error"]
    assert table.session.state()["hint"] is None


def assessed(client: FlaskClient, body: Any) -> Any:
    return client.post("/api/assessment", json=body, headers={"Host": "127.0.0.1"})


def test_the_lifted_stack_is_assessed_or_else_the_touched_one(table: Any, client: FlaskClient) -> None:
    table.ask(client, {"act": "seat", "player": "green", "kind": "board"})
    with table.looping():
        assert assessed(client, {"square": "c4"}).status_code == 200
        assert table.session.state()["assessment"]["square"] == "c4"
        table.sight.lifted = INDEX["d5"], 1
        own = client.get("/api/state").get_json()["position"]
        answer = assessed(client, {"square": "c4"})
    assert answer.status_code == 200, answer.get_json()
    found = table.session.state()["assessment"]
    assert found["square"] == "d5" and found["grade"] in ("good", "fair", "poor")
    assert table.session.state()["position"] == own
    assert [one["type"] for one in table.session.history.record().incidents][-2:] == ["assessment"] * 2


def test_nothing_is_assessed_without_a_stack_of_the_player(table: Any, client: FlaskClient) -> None:
    table.ask(client, {"act": "seat", "player": "green", "kind": "board"})
    with table.looping():
        for body in ({}, {"square": None}, {"square": "z9"}, {"square": ["c4"]}, ["c4"]):
            refused = assessed(client, body)
            assert refused.status_code == 409 and "Lift one of your stacks" in refused.get_json()["error"]
        table.sight.lifted = INDEX["c3"], 1
        refused = assessed(client, {})
    assert refused.status_code == 409 and "Green has no legal turn" in refused.get_json()["error"]
    assert table.session.state()["assessment"] is None


def test_only_those_who_may_act_get_an_assessment(app: Flask, table: Any) -> None:
    friend = sit(app)
    with table.looping():
        assert post(friend, "/api/assessment", {"square": "c4"}).status_code == 401
