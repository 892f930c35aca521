"""Requests of the page other than turns, over HTTP: rulings, corrections, rematches, clocks, scores."""

from __future__ import annotations

import errno
import io
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flask.testing import FlaskClient
from PIL import Image

from focus_companion.game.moves import Move
from focus_companion.game.presets import PRESETS
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.referee.verdict import Undecided, Wrong
from focus_companion.storage.errors import as_journal_error
from focus_companion.vision.capture.frames import Frame
from focus_companion.web import base as web_base
from focus_companion.web.app import create_app
from focus_companion.web.reviewing import ReviewFailed, Reviews


def test_an_alert_is_overruled(table, client: FlaskClient) -> None:
    table.start()
    table.see(Wrong("distance", "g", (8, 9), "Green went too far."))
    offered = client.get("/api/legal").json["legal"]
    assert "b6-b7" in offered
    assert table.ask(client, {"act": "legal", "move": offered[0]}).status_code == 200
    state = client.get("/api/state").json
    assert (state["alert"], state["last_move"]) == (None, offered[0])
    record = client.get("/api/games/1").json["record"]
    assert [incident["type"] for incident in record["incidents"]] == ["alert", "ruling"]


def test_an_act_sent_from_two_phones_is_done_once(table, client: FlaskClient) -> None:
    table.start()
    table.play("b6-b7", "b5-b6", "c6-c7")
    at = {"game": 1, "moves": 3}
    assert table.ask(client, {"act": "take_back", "at": at}).status_code == 200
    again = table.ask(client, {"act": "take_back", "at": at})
    assert again.status_code == 409 and again.json["error"] == "The game has gone on meanwhile."
    assert client.get("/api/state").json["ply"] == 2
    assert table.ask(client, {"act": "draw"}).status_code == 200
    rematch = {"act": "rematch", "at": {"game": 1, "moves": 3}}
    assert [table.ask(client, rematch).status_code for _ in range(2)] == [200, 409]
    assert client.get("/api/state").json["game"] == 2


def test_the_answer_to_a_question_is_not_taken_for_the_next_turn(tmp_path: Path, make_table) -> None:
    # Once green has moved the upper piece, red may move the lower one to the same square.
    position = start_position(Rules.make()).text.replace("/-,g,g,", "/-,rg,g,", 1)
    start = {"position": position, "to_move": "green"}
    table = make_table(tmp_path, Rules.from_json({"players": 2, "set_up": "position", "start": start}))
    client = create_app(table.session, table.journal).test_client()
    table.start()
    table.see(Undecided((Move.parse("b6-b7"), Move.parse("c6-c7"))))
    answer = {"act": "choose", "move": "b6-b7", "at": {"game": 1, "moves": 0}}
    assert [table.ask(client, answer).status_code for _ in range(2)] == [200, 409]
    state = client.get("/api/state").json
    assert (state["ply"], state["to_move"]) == (1, "red")
    assert "b6-b7" in client.get("/api/legal").json["legal"]


CHANGED = "What the page showed has changed meanwhile. Please look again."


def test_an_alert_is_not_settled_by_the_answer_to_the_one_before(table, client: FlaskClient) -> None:
    table.start()
    table.see(Wrong("distance", "g", (8, 9), "Green went too far."))
    first = {"game": 1, "moves": 0, "alert": client.get("/api/state").json["alert"]["time"]}
    table.see(Wrong("not_straight", "g", (8, 16), "Green went askew."))
    refused = table.ask(client, {"act": "dismiss", "at": first})
    assert refused.status_code == 409 and refused.json["error"] == CHANGED
    second = client.get("/api/state").json["alert"]
    assert second["reason"] == "not_straight"
    at = first | {"alert": second["time"]}
    assert [table.ask(client, {"act": "dismiss", "at": at}).status_code for _ in range(2)] == [200, 409]
    assert client.get("/api/state").json["alert"] is None
    # Programs need not say which alert they mean.
    table.see(Wrong("distance", "g", (8, 9), "Green went too far."))
    assert table.ask(client, {"act": "dismiss"}).status_code == 200


def test_a_reading_is_not_accepted_in_place_of_a_newer_one(table, client: FlaskClient) -> None:
    table.start()
    start = table.session.position.text
    accept = {"act": "set_position", "position": start, "at": {"game": 1, "moves": 0, "reading": 0.5}}
    assert table.ask(client, accept).json["error"] == CHANGED
    accept["at"]["reading"] = None
    assert table.ask(client, accept).status_code == 200


