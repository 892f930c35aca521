"""``focus-companion rerun``: replays a tape, which must give the same verdicts, bit for bit."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import click

from focus_companion.commands.shared.console import BadInput, NegativeResult
from focus_companion.commands.shared.explanations import explain_options, write_explanations
from focus_companion.commands.shared.taping import sight_from_json
from focus_companion.commands.watch import lines


@click.command("rerun")
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
@click.option("--events", metavar="FILE", help="Write the events as lines of JSON; - is standard output.")
@click.option("--different", is_flag=True, help="Go on after the first difference, and list all of them.")
@explain_options
def command(
    folder: Path, events: str | None, different: bool, explain: tuple[float, ...], explain_to: Path
) -> None:
    """Replay what play or watch recorded with --tape FOLDER.

    Exit status 1 if any event differs from the recorded one. With --explain TIME, differences do not matter.
    """
    # Imported here: --help must not wait for OpenCV.
    from focus_companion.storage.tape.replay import Recording
    from focus_companion.storage.tape.tape import LINES_FILE, TapeError
    from focus_companion.support.explainer import Explainer

    try:
        recording = Recording(folder)
        sight = sight_from_json(recording.header.get("sight", {}))
        explainer = Explainer(explain)
        if explain:
            sight = partial(sight, on_decision=explainer)
        count, apart = 0, 0
        with lines(events, folder / LINES_FILE) as out:
            for compared in recording.run(sight):
                count += 1
                if out is not None and compared.emitted is not None:
                    out.write(json.dumps(compared.emitted, ensure_ascii=False) + "\n")
                if explain and explainer.done:
                    break
                if explain or compared.same:
                    continue
                apart += 1
                line = f"event {count}: then {_short(compared.taped)}, now {_short(compared.emitted)}"
                if not different:
                    raise NegativeResult(f"{folder}: {line}")
                click.echo(line, err=True)
    except TapeError as error:
        raise BadInput(str(error)) from error
    if explain:
        write_explanations(explainer, explain_to, to_stderr=events == "-")
        return
    if apart:
        raise NegativeResult(f"{folder}: {apart} of {count} events differ")
    click.echo(f"{folder}: {count} event{'' if count == 1 else 's'}, as recorded", err=True)


def _short(event: object) -> str:
    return "nothing" if event is None else json.dumps(event, ensure_ascii=False)
