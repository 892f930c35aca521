"""Hundreds of endings: small crowded boards played out at random, compared turn by turn with the oracle.

Whole random games seldom end; games on boards with a few tall stacks do, in every possible way.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import game_oracle as oracle
import pytest

from focus_companion.game.colours import OPPOSITE
from focus_companion.game.declarations import Declaration
from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.play import act, play
from focus_companion.game.position import Position
from focus_companion.game.rules import ORDERS, Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import SQUARES
from focus_companion.game.start import Start

MAX_TURNS = 60


def random_rules(choose: random.Random) -> dict[str, Any]:
    """Random settings for a game from a given position."""
    players = choose.choice((2, 3, 4))
    partners = players == 4 and choose.random() < 0.5
    order = "".join(choose.sample(ORDERS[4], players))
    if partners:  # partners sit opposite each other
        other = next(letter for letter in order[1:] if letter != OPPOSITE[order[0]])
        order = order[0] + other + OPPOSITE[order[0]] + OPPOSITE[other]
    settings: dict[str, Any] = {
        "players": players,
        "order": order,
        "partners": partners,
        "reserve_on": choose.choice(("anywhere", "empty_or_own")),
    }
    if players > 2:
        settings["stuck"] = choose.choice(("pass", "out"))
    if partners:
        settings["move_partner_stacks"] = choose.random() < 0.5
    elif choose.random() < 0.4:
        settings |= {
            "fast": True,
            "fast_each": choose.randint(1, 4),
            "fast_total": choose.choice((None, 3, 6)),
            "fast_own": choose.choice(("held", "taken")),
        }
    return settings


def random_board(choose: random.Random, order: str) -> tuple[str, ...]:
    """A few stacks close together, most of them tall, with tops of few colours."""
    squares = [name for name in SQUARES if name[0] in "cdef" and name[1] in "3456"]
    tops = "".join(choose.sample(order, max(2, len(order) - choose.randint(0, 1))))
    found = {
        name: "".join(choose.choices(order, k=choose.randint(0, 4))) + choose.choice(tops)
        for name in choose.sample(squares, choose.randint(2, 6))
    }
    return tuple(found.get(name, "") for name in SQUARES)


def act_by_specification(state: dict[str, Any], rules: Rules, kind: str, player: str) -> dict[str, Any]:
    """The state after an act, from the specification alone."""
    state = dict(state)
    if kind == "draw":
        return oracle.end(state, "", "agreed draw")
    if rules.players == 2:
        return oracle.end(state, rules.order.replace(player, ""), "resigned")
    state["out"] = [*state["out"], player]
    staying = [p for p in rules.order if p not in state["out"]]
    partner = oracle.PARTNER[staying[0]] if rules.partners else ""
    if all(p in (staying[0], partner) for p in staying):
        winners = "".join(p for p in rules.order if p in (staying[0], partner))
        return oracle.end(state, winners, "resigned")
    able = [p for p in staying if oracle.turns(state, rules, p)]
    partner = oracle.PARTNER[able[0]] if rules.partners else ""
    if all(p in (able[0], partner) for p in able):
        winners = "".join(p for p in rules.order if p in (able[0], partner))
        return oracle.end(state, winners, "domination")
    while state["turn"] not in able:
        if rules.stuck == "out" and state["turn"] not in state["out"]:
            state["out"] = [*state["out"], state["turn"]]
        state["turn"] = rules.order[(rules.order.index(state["turn"]) + 1) % rules.players]
    return state


def assert_agree(position: Position, state: dict[str, Any], rules: Rules) -> None:
    """Assert that both implementations agree."""
    assert {s: t for s, t in zip(SQUARES, position.stacks, strict=True) if t} == state["board"]
    assert dict(zip(rules.order, position.reserves, strict=True)) == state["reserve"]
    assert {p: position.captures(p) for p in rules.order} == state["captured"]
    assert list(position.out) == state["out"]
    assert position.to_move == state["turn"]
    found = position.result
    assert (found and (found.winners, found.reason)) == state["result"]
    turns = oracle.turns(state, rules, state["turn"]) if state["turn"] else set()
    assert [str(move) for move in legal_moves(position, rules)] == sorted(turns)


def play_out(seed: int) -> str:
    """Play one small game in both implementations; return how it ended."""
    choose = random.Random(seed)
    settings = random_rules(choose)
    order = settings["order"]
    start = Start.make(
        order,
        random_board(choose, order),
        reserves={p: choose.choice((0, 0, 0, 1)) for p in order},
        to_move=choose.choice(order),
    )
    rules = Rules.make(**settings, set_up="position", start=start)
    if not any(start.stacks) or start_position(rules).result is not None:
        return "over at once"
    position = start_position(rules)
    state = oracle.begin(rules, dict(zip(SQUARES, start.stacks, strict=True)))
    state |= {
        "reserve": dict(zip(order, start.reserves, strict=True)),
        "taken": dict(zip(order, start.reserves, strict=True)),
        "first": dict.fromkeys(order, False),
        "turn": start.to_move,
    }
    while not oracle.turns(state, rules, state["turn"]):  # players who cannot move at the start
        if rules.stuck == "out" and rules.players > 2:
            state["out"] = [*state["out"], state["turn"]]
        state["turn"] = order[(order.index(state["turn"]) + 1) % rules.players]
    assert_agree(position, state, rules)
    for _ in range(MAX_TURNS):
        if position.result is not None:
            return f"{position.result.reason}, {len(position.out)} out"
        if choose.random() < 0.01:
            kind = choose.choice(("resign", "leave", "draw"))
            player = "" if kind == "draw" else choose.choice([p for p in order if p not in position.out])
            position = act(position, Declaration(kind, player), rules)  # type: ignore[arg-type]
            state = act_by_specification(state, rules, kind, player)
        else:
            turns = sorted(oracle.turns(state, rules, state["turn"]))
            hostile = [
                turn
                for turn in turns
                if turn[-2:] in state["board"] and state["board"][turn[-2:]][-1] != state["turn"]
            ]
            text = choose.choice(hostile if hostile and choose.random() < 0.8 else turns)
            position = play(position, Move.parse(text), rules)
            state = oracle.after(state, rules, text)
        assert_agree(position, state, rules)
    return "went on"


@pytest.mark.parametrize("part", range(4))
def test_small_games_to_their_end(part: int) -> None:
    ends = Counter(play_out(seed) for seed in range(part * 100, part * 100 + 100))
    assert sum(count for end, count in ends.items() if end.startswith(("domination", "fast"))) > 20, ends
    assert len(ends) > 4, ends


@pytest.mark.slow
def test_very_many_small_games() -> None:
    ends = Counter(play_out(seed) for seed in range(1_000, 6_000))
    for end in (
        "domination, 0 out",
        "domination, 1 out",
        "domination, 2 out",
        "fast, 1 out",
        "resigned, 2 out",
    ):
        assert ends[end] > 10, ends
