"""The interfaces that the session needs from other rooms, as structural types: pipeline, journal, tape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ..game.position import Position
from ..game.rules import Rules
from ..referee.asked import Asked
from ..referee.verdict import Verdict
from .events import Event
from .history import History
from .requests import Request

if TYPE_CHECKING:
    from ..vision.capture.frames import Frame


class Sight(Protocol):
    """Frames in, verdicts out: ``session.pipeline.Pipeline``, or a test double."""

    @property
    def camera_state(self) -> str:
        """ "ok", "no board", "lost", or what makes the pictures useless ("dark", "covered", "grey",
        "damaged", "unsteady").
        """
        ...

    @property
    def at_rest(self) -> bool:
        """Whether nothing has moved for so long that fewer pictures are enough."""
        ...

    @property
    def lifted(self) -> tuple[int, int] | None:
        """The square (index) of the stack from whose top pieces are missing in the last picture, and their
        number: somebody may be holding them. ``None`` if the picture shows anything else.
        """
        ...

    def push(self, frame: Frame, history: Sequence[Position], asked: Asked) -> Sequence[Verdict]:
        """The verdicts of this frame; ``history`` holds the game's positions from ply 0, ``asked`` the
        players whose turns others make, and the turn to be made now.
        """
        ...

    def read(self, frame: Frame, standing: Position | None) -> Sequence[Verdict]:
        """The position that this frame shows, independent of the game, as soon as it has been read;
        ``standing``, if known, gives the orientation of the board.
        """
        ...

    def read_again(self) -> None:
        """Read the next still picture even if it equals the last one."""
        ...

    def hurry(self, until: float) -> None:
        """The players say that the turn is done: until the time ``until`` no settle time is required."""
        ...

    def vouch(self) -> None:
        """The players confirm that the position is set up: the next still picture shows it."""
        ...

    def mount(self) -> Mapping[str, Any] | None:
        """How the camera is placed, once the board is found: degrees and pixels by name."""
        ...

    def place(self, corners: Mapping[str, Sequence[float]] | None, *, believed: bool = True) -> None:
        """Set by hand where the board lies; see ``Watcher.place`` of :mod:`vision.tracking.watcher`. Raises
        ValueError.
        """
        ...

    def corners(self) -> Mapping[str, Sequence[float]] | None:
        """The corners of the lattice as fractions of the picture's size; ``None`` without a board."""
        ...

    @property
    def any_shades(self) -> bool:
        """Whether any shades may stand for the players' colours: those of draughts or coins, whereas a green
        piece of the plastic set is green.
        """
        ...

    def pieces(self) -> Mapping[str, Mapping[str, str]]:
        """What is known of the pieces' colours by letter: any of ``seen``, ``name``, ``shade``."""
        ...

    def overlay(self, image: Any, stacks: Sequence[str], wrong: Sequence[int] = ()) -> Any:
        """The picture (H, W, 3) with the reading drawn on it and the squares ``wrong`` circled."""
        ...


SightMaker = Callable[[Rules], Sight]
"""Makes a new pipeline, which has to find the board first."""


class Recorder(Protocol):
    """Records everything that a session receives and emits: ``storage.tape.tape.Tape``."""

    def frame(self, frame: Frame) -> None: ...

    def request(self, request: Request, *, in_push: bool) -> None: ...

    def camera(self, word: str, why: str = "") -> None: ...

    def decided(self, terms: Mapping[str, Any]) -> None: ...

    def emitted(self, events: Sequence[Event]) -> None: ...


class JournalUnusable(OSError):
    """Events cannot be stored now; the text says why, where and what to do.

    ``kind``: the same for programs: "full", "fails" (the disk), "not_writable", "not_there", "busy" (held by
    another program), "damaged", or "" for anything else. ``file``: the path of the journal.
    """

    def __init__(self, text: str, kind: str = "", file: str = "") -> None:
        super().__init__(text)
        self.kind, self.file = kind, file


class EventJournal(Protocol):
    """Stores events before they are emitted: ``storage.journal.Journal``."""

    def begin(self, rules: Rules, players: Mapping[str, str]) -> int: ...

    def append_all(self, game: int, events: Sequence[Event]) -> list[int]: ...

    def events(self, after: int = 0, limit: int = 1000) -> list[tuple[int, Event]]: ...

    def last_event(self) -> int: ...

    def last_unfinished(self) -> int | None: ...

    def last_game(self) -> int | None: ...

    def history(self, game: int) -> History: ...

    def keep_time(self, event: int, time: float) -> None:
        """Note that it is ``time`` in the game whose last event is ``event``; failing is no fault."""
        ...

    def kept_time(self) -> float:
        """The time last noted, if it follows the journal's last event, else 0."""
        ...
