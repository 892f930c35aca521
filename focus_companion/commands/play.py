"""``focus-companion play``: camera, page, lights and journal round one game. The main job."""

from __future__ import annotations

import logging
import os
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from focus_companion import __version__, logs
from focus_companion.addresses import shown_address
from focus_companion.commands.shared import memory, threads
from focus_companion.commands.shared.broker_options import chosen_broker
from focus_companion.commands.shared.console import tell
from focus_companion.commands.shared.ending import end_in_time, leave
from focus_companion.commands.shared.event_lines import event_line
from focus_companion.commands.shared.listeners import publisher, table_lights
from focus_companion.commands.shared.phone_page import phone_page
from focus_companion.commands.shared.pin import tell_links, tell_phone, tell_pin
from focus_companion.commands.shared.rule_options import match_options
from focus_companion.commands.shared.seat_options import (
    ChosenSeat,
    chosen_seats,
    play_seats,
    seat_line,
    seat_options,
)
from focus_companion.commands.shared.serving import announce, host_of, no_port, on_signals, port_is_free, say
from focus_companion.commands.shared.table_choice import boards_for, lens_for, table_options
from focus_companion.commands.shared.taping import begin_tape, sight_to_json, tape_options
from focus_companion.game.colours import LETTER, NAMES
from focus_companion.game.match import MatchPlace
from focus_companion.game.rules import Rules
from focus_companion.notify import Supervisor
from focus_companion.session.names import clean_text
from focus_companion.settings import LEVELS, Settings, load
from focus_companion.support.exposed import exposed_notice

if TYPE_CHECKING:
    from focus_companion.commands.shared.camera_offer import CameraOffer
    from focus_companion.session.runner import Runner
    from focus_companion.session.session import Session
    from focus_companion.storage.journal import Journal
    from focus_companion.web.server import PageServer

    _NameType = click.ParamType[tuple[str, str]]
else:  # older click knows no parameters of this type
    _NameType = click.ParamType

log = logging.getLogger(__name__)

AGAIN: Final = 1.5
"""Seconds after which the simulated board begins another game."""


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
@click.option("--port", type=click.IntRange(0, 65535), help="Of the page (default 8000; 0: any free one).")
@click.option("--data", metavar="DIR", help="Folder of the journal (default: the user's data folder).")
@click.option("--lan/--no-lan", default=None, help="Let other machines watch; they need the PIN to act.")
@click.option("--mqtt", metavar="URL", help="Publish to a broker: mqtt[s]://[USER@]HOST[:PORT].")
@click.option("--mqtt-ca", metavar="FILE", help="CA certificate of the broker (default: the system's).")
@click.option("--table", metavar="NAME", help="The table's name towards the broker (default: the machine's).")
@click.option("--log", type=click.Choice(LEVELS), help="How much the log holds (default info).")
@click.option("--fps", type=click.FloatRange(0.1, 1000), help="Of a folder of pictures (default 15).")
@click.option("--rank1", type=click.Choice(["bottom", "left", "top", "right"]), default="bottom",
              help="Where rank 1 lies in the picture, if the set-up cannot tell.")  # fmt: skip
