"""Reviewing a finished game: the function and the command."""

import json
from pathlib import Path
from typing import Any

import pytest
from review_games import VARIANTS, given, random_record

from focus_companion.cli import cli
from focus_companion.commands.shared import console
from focus_companion.formats.json_record import write_json
from focus_companion.formats.match import Match
from focus_companion.game.declarations import Declaration
from focus_companion.game.faults import IllegalMove
from focus_companion.game.record import Entry, GameRecord, positions
from focus_companion.game.rules import Rules
from focus_companion.review import review as room
from focus_companion.review.evaluation import counts
from focus_companion.review.review import NotFinished, review
from focus_companion.review.words import review_lines, swing_sentence


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_every_turn_is_reviewed_with_the_change_of_chances(variant: dict[str, Any]) -> None:
    record = random_record(**{"plies": 24, **variant})
    found = review(record)
    assert [turn.move for turn in found.turns] == list(record.moves)
    game = list(positions(record))
    first, last = counts(game[0], record.rules), counts(game[-1], record.rules)
    for player in record.rules.order:
        # The changes add up to the difference between start and end.
        changes = [turn.changes[player] for turn in found.turns]
        assert first[player].captures + sum(change.captures for change in changes) == last[player].captures
        assert first[player].reserves + sum(change.reserves for change in changes) == last[player].reserves
        assert first[player].mobility + sum(change.mobility for change in changes) == last[player].mobility
    for turn in found.turns:
        assert -1 <= turn.swing <= 1 and 0 <= turn.missed <= 1
    sizes = sorted((abs(turn.swing) for turn in found.turns), reverse=True)
    assert [abs(turn.swing) for turn in found.swings] == sizes[:3]
    assert review(record) == found


def test_a_game_without_turns_has_no_list_of_turns() -> None:
    rules = Rules.make(2)
    lines = list(review_lines(review(GameRecord(rules, entries=(Entry(Declaration("resign", "r")),)))))
    assert lines == ["Turns: 0. Won by green (resigned).", "", "No turn changed the chances."]


def test_a_blunder_is_a_swing_for_which_the_better_turn_is_named() -> None:
    # Green lets red's stack of three on d5 cover the stack of five on d8, although c5 could cover it first.
    _, rules = given({"d8": "grrgg", "d5": "rrr", "c5": "g", "a3": "g", "h3": "r"})
    entries = (Entry.parse("a3-a4"), Entry.parse("d5-d8"))
    end = (*entries, *random_record(0, players=2).entries)
    found = review(GameRecord(rules=rules, entries=end))
    blunder = found.turns[0]
    assert blunder.swing < -0.1 and blunder.missed > 0.1
    assert str(blunder.played.answer) == "d5-d8"
    assert blunder in found.swings
    assert "d5-d8" in swing_sentence(blunder) and str(blunder.best.turn) in swing_sentence(blunder)
    assert found.turns[1].changes["r"].captures == 1 and found.turns[1].changes["r"].reserves == 2


def test_an_unfinished_game_is_not_reviewed() -> None:
    record = GameRecord(rules=Rules.make(2), entries=(Entry.parse("b2-b3"),))
    with pytest.raises(NotFinished, match="not over"):
        review(record)


def test_an_illegal_move_is_reported() -> None:
    with pytest.raises(IllegalMove, match="ply 1, b2-b5"):
        review(GameRecord(rules=Rules.make(2), entries=(Entry.parse("b2-b5"),)))


def test_in_a_long_game_each_turn_is_searched_less(monkeypatch: pytest.MonkeyPatch) -> None:
    record = random_record(60, players=2)
    monkeypatch.setattr(room, "MAX_POSITIONS", 600)
    assert not any(turn.complete for turn in review(record).turns)


def run(args: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    status = console.run(cli, args)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_the_command_prints_text_or_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = random_record(12, players=3)
    path = tmp_path / "game.json"
    path.write_text(write_json(Match((record,), single=True)))
    status, out, _ = run(["review", str(path)], capsys)
    assert status == 0
    assert out.rstrip().splitlines() == list(review_lines(review(record)))
    status, out, _ = run(["review", str(path), "--json"], capsys)
    data = json.loads(out)
    assert status == 0 and data == json.loads(json.dumps(review(record).to_json()))
    assert (data["format"], data["version"], len(data["turns"])) == ("focus-companion review", 1, 12)
    assert data["players"]["green"] == {"name": "Ann"}
    assert set(data["swings"]) <= {turn["ply"] for turn in data["turns"]}
    assert data["turns"][0]["changes"]["green"] == {
        "captures": 0,
        "reserves": -1,
        "control": 1,
        "mobility": 2,
    }


def test_the_command_reviews_a_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "match.json"
    path.write_text(write_json(Match((random_record(4, players=2), random_record(6, players=2)))))
    status, out, _ = run(["review", str(path), "--json"], capsys)
    games = [json.loads(line) for line in out.splitlines()]
    assert status == 0 and [(game["game"], len(game["turns"])) for game in games] == [(1, 4), (2, 6)]


@pytest.mark.parametrize(
    ("moves", "status", "words"),
    [
        (["b2-b3"], 1, "not over"),
        (["b2-b3", "b2-b3"], 1, "ply 2, b2-b3"),
        (None, 2, "moves"),
    ],
)
def test_the_command_refuses_invalid_arguments(
    moves: Any, status: int, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.json"
    record = {"format": "focus-companion game", "version": 1, "rules": {"players": 2}, "moves": moves}
    path.write_text(json.dumps(record))
    ended, out, err = run(["review", str(path)], capsys)
    assert (ended, out) == (status, "")
    assert words in err and err.count("\n") == 1
