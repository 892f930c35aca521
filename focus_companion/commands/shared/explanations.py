"""The options ``--explain`` and ``--explain-to``, and the files that they write."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from click.core import ParameterSource

from focus_companion.commands.shared.console import BadInput, NegativeResult
from focus_companion.commands.shared.numbers import NumberRange

if TYPE_CHECKING:
    from focus_companion.support.explainer import Explainer

F = TypeVar("F", bound=Callable[..., Any])

_MAX_SECONDS: Final = 1e9
"""Thirty years: longer than any stream, and short enough for the name of a file."""


def explain_options(command: F) -> F:
    """Add both options: ``explain``, times in seconds, and ``explain_to``, a folder."""
    # Handled first, so that the other can tell whether it is there.
    times = click.option("--explain", metavar="TIME", type=NumberRange(0, _MAX_SECONDS), multiple=True,
                         is_eager=True,
                         help="Explain the decision at this time (seconds, as in the events) by a picture, "
                         "and end; may be repeated.")  # fmt: skip
    folder = click.option("--explain-to", metavar="FOLDER", default=".", show_default=True,
                          type=click.Path(path_type=Path, file_okay=False), callback=_with_times,
                          help="Where explained-TIME.png and .json are written.")  # fmt: skip
    return times(folder(command))


def _with_times(context: click.Context, option: click.Parameter, folder: Path) -> Path:
    given = context.get_parameter_source(str(option.name)) is not ParameterSource.DEFAULT
    if given and not context.params["explain"]:
        raise click.UsageError("--explain-to says where --explain TIME writes; give both", context)
    return folder


def write_explanations(explainer: Explainer, folder: Path, *, to_stderr: bool = False) -> None:
    """Write the picture and the terms of every explained decision to ``folder``, and print the terms.

    Raises:
        BadInput: a file cannot be written.
        NegativeResult: nothing was decided before one of the times.
    """
    import cv2

    from focus_companion.support.decision_picture import draw

    explainer.finish()
    for explanation in explainer.found:
        name = folder / f"explained-{explanation.asked:.2f}"
        terms = explanation.terms
        done, picture = cv2.imencode(".png", draw(explanation.views, terms))
        assert done
        try:
            folder.mkdir(parents=True, exist_ok=True)
            name.with_name(f"{name.name}.png").write_bytes(picture.tobytes())
            text = json.dumps(terms.to_json(), ensure_ascii=False, indent=1)
            name.with_name(f"{name.name}.json").write_text(f"{text}\n", encoding="utf-8")
        except OSError as error:
            raise BadInput(f"--explain-to: {folder} cannot be written ({error.strerror})") from error
        click.echo(f"{terms.text()}\n-> {name}.png", err=to_stderr)
    if explainer.missing:
        early = f"--explain: by {explainer.missing[0]:g} s nothing was decided"
        raise NegativeResult(f"{early}; the first turn is judged once the start position has been seen")
