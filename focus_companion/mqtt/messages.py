"""Writes and reads the messages. Everything received from a broker is validated before it is used."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from ..formats import strict_json
from ..formats.errors import FormatError
from ..formats.strict_json import compact
from ..game.colours import LETTER
from ..game.position import parse_position
from ..session.events import event_from_json
from ..session.kinds import fits

MAX_MESSAGE_BYTES: Final = 256 * 1024
"""Ours stay far below."""

MAX_COMPRESSED_BYTES: Final = 4 * 1024 * 1024
"""Maximum size of a game's compressed events; the largest of ours have a few thousand bytes."""

MAX_LOG_BYTES: Final = 16 * 1024 * 1024
"""Maximum size of a game's decompressed events, enough for thousands of turns."""

_MAX_TEXT_LENGTH: Final = 1000
"""Characters of a field."""

_NUMBER_LIMIT: Final = 2**53
"""Integers from here on are not exact in every JSON reader."""

GAME_KEYS: Final = (
    *("game", "rules", "ply", "position", "to_move", "reserves", "captured", "out", "last_move", "alert"),
    *("prompt", "result", "unclear", "set_up", "ready", "paused", "players", "order", "thirteenth"),
    *("placing", "camera", "camera_why", "fault", "fault_cause", "clock", "seats", "reply"),
)
"""The parts of the session's state that are published, under the names of ``/api/state``."""


class InvalidMessage(ValueError):
    """A message that is invalid; the text says why."""


@dataclass(frozen=True)
class TableEvent:
    """An event of a table: its number ``seq``, which grows, and that of the event before it, ``prev`` (0 if
    none was ever sent).

    ``began`` is when the game began and ``at`` when this event happened, both ISO 8601; ``event`` is its JSON
    object.
    """

    table: str
    journal: str
    game: int
    began: str
    seq: int
    prev: int
    at: str
    event: Mapping[str, Any]


@dataclass(frozen=True)
class GameLog:
    """A complete game, from its first event to the one numbered ``last``; ``packed`` holds the events.

    ``players`` are names by colour, ``points`` pieces captured by colour, ``order`` colours in turn order.
    """

    table: str
    journal: str
    game: int
    began: str
    prev: int
    first: int
    last: int
    plies: int
    order: tuple[str, ...]
    players: Mapping[str, str]
    points: Mapping[str, int]
    result: Mapping[str, Any] | None
    packed: bytes = field(repr=False)

    def events(self) -> list[TableEvent]:
        """The events, oldest first. Raises :class:`InvalidMessage` if they contradict the head."""
        unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        try:
            text = unpacker.decompress(self.packed, MAX_LOG_BYTES)
        except zlib.error as error:
            raise InvalidMessage(f"its events cannot be unpacked ({error})") from None
        if not unpacker.eof:
            raise InvalidMessage("its events are cut off or far too many")
        events: list[TableEvent] = []
        prev = self.prev
        for line in text.splitlines():
            item = _object(line)
            event = TableEvent(
                self.table,
                self.journal,
                self.game,
                self.began,
                _number(item, "seq"),
                prev,
                _text(item, "at"),
                _mapping(item, "event"),
            )
            if event.seq <= prev:
                raise InvalidMessage("its events are out of order")
            prev = event.seq
            events.append(event)
        if not events or (events[0].seq, events[-1].seq) != (self.first, self.last):
            raise InvalidMessage("its events are not those that its head names")
        return events


@dataclass(frozen=True)
class TableStatus:
    """Whether a table is online, which journal it writes, and the last event that it never sends.

    ``asking``: it does not publish yet, but asks whether somebody else is online under its name.
    """

    online: bool
    journal: str
    floor: int
    program: str
    asking: bool = False


def wall_clock() -> str:
    """The current time, ISO 8601 in UTC, in the form that the journal uses."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def write_status(online: bool, journal: str, floor: int, program: str, *, asking: bool = False) -> bytes:
    status = {"online": online, "journal": journal, "floor": floor, "program": program}
    return compact(status | ({"asking": True} if asking else {})).encode()


def write_event(
    table: str, journal: str, game: int, began: str, seq: int, prev: int, at: str, body: str
) -> bytes:
    """``body`` is the event's JSON as stored in the journal."""
    head = compact(
        {"table": table, "journal": journal, "game": game, "began": began, "seq": seq, "prev": prev, "at": at}
    )
    return f'{head[:-1]},"event":{body}}}'.encode()


def write_log(head: Mapping[str, Any], events: Iterable[tuple[int, str, str]]) -> bytes:
    """A game's head as a line of JSON, then its events (``seq``, ``at``, JSON) as lines in gzip."""
    lines = "".join(f'{{"seq":{seq},"at":"{at}","event":{body}}}\n' for seq, at, body in events)
    return compact(head).encode() + b"\n" + gzip.compress(lines.encode(), compresslevel=6, mtime=0)


def read_status(payload: bytes) -> TableStatus:
    """Raises :class:`InvalidMessage`."""
    value = _object(payload)
    online = value.get("online")
    if not isinstance(online, bool):
        raise InvalidMessage("“online” is neither true nor false")
    return TableStatus(
        online,
        _text(value, "journal"),
        _number(value, "floor"),
        _text(value, "program"),
        value.get("asking") is True,
    )


