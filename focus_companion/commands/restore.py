"""``focus-companion restore``: replaces the journal by a copy of it."""

from __future__ import annotations

from pathlib import Path

import click

from focus_companion.commands.shared.sources import data_folder


@click.command("restore")
@click.argument("file")
@click.option("--data", metavar="DIR", help="Folder of the journal (default: the user's data folder).")
def command(file: str, data: str | None) -> None:
    """Replace the journal by FILE, a copy that 'backup' made.

    Every game of the copy is checked first, and the old journal is kept beside it. Refused while a game is
    being played.
    """
    from focus_companion.storage.backup import holds_demo, restore
    from focus_companion.storage.folders import demo_folder

    # The demo's games never become the user's own: no real board matches the simulated one.
    folder = demo_folder(data_folder(data)) if holds_demo(Path(file)) else data_folder(data)
    done = restore(folder, Path(file))
    click.echo(f"{done.path}: {done.content}, from {file}")
    if done.kept is not None:
        click.echo(f"The previous journal is kept as {done.kept}")
