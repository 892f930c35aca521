"""``focus-companion replay``: shows a record position by position, for people or for programs."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Final

import click

from focus_companion.commands.shared.console import BadInput, NegativeResult, print_notice
from focus_companion.commands.shared.position_lines import position_lines
from focus_companion.commands.shared.sources import is_journal_game, load, read_bytes, warn
from focus_companion.formats.board_text import board_text
from focus_companion.formats.captions import captions
from focus_companion.formats.errors import FormatError
from focus_companion.formats.match import Match, score_lines
from focus_companion.formats.reading import MAX_RECORD_BYTES, read_record, records_in
from focus_companion.formats.walk import steps
from focus_companion.game.faults import IllegalMove
from focus_companion.game.record import GameRecord
from focus_companion.game.setups import start_position

LINE_SUFFIXES: Final = (".jsonl", ".ndjson")
"""Suffixes of files with one record per line."""

_WRITE_CHARACTERS: Final = 1 << 16
"""Number of characters that are collected before they are written."""


@click.command("replay")
@click.argument("game")
@click.option("--positions", is_flag=True, help="One JSON object a line: the position after every ply.")
@click.option("--legal", is_flag=True, help="With --positions: every object lists the legal turns.")
@click.option("--data", metavar="DIR", help="Folder of the journal, for a game's number or last.")
@click.option("--match", "whole", is_flag=True, help="Of a game of the journal, the whole match.")
def command(game: str, positions: bool, legal: bool, data: str | None, whole: bool) -> None:
    """Go through GAME: a record file (json, sgf or text), a number of the journal, or last.

    A .jsonl file holds one record per line. A record with an illegal move ends with exit status 1.
    """
    if legal and not positions:
        raise click.UsageError("--legal belongs to --positions; give both")
    if not whole and not is_journal_game(game, data):
        if Path(game).suffix.lower() in LINE_SUFFIXES and Path(game).exists():
            with Path(game).open("rb") as stream:
                _many(stream, game, positions, legal)
            return
        content = read_bytes(game)
        if _holds_lines(content):
            if len(content) > MAX_RECORD_BYTES:  # only its start was read
                raise BadInput(
                    f"{game}: too long to be held at once; give it as a file with a name in .jsonl"
                )
            _many(io.BytesIO(content), game, positions, legal)
        else:
            match = read_record(content, game)
            warn(match, game)
            _one(match, game, positions, legal)
        return
    _one(load(game, data, match=whole), game, positions, legal)


def _one(match: Match, source: str, positions: bool, legal: bool) -> None:
    """A game, or the games of a match; ends at the first illegal move."""
    for number, record in enumerate(match.games, 1):
        try:
            if positions:
                _write(position_lines(record, legal=legal, game=None if match.single else number))
            else:
                _write(_for_people(record, None if match.single else number))
        except IllegalMove as error:
            sys.stdout.flush()
            place = source if match.single else f"{source}: games[{number - 1}]"
            raise NegativeResult(f"{place}: {error}") from None
    if not (match.single or positions):
        _write(_score(match))


def _score(match: Match) -> Iterator[str]:
    """The score of a match: a point for each opposing piece captured, for the player or the pair."""
    points, standing = score_lines(match.score)
    yield f"{standing[:1].upper()}{standing[1:]}."
    yield f"Match: {points}"


def _many(stream: IO[bytes], source: str, positions: bool, legal: bool) -> None:
    """A file of records, one per line: continues after a faulty one."""
    faulty = count = 0
    for number, found in records_in(stream, source):
        count += 1
        try:
            if isinstance(found, FormatError):
                raise found
            warn(found, f"{source}: line {number}")
            for record in found.games:
                if positions:
                    _write(position_lines(record, legal=legal, game=number))
                else:
                    _write(_for_people(record, number))
        except IllegalMove as error:
            faulty += 1
            _print_in_order(f"{source}: line {number}: {error}")
        except FormatError as error:
            faulty += 1
            _print_in_order(str(error))
    if not count:
        raise FormatError("no records in it", source=source, remedy="give one game record (JSON) a line")
    if faulty:
        raise NegativeResult(
            f"{source}: {faulty} of {count} records are faulty; mend them at the lines named above"
        )


def _print_in_order(line: str) -> None:
    sys.stdout.flush()
    print_notice(line)


def _write(lines: Iterable[str]) -> None:
    """Write lines in large blocks, including all those produced before an error."""
    waiting: list[str] = []
    size = 0
    try:
        for line in lines:
            waiting.append(line)
            size += len(line)
            if size > _WRITE_CHARACTERS:
                sys.stdout.write("\n".join(waiting) + "\n")
                waiting, size = [], 0
    finally:
        if waiting:
            sys.stdout.write("\n".join(waiting) + "\n")


def _holds_lines(content: bytes) -> bool:
    """Whether this is one JSON record per line, whatever the file's name: at least two lines of objects."""
    first, _, others = content.partition(b"\n")
    other = others.lstrip()[:1]
    return (
        first.lstrip(b"\xef\xbb\xbf \t").startswith(b"{") and first.rstrip().endswith(b"}") and other == b"{"
    )


def _for_people(record: GameRecord, game: int | None) -> Iterator[str]:
    if game is not None:
        yield f"Game {game}"
    position = start_position(record.rules)
    yield from captions(record, position)
    yield board_text(position.stacks)
    for step in steps(record):
        yield ""
        yield from captions(record, step.after, step)
        yield board_text(step.after.stacks)
    yield ""
