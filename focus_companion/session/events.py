"""The typed words that everyone outside the session hears.

The first block is the public contract of ``watch --events`` and ``/api/events``: each class's ``type`` and
keys are fixed. ``time`` is in seconds of the stream.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, get_type_hints

from .kinds import fits
from .seat_kinds import PACES


@dataclass(frozen=True)
class Event:
    """Something that happened at the table."""

    type: ClassVar[str]
    time: float

    def to_json(self) -> dict[str, Any]:
        """The event as the contract writes it: ``type``, ``time``, then the further keys."""
        told = (f.name for f in fields(self) if f.metadata.get("told", True))
        return {"type": self.type} | {name: getattr(self, name) for name in told}


@dataclass(frozen=True)
class Ready(Event):
    """The board is found and its position is a legal start (or the journal's last position)."""

    type: ClassVar[str] = "ready"
    position: str


@dataclass(frozen=True)
class SetUp(Event):
    """The board is found and differs from the position that it should show."""

    type: ClassVar[str] = "set_up"
    squares: Sequence[str]


@dataclass(frozen=True)
class Reading(Event):
    """What a still picture shows, whatever should stand: for the players to take as the position, or not.

    ``doubtful``: squares to look at, the least sure first; ``confidence`` 0…1; a ``position`` of "" where no
    board was found.
    """

    type: ClassVar[str] = "reading"
    position: str
    doubtful: Sequence[str] = ()
    confidence: float = 0.0


@dataclass(frozen=True)
class Moved(Event):
    """A complete legal turn, trimmed."""

    type: ClassVar[str] = "move"
    ply: int
    player: str
    move: str
    position: str
    reserves: Mapping[str, int]
    captured: Mapping[str, Mapping[str, int]]
    to_move: str | None
    confidence: float


@dataclass(frozen=True)
class Prompt(Event):
    """A stack awaits its trimming: ``remove`` lists, bottom first, {"piece", "to", "owner"}."""

    type: ClassVar[str] = "prompt"
    square: str
    remove: Sequence[Mapping[str, str]]
    move: str = field(default="", metadata={"told": False})
    """The turn that made the stack so high; the state tells it, the event does not."""


@dataclass(frozen=True)
class Alert(Event):
    """An illegal act: ``reason`` from the contract's list, who seems to have acted, where, and what to do."""

    type: ClassVar[str] = "alert"
    reason: str
    player: str
    squares: Sequence[str]
    text: str


@dataclass(frozen=True)
class Resolved(Event):
    """What was wrong is put right: the last legal position stands again, or a legal move was made from it."""

    type: ClassVar[str] = "resolved"


@dataclass(frozen=True)
class TakenBack(Event):
    """The board again shows the position after ``ply``."""

    type: ClassVar[str] = "taken_back"
    ply: int
    position: str = ""


@dataclass(frozen=True)
class Unclear(Event):
    """Several turns explain the picture about equally well; a later move settles it."""

    type: ClassVar[str] = "unclear"
    candidates: Sequence[str]


@dataclass(frozen=True)
class Lost(Event):
    """The camera or the board is out of view: ``what`` is "camera" or "board".

    ``why``, of the camera: "unplugged", "unreachable", "stalled", "ended", "unreadable" (no pictures),
    "phone" (the phone sends none), "asleep" (the computer slept), "frozen", "dark", "covered", "grey",
    "damaged" (pictures of no use). Of the board: "out of view", "resolution" (the pictures have another
    size). "" where nothing is known.
    """

    type: ClassVar[str] = "lost"
    what: str = "board"
    why: str = ""


@dataclass(frozen=True)
class Found(Event):
    """The camera or the board is back."""

    type: ClassVar[str] = "found"
    what: str = "board"


@dataclass(frozen=True)
class Reply(Event):
    """What the people at the table are to do for a player without hands: ``remove`` as in ``prompt``; ``by``
    is who chose it: "companion", "far", "engine" or "table".
    """

    type: ClassVar[str] = "reply"
    player: str
    move: str
    remove: Sequence[Mapping[str, str]]
    by: str


@dataclass(frozen=True)
class Result(Event):
    """The game is over."""

    type: ClassVar[str] = "result"
    winners: Sequence[str]
    reason: str


@dataclass(frozen=True)
class GameBegan(Event):
    """A new game: its id in the journal, rules as in the game record, names and seats, the clock.

    ``match``: which game of a match it is, as :class:`game.match.MatchPlace` writes it; ``None`` without one.
    ``played_by``: the kind of seat by colour, of those that are not at the board; ``pace``: seconds for which
    a computer may think about a turn.
    """

    type: ClassVar[str] = "game"
    game: int
    rules: Mapping[str, Any]
    players: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    position: str = ""
    clock: Mapping[str, Any] | None = None
    match: Mapping[str, Any] | None = None
    demo: bool = False
    """Whether it is played on the simulated board."""
    played_by: Mapping[str, str] = field(default_factory=dict)
    pace: float = PACES[0]
    start_from: str = ""
    """ "camera": the players take the position that the camera reads as the start; until then the one of the
    ``rules`` stands in for it."""


@dataclass(frozen=True)
class Seated(Event):
    """From now on a colour is played by another ``kind`` of seat, at this ``pace``."""

    type: ClassVar[str] = "seat"
    player: str
    kind: str
    pace: float = PACES[0]


@dataclass(frozen=True)
class SeatFailed(Event):
    """Whoever chooses the turns of a player gives none: the players are asked who goes on for them.

    ``why``: "late" (no answer in its time), "ended" (the program ended), "missing" (it does not start),
    "nonsense" (its answer is no legal turn); ``detail`` is what it said, for the terminal.
    """

    type: ClassVar[str] = "seat_failed"
    player: str
    by: str
    why: str
    detail: str = ""


@dataclass(frozen=True)
class Acted(Event):
    """An act of the players told to the page: "resign", "leave" or "draw" (of all: ``player`` is "")."""

    type: ClassVar[str] = "act"
    act: str
    player: str


@dataclass(frozen=True)
class Ruled(Event):
    """The players ruled: ``move`` was legal though alerted for ``reason``, or not though it was ``ply``."""

    type: ClassVar[str] = "ruling"
    legal: bool
    ply: int
    move: str
    player: str
    reason: str = ""


@dataclass(frozen=True)
class Begins(Event):
    """Before the first turn: ``player`` begins, and not the one named. ``order`` is the turn order from now
    on, in which everybody keeps their place.
    """

    type: ClassVar[str] = "begins"
    player: str
    order: Sequence[str]


@dataclass(frozen=True)
class Corrected(Event):
    """The players corrected the position by hand: the game goes on from ``position``, which is its new ply 0.

    ``rules`` are the game's rules from here on, as in the game record, with that position as their start.
    """

    type: ClassVar[str] = "corrected"
    position: str
    rules: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class Paused(Event):
    """The players paused the game, or went on with it."""

    type: ClassVar[str] = "pause"
    paused: bool


@dataclass(frozen=True)
class Placed(Event):
    """Somebody showed by hand where the board lies: ``corners`` (x, y) by name, as shares of the picture's
    width and height; ``None``: it is looked for without help again.
    """

    type: ClassVar[str] = "placed"
    corners: Mapping[str, Sequence[float]] | None


@dataclass(frozen=True)
class Refused(Event):
    """What somebody asked for on the page cannot be done; ``text`` says why.

    ``template`` and ``values`` are what it was made from, if it holds more than fixed words.
    """

    type: ClassVar[str] = "refused"
    text: str
    template: str = ""
    values: Mapping[str, str] = field(default_factory=dict)


TYPES: Mapping[str, type[Event]] = {
    kind.type: kind
    for kind in (
        *(Ready, SetUp, Moved, Prompt, Alert, Resolved, TakenBack, Unclear, Lost, Found, Reply, Result),
        *(GameBegan, Begins, Seated, SeatFailed, Acted, Ruled, Corrected, Paused, Placed, Refused, Reading),
    )
}
"""The classes of events by their ``type``."""

_HINTS: Mapping[type[Event], Mapping[str, Any]] = {
    kind: {f.name: get_type_hints(kind)[f.name] for f in fields(kind)} for kind in TYPES.values()
}
"""What the fields of each class may hold."""


def event_from_json(value: Mapping[str, Any]) -> Event:
    """The event that ``Event.to_json`` wrote; keys that this version does not know are left out.

    Raises:
        ValueError: an unknown ``type``, a key is missing, or it holds a value of another kind.
    """
    if not isinstance(value, Mapping):
        raise ValueError("an event is an object")
    kind = TYPES.get(str(value.get("type")))
    if kind is None:
        raise ValueError(f"no event is of the type {value.get('type')!r}")
    needed = [f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING]
    if missing := [name for name in needed if name not in value]:
        raise ValueError(f"the event {kind.type!r} lacks {', '.join(missing)}")
    for name, hint in _HINTS[kind].items():
        if name in value and not fits(value[name], hint):
            raise ValueError(f"the event {kind.type!r} has another {name} than it may have")
    return kind(**{f.name: value[f.name] for f in fields(kind) if f.name in value})