def test_colours_that_two_phones_swap_at_once_are_swapped_once(table, client: FlaskClient) -> None:
    table.start()
    arranged = client.get("/api/state").json["arranged"]
    swap = {"act": "swap_colours", "at": {"game": 1, "moves": 0, "arranged": arranged}}
    answers = [table.ask(client, swap) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 409] and answers[1].json["error"] == CHANGED
    assert len(table.sight.placed) == 1
    swap["at"]["arranged"] = client.get("/api/state").json["arranged"]
    assert table.ask(client, swap).status_code == 200, "whoever has seen the swap may swap back"
    assert table.ask(client, {"act": "swap_colours"}).status_code == 200
    table.play("b6-b7")
    assert client.get("/api/state").json["arranged"] == 0, "after the first turn it does not matter"


@pytest.mark.parametrize("key", ["alert", "reading", "seat_failed", "arranged"])
@pytest.mark.parametrize("value", ["1.5", True, [1], {}, 1e300])
def test_what_the_page_showed_is_a_number(table, client: FlaskClient, key: str, value: Any) -> None:
    table.start()
    assert table.ask(client, {"act": "draw", "at": {"game": 1, "moves": 0, key: value}}).status_code == 400


@pytest.mark.parametrize("at", [{}, 3, {"game": 1}, {"game": True, "moves": 0}, {"game": 1, "moves": "0"}])
def test_a_malformed_point_of_the_game_is_refused(table, client: FlaskClient, at: Any) -> None:
    table.start()
    assert table.ask(client, {"act": "draw", "at": at}).status_code == 400


def test_a_turn_is_ruled_illegal(table, client: FlaskClient) -> None:
    table.start()
    table.play("b6-b7", "b5-b6", "c6-c7")
    assert table.ask(client, {"act": "not_legal", "ply": 2}).status_code == 200
    assert client.get("/api/state").json["last_move"] == "b6-b7"
    refused = table.ask(client, {"act": "not_legal", "ply": 9})
    assert refused.status_code == 409 and "no turn 9" in refused.json["error"]


def test_a_position_is_set_with_reserves_and_turn(table, client: FlaskClient) -> None:
    table.start()
    table.play("b6-b7")
    position = client.get("/api/state").json["position"]
    body = {
        "position": position,
        "to_move": "green",
        "reserves": {"red": 2},
        "captured": {"red": {"green": 1}},
    }
    assert table.ask(client, {"act": "set_position", "note": "the cat"} | body).status_code == 200
    state = client.get("/api/state").json
    assert (state["to_move"], state["reserves"], state["ply"]) == ("green", {"green": 0, "red": 2}, 0)
    assert state["captured"] == {"green": {"red": 0}, "red": {"green": 1}}
    assert client.get("/api/games/1").json["record"]["incidents"][-1]["note"] == "the cat"


def test_a_new_game_has_seats_and_clock(table, client: FlaskClient) -> None:
    table.start()
    clock = {"kind": "down", "seconds": 300, "increment": 5}
    seats = {"green": "right", "red": "left"}
    answer = table.ask(client, {"act": "new_game", "rules": {"players": 2}, "seats": seats, "clock": clock})
    assert answer.status_code == 200
    state = client.get("/api/state").json
    assert {colour: player["seat"] for colour, player in state["players"].items()} == seats
    assert state["clock"] == clock | {
        "used": {"green": 0, "red": 0},
        "running": None,
        "time": state["clock"]["time"],
    }


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "no space"), "Nie można zapisać nowej partii: dysk jest pełny;"),
        (OSError(errno.EROFS, "read-only"), "Nie można zapisać nowej partii: nie wolno zapisywać pliku"),
        (OSError(errno.EBADMSG, "odd"), "Nie można zapisać nowej partii: journal cannot be used (odd)"),
    ],
)
def test_a_new_game_for_which_the_disk_has_no_room_is_refused_in_the_viewers_language(
    table, client: FlaskClient, monkeypatch: pytest.MonkeyPatch, error: OSError, said: str
) -> None:
    table.start()

    def fails(*_: Any) -> int:
        raise as_journal_error(error, Path("journal"))

    monkeypatch.setattr(table.journal, "begin", fails)
    for act in ("new_game", "rematch"):
        answer = table.ask(client, {"act": act}, {"Accept-Language": "pl"})
        assert answer.status_code == 409 and answer.json["error"].startswith(said)
    assert client.get("/api/state").json["game"] == 1


