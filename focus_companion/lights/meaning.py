"""What the lights should show: a pure function from an event to its meaning, the input of every back end.

A :class:`Meaning` is everything that lasts (whose turn, what is wrong, …); a :class:`Cue` sounds once. What
an event does not contain comes from the session's state as ``/api/state`` gives it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, Final

from ..game.colours import NAMES, names
from ..game.position import parse_position
from ..game.rules import ORDERS
from ..game.squares import FILE, INDEX, RANK, SQUARES
from ..session import events
from .settings import COLOURS


class Cue(IntEnum):
    """A sound, played once. The numbers go over the wire; a higher one takes precedence."""

    NONE = 0
    TURN = 1
    PROMPT = 2
    ALERT = 3
    OVER = 4


@dataclass(frozen=True)
class Meaning:
    """What lasts until another event. Players by colour name, squares by index."""

    players: tuple[str, ...] = ()
    """In turn order; ``()`` before a game is known."""
    turn: str | None = None
    warning: bool = False
    wrong: tuple[int, ...] = ()
    """The squares that must be put right, ascending."""
    path: tuple[int, ...] = ()
    """The squares of the last move from its origin to its target; for a placed piece, its square."""
    mover: str | None = None
    take: tuple[int, int] | None = None
    """(square, n): n pieces must be taken from the bottom of this stack."""
    reserves: tuple[int, int, int, int] = (0, 0, 0, 0)
    """In the order of :data:`COLOURS`."""
    winners: tuple[str, ...] = ()
    over: bool = False
    camera_lost: bool = False


_MOVE: Final = re.compile(r"(\*|[a-h][1-8]-)[a-h][1-8]")

NOTHING: Final = Meaning()
"""All lights off."""


def path_of(move: str) -> tuple[int, ...]:
    """The squares of a move's text (``"d5-d6"``, ``"*d5"``), origin first. ``ValueError`` for other text."""
    if move.startswith("*") and move[1:] in INDEX:
        return (INDEX[move[1:]],)
    origin, _, target = move.partition("-")
    if origin not in INDEX or target not in INDEX or origin == target:
        raise ValueError(f'"{move}" is not a move: write d5-d6, or *d5 for a piece placed')
    return straight(INDEX[origin], INDEX[target])


def _ends(move: str) -> tuple[int, ...]:
    """The first and the last square of a move's text."""
    path = path_of(move)
    return path if len(path) == 1 else (path[0], path[-1])


