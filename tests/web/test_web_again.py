"""Trying again from an earlier position starts another game there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from focus_companion.game.match import MatchPlace
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.start import Start
from focus_companion.referee.verdict import StartSeen
from focus_companion.web.app import create_app


def try_again(table: Any, client: FlaskClient, body: Any, game: int | None = None) -> Any:
    game = table.session.state()["game"] if game is None else game
    with table.looping():
        return client.post(f"/api/games/{game}/again", json=body)


def test_another_game_begins_there_and_the_first_is_kept(table: Any, client: FlaskClient) -> None:
    table.start()
    table.play("c4-c5", "d4-d5", "b4-b5")
    before = table.session.history
    assert try_again(table, client, {"ply": 2}).status_code == 200
    after = table.session.history
    assert after.game != before.game and after.ply == 0 and not after.ready
    for name in ("stacks", "reserves", "captured", "to_move"):
        assert getattr(after.position, name) == getattr(before.positions[2], name)
    assert table.session.state()["rules"]["set_up"] == "position"
    table.see(StartSeen())
    table.play("b4-b5")
    assert table.session.position.stacks == before.position.stacks
    assert client.get(f"/api/games/{before.game}").status_code == 200
    # Another time from there, and from the start of the first game.
    assert try_again(table, client, {"ply": 0}, before.game).status_code == 200
    assert table.session.position.stacks == start_position(Rules.make(2)).stacks


def test_everybody_keeps_their_side_of_the_board(table: Any, client: FlaskClient) -> None:
    sides = {"green": "right", "red": "left"}
    assert table.ask(client, {"act": "new_game", "rules": {"players": 2}, "seats": sides}).status_code == 200
    table.start()
    table.play("c4-c5")
    assert try_again(table, client, {"ply": 1}).status_code == 200
    players = client.get("/api/state").json["players"]
    assert {colour: player["seat"] for colour, player in players.items()} == sides


@pytest.mark.parametrize("body", [{}, [], {"ply": -1}, {"ply": 9}, {"ply": True}, {"ply": "1"}])
def test_an_invalid_turn_or_game_is_refused(table: Any, client: FlaskClient, body: Any) -> None:
    table.start()
    assert try_again(table, client, body).status_code == 400
    assert try_again(table, client, {"ply": 0}, 77).status_code == 404


def test_a_finished_position_and_a_match_are_refused(table: Any, client: FlaskClient) -> None:
    table.start()
    table.play("c4-c5")
    assert table.ask(client, {"act": "resign", "player": "red"}).status_code == 200
    refused = try_again(table, client, {"ply": 1})
    assert refused.status_code == 409 and "over" in refused.get_json()["error"]
    assert table.ask(client, {"act": "new_game", "rules": {"players": 2}, "games": 3}).status_code == 200
    assert table.session.history.match == MatchPlace(3)
    refused = try_again(table, client, {"ply": 0})
    assert refused.status_code == 409 and "match" in refused.get_json()["error"]


@pytest.mark.parametrize(
    ("language", "reason"),
    [
        ("en", "pieces in hand are still to be placed in this position"),
        ("pl", "w tej pozycji trzeba jeszcze postawić pionki z ręki"),
        ("it", "in questa posizione restano pezzi in mano da piazzare"),
    ],
)
def test_why_a_position_is_refused_is_said_in_the_language_of_the_viewer(
    tmp_path: Path, make_table: Any, language: str, reason: str
) -> None:
    table = make_table(tmp_path, Rules.make(3))
    client = create_app(table.session, table.journal).test_client()
    client.environ_base["HTTP_ACCEPT_LANGUAGE"] = language
    refused = try_again(table, client, {"ply": 0})
    assert refused.status_code == 409 and refused.get_json()["error"].endswith(f": {reason}.")


def test_a_start_contains_everything_of_a_position() -> None:
    position = start_position(Rules.make(4))
    assert Start.of(position).to_json("".join(position.players))["position"] == position.text
    with pytest.raises(ValueError, match="in hand"):
        Start.of(start_position(Rules.make(2, set_up="drop")))
