"""How long a still picture must have lasted before an alert: the less it shows, the longer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from table_scene import rules

from focus_companion.game.moves import Move
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.referee import referee
from focus_companion.referee.acts import Act, Acts, Kind
from focus_companion.referee.judge import Judgement
from focus_companion.referee.referee import Referee
from focus_companion.referee.verdict import Undecided, Wrong

RULES = rules({"d5": "rgg", "d7": "rg", "e6": "g"}, {"g": 0, "r": 2})


class Shown:
    """A look as far as patience asks for it."""

    number = 1

    def __init__(self, age: float, touched: dict[str, float]) -> None:
        self.age = self.time = age
        self.touched = np.zeros(len(SQUARES))
        self.evidence = SimpleNamespace(outlines=SimpleNamespace(touching=lambda squares: squares))
        for square, share in touched.items():
            self.touched[INDEX[square]] = share


@pytest.mark.parametrize(
    ("nats", "touched", "after"),
    [
        (200.0, {"d5": 0.9, "e6": 0.9}, 0.45),
        (18.0, {"d5": 0.25, "e6": 0.22}, 1.2),
        (18.0, {"d5": 0.25, "e6": 0.02}, 3.0),
        (200.0, dict.fromkeys(SQUARES, 0.9), 3.0),
    ],
    ids=["plainly", "faintly, both squares changed", "faintly, one hardly changed", "in a crowd of changes"],
)
def test_what_shows_less_waits_longer(
    monkeypatch: pytest.MonkeyPatch, nats: float, touched: dict[str, float], after: float
) -> None:
    wrong = Wrong("not_straight", "g", (INDEX["d5"], INDEX["e6"]), "Green moved diagonally.")
    act = Act(Kind.WRONG, {INDEX["d5"]: "rg", INDEX["e6"]: "gg"}, wrong=lambda: wrong)
    monkeypatch.setattr(referee, "judge", lambda *_, **__: Judgement(act, nats, nats, legal_lead=nats))
    history = [start_position(RULES)]

    def told(age: float) -> Any:
        return Referee(RULES).judge(Shown(age, touched), history)  # type: ignore[arg-type]

    assert told(after - 0.05) == []
    assert told(after + 0.05) == [wrong]


def test_a_piece_from_out_of_the_game_is_less_likely_than_one_from_the_reserve() -> None:
    acts = Acts([start_position(RULES)], RULES)
    placed = [act for act in acts.displacements([INDEX["e6"]]) if len(act.changes) == 1]
    priors = {act.changes[INDEX["e6"]]: act.prior for act in placed}
    assert priors["gg"] < priors["gr"], "green has no reserve"


@pytest.mark.parametrize("kind", [Kind.TURN, Kind.PENDING])
def test_a_turn_that_is_hardly_told_from_an_illegal_act_is_asked_about(
    monkeypatch: pytest.MonkeyPatch, kind: Kind
) -> None:
    """Also while its stack awaits the trimming: a piece behind a tall stack looks like one on top of it."""
    move = Move.parse("d7-d5")
    turn = Act(kind, {INDEX["d7"]: "", INDEX["d5"]: "rggrg"}, (move,))
    wrong = Wrong("not_straight", "g", (INDEX["d7"], INDEX["e6"]), "Green moved diagonally.")
    rival = Act(Kind.WRONG, {INDEX["d7"]: "", INDEX["e6"]: "grg"}, wrong=lambda: wrong)
    judgement = Judgement(turn, 240.0, 7.0, rivals=(rival,), weights=(0.0, 0.0))
    monkeypatch.setattr(referee, "judge", lambda *_, **__: judgement)
    look: Any = Shown(1.1, {"d7": 0.9, "d5": 0.3, "e6": 0.3})
    assert Referee(RULES).judge(look, [start_position(RULES)]) == [Undecided((move,))]
