"""What the session asks of the rooms around it, as structural types: pipeline, journal, pictures."""

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
    """Frames in, verdicts out: ``session.pipeline.Pipeline``, or the script of a test."""

    @property
    def camera_state(self) -> str:
        """ "ok", "no board", "lost", or what makes the pictures useless ("dark", "covered", "grey",
        "damaged").
        """
        ...

    @property
    def at_rest(self) -> bool:
        """Whether nothing has moved for so long that fewer pictures are enough."""
        ...

    def push(self, frame: Frame, history: Sequence[Position], asked: Asked) -> Sequence[Verdict]:
        """What this frame tells; ``history`` holds the game's positions from ply 0 on, ``asked`` says for
        whom others make the turns, and which one now."""
        ...

    def read(self, frame: Frame, standing: Position | None) -> Sequence[Verdict]:
        """What this frame shows whatever should stand, once that is known; ``standing`` tells how the board
        is turned, if anything is known of it."""
        ...

    def read_again(self) -> None:
        """The next still picture is read, however like the last one."""
        ...

    def hurry(self, until: float) -> None:
        """The players say that the turn is done: what is still up to the time ``until`` need not last."""
        ...

    def vouch(self) -> None:
        """The players say that the position to be set up stands: the next still picture shows it."""
        ...

    def mount(self) -> Mapping[str, Any] | None:
        """How the camera stands, once the board is found: degrees and pixels by name."""
        ...

    def place(self, corners: Mapping[str, Sequence[float]] | None, *, believed: bool = True) -> None:
        """Where the board lies, by hand; see :meth:`vision.watcher.Watcher.place`. Raises ValueError."""
        ...

    def corners(self) -> Mapping[str, Sequence[float]] | None:
        """Where the corners of the lattice are seen, as shares of the picture's size; ``None``: nowhere."""
        ...

    def pieces(self) -> Mapping[str, Mapping[str, str]]:
        """What is known of the pieces' looks by letter: ``seen``, ``name``, ``shade``, as far as it is."""
        ...

    def overlay(self, image: Any, stacks: Sequence[str], wrong: Sequence[int] = ()) -> Any:
        """The picture (H, W, 3) with the reading drawn on it, the squares ``wrong`` ringed."""
        ...


SightMaker = Callable[[Rules], Sight]
"""Makes a pipeline that looks for the board anew."""


class Tape(Protocol):
    """Keeps all that a session is given and tells: ``storage.tape.Tape``."""

    def frame(self, frame: Frame) -> None: ...

    def request(self, request: Request, *, in_push: bool) -> None: ...

    def camera(self, word: str, why: str = "") -> None: ...

    def told(self, events: Sequence[Event]) -> None: ...


class EventJournal(Protocol):
    """Where events are kept before anyone hears of them: ``storage.journal.Journal``."""

    def begin(self, rules: Rules, players: Mapping[str, str]) -> int: ...

    def append_all(self, game: int, events: Sequence[Event]) -> list[int]: ...

    def events(self, after: int = 0, limit: int = 1000) -> list[tuple[int, Event]]: ...

    def last_event(self) -> int: ...

    def last_unfinished(self) -> int | None: ...

    def last_game(self) -> int | None: ...

    def history(self, game: int) -> History: ...
