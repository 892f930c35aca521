"""How a game begins: what is told of it, and what it takes over from the game before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date

from ..game.match import MatchPlace, match_names
from ..game.rules import Rules
from . import state_json as view
from .clock import Clock, TimeControl
from .events import GameBegan
from .history import History
from .ports import EventJournal
from .seat_kinds import AT_THE_BOARD, Seating


def prepared(
    rules: Rules,
    players: Mapping[str, str],
    *,
    seats: Mapping[str, str] | None = None,
    clock: TimeControl | None = None,
    match: MatchPlace | None = None,
    seating: Seating = AT_THE_BOARD,
    start_from: str = "",
) -> History:
    """A new game as it is agreed on, not begun yet; ``clock`` is the kind of clock played with."""
    if match is not None:
        players = match_names(rules.order, players)
    made = History.begin(rules, players, date=date.today().isoformat())
    control = Clock(clock) if clock else None
    made = replace(made, seats=seats or {}, clock=control, match=match, start_from=start_from)
    return replace(made, played_by=seating.of(rules.order), pace=seating.pace)


def began(history: History, now: float, demo: bool = False) -> GameBegan:
    """The event of a game's beginning; ``demo``: on the simulated board."""
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
    """The journal's newest game, where it is over and its match is not."""
    game = journal.last_game() if journal is not None else None
    history = journal.history(game) if journal is not None and game is not None else None
    return history if history and history.over and history.match and not history.match.last else None


def next_place(before: History) -> MatchPlace | None:
    """Which game of its match follows a game: the same one again if that is not over."""
    return before.match.after(before.game) if before.match and before.over else before.match


def turned(history: History, of: Mapping[str, str]) -> dict[str, str]:
    """What everybody has, by the colour that follows theirs in turn order."""
    order = history.position.players
    following = zip(order, order[1:] + order[:1], strict=True)
    return {after: of[before] for before, after in following if of.get(before)}
