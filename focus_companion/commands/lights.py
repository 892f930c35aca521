"""``focus-companion lights``: which lights there are, and a test of each."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import click

from focus_companion.commands.shared.console import NegativeResult
from focus_companion.commands.shared.numbers import NumberRange
from focus_companion.settings import config_file, load

ANSWER_TIMEOUT: Final = 8.0
"""Seconds; a board may be in its bootloader for two, and a busy port is retried after two more."""


@click.command("lights")
@click.option(
    "--test", "walk_all", is_flag=True, help="Walk through every light, saying what should be seen."
)
@click.option("--port", metavar="PATH", help="Serial port of the light board (default: from the settings).")
@click.option("--wled", metavar="URL", help="Address of a WLED strip (default: from the settings).")
@click.option("--pace", type=NumberRange(0.05, 20), default=1.0, show_default=True, help="Speed of the walk.")
def command(walk_all: bool, port: str | None, wled: str | None, pace: float) -> None:
    """Tell which lights answer; with --test, try each of them."""
    # Imported here: --help must not wait for the lights' libraries.
    from focus_companion.lights import LightSettings, open_lights
    from focus_companion.lights.meaning import NOTHING
    from focus_companion.lights.opening import wanted
    from focus_companion.lights.walk import walk

    settings = LightSettings.from_mapping(_table(load().lights, port, wled))

    def pressed() -> None:
        click.echo("    the button was pressed")

    with _lights_log_shown(), open_lights(settings, pressed, awaited=False) as lights:
        if not lights.names:
            if configured := wanted(settings):
                raise NegativeResult(
                    f"none of the configured lights can be used ({', '.join(configured)}); see above for why"
                )
            raise NegativeResult(
                "there are no lights to try; plug a light board in, name one with --port PATH or --wled URL, "
                f"or write a table [lights] into {config_file(os.environ)}"
            )
        lights.present(NOTHING)
        if not lights.wait(ANSWER_TIMEOUT):
            raise NegativeResult(f"not all of the lights answer ({', '.join(lights.names)})")
        click.echo(f"These answer: {', '.join(lights.names)}")
        for step in walk() if walk_all else ():
            click.echo(f"  {step.text}")
            lights.present(step.meaning, step.cue)
            time.sleep(step.seconds / pace)
            if not lights.wait(ANSWER_TIMEOUT):
                raise NegativeResult("the lights stopped answering")


@contextmanager
def _lights_log_shown() -> Iterator[None]:
    """Shows the log messages of the lights, and only those, on the terminal meanwhile."""
    log = logging.getLogger("focus_companion.lights")
    shown, level = logging.StreamHandler(), log.level
    log.setLevel(logging.INFO)
    log.addHandler(shown)
    try:
        yield
    finally:
        log.removeHandler(shown)
        log.setLevel(level)


def _table(settings: Mapping[str, Any], port: str | None, wled: str | None) -> dict[str, Any]:
    """The table ``[lights]`` of the settings, with the overrides of the command line."""
    table = dict(settings)
    if port is not None or wled is not None:
        table["backends"] = [name for name, given in (("serial", port), ("wled", wled)) if given is not None]
    if port is not None:
        table["serial"] = {**table.get("serial", {}), "port": port}
    if wled is not None:
        table["wled"] = {"url": wled}
    return table
