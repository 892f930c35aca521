"""Makes the parts of the program that ``play`` puts together; each registers how it is closed."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from focus_companion.addresses import shown_address
from focus_companion.commands.shared.console import print_notice
from focus_companion.commands.shared.event_lines import event_line
from focus_companion.commands.shared.game_options import GameOptions
from focus_companion.commands.shared.listeners import publisher, table_lights
from focus_companion.commands.shared.pin import print_links, print_pin
from focus_companion.commands.shared.play_source import DEMO, Chosen, choose_source
from focus_companion.commands.shared.seat_options import play_seats, seat_line
from focus_companion.commands.shared.serving import page_server, port_is_free, say
from focus_companion.commands.shared.setting_places import errors_name
from focus_companion.commands.shared.speaking import speaker
from focus_companion.commands.shared.table_choice import boards_for, lens_for
from focus_companion.commands.shared.taping import begin_tape, sight_to_json
from focus_companion.game.colours import NAMES
from focus_companion.game.match import MatchPlace
from focus_companion.game.rules import Rules
from focus_companion.notify import Supervisor
from focus_companion.referee.words import counted
from focus_companion.session.decisions import DecisionLog
from focus_companion.session.pipeline import Pipeline
from focus_companion.session.runner import Runner
from focus_companion.session.session import Session
from focus_companion.settings import Settings
from focus_companion.storage.folders import demo_folder
from focus_companion.storage.journal import Journal

if TYPE_CHECKING:
    from focus_companion.commands.shared.camera_offer import CameraOffer
    from focus_companion.mqtt.broker import Broker
    from focus_companion.support.live_report import LiveReport
    from focus_companion.web.server import PageServer

log = logging.getLogger(__name__)

DEMO_RESTART_SECONDS: Final = 1.5
"""Seconds after the end of a game after which the simulated board begins another one."""

STOP_TIMEOUT: Final = 1.5
"""Maximum seconds to wait for the game thread to end."""


def open_camera_and_journal(
    settings: Settings, picked: str | None, size: tuple[int, int], closing: ExitStack
) -> tuple[Chosen, Journal, Settings]:
    """The source of the pictures, the journal of its games, and the settings that apply to this source.

    ``picked``: the camera chosen on the page, or ``None``; ``size``: of the pictures to request, in pixels.

    Raises:
        BadInput, OSError: camera, lens, journal or port cannot be used.
    """
    # Even if the demo stands in for a camera, the user's journal is locked, because its game goes on as soon
    # as there is a camera.
    journal = None if settings.camera == DEMO else _journal(settings.data, closing)
    port_is_free(settings)
    camera = choose_source(settings, picked=picked, size=size)
    if journal is None or camera.is_demo:
        # The simulated board is seen without a lens profile, but a wrong one is refused as for any camera.
        with errors_name(settings, "lens"):
            if settings.lens is not None:
                lens_for(settings.lens, camera.text, settings.data)
        settings = replace(settings, data=demo_folder(settings.data), lens=None)
        journal = _journal(settings.data, closing)
    return camera, journal, settings


def _journal(folder: Path, closing: ExitStack) -> Journal:
    """The journal in ``folder``, locked for writing; its notices are printed."""
    journal = Journal(folder, write=True)
    closing.callback(journal.close)
    for notice in journal.notices:
        print_notice(notice)
    return journal


def begin_session(
    wanted: GameOptions, settings: Settings, camera: Chosen, journal: Journal, closing: ExitStack
) -> Session:
    """The game: the unfinished one of the journal, or a new one.

    Raises:
        SeatError: a seat is given for a colour that does not play.
        TapeError: the folder of the tape cannot be used.
    """
    with errors_name(settings, "board"):
        boards = boards_for(settings.board)
    with errors_name(settings, "lens"):
        lens = lens_for(settings.lens, camera.text, settings.data)
    again = DEMO_RESTART_SECONDS if camera.is_demo else None
    decisions = DecisionLog()
    session = Session(
        wanted.rules or Rules.make(2),
        wanted.names,
        journal,
        partial(
            Pipeline,
            profiles=boards,
            rank1=wanted.rank1,
            lens=lens,
            threaded=wanted.tape is None,
            on_decision=decisions,
        ),
        resume=not wanted.new,
        again=again,
        demo=camera.is_demo,
        rescued=journal.rescued.kept.name if journal.rescued is not None else None,
        match=MatchPlace(wanted.games) if wanted.games > 1 else None,
        played_by=wanted.played_by,
        pace=wanted.pace,
        start_from=wanted.start_from,
    )
    if (tape := wanted.tape) is not None:
        how = sight_to_json(wanted.rank1, boards, lens)
        made = begin_tape(
            tape, wanted.tape_size, session, journal, decisions, sight=how, again=again, demo=camera.is_demo
        )
        closing.callback(made.close)
        say(f"Tape: {tape} (run it again with: focus-companion rerun {tape})")
    camera.follow(session)
    return session


def open_listeners(
    wanted: GameOptions, settings: Settings, session: Session, camera: Chosen, journal: Journal,
    broker: Broker | None, reports: LiveReport, closing: ExitStack,
) -> Callable[[Any], None]:  # fmt: skip
    """The callback for every event: loudspeaker, lights, programs that play, broker, reports of faults, log
    and terminal."""
    spoken = speaker(settings, session, closing)
    show = table_lights(settings, session, closing, spoken)
    notify_seats = play_seats(session, settings.data, wanted.words, closing)
    if camera.stands_in and broker is not None:
        say("MQTT: nothing is published while the demo stands in for a camera")
        broker = None
    publish = publisher(settings, broker, session, journal, closing)

    def on_event(event: Any) -> None:
        notify_seats()
        show(event)
        if spoken is not None:
            spoken.on_event(event)
        publish(event)
        reports.on_event(event)
        line = event_line(event, page=True)
        history = session.history
        log.info("game %d, turn %d: %s", history.game, history.ply, line.strip() or event.type)
        say(line)

    return on_event


def start_runner(
    session: Session, camera: Chosen, on_event: Callable[[Any], None], supervisor: Supervisor, apart: float,
    closing: ExitStack,
) -> Runner:  # fmt: skip
    """Start the game thread; ``apart``: minimum seconds between two pictures, for a slow machine."""
    runner = Runner(
        session, camera.open, first=camera.first, must_reopen=camera.must_reopen, back_off=camera.back_off,
        on_event=on_event, on_iteration=supervisor.alive, apart=apart,
    )  # fmt: skip
    runner.start()
    closing.callback(runner.stop, STOP_TIMEOUT)
    return runner


def serve_page(
    settings: Settings, session: Session, journal: Journal, offer: CameraOffer | None, phone: str | None,
    reports: LiveReport, closing: ExitStack,
) -> PageServer:  # fmt: skip
    """Start the page until ``closing``, and print its PIN and the links of the far seats.

    Raises:
        BadInput: its port cannot be used.
    """
    # Imported here because they are slow to import: meanwhile the camera is being opened.
    from focus_companion.web.app import create_app
    from focus_companion.web.far import FarSeats
    from focus_companion.web.lan import host_names, lan_addresses

    pin = settings.pin if settings.lan else None
    hosts = host_names() if settings.lan else ()
    far = FarSeats(settings.data)
    app = create_app(
        session, journal, lan=settings.lan, pin=pin, hosts=hosts, offer=offer, far=far, phone=phone,
        reports=reports,
    )  # fmt: skip
    server = page_server(app, settings)
    if settings.lan:
        # The port is known only now.
        app.extensions["addresses"] = tuple(lan_addresses(server.port))
        assert pin is not None
        print_pin(pin, server.port, settings.data, closing)
    addresses = app.extensions["addresses"] or (f"http://127.0.0.1:{server.port}/",)
    print_links(far.links(session.state()["seats"]), addresses[0], server.port, settings.data, closing)
    # Closing the previous server silenced this log.
    logging.getLogger("waitress").setLevel(logging.NOTSET)
    server.start()
    closing.callback(server.close, 0.5)
    return server


def say_what_is_played(wanted: GameOptions, session: Session, camera: Chosen) -> None:
    """Print which camera is used and which game is played."""
    history = session.history
    say(f"Camera: {shown_address(camera.text)}")
    if session.resumed:
        played = counted(history.ply, "turn")
        say(f"Going on with game {history.game}, {played} played (--new begins another)")
    if unheeded := unheeded_options(wanted, session):
        print_notice(f"Given, but not heeded by this game: {unheeded}; --new begins one with them.")
    if nobody := [NAMES[letter] for letter in wanted.names if letter not in history.rules.order]:
        print_notice(f"--name: nobody plays {' or '.join(nobody)} in this game; see --players and --order")
    say(seat_line(history.played_by))
    if place := history.match:
        ends = " (--new ends the match)" if place.number > 1 else ""
        say(f"Game {place.number} of {place.length} of the match{ends}")
    if fault := session.rules.order_fault:
        print_notice(f"Warning: {fault}. The game goes on as it was begun; no new game can begin like that.")


def unheeded_options(wanted: GameOptions, session: Session) -> str:
    """Which of the options given differ from those with which the resumed game was begun; "" if none."""
    history = session.history
    agreed, match = history.agreed or history.rules, history.match
    read = history.start_from or agreed.set_up == "position"
    rules = wanted.rules or agreed
    # Named apart, because --from-game asks for a position, and its game may have the same rules.
    apart = () if rules.start is None else ("set_up", "start")
    given, begun = ({k: v for k, v in each.to_json().items() if k not in apart} for each in (rules, agreed))
    parts = {
        "rules": not read if wanted.start_from else given != begun,
        "start position": rules.start not in (None, agreed.start),
        "names": not set(wanted.names.values()) <= set(history.players.values()),
        "games of a match": wanted.games > 1 and (match is None or match.length != wanted.games),
    }
    return ", ".join(name for name, differs in parts.items() if differs and session.resumed)


def end_before_the_page(
    closing: ExitStack,
    runner: Runner,
    session: Session,
    offer: CameraOffer | None,
    stopping: Callable[[], object],
) -> None:
    """Register what must end before the page's server: callbacks run in reverse order of registration.

    The session ends the viewers' streams, so that the server does not cut them in the middle of a line.
    """
    closing.callback(runner.stop, STOP_TIMEOUT)
    closing.callback(_say_goodbye, session)
    if offer is not None:
        closing.callback(offer.close)
    closing.callback(stopping)


def _say_goodbye(session: Session) -> None:
    session.close()
    time.sleep(0.1)
    # Connections that are cut while the server closes need not be reported on the terminal.
    logging.getLogger("waitress").setLevel(logging.CRITICAL)
