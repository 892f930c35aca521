"""The hall's answers: results, standings, exports, and who may see them."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from mosquitto import PROGRAM, Mosquitto
from published_table import Table
from small_demo import SMALL_DEMO
from waiting import until

from focus_companion.formats.json_record import write_json
from focus_companion.formats.match import Match
from focus_companion.hall.app import create_hall
from focus_companion.hall.evening import Evening
from focus_companion.hall.listener import Listener
from focus_companion.hall.results import file_name, matches, results, standings, this_evening
from focus_companion.mqtt.broker import parse_broker
from focus_companion.mqtt.line import Message
from focus_companion.mqtt.messages import GameLog, write_log


def game(
    green: str,
    red: str,
    winners: list[str] | None,
    points: tuple[int, int] = (0, 0),
    *,
    began: str = "2026-11-20T19:00:00+00:00",
    table: str = "T",
) -> GameLog:
    result = None if winners is None else {"winners": winners, "reason": "domination"}
    names = {"green": green, "red": red}
    taken = {"green": points[0], "red": points[1]}
    return GameLog(table, "j", 1, began, 0, 1, 2, 30, ("green", "red"), names, taken, result, b"")


def test_standings_count_games_then_points() -> None:
    rows = standings(
        [
            game("Ann", "Bob", ["green"], (7, 3)),
            game("Bob", "Ann", ["red"], (2, 5)),
            game("Ann", "Cleo", [], (4, 4)),
            game("Cleo", "Bob", None, (9, 9)),
            game("", "Cleo", ["red"]),
            game("Dan", "Dan", ["red"]),
        ]
    )
    assert [(row["place"], row["name"], row["score"], row["points"]) for row in rows] == [
        (1, "Ann", 2.5, 16),
        (2, "Cleo", 0.5, 4),
        (3, "Bob", 0.0, 5),
    ]
    assert [(row["played"], row["won"], row["drawn"], row["lost"]) for row in rows] == [
        (3, 2, 1, 0),
        (1, 0, 1, 0),
        (2, 0, 0, 2),
    ]


def test_equal_players_share_a_place() -> None:
    rows = standings([game("Ann", "Bob", ["green"], (3, 1)), game("Cleo", "Dan", ["red"], (1, 3))])
    assert [(row["place"], row["name"]) for row in rows] == [(1, "Ann"), (1, "Dan"), (3, "Bob"), (3, "Cleo")]


def test_matches_join_the_games_of_the_same_players() -> None:
    found = matches(
        [
            game("Ann", "Bob", ["green"], (7, 3)),
            game("Cleo", "Dan", ["red"]),
            game("Bob", "Ann", ["green"], (6, 5)),
        ]
    )
    assert [match["names"] for match in found] == [["Ann", "Bob"], ["Cleo", "Dan"]]
    assert found[0] == {"names": ["Ann", "Bob"], "games": 2, "won": {"Ann": 1, "Bob": 1},
                        "points": {"Ann": 12, "Bob": 9}}  # fmt: skip


def test_a_name_typed_in_other_capitals_or_spaces_is_the_same_player() -> None:
    games = [
        game("ann", "Bob", ["green"], (7, 3)),
        game("Bob", " Ann", ["red"], (2, 5)),
        game("Dan", "dan ", ["red"]),
        game("Player 1", "Player 2", ["red"]),
    ]
    assert [(row["name"], row["played"], row["won"], row["points"]) for row in standings(games)] == [
        ("Ann", 2, 2, 12),
        ("Bob", 2, 0, 5),
    ]
    assert matches(games) == [
        {"names": ["Ann", "Bob"], "games": 2, "won": {"Ann": 2, "Bob": 0}, "points": {"Ann": 12, "Bob": 5}}
    ]


def test_an_evening_is_what_began_near_the_newest_game() -> None:
    logs = [
        game("old", "x", [], began="2026-11-19T19:00:00+00:00"),
        game("odd", "x", [], began="yesterday"),
        game("Ann", "Bob", [], began="2026-11-20T18:00:00+00:00"),
        game("Ann", "Bob", [], began="2026-11-21T00:30:00+00:00"),
    ]
    assert this_evening(logs) == logs[2:]
    assert [found["began"] for found in results(this_evening(logs))] == [logs[3].began, logs[2].began]
    assert this_evening([]) == []


@pytest.mark.parametrize("name", ["../../etc", "a:b", "CON/x", "…", "Stół 7", ". ."])
def test_a_table_name_is_harmless_in_a_file_name(name: str) -> None:
    made = file_name(name)
    assert made and "/" not in made and ":" not in made and not made.startswith(".")
    assert file_name(name + "!") != made


@pytest.fixture(scope="module")
def evening(tmp_path_factory: Any) -> Iterator[tuple[Evening, list[Table]]]:
    """Two tables, one with two games, through a real broker."""
    if PROGRAM is None:
        pytest.skip("no Mosquitto is installed; apt install mosquitto")
    folder = tmp_path_factory.mktemp("evening")
    with Mosquitto(folder / "broker") as broker:
        tables = [
            Table(folder / "1", broker.address, "Table 1", {"g": "=Ann", "r": "Bob"}),
            Table(folder / "2", broker.address, "Table/2".replace("/", ":"), {"g": "Cleo", "r": "Dan"}),
        ]
        for table in tables:
            table.publisher.start()
            table.play(40)
        tables[0].another_game()
        tables[0].play(25)
        made = Evening()
        listener = Listener(parse_broker(broker.address), made)
        listener.connect()
        for table in tables:
            table.wait_confirmed()
            table.publisher.close(5)
        until(lambda: len(made.logs()) == 3)
        newest = {table.name: table.journal.last_event() for table in tables}
        until(lambda: all((tile := made.tile(name)) and tile["seq"] == newest[name] for name in newest))
        until(lambda: {log.table: log.last for log in made.logs()} == newest)
        yield made, tables
        listener.close()
        for table in tables:
            table.close()


@pytest.fixture
def client(evening: tuple[Evening, list[Table]]) -> FlaskClient:
    return create_hall(evening[0]).test_client()


def test_the_zip_holds_the_journals_records(evening, client: FlaskClient) -> None:
    with zipfile.ZipFile(io.BytesIO(client.get("/evening.zip").data)) as packed:
        names = packed.namelist()
        assert len(names) == 4 and names[0] == "evening.csv"
        for table in evening[1]:
            for summary in table.journal.games():
                wanted = write_json(Match((table.journal.record(summary.id),), single=True))
                found = packed.read(f"{file_name(table.name)}/game-{summary.id:04}.json").decode()
                assert found == wanted


def test_the_sheet_is_harmless_to_spreadsheets(client: FlaskClient) -> None:
    rows = list(csv.DictReader(io.StringIO(client.get("/evening.csv").text)))
    assert len(rows) == 6
    assert {row["name"] for row in rows} == {"'=Ann", "Bob", "Cleo", "Dan"}
    assert sorted(row["won"] for row in rows) == ["", "", "", "", "0", "1"]


def test_a_table_is_returned_with_its_moves(evening, client: FlaskClient) -> None:
    shown = client.get("/api/tables/Table 1").get_json()
    session = evening[1][0].session.state()
    assert shown["moves"] == session["moves"] and shown["position"] == session["position"]
    past = client.get("/api/tables/Table 1/games/1").get_json()
    assert past["result"]["reason"] == "resigned"
    sgf = client.get("/api/tables/Table 1/games/1/export?format=sgf")
    assert sgf.data.startswith(b"(;") and "attachment" in sgf.headers["Content-Disposition"]
    assert client.get("/api/tables/Table 1/games/1/export?format=odd").status_code == 400
    assert client.get("/api/tables/Nobody").status_code == 404
    assert client.get("/api/tables/Table 1/games/99").status_code == 404


@pytest.mark.parametrize(
    ("language", "unknown", "no_format"),
    [
        ("en", "Nothing is known about that game yet.", "There is no format “odd”."),
        ("pl", "O tej partii nic jeszcze nie wiadomo.", "Nie ma formatu „odd”."),
        ("it", "Di questa partita non si sa ancora nulla.", "Il formato «odd» non esiste."),
    ],
)
def test_refusals_speak_the_viewers_language(
    client: FlaskClient, language: str, unknown: str, no_format: str
) -> None:
    headers = {"Accept-Language": language}
    for path in ("Nobody", "Nobody/games/1", "Table 1/games/99", "Table 1/games/99/export"):
        answer = client.get(f"/api/tables/{path}", headers=headers)
        assert (answer.status_code, answer.get_json()["error"]) == (404, unknown)
    answer = client.get("/api/tables/Table 1/games/1/export?format=odd", headers=headers)
    assert answer.status_code == 400
    assert answer.get_json()["error"].startswith(no_format)
    assert "sgf" in answer.get_json()["error"]


def test_too_many_viewers_are_asked_to_poll(evening) -> None:
    client = create_hall(evening[0], viewers=1).test_client()
    first = client.get("/api/events")
    answer = client.get("/api/events", headers={"Accept-Language": "pl"})
    assert answer.status_code == 503 and "/api/tables" in answer.get_json()["error"]
    assert "Liczba" in answer.get_json()["error"]
    first.close()
    assert client.get("/api/events").status_code == 200


def test_a_forged_game_is_refused_in_a_sentence() -> None:
    forged = Evening()
    head = {"table": "T", "journal": "j", "game": 1, "began": "2026-11-20T19:00:00+00:00", "prev": 0}
    head |= {"first": 1, "last": 2, "plies": 1, "order": [], "players": {}, "points": {}, "result": None}
    begun = '{"type":"game","time":0,"rules":{"players":2},"players":{}}'
    moved = '{"type":"move","time":1}'
    forged.take(
        Message("focus-companion/1/T/games/1", write_log(head, ((1, "", begun), (2, "", moved))), True)
    )
    answer = create_hall(forged).test_client().get("/api/tables/T/games/1/export?format=sgf")
    assert answer.status_code == 502
    assert answer.get_json()["error"].startswith("What the broker has stored of this game cannot be read: ")


def test_the_page_answers_its_own_names_alone(client: FlaskClient) -> None:
    assert client.get("/").status_code == 200
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 421
    headers = client.get("/").headers
    assert "script-src 'self'" in headers["Content-Security-Policy"]
    assert client.post("/api/tables").status_code == 405


def test_the_stream_begins_with_all_and_resumes(client: FlaskClient) -> None:
    stream = client.get("/api/events").response
    blocks = iter(stream)
    next(blocks)
    first = next(blocks).decode()
    place = first.partition("id: ")[2].partition("\n")[0]
    shown = json.loads(first.partition("data: ")[2])
    assert {tile["table"] for tile in shown["tables"]} == {"Table 1", "Table:2"} and shown["broker"]
    again = iter(client.get("/api/events", headers={"Last-Event-ID": place}).response)
    next(again)
    assert json.loads(next(again).decode().partition("data: ")[2])["tables"] == []
    # A place issued by another hall has no meaning here.
    other = iter(client.get("/api/events", headers={"Last-Event-ID": "0000-7"}).response)
    next(other)
    assert len(json.loads(next(other).decode().partition("data: ")[2])["tables"]) == 2


@pytest.mark.slow
def test_play_publishes_and_says_goodbye(tmp_path: Path) -> None:
    import os
    import signal
    import subprocess

    if PROGRAM is None:
        pytest.skip("no Mosquitto is installed; apt install mosquitto")
    with Mosquitto(tmp_path / "broker") as broker:
        made = Evening()
        listener = Listener(parse_broker(broker.address), made)
        listener.connect()
        command = [*SMALL_DEMO, "play", "--camera", "demo", "--port", "0"]
        command += ["--data", str(tmp_path / "data"), "--mqtt", broker.address, "--table", "Demo"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) as process:
            until(lambda: (tile := made.tile("Demo")) and tile["ply"] >= 1, 240)
            assert made.tile("Demo")["online"]
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
            assert process.stdout is not None
            assert f"MQTT: publishing to {broker.address} as table 'Demo'" in process.stdout.read()
        until(lambda: not made.tile("Demo")["online"])
        listener.close()
