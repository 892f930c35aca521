"""The selection of the acts that are rendered in full."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from focus_companion.game.squares import SQUARES
from focus_companion.referee import course, weighing
from focus_companion.referee.acts import Act, Kind
from focus_companion.referee.verdict import Wrong


def calm_look(calm: NDArray[np.bool_], nats: NDArray[np.int64], asked: list[int] | None = None) -> Any:
    """A look at squares, some of them calm, on which any stack gains these nats."""

    def stack_gain(square: int, _stack: str) -> Any:
        if asked is not None:
            asked.append(square)
        return SimpleNamespace(nats=int(nats[square]))

    return SimpleNamespace(
        change=object(),
        touched=np.where(calm, 0.0, 0.5),
        deviations=np.where(calm, 1.0, 9.0),
        evidence=SimpleNamespace(stack_gain=stack_gain),
    )


@pytest.mark.parametrize("seed", range(20))
def test_acts_excluded_by_their_squares_could_not_have_been_among_the_best(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """The selected acts are the same as if all had been weighed in full; equal ones keep the order of the
    pool. The contextual evidence subtracts what an act gains on a calm square.
    """
    rng = np.random.default_rng(seed)
    calm = rng.random(len(SQUARES)) < 0.5
    nats = rng.integers(-60, 60, len(SQUARES))

    def some(few: int) -> list[int]:
        return rng.integers(0, len(SQUARES), few).tolist()

    pool = [
        Act(
            Kind.WRONG,
            dict.fromkeys(some(3), "r"),
            given_prior=float(prior),
            changed_before=frozenset(some(1)),
        )
        for prior in rng.integers(-60, 60, 400)
    ]
    again = [
        sum(max(0, nats[s]) for s in act.changes if calm[s] and s not in act.changed_before) for act in pool
    ]
    besides = rng.integers(-60, course.MAX_CONTEXT_EVIDENCE + 1, 400)
    said = {id(act): int(for_it - taken) for act, for_it, taken in zip(pool, besides, again, strict=True)}
    monkeypatch.setattr(weighing, "context_evidence", lambda _look, act, _pending: said[id(act)])
    monkeypatch.setattr(weighing, "IgnoredChanges", lambda _look: SimpleNamespace(penalty=lambda _act: 0.0))
    look = calm_look(calm, nats)
    whole = {i: act.prior + said[id(act)] for i, act in enumerate(pool)}
    shown = {i: whole[i] + sum(nats[s] for s in act.changes) for i, act in enumerate(pool)}
    best = sorted(shown, key=lambda i: (-shown[i], i))[: weighing.MAX_RENDERED_ACTS]
    found = weighing._screened(look, pool, None)
    assert list(found) == best and all(found[i] == whole[i] for i in best)


def test_a_calm_square_is_not_evaluated_for_acts_that_cannot_be_among_the_best(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A turn to or from any of fifty squares, of which the two changed ones explain everything."""
    monkeypatch.setattr(weighing, "context_evidence", lambda *_: 0.0)
    monkeypatch.setattr(weighing, "IgnoredChanges", lambda _look: SimpleNamespace(penalty=lambda _act: 0.0))
    calm, asked = np.arange(len(SQUARES)) > 1, list[int]()
    pool = [Act(Kind.TURN, {0: "", 1: k * "r"}) for k in range(weighing.MAX_RENDERED_ACTS)]
    pool += [Act(Kind.TURN, {1: "", int(square): "r"}) for square in np.flatnonzero(calm)]
    look = calm_look(calm, np.full(len(SQUARES), 90), asked)
    assert list(weighing._screened(look, pool, None)) == list(range(weighing.MAX_RENDERED_ACTS))
    assert set(asked) == {0, 1}


def test_the_best_legal_act_is_weighed_however_many_illegal_ones_fit_better(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise an alert would not be compared with any legal explanation."""
    monkeypatch.setattr(weighing, "context_evidence", lambda *_: 0.0)
    monkeypatch.setattr(weighing, "IgnoredChanges", lambda _look: SimpleNamespace(penalty=lambda _act: 0.0))
    wrong = Wrong("reordered", "g", (0,), "")
    some = range(2 * weighing.MAX_RENDERED_ACTS)
    pool = [Act(Kind.WRONG, {0: "g" + k * "r"}, wrong=lambda: wrong, given_prior=float(k)) for k in some]
    pool += [Act(Kind.TURN, {1: k * "r"}, given_prior=-20.0 - k) for k in some]
    look = calm_look(np.zeros(len(SQUARES), bool), np.full(len(SQUARES), 30))
    found = [*weighing._screened(look, pool, None)]
    assert len(found) == weighing.MAX_RENDERED_ACTS + 1 and found[-1] == len(some)
    assert all(not pool[at].legal for at in found[:-1])
