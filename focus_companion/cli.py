"""The command line, which imports each command only when it is used. ``main`` is the entry point."""

from __future__ import annotations

import signal
import sys

if signal.getsignal(signal.SIGINT) is signal.default_int_handler and (
    __name__ == "__main__" or sys.argv[0].endswith("focus-companion")
):
    # Ctrl-C during the imports below ends the program at once, instead of with a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from collections.abc import Sequence
from importlib import import_module
from typing import Final, NoReturn

import click

from focus_companion import __version__
from focus_companion.commands.shared import console, memory, threads

COMMANDS: Final = {
    "play": "Follow a game: camera, page, lights, journal. The main command.",
    "hall": "Many tables on one page, as they publish to a broker.",
    "watch": "Camera or recording in, events out; no page.",
    "read": "One still picture to one position.",
    "replay": "Go through a recorded game, position by position.",
    "export": "A recorded game as json, sgf, text, csv, svg, gif, html or mp4.",
    "backup": "A copy of the journal, also while a game runs.",
    "restore": "Put a copy of the journal in its place.",
    "think": "The best turn of a game's last position; with - a server of requests.",
    "review": "What each turn of a finished game won and lost, and its biggest swings.",
    "calibrate": "Measure a camera's lens with a printed target.",
    "lights": "Try the lights: gpio, light board, WLED.",
    "doctor": "Check that everything needed for a game is there; name the remedy if not.",
    "report": "Pack what a bug report needs, without secrets.",
    "rerun": "Run a tape again, to the same verdicts.",
    "service": "Run play as a service of the user's systemd.",
    "perft": "Count the sequences of legal turns.",
}
"""The commands in the order of the help, with one line each, here so that help imports none of them."""


class LazyGroup(click.Group):
    """A group whose commands live in ``focus_companion.commands`` and are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"focus_companion.commands.{cmd_name}").command
        if not isinstance(command, click.Command):
            raise TypeError(f"focus_companion.commands.{cmd_name}.command is not a click command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit status: 0 done, 1 negative (an illegal record, no board), 2 wrong usage or bad input.",
)
@click.version_option(__version__, "--version", prog_name=console.PROGRAM)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """A camera over your Focus (Domination) board: it follows the game, referees it and records it."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the program; ends the process with the exit status."""
    threads.disable_library_threads()
    memory.raise_collection_threshold()
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(console.run(cli, args))


if __name__ == "__main__":
    main()
