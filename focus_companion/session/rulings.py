"""Converts the players' own rulings to events: an act that caused an alert was legal, a recorded turn was
not."""

from __future__ import annotations

from collections.abc import Iterator

from ..game.colours import LETTER, NAMES
from ..game.faults import explain, parts
from ..game.moves import Move, legal_moves
from ..game.squares import INDEX, SQUARES
from ..referee.beginning import Beginning, other_beginning
from .events import Event, Resolved, Ruled
from .events_from_verdicts import begins, taken_back, turn
from .history import History
from .requests import Begin, RequestRefused, RuleLegal, RuleNotLegal


def nearest_turns(history: History) -> list[Move]:
    """The legal turns, those that explain most squares of the alert first, otherwise sorted by text."""
    if history.over:
        return []
    squares = {SQUARES.index(name) for name in (history.alert.squares if history.alert else ())}

    def touched(move: Move) -> int:
        return len(squares & {move.origin, move.target})

    return sorted(legal_moves(history.position, history.rules), key=touched, reverse=True)


def in_question(history: History) -> Beginning | None:
    """How the game begins if the alert is for a first turn by a player who was not named to begin; ``None``
    for any other alert.
    """
    alert = history.alert
    if alert is None or alert.reason != "out_of_turn" or history.entries:
        return None
    if alert.player not in LETTER or not INDEX.keys() >= set(alert.squares):
        return None
    squares = [INDEX[name] for name in alert.squares]
    return other_beginning(history.position, history.rules, LETTER[alert.player], squares)


def begin(request: Begin, history: History, time: float) -> Iterator[Event]:
    """The players rule that another player begins: the turn that caused the alert is the first."""
    beginning = in_question(history)
    if beginning is None or beginning.player != request.player:
        raise RequestRefused("It is not in doubt who begins.")
    yield Resolved(time)
    begun = begins(request.player, history, time)
    yield begun
    yield from turn(beginning.move, 1.0, history.take(begun), time)


def check_legal(move: Move, history: History) -> None:
    """Check that a turn is legal now.

    Raises:
        RequestRefused: it is not, with the rule as the reason, or the game is over.
    """
    if history.over:
        raise RequestRefused("The game is over.")
    if fault := explain(history.position, move, history.rules):
        template, details = parts(fault)
        # Colours are used as players' names, so they are capitalized everywhere in the sentence.
        values = {key: value.capitalize() if value in LETTER else value for key, value in details.items()}
        raise RequestRefused(template, **values)


def rule_legal(request: RuleLegal, history: History, time: float) -> Iterator[Event]:
    """The players rule that the act in the alert was this legal turn."""
    check_legal(request.move, history)
    alert = history.alert
    player = NAMES[history.position.to_move]
    yield Ruled(time, True, history.ply + 1, str(request.move), player, alert.reason if alert else "")
    yield from turn(request.move, 1.0, history, time)


def rule_not_legal(request: RuleNotLegal, history: History, time: float) -> Iterator[Event]:
    """The players rule that a recorded turn was illegal: it and all later ones are taken back."""
    ply = history.ply if request.ply is None else request.ply
    if not 1 <= ply <= history.ply:
        if not history.ply:
            raise RequestRefused("No turn has been played yet, so there is none to rule out.")
        raise RequestRefused("There is no turn {ply}; the last one is {last}.", ply=ply, last=history.ply)
    before = history.positions[ply - 1]
    yield Ruled(time, False, ply, str(history.moves[ply - 1].what), NAMES[before.to_move])
    yield taken_back(ply - 1, history, time)
