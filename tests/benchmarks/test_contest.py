"""Every contestant of the benchmarks follows a game: our program, our program without one part, the peers."""

from __future__ import annotations

from itertools import takewhile

import pytest

from benchmarks.accuracy.contest import ABLATIONS, Contestant, Ours, run_all
from benchmarks.accuracy.peers import BackgroundDifference, NearestColour
from benchmarks.accuracy.simulated import case

FIRST_TURN_BEFORE = 6.0
"""Seconds of the game by which its first turn has been made."""


@pytest.mark.slow
def test_every_contestant_follows_a_game_to_its_first_turn() -> None:
    """A contestant that raises would be listed without events, as though the part it lacks were essential."""
    game = case(11002, 4, 0.0, (640, 480), 6.0)
    contestants: list[Contestant] = [Ours(game.rules), *(Ours(game.rules, part) for part in ABLATIONS)]
    contestants += [method(game.rules, game.look.camera) for method in (NearestColour, BackgroundDifference)]
    runs = run_all(takewhile(lambda frame: frame.time < FIRST_TURN_BEFORE, game.frames()), contestants)
    assert len(runs) == 3 + len(ABLATIONS)
    assert {name: run.error for name, run in runs.items() if run.error} == {}
    emitted = {name: [event["type"] for event in run.events] for name, run in runs.items()}
    assert "move" in emitted["ours"]
    assert all(types for name, types in emitted.items() if name.startswith("ours"))