def test_a_new_game_keeps_the_names_unless_they_are_deleted(table, client: FlaskClient) -> None:
    table.start()

    def names_after(body: dict[str, Any]) -> dict[str, str]:
        assert table.ask(client, {"act": "new_game", "rules": {"players": 2}} | body).status_code == 200
        return {colour: each["name"] for colour, each in client.get("/api/state").json["players"].items()}

    both = {"green": "Ann", "red": "Ben"}
    assert names_after({"players": both}) == both
    assert names_after({}) == both
    assert names_after({"players": {"green": {"name": ""}, "red": {"name": " "}}}) == {"green": "", "red": ""}


def test_there_is_no_clock_unless_requested(table, client: FlaskClient) -> None:
    table.start()
    assert client.get("/api/state").json["clock"] is None


def test_the_state_has_the_placement_of_the_camera(table, client: FlaskClient) -> None:
    table.start()
    assert client.get("/api/state").json["mount"]["tilt"] == 31.4


CORNERS = {"a1": [0.2, 0.9], "h1": [0.8, 0.9], "h8": [0.7, 0.2], "a8": [0.3, 0.2]}


def test_the_board_is_placed_by_hand_and_found_again_without(table, client: FlaskClient) -> None:
    table.start()
    assert client.get("/api/state").json["corners"]["a1"] == [0.2, 0.9]
    assert table.ask(client, {"act": "place_board", "corners": CORNERS}).status_code == 200
    assert table.ask(client, {"act": "place_board", "corners": None}).status_code == 200
    placed = [None if corners is None else corners["h8"] for corners, _ in table.sight.placed]
    assert placed == [(0.7, 0.2), None]
    incidents = client.get("/api/games/1").json["record"]["incidents"]
    assert [(i["type"], i["corners"] and i["corners"]["a1"]) for i in incidents] == [
        ("placed", [0.2, 0.9]),
        ("placed", None),
    ]


def test_invalid_corners_are_refused_with_a_reason(table, client: FlaskClient) -> None:
    table.start()
    crossed = CORNERS | {"a1": CORNERS["h1"], "h1": CORNERS["a1"]}
    refused = table.ask(client, {"act": "place_board", "corners": crossed})
    assert refused.status_code == 409 and "go round the board" in refused.json["error"]
    assert table.sight.placed == []


SIDE_BY_SIDE = ["green", "yellow", "blue", "red"]


@pytest.mark.parametrize(
    "body",
    [
        {"act": "place_board", "corners": []},
        {"act": "place_board", "corners": {"a1": [0, 0]}},
        {"act": "place_board", "corners": CORNERS | {"a1": [0]}},
        {"act": "place_board", "corners": CORNERS | {"a1": [0, True]}},
        {"act": "place_board", "corners": CORNERS | {"a1": "0,0"}},
        {"act": "place_board", "corners": CORNERS | {"a1": [0, 10**400]}},
        {"act": "place_board", "corners": CORNERS | {"a1": [float("nan"), 0]}},
        {"act": "legal"},
        {"act": "legal", "move": "d5"},
        {"act": "not_legal", "ply": "2"},
        {"act": "not_legal", "ply": True},
        {"act": "new_game", "start_from": "memory"},
        {"act": "new_game", "rulse": {"players": 3}},
        {"act": "new_game", "rules": {"players": 2, "fsat": True}},
        {
            "act": "new_game",
            "rules": {"players": 4, "partners": True, "order": SIDE_BY_SIDE},
        },
        {"act": "new_game", "seats": 3},
        {"act": "new_game", "seats": {"pink": "top"}},
        {"act": "new_game", "seats": {"red": "under"}},
        {"act": "new_game", "seats": {"red": "top", "green": "top"}},
        {"act": "new_game", "seats": {"red": ["top"]}},
        {"act": "new_game", "clock": 5},
        {"act": "new_game", "clock": {"kind": "down"}},
        {"act": "set_position", "position": "-", "reserves": 1},
        {"act": "set_position", "position": "-", "captured": []},
    ],
)
def test_an_invalid_act_is_a_clear_400(table, client: FlaskClient, body: object) -> None:
    table.start()
    answer = client.post("/api/requests", json=body)
    assert answer.status_code == 400 and answer.json["error"]


@pytest.mark.parametrize(
    "more",
    [
        {"to_move": "pink"},
        {"reserves": {"red": -1}},
        {"reserves": {"pink": 1}},
        {"captured": {"red": 3}},
        {"note": 4},
    ],
)
def test_a_position_with_other_invalid_values_is_a_400(
    table, client: FlaskClient, more: dict[str, Any]
) -> None:
    table.start()
    position = client.get("/api/state").json["position"]
    answer = client.post("/api/requests", json={"act": "set_position", "position": position} | more)
    assert answer.status_code == 400 and answer.json["error"]


