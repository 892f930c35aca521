"""``focus-companion watch``: prints the events of the game in a recording or before a camera, without a page
or a journal.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

import click

from focus_companion.addresses import shown_address
from focus_companion.commands.shared import memory, threads
from focus_companion.commands.shared.console import BadInput, NegativeResult
from focus_companion.commands.shared.ending import finished_first
from focus_companion.commands.shared.event_lines import event_line
from focus_companion.commands.shared.explanations import explain_options, write_explanations
from focus_companion.commands.shared.numbers import NumberRange
from focus_companion.commands.shared.picture_sentences import why_text
from focus_companion.commands.shared.rule_options import camera_rule_options
from focus_companion.commands.shared.sources import refuse_source
from focus_companion.commands.shared.table_choice import boards_for, lens_for, table_options
from focus_companion.commands.shared.taping import begin_tape, sight_to_json, tape_options
from focus_companion.game.rules import Rules
from focus_companion.game.squares import SIDES
from focus_companion.settings import load as load_settings

if TYPE_CHECKING:
    from focus_companion.referee.decision import Decision
    from focus_companion.session.events import Event
    from focus_companion.session.session import Session
    from focus_companion.vision.capture.frames import Source
    from focus_companion.vision.tracking.look import Look

WRITTEN_EVENTS: Final = {
    "ready",
    "set_up",
    "move",
    "prompt",
    "alert",
    "resolved",
    "taken_back",
    "unclear",
    "lost",
    "found",
    "result",
}
"""The types of event that ``--events`` writes."""


@click.command("watch")
@click.argument("source")
@camera_rule_options
@click.option("--events", metavar="FILE", help="Write every event as a line of JSON; - is standard output.")
@click.option("--record", metavar="FILE", help="Write the game record when the source ends.")
@click.option("--fps", type=NumberRange(0.1, 240), default=15.0, show_default=True,
              help="Frame rate, if SOURCE is a folder of pictures.")  # fmt: skip
@click.option("--rank1", type=click.Choice(SIDES), default="bottom",
              help="The side of the picture where rank 1 is, if the set-up does not show it.")  # fmt: skip
@click.option("--reopen", is_flag=True, help="Reopen a live source whenever it is lost, until Ctrl-C.")
@table_options
@tape_options
@explain_options
def command(
    source: str,
    rules: Rules,
    start_from: str,
    events: str | None,
    record: str | None,
    fps: float,
    rank1: str,
    reopen: bool,
    lens: str | None,
    board: str | None,
    tape: Path | None,
    tape_size: float,
    explain: tuple[float, ...],
    explain_to: Path,
) -> None:
    """Follow the game that SOURCE shows and print its events.

    SOURCE is a camera index, a device path, a video file, a folder of pictures, or an http or rtsp address.
    """
    # Imported here: --help must not wait for OpenCV.
    from focus_companion.session.decisions import DecisionLog
    from focus_companion.session.pipeline import Pipeline
    from focus_companion.session.session import Session
    from focus_companion.support.explainer import Explainer
    from focus_companion.vision.capture.frames import FrameError
    from focus_companion.vision.capture.sources import open_source

    memory.share_one_arena()
    threads.shorten_switch_interval()
    profile = lens_for(lens, source, load_settings({}).data)
    boards = boards_for(board)
    decisions, explainer = DecisionLog(), Explainer(explain)

    def on_decision(decision: Decision, look: Look) -> None:
        decisions(decision, look)
        explainer(decision, look)

    sight = partial(
        Pipeline,
        profiles=boards,
        rank1=rank1,
        lens=profile,
        tries_mount=False,  # nothing here shows the result of the mount check
        on_decision=on_decision,
    )
    session = Session(rules, {}, None, sight, start_from=start_from, takes_reading=True)
    seen: set[str] = set()
    kept_at = _recordable(record, source)
    if kept_at is not None and events is not None and kept_at.resolve() == Path(events).resolve():
        raise BadInput(f"--record: {record} is the file of --events; give another name")
    try:
        with finished_first(), ExitStack() as closing:
            frames = closing.enter_context(open_source(source, fps=fps))
            if kept_at is not None:
                # Not before the source is open: an earlier game in that file would be lost for nothing.
                closing.callback(_keep, session, kept_at)
            out = closing.enter_context(lines(events, source))
            if tape is not None:
                how = sight_to_json(rank1, boards, profile)
                made = begin_tape(tape, tape_size, session, None, decisions, sight=how)
                closing.push(lambda kind, *_: made.close(interrupted=kind is KeyboardInterrupt))

            def on_event(event: Event) -> None:
                seen.add(event.type)
                _write_event(event, out)

            if reopen and frames.live:
                _watch_on(session, frames, partial(open_source, source, fps=fps), on_event)
            else:
                watch_once(session, frames, on_event, lambda: bool(explain) and explainer.done)
    except FrameError as error:
        raise BadInput(str(error)) from error
    if explain:
        write_explanations(explainer, explain_to, to_stderr=events == "-")
        return
    if "ready" not in seen:
        raise NegativeResult(_why_not(source, session, seen))


def watch_once(
    session: Session,
    frames: Source,
    on_event: Callable[[Event], None],
    done: Callable[[], bool] = lambda: False,
) -> None:
    """Watch a source to its end, or until ``done``; emit an event if it ends because a camera was lost.

    Raises:
        FrameError: the source fails.
    """
    from focus_companion.vision.capture.frames import FrameError

    def emit(events: Iterable[Event]) -> None:
        for event in events:
            on_event(event)

    try:
        for frame in frames:
            emit(session.push(frame))
            frames.min_interval = session.apart
            if done():
                return
    except FrameError as error:
        if frames.live:
            emit(session.camera_lost(error.why))
        raise
    if frames.live and frames.end_reason != "ended":
        emit(session.camera_lost(frames.end_reason))


def _watch_on(
    session: Session,
    first: Source,
    opened: Callable[[], Source],
    on_event: Callable[[Event], None],
) -> None:
    """Watch a live source until Ctrl-C, reopening it after each fault; the faults are emitted."""
    from focus_companion.session.runner import Runner

    runner = Runner(session, opened, first=first, on_event=on_event)
    runner.start()
    try:
        while not runner.wait(0.5):
            continue
    finally:
        runner.stop()
    if runner.failure is not None:
        raise runner.failure


def _why_not(source: str, session: Session, seen: set[str]) -> str:
    shown = shown_address(source)
    if "set_up" in seen:
        where = ", ".join(session.state()["set_up"])
        return f"{shown}: the board never showed the start position; these squares differ: {where}"
    for why in session.history.lost.values():
        if text := why_text(why):
            return f"{shown}: {text}"
    return f"{shown}: no board was found; show the whole board with its start position, and more light"


@contextmanager
def lines(events: str | None, source: str | Path) -> Iterator[TextIO | None]:
    """Where the lines of JSON go; None if none are requested. ``source``: the file that is read.

    Raises:
        BadInput: the file cannot be written, or is the one that is read.
    """
    refuse_source(events, source, "--events")
    if events is None or events == "-":
        yield sys.stdout if events else None
        return
    try:
        stream = Path(events).open("w", encoding="utf-8")  # noqa: SIM115 - closed below, unlike standard output
    except OSError as error:
        raise BadInput(f"--events: {events} cannot be written ({error.strerror})") from error
    with stream:
        yield stream


def _write_event(event: Event, out: TextIO | None) -> None:
    if event.type not in WRITTEN_EVENTS:
        return
    if out is not None:
        line = event.to_json() | {"time": round(event.time, 3)}
        out.write(json.dumps(line, ensure_ascii=False) + "\n")
        out.flush()
    else:
        click.echo(f"{event.time:9.2f} {event_line(event)}")


def _recordable(record: str | None, source: str) -> Path | None:
    """The path of the record, which is written only at the end of the game.

    Raises:
        BadInput: it cannot be written there, as far as can be known before the game.
    """
    if record is None:
        return None
    path = Path(record)
    refuse_source(record, source, "--record")
    if path.is_dir() or not (path.parent.is_dir() and os.access(path.parent, os.W_OK)):
        raise BadInput(f"--record: {record} cannot be written; choose a place that can be")
    return path


def _keep(session: Session, path: Path) -> None:
    from focus_companion.commands.export import write_atomically
    from focus_companion.formats.match import Match
    from focus_companion.formats.writing import write

    content = write(Match((session.history.record(),), single=True), "json")
    write_atomically(path, content, option="--record")
