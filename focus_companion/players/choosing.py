"""Chooses a turn for a computer player."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp

from focus_companion.game.moves import Move
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.players.engine import DECIDED_SCORE, MAX_DEPTH, MAX_NODES, Engine, never_stop
from focus_companion.players.levels import BEST_LEVEL, LEVELS
from focus_companion.players.weights import weights_for


@dataclass(frozen=True, slots=True)
class Budget:
    """How much work a choice may take; both bounds hold."""

    nodes: int = MAX_NODES
    """Maximum positions searched."""
    should_stop: Callable[[], bool] = never_stop
    """Called about every millisecond; once it returns True, the best turn so far is chosen."""


@dataclass(frozen=True, slots=True)
class ChosenTurn:
    """A chosen turn."""

    move: Move
    value: float
    """The mover's chance to win, 0 to 1."""
    line: tuple[Move, ...]
    """The turns expected from here, ``move`` first."""
    nodes: int
    """Positions searched."""
    depth: int
    """Number of turns ahead that were searched in full breadth."""


@lru_cache(maxsize=1)
def shared_engine() -> Engine:
    """Return this process's engine, created on first use. Not safe for several threads at once."""
    return Engine()


def choose(
    position: Position,
    rules: Rules,
    level: int = BEST_LEVEL,
    budget: Budget | None = None,
    seed: int = 0,
    earlier: Sequence[Position] = (),
) -> ChosenTurn:
    """Return the turn that a player of this level makes in a position that is not over.

    It uses only what a player can see. The same arguments give the same answer on every machine as long as
    nodes bound the work; another ``seed`` may give another turn of about the same value. ``earlier``: the
    positions of the game before this one, in order; without them it may go in circles. Raises ValueError for
    a game that is over or an unknown level.
    """
    if position.over:
        raise ValueError("the game is over: there is no turn to choose")
    if level not in LEVELS:
        raise ValueError(f"a level is a number from 1 to {BEST_LEVEL}, not {level}")
    budget = budget or Budget()
    engine = shared_engine()
    played = LEVELS[level]
    engine.set_up(position, rules, earlier=earlier)
    found = engine.search(
        nodes=min(budget.nodes, played.nodes),
        depth=min(MAX_DEPTH, played.depth),
        noise=played.noise,
        seed=seed,
        should_stop=budget.should_stop,
    )
    return ChosenTurn(found.move, chance(found.score, rules), found.line, found.nodes, found.depth)


def chance(score: int, rules: Rules) -> float:
    """Return the chance to win (0 to 1) that corresponds to a search's score."""
    if abs(score) > DECIDED_SCORE:
        return float(score > 0)
    weights = weights_for(rules)
    return 1 / (1 + exp(-(weights.scale * score / 1000 + weights.shift)))
