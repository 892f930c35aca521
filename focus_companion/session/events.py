"""The events that a session emits.

Those from ``Ready`` to ``Result`` are the public contract of ``watch --events`` and ``/api/events``: each
class's ``type`` and keys are fixed. ``time`` is in seconds of the stream.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from typing import Any, ClassVar, get_type_hints

from .kinds import fits
from .seat_kinds import PACES


@dataclass(frozen=True)
class Event:
    """Something that happened at the table."""

    type: ClassVar[str]
    time: float

    def to_json(self) -> dict[str, Any]:
        """The event in the contract's form: ``type``, ``time``, then the further keys."""
        public = (f.name for f in fields(self) if f.metadata.get("public", True))
        return {"type": self.type} | {name: getattr(self, name) for name in public}


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
    """The position read from a still picture, independent of the game: the players may accept it or not.

    ``doubtful``: squares to check, the least certain first; ``confidence`` 0…1; ``position`` is "" if no
    board was found.
    """

    type: ClassVar[str] = "reading"
    position: str
    doubtful: Sequence[str] = ()
    confidence: float = 0.0


@dataclass(frozen=True)
class Moved(Event):
    """A complete legal turn, including its trimming."""

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
    move: str = field(default="", metadata={"public": False})
    """The turn that made the stack too high; part of the state, not of the public event."""


@dataclass(frozen=True)
class Alert(Event):
    """An illegal act: ``reason`` from the contract's list, who seems to have acted, where, and the remedy."""

    type: ClassVar[str] = "alert"
    reason: str
    player: str
    squares: Sequence[str]
    text: str


