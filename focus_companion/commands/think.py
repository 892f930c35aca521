"""``focus-companion think``: the best turn of a record's last position, or answers to lines of requests."""

from __future__ import annotations

import codecs
import json
import secrets
import sys
import time
from collections.abc import Iterator
from typing import IO

import click

from focus_companion.commands.shared.console import NegativeResult
from focus_companion.commands.shared.numbers import NumberRange, WholeNumberRange
from focus_companion.game.colours import NAMES, names
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.players.choosing import Budget, choose, shared_engine
from focus_companion.players.levels import BEST_LEVEL
from focus_companion.players.protocol import (
    MAX_LINE_BYTES,
    Defaults,
    answer,
    budget_of,
    final_value,
    following,
)


@click.command("think")
@click.argument("game")
@click.option(
    "--seconds",
    type=NumberRange(0, 86_400, min_open=True),
    help="Time to think (default 1).",
)
@click.option(
    "--nodes",
    type=WholeNumberRange(1, 1_000_000_000),
    help="Positions to look at instead of a time, so that results are repeatable.",
)
@click.option(
    "--level", type=WholeNumberRange(1, BEST_LEVEL), default=BEST_LEVEL, show_default=True, help="How strong."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("--data", metavar="DIR", help="Folder of the journal, for a game's number or last.")
def command(
    game: str, seconds: float | None, nodes: int | None, level: int, as_json: bool, data: str | None
) -> None:
    """Show the best turn in the last position of GAME, its chance and the likely continuation.

    GAME is a record file (json, sgf or text), a number of the journal, or last. With - it answers requests:
    one JSON object per line in, one per line out; docs/players.md describes both.
    """
    if seconds is not None and nodes is not None:
        raise click.UsageError("give --seconds or --nodes, not both")
    if seconds is None and nodes is None:
        seconds = 1.0
    if game == "-":
        serve(sys.stdin.buffer, sys.stdout, Defaults(seconds, nodes, level))
    else:
        _one(game, data, Defaults(seconds, nodes, level), as_json)


def serve(requests: IO[bytes], answers: IO[str], defaults: Defaults) -> None:
    """Answer requests until their end; each answer is flushed at once."""
    # Compile and load everything before the first request, so that its time is spent on thinking.
    rules = Rules.make(2)
    choose(start_position(rules), rules, budget=Budget(nodes=1000))
    for line in _lines(requests):
        answers.write(answer(line, time.perf_counter, secrets.randbits(32), defaults) + "\n")
        answers.flush()


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Lines; one that is too long is cut just beyond the limit. Programs on Windows write a byte-order mark
    before the first.
    """
    mark = codecs.BOM_UTF8
    while line := stream.readline(len(mark) + MAX_LINE_BYTES + 2).removeprefix(mark):
        part, mark = line, b""
        while not part.endswith(b"\n") and (part := stream.readline(MAX_LINE_BYTES)):
            pass
        yield line.rstrip(b"\r\n")


def _one(game: str, data: str | None, asked: Defaults, as_json: bool) -> None:
    # Imported here: a server of requests, one per seat, does not need the file formats.
    from focus_companion.commands.shared.sources import load
    from focus_companion.game.faults import IllegalMove
    from focus_companion.game.record import steps

    record = load(game, data).games[-1]
    rules = record.rules
    try:
        positions = [step.position for step in steps(record)]
    except IllegalMove as error:
        raise NegativeResult(f"{game}: {error}") from None
    last = positions[-1]
    if last.result is not None:
        player = following(positions, rules)
        if as_json:
            click.echo(json.dumps({"move": None, "value": final_value(last, rules, player)}))
        else:
            winners = " and ".join(names(last.result.winners)) or "nobody"
            click.echo(f"The game is over: won by {winners} ({last.result.reason}).")
        return
    shared_engine()
    budget = budget_of(asked.seconds, asked.nodes, time.perf_counter(), time.perf_counter)
    seed = 0 if asked.nodes is not None else secrets.randbits(32)
    found = choose(last, rules, asked.level, budget, seed, positions[:-1])
    line = [str(move) for move in found.line]
    if as_json:
        result = {"move": str(found.move), "value": round(found.value, 4), "line": line}
        click.echo(json.dumps(result | {"depth": found.depth, "nodes": found.nodes}))
        return
    click.echo(f"{NAMES[last.to_move]} to move: {found.move}, chance to win {round(100 * found.value)} %")
    click.echo(f"expected: {' '.join(line)}")
    click.echo(f"looked {_counted(found.depth, 'turn')} ahead, at {_counted(found.nodes, 'position')}")


def _counted(number: int, thing: str) -> str:
    # As the referee's words, which are too slow to import for a program that only thinks.
    return f"{number} {thing}{'' if number == 1 else 's'}"
