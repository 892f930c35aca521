"""The interfaces that the page needs from the rest of the program, as structural types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Protocol

from ..session.events import Corrected, Event, GameBegan, Moved, TakenBack
from ..session.history import History
from ..session.requests import Request
from ..storage.journal import GameSummary, KeptEvent


class EventSubscription(Protocol):
    """Events from some id on, oldest first; ``None`` as a heartbeat."""

    def __iter__(self) -> Iterator[tuple[int, Event] | None]: ...

    def close(self) -> None:
        """End the iteration, from any thread, even while it waits."""
        ...


class GameSession(Protocol):
    """The running game. Every method may be called from any thread."""

    @property
    def history(self) -> History:
        """The game so far."""
        ...

    @property
    def lifted(self) -> tuple[int, int] | None:
        """The square (index) of a stack from which pieces seem lifted, and their number; else ``None``."""
        ...

    def state(self) -> dict[str, Any]:
        """The response of ``/api/state``."""
        ...

    def state_after(self, event: int) -> dict[str, Any] | None:
        """The state right after the event with that id, with ``moves`` as the change {"keep", "add"} to the
        list before it; ``None`` if that is no longer known.
        """
        ...

    def subscribe(self, after: int | None = None, *, heartbeat: float = 15.0) -> EventSubscription:
        """Events above ``after`` (``None``: only new ones); ``None`` after ``heartbeat`` s without one."""
        ...

    def snapshot(self, overlay: bool = False, width: int | None = None) -> bytes | None:
        """The newest picture as JPEG, at most ``width`` pixels wide; ``None`` before the first one."""
        ...

    def legal(self) -> Sequence[str]:
        """The legal turns now; those most likely to be meant come first."""
        ...

    def submit(self, request: Request) -> Future[None]:
        """Submit a request to the game thread; the future holds ``RequestRefused`` if it is refused."""
        ...

    def wait_while_busy(self, timeout: float) -> None:
        """Wait while a picture is processed, at most ``timeout`` seconds."""
        ...

    def health(self) -> dict[str, Any]:
        """The response of ``/healthz``."""
        ...


class OfferedCameras(Protocol):
    """The cameras that can be chosen on the page. May be used from any thread."""

    @property
    def found(self) -> str | None:
        """The device, ``None`` while there is none."""
        ...

    def take(self, source: str | None = None) -> bool:
        """Choose a camera: ``None`` for the device found, "phone", an address, or "demo" to choose again. The
        program restarts with it. False if it is not there (any more), or gives no picture.
        """
        ...


class FaultReports(Protocol):
    """Makes reports of the last fault of the running game. May be used from any thread."""

    def parts(self) -> Mapping[str, bytes]:
        """The files of a report by name; ``ValueError`` if there is nothing that may be shown."""
        ...

    def packed(self, parts: Mapping[str, bytes]) -> bytes:
        """The parts as one ZIP file."""
        ...


class GameJournal(Protocol):
    """Past games."""

    def games(self, *, deleted: bool = False) -> Sequence[GameSummary]:
        """All games, newest first; with ``deleted`` including the deleted ones."""
        ...

    def summary(self, game: int) -> GameSummary:
        """One game, possibly a deleted one; ``LookupError`` if there is none with that id."""
        ...

    def entitle(self, game: int, title: str) -> None:
        """Set the title of a game; "" removes it."""
        ...

    def delete(self, game: int) -> None:
        """Hide a game from the lists; its data is kept."""
        ...

    def undelete(self, game: int) -> None:
        """Restore a deleted game."""
        ...

    def kept(self, after: int = 0, limit: int = 1000, game: int | None = None) -> Sequence[KeptEvent]:
        """Events as they were written, oldest first; with ``game`` only those of that game."""
        ...

    def history(self, game: int, upto: int | None = None) -> History:
        """A game, computed from its events (with ``upto``, as it was after that event); ``LookupError`` if
        there is none with that id.
        """
        ...

    def last_positions(self) -> Mapping[int, Moved | TakenBack | Corrected | GameBegan]:
        """By game, the last event that has a position."""
        ...
