"""The margin between two acts, and which acts are rendered in full."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from focus_companion.game.moves import Move
from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.referee import course, weighing
from focus_companion.referee.acts import Act, Kind
from focus_companion.referee.verdict import Wrong


def calm_look(calm: NDArray[np.bool_], nats: NDArray[np.int64], asked: list[int] | None = None) -> Any:
    """A look at squares, some of them unchanged, on which any stack gains these nats."""

    def stack_gain(square: int, _stack: str) -> Any:
        if asked is not None:
            asked.append(square)
        return SimpleNamespace(nats=int(nats[square]))

    return SimpleNamespace(
        change=object(),
        touched=np.where(calm, 0.0, 0.5),
        differs=np.where(calm, 1.0, 9.0),
        evidence=SimpleNamespace(stack_gain=stack_gain),
    )


@pytest.mark.parametrize("seed", range(20))
def test_those_left_out_for_their_squares_could_not_have_been_among_the_best(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """The same acts as though all had been weighed in full; equal ones in the order of the pool. What fits
    better on a square that looks as it looked, the course of things takes off again."""
    rng = np.random.default_rng(seed)
    calm = rng.random(len(SQUARES)) < 0.5
    nats = rng.integers(-60, 60, len(SQUARES))

    def some(few: int) -> list[int]:
        return rng.integers(0, len(SQUARES), few).tolist()

    pool = [
        Act(Kind.WRONG, dict.fromkeys(some(3), "r"), given=float(prior), past=frozenset(some(1)))
        for prior in rng.integers(-60, 60, 400)
    ]
    again = [sum(max(0, nats[s]) for s in act.changes if calm[s] and s not in act.past) for act in pool]
    besides = rng.integers(-60, course.MOST_FOR + 1, 400)
    said = {id(act): int(for_it - taken) for act, for_it, taken in zip(pool, besides, again, strict=True)}
    monkeypatch.setattr(weighing, "course", lambda _look, act, _pending: said[id(act)])
    monkeypatch.setattr(weighing, "Ignored", lambda _look: SimpleNamespace(nats=lambda _act: 0.0))
    look = calm_look(calm, nats)
    whole = {i: act.prior + said[id(act)] for i, act in enumerate(pool)}
    shown = {i: whole[i] + sum(nats[s] for s in act.changes) for i, act in enumerate(pool)}
    best = sorted(shown, key=lambda i: (-shown[i], i))[: weighing.PAINTED]
    found = weighing._screened(look, pool, None)
    assert list(found) == best and all(found[i] == whole[i] for i in best)


def test_a_square_that_looks_as_it_looked_is_not_read_for_acts_that_cannot_be_the_best(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A turn to or from any of fifty squares, of which the two changed ones explain everything."""
    monkeypatch.setattr(weighing, "course", lambda *_: 0.0)
    monkeypatch.setattr(weighing, "Ignored", lambda _look: SimpleNamespace(nats=lambda _act: 0.0))
    calm, asked = np.arange(len(SQUARES)) > 1, list[int]()
    pool = [Act(Kind.TURN, {0: "", 1: k * "r"}) for k in range(weighing.PAINTED)]
    pool += [Act(Kind.TURN, {1: "", int(square): "r"}) for square in np.flatnonzero(calm)]
    look = calm_look(calm, np.full(len(SQUARES), 90), asked)
    assert list(weighing._screened(look, pool, None)) == list(range(weighing.PAINTED))
    assert set(asked) == {0, 1}


