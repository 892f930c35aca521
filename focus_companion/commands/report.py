"""``focus-companion report``: everything that a bug report needs, in one file, without secrets."""

from __future__ import annotations

import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import click

from focus_companion.commands.doctor import examine
from focus_companion.commands.shared.console import BadInput
from focus_companion.settings import Settings, load


@click.command("report")
@click.option(
    "--output", metavar="FILE.zip", type=click.Path(path_type=Path), help="Default: a dated name here."
)
@click.option(
    "--pictures", is_flag=True, help="With the camera's picture: only if you want to show your table."
)
@click.option("--camera", metavar="SOURCE|demo", help="The camera (default: the one that play would use).")
@click.option("--data", metavar="DIR", help="Folder of the journal (default: the user's data folder).")
@click.option("--port", type=click.IntRange(0, 65535), help="Of the page of a play that runs.")
def command(output: Path | None, pictures: bool, **flags: Any) -> None:
    """Pack versions, settings, the last events, the log and the doctor's findings for a bug report.

    PIN, passwords and the players' names are left out; so are pictures, unless requested.
    """
    from focus_companion.support.report import new_file, write_report

    settings = load(flags)
    try:
        path, out = new_file(output)
    except FileExistsError:
        raise BadInput(f"--output: {output} is there already; give another name") from None
    with out:
        found, seen = examine(settings)
        shown = _pictures(settings, seen) if pictures else None
        names = write_report(out, settings, found, shown)
    click.echo(f"{path}: {', '.join(names)}")
    if pictures and not shown:
        click.echo("There was no picture to be had.")
    click.echo("Look through it before you give it away.")


def _pictures(settings: Settings, seen: list[Any]) -> dict[str, bytes]:
    """The picture of a running play, with and without its reading, else those that the doctor took."""
    found = {}
    for name, query in (("snapshot.jpg", ""), ("reading.jpg", "?overlay=1")):
        try:
            address = f"http://127.0.0.1:{settings.port}/snapshot.jpg{query}"
            with urllib.request.urlopen(address, timeout=5) as answer:
                found[name] = answer.read()
        except (urllib.error.URLError, OSError):
            # None is running there, so the doctor had the camera to itself.
            break
    if not found and seen:
        import cv2

        done, data = cv2.imencode(".png", seen[-1])
        found = {"picture.png": data.tobytes()} if done else {}
    return found
