"""Runs a tape again: the same session with the same input must emit the same events."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...formats.strict_json import is_seconds
from ...game.colours import NAMES
from ...game.match import MatchPlace
from ...game.rules import Rules
from ...session.events import Event, event_from_json
from ...session.history import History
from ...session.ports import SightMaker
from ...session.seat_kinds import parse_kind
from ...session.session import Session
from ...vision.capture.frames import Frame, read_image
from . import requests_json as tape_requests
from .tape import FORMAT, INTERRUPTED, LINES_FILE, VERSION, TapeError


@dataclass(frozen=True)
class Compared:
    """One event: as recorded on the tape, and as emitted again; ``None`` where either has no more."""

    taped: Mapping[str, Any] | None
    emitted: Mapping[str, Any] | None

    @property
    def same(self) -> bool:
        return self.taped == self.emitted


class InMemory:
    """The journal of a replayed session: starts as the tape did, and writes nothing to disk."""

    def __init__(self, game: int, begun: History | None, time: float = 0.0) -> None:
        self._next, self._begun, self._time = game + (begun is not None), begun, time
        self._events: list[tuple[int, Event]] = []

    def begin(self, rules: Rules, players: Mapping[str, str]) -> int:
        self._next += 1
        return self._next - 1

    def append_all(self, game: int, events: Sequence[Event]) -> list[int]:
        first = len(self._events) + 1
        self._events += [(first + at, event) for at, event in enumerate(events)]
        return list(range(first, first + len(events)))

    def events(self, after: int = 0, limit: int = 1000) -> list[tuple[int, Event]]:
        return self._events[after : after + limit]

    def last_event(self) -> int:
        return len(self._events)

    def last_unfinished(self) -> int | None:
        return None if self._begun is None else self._next - 1

    def last_game(self) -> int | None:
        return None

    def history(self, game: int) -> History:
        if self._begun is None:
            raise LookupError(f"no game {game}")
        return self._begun

    def keep_time(self, event: int, time: float) -> None:
        """Nobody will resume this game."""

    def kept_time(self) -> float:
        return self._time


class Recording:
    """A tape, for reading. ``header`` is its first line.

    Raises:
        TapeError: the folder has no tape, or none that this version can read.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / LINES_FILE
        try:
            with self._path.open(encoding="utf-8") as lines:
                first = lines.readline()
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or error
            raise TapeError(f"{self._path} cannot be read ({why}); give the folder of a tape") from error
        self.header: Mapping[str, Any] = self._parsed(first, 1)
        if self.header.get("format") != FORMAT or self.header.get("version") != VERSION:
            raise TapeError(f"{self._path} is not a tape that this version can read")

    def run(self, sight: SightMaker) -> Iterator[Compared]:
        """Feed a new session everything on the tape, and yield every event beside that of the tape.

        Raises:
            TapeError: a line or a picture cannot be read, with its place.
        """
        session = self._session(sight)
        emitted: list[Mapping[str, Any]] = []
        taped: list[Mapping[str, Any]] = []
        for given, events in self._steps(session):
            taped += given
            emitted += [json.loads(json.dumps(event.to_json(), default=dict)) for event in events]
            both = min(len(taped), len(emitted))
            for one, other in zip(taped[:both], emitted[:both], strict=True):
                yield Compared(one, other)
            taped, emitted = taped[both:], emitted[both:]
        yield from (Compared(one, None) for one in taped)
        if self._ended():
            # Else the program was killed, perhaps before it could write the last events.
            yield from (Compared(None, other) for other in emitted)

    def turns(self) -> dict[int, tuple[str, Path]]:
        """The turns of the newest game on the tape, by ply: the move, and the newest picture by then.

        Ply 0 is the start, its move "". Turns that were taken back are missing.

        Raises:
            TapeError: a line cannot be read, with its place.
        """
        found: dict[int, tuple[str, Path]] = {}
        for event, picture in self.recorded_events():
            match event:
                case {"type": "game" | "corrected"}:
                    found.clear()
                case {"type": "ready"} if picture is not None and not found:
                    found[0] = "", picture
                case {"type": "move", "ply": int(ply), "move": str(move)} if picture is not None:
                    found[ply] = move, picture
                case {"type": "taken_back", "ply": int(ply)}:
                    found = {at: turn for at, turn in found.items() if at <= ply}
        return found

    def recorded_events(self) -> Iterator[tuple[Mapping[str, Any], Path | None]]:
        """Every event on the tape with the newest picture by then, ``None`` before the first; at the end an
        empty event with the last picture.

        Raises:
            TapeError: a line cannot be read, with its place.
        """
        picture: Path | None = None
        for number, line in self._lines():
            match line:
                case {"file": str(name)}:
                    picture = self._picture(name, number)
                case {"told": dict(event)}:
                    yield event, picture
        yield {}, picture

    def _picture(self, name: str, number: int) -> Path:
        if Path(name).name != name:
            raise TapeError(f"{self._path}, line {number}: {name!r} is not a file of the tape")
        return self._folder / name

    def _session(self, sight: SightMaker) -> Session:
        begin = self.header
        try:
            rules, players = Rules.from_json(dict(begin["rules"]), played=True), dict(begin["players"])
            game, again, begun = begin["game"], begin.get("again"), None
            match = MatchPlace.from_json(begin.get("match"))
            if not isinstance(game, int) or not (again is None or is_seconds(again)):
                raise ValueError("its game or its pause between games is not a number")
            if not all(letter in NAMES and isinstance(name, str) for letter, name in players.items()):
                raise ValueError("its players are not names")
            # On tapes of earlier versions, everybody plays at the board.
            played_by, pace = dict(begin.get("played_by", {})), begin.get("pace")
            # On tapes of earlier versions, a resumed game continues at the time of its last event.
            time = begin.get("time", 0.0)
            if not (pace is None or is_seconds(pace)) or not is_seconds(time):
                raise ValueError("its pace or its time is not a number")
            for kind in played_by.values():
                parse_kind(kind)
            if begin["events"] is not None:
                begun = History.begin(rules, players, game=game).take_all(
                    map(event_from_json, begin["events"])
                )
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise TapeError(f"{self._path}, line 1: its beginning cannot be read ({error})") from error
        journal = InMemory(game, begun, time)
        demo = begin.get("demo") is True
        if begun is not None:
            return Session(rules, players, journal, sight, again=again, demo=demo)
        return Session(
            rules, players, journal, sight, resume=False, again=again, demo=demo, match=match,
            played_by=played_by, pace=pace, start_from=str(begin.get("start_from") or ""),
            takes_reading=begin.get("takes_reading") is True,
        )  # fmt: skip

    def _steps(self, session: Session) -> Iterator[tuple[list[Mapping[str, Any]], list[Event]]]:
        """The events on the tape, and those emitted now, step by step."""
        broken_off = not self._ended()
        waiting: tuple[int, Mapping[str, Any]] | None = None
        for number, line in self._lines():
            if waiting is not None and not line.keys() & {"told", "decided"} and not line.get("in_push"):
                yield [], self._push(session, *waiting)
                waiting = None
            try:
                match line:
                    case {"file": str(name)} if broken_off and not (self._folder / name).is_file():
                        # The program was killed while this picture was being written.
                        return
                    case {"frame": int(), "time": time, "file": str()} if is_seconds(time):
                        # Requests made during the push are recorded after it, but must be submitted before.
                        waiting = number, line
                    case {"request": dict(request), "in_push": in_push}:
                        session.submit(tape_requests.from_json(request))
                        if not in_push:
                            yield [], session.attend()
                    case {"camera": "lost", "why": str(why)}:
                        yield [], session.camera_lost(why)
                    case {"camera": "found"}:
                        yield [], session.camera_found()
                    case {"camera": "anew"}:
                        session.new_stream()
                    case {"told": event}:
                        yield [event], []
                    case {"decided": _}:
                        continue
                    case {"end": _}:
                        break
                    case _:
                        raise ValueError("it has no known content")
            except (TypeError, ValueError) as error:
                raise TapeError(f"{self._path}, line {number}: {error}") from error
        if waiting is not None:
            yield [], self._push(session, *waiting)

    def _push(self, session: Session, number: int, line: Mapping[str, Any]) -> list[Event]:
        image = read_image(self._picture(str(line["file"]), number))
        return session.push(Frame(line["frame"], line["time"], image))

    def _ended(self) -> bool:
        """Whether the tape was closed, and not cut off with the program."""
        last: Mapping[str, Any] = {}
        for _, line in self._lines():
            last = line
        return "end" in last and last["end"] != INTERRUPTED

    def _lines(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        with self._path.open(encoding="utf-8") as lines:
            for number, text in enumerate(lines, 1):
                # A power cut may leave the last line incomplete.
                if number > 1 and text.endswith("\n"):
                    yield number, self._parsed(text, number)

    def _parsed(self, text: str, number: int) -> Mapping[str, Any]:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise TapeError(f"{self._path}, line {number}: not JSON ({error})") from error
        if not isinstance(found, dict):
            raise TapeError(f"{self._path}, line {number}: not an object")
        return found
