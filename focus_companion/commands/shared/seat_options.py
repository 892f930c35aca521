"""Command line options for who plays which colour."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TypeVar

import click

from focus_companion.commands.shared.console import BadInput
from focus_companion.commands.shared.serving import say
from focus_companion.game.colours import LETTER, NAMES
from focus_companion.session.seat_kinds import ENGINE, PACES, TABLE, SeatError, parse_kind

if TYPE_CHECKING:
    from focus_companion.session.session import Session

    _SeatType = click.ParamType[tuple[str, str]]
else:  # older versions of click have no type parameters
    _SeatType = click.ParamType

Command = TypeVar("Command", bound=Callable[..., Any])


class Seat(_SeatType):
    """A colour and who plays it, such as ``red=companion:3``."""

    name = "colour=kind"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        colour, equals, text = str(value).partition("=")
        letter = LETTER.get(colour.strip().lower(), colour.strip().lower())
        if not equals or letter not in NAMES:
            self.fail(f"{value!r} names no colour; write for example red=companion", param, ctx)
        try:
            kind = parse_kind(text)
        except SeatError as error:
            self.fail(str(error), param, ctx)
        if kind.by == TABLE:
            self.fail("another table cannot be played with yet; use far, companion or engine", param, ctx)
        if kind.by == ENGINE and shutil.which(kind.command[0]) is None:
            self.fail(f"there is no program {kind.command[0]!r} that can be run", param, ctx)
        return letter, str(kind)


def seat_options(command: Command) -> Command:
    """The options ``--seat`` and ``--pace``."""
    seat = click.option(
        "--seat",
        "seats",
        type=Seat(),
        multiple=True,
        metavar="COLOUR=KIND",
        help="Who plays a colour: board (default), companion, companion:1 to companion:8, far, or "
        "engine:COMMAND. Once a colour.",
    )
    pace = click.option(
        "--pace",
        type=click.Choice([f"{pace:.0f}" for pace in PACES]),
        help="Seconds for which a computer may think about a turn, at most (default 1).",
    )
    return seat(pace(command))


def chosen_seats(seats: Sequence[tuple[str, str]]) -> dict[str, str]:
    """The kinds of seat by letter. Raises BadInput for a colour that is named twice."""
    letters = [letter for letter, _ in seats]
    for letter in letters:
        if letters.count(letter) > 1:
            raise BadInput(f"--seat {NAMES[letter]} is given twice; say once who plays {NAMES[letter]}")
    return dict(seats)


def play_seats(session: Session, closing: ExitStack) -> Callable[[], None]:
    """Let programs play their seats; returns a callback for every event."""
    from focus_companion.seats.seats import Seats

    seats = Seats(session, say)
    closing.callback(seats.close, 1.0)
    seats.start()
    return seats.look


def seat_line(played_by: Mapping[str, str]) -> str:
    """The seats as a line for the terminal; "" if everybody plays at the board."""
    parts = (f"{NAMES[letter]} {kind}" for letter, kind in played_by.items())
    return f"Seats: {', '.join(parts)}" if played_by else ""
