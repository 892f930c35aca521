"""What the page asks of the rest of the program, as structural types that session and journal fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Protocol

from ..session.events import Corrected, Event, GameBegan, Moved, TakenBack
from ..session.history import History
from ..session.requests import Request
from ..storage.journal import GameSummary, KeptEvent


class EventSubscription(Protocol):
    """Events from a place in the journal on, oldest first; ``None`` now and then when nothing happens."""

    def __iter__(self) -> Iterator[tuple[int, Event] | None]: ...

    def close(self) -> None:
        """End the iteration, from any thread, also while it waits."""
        ...


class GameSession(Protocol):
    """The running game, as the page sees it. Every method may be called from any thread."""

    @property
    def history(self) -> History:
        """The game so far."""
        ...

    def state(self) -> dict[str, Any]:
        """The answer of ``/api/state``."""
        ...

    def state_after(self, event: int) -> dict[str, Any] | None:
        """The state right after the event of that id, ``moves`` as {"keep", "add"} of the list before it;
        ``None`` if that is no longer known.
        """
        ...

    def subscribe(self, after: int | None = None, *, heartbeat: float = 15.0) -> EventSubscription:
        """Events above ``after`` (``None``: those to come); ``None`` when ``heartbeat`` s are silent."""
        ...

    def snapshot(self, overlay: bool = False, width: int | None = None) -> bytes | None:
        """The newest picture as JPEG, at most ``width`` pixels wide; ``None`` before the first one."""
        ...

    def legal(self) -> Sequence[str]:
        """The legal turns now, the likeliest to be meant first."""
        ...

    def submit(self, request: Request) -> Future[None]:
        """Hand a request to the game thread; the future holds ``RequestRefused`` if it cannot be."""
        ...

    def let_pass(self, timeout: float) -> None:
        """Wait while a picture is judged, at most ``timeout`` seconds."""
        ...

    def health(self) -> dict[str, Any]:
        """What ``/healthz`` tells."""
        ...


class CameraOffer(Protocol):
    """The cameras that may be chosen on the page. May be used from any thread."""

    @property
    def found(self) -> str | None:
        """The device, ``None`` while there is none."""
        ...

    def take(self, source: str | None = None) -> bool:
        """Ask for a camera: the device found, "phone", an address, or "demo" to choose again. The program
        starts anew on it. False if there is none (any more), or no picture comes from there.
        """
        ...


class FaultReports(Protocol):
    """What shows the last fault of the running game. May be used from any thread."""

    def parts(self) -> Mapping[str, bytes]:
        """The files of a report by name; ``ValueError`` if there is nothing that may be shown."""
        ...

    def packed(self, parts: Mapping[str, bytes]) -> bytes:
        """The parts as one ZIP file."""
        ...


class GameJournal(Protocol):
    """Past games."""

    def games(self, *, deleted: bool = False) -> Sequence[GameSummary]:
        """All games, the newest first; with ``deleted`` those too that were deleted."""
        ...

    def summary(self, game: int) -> GameSummary:
        """One game, a deleted one too; ``LookupError`` if there is none of that id."""
        ...

    def entitle(self, game: int, title: str) -> None:
        """Call a game ``title``; "" takes its title away."""
        ...

    def delete(self, game: int) -> None:
        """Leave a game out of the lists; nothing of it is lost."""
        ...

    def undelete(self, game: int) -> None:
        """Bring a deleted game back to the lists."""
        ...

    def kept(self, after: int = 0, limit: int = 1000, game: int | None = None) -> Sequence[KeptEvent]:
        """Events as they were written, oldest first; of one game alone with ``game``."""
        ...

    def history(self, game: int) -> History:
        """A game as its events tell it; ``LookupError`` if there is none of that id."""
        ...

    def last_positions(self) -> Mapping[int, Moved | TakenBack | Corrected | GameBegan]:
        """By game, the last event that tells a position."""
        ...
