"""What the players rule themselves: a turn that was alerted stands as legal, a recorded one does not."""

from __future__ import annotations

from collections.abc import Iterator

from ..game.colours import LETTER, NAMES
from ..game.faults import explain, parts
from ..game.moves import Move, legal_moves
from ..game.squares import SQUARES
from .events import Event, Ruled, TakenBack
from .events_from_verdicts import turn
from .history import History
from .requests import RequestRefused, RuleLegal, RuleNotLegal


def nearest_turns(history: History) -> list[Move]:
    """The legal turns, those first that explain most of the squares of the alert, otherwise by text."""
    if history.over:
        return []
    squares = {SQUARES.index(name) for name in (history.alert.squares if history.alert else ())}

    def touched(move: Move) -> int:
        return len(squares & {move.origin, move.target})

    return sorted(legal_moves(history.position, history.rules), key=touched, reverse=True)


def check_legal(move: Move, history: History) -> None:
    """Refuse a turn that is not legal now, for the rule book's reason.

    Raises:
        RequestRefused: it is not, or the game is over.
    """
    if history.over:
        raise RequestRefused("The game is over.")
    if fault := explain(history.position, move, history.rules):
        template, details = parts(fault)
        # Players by their colour as a name, wherever it stands in the sentence.
        values = {key: value.capitalize() if value in LETTER else value for key, value in details.items()}
        raise RequestRefused(template, **values)


def rule_legal(request: RuleLegal, history: History, time: float) -> Iterator[Event]:
    """The players say that what was alerted was this legal turn."""
    check_legal(request.move, history)
    alert = history.alert
    player = NAMES[history.position.to_move]
    yield Ruled(time, True, history.ply + 1, str(request.move), player, alert.reason if alert else "")
    yield from turn(request.move, 1.0, history, time)


def rule_not_legal(request: RuleNotLegal, history: History, time: float) -> Iterator[Event]:
    """The players say that a recorded turn was not legal: it and all after it are taken back."""
    ply = history.ply if request.ply is None else request.ply
    if not 1 <= ply <= history.ply:
        if not history.ply:
            raise RequestRefused("No turn has been played yet, so there is none to rule out.")
        raise RequestRefused("There is no turn {ply}; the last one is {last}.", ply=ply, last=history.ply)
    before = history.positions[ply - 1]
    yield Ruled(time, False, ply, str(history.moves[ply - 1].what), NAMES[before.to_move])
    back = TakenBack(time, ply - 1)
    yield TakenBack(time, ply - 1, history.take(back).position.text)
