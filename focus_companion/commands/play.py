"""``focus-companion play``: the main program, which connects a game with camera, page, lights and journal."""

from __future__ import annotations

import logging
import os
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from focus_companion import __version__, logs
from focus_companion.addresses import shown_address
from focus_companion.commands.shared import memory, threads
from focus_companion.commands.shared.broker_options import chosen_broker
from focus_companion.commands.shared.console import BadInput, print_notice
from focus_companion.commands.shared.ending import end_in_time, leave
from focus_companion.commands.shared.game_options import GameOptions
from focus_companion.commands.shared.numbers import NumberRange, WholeNumberRange
from focus_companion.commands.shared.phone_page import phone_page
from focus_companion.commands.shared.pin import print_phone
from focus_companion.commands.shared.rule_options import match_options
from focus_companion.commands.shared.seat_options import ChosenSeat, chosen_seats, seat_options
from focus_companion.commands.shared.serving import announce, on_signals, say
from focus_companion.commands.shared.table_choice import table_options
from focus_companion.commands.shared.taping import tape_options
from focus_companion.game.colours import LETTER, NAMES
from focus_companion.game.rules import Rules
from focus_companion.game.squares import SIDES
from focus_companion.notify import Supervisor
from focus_companion.session.names import clean_text
from focus_companion.settings import LOG_LEVELS, SPOKEN_LANGUAGES, Settings, load
from focus_companion.support.exposed import exposed_notice

if TYPE_CHECKING:
    from focus_companion.session.runner import Runner
    from focus_companion.session.session import Session

    _NameType = click.ParamType[tuple[str, str]]
else:  # older versions of click have no type parameters
    _NameType = click.ParamType

log = logging.getLogger(__name__)

SPEED_TEST_SECONDS = 0.2
"""Seconds for which the machine's speed is measured before a game."""


class Name(_NameType):
    """A player's name, as ``green=Ann``."""

    name = "colour=name"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        colour, equals, name = str(value).partition("=")
        letter = LETTER.get(colour.strip().lower(), colour.strip().lower())
        clean = clean_text(name)
        if not equals or letter not in NAMES or not clean:
            self.fail(f"{value!r} names no player; write for example green=Ann", param, ctx)
        return letter, clean


@click.command("play")
@click.option(
    "--camera",
    metavar="SOURCE|phone|demo",
    help="Camera number or device, video file, folder of pictures, http or rtsp address, phone (its "
    "browser sends the pictures), or demo. "
    "Default: the first camera that works, else demo.",
)
@match_options
@click.option("--name", "names", type=Name(), multiple=True, help="A player's name, e.g. green=Ann.")
@seat_options
@click.option("--new", is_flag=True, help="Begin a new game, also when one is unfinished.")
@click.option(
    "--port", type=WholeNumberRange(0, 65535), help="Port of the page (default 8000; 0: any free one)."
)
@click.option("--data", metavar="DIR", help="Folder of the journal (default: the user's data folder).")
@click.option("--lan/--no-lan", default=None, help="Let other machines watch; they need the PIN to act.")
@click.option("--mqtt", metavar="URL", help="Publish to a broker: mqtt[s]://[USER@]HOST[:PORT].")
@click.option("--mqtt-ca", metavar="FILE", help="CA certificate of the broker (default: the system's).")
@click.option("--table", metavar="NAME", help="The table's name at the broker (default: the machine's).")
@click.option("--speak", type=click.Choice(SPOKEN_LANGUAGES), is_flag=False, flag_value="system",
              help="Say aloud what happens, with espeak-ng, in this or the system's language.")  # fmt: skip
@click.option("--log", type=click.Choice(LOG_LEVELS), help="Level of the log (default info).")
@click.option("--fps", type=NumberRange(0.1, 1000), help="Frame rate of a folder of pictures (default 15).")
@click.option("--rank1", type=click.Choice(SIDES), default="bottom",
              help="Where rank 1 lies in the picture, if the set-up leaves it open.")  # fmt: skip
