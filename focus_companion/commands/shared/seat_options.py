"""Command line options for who plays which colour."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from focus_companion.commands.shared.console import BadInput
from focus_companion.commands.shared.serving import say
from focus_companion.game.colours import LETTER, NAMES
from focus_companion.session.seat_kinds import ENGINE, PACES, TABLE, SeatError, parse_kind, word_of

if TYPE_CHECKING:
    from focus_companion.session.session import Session

    _SeatType = click.ParamType["ChosenSeat"]
else:  # older versions of click have no type parameters
    _SeatType = click.ParamType

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class ChosenSeat:
    """Who plays the colour ``letter``; ``word``: the one-time word of a link to another table, else ""."""

    letter: str
    kind: str
    word: str = field(default="", repr=False)


class Seat(_SeatType):
    """A colour and who plays it, such as ``red=companion:3``."""

    name = "colour=kind"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> ChosenSeat:
        colour, equals, text = str(value).partition("=")
        letter = LETTER.get(colour.strip().lower(), colour.strip().lower())
        if not equals or letter not in NAMES:
            self.fail(f"{value!r} names no colour; write for example red=companion", param, ctx)
        try:
            kind = parse_kind(text)
        except SeatError as error:
            self.fail(str(error), param, ctx)
        if kind.by == ENGINE and shutil.which(kind.command[0]) is None:
            self.fail(f"there is no program {kind.command[0]!r} that can be run", param, ctx)
        return ChosenSeat(letter, str(kind), word_of(text))


def seat_options(command: Command) -> Command:
    """The options ``--seat`` and ``--pace``."""
    seat = click.option(
        "--seat",
        "seats",
        type=Seat(),
        multiple=True,
        metavar="COLOUR=KIND",
        help="Who plays a colour: board (default), companion, companion:1 to companion:8, far, "
        "table:LINK (another companion's far seat) or engine:COMMAND. Once a colour.",
    )
    pace = click.option(
        "--pace",
        type=click.Choice([f"{pace:.0f}" for pace in PACES]),
        help="Seconds for which a computer may think about a turn, at most (default 1).",
    )
    return seat(pace(command))


def chosen_seats(seats: Sequence[ChosenSeat]) -> tuple[dict[str, str], dict[str, str]]:
    """The kinds of seat and the words of links to another table, both by letter.

    Raises BadInput if a colour is named twice, or if two different tables are named.
    """
    letters = [seat.letter for seat in seats]
    for letter in letters:
        if letters.count(letter) > 1:
            raise BadInput(f"--seat {NAMES[letter]} is given twice; say once who plays {NAMES[letter]}")
    if len({seat.kind for seat in seats if parse_kind(seat.kind).by == TABLE}) > 1:
        raise BadInput("--seat names two other tables; a game can be shared with one")
    played_by = {seat.letter: seat.kind for seat in seats}
    return played_by, {seat.letter: seat.word for seat in seats if seat.word}


def play_seats(
    session: Session, data: Path, words: Mapping[str, str], closing: ExitStack
) -> Callable[[], None]:
    """Let programs and another table play their seats; returns a callback to be called at every event.

    ``data``: the folder that keeps the tokens for another table; ``words``: those of its links, by letter.
    """
    from focus_companion.seats.seats import Seats

    programs = Seats(session, say)
    closing.callback(programs.close, 1.0)
    programs.start()
    if not any(parse_kind(kind).by == TABLE for kind in session.history.played_by.values()):
        return programs.notify
    # Few games are shared with another table, and its HTTP client is slow to import.
    from focus_companion.seats.other_table import OtherTable

    other = OtherTable(session, data, words, say)
    closing.callback(other.close, 1.0)
    other.start()

    def notify() -> None:
        programs.notify()
        other.notify()

    return notify


def seat_line(played_by: Mapping[str, str]) -> str:
    """The seats as a line for the terminal; "" if everybody plays at the board."""
    parts = (f"{NAMES[letter]} {kind}" for letter, kind in played_by.items())
    return f"Seats: {', '.join(parts)}" if played_by else ""
