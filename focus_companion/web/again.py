"""“Try again from here”: begins a new game from an earlier position, which the players then set up."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from ..formats.rules_json import rules_from_json
from ..game.rules import RulesError
from ..game.start import Start
from ..session.history import History
from ..session.requests import NewGame, RequestRefused
from .access import HttpError
from .reasons import conflict


def from_here(history: History, body: Any, running: History) -> NewGame:
    """The game that begins from the position of ``history`` after {"ply": N}, with players and seats of
    ``running``.

    Raises :class:`HttpError` if there is no such position, no game can begin from it, or a match is running.
    """
    ply = body.get("ply") if isinstance(body, dict) else None
    if not isinstance(ply, int) or isinstance(ply, bool) or not 0 <= ply <= history.ply:
        raise HttpError(HTTPStatus.BAD_REQUEST, 'Send {"ply": N}, a turn of this game.')
    if running.match is not None:
        raise HttpError(HTTPStatus.CONFLICT, "In a match no position is tried again.")
    order = "".join(history.positions[0].players)
    try:
        start = Start.of(history.positions[ply]).to_json(order)
        rules = rules_from_json(history.rules.to_json() | {"set_up": "position", "start": start})
    except RulesError as error:
        refused = RequestRefused("No game can begin from there: {reason}.", reason=error)
        raise conflict(refused) from error
    same = set(running.rules.order) == set(order)
    played_by = {p: kind for p, kind in running.played_by.items() if p in order}
    players = running.players if same else history.players
    # Partners sit opposite each other, which the sides of another game may not allow.
    sides = running.seats if same and not rules.partners else history.seats
    return NewGame(rules, players, sides, played_by=played_by)