def straight(origin: int, target: int) -> tuple[int, ...]:
    """The squares from ``origin`` to ``target``, both included; ``ValueError`` if no line joins them."""
    files, ranks = FILE[target] - FILE[origin], RANK[target] - RANK[origin]
    if (files == 0) == (ranks == 0):
        raise ValueError(f"{SQUARES[origin]} and {SQUARES[target]} are not two squares of one rank or file")
    distance = abs(files + ranks)
    step = (files // distance, ranks // distance)
    return tuple(
        INDEX[f"{'abcdefgh'[FILE[origin] + n * step[0]]}{RANK[origin] + n * step[1] + 1}"]
        for n in range(distance + 1)
    )


def after(before: Meaning, event: events.Event, state: Mapping[str, Any]) -> Meaning:
    """What to show after ``event`` if ``before`` was shown; ``state`` is the session's (may be empty)."""
    calm = replace(before, warning=False, wrong=(), take=None)
    match event:
        case events.GameBegan():
            players = _order(event.rules)
            fresh = Meaning(players=players, turn=players[0] if players else None)
            return _filled(fresh, state)
        case events.Ready():
            return _filled(replace(calm, camera_lost=False), state)
        case events.SetUp():
            return replace(_filled(calm, state), turn=None, wrong=_indices(event.squares), camera_lost=False)
        case events.Moved():
            return replace(
                calm,
                players=before.players or tuple(event.reserves),
                turn=event.to_move,
                path=path_of(event.move),
                mover=event.player,
                reserves=_counts(event.reserves),
                winners=(),
                over=False,
                camera_lost=False,
            )
        case events.Reply():
            # From where to where, in their colour: the squares between do not matter yet.
            return replace(before, path=_ends(event.move), mover=event.player)
        case events.Seated():
            return _filled(replace(before, path=(), mover=None), state)
        case events.Prompt():
            return replace(calm, take=(INDEX[event.square], len(event.remove)))
        case events.Alert():
            return replace(before, warning=True, wrong=_indices(event.squares), take=None)
        case events.Resolved():
            return _filled(calm, state)
        case events.TakenBack() | events.Corrected() | events.Begins():
            return _filled(replace(calm, path=(), mover=None, winners=(), over=False), state)
        case events.Acted():
            # A stack is no longer to be trimmed if the player who made the turn has left.
            return _filled(before if state.get("prompt") else replace(before, take=None), state)
        case events.Lost():
            return replace(before, camera_lost=True)
        case events.Found():
            # Camera and board may both be lost, and only one of them found again.
            return _filled(replace(before, camera_lost=state.get("camera", "ok") != "ok"), state)
        case events.Paused():
            return replace(before, turn=None) if event.paused else _filled(before, state)
        case events.Result():
            return replace(calm, turn=None, winners=tuple(event.winners), over=True)
    # Unclear, refused, and any event added later: the lights keep showing what they show.
    return before


def leading(meaning: Meaning, event: events.Event, state: Mapping[str, Any]) -> Meaning:
    """``meaning`` with the next square of a board being set up in the place of all that are wrong: in the
    colour of the piece that belongs on top there, white where nothing does.
    """
    if not isinstance(event, events.SetUp) or not event.squares or "position" not in state:
        return meaning
    square = INDEX[event.squares[0]]
    stack = parse_position(state["position"])[square]
    return replace(meaning, wrong=(), path=(square,), mover=NAMES[stack[-1]] if stack else None)


def cue(event: events.Event) -> Cue:
    """The sound that goes with an event."""
    match event:
        case events.Moved():
            return Cue.TURN
        case events.Prompt() | events.Reply():
            return Cue.PROMPT
        case events.Alert():
            return Cue.ALERT
        case events.Result():
            return Cue.OVER
    return Cue.NONE


def _order(rules: Mapping[str, Any]) -> tuple[str, ...]:
    order = rules.get("order")
    return tuple(order or names(ORDERS.get(rules.get("players", 0), "")))


def _indices(squares: Sequence[str]) -> tuple[int, ...]:
    return tuple(sorted({INDEX[name] for name in squares}))


def _counts(reserves: Mapping[str, int]) -> tuple[int, int, int, int]:
    red, green, blue, yellow = (int(reserves.get(colour, 0)) for colour in COLOURS)
    return red, green, blue, yellow


def _filled(meaning: Meaning, state: Mapping[str, Any]) -> Meaning:
    """``meaning`` updated with turn, reserves, last move and result from the session's state."""
    if "reserves" in state:
        reserves = state["reserves"]
        meaning = replace(meaning, reserves=_counts(reserves), players=meaning.players or tuple(reserves))
    if "to_move" in state:
        meaning = replace(meaning, turn=state["to_move"])
    if reply := state.get("reply"):
        meaning = replace(meaning, path=_ends(reply["move"]), mover=reply["player"])
    if not meaning.path and _MOVE.fullmatch(str(state.get("last_move"))):  # the last entry may be an act
        moves = state.get("moves") or [{}]
        mover = moves[-1].get("player") if isinstance(moves[-1], Mapping) else None
        meaning = replace(meaning, path=path_of(state["last_move"]), mover=mover)
    if state.get("result"):
        meaning = replace(meaning, turn=None, over=True, winners=tuple(state["result"]["winners"]))
    return meaning
