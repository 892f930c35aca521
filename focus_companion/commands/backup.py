"""``focus-companion backup``: a copy of the journal, made while a game may be running."""

from __future__ import annotations

from pathlib import Path

import click

from focus_companion.commands.shared.console import BadInput
from focus_companion.commands.shared.sources import journal_folder


@click.command("backup")
@click.argument("file", required=False)
@click.option("--data", metavar="DIR", help="Folder of the journal (default: the user's data folder).")
def command(file: str | None, data: str | None) -> None:
    """Copy the journal with all its games to FILE, which is checked before it gets its name.

    Without FILE the copy goes into the folder 'backups' beside the journal, named by date. A running game is
    not interrupted. 'restore' puts a copy back. If only the demo was played, its journal is copied.
    """
    from focus_companion.storage.backup import back_up

    if file == "-":
        raise BadInput("a copy of the journal is a file of its own; give its name")
    made = back_up(journal_folder(data), None if file is None else Path(file))
    click.echo(f"{made.path}: {made.content}")