def test_the_best_legal_act_is_weighed_however_many_illegal_ones_fit_better(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise an alert would take its lead over the permitted explanations for granted."""
    monkeypatch.setattr(weighing, "course", lambda *_: 0.0)
    monkeypatch.setattr(weighing, "Ignored", lambda _look: SimpleNamespace(nats=lambda _act: 0.0))
    wrong = Wrong("reordered", "g", (0,), "")
    some = range(2 * weighing.PAINTED)
    pool = [Act(Kind.WRONG, {0: "g" + k * "r"}, wrong=lambda: wrong, given=float(k)) for k in some]
    pool += [Act(Kind.TURN, {1: k * "r"}, given=-20.0 - k) for k in some]
    look = calm_look(np.zeros(len(SQUARES), bool), np.full(len(SQUARES), 30))
    found = [*weighing._screened(look, pool, None)]
    assert len(found) == weighing.PAINTED + 1 and found[-1] == len(some)
    assert all(not pool[at].legal for at in found[:-1])


@pytest.mark.parametrize(
    ("other", "told", "shown", "besides", "behind"),
    [
        (Kind.WRONG_TRIM, 11.6, 5.0, {}, -23.0),
        (Kind.WRONG_TRIM, 34.0, 64.0, {}, 34.0),
        (Kind.WRONG, 34.0, 30.0, {}, 14.0),
        (Kind.WRONG, 11.6, 5.0, {"a4": "g"}, 11.6),
    ],
    ids=["the outline says otherwise", "both say so", "pieces gone", "not a matter of height alone"],
)
def test_a_stack_is_trimmed_rightly_if_its_outline_says_so_too(
    other: Kind, told: float, shown: float, besides: dict[str, str], behind: float
) -> None:
    """Two pieces taken instead of one: neither the low weight of heights nor its rarity must hide it."""
    move, nobody = Move.parse("c7-e7"), (INDEX["c7"], INDEX["e7"])
    turn = Act(Kind.TURN, {nobody[0]: "", nobody[1]: "ggrrg"}, (move,), trimmed="g")
    changes = {nobody[0]: "", nobody[1]: "grrg"} | {INDEX[square]: stack for square, stack in besides.items()}
    wrongly = Act(
        other, changes, (move,), trimmed="gg", wrong=lambda: Wrong("wrong_removal", "g", nobody, "")
    )
    look: Any = SimpleNamespace(touched=np.ones(len(SQUARES)))
    assert weighing._behind(look, turn, wrongly, told, shown, weighing.RIGHTLY_TRIMMED) == behind


@pytest.mark.parametrize(
    ("rim", "stirred", "placed", "past", "behind"),
    [
        (0.0, 0.0, "rg", (), 4.4),
        (0.05, 0.0, "rg", (), 4.4),
        (0.3, 0.0, "rg", (), 12.4),
        (0.0, course.PLAINLY, "rg", (), 12.4),
        (0.0, 0.0, "rr", (), 12.4),
        (0.0, 0.0, "rg", ("f7",), 12.4),
    ],
    ids=[
        "it hardly shows",
        "a shadow",
        "it shows",
        "its stack looks different",
        "another top",
        "an earlier picture showed it",
    ],
)
def test_of_two_turns_at_once_both_must_show(
    rim: float, stirred: float, placed: str, past: tuple[str, ...], behind: float
) -> None:
    """Red's piece went to its own colour, says one, so that green's could take its place; the other, that
    red set green's piece on its own."""
    origin, target, own = (INDEX[square] for square in ("g6", "g7", "f7"))
    turns = Act(
        Kind.TURNS,
        {own: "rr", target: "g", origin: ""},
        (Move.parse("g7-f7"), Move.parse("g6-g7")),
        past=frozenset(INDEX[square] for square in past),
    )
    other = Act(Kind.WRONG, {origin: "", target: placed}, wrong=lambda: Wrong("not_your_stack", "r", (), ""))
    stood = [""] * len(SQUARES)
    stood[own], stood[target], stood[origin] = "r", "r", "g"
    touched = np.zeros(len(SQUARES))
    touched[own] = rim
    look: Any = SimpleNamespace(
        touched=touched,
        stirred={own: stirred},
        evidence=SimpleNamespace(
            standing=stood,
            stack_gain=lambda *_: SimpleNamespace(pixels=40),
            outlines=SimpleNamespace(step=2.4, piece_pixels=100),
        ),
    )
    assert weighing._behind(look, turns, other, 12.4, 12.4, 0.0) == pytest.approx(behind)


@pytest.mark.parametrize(
    ("origin", "target", "step", "shown", "behind"),
    [
        ("r", "grg", 2.4, 20.0, 8.0),
        ("r", "grg", 2.4, 60.0, 40.0),
        ("r", "grg", 0.6, 20.0, -2.0),
        ("", "grgr", 0.6, 20.0, 8.0),
        ("", "grgr", 0.6, 60.0, 40.0),
    ],
    ids=["it hardly shows", "it shows", "from above", "tops alike in the dark", "other tops"],
)
def test_what_the_rules_allow_must_show_on_its_squares(
    origin: str, target: str, step: float, shown: float, behind: float
) -> None:
    """Red's piece that went back to where green's came from leaves the tops of green's turn; and a bare dome
    may be as dark as a green one."""
    one, two = INDEX["d6"], INDEX["d5"]
    turn = Act(Kind.TURN, {one: "rgr", two: "g"}, (Move.parse("d5-d6"),))
    other = Act(Kind.WRONG, {one: origin, two: target}, wrong=lambda: Wrong("out_of_turn", "r", (), ""))
    evidence = SimpleNamespace(outlines=SimpleNamespace(step=step), standing=[""] * len(SQUARES))
    look: Any = SimpleNamespace(touched=np.ones(len(SQUARES)), evidence=evidence)
    found = weighing._behind(look, turn, other, 40.0, shown, weighing.RIGHTLY_TRIMMED)
    assert found == pytest.approx(behind)


@pytest.mark.parametrize(("step", "behind"), [(2.4, 8.0), (0.6, -2.0)])
def test_two_moves_of_one_player_are_not_emitted_as_two_turns(step: float, behind: float) -> None:
    """Red's second move, emitted as green's in the opposite direction."""
    squares = [INDEX[name] for name in ("c4", "b4", "e5", "e6")]
    moves = Move.parse("c4-b4"), Move.parse("e6-e5")
    turns = Act(Kind.TURNS, dict(zip(squares, ("g", "gr", "grg", "r"), strict=True)), moves)
    wrong = Wrong("two_moves", "r", (), "")
    twice = Act(
        Kind.WRONG_TWICE, dict(zip(squares, ("g", "gr", "g", "rgr"), strict=True)), wrong=lambda: wrong
    )
    evidence = SimpleNamespace(outlines=SimpleNamespace(step=step), standing=[""] * len(SQUARES))
    look: Any = SimpleNamespace(touched=np.ones(len(SQUARES)), evidence=evidence)
    assert weighing._behind(look, turns, twice, 40.0, 16.0, 0.0) == pytest.approx(behind)


@pytest.mark.parametrize(
    ("touched", "stirred", "differs", "behind"),
    [
        (0.0, {}, 1.0, -6.3),
        (0.0, {"d6": 9.0}, 9.0, 8.7),
        (0.0, {}, 3.0, 8.7),
        (0.3, {}, 1.0, 8.7),
        (0.07, {"d6": 9.0, "e4": 20.0}, 9.0, -6.3),
        (0.07, {"d6": 9.0, "e5": 20.0}, 9.0, 8.7),
    ],
    ids=[
        "nothing shows there",
        "it stirred",
        "more than any other",
        "it changed",
        "less than another of the colour",
        "less than one of another colour",
    ],
)
def test_a_target_is_not_assumed_only_because_it_is_legal(
    touched: float, stirred: dict[str, float], differs: float, behind: float
) -> None:
    """A piece missing from one square and set on its own colour: on the legal square, or elsewhere?"""
    one, two = INDEX["d5"], INDEX["d6"]
    turn = Act(Kind.TURN, {one: "r", two: "gg"}, (Move.parse("d5-d6"),))
    lifted = Act(Kind.WRONG, {one: "r"}, wrong=lambda: Wrong("wrong_removal", "g", (one,), ""), lifted=True)
    stood = [""] * len(SQUARES)
    stood[one], stood[two] = "rg", "g"
    stood[INDEX["e4"]], stood[INDEX["e5"]] = "g", "gr"
    shares = np.ones(len(SQUARES))
    shares[two] = touched
    by = np.full(len(SQUARES), 2.0)
    by[two] = differs
    look: Any = SimpleNamespace(
        touched=shares,
        change=SimpleNamespace(touched=shares),
        unsettled=(),
        differs=by,
        stirred={INDEX[square]: more for square, more in stirred.items()},
        evidence=SimpleNamespace(standing=tuple(stood)),
    )
    assert weighing._behind(look, turn, lifted, 15.7, 18.0, 0.0) == pytest.approx(behind)


@pytest.mark.parametrize(
    ("stirred", "instead", "behind"),
    [({"d6": 18.6}, 0.9, 14.5), ({"d6": 18.6}, 3.0, 7.25), ({"d6": 7.0}, 0.9, 7.25), ({}, 0.9, 7.25)],
    ids=["there and nowhere else", "there too", "it may be a shadow", "nowhere"],
)
def test_of_two_squares_with_the_same_top_the_one_that_stirred_was_moved_to(
    stirred: dict[str, float], instead: float, behind: float
) -> None:
    """From above, one more piece on its own colour changes no pixel by much, but all of them a little."""
    one, two, other = INDEX["d5"], INDEX["d6"], INDEX["d4"]
    turn = Act(Kind.TURN, {one: "", two: "bb"}, (Move.parse("d5-d6"),))
    rival = Act(Kind.TURN, {one: "", other: "bb"}, (Move.parse("d5-d4"),))
    stood = ["b" if square in (one, two, other) else "" for square in range(len(SQUARES))]
    by, shares = np.full(len(SQUARES), 1.0), np.zeros(len(SQUARES))
    shares[one], shares[two], by[other] = 1.0, 0.023, instead
    look: Any = SimpleNamespace(
        touched=shares,
        differs=by,
        stirred={INDEX[square]: more for square, more in stirred.items()},
        evidence=SimpleNamespace(
            standing=tuple(stood),
            outlines=SimpleNamespace(piece_pixels=100.0),
            stack_gain=lambda *_: SimpleNamespace(pixels=60),
        ),
    )
    assert weighing._behind(look, turn, rival, 14.5, 14.5, 0.0) == pytest.approx(behind)
