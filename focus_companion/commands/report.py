"""``focus-companion report``: everything that a bug report needs, in one file, without secrets."""

from __future__ import annotations

import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

import click

from focus_companion.commands.doctor import examine
from focus_companion.commands.shared.console import BadInput
from focus_companion.commands.shared.numbers import NumberRange, WholeNumberRange
from focus_companion.settings import Settings, load

_DESCRIPTIONS: Final = {
    "before.png": "the last picture in which all was well",
    "fault.png": "the picture of the fault",
    "events.jsonl": "the newest events, without the players' names",
    "facts.json": "the rules, the set, the lens, the program's version",
}


@click.command("report")
@click.option(
    "--output",
    metavar="FILE.zip",
    type=click.Path(path_type=Path),
    help="Where to write it (default: a name with the date, in this folder).",
)
@click.option(
    "--pictures", is_flag=True, help="With the camera's picture: only if you want to show your table."
)
@click.option(
    "--tape",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Pack the pictures of a tape that show a fault, and nothing else.",
)
@click.option(
    "--at",
    metavar="SECONDS",
    type=NumberRange(0, 1e9),
    help="With --tape: when the fault was (default: the last one).",
)
@click.option("--whole-pictures", is_flag=True, help="With --tape: do not blur what lies beside the board.")
@click.option("--yes", is_flag=True, help="With --tape: do not ask before the pictures are packed.")
@click.option("--camera", metavar="SOURCE|demo", help="The camera (default: the one that play would use).")
@click.option("--data", metavar="DIR", help="Folder of the journal (default: the user's data folder).")
@click.option("--port", type=WholeNumberRange(0, 65535), help="Port of the page of a running play.")
def command(
    output: Path | None,
    pictures: bool,
    tape: Path | None,
    at: float | None,
    whole_pictures: bool,
    yes: bool,
    **flags: Any,
) -> None:
    """Pack versions, settings, the last events, the log and the doctor's findings for a bug report.

    PIN, passwords and the players' names are left out; so are pictures, unless requested.

    With --tape: the few pictures of a recording of play or watch in which the companion was wrong, with
    everything beside the board blurred. They can be looked at first. Nothing is sent.
    """
    if tape is not None:
        _of_tape(tape, output, at, blurred=not whole_pictures, ask=not yes)
        return
    if at is not None or whole_pictures or yes:
        raise BadInput("--at, --whole-pictures and --yes are for the pictures of a tape; give --tape FOLDER")
    from focus_companion.support.report import write_report

    settings = load(flags)
    with _new_file(output) as (path, out):
        found, seen = examine(settings)
        shown = _pictures(settings, seen) if pictures else None
        names = write_report(out, settings, found, shown)
    click.echo(f"{path}: {', '.join(names)}")
    if pictures and not shown:
        click.echo("No picture was available.")
    click.echo("Look through it before you pass it on.")


@contextmanager
def _new_file(output: Path | None) -> Iterator[tuple[Path, BinaryIO]]:
    """A new file and its name; deleted if it is not finished, as after Ctrl-C."""
    from focus_companion.support.report import new_file

    try:
        path, out = new_file(output)
    except FileExistsError:
        raise BadInput(f"--output: {output} is there already; give another name") from None
    try:
        with out:
            yield path, out
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _of_tape(tape: Path, output: Path | None, at: float | None, *, blurred: bool, ask: bool) -> None:
    from focus_companion.storage.tape.tape import TapeError
    from focus_companion.support.report import pack
    from focus_companion.support.tape_report import NoBoard, tape_parts
    from focus_companion.vision.capture.frames import FrameError

    try:
        parts = tape_parts(tape, at, blurred=blurred)
    except NoBoard as error:
        raise BadInput(f"{error}; look at it, and if you may show it: --whole-pictures") from error
    except (TapeError, FrameError) as error:
        raise BadInput(str(error)) from error
    with tempfile.TemporaryDirectory(prefix="focus-companion-report-") as shown:
        for name, data in parts.items():
            (Path(shown) / name).write_bytes(data)
        # Without a question, the folder is gone before anybody can look.
        where = f"This would be in the file, and nothing else. Look at it in {shown}"
        click.echo(where if ask else "This goes into the file, and nothing else:")
        for name, data in parts.items():
            click.echo(f"  {name:14} {len(data) / 1000:8.1f} kB  {_DESCRIPTIONS[name]}")
        question = "The pictures show your board to whoever you give the file. Pack them?"
        if ask and not _confirmed(question):
            click.echo("Nothing was packed.")
            return
    with _new_file(output) as (path, out):
        pack(out, parts)
    click.echo(f"{path} ({path.stat().st_size / 1000:.0f} kB). Nothing was sent: you choose who gets it.")


def _pictures(settings: Settings, seen: list[Any]) -> dict[str, bytes]:
    """The picture of a running play, with and without its reading, else one that the doctor took."""
    found = {}
    for name, query in (("snapshot.jpg", ""), ("reading.jpg", "?overlay=1")):
        try:
            address = f"http://127.0.0.1:{settings.port}/snapshot.jpg{query}"
            with urllib.request.urlopen(address, timeout=5) as answer:
                found[name] = answer.read()
        except (urllib.error.URLError, OSError):
            # No play is running there, so the doctor had the camera to itself.
            break
    if not found and seen:
        import cv2

        done, data = cv2.imencode(".png", seen[-1])
        found = {"picture.png": data.tobytes()} if done else {}
    return found


def _confirmed(question: str) -> bool:
    """Raises BadInput if nobody can answer."""
    try:
        return click.confirm(question)
    except click.Abort:
        if sys.stdin is not None and sys.stdin.isatty():
            raise
        click.echo()
        remedy = "run it in a terminal to look at the pictures first, or give --yes to pack them unseen"
        raise BadInput(f"nothing was packed: nobody answered; {remedy}") from None
