"""The options ``--tape`` and ``--tape-size``, and the tape that they create."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from focus_companion import __version__
from focus_companion.commands.shared.console import BadInput
from focus_companion.commands.shared.numbers import NumberRange
from focus_companion.formats.errors import shown
from focus_companion.game.squares import SIDES

if TYPE_CHECKING:
    from focus_companion.session.decisions import DecisionLog
    from focus_companion.session.pipeline import Pipeline
    from focus_companion.session.session import Session
    from focus_companion.storage.journal import Journal
    from focus_companion.storage.tape.tape import Tape
    from focus_companion.vision.geometry.lens_profiles import LensProfile
    from focus_companion.vision.geometry.scene import BoardProfile

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_MEGABYTES: Final = 4000.0
"""Default limit of a tape's size, enough for some minutes of a fast camera."""


def tape_options(command: F) -> F:
    """Add both options."""
    size = click.option("--tape-size", type=NumberRange(1), default=DEFAULT_MEGABYTES, show_default=True,
                        help="Megabytes after which the tape ends.")  # fmt: skip
    tape = click.option("--tape", metavar="FOLDER", type=click.Path(path_type=Path),
                        help="Keep every picture and event in FOLDER, for rerun; a lot of data.")  # fmt: skip
    return tape(size(command))


def sight_to_json(
    rank1: str, boards: Sequence[BoardProfile] | None, lens: LensProfile | None
) -> dict[str, Any]:
    """The pipeline's parameters, with the contents of the profiles, because their files may change."""
    return {
        "rank1": rank1,
        "boards": None if boards is None else [asdict(board) for board in boards],
        "lens": None if lens is None else asdict(lens),
    }


def sight_from_json(settings: Mapping[str, Any]) -> partial[Pipeline]:
    """Makes pipelines from the output of :func:`sight_to_json`. Raises BadInput."""
    from focus_companion.session.pipeline import Pipeline
    from focus_companion.vision.geometry.lens_profiles import LensProfile
    from focus_companion.vision.geometry.scene import BoardProfile, Lens, PieceLook, Solid

    def solid(values: Mapping[str, Any]) -> Solid:
        return Solid(**dict(values, rings=tuple(map(tuple, values["rings"]))))

    try:
        boards = settings["boards"] and tuple(
            BoardProfile(
                **dict(
                    board,
                    dome=solid(board["dome"]),
                    piece=solid(board["piece"]),
                    gaps=tuple(board.get("gaps", (0.0, 0.0))),
                    pieces=tuple(
                        PieceLook(**dict(look, shade=tuple(look["shade"])))
                        for look in board.get("pieces", ())
                    ),
                )
            )
            for board in settings["boards"]
        )
        lens = settings["lens"]
        if lens is not None:
            inner = lens["lens"]
            tuples = {name: tuple(inner[name]) for name in ("centre", "distortion")}
            lens = LensProfile(**dict(lens, lens=Lens(**dict(inner, **tuples))))
        if (rank1 := settings["rank1"]) not in SIDES:
            raise ValueError(f"rank1 is {shown(rank1)}")
        return partial(Pipeline, profiles=boards, rank1=rank1, lens=lens)
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"the tape does not say how its pictures were read ({error})") from error


def begin_tape(
    folder: Path,
    megabytes: float,
    session: Session,
    journal: Journal | None,
    decisions: DecisionLog,
    **how: Any,
) -> Tape:
    """Start a tape of ``session``, which has not seen a frame yet, and of the ``decisions`` of its pipeline;
    ``how`` are the pipeline's parameters.

    Raises:
        TapeError: the folder cannot be used.
    """
    from focus_companion.storage.tape.tape import Tape

    history = session.history
    events = None
    if session.resumed and journal is not None:
        events = [json.loads(kept.body) for kept in journal.kept(limit=1_000_000, game=history.game)]
    began = {
        "program": __version__,
        "game": history.game,
        "rules": (history.agreed or history.rules).to_json(),
        "players": dict(history.players),
        "played_by": dict(history.played_by),
        "pace": history.pace,
        "start_from": history.start_from,
        "takes_reading": session.takes_reading,
        "match": history.match and history.match.to_json(),
        "events": events,
        "time": session.time,
    }
    session.tape = decisions.tape = made = Tape(folder, began | how, megabytes=megabytes)
    return made
