"""``focus-companion read``: one still picture to one position."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from focus_companion.commands.shared.console import BadInput, NotSo
from focus_companion.commands.shared.table_choice import boards_for, lens_for, table_options
from focus_companion.formats.board_text import board_text
from focus_companion.game.colours import NAMES
from focus_companion.game.position import position_text
from focus_companion.game.squares import SQUARES
from focus_companion.settings import load as load_settings

if TYPE_CHECKING:
    from focus_companion.vision.single_image.read_still import StillReading

IN_PLAY = {2: "gr", 3: "gbr", 4: "gbyr"}
"""Letters of the colours in play, by number of players."""

_DOUBTFUL = 0.9
"""Probability below which a square is reported as doubtful."""


@click.command("read")
@click.argument("image", type=click.Path(path_type=Path))
@click.option("--players", type=click.IntRange(2, 4), default=2, show_default=True, help="How many play.")
@click.option(
    "--rank1",
    type=click.Choice(["bottom", "left", "top", "right"]),
    default="bottom",
    show_default=True,
    help="The side of the picture where rank 1 is.",
)
@table_options
@click.option("--json", "as_json", is_flag=True, help="One line of JSON instead of text.")
def command(
    image: Path, players: int, rank1: str, as_json: bool, lens: str | None, board: str | None
) -> None:
    """Read one picture of the board: which stacks are on which squares.

    A single picture does not show which player sits where: give the side of rank 1 with --rank1. Exit status
    1 if no board is found, 2 if the file cannot be read as a picture.
    """
    from focus_companion.vision.capture.frames import FrameError, read_image
    from focus_companion.vision.geometry.board_profiles import plastic_sets
    from focus_companion.vision.single_image.read_still import read_still

    try:
        picture = read_image(image)
    except FrameError as error:
        raise BadInput(f"{error}; give a photograph of the board, such as a JPEG") from None
    profile = lens_for(lens, str(image), load_settings({}).data)
    sets = boards_for(board) or plastic_sets()
    reading = read_still(picture, sets, IN_PLAY[players], rank1, profile)
    if reading is None:
        raise NotSo(
            f"{image}: no board found in the picture; take it so that the whole board is in view, "
            "sharp, and fills a third of it or more"
        )
    click.echo(json.dumps(as_object(reading, rank1)) if as_json else as_text(reading, rank1))


def as_object(reading: StillReading, rank1: str) -> dict[str, object]:
    """The reading as the object that other programs read."""
    corners = {name: [round(x, 2), round(y, 2)] for name, (x, y) in reading.corners.items()}
    return {
        "position": position_text(reading.stacks),
        "rank1": rank1,
        "corners": corners,
        "confidence": round(reading.confidence, 4),
    }


def as_text(reading: StillReading, rank1: str) -> str:
    """The reading for people: the board, the pieces of each colour, and what is doubtful."""
    pieces = "".join(reading.stacks)
    counts = [f"{NAMES[letter]} {pieces.count(letter)}" for letter in NAMES if letter in pieces]
    lines = [
        f"Board found, rank 1 at the {rank1} of the picture; confidence {reading.confidence:.0%}.",
        "",
        board_text(reading.stacks),
        "",
        f"Pieces: {', '.join(counts) or 'none'}.",
    ]
    doubtful = [str(square) for square, sure in zip(SQUARES, reading.sure, strict=True) if sure < _DOUBTFUL]
    if doubtful:
        lines.append(f"Hard to see, so look for yourself: {' '.join(doubtful)}.")
    return "\n".join(lines)
