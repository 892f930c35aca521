"""Converts to events the requests on who plays which colour, and the turns chosen away from the board."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..game.colours import NAMES
from ..game.play import removed
from .events import Event, Reply, Seated, SeatFailed
from .events_from_verdicts import removal
from .history import History
from .requests import GiveUp, RequestRefused, SetSeat, SubmitTurn
from .rulings import check_legal
from .seat_kinds import BOARD, SeatError, parse_kind


def check_seats(played_by: Mapping[str, str], players: str) -> None:
    """Raise SeatError for a colour that does not play or an unknown kind of seat."""
    for letter, kind in played_by.items():
        if letter not in players:
            raise SeatError(f"{NAMES.get(letter, letter)} does not play in this game")
        parse_kind(kind)


def seats_changed(
    history: History, played_by: Mapping[str, str], pace: float | None, time: float
) -> tuple[Event, ...]:
    """The events that replace the seats of a game by these.

    Raises:
        SeatError: a colour that does not play.
    """
    check_seats(played_by, history.positions[0].players)
    pace = history.pace if pace is None else pace
    return tuple(
        Seated(time, NAMES[letter], kind, pace)
        for letter, kind in played_by.items()
        if kind != history.played_by.get(letter, BOARD) or pace != history.pace
    )


def set_seat(request: SetSeat, history: History, time: float) -> Iterator[Event]:
    """Another seat plays a colour from now on, or the same one retries."""
    if history.over:
        raise RequestRefused("The game is over.")
    player = NAMES.get(request.player, request.player)
    if request.player not in history.position.players:
        raise RequestRefused("{player} does not play in this game.", player=player.capitalize())
    try:
        kind = str(parse_kind(request.kind))
    except SeatError as error:
        raise RequestRefused("This seat cannot be used: {reason}.", reason=error) from error
    yield Seated(time, player, kind, history.pace if request.pace is None else request.pace)


def submit_turn(request: SubmitTurn, history: History, time: float) -> Iterator[Event]:
    """A turn chosen by a seat away from the board, to be made by the people at the table."""
    kind = history.played_by.get(request.player)
    if kind is None:
        raise RequestRefused(
            "{player} is played at the table.", player=NAMES.get(request.player, request.player).capitalize()
        )
    if _already_made(request, history) or _already_due(request, history):
        return
    if history.over:
        raise RequestRefused("The game is over.")
    if not _is_current(request, history):
        raise RequestRefused("The game has gone on meanwhile. Look at the board and choose again.")
    if history.reply is not None:
        raise RequestRefused("A turn has been chosen already; it is being made on the board.")
    check_legal(request.move, history)
    gone = removed(history.position, request.move, history.rules)
    by = parse_kind(kind).by
    yield Reply(time, NAMES[request.player], str(request.move), removal(gone), by)


def give_up(request: GiveUp, history: History, time: float) -> Iterator[Event]:
    """A seat fails to choose a turn."""
    kind = history.played_by.get(request.player)
    stale = kind is None or history.over or history.reply is not None or not _is_current(request, history)
    if stale or history.seat_failed is not None:
        return
    assert kind is not None
    yield SeatFailed(time, NAMES[request.player], parse_kind(kind).by, request.why, request.detail)


def _is_current(request: SubmitTurn | GiveUp, history: History) -> bool:
    """Whether the request is for the current point of the game."""
    now = history.game, history.ply, history.position.text, history.position.to_move
    return now == (request.game, request.ply, request.position, request.player)


def _already_due(request: SubmitTurn, history: History) -> bool:
    """Whether the same turn is already being made on the board: it was sent twice, or from two pages."""
    return (
        history.reply is not None
        and _is_current(request, history)
        and history.reply.move == str(request.move)
    )


def _already_made(request: SubmitTurn, history: History) -> bool:
    """Whether the same turn has already been made on the board."""
    if request.game != history.game or not 0 <= request.ply < history.ply:
        return False
    before = history.positions[request.ply]
    then = before.text, before.to_move, history.moves[request.ply].what
    return then == (request.position, request.player, request.move)
