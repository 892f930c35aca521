"""The requests that a session accepts, from any thread: from the page's buttons, a command, a device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..game.moves import Move
from ..game.rules import Rules
from .clock import TimeControl


class RequestRefused(ValueError):
    """A request cannot be carried out now; the text says why, for the person who made it.

    ``text`` may contain fields in braces, filled in from ``values``, so that the page can translate it.
    """

    def __init__(self, text: str, **values: object) -> None:
        super().__init__(text.format_map(values) if values else text)
        self.text, self.values = text, {name: str(value) for name, value in values.items()}


@dataclass(frozen=True)
class Request:
    """Base class of all requests.

    ``point``: the game and the number of its turns and acts for which the request is meant; at any other
    point it is refused. ``None``: at any point.

    ``about``: what the page showed when the request was made, as in :attr:`History.shown`; if it has changed
    since, the request was meant for something else and is refused. Empty: whatever is shown.
    """

    point: tuple[int, int] | None = field(default=None, kw_only=True)
    about: Mapping[str, float | None] = field(default_factory=dict, kw_only=True)


@dataclass(frozen=True)
class NewGame(Request):
    """Begin another game. ``players`` maps letters to names (``None``: those of the last game), ``seats``
    letters to sides of the board.

    Without ``rules``, those agreed at the beginning of the last game apply, with its seats and clock, and its
    match goes on. ``games``: number of games of the match that this game begins; 1 for a single game.
    ``start_from``: "camera" if the start is read from the picture. ``played_by`` maps letters to kinds of
    seat; ``None``: as in the last game.
    """

    rules: Rules | None = None
    players: Mapping[str, str] | None = None
    seats: Mapping[str, str] = field(default_factory=dict)
    clock: TimeControl | None = None
    games: int = 1
    start_from: str = ""
    played_by: Mapping[str, str] | None = None
    pace: float | None = None


@dataclass(frozen=True)
class SetSeat(Request):
    """From now on ``player`` (a letter) is played by this ``kind`` of seat; if the kind is unchanged, the
    seat retries. ``pace``: for all computers of the game; ``None``: unchanged.
    """

    player: str
    kind: str
    pace: float | None = None


@dataclass(frozen=True)
class SubmitTurn(Request):
    """A turn chosen by the seat of ``player`` (a letter), to be made by the people at the table.

    ``game``, ``ply`` and ``position`` (text) identify the point of the game; a turn for any other point is
    refused. Sending the same turn again is not refused and changes nothing.
    """

    player: str
    move: Move
    game: int
    ply: int
    position: str


@dataclass(frozen=True)
class GiveUp(Request):
    """The seat of ``player`` failed to choose a turn at this point of the game; ``why`` and ``detail`` as in
    the event ``seat_failed``. Ignored if it comes too late.
    """

    player: str
    game: int
    ply: int
    position: str
    why: str
    detail: str = ""


@dataclass(frozen=True)
class TakeHint(Request):
    """A player wants a hint, which reveals this ``move`` in two steps: first which stack to move, then where
    to. ``step``: the last step that is wanted; ``game``, ``ply`` and ``position`` as in :class:`SubmitTurn`.
    """

    move: Move
    game: int
    ply: int
    position: str
    step: int = 2


@dataclass(frozen=True)
class Assess(Request):
    """A player asks whether it is good to move the stack on ``square`` (an index): the best turn with it
    lowers their chance by ``missed`` (0 to 1), compared with the best turn of all. ``game``, ``ply`` and
    ``position`` as in :class:`SubmitTurn`.
    """

    square: int
    missed: float
    game: int
    ply: int
    position: str


@dataclass(frozen=True)
class Rematch(Request):
    """Begin another game by the same rules with the turn order rotated: every name moves on by one colour.

    In a match it is the next game. A game that is not over does not count: it is played again from its start.
    """


@dataclass(frozen=True)
class TakeBack(Request):
    """Take back the last turn or act; the players restore the board."""


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
    """The players rule that the act in the alert was this turn, which must be one of the legal ones."""

    move: Move


@dataclass(frozen=True)
class RuleNotLegal(Request):
    """The players rule that the turn recorded as ``ply`` (``None``: the last) was not legal."""

    ply: int | None = None


@dataclass(frozen=True)
class Begin(Request):
    """``player`` (a letter), whose turn caused the alert ``out_of_turn`` at ply 0, begins the game."""

    player: str


@dataclass(frozen=True)
class DismissAlert(Request):
    """The players say that the alert or prompt is settled."""


@dataclass(frozen=True)
class TurnDone(Request):
    """The button at the table: "my turn is done", or "I have seen it".

    A still picture is judged at once, without a settle time. An alert or prompt is dismissed, unless it has
    only just been emitted, because then the press was meant for the turn. A paused game is resumed. Never
    refused.
    """


@dataclass(frozen=True)
class SetPosition(Request):
    """The game continues from these 52 stacks. ``None`` means unchanged; mappings are by letter."""

    stacks: tuple[str, ...]
    to_move: str | None = None
    reserves: Mapping[str, int] | None = None
    captured: Mapping[str, Mapping[str, int]] | None = None
    note: str = ""


@dataclass(frozen=True)
class ReadBoard(Request):
    """Read the next still picture independently of the game; the event ``reading`` reports the result."""


@dataclass(frozen=True)
class PlaceBoard(Request):
    """Where the players see the board in the picture: (x, y) of the lattice's corners a1, h1, h8 and a8 as
    fractions of the picture's width and height. ``None``: find it automatically again.
    """

    corners: Mapping[str, tuple[float, float]] | None


@dataclass(frozen=True)
class SwapColours(Request):
    """Before the first turn: the pieces that were assigned to the colour ``one`` (a letter) are ``other``'s,
    and vice versa.

    With two players both may be omitted.
    """

    one: str = ""
    other: str = ""


@dataclass(frozen=True)
class StandsRight(Request):
    """The players confirm that the pieces are set up correctly, whatever the picture seems to show."""


@dataclass(frozen=True)
class Pause(Request):
    """Ignore the board until :class:`Resume`."""


@dataclass(frozen=True)
class Resume(Request):
    """Watch the board again."""
