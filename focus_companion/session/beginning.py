"""Begins games: the first event of a game, and the settings that it takes over from the previous one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date

from ..game.match import MatchPlace, match_names
from ..game.rules import Rules
from . import state_json as view
from .clock import Clock, TimeControl
from .events import GameBegan
from .history import History
from .ports import EventJournal
from .requests import NewGame, RequestRefused
from .seat_kinds import AT_THE_BOARD, SeatError, Seating
from .seating import check_seats


def began(history: History, now: float, demo: bool = False) -> GameBegan:
    """The event that begins a game; ``demo``: on the simulated board."""
    players: dict[str, dict[str, str]] = {}
    for name, text in view.named(history.players).items():
        players[name] = {"name": text}
    for name, side in view.named(history.seats).items():
        players.setdefault(name, {"name": ""})["seat"] = side
    return GameBegan(
        now,
        history.game,
        history.rules.to_json(),
        players,
        history.position.text,
        history.clock.control.to_json() if history.clock else None,
        history.match.to_json() if history.match else None,
        demo,
        view.named(history.played_by),
        history.pace,
        history.start_from,
    )


def match_to_go_on(journal: EventJournal | None) -> History | None:
    """The journal's newest game if it is over but its match is not."""
    game = journal.last_game() if journal is not None else None
    history = journal.history(game) if journal is not None and game is not None else None
    return history if history and history.over and history.match and not history.match.last else None


def next_place(before: History) -> MatchPlace | None:
    """The place in the match of the next game: the same place again if the game before is not over."""
    return before.match.after(before.game) if before.match and before.over else before.match


@dataclass(frozen=True)
class GamePlan:
    """The settings with which a game begins; ``players`` and ``seats`` (sides of the board) by letter."""

    rules: Rules
    players: Mapping[str, str]
    seats: Mapping[str, str] = field(default_factory=dict)
    clock: TimeControl | None = None
    match: MatchPlace | None = None
    seating: Seating = AT_THE_BOARD
    start_from: str = ""

    def begin(self, journal: EventJournal | None, time: float) -> History:
        """The game before its first event, at ``time``. Raises OSError if the journal cannot store it."""
        rules = self.rules
        players = self.players if self.match is None else match_names(rules.order, self.players)
        number = journal.begin(rules, players) if journal else 1
        today = date.today().isoformat()
        return replace(
            History.begin(rules, players, game=number, date=today),
            time=time,
            seats=self.seats,
            clock=Clock(self.clock) if self.clock else None,
            match=self.match,
            played_by=self.seating.of(rules.order),
            pace=self.seating.pace,
            start_from=self.start_from,
        )


def planned(request: NewGame, before: History) -> GamePlan:
    """The requested game, with the settings taken over from the previous one. Raises RequestRefused."""
    seats, clock = request.seats, request.clock
    match = MatchPlace(request.games) if request.games > 1 else None
    if request.rules is None:
        seats, clock = before.seats, before.clock.control if before.clock else None
        match = next_place(before)
    rules = request.rules or before.agreed or before.rules
    turns = request.rules is None and match is not None and before.over
    players = turned(before, before.players) if turns else before.players
    played_by = turned(before, before.played_by) if turns else before.played_by
    seating = Seating.make(
        played_by if request.played_by is None else request.played_by,
        before.pace if request.pace is None else request.pace,
    )
    if fault := rules.order_fault or view.seats_fault(rules, seats):
        raise RequestRefused("The game cannot begin: {reason}.", reason=fault)
    try:
        check_seats(request.played_by or {}, "".join(rules.order))
    except SeatError as error:
        raise RequestRefused("The game cannot begin: {reason}.", reason=error) from error
    start_from = request.start_from if request.rules else before.start_from
    named = players if request.players is None else request.players
    return GamePlan(rules, named, seats, clock, match, seating, start_from)


def rematch(before: History) -> NewGame:
    """The same game again: with the turn order rotated, unless a game of a match was abandoned."""
    if before.match is not None and not before.over:
        return NewGame(players=before.players)
    return NewGame(players=turned(before, before.players), played_by=turned(before, before.played_by))


def following(before: History) -> GamePlan:
    """The next game of the match that ``before`` belongs to."""
    return GamePlan(
        before.agreed or before.rules,
        turned(before, before.players),
        before.seats,
        before.clock.control if before.clock else None,
        next_place(before),
        Seating(turned(before, before.played_by), before.pace),
    )


def turned(history: History, of: Mapping[str, str]) -> dict[str, str]:
    """The values of ``of``, each moved to the colour that follows in turn order."""
    order = history.position.players
    following = zip(order, order[1:] + order[:1], strict=True)
    return {after: of[before] for before, after in following if of.get(before)}