@dataclass(frozen=True)
class Resolved(Event):
    """The fault was corrected: the board shows the last legal position, or a legal move was made from it."""

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
    "damaged" (useless pictures), "unsteady" (no part of the picture comes to rest). Of the board: "out of
    view", "hidden" (something has been over squares for long), "resolution" (the picture size has changed),
    "mirrored" (left and right are exchanged), "another position" (more than a few turns from the game's),
    "cut off: " and the edges of the picture (left, right, top, bottom) beyond which a part of it lies.
    "" if the reason is unknown.
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
    """The turn that the people at the table are to make for a player who is not there: ``remove`` as in
    ``prompt``; ``by`` is who chose it: "companion", "far", "engine" or "table".
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
    """A new game: its id in the journal, the rules as in the game record, names and seats, and the clock.

    ``match``: which game of a match it is, in the form of :class:`game.match.MatchPlace`; ``None`` without
    one. ``played_by``: the kind of seat by colour, for players not at the board; ``pace``: seconds for which
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
    """ "camera": the game starts from the position that the camera reads, once the players accept it; until
    then the start of the ``rules`` is a placeholder."""


@dataclass(frozen=True)
class Seated(Event):
    """From now on a colour is played by another ``kind`` of seat, at this ``pace``."""

    type: ClassVar[str] = "seat"
    player: str
    kind: str
    pace: float = PACES[0]


@dataclass(frozen=True)
class SeatFailed(Event):
    """The seat that chooses a player's turns failed to choose one: the page asks who is to replace it.

    ``why``: "late" (no answer in time), "ended" (the program ended), "missing" (it does not start),
    "nonsense" (its answer is not a legal turn), "away" (the other table does not answer), "apart" (its game
    differs from this one); ``detail`` is its output, for the terminal.
    """

    type: ClassVar[str] = "seat_failed"
    player: str
    by: str
    why: str
    detail: str = ""


@dataclass(frozen=True)
class Hinted(Event):
    """A player at the table was given a hint: in ``step`` 1 the ``square`` of the stack to move ("" for
    a piece from the reserve), in step 2 also the whole ``move``.
    """

    type: ClassVar[str] = "hint"
    player: str
    step: int
    square: str
    move: str = ""


@dataclass(frozen=True)
class Assessed(Event):
    """A player at the table was told whether it is good to move the stack on ``square``. ``grade``: "good"
    (hardly any turn is better), "fair" (another one is better) or "poor" (another one is much better).
    """

    type: ClassVar[str] = "assessment"
    player: str
    square: str
    grade: str


@dataclass(frozen=True)
class Acted(Event):
    """An act that the players entered on the page: "resign", "leave" or "draw" (``player`` is "")."""

    type: ClassVar[str] = "act"
    act: str
    player: str


@dataclass(frozen=True)
class Ruled(Event):
    """The players ruled that ``move`` was legal despite an alert for ``reason``, or ``ply`` illegal."""

    type: ClassVar[str] = "ruling"
    legal: bool
    ply: int
    move: str
    player: str
    reason: str = ""


@dataclass(frozen=True)
class Begins(Event):
    """Before the first turn: ``player`` begins instead of the one named. ``order``: the turn order from now
    on, in which all players keep their places.
    """

    type: ClassVar[str] = "begins"
    player: str
    order: Sequence[str]


@dataclass(frozen=True)
class Corrected(Event):
    """The players corrected the position by hand: the game continues from ``position``, its new ply 0.

    ``rules`` are the game's rules from here on, as in the game record, with that position as their start.
    """

    type: ClassVar[str] = "corrected"
    position: str
    rules: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class Paused(Event):
    """The players paused the game or resumed it."""

    type: ClassVar[str] = "pause"
    paused: bool


@dataclass(frozen=True)
class TimeUp(Event):
    """The time of ``player`` has run out: at most once in a game, whose result does not depend on it."""

    type: ClassVar[str] = "time_up"
    player: str


@dataclass(frozen=True)
class Placed(Event):
    """Somebody marked by hand where the board lies. ``corners``: (x, y) by name, as fractions of the
    picture's width and height; ``None`` if the board is to be found automatically again.
    """

    type: ClassVar[str] = "placed"
    corners: Mapping[str, Sequence[float]] | None


@dataclass(frozen=True)
class Refused(Event):
    """A request made on the page was refused; ``text`` says why.

    ``template`` and ``values`` are what ``text`` was formatted from, unless it is a fixed text.
    """

    type: ClassVar[str] = "refused"
    text: str
    template: str = ""
    values: Mapping[str, str] = field(default_factory=dict)


TYPES: Mapping[str, type[Event]] = {
    kind.type: kind
    for kind in (
        *(Ready, SetUp, Moved, Prompt, Alert, Resolved, TakenBack, Unclear, Lost, Found, Reply, Result),
        *(GameBegan, Begins, Seated, SeatFailed, Hinted, Assessed, Acted, Ruled, Corrected, Paused, Placed),
        *(Refused, Reading, TimeUp),
    )
}
"""The classes of events by their ``type``."""


@cache
def _field_types(kind: str) -> Mapping[str, Any]:
    """The resolved type annotations of the fields of events of this ``type``."""
    hints = get_type_hints(TYPES[kind])
    return {f.name: hints[f.name] for f in fields(TYPES[kind])}


def event_from_json(value: Mapping[str, Any]) -> Event:
    """The event that ``Event.to_json`` wrote; unknown keys are ignored.

    Raises:
        ValueError: an unknown ``type``, a missing key, or a value of the wrong type.
    """
    if not isinstance(value, Mapping):
        raise ValueError("an event is an object")
    kind = TYPES.get(str(value.get("type")))
    if kind is None:
        raise ValueError(f"no event is of the type {value.get('type')!r}")
    needed = [f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING]
    if missing := [name for name in needed if name not in value]:
        raise ValueError(f"the event {kind.type!r} lacks {', '.join(missing)}")
    for name, hint in _field_types(kind.type).items():
        if name in value and not fits(value[name], hint):
            raise ValueError(f"the event {kind.type!r} has another {name} than it may have")
    return kind(**{f.name: value[f.name] for f in fields(kind) if f.name in value})
