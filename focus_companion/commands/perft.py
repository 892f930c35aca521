"""``focus-companion perft``: how many sequences of legal turns there are."""

from __future__ import annotations

import click

from focus_companion.commands.shared.numbers import WholeNumberRange
from focus_companion.commands.shared.rule_options import rule_options
from focus_companion.game.perft import perft
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position


@click.command("perft")
@click.argument("depth", type=WholeNumberRange(0, 100))
@rule_options
def command(depth: int, rules: Rules) -> None:
    """Print the number of sequences of DEPTH legal turns from the start. A forced pass is not a turn."""
    click.echo(perft(start_position(rules), rules, depth))
