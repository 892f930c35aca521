"""The selection of the acts that are rendered in full."""

from __future__ import annotations

import numpy as np
import pytest
from fake_look import fake_look

from focus_companion.game.moves import Move
from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.referee.act import Act, Kind
from focus_companion.referee.screening import MAX_RENDERED_ACTS, Screening
from focus_companion.referee.verdict import Wrong
from focus_companion.referee.weighing import NO_RIVAL_LEAD, weigh

NAMES = [str(square) for square in SQUARES]


def illegal(changes: dict[int, str], prior: float) -> Act:
    return Act(Kind.WRONG, changes, wrong=lambda: Wrong("reordered", "g", (0,), ""), given_prior=prior)


@pytest.mark.parametrize("seed", range(20))
def test_acts_excluded_by_their_squares_could_not_have_been_among_the_best(seed: int) -> None:
    """The acts that are weighed in full are those with the best scores when each is weighed alone, whatever
    the context says for or against them; of equal ones, the first of the pool.
    """
    rng = np.random.default_rng(seed)

    def some(few: int) -> list[int]:
        return rng.integers(0, len(SQUARES), few).tolist()

    calm = rng.random(len(SQUARES)) < 0.5
    look = fake_look(
        touched=dict(zip(NAMES, np.where(calm, 0.0, 0.5), strict=True)),
        nats={name: {"r": float(rng.integers(-60, 60))} for name in NAMES},
        before={name: float(rng.integers(-20, 20)) for name in NAMES},
        shadows={name: {"r": float(rng.integers(-5, 15))} for name in NAMES},
        barely_visible=[name for name in NAMES if rng.random() < 0.8],
        beside="r",
    )
    # Some have left the piece that lies beside the board.
    pool = [
        Act(
            Kind.TURN,
            dict.fromkeys(changed, "r"),
            (Move(None, changed[0]),),
            trimmed="r" if rng.random() < 0.3 else "",
            changed_before=frozenset(some(1)),
            given_prior=float(prior),
        )
        for prior in rng.integers(-60, 60, 400)
        for changed in [some(3)]
    ]
    alone = [weigh(Screening(look), [act]).nats for act in pool]
    best = sorted(range(len(pool)), key=lambda at: (-alone[at], at))[:MAX_RENDERED_ACTS]
    weighed = weigh(Screening(look), pool).weighed
    assert {id(one.act) for one in weighed} == {id(pool[at]) for at in best}
    assert weighed[0].act is pool[best[0]]


def test_a_calm_square_is_not_evaluated_for_acts_that_cannot_be_among_the_best() -> None:
    """A turn to or from any of fifty squares, of which the two changed ones explain everything."""
    fits = {name: {"r" * count: 90.0 for count in range(MAX_RENDERED_ACTS + 1)} for name in NAMES}
    look = fake_look(("g",) * len(SQUARES), {NAMES[0]: 0.5, NAMES[1]: 0.5}, fits)
    pool = [Act(Kind.TURN, {0: "", 1: count * "r"}) for count in range(MAX_RENDERED_ACTS)]
    pool += [Act(Kind.TURN, {1: "", square: "r"}) for square in range(2, len(SQUARES))]
    found = weigh(Screening(look), pool)
    assert all(one.act.changes.keys() == {0, 1} for one in found.weighed)
    assert look.evidence.asked == {0, 1}


def test_an_alert_is_compared_with_the_best_legal_act_however_many_illegal_ones_fit_better() -> None:
    here, elsewhere = INDEX["d5"], INDEX["f2"]
    numbers = range(2 * MAX_RENDERED_ACTS)
    look = fake_look(
        touched={"d5": 0.9, "f2": 0.9},
        nats={
            "d5": {"g" + count * "r": 90.0 for count in numbers},
            "f2": {"g" + count * "r": 90.0 for count in numbers},
        },
    )
    pool = [illegal({here: "g" + count * "r"}, float(count)) for count in numbers]
    pool += [Act(Kind.TURN, {elsewhere: "g" + count * "r"}, given_prior=-20.0 - count) for count in numbers]
    found = weigh(Screening(look), pool)
    assert not found.act.legal
    assert [one.act for one in found.weighed if one.act.legal] == [pool[len(numbers)]]
    assert found.lead < found.legal_lead < NO_RIVAL_LEAD
