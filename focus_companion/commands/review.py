"""``focus-companion review``: what happened in a finished game."""

from __future__ import annotations

import json

import click

from focus_companion.commands.shared.console import NegativeResult
from focus_companion.commands.shared.sources import load
from focus_companion.game.faults import IllegalMove
from focus_companion.game.position import position_text
from focus_companion.game.record import GameRecord
from focus_companion.review.puzzles import puzzles
from focus_companion.review.review import NotFinished, review
from focus_companion.review.words import review_lines


@click.command("review")
@click.argument("game")
@click.option(
    "--json", "as_json", is_flag=True, help="One JSON object for the game (a line a game of a match)."
)
@click.option("--data", metavar="DIR", help="Folder of the journal, for a game's number or last.")
@click.option("--match", "whole", is_flag=True, help="Of a game of the journal, the whole match.")
@click.option(
    "--puzzles", "as_puzzles", is_flag=True, help="Instead, positions in which one turn alone wins much."
)
def command(game: str, as_json: bool, data: str | None, whole: bool, as_puzzles: bool) -> None:
    """Show what every turn of GAME won and lost, and its three biggest swings.

    GAME is a record file (json, sgf or text), a number of the journal, or last. The game must be over.
    """
    match = load(game, data, match=whole)
    show = _print_puzzles if as_puzzles else _print_review
    for number, record in enumerate(match.games, 1):
        place = game if match.single else f"{game}: games[{number - 1}]"
        head = {} if match.single else {"game": number}
        try:
            show(record, head, as_json)
        except (IllegalMove, NotFinished) as error:
            raise NegativeResult(f"{place}: {error}") from None


def _print_review(record: GameRecord, head: dict[str, int], as_json: bool) -> None:
    """Print a game's review; ``head``: the number of a game of a match."""
    found = review(record)
    if as_json:
        click.echo(json.dumps(head | found.to_json(), ensure_ascii=True))
        return
    if head:
        click.echo(f"Game {head['game']}")
    for line in review_lines(found):
        click.echo(line)
    click.echo("")


def _print_puzzles(record: GameRecord, head: dict[str, int], as_json: bool) -> None:
    """Print a game's puzzles; ``head``: the number of a game of a match."""
    found = puzzles(record)
    if as_json:
        for puzzle in found:
            click.echo(json.dumps(head | puzzle.to_json(), ensure_ascii=True))
        return
    if head:
        click.echo(f"Game {head['game']}")
    if not found:
        click.echo("No position of this game has one turn alone that wins much.")
    for puzzle in found:
        click.echo(f"After turn {puzzle.ply}: {puzzle.text}")
        click.echo(f"  {position_text(puzzle.start.stacks)}")
    if found:
        click.echo("")
        click.echo("Answers: " + "; ".join(f"turn {puzzle.ply + 1} {puzzle.move}" for puzzle in found))
