"""Somebody leaves a game of three or four while the others play on: nothing need be set up."""

from __future__ import annotations

from table_scene import Table, begun

from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX
from focus_companion.game.start import Start
from focus_companion.session.requests import Leave, Request


def ask(table: Table, request: Request) -> None:
    done = table.session.submit(request)
    table.session.attend()
    assert done.exception(timeout=0) is None


def first_turn(position: Position) -> dict[str, str]:
    """A single piece of the player to move, set on the piece beside it."""
    stacks = position.stacks
    origin = next(s for s in range(8, 40) if stacks[s] == position.to_move and len(stacks[s + 1]) == 1)
    return {name: "" if s == origin else stacks[s] + stacks[origin] for name, s in INDEX.items()
            if s in (origin, origin + 1)}  # fmt: skip


def test_a_turn_made_while_another_player_leaves_is_followed() -> None:
    table = begun(Rules.make(4))
    turn = first_turn(table.session.position)
    ask(table, Leave("y"))
    (told,) = table.show(table.put(turn)).summary
    assert told.startswith("move ")


def test_an_alert_stands_while_another_player_leaves() -> None:
    table = begun(Rules.make(4))
    start = table.stacks
    (alert,) = table.show(table.put({"c4": "", "e6": "rg"}), 1.2).summary
    assert alert.startswith("alert ")
    ask(table, Leave("y"))
    assert table.show(seconds=2.5).summary == []
    assert table.show(start).summary == ["resolved"]


def test_a_stack_is_trimmed_although_another_player_leaves() -> None:
    stacks = list(start_position(Rules.make(4)).stacks)
    stacks[INDEX["c4"]], stacks[INDEX["c5"]], stacks[INDEX["c6"]] = "rgybg", "g", "by"
    start = Start.make("gbyr", tuple(stacks), reserves={}, to_move="g")
    table = begun(Rules.make(4, set_up="position", start=start))
    assert table.show(table.put({"c5": "", "c4": "rgybgg"})).summary == ["prompt c4"]
    ask(table, Leave("y"))
    assert table.show(table.put({"c5": "", "c4": "rgybgg"}), 1.0).summary == []
    assert table.show(table.put({"c5": "", "c4": "gybgg"})).summary == ["move c5-c4"]
