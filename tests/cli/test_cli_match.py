"""A match in the journal through ``replay``, ``export`` and ``review``; its length on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from focus_companion.commands.shared.console import BadInput
from focus_companion.commands.shared.rule_options import games_of, make_rules, match_options
from focus_companion.game.match import MatchPlace
from focus_companion.game.rules import Rules
from focus_companion.session import events
from focus_companion.storage.journal import Journal


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Three games of a match of four, then a single game."""
    folder = tmp_path / "data"
    rules = Rules.make(2)
    with Journal(folder, write=True) as journal:
        for before in ((), (1,), (1, 2), None):
            turned = bool(before) and len(before or ()) % 2 == 1
            names = {"g": "Ben", "r": "Ann"} if turned else {"g": "Ann", "r": "Ben"}
            game = journal.begin(rules, names)
            match = None if before is None else MatchPlace(4, before).to_json()
            journal.append_all(
                game,
                [
                    events.GameBegan(0.0, game, rules.to_json(), match=match),
                    events.Acted(1.0, "resign", "red"),
                    events.Result(1.0, ["green"], "resigned"),
                ],
            )
    return folder


@pytest.mark.parametrize("game", ["1", "2", "3"])
def test_any_game_of_a_match_gives_the_whole_match(focus: Any, data: Path, game: str) -> None:
    shown = focus("replay", game, "--match", "--data", data)
    assert shown.out.splitlines()[-2:] == ["3 of 4 games finished.", "Match: Ann 0, Ben 0"]
    written = json.loads(focus("export", game, "--format", "json", "--match", "--data", data).out)
    assert written["length"] == 4 and len(written["games"]) == 3 and not written["score"]["over"]
    lines = focus("replay", game, "--match", "--positions", "--data", data).objects
    assert [line["game"] for line in lines] == [1, 2, 3]
    reviews = focus("review", game, "--match", "--json", "--data", data)
    assert reviews.status == 0 and len(reviews.out.splitlines()) == 3
    found = focus("review", game, "--match", "--puzzles", "--data", data)
    assert [line for line in found.out.splitlines() if "Game" in line] == ["Game 1", "Game 2", "Game 3"]


def test_a_game_outside_a_match_is_refused_as_a_match(focus: Any, data: Path, write: Any) -> None:
    focus("replay", "last", "--match", "--data", data).refused(2, "game 4", "no match")
    focus("replay", write("g.json", {}), "--match").refused(2, "--match", "journal")
    lone = json.loads(focus("export", "1", "--format", "json", "--data", data).out)
    assert lone["format"] == "focus-companion game"


@pytest.mark.parametrize(
    ("args", "text", "games"),
    [
        ((), "", 1),
        (("--games", "7"), "", 7),
        (("--rules", "tournament"), "", 2),
        (("--rules", "tournament", "--games", "4"), "", 4),
        (("--rules", "FILE"), "games = 5\nplayers = 3", 5),
        (("--rules", "FILE"), "preset = 'tournament'", 2),
        (("--rules", "FILE"), "preset = 'tournament'\ngames = 6", 6),
        (("--rules", "FILE", "--games", "1"), "games = 6", 1),
    ],
)
def test_the_length_of_a_match_comes_from_options_or_file(
    write: Any, args: tuple[str, ...], text: str, games: int
) -> None:
    heard: list[int] = []

    @click.command()
    @match_options
    def command(rules: Rules | None, games: int, start_from: str) -> None:
        heard.append(games)

    path = str(write("rules.toml", text))
    ended = CliRunner().invoke(command, [path if word == "FILE" else word for word in args])
    assert (ended.exit_code, heard) == (0, [games]), ended.output


@pytest.mark.parametrize("value", ["0", "1000", "true", "'two'", "2.0"])
def test_an_invalid_length_is_refused(write: Any, value: str) -> None:
    path = str(write("rules.toml", f"games = {value}"))
    with pytest.raises(BadInput, match="games: a match has 1 to 999 games"):
        games_of(path)


def test_the_length_is_not_a_rule_of_the_game(write: Any) -> None:
    assert make_rules({}, str(write("rules.toml", "games = 5\nplayers = 3"))) == Rules.make(3)