def read_event(payload: bytes, table: str) -> TableEvent:
    """Raises :class:`InvalidMessage`."""
    value = _object(payload)
    event = TableEvent(
        _of_table(value, table),
        _text(value, "journal"),
        _number(value, "game"),
        _text(value, "began"),
        _number(value, "seq"),
        _number(value, "prev"),
        _text(value, "at"),
        _mapping(value, "event"),
    )
    if event.prev >= event.seq:
        raise InvalidMessage("“prev” is not below “seq”")
    if not isinstance(event.event.get("type"), str):
        raise InvalidMessage("its event has no type")
    return event


def read_log(payload: bytes, table: str, game: int) -> GameLog:
    """Raises :class:`InvalidMessage`. The events stay compressed."""
    head, newline, packed = payload.partition(b"\n")
    if not newline:
        raise InvalidMessage("it has no head")
    value = _object(head)
    if len(packed) > MAX_COMPRESSED_BYTES:
        raise InvalidMessage(f"its events have {len(packed)} bytes")
    players, points = _by_colour(value, "players"), _by_colour(value, "points")
    if not all(isinstance(name, str) for name in players.values()):
        raise InvalidMessage("“players” are not names")
    if not all(fits(count, int) for count in points.values()):
        raise InvalidMessage("“points” are not numbers")
    log = GameLog(
        _of_table(value, table),
        _text(value, "journal"),
        _number(value, "game"),
        _text(value, "began"),
        _number(value, "prev"),
        _number(value, "first"),
        _number(value, "last"),
        _number(value, "plies"),
        tuple(_colours(value, "order")),
        players,
        points,
        _result(value),
        packed,
    )
    if log.game != game:
        raise InvalidMessage("its number is not that of its topic")
    return log


def read_state(payload: bytes) -> Mapping[str, Any]:
    """The retained state, with the parts that others read validated. Raises :class:`InvalidMessage`."""
    value = _object(payload)
    _text(value, "journal")
    _number(value, "seq")
    _number(value, "game")
    _number(value, "ply")
    _text(value, "camera")
    if value.get("camera_why") is not None:
        _text(value, "camera_why")
    if value.get("fault_cause") is not None:
        _mapping(value, "fault_cause")
    try:
        parse_position(_text(value, "position"))
    except ValueError as error:
        raise InvalidMessage(f"“position” is not a position ({error})") from None
    if value.get("to_move") is not None and value["to_move"] not in LETTER:
        raise InvalidMessage("“to_move” is not a colour")
    _colours(value, "order")
    _result(value)
    for key in ("players", "reserves", "captured"):
        _by_colour(value, key)
    if not all(isinstance(player, dict) for player in value["players"].values()):
        raise InvalidMessage("“players” are not players")
    for key in ("alert", "prompt"):
        _check_event(value, key)
    if value.get("clock") is not None and not isinstance(_mapping(value, "clock").get("used"), dict):
        raise InvalidMessage("“clock” is not a clock")
    return value


def read_ask(payload: bytes) -> int:
    """The number after which events are missing. Raises :class:`InvalidMessage`."""
    return _number(_object(payload), "after")


def _object(text: bytes) -> dict[str, Any]:
    if len(text) > MAX_MESSAGE_BYTES:
        raise InvalidMessage(f"it has {len(text)} bytes")
    try:
        value = strict_json.loads(text)
        if b"\\ud" in text.lower():
            # A lone surrogate could not be sent to any page.
            compact(value).encode()
    except (FormatError, UnicodeEncodeError):
        raise InvalidMessage("it is not JSON") from None
    if not isinstance(value, dict):
        raise InvalidMessage("it is not a JSON object")
    return value


def _of_table(value: Mapping[str, Any], table: str) -> str:
    if value.get("table") != table:
        raise InvalidMessage("it names another table than its topic")
    return table


def _number(value: Mapping[str, Any], key: str) -> int:
    found = value.get(key)
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found < _NUMBER_LIMIT:
        raise InvalidMessage(f"“{key}” is not a whole number")
    return found


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    if not isinstance(found, str) or len(found) > _MAX_TEXT_LENGTH:
        raise InvalidMessage(f"“{key}” is not a text")
    return found


def _by_colour(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = _mapping(value, key)
    if not found.keys() <= LETTER.keys():
        raise InvalidMessage(f"“{key}” contains an unknown colour")
    return found


def _colours(value: Mapping[str, Any], key: str) -> list[str]:
    found = value.get(key)
    if not isinstance(found, list) or not all(isinstance(each, str) and each in LETTER for each in found):
        raise InvalidMessage(f"“{key}” is not a list of colours")
    return found


def _result(value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    if value.get("result") is None:
        return None
    result = _mapping(value, "result")
    _colours(result, "winners")
    _text(result, "reason")
    return result


def _check_event(value: Mapping[str, Any], kind: str) -> None:
    """Check that the value is ``null`` or an event of that kind."""
    if value.get(kind) is None:
        return
    # Fields of an event that a state does not have are null.
    known = {name: field for name, field in _mapping(value, kind).items() if field is not None}
    try:
        event = event_from_json(known)
    except ValueError as error:
        raise InvalidMessage(str(error)) from None
    if event.type != kind:
        raise InvalidMessage(f"“{kind}” is not valid")


def _mapping(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = value.get(key)
    if not isinstance(found, dict):
        raise InvalidMessage(f"“{key}” is not an object")
    return found
