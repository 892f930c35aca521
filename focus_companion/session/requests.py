"""What may be asked of the session, from any thread: the page's buttons, a command, a device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..game.moves import Move
from ..game.rules import Rules
from .clock import TimeControl


class RequestRefused(ValueError):
    """What was asked for cannot be done now; the text says why, for the one who asked.

    ``text`` may hold {names}, which ``values`` fill: the page says it in its viewer's language.
    """

    def __init__(self, text: str, **values: object) -> None:
        super().__init__(text.format_map(values) if values else text)
        self.text, self.values = text, {name: str(value) for name, value in values.items()}


@dataclass(frozen=True)
class Request:
    """Something asked for."""


@dataclass(frozen=True)
class NewGame(Request):
    """Begin another game. ``players`` maps letters to names, ``seats`` letters to sides of the board.

    Without ``rules`` those of the last game hold, as they were agreed at its beginning, with its seats and
    clock, and its match goes on. ``games``: how many games of a match this is the first of; 1 for a single
    game. ``start_from``: "camera" where the start is read from the picture. ``played_by`` maps letters to
    kinds of seat; ``None``: as in the last game, for those who play.
    """

    rules: Rules | None = None
    players: Mapping[str, str] = field(default_factory=dict)
    seats: Mapping[str, str] = field(default_factory=dict)
    clock: TimeControl | None = None
    games: int = 1
    start_from: str = ""
    played_by: Mapping[str, str] | None = None
    pace: float | None = None


@dataclass(frozen=True)
class SetSeat(Request):
    """From now on ``player`` (a letter) is played by this ``kind`` of seat; the same kind again: it tries
    again. ``pace``: of all computers of the game; ``None``: as it was.
    """

    player: str
    kind: str
    pace: float | None = None


@dataclass(frozen=True)
class SubmitTurn(Request):
    """Whoever decides for ``player`` (a letter), whose turns the table makes, has chosen a turn.

    ``game``, ``ply`` and ``position`` (text) say where: what was chosen for any other place is refused. The
    same turn again is not refused and changes nothing.
    """

    player: str
    move: Move
    game: int
    ply: int
    position: str


@dataclass(frozen=True)
class GiveUp(Request):
    """Whoever decides for ``player`` gives no turn at this place; ``why`` and ``detail`` as in the event
    ``seat_failed``. Too late, it is ignored.
    """

    player: str
    game: int
    ply: int
    position: str
    why: str
    detail: str = ""


@dataclass(frozen=True)
class Rematch(Request):
    """Begin another game by the same rules with the sides turned: every name moves on by one colour.

    In a match it is the next game. One that was not over does not count: it is played anew, as it began.
    """


@dataclass(frozen=True)
class TakeBack(Request):
    """Take back the last turn or act; the players put the board back."""


@dataclass(frozen=True)
class Resign(Request):
    """``player`` (a letter) resigns."""

    player: str


@dataclass(frozen=True)
class Leave(Request):
    """``player`` (a letter) leaves the table."""

    player: str


@dataclass(frozen=True)
class AgreeDraw(Request):
    """All players agree to a draw."""


@dataclass(frozen=True)
class ChooseMove(Request):
    """The players say which turn was played; it must be legal."""

    move: Move


@dataclass(frozen=True)
class RuleLegal(Request):
    """The players say that what was alerted was legal: this turn, which must be one of the legal ones."""

    move: Move


@dataclass(frozen=True)
class RuleNotLegal(Request):
    """The players say that the turn recorded as ``ply`` (``None``: the last) was not legal."""

    ply: int | None = None


@dataclass(frozen=True)
class Begin(Request):
    """``player`` (a letter), whose turn was alerted as out of turn at ply 0, begins; all keep their order."""

    player: str


@dataclass(frozen=True)
class DismissAlert(Request):
    """The players say that the alert or prompt is settled."""


@dataclass(frozen=True)
class TurnDone(Request):
    """The button at the table: "my turn is done", or "I have seen it".

    What is still is judged at once. An alert or prompt that has stood for a moment is dismissed; one that has
    only just been told is not, because that press was meant for the turn. A paused game goes on. Never
    refused.
    """


@dataclass(frozen=True)
class SetPosition(Request):
    """The game goes on from these 52 stacks. What is ``None`` stays as it is (mappings by letter)."""

    stacks: tuple[str, ...]
    to_move: str | None = None
    reserves: Mapping[str, int] | None = None
    captured: Mapping[str, Mapping[str, int]] | None = None
    note: str = ""


@dataclass(frozen=True)
class ReadBoard(Request):
    """Read the next still picture, whatever should stand; the event ``reading`` tells what it shows."""


@dataclass(frozen=True)
class PlaceBoard(Request):
    """Where the players see the board in the picture: (x, y) of the lattice's corners a1, h1, h8 and a8 as
    shares of the picture's width and height. ``None``: look for it again without help.
    """

    corners: Mapping[str, tuple[float, float]] | None


@dataclass(frozen=True)
class SwapColours(Request):
    """Before the first turn: the pieces taken for one player's are the other's."""


@dataclass(frozen=True)
class StandsRight(Request):
    """The players say that the pieces stand as they should, whatever the picture seems to show."""


@dataclass(frozen=True)
class Pause(Request):
    """Look away from the board until :class:`Resume`."""


@dataclass(frozen=True)
class Resume(Request):
    """Look at the board again."""
