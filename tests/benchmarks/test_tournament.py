"""All contestants of a tournament play by the rules, and the stronger one gets the higher score."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.players import tournament
from benchmarks.players.results import Pairing, Result, append, results_of
from benchmarks.players.sparring import KINDS, Sparring, full_name, player
from benchmarks.players.tournament import interval, opening, play_game
from benchmarks.players.train_evaluation import flat, shaped
from focus_companion.game.moves import legal_moves
from focus_companion.game.play import apply
from focus_companion.game.rules import Rules
from focus_companion.players.levels import BEST_LEVEL, LEVELS
from focus_companion.players.weights import KINDS as WEIGHTS
from focus_companion.players.weights import weights_of


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "variant", [{"players": 2}, {"players": 3}, {"players": 4, "partners": True}], ids=str
)
def test_sparring_partners_play_by_the_rules(kind: str, variant: dict[str, Any]) -> None:
    rules = Rules.make(**variant)
    partner = Sparring(kind, depth=2 if kind == "alpha-beta" else 60)
    position = opening(rules, 3)
    for seed in range(12):
        # Even with no time at all, as on a busy machine, it finds a turn.
        move = partner.move([position], rules, 0.01 if seed % 2 else 0.0, seed)
        assert move in legal_moves(position, rules)
        position = apply(position, move, rules)


def test_the_better_player_wins_from_either_seat() -> None:
    rules = Rules.make(2)
    strong, weak = player("ours:nodes=2000"), player("ours:noise=3000,depth=1")
    shares = [play_game(strong, weak, seat, rules, 1.0, 7)[0] for seat in (0, 1)]
    assert shares == [1.0, 1.0]
    assert [play_game(weak, strong, seat, rules, 1.0, 7)[0] for seat in (0, 1)] == [0.0, 0.0]


def test_the_interval_is_that_of_the_mean_over_openings() -> None:
    assert interval([1.0, 0.0, 1.0, 0.0]) == (0.5, pytest.approx(1.96 * 0.5773503 / 2))


def test_results_name_the_limits_of_a_level_as_they_were() -> None:
    level = LEVELS[6]
    assert full_name("ours:6") == f"ours:noise={level.noise},nodes={level.nodes}"
    assert full_name("ours") == full_name(f"ours:{BEST_LEVEL}")
    assert full_name("ours:brs,depth=3,noise=0") == "ours:noise=0,depth=3,brs"
    assert full_name("alpha-beta:4") == "alpha-beta:4"


def test_a_tournament_continues_where_it_was_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "results.csv"
    weak = "ours:noise=3000,depth=1"

    def games(number: int) -> str:
        options = ("ours:nodes=500", weak, "--games", str(number), "--results", str(file))
        monkeypatch.setattr(sys, "argv", ["tournament", *options])
        tournament.main()
        return capsys.readouterr().out

    first = games(2)
    assert "of 2 games" in first
    rows = file.read_text().splitlines()
    assert "of 4 games" in games(4)
    assert file.read_text().splitlines()[: len(rows)] == rows
    again = games(4)
    assert "of 4 games" in again
    assert len(file.read_text().splitlines()) == len(rows) + 1, "nothing is played twice"


def test_results_of_another_program_do_not_count(tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    old, new = (Pairing(program, "ours", "mcts", "3 players", 0.25) for program in ("aaaa", "bbbb"))
    append(old, Result(7, 1.0, 3, 300, 0), file)
    append(new, Result(8, 1 / 3, 3, 500, 1), file)
    assert list(results_of(old, file)) == [Result(7, 1.0, 3, 300, 0)]
    assert list(results_of(new, file)) == [Result(8, 1 / 3, 3, 500, 1)]
    assert list(results_of(new, tmp_path / "none.csv")) == []


def test_an_unknown_player_is_refused() -> None:
    with pytest.raises(ValueError, match="nobody of that name"):
        player("deep-blue")


@pytest.mark.parametrize("kind", WEIGHTS)
def test_flattened_weights_regain_their_shape(kind: str) -> None:
    assert shaped(flat(weights_of(kind)), weights_of(kind)) == weights_of(kind)
