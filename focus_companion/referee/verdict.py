"""The referee's verdicts on a look at the board; the session must process them in order."""

from __future__ import annotations

from dataclasses import dataclass

from ..game.moves import Move
from ..game.play import Removed
from ..game.position import Position


@dataclass(frozen=True)
class Verdict:
    """Base class of all verdicts."""


@dataclass(frozen=True)
class StartSeen(Verdict):
    """The board is found and shows the game's current position."""


@dataclass(frozen=True)
class StartDiffers(Verdict):
    """The board is found but differs from the game's current position on these squares."""

    squares: tuple[int, ...]


@dataclass(frozen=True)
class BoardRead(Verdict):
    """The position read from one still picture without knowing the game: the 52 ``stacks`` (none if no board
    was found), the ``doubtful`` squares, least certain first, and the overall ``confidence`` from 0 to 1.
    """

    stacks: tuple[str, ...]
    doubtful: tuple[int, ...]
    confidence: float


@dataclass(frozen=True)
class TurnSeen(Verdict):
    """A complete legal turn by the player to move; ``confidence`` is from 0 to 1."""

    move: Move
    confidence: float


@dataclass(frozen=True)
class OtherBegins(Verdict):
    """``player`` (a letter) begins the game instead of the player named; ``start`` is the resulting position
    at ply 0.
    """

    player: str
    start: Position


@dataclass(frozen=True)
class TrimAwaited(Verdict):
    """A legal turn was made and its stack awaits its trimming."""

    move: Move
    square: int
    removed: tuple[Removed, ...]


@dataclass(frozen=True)
class Wrong(Verdict):
    """An illegal act. ``reason``: one of the event contract's; ``player``: a colour letter; ``text``: for the
    players.
    """

    reason: str
    player: str
    squares: tuple[int, ...]
    text: str


@dataclass(frozen=True)
class PutRight(Verdict):
    """The illegal act was undone."""


@dataclass(frozen=True)
class WentBack(Verdict):
    """The board again shows the position after ``ply``."""

    ply: int


@dataclass(frozen=True)
class Undecided(Verdict):
    """These turns explain the picture about equally well."""

    candidates: tuple[Move, ...]


@dataclass(frozen=True)
class OutOfView(Verdict):
    """``what``, the camera or the board, is out of view; ``why`` as in the event ``lost``."""

    what: str = "board"
    why: str = "out of view"


@dataclass(frozen=True)
class BackInView(Verdict):
    """What was out of view can be seen again."""

    what: str = "board"