@table_options
@tape_options
def command(
    rules: Rules | None,
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
    played_by, words = chosen_seats(seats)
    # Whatever is written from here on is for this user alone: journal, logs, copies.
    os.umask(0o077)
    if settings.lan and settings.pin is None:
        settings = replace(settings, pin=f"{secrets.randbelow(10**6):06}")
    for secret in (settings.pin, settings.mqtt_password, *words.values()):
        logs.hide(secret)
    logs.start(settings.log)
    if notice := exposed_notice():
        tell(notice)
    stop = threading.Event()
    on_signals(stop)
    going: Settings | None = settings
    while going is not None:
        with ExitStack() as closing:
            going = play(
                going, rules, dict(names), games=games, new=new, stop=stop, closing=closing, rank1=rank1,
                tape=tape, tape_size=tape_size, played_by=played_by, words=words,
                pace=None if pace is None else float(pace),
            )  # fmt: skip
        # A tape is of one game's session.
        tape = tape and tape.with_name(f"{tape.name}-camera")
    leave()


def play(
    settings: Settings,
    rules: Rules | None,
    names: Mapping[str, str],
    *,
    games: int,
    new: bool,
    stop: threading.Event,
    closing: ExitStack,
    rank1: str,
    tape: Path | None,
    tape_size: float,
    played_by: Mapping[str, str],
    words: Mapping[str, str],
    pace: float | None,
) -> Settings | None:
    """Play until ``stop`` is set, the source fails, or a camera is to take the place of the demonstration.

    Returns the settings to start anew with, as if by hand, where a camera was taken; else ``None``.

    Raises:
        SeatError: a seat of a colour that does not play.
        BadInput, OSError: the camera, the port or the journal cannot be used, each with a sentence.
    """
    memory.share_one_pool()
    threads.take_short_turns()
    # Imported here because picture libraries take their time, which --help need not wait for.
    from focus_companion.commands.shared.camera_offer import CameraOffer
    from focus_companion.commands.shared.play_source import DEMO, choose_source
    from focus_companion.session.pipeline import Pipeline
    from focus_companion.session.runner import Runner
    from focus_companion.session.session import Session
    from focus_companion.storage.folders import demo_folder

    broker = chosen_broker(settings)
    given = settings
    # Where the demonstration stands in for a camera, the user's journal is held all the same: it is played on
    # as soon as a camera is there.
    journal = None if settings.camera == DEMO else _journal(settings.data, closing)
    port_is_free(settings)
    chosen = choose_source(settings)
    if chosen.is_demo:
        settings = replace(settings, data=demo_folder(settings.data))
        journal = _journal(settings.data, closing)
    assert journal is not None
    rescued = journal.rescued.kept.name if journal.rescued is not None else None
    boards = boards_for(settings.board)
    lens = None if chosen.is_demo else lens_for(settings.lens, chosen.text, settings.data)
    again = AGAIN if chosen.is_demo else None
    sight = partial(Pipeline, profiles=boards, rank1=rank1, lens=lens)
    match = MatchPlace(games) if games > 1 else None
    session = Session(
        rules or Rules.make(2), names, journal, sight, resume=not new, again=again, demo=chosen.is_demo,
        rescued=rescued, match=match, played_by=played_by, pace=pace,
    )  # fmt: skip
    if tape is not None:
        how = sight_to_json(rank1, boards, lens)
        made = begin_tape(tape, tape_size, session, journal, sight=how, again=again, demo=chosen.is_demo)
        closing.callback(made.close)
        say(f"Tape: {tape} (run it again with: focus-companion rerun {tape})")
    show = table_lights(settings, session, closing)
    look = play_seats(session, settings.data, words, closing)

    stands_in = chosen.is_demo and settings.camera is None
    if stands_in and broker is not None:
        say("MQTT: nothing is published while the demo stands in for a camera")
    publish = publisher(settings, None if stands_in else broker, session, journal, closing)

    def heard(event: Any) -> None:
        look()
        show(event)
        publish(event)
        line = event_line(event, page=True)
        log.info(
            "game %d, turn %d: %s", session.history.game, session.history.ply, line.strip() or event.type
        )
        say(line)

    supervisor = Supervisor()
    chosen.follow(session)
    runner = Runner(
        session, chosen.open, first=chosen.first, anew=chosen.anew, heard=heard, turned=supervisor.alive,
        back_off=chosen.back_off,
    )  # fmt: skip
    # While the page is made ready the camera is opened and the board sought: a start is quick.
    runner.start()
    closing.callback(runner.stop, 1.5)
    offer = CameraOffer() if stands_in else None
    phone = phone_page(settings, chosen.phone, closing) if chosen.phone is not None else None
    server = _serve(settings, session, journal, offer, phone, closing)
    # Once more, so that it ends before the server does.
    closing.callback(runner.stop, 1.5)
    say(f"Camera: {shown_address(chosen.text)}")
    if session.resumed:
        say(
            f"Going on with game {session.history.game}, {session.history.ply} turns played "
            "(--new begins another)"
        )
    say(seat_line(session.history.played_by))
    if place := session.history.match:
        ends = " (--new ends the match)" if place.number > 1 else ""
        say(f"Game {place.number} of {place.length} of the match{ends}")
    if fault := session.rules.order_fault:
        tell(f"Warning: {fault}. The game goes on as it was begun; no new game begins so.")
    announce(settings, server.port)
    if phone is not None:
        tell_phone(phone, server.port, settings.data, closing)
    # Before the server closes: its viewers' streams end with the session, not in the middle of a line.
    closing.callback(_say_goodbye, session)
    supervisor.ready()
    if offer is not None:
        offer.start()
        closing.callback(offer.close)

    def taken() -> bool:
        return offer is not None and offer.taken.is_set() and not stop.is_set()

    closing.callback(lambda: None if taken() else supervisor.stopping())
    log.info("version %s, data in %s, camera %s", __version__, settings.data, shown_address(chosen.text))
    _wait(runner, stop, partial(_tell_status, supervisor, session), taken)
    if taken():
        say("A camera takes the place of the demo")
        return replace(given, port=server.port)
    end_in_time()
    return None


def _journal(folder: Path, closing: ExitStack) -> Journal:
    """The journal in ``folder``, held for writing; what became of it is told."""
    from focus_companion.storage.journal import Journal

    journal = Journal(folder, write=True)
    closing.callback(journal.close)
    for notice in journal.notices:
        tell(notice)
    return journal


def _say_goodbye(session: Session) -> None:
    session.close()
    time.sleep(0.1)
    # Connections that are cut while the server closes are no news for the terminal.
    logging.getLogger("waitress").setLevel(logging.CRITICAL)


def _serve(
    settings: Settings, session: Session, journal: Journal, offer: CameraOffer | None, phone: str | None,
    closing: ExitStack,
) -> PageServer:  # fmt: skip
    from focus_companion.web.app import create_app
    from focus_companion.web.far import FarSeats
    from focus_companion.web.lan import host_names, lan_addresses
    from focus_companion.web.server import PageServer

    pin = settings.pin if settings.lan else None
    hosts = host_names() if settings.lan else ()
    far = FarSeats(settings.data)
    app = create_app(
        session, journal, lan=settings.lan, pin=pin, hosts=hosts, offer=offer, far=far, phone=phone
    )
    try:
        server = PageServer(app, host=host_of(settings), port=settings.port)
    except OSError as error:
        raise no_port(settings.port, error) from error
    if settings.lan:
        # Only now is it known which port was free.
        app.extensions["addresses"] = tuple(lan_addresses(server.port))
        assert pin is not None
        tell_pin(pin, server.port, settings.data, closing)
    addresses = app.extensions["addresses"] or (f"http://127.0.0.1:{server.port}/",)
    tell_links(far.links(session.state()["seats"]), addresses[0], server.port, settings.data, closing)
    # Not as silent as the one before it became when it closed.
    logging.getLogger("waitress").setLevel(logging.NOTSET)
    server.start()
    closing.callback(server.close, 0.5)
    return server


def _tell_status(supervisor: Supervisor, session: Session) -> None:
    if where := supervisor.hung():
        # The watchdog is going to end the program: what for, only the log can tell afterwards.
        log.error("The game loop hangs; it stands at\n%s", where)
    history = session.history
    supervisor.status(f"Game {history.game}, turn {history.ply}; camera: {session.camera}")


def _wait(
    runner: Runner, stop: threading.Event, turned: Callable[[], None], taken: Callable[[], bool]
) -> None:
    said = False
    tidied = time.monotonic()
    while not stop.wait(0.2):
        turned()
        if taken():
            break
        if time.monotonic() - tidied > memory.EVERY:
            memory.give_back()
            tidied = time.monotonic()
        if runner.wait(0):
            break
        if runner.ended and not said:
            say("The recording has ended; the page stays. Ctrl-C ends the program.")
            said = True
    if runner.failure is not None:
        raise runner.failure
