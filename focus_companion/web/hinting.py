"""Help for the players at the table, computed in separate processes: the computer's turn in their position,
and how good their own would be.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from ..game.moves import Move
from ..game.squares import INDEX
from ..seats.protocol import parse_answer, question
from ..session.hinting import check_hint, turns_in_question
from ..session.history import History
from ..session.requests import Assess, Request, RequestRefused, TakeHint
from ..session.seat_kinds import COMPANION, SeatKind
from . import current
from .access import HttpError
from .api import submit
from .assessing import missed
from .child_process import SEARCH_TIMEOUT, ChildFailed, run_module
from .ports import GameSession
from .reasons import conflict

log = logging.getLogger(__name__)

HINT_NODES: Final = 300_000
"""Number of positions searched for a hint: a fixed number gives the same hint on every machine. The search
takes a fraction of a second."""

_SUBMIT_TIMEOUT: Final = 5.0
"""Seconds to wait for the game thread to carry out a request."""

blueprint = Blueprint("hinting", __name__)
_search_lock = threading.Lock()


def computer_turn(history: History) -> Move:
    """The turn that the computer would play now. Raises ChildFailed, ValueError."""
    asked = json.loads(question(history, SeatKind(COMPANION)))
    del asked["seconds"]
    line = json.dumps(asked | {"nodes": HINT_NODES}) + "\n"
    with _search_lock:
        said = run_module("focus_companion.cli", "think", "-", given=line.encode(), timeout=SEARCH_TIMEOUT)
    return parse_answer(said.decode())


@blueprint.post("/api/hint")
def hint() -> ResponseReturnValue:
    """Give the players the next step of a hint: which stack, then where it goes."""
    return _helped(_hint)


@blueprint.post("/api/assessment")
def assessment() -> ResponseReturnValue:
    """Tell the players how good it is to move the lifted stack or, if none is lifted, that on ``square``."""
    return _helped(_assessment)


def _hint(session: GameSession) -> Request:
    history = session.history
    check_hint(history)
    # Whoever presses again while the computer thinks has not seen the first step yet.
    step = 1 if history.hint is None else 2
    return TakeHint(computer_turn(history), history.game, history.ply, history.position.text, step)


def _assessment(session: GameSession) -> Request:
    history, lifted = session.history, session.lifted
    square, pieces = (INDEX.get(_square()), 0) if lifted is None else lifted
    if square is None:
        raise RequestRefused("Lift one of your stacks, or touch it in the drawing; then ask again.")
    turns = turns_in_question(history, square, pieces)
    with _search_lock:
        loss = missed(history, turns)
    return Assess(square, loss, history.game, history.ply, history.position.text)


def _square() -> str:
    body = request.get_json(silent=True)
    square = body.get("square") if isinstance(body, dict) else None
    return square if isinstance(square, str) else ""


def _helped(help_for: Callable[[GameSession], Request]) -> ResponseReturnValue:
    """Answer a request for help: submit the help to the game, which shows it to everybody."""
    current.access().check_act(request)
    try:
        wanted = help_for(current.session())
    except RequestRefused as refused:
        raise conflict(refused) from refused
    except (ChildFailed, ValueError) as error:
        log.warning("The computer could not help: %s", error)
        raise HttpError(
            HTTPStatus.INTERNAL_SERVER_ERROR, "No hint could be found; the host’s log says why."
        ) from error
    return submit(wanted, _SUBMIT_TIMEOUT)
