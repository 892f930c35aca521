"""Every request goes on the tape as JSON, and back."""

from __future__ import annotations

import json

import pytest

from focus_companion.game.moves import Move
from focus_companion.game.rules import Rules
from focus_companion.session import requests as ask
from focus_companion.session.clock import TimeControl
from focus_companion.storage.tape import requests_json as tape_requests

REQUESTS: list[ask.Request] = [
    ask.NewGame(),
    ask.NewGame(players={}),
    ask.NewGame(Rules.make(3), {"g": "Ann"}, {"g": "top"}, TimeControl("down", 300, 5)),
    ask.Rematch(), ask.TakeBack(), ask.TakeBack(point=(3, 17)), ask.Resign("g"), ask.Leave("b"),
    ask.AgreeDraw(),
    ask.ChooseMove(Move.parse("d5-d6")), ask.RuleLegal(Move.parse("*d6")), ask.Begin("r"),
    ask.RuleNotLegal(), ask.RuleNotLegal(3),
    ask.DismissAlert(), ask.DismissAlert(about={"alert": 1.5, "reading": None}),
    ask.TurnDone(), ask.StandsRight(), ask.Pause(), ask.Resume(), ask.ReadBoard(),
    ask.SwapColours(),
    ask.PlaceBoard(None), ask.PlaceBoard({"a1": (0.1, 0.9), "h1": (0.9, 0.9), "h8": (0.8, 0.1)}),
    ask.NewGame(Rules.make(2), played_by={"r": "companion:3"}, pace=5.0),
    ask.SetSeat("r", "far"), ask.SetSeat("r", "companion:3", 20.0),
    ask.SubmitTurn("r", Move.parse("d5-d6"), 3, 4, "a position"),
    ask.TakeHint(Move.parse("d5-d6"), 3, 4, "a position", 1),
    ask.Assess(12, 0.25, 3, 4, "a position"),
    ask.GiveUp("r", 3, 4, "a position", "late", "no answer"),
    ask.SetPosition(("r",) * 52, "g", {"g": 2}, {"g": {"r": 1}}, "a note"),
]  # fmt: skip


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: type(request).__name__)
def test_every_request_goes_on_the_tape_and_back(request_: ask.Request) -> None:
    written = json.loads(json.dumps(tape_requests.to_json(request_)))
    assert tape_requests.from_json(written) == request_


def test_every_kind_of_request_is_known_to_the_tape() -> None:
    assert {type(request) for request in REQUESTS} == set(ask.Request.__subclasses__())


def test_a_request_for_a_turn_order_that_is_refused_today_is_read_again() -> None:
    rules = {"players": 4, "partners": True, "order": ["green", "yellow", "blue", "red"]}
    request = tape_requests.from_json({"is": "NewGame", "rules": rules})
    assert isinstance(request, ask.NewGame)
    assert request.rules is not None and request.rules.order == "gybr"
