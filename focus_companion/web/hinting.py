"""Hints for the players at the table: the computer's turn in their position, found in a separate process."""

from __future__ import annotations

import json
import logging
import threading
from http import HTTPStatus
from typing import Final

from flask import Blueprint, current_app, jsonify, request
from flask.typing import ResponseReturnValue

from ..game.moves import Move
from ..seats.protocol import answered, question
from ..session.hinting import check_hint
from ..session.history import History
from ..session.requests import RequestRefused, TakeHint
from ..session.seat_kinds import COMPANION, SeatKind
from .access import Access, HttpError
from .child_process import ChildFailed, run_module
from .ports import GameSession
from .reasons import refusal

log = logging.getLogger(__name__)

NODES: Final = 300_000
"""Positions searched for a hint: gives the same hint on every machine, in a fraction of a second."""

_PATIENCE: Final = 30.0
"""Timeout in seconds for the search, for a machine under load."""

_DONE: Final = 5.0
"""Seconds to wait for the game thread."""

blueprint = Blueprint("hinting", __name__)
_one = threading.Lock()


def found(history: History) -> Move:
    """The turn that the computer would play now. Raises ChildFailed, ValueError."""
    asked = json.loads(question(history, SeatKind(COMPANION)))
    del asked["seconds"]
    line = json.dumps(asked | {"nodes": NODES}) + "\n"
    with _one:
        said = run_module("focus_companion.cli", "think", "-", given=line.encode(), patience=_PATIENCE)
    return answered(said.decode())


@blueprint.post("/api/hint")
def hint() -> ResponseReturnValue:
    """Give the players the next step of a hint: which stack, then where it goes."""
    access: Access = current_app.extensions["access"]
    access.check_act(request)
    session: GameSession = current_app.extensions["game"]
    history = session.history
    try:
        check_hint(history)
        move = found(history)
        wanted = TakeHint(move, history.game, history.ply, history.position.text)
        session.submit(wanted).result(_DONE)
    except RequestRefused as refused:
        raise HttpError(HTTPStatus.CONFLICT, refused.text, values=refusal(refused)) from refused
    except (ChildFailed, ValueError) as error:
        log.warning("No hint was found: %s", error)
        raise HttpError(
            HTTPStatus.INTERNAL_SERVER_ERROR, "No hint could be found; the host’s log says why."
        ) from error
    except TimeoutError:
        # The game thread is busy with a picture; the hint will be on the event stream.
        return jsonify(accepted=True, done=False), HTTPStatus.ACCEPTED
    return jsonify(accepted=True, done=True)
