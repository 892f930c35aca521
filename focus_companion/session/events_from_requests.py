"""Converts a request to the events that fulfil it: a pure function of the game so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from ..game.colours import NAMES
from ..game.declarations import Declaration, DeclarationKind
from ..game.play import act
from ..game.position import parse_position, position_text
from ..game.rules import Rules, RulesError
from ..game.setups import start_position
from .events import Acted, Corrected, Event, Paused, Reading, Refused, Resolved
from .events_from_verdicts import captured, reserves, result, taken_back, turn
from .hinting import assess, take_hint
from .history import History
from .requests import (
    AgreeDraw,
    Assess,
    Begin,
    ChooseMove,
    DismissAlert,
    GiveUp,
    Leave,
    Pause,
    ReadBoard,
    Request,
    RequestRefused,
    Resign,
    Resume,
    RuleLegal,
    RuleNotLegal,
    SetPosition,
    SetSeat,
    StandsRight,
    SubmitTurn,
    TakeBack,
    TakeHint,
    TurnDone,
)
from .rulings import begin, check_legal, rule_legal, rule_not_legal
from .seating import give_up, set_seat, submit_turn

DISMISS_DELAY: Final = 1.5
"""Seconds after an alert during which the button at the table does not dismiss it: whoever presses it then
has not yet seen the alert, but means that the turn is done."""


def answer(request: Request, history: History, time: float) -> tuple[Event, ...]:
    """The events that carry out the request at the end of ``history``.

    Raises:
        RequestRefused: it cannot be carried out now; the text gives the reason.
        TypeError: an unknown kind of request.
    """
    for kind, found in _ANSWERS.items():
        if isinstance(request, kind):
            return tuple(found(request, history, time))
    raise TypeError(f"nothing is known of the request {request!r}")


def check_current(request: Request, history: History) -> None:
    """Check that a request is for this point of the game, and about what the page shows now.

    Raises:
        RequestRefused: it is not.
    """
    if request.point not in (None, history.point):
        raise RequestRefused("The game has gone on meanwhile.")
    if request.about and not request.about.items() <= history.shown.items():
        raise RequestRefused("What the page showed has changed meanwhile. Please look again.")


def _take_back(_: TakeBack, history: History, time: float) -> Iterator[Event]:
    if not history.entries:
        raise RequestRefused("No turn has been played yet, so there is none to take back.")
    by_act = isinstance(history.entries[-1].what, Declaration)
    yield taken_back(history.ply if by_act else history.ply - 1, history, time)


def _acted(kind: DeclarationKind, player: str, history: History, time: float) -> Iterator[Event]:
    if history.over:
        raise RequestRefused("The game is over.")
    if kind == "draw":
        yield Acted(time, kind, "")
        yield from result(act(history.position, Declaration(kind), history.rules), time)
        return
    if player not in history.position.players:
        raise RequestRefused(
            "{player} does not play in this game.", player=NAMES.get(player, player).capitalize()
        )
    if player in history.position.out:
        raise RequestRefused("{player} is out of the game already.", player=NAMES[player].capitalize())
    yield Acted(time, kind, NAMES[player])
    yield from result(act(history.position, Declaration(kind, player), history.rules), time)


def _resign(request: Resign, history: History, time: float) -> Iterator[Event]:
    return _acted("resign", request.player, history, time)


def _leave(request: Leave, history: History, time: float) -> Iterator[Event]:
    return _acted("leave", request.player, history, time)


def _draw(_: AgreeDraw, history: History, time: float) -> Iterator[Event]:
    return _acted("draw", "", history, time)


def _choose(request: ChooseMove, history: History, time: float) -> Iterator[Event]:
    check_legal(request.move, history)
    return turn(request.move, 1.0, history, time)


def _dismiss(_: DismissAlert, history: History, time: float) -> Iterator[Event]:
    if not (history.alert or history.prompt):
        raise RequestRefused("There is nothing to settle just now.")
    yield Resolved(time)


def _pause(_: Pause, history: History, time: float) -> Iterator[Event]:
    if not history.paused:
        yield Paused(time, True)


def _resume(_: Resume, history: History, time: float) -> Iterator[Event]:
    if history.paused:
        yield Paused(time, False)


def _to_sight(_: StandsRight | ReadBoard, _history: History, _time: float) -> Iterator[Event]:
    """No event yet: ``ready`` or ``reading`` follows once the pipeline has got a picture."""
    yield from ()


def _turn_done(_: TurnDone, history: History, time: float) -> Iterator[Event]:
    if history.paused:
        yield Paused(time, False)
        return
    shown = [event.time for event in (history.alert, history.prompt) if event]
    if shown and time - max(shown) >= DISMISS_DELAY:
        yield Resolved(time)


def _set_position(request: SetPosition, history: History, time: float) -> Iterator[Event]:
    rules = corrected_rules(request, history)
    if history.alert or history.prompt:
        yield Resolved(time)
    yield Corrected(time, position_text(request.stacks), rules.to_json(), request.note)
    yield from result(start_position(rules), time)


def take_reading(reading: Reading, history: History, time: float) -> tuple[Event, ...]:
    """The events that begin the game from the position read, or ``Refused`` if no game can begin from it."""
    if not reading.position:
        return ()
    try:
        return answer(SetPosition(parse_position(reading.position)), history, time)
    except RequestRefused as refused:
        return (Refused(time, str(refused), refused.text, refused.values),)


def corrected_rules(request: SetPosition, history: History) -> Rules:
    """The rules of the game with the corrected position as their start.

    Raises:
        RequestRefused: no game can continue from that position.
    """
    if history.start_from:
        return _start_rules(request, history)
    now = history.position
    if any(now.thirteenth) or any(now.placing):
        raise RequestRefused("A position can be set by hand only when all pieces in hand have been placed.")
    to_move = request.to_move or now.to_move or now.players[0]
    start: dict[str, Any] = {
        "position": position_text(request.stacks),
        "reserves": reserves(now) | _named(request.reserves),
        "captured": captured(now)
        | {
            NAMES[taker]: captured(now)[NAMES[taker]] | _named(row)
            for taker, row in (request.captured or {}).items()
        },
        "out": [NAMES[letter] for letter in now.out],
        "to_move": NAMES[to_move],
    }
    return _rules_from(start, history)


def _start_rules(request: SetPosition, history: History) -> Rules:
    """The rules with the position that the players have agreed on as the start of their game."""
    start = {
        "position": position_text(request.stacks),
        "reserves": _named(request.reserves),
        "captured": {NAMES[taker]: _named(row) for taker, row in (request.captured or {}).items()},
        "to_move": NAMES[request.to_move or history.position.players[0]],
    }
    return _rules_from(start, history)


def _rules_from(start: Mapping[str, Any], history: History) -> Rules:
    settings = history.rules.to_json() | {"set_up": "position", "start": start}
    try:
        rules = Rules.from_json(settings, played=True)
        start_position(rules)
    except (RulesError, ValueError) as error:
        raise RequestRefused("The game cannot go on from that position: {reason}.", reason=error) from error
    return rules


def _named(counts: Mapping[str, int] | None) -> dict[str, int]:
    return {NAMES[letter]: count for letter, count in (counts or {}).items()}


_ANSWERS: Final[Mapping[type[Request], Callable[[Any, History, float], Iterator[Event]]]] = {
    SetSeat: set_seat,
    SubmitTurn: submit_turn,
    TakeHint: take_hint,
    Assess: assess,
    GiveUp: give_up,
    TakeBack: _take_back,
    Resign: _resign,
    Leave: _leave,
    AgreeDraw: _draw,
    ChooseMove: _choose,
    Begin: begin,
    RuleLegal: rule_legal,
    RuleNotLegal: rule_not_legal,
    DismissAlert: _dismiss,
    Pause: _pause,
    Resume: _resume,
    TurnDone: _turn_done,
    StandsRight: _to_sight,
    ReadBoard: _to_sight,
    SetPosition: _set_position,
}
