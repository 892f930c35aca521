"""A match: its length, its end, its winner, and the names that carry the points from game to game."""

from __future__ import annotations

import pytest
from game_boards import given

from focus_companion.game.declarations import Declaration
from focus_companion.game.match import MAX_GAMES, MatchPlace, is_placeholder, match_names, match_score
from focus_companion.game.moves import Move
from focus_companion.game.presets import PRESETS
from focus_companion.game.record import Entry, GameRecord
from focus_companion.game.rules import Rules


def lone_game(players: dict[str, str], *, captures: int, over: bool = True, order: str = "gr") -> GameRecord:
    """Green captures this many red pieces with one turn, then red resigns if the game is to be over."""
    _, rules = given({"d5": "g", "d6": "r" * captures + "g" * (5 - captures), "h3": "r"}, order=order)
    entries = (Entry(Move.parse("d5-d6")), *([Entry(Declaration("resign", "r"))] if over else []))
    return GameRecord(rules, players, entries=entries)


HERE, THERE = {"g": "Ann", "r": "Ben"}, {"g": "Ben", "r": "Ann"}


def test_a_match_is_over_only_with_its_last_game() -> None:
    one, two = lone_game(HERE, captures=1), lone_game(THERE, captures=1, over=False)
    for games, length, finished, winners in (
        ([one], 2, 1, ()),
        ([one, two], 2, 1, ()),
        ([one, lone_game(HERE, captures=1)], 2, 2, ("Ann",)),
        ([one], 1, 1, ("Ann",)),
        ([one] * 40, 40, 40, ("Ann",)),
        ([one] * 39, 40, 39, ()),
        ([one], None, 1, ("Ann",)),
        ([one, two], None, 1, ()),
        ([], None, 0, ()),
    ):
        score = match_score(games, length)
        assert (score.finished, score.winners, score.over) == (finished, winners, bool(winners))
    assert match_score([one] * 40, 40).totals == {"Ann": 40, "Ben": 0}


def test_a_tie_is_reported_and_partners_do_not_tie() -> None:
    tied = match_score([lone_game(HERE, captures=1), lone_game(THERE, captures=1)], 2)
    assert tied.tied and set(tied.winners) == {"Ann", "Ben"}
    assert tied.sentence() == "the match is tied between Ann and Ben"
    _, rules = given({"d5": "g", "d6": "bgggg", "h3": "b"}, 4, partners=True)
    pair = GameRecord(rules, entries=(Entry(Move.parse("d5-d6")), Entry(Declaration("draw", ""))))
    score = match_score([pair], 1)
    assert set(score.winners) == {"green", "yellow"} and not score.tied
    assert score.sentence() == "green and yellow win the match"
    assert match_score([lone_game(HERE, captures=1)], 3).sentence() == "1 of 3 games finished"


def test_games_of_a_match_are_numbered_and_a_new_match_starts_again() -> None:
    first = MatchPlace(3)
    third = first.after(7).after(9)
    assert (first.number, third.number, third.before, third.last) == (1, 3, (7, 9), True)
    assert third.after(11) == first
    assert MatchPlace.from_json(third.to_json()) == third and MatchPlace.from_json(None) is None


@pytest.mark.parametrize(
    "wording",
    [
        3,
        {},
        {"length": 0},
        {"length": True},
        {"length": "2"},
        {"length": MAX_GAMES + 1},
        {"length": 2, "before": 1},
        {"length": 2, "before": [1, 2]},
        {"length": 2, "before": ["x"]},
    ],
)
def test_an_invalid_place_is_refused(wording: object) -> None:
    with pytest.raises(ValueError, match=r".+"):
        MatchPlace.from_json(wording)


@pytest.mark.parametrize(
    ("players", "names"),
    [
        ({}, {"g": "Player 1", "r": "Player 2"}),
        ({"r": "Ann"}, {"g": "Player 1", "r": "Ann"}),
        ({"g": "Ann", "r": "Ann"}, {"g": "Ann", "r": "Ann (2)"}),
        ({"r": "Player 1"}, {"g": "Player 1 (2)", "r": "Player 1"}),
        ({"g": "Ann", "r": "Bo"}, {"g": "Ann", "r": "Bo"}),
    ],
)
def test_names_in_a_match_are_unique(players: dict[str, str], names: dict[str, str]) -> None:
    made = match_names("gr", players)
    assert len(set(made.values())) == 2 and match_names("gr", made) == made
    assert all(is_placeholder(name) == ("Player" in name) for name in made.values())
    if names["g"] != "Player 1 (2)":
        assert made == names


def test_a_number_appended_to_a_name_makes_no_duplicate() -> None:
    assert match_names("rgy", {"r": "Ann", "g": "Ann", "y": "Ann (2)"}) == {
        "r": "Ann",
        "g": "Ann (3)",
        "y": "Ann (2)",
    }


def test_the_tournament_preset_is_a_match_of_two_games() -> None:
    assert PRESETS["tournament"].games == 2
    assert PRESETS["tournament"].rules() == Rules.make(2)
