"""``focus-companion read``: reads the position in one still picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from focus_companion.commands.shared.console import BadInput, NegativeResult
from focus_companion.commands.shared.numbers import NumberRange, WholeNumberRange
from focus_companion.commands.shared.picture_sentences import cut_off_text, why_text
from focus_companion.commands.shared.table_choice import boards_for, lens_for, table_options
from focus_companion.formats.board_text import board_text
from focus_companion.game.colours import NAMES
from focus_companion.game.position import position_text
from focus_companion.game.rules import ORDERS, Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import SIDES, SQUARES
from focus_companion.settings import load as load_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from focus_companion.vision.capture.frames import Image
    from focus_companion.vision.geometry.lens_profiles import LensProfile
    from focus_companion.vision.geometry.scene import BoardProfile
    from focus_companion.vision.single_image.read_still import StillReading

_DOUBTFUL_PROBABILITY = 0.9
"""Probability of a stack below which its square is reported as doubtful: on 20 stills, 144 squares, 51 of the
52 misread ones among them. Raising it reports more squares that are right."""

_OTHER_SETS = "; if it is not the plastic set, name its profile with --board"
"""Ends the sentence that no board was found if no set was named."""

_MIN_AGREEMENT = 0.6
"""Agreement of the outlines (0 to 1) below which the picture does not show the start."""


@click.command("read")
@click.argument("image", type=click.Path(path_type=Path))
@click.option("--players", type=WholeNumberRange(2, 4), default=2, show_default=True, help="How many play.")
@click.option(
    "--rank1",
    type=click.Choice(SIDES),
    default="bottom",
    show_default=True,
    help="The side of the picture where rank 1 is.",
)
@table_options
@click.option(
    "--learn",
    metavar="FILE.toml",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Measure the set in a picture of the start, and write its profile for --board.",
)
@click.option(
    "--rise",
    metavar="PERCENT",
    type=NumberRange(2, 100),
    help="With --learn: by how much of a square's side a further piece raises a stack, by a ruler.",
)
@click.option("--json", "as_json", is_flag=True, help="One line of JSON instead of text.")
def command(
    image: Path,
    players: int,
    rank1: str,
    learn: Path | None,
    rise: float | None,
    as_json: bool,
    lens: str | None,
    board: str | None,
) -> None:
    """Read one picture of the board: which stacks are on which squares.

    A single picture does not show which player sits where: give the side of rank 1 with --rank1. Nor does it
    show whether it is mirrored. Exit status 1 if no whole board is found, 2 if the file cannot be read as a
    picture.
    """
    from focus_companion.vision.capture.frames import FrameError, read_image
    from focus_companion.vision.capture.picture_faults import picture_fault
    from focus_companion.vision.geometry.board_profiles import plastic_sets
    from focus_companion.vision.geometry.orientation import sides_beyond
    from focus_companion.vision.single_image.read_still import read_still

    if rise is not None and learn is None:
        raise BadInput("--rise is for measuring a set: give --learn FILE.toml, then --board FILE.toml")
    if learn is not None and as_json:
        raise BadInput("--json is for a position, and --learn measures a set; leave one of them out")
    try:
        picture = read_image(image)
    except FrameError as error:
        raise BadInput(f"{error}; give a photograph of the board, such as a JPEG") from None
    profile = lens_for(lens, str(image), load_settings({}).data)
    if learn is not None:
        click.echo(learned(picture, players, rank1, profile, boards_for(board), image, learn, rise))
        return
    sets = boards_for(board) or plastic_sets()
    fault = picture_fault(picture)
    # A grey picture is no fault with flat pieces: draughts may be black and white.
    if fault == "grey" and not sets[0].flat:
        raise NegativeResult(f"{image}: {why_text(fault)}")
    reading = read_still(picture, sets, ORDERS[players], rank1, profile)
    if reading is None and fault in ("dark", "covered"):
        raise NegativeResult(f"{image}: no board found: {why_text(fault)}")
    if reading is None:
        raise NegativeResult(
            f"{image}: no board found in the picture; take it so that the whole board is in view, "
            f"sharp, and fills a third of it or more{'' if board else _OTHER_SETS}"
        )
    if edges := sides_beyond(reading.camera, reading.profile):
        raise NegativeResult(f"{image}: {cut_off_text([*edges])}")
    click.echo(json.dumps(as_object(reading, rank1)) if as_json else as_text(reading, rank1))


def learned(
    picture: Image,
    players: int,
    rank1: str,
    lens: LensProfile | None,
    bases: Sequence[BoardProfile] | None,
    source: Path,
    target: Path,
    rise: float | None,
) -> str:
    """Write the profile of the set in a picture of the start to ``target``; returns a text for people.

    Raises:
        NegativeResult: no board is found, or the outlines do not fit the start.
        BadInput: the file cannot be written, or is no .toml.
    """
    from focus_companion.vision.appearance.shades import shade_text
    from focus_companion.vision.geometry.board_profiles import forms, profile_text
    from focus_companion.vision.single_image.measure_set import measure_set

    if target.suffix != ".toml":
        raise BadInput(f"--learn: {target} must end in .toml, so that --board takes it")
    start = start_position(Rules.make(players))
    measured = measure_set(picture, bases or forms(), start.stacks, rank1, lens, rise and rise / 100)
    if measured is None or measured.agreement < _MIN_AGREEMENT:
        raise NegativeResult(
            f"{source}: the start of {players} players is not seen; set all its pieces up, show the whole "
            "board from 25 to 45 degrees off the vertical, or name a profile of such pieces with --board"
        )
    about = (
        f"Measured by focus-companion read --learn in {source.name}.\nOnly sizes against the squares count."
    )
    try:
        target.write_text(profile_text(measured.profile, about), encoding="utf-8")
    except OSError as error:
        raise BadInput(f"--learn: {target} cannot be written ({error.strerror})") from error
    made = measured.profile
    height = f"{made.rise / made.pitch:.0%}"
    lines = [
        f"{target}: a piece is {2 * made.piece.radius / made.pitch:.0%} of a square wide, "
        f"and each further one rises by {height}."
    ]
    for look in made.pieces:
        shade = shade_text(look.shade)
        lines.append(f"{NAMES[look.letter].capitalize()} are the pieces of the shade {shade} ({look.name}).")
    if rise is None and measured.height_measured:
        lines.append("The height was measured in the picture; it may be wrong by a quarter.")
    elif rise is None:
        lines.append(
            f"The picture does not show how high a piece is, so {height} of a square was assumed, "
            "as for similar pieces: take it from more of a slant, or give the height with --rise."
        )
    lines.append(f"Is that right? Names and shades may be changed in the file. Then: --board {target}")
    return "\n".join(lines)


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
    doubtful = [
        square
        for square, probability in zip(SQUARES, reading.whole, strict=True)
        if probability < _DOUBTFUL_PROBABILITY
    ]
    if doubtful:
        lines.append(f"Hard to see, so look for yourself: {' '.join(doubtful)}.")
    return "\n".join(lines)
