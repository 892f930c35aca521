"""The players in the games of the journal, and their results."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from focus_companion.game.colours import NAMES
from focus_companion.game.match import game_points
from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.play import apply
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.session.events import Acted, Corrected, Moved, Result, TakenBack
from focus_companion.session.events_from_verdicts import captured, reserves
from focus_companion.storage.journal import Journal
from focus_companion.web.app import create_app
from focus_companion.web.roster import roster


def add(
    journal: Journal,
    players: dict[str, str],
    resigns: str | None = None,
    moves: tuple[str, ...] = (),
    rules: Rules | None = None,
    *,
    draw: bool = False,
) -> int:
    """Add a game to the journal. The player who ``resigns`` (a letter) loses it, with the partner; else it is
    unfinished.
    """
    rules = rules or Rules.make(2)
    game = journal.begin(rules, players)
    position, at = start_position(rules), 1.0
    for ply, text in enumerate(moves, 1):
        mover, position = position.to_move, apply(position, Move.parse(text), rules)
        outcome = (position.text, reserves(position), captured(position), NAMES[position.to_move])
        journal.append(game, Moved(float(ply), ply, NAMES[mover], text, *outcome, 1.0))
        at = ply + 1.0
    if draw:
        journal.append(game, Acted(at, "draw", ""))
        journal.append(game, Result(at, [], "agreed draw"))
    elif resigns:
        side = rules.side_of(resigns)
        for letter in side:
            journal.append(game, Acted(at, "resign", NAMES[letter]))
        others = [NAMES[letter] for letter in rules.order if letter not in side]
        journal.append(game, Result(at, others, "resigned"))
    return game


@pytest.fixture
def journal(tmp_path: Path) -> Any:
    with Journal(tmp_path / "club", write=True) as made:
        yield made


def by_name(journal: Journal) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in roster(journal)}


def capturing() -> tuple[tuple[str, ...], dict[str, int]]:
    """Turns after which somebody has captured pieces, and the points at that time."""
    rules = Rules.make(2)
    for seed in range(50):
        choose, position, moves = random.Random(seed), start_position(rules), []
        while len(moves) < 80 and position.result is None:
            moves.append(choose.choice(legal_moves(position, rules)))
            position = apply(position, moves[-1], rules)
            if sum(game_points(position, rules).values()) >= 2:
                return tuple(map(str, moves)), game_points(position, rules)
    raise AssertionError("no capture")


def test_games_wins_streaks_and_rivals(journal: Journal) -> None:
    add(journal, {"g": "Ann", "r": "Ben"}, "r")
    add(journal, {"g": "Ben", "r": "ann "}, "g")
    add(journal, {"g": "Ann", "r": "Cleo"}, "g")
    add(journal, {"g": "Ann", "r": "Ben"}, "r")
    add(journal, {"g": "Ann", "r": "Ben"}, draw=True)
    rows = roster(journal)
    assert [row["name"] for row in rows] == ["Ann", "Cleo", "Ben"]
    ann, cleo, ben = rows
    assert (ann["played"], ann["won"], ann["drawn"], ann["lost"]) == (5, 3, 1, 1)
    assert (ann["streak"], ann["best_streak"]) == (0, 2)
    assert (cleo["streak"], cleo["best_streak"]) == (1, 1)
    assert ann["rivals"] == [
        {"name": "Ben", "played": 4, "won": 3, "lost": 0},
        {"name": "Cleo", "played": 1, "won": 0, "lost": 1},
    ]
    assert ben["rivals"] == [{"name": "Ann", "played": 4, "won": 0, "lost": 3}]
    assert ben["last"] == journal.games()[0].began


def test_points_are_the_captured_pieces(journal: Journal) -> None:
    moves, points = capturing()
    add(journal, {"g": "Ann", "r": "Ben"}, "g", moves)
    found = by_name(journal)
    assert {"g": found["Ann"]["points"], "r": found["Ben"]["points"]} == points != {"g": 0, "r": 0}


def test_points_after_a_turn_taken_back(journal: Journal) -> None:
    moves, points = capturing()
    game = add(journal, {"g": "Ann", "r": "Ben"}, None, moves)
    journal.append(game, TakenBack(500.0, len(moves) - 1))
    journal.append(game, Acted(501.0, "resign", "red"))
    journal.append(game, Result(501.0, ["green"], "resigned"))
    found = by_name(journal)
    assert found["Ann"]["points"] + found["Ben"]["points"] < sum(points.values())


def test_points_after_a_correction(journal: Journal) -> None:
    game = add(journal, {"g": "Ann", "r": "Ben"}, None, ("b2-b3",))
    # Three red pieces are missing from the board: green has captured them.
    position = start_position(Rules.make(2)).text.replace("r", "-", 3)
    start = {"position": position, "captured": {"green": {"red": 3}}, "to_move": "red"}
    rules = Rules.from_json({"players": 2, "set_up": "position", "start": start})
    journal.append(game, Corrected(5.0, position, rules.to_json()))
    journal.append(game, Acted(6.0, "resign", "red"))
    journal.append(game, Result(6.0, ["green"], "resigned"))
    assert by_name(journal)["Ann"]["points"] == 3


def test_partners_win_together_and_are_not_rivals(journal: Journal) -> None:
    rules = Rules.make(4, partners=True)
    names = {"g": "Ann", "y": "Cleo", "b": "Ben", "r": "Dot"}
    add(journal, names, "b", rules=rules)
    found = by_name(journal)
    assert [name for name, row in found.items() if row["won"]] == ["Ann", "Cleo"]
    assert [rival["name"] for rival in found["Ann"]["rivals"]] == ["Ben", "Dot"]


def test_games_that_do_not_count(journal: Journal) -> None:
    add(journal, {"g": "Ann", "r": "Ben"})  # unfinished
    add(journal, {}, "r")  # nobody has a name
    add(journal, {"g": "Green", "r": " RED "}, "r")  # names that do not count
    add(journal, {"g": "Ann", "r": "ANN"}, "r")  # ambiguous
    assert roster(journal) == []
    add(journal, {"g": "Ann"}, "r")
    assert [(row["name"], row["won"], row["rivals"]) for row in roster(journal)] == [("Ann", 1, [])]


def test_hundreds_of_games_are_counted_quickly(journal: Journal) -> None:
    for number in range(300):
        add(journal, {"g": "Ann", "r": f"P{number % 40}"}, "r", ("b2-b3", "b5-b4"))
    began = time.process_time()
    assert roster(journal)[0]["won"] == 300
    assert time.process_time() - began < 2


def test_the_page_and_its_data(table: Any, client: FlaskClient) -> None:
    assert client.get("/api/players").get_json() == {"players": []}
    empty = client.get("/players", headers={"Accept-Language": "en"}).text
    assert "Nobody yet." in empty and '<ol class="people">' not in empty
    table.close()


def test_the_page_shows_names_as_text(tmp_path: Path, make_table: Any) -> None:
    name = "<script>alert(1)</script>"
    table = make_table(tmp_path, Rules.make(2), {"g": name, "r": "Ben"})
    table.start()
    table.session._journal.append(1, Acted(2.0, "resign", "red"))
    table.session._journal.append(1, Result(2.0, ["green"], "resigned"))
    client = create_app(table.session, table.journal).test_client()
    (first, _) = client.get("/api/players").get_json()["players"]
    assert (first["name"], first["won"]) == (name, 1)
    page = client.get("/players").text
    assert name not in page and "&lt;script&gt;alert(1)" in page
    assert 'href="/players"' in client.get("/games").text


def test_without_a_journal_there_are_no_players(table: Any) -> None:
    client = create_app(table.session, None).test_client()
    assert client.get("/api/players").status_code == 404
    assert client.get("/players").status_code == 200