@table_options
@tape_options
def command(
    rules: Rules | None,
    start_from: str,
    games: int,
    names: Sequence[tuple[str, str]],
    seats: Sequence[ChosenSeat],
    pace: str | None,
    new: bool,
    rank1: str,
    tape: Path | None,
    tape_size: float,
    **flags: Any,
) -> None:
    """Follow a game at the board: the page shows it live, the journal keeps it.

    An unfinished game of the same --data folder goes on. The demo has a journal of its own, in its folder
    demo.
    """
    settings = load(flags)
    for letter in (letters := [letter for letter, _ in names]):
        if letters.count(letter) > 1:
            raise BadInput(f"--name {NAMES[letter]} is given twice; say once who plays {NAMES[letter]}")
    played_by, words = chosen_seats(seats)
    wanted = GameOptions(
        rules=rules, start_from=start_from, names=dict(names), games=games, new=new, rank1=rank1,
        tape=tape, tape_size=tape_size,
        played_by=played_by, words=words, pace=None if pace is None else float(pace),
    )  # fmt: skip
    # Only this user may read what is written from here on: journal, logs, copies.
    os.umask(0o077)
    if settings.lan and settings.pin is None:
        settings = replace(settings, pin=f"{secrets.randbelow(10**6):06}")
    for secret in (settings.pin, settings.mqtt_password, *words.values()):
        logs.hide(secret)
    logs.start(settings.log)
    if notice := exposed_notice():
        print_notice(notice)
    stop = threading.Event()
    on_signals(stop)
    going: Restart | None = Restart(settings)
    while going is not None:
        with ExitStack() as closing:
            going = play(going.settings, wanted, stop, closing, going.picked)
        # A tape records one session only.
        wanted = replace(wanted, tape=tape and tape.with_name(f"{tape.name}-camera"))
    leave()


@dataclass(frozen=True)
class Restart:
    """How to restart: the settings, and the camera chosen on the page (see ``CameraOffer.source``)."""

    settings: Settings
    picked: str | None = None


def play(
    settings: Settings,
    wanted: GameOptions,
    stop: threading.Event,
    closing: ExitStack,
    picked: str | None = None,
) -> Restart | None:
    """Play until ``stop`` is set, the source fails, or another camera is chosen on the page.

    ``picked``: the camera chosen there before. Returns how to restart if one was chosen; else ``None``.

    Raises:
        SeatError: a seat is given for a colour that does not play.
        BadInput, OSError: the camera, the port or the journal cannot be used, each with a sentence.
    """
    memory.share_one_arena()
    threads.shorten_switch_interval()
    # Imported here because picture libraries are slow to import, and --help need not wait for them.
    from focus_companion.commands.shared import playing
    from focus_companion.commands.shared.camera_offer import CameraOffer
    from focus_companion.support.live_report import LiveReport
    from focus_companion.vision.machine_speed import measure

    speed = measure(SPEED_TEST_SECONDS)
    broker, given = chosen_broker(settings), settings
    camera, journal, settings = playing.open_camera_and_journal(settings, picked, speed.size, closing)
    session = playing.begin_session(wanted, settings, camera, journal, closing)
    reports = LiveReport(session)
    on_event = playing.open_listeners(wanted, settings, session, camera, journal, broker, reports, closing)

    supervisor = Supervisor()
    # For a quick start, the camera is opened and the board searched for while the page is prepared.
    runner = playing.start_runner(session, camera, on_event, supervisor, speed.apart, closing)
    offer = CameraOffer() if given.camera is None else None
    phone = phone_page(settings, camera.phone, closing) if camera.phone is not None else None
    server = playing.serve_page(settings, session, journal, offer, phone, reports, closing)

    playing.say_what_is_played(wanted, session, camera)
    announce(settings, server.port)
    if phone is not None:
        print_phone(phone, server.port, settings.data, closing)

    def taken() -> bool:
        return offer is not None and offer.taken.is_set() and not stop.is_set()

    supervisor.ready()
    if offer is not None and camera.stands_in:
        offer.start()
    playing.end_before_the_page(
        closing, runner, session, offer, lambda: None if taken() else supervisor.stopping()
    )
    log.info("this machine follows a game at %.0f pictures a second", speed.rate)
    log.info("version %s, data in %s, camera %s", __version__, settings.data, shown_address(camera.text))
    _wait(runner, stop, partial(_update_status, supervisor, session), taken)
    if offer is not None and taken():
        say("A camera takes the place of the demo" if camera.stands_in else "Another camera is to be chosen")
        return Restart(replace(given, port=server.port), offer.source)
    end_in_time()
    return None


def _update_status(supervisor: Supervisor, session: Session) -> None:
    if where := supervisor.hung():
        # The watchdog is about to end the program; afterwards only the log shows why.
        log.error("The game loop hangs; it stands at\n%s", where)
    history = session.history
    supervisor.status(f"Game {history.game}, turn {history.ply}; camera: {session.camera}")


def _wait(
    runner: Runner, stop: threading.Event, turned: Callable[[], None], taken: Callable[[], bool]
) -> None:
    said = False
    trimmed = time.monotonic()
    while not stop.wait(0.2):
        turned()
        if taken():
            break
        if time.monotonic() - trimmed > memory.TRIM_INTERVAL:
            memory.release_free_memory()
            trimmed = time.monotonic()
        if runner.wait(0):
            break
        if runner.ended and not said:
            say("The recording has ended; the page stays. Ctrl-C ends the program.")
            said = True
    if runner.failure is not None:
        raise runner.failure