def test_points_follow_the_players_names_in_a_rematch(tmp_path: Path, make_table) -> None:
    start = {
        "position": "-,-,-,-/r,r,g,g,r,r/-,-,-,-,-,-,-,-/-,-,rrrrg,g,-,-,-,-/"
        "-,-,-,-,-,-,-,-/-,-,-,-,-,-,-,-/g,g,r,r,g,g/-,-,-,-",
        "to_move": "green",
    }
    rules = Rules.from_json({"players": 2, "set_up": "position", "start": start})
    table = make_table(tmp_path, rules, {"g": "Ann", "r": "Bo"})
    client = create_app(table.session, table.journal).test_client()
    table.start()
    # The single green piece on d5 covers c5, which then loses its lowest piece, a red one.
    table.play("d5-c5")
    assert client.get("/api/match").json == {"match": None}, "a single game is not a match"
    assert table.ask(client, {"act": "rematch"}).status_code == 200
    table.start()
    table.play("d5-c5")
    match = client.get("/api/match").json["match"]
    assert match["games"] == [1, 2]
    assert match["scores"] == [{"Ann": 1, "Bo": 0}, {"Bo": 1, "Ann": 0}]
    assert match["totals"] == {"Ann": 1, "Bo": 1} and set(match["leaders"]) == {"Ann", "Bo"}


def test_without_names_there_is_no_match(table, client: FlaskClient) -> None:
    table.start()
    table.play("b6-b7")
    table.ask(client, {"act": "rematch"})
    table.start()
    table.play("b6-b7")
    assert client.get("/api/match").json == {"match": None}


def test_a_finished_game_is_reviewed(table, client: FlaskClient) -> None:
    table.start()
    table.play("b6-b7", "b5-b6")
    early = client.get("/api/games/1/review")
    assert early.status_code == 409 and "finished" in early.json["error"]
    assert client.get("/api/games/7/review").status_code == 404
    table.ask(client, {"act": "resign", "player": "red"})
    end = time.monotonic() + 60
    while (answer := client.get("/api/games/1/review")).status_code == 202:
        assert time.monotonic() < end
        time.sleep(0.1)
    assert answer.status_code == 200
    assert [turn["move"] for turn in answer.json["turns"]] == ["b6-b7", "b5-b6"]


def test_a_review_that_takes_too_long_is_aborted(table) -> None:
    table.start()
    reviews = Reviews(timeout=0.01)
    record = table.session.history.record()
    assert reviews.ask(record) is None
    end = time.monotonic() + 30
    with pytest.raises(ReviewFailed, match="could not be made"):
        while reviews.ask(record) is None:
            assert time.monotonic() < end
            time.sleep(0.02)


@pytest.mark.parametrize(
    ("asked", "wide"),
    [("", 1600), ("?width=300", 320), ("?width=700", 960), ("?width=4000", 1600), ("?width=x", 1600),
     ("?overlay=1&width=640", 640)],
)  # fmt: skip
def test_the_picture_is_no_wider_than_requested(table, client: FlaskClient, asked: str, wide: int) -> None:
    table.session.push(Frame(1, 0.1, np.zeros((900, 1600, 3), np.uint8)))
    picture = client.get(f"/snapshot.jpg{asked}")
    width, height = Image.open(io.BytesIO(picture.data)).size
    assert (width, round(width / height, 1)) == (wide, 1.8)


def test_every_preset_has_a_description_on_the_page(client: FlaskClient) -> None:
    page = client.get("/dialogs/en").text
    assert set(re.findall(r'<option value="([\w-]+)" data-settings', page)) == set(PRESETS)


@pytest.mark.parametrize("path", ["/", "/dialogs/pl", "/texts/pl.json", "/texts/it/later.json"])
def test_pages_and_texts_are_compressed(table, client: FlaskClient, path: str) -> None:
    table.start()
    packed = client.get(path, headers={"Accept-Encoding": "gzip"})
    plain = client.get(path)
    assert packed.headers["Content-Encoding"] == "gzip" and "Content-Encoding" not in plain.headers
    assert len(packed.data) < len(plain.data) / 2
    assert int(packed.headers["Content-Length"]) == len(packed.data)
    assert len(plain.data) > web_base._MIN_COMPRESSED_BYTES
