"""Which acts the judge weighs: what explains all that changed stays in the race."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from table_scene import rules

from focus_companion.game.moves import Move
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.referee import course, weighing
from focus_companion.referee import judge as judging
from focus_companion.referee.acts import Act, Acts, Kind
from focus_companion.referee.course import Pending
from focus_companion.referee.explaining import as_due
from focus_companion.referee.judge import judge
from focus_companion.referee.verdict import Wrong
from focus_companion.referee.weighing import Judgement

RULES = rules({"f7": "rrgrg", "d5": "g"}, {"g": 1})
TOUCHED = {"f7": 0.19, "f8": 0.45, "g6": 0.03}
"""A piece has been set on a tall stack: seen aslant, it covers more of the square behind."""


def test_a_piece_on_a_tall_stack_is_weighed_though_the_square_behind_changed_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    position = start_position(RULES)
    touched = np.zeros(len(SQUARES))
    for square, share in TOUCHED.items():
        touched[INDEX[square]] = share
    look: Any = SimpleNamespace(
        touched=touched,
        stirred={},
        change=None,
        evidence=SimpleNamespace(
            standing=position.stacks, outlines=SimpleNamespace(touching=lambda squares: squares)
        ),
        foreign=lambda *_: 0.0,
    )
    pools: list[list[str]] = []

    def weigh(_look: object, pool: list[Any], _pending: object) -> Judgement:
        pools.append([f"{act.kind.name} {' '.join(map(str, act.moves))}" for act in pool])
        likeliest = [act for act in pool if act.kind is Kind.PENDING and str(act.moves[0]) == "*f7"]
        return Judgement((likeliest or pool)[0], 41.0, 14.7)

    monkeypatch.setattr(judging, "weigh", weigh)
    monkeypatch.setattr(judging, "explains", lambda *_: True)
    monkeypatch.setattr(judging, "clean", lambda *_: False)
    found = judge(look, [position], RULES, None)
    assert "TURN *f8" in pools[1], "the square that changed most is weighed"
    assert str(found.act.moves[0]) == "*f7"


@pytest.mark.parametrize("beside", ["r", "g", "rr", "gr"])
def test_what_lies_beside_the_board_speaks_for_a_wrong_trimming_as_for_the_right_one(beside: str) -> None:
    """Unless the act does not take so many pieces from the stack; and less where they are of other colours,
    or where some of those that it takes do not lie there."""
    position = start_position(RULES)
    move = Move.parse("*f7")
    acts = Acts([position], RULES)
    look: Any = SimpleNamespace(
        since_mark=SimpleNamespace(touched=np.full(len(SQUARES), 0.5)),
        appeared_since_mark=beside,
        evidence=SimpleNamespace(standing=position.stacks),
    )
    right = [act for act in acts.turns({move.target}) if act.moves == (move,) and act.trimmed]
    wrong = list(acts.wrong_trims(move))
    assert len(right) == 1 and len(wrong) > 5
    for act in (*right, *wrong):
        found = course.trimming(look, act, Pending(move, sure=True))
        if len(beside) > len(act.trimmed):
            assert found == course.LAID_DOWN - course.EXTRA < 0
        elif Counter(beside) - Counter(act.trimmed):
            assert found == course.LAID_DOWN - course.MISCOLOURED
        else:
            unseen = len(act.trimmed) - len(beside)
            assert found == course.LAID_DOWN - course.MISSING * unseen
    assert right[0].trimmed == "r"


def test_what_is_gone_from_below_a_stack_must_lie_beside_the_board() -> None:
    """Else a stack trimmed of one for one from the reserve looks like one robbed of a piece."""
    position = start_position(RULES)
    acts = Acts([position], RULES)
    standing = SimpleNamespace(standing=position.stacks)
    gone: Any = SimpleNamespace(since_mark=None, appeared="", evidence=standing)
    beside: Any = SimpleNamespace(since_mark=None, appeared="r", evidence=standing)
    removals = list(acts.removals([INDEX["f7"]]))
    robbed = [act for act in removals if not act.lifted]
    lifted = [act for act in removals if act.lifted]
    assert robbed and all(course.trimming(gone, act, None) < -30 for act in robbed)
    assert lifted and all(course.trimming(gone, act, None) == 0 for act in lifted)
    assert all(course.trimming(beside, act, None) == 0 for act in lifted)
    kept = {act.changes[INDEX["f7"]]: course.trimming(beside, act, None) for act in robbed}
    assert kept["rgrg"] == 0 and kept["grg"] == -course.MISSING and kept["rg"] < kept["grg"]


@pytest.mark.parametrize(
    ("touched", "changes", "against"),
    [
        ({"c1": 0.21}, {}, course.IGNORED),
        ({"c1": 0.15}, {}, course.IGNORED / 2),
        ({"c1": 0.09}, {}, 0.0),
        ({"c1": 0.21}, {"c1": "gg"}, 0.0),
        ({"c1": 0.21, "b4": 0.9}, {"b4": "r"}, course.IGNORED),
        ({"c3": 0.4, "c1": 0.9}, {"c1": "r"}, 0.0),
        ({"c4": 0.4, "c1": 0.9}, {"c1": "r"}, course.IGNORED),
        ({"d2": 0.4, "c1": 0.9}, {"c1": "r"}, 0.0),
        ({"d2": 0.4}, {"c1": "r"}, course.IGNORED),
        ({"f4": -3, "a3": -3, "h5": -3, "h4": 0.15}, {}, course.STIRRED),
        ({"a3": 0.3, "c1": 0.3, "e1": 0.3, "h4": 0.3}, {}, 0.0),
        ({"c1": 0.9, "f7": -1.5}, {"c1": "", "e1": "gg"}, course.STIRRED),
        ({"c1": 0.9, "f7": -0.8}, {"c1": "", "e1": "gg"}, 0.8 * course.STIRRED),
        ({"c1": 0.9, "f7": -1.5}, {"c1": "", "f7": "gg"}, 0.0),
    ],
    ids=[
        "left alone",
        "a little",
        "noise",
        "changed",
        "besides",
        "covered by what changed",
        "behind that",
        "in its shadow",
        "of what does not show itself",
        "few changed, many stirred",
        "the light",
        "stirred",
        "stirred a little",
        "stirred and changed",
    ],
)
def test_an_act_has_to_answer_for_every_square_on_which_something_happened(
    touched: dict[str, float], changes: dict[str, str], against: float
) -> None:
    """``touched`` below 0: stirred by that much of what is sure."""
    by = {INDEX[square]: -share for square, share in touched.items() if share < 0}
    stirred = {square: 12.0 * share for square, share in by.items()}
    shares = np.zeros(len(SQUARES))
    for square, share in touched.items():
        shares[INDEX[square]] = max(0.0, share)
    covers = {(INDEX["c1"], INDEX["c3"])}
    outlines = SimpleNamespace(meet=lambda one, _high, other, _own: (one, other) in covers)
    evidence = SimpleNamespace(outlines=outlines, standing=start_position(RULES).stacks)
    look: Any = SimpleNamespace(
        touched=shares,
        stirred=stirred,
        evidence=evidence,
        change=object(),
        differs=np.where(shares > 0, 9.0, 1.0),
    )
    act = Act(Kind.WRONG, {INDEX[square]: stack for square, stack in changes.items()})
    assert course.Ignored(look).nats(act) == pytest.approx(against)


@pytest.mark.parametrize(
    ("by", "gained", "against"),
    [
        (0.5, -9.0, course.UNSEEN + course.UNMOVED),
        (0.5, 25.0, course.UNSEEN + course.UNMOVED + 25.0),
        (6.0, 25.0, course.UNSEEN),
    ],
    ids=["calm", "calm, but it would fit better", "stirred"],
)
def test_a_square_that_looks_as_before_was_not_changed(by: float, gained: float, against: float) -> None:
    """Where a piece more would show plainly; ``by`` standard deviations it looks different."""
    outlines = SimpleNamespace(piece_pixels=1000.0)
    evidence = SimpleNamespace(
        standing=start_position(RULES).stacks,
        outlines=outlines,
        stack_gain=lambda *_: SimpleNamespace(pixels=600, nats=gained),
    )
    look: Any = SimpleNamespace(
        touched=np.zeros(len(SQUARES)),
        differs=np.full(len(SQUARES), by),
        since_mark=None,
        appeared="",
        evidence=evidence,
    )
    act = Act(Kind.TURN, {INDEX["d5"]: "gg"}, (Move.parse("*d5"),))
    assert course.course(look, act, None) == pytest.approx(-against)
    # Of a turn that nobody could see no change is asked for; but what did not change says nothing for it.
    hidden = Act(Kind.TURNS, act.changes, (*act.moves, Move.parse("d7-d8")), unseen=frozenset(act.changes))
    assert course.course(look, hidden, None) == pytest.approx(-max(0.0, gained) if by < course.CALM else 0.0)


@pytest.mark.parametrize(
    ("moved", "beside", "trimmed", "left", "back"),
    [
        (0.4, "r", 28.0, -42.0, -56.0),
        (0.1, "r", 28.0, -14.0, -14.0),
        (0.4, "", 0.0, -14.0, -14.0),
        (0.005, "", -60.0, 14.0, -14.0),
    ],
    ids=["changed", "hardly changed", "nothing beside", "untouched"],
)
def test_what_was_laid_down_came_from_the_stack_too_high_if_that_has_changed(
    moved: float, beside: str, trimmed: float, left: float, back: float
) -> None:
    position = start_position(RULES)
    move = Move.parse("*f7")
    look: Any = SimpleNamespace(
        since_mark=SimpleNamespace(touched=np.full(len(SQUARES), moved)),
        appeared_since_mark=beside,
        evidence=SimpleNamespace(standing=position.stacks),
    )
    acts = [act for act in Acts([position], RULES).turns({move.target}) if act.moves == (move,)]
    told = {act.kind: course.trimming(look, act, Pending(move, sure=True)) for act in acts}
    assert told == {Kind.TURN: trimmed, Kind.PENDING: left}
    # That nothing has happened, or another thing than the turn, means now that it was taken back.
    elsewhere = Act(Kind.WRONG, {INDEX["d8"]: "r"})
    for act in (weighing.NOTHING, elsewhere):
        assert course.trimming(look, act, Pending(move, sure=True)) == back
        assert course.trimming(look, act, Pending(move, sure=False)) == 0.0


def test_of_a_stack_two_too_high_one_piece_may_have_been_taken() -> None:
    """Then that piece may lie beside the board, and the stack is too high still."""
    high = rules({"f7": "rrgrg", "e7": "rg"}, {})
    move = Move(INDEX["e7"], INDEX["f7"])
    acts = [act for act in Acts([start_position(high)], high).turns({move.target}) if act.moves == (move,)]
    assert [act.trimmed for act in acts if act.kind is Kind.PENDING] == [""]
    two = Move(INDEX["d7"], INDEX["f7"])
    high = rules({"f7": "rrgrg", "d7": "rg"}, {})
    acts = [act for act in Acts([start_position(high)], high).turns({two.target}) if act.moves == (two,)]
    assert [act.trimmed for act in acts if act.kind is Kind.PENDING] == ["", "r"]


@pytest.mark.parametrize(
    ("moves", "against"),
    [("*c8 d8-c8", course.BURIED), ("*c8 d5-d6", 0.0), ("*c8", 0.0), ("d8-c8 *c8", 0.0)],
    ids=["buried", "elsewhere", "alone", "on top"],
)
def test_a_piece_buried_before_anybody_saw_it_is_hard_to_believe(moves: str, against: float) -> None:
    """It shows in the height alone: rather the stack was set on the bare square, against the rules."""
    look: Any = SimpleNamespace(
        touched=np.ones(len(SQUARES)),
        since_mark=None,
        appeared="",
        evidence=SimpleNamespace(standing=start_position(RULES).stacks),
    )
    told = tuple(map(Move.parse, moves.split()))
    act = Act(Kind.TURN if len(told) == 1 else Kind.TURNS, {INDEX["c8"]: "gr", INDEX["d8"]: ""}, told)
    assert course.course(look, act, None) == pytest.approx(-against)


@pytest.mark.parametrize(
    ("touched", "against"), [(0.0, course.HIDDEN_TURN), (0.04, course.HIDDEN_TURN), (0.1, 0.0)]
)
def test_a_turn_of_which_nothing_but_a_shadow_may_show_is_not_told_beside_another(
    touched: float, against: float
) -> None:
    """A piece taken from below its own colour, on the way to where somebody else's stack was moved."""
    stood = list(start_position(RULES).stacks)
    stood[INDEX["d5"]] = "rgg"
    shown = np.ones(len(SQUARES))
    shown[INDEX["d5"]] = touched
    look: Any = SimpleNamespace(
        touched=shown,
        differs=np.full(len(SQUARES), 9.0),
        since_mark=None,
        appeared="",
        evidence=SimpleNamespace(
            standing=tuple(stood),
            outlines=SimpleNamespace(piece_pixels=1000.0),
            stack_gain=lambda *_: SimpleNamespace(pixels=0),
        ),
    )
    act = Act(Kind.TURNS, {INDEX["d5"]: "rg", INDEX["d6"]: "rgg"}, (Move.parse("d5-d6"), Move.parse("d7-d6")))
    assert course.course(look, act, None) == pytest.approx(-against)


@pytest.mark.parametrize("seed", range(20))
def test_those_left_out_for_their_squares_could_not_have_been_among_the_best(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """The same acts as though all had been weighed in full; equal ones in the order of the pool."""
    rng = np.random.default_rng(seed)
    pool = [
        Act(Kind.WRONG, {k % len(SQUARES): "r"}, given=float(prior))
        for k, prior in enumerate(rng.integers(-60, 60, 400))
    ]
    said = dict(zip(map(id, pool), rng.integers(-60, course.MOST_FOR + 1, 400).tolist(), strict=True))
    monkeypatch.setattr(weighing, "course", lambda _look, act, _pending: said[id(act)])
    monkeypatch.setattr(weighing, "Ignored", lambda _look: SimpleNamespace(nats=lambda _act: 0.0))
    look: Any = SimpleNamespace(
        evidence=SimpleNamespace(stack_gain=lambda square, _: SimpleNamespace(nats=square % 7))
    )
    whole = {i: act.prior + said[id(act)] for i, act in enumerate(pool)}
    best = sorted(whole, key=lambda i: (-(i % len(SQUARES) % 7 + whole[i]), i))[: weighing.PAINTED]
    found = weighing._screened(look, pool, None)
    assert list(found) == best and all(found[i] == whole[i] for i in best)


@pytest.mark.parametrize(("where", "told"), [("d5", Kind.TURN), ("e5", Kind.WRONG_TWICE)])
def test_a_turn_on_just_the_squares_that_differ_is_no_riddle(where: str, told: Kind) -> None:
    """In bad light its stacks may look like other ones; it is asked about and not called unexplained."""
    position = start_position(RULES)
    evidence = SimpleNamespace(
        standing=position.stacks,
        read=lambda *_: ("gg", 10.0),
        stack_gain=lambda *_: SimpleNamespace(nats=90.0),
        gain=lambda changes: SimpleNamespace(nats=300.0 if "gg" in changes.values() else 100.0),
    )
    look: Any = SimpleNamespace(evidence=evidence)
    turn = Act(Kind.TURN, {INDEX["d5"]: "gr", INDEX["d6"]: ""}, (Move.parse("*d5"),))
    best = Judgement(turn, 96.0, 3.0)
    assert judging._unexplained(look, best, [INDEX[where]], position).act.kind is told


@pytest.mark.parametrize(("beside", "further"), [(0.26, True), (0.12, False)])
def test_a_turn_beside_which_more_has_happened_is_not_believed_at_once(
    monkeypatch: pytest.MonkeyPatch, beside: float, further: bool
) -> None:
    """Two moves in one turn: the first alone would be a turn."""
    position = start_position(RULES)
    touched = np.zeros(len(SQUARES))
    touched[[INDEX["d5"], INDEX["d6"]]] = 0.9
    touched[[INDEX["f2"], INDEX["f3"]]] = beside
    look: Any = SimpleNamespace(
        touched=touched,
        stirred={},
        change=None,
        evidence=SimpleNamespace(
            standing=position.stacks,
            outlines=SimpleNamespace(touching=lambda squares: squares, meet=lambda *_: False),
        ),
        foreign=lambda *_: 0.0,
    )
    kinds: set[str] = set()

    def weigh(_look: object, pool: list[Act], _pending: object) -> Judgement:
        kinds.update(act.wrong().reason for act in pool if act.wrong is not None)
        turn = next(act for act in pool if act.kind is Kind.TURN and str(act.moves[0]) == "d5-d6")
        return Judgement(turn, 290.0, 60.0)

    monkeypatch.setattr(judging, "weigh", weigh)
    monkeypatch.setattr(judging, "explains", lambda *_: True)
    monkeypatch.setattr(judging, "clean", lambda *_: False)
    judge(look, [position], RULES, None)
    assert ("two_moves" in kinds) == further


@pytest.mark.parametrize(("by", "looked"), [(44.0, ["b2", "c1"]), (14.0, ["b2", "c1"]), (8.0, [])])
def test_what_hardly_shows_in_the_dark_is_looked_into(
    monkeypatch: pytest.MonkeyPatch, by: float, looked: list[str]
) -> None:
    """Blue pieces on a blue board under one weak lamp: not a pixel changes by as much as in a lit room."""
    position = start_position(RULES)
    look: Any = SimpleNamespace(
        touched=np.zeros(len(SQUARES)),
        stirred={INDEX["c1"]: by, INDEX["b2"]: by},
        evidence=SimpleNamespace(standing=position.stacks),
        foreign=lambda *_: 0.0,
    )
    seen: list[int] = []

    def likeliest(_look: object, _worlds: object, squares: list[int], *_: object) -> Judgement:
        seen.extend(squares)
        return Judgement(weighing.NOTHING, 0.0, 50.0)

    monkeypatch.setattr(judging, "_likeliest", likeliest)
    judge(look, [position], RULES, None)
    assert sorted(SQUARES[square] for square in seen) == looked


@pytest.mark.parametrize(
    ("awaited", "lead", "due"),
    [("*f7", 9.3, True), ("*f7", 5.0, False), ("*c8", 9.3, False), ("", 9.3, False)],
)
def test_what_a_prompt_asks_for_need_not_show(awaited: str, lead: float, due: bool) -> None:
    turn = Act(Kind.TURN, {INDEX["f7"]: "rgrgg"}, (Move.parse("*f7"),), trimmed="r")
    pending = Pending(Move.parse(awaited), sure=True) if awaited else None
    assert as_due(Judgement(turn, -13.8, lead), pending) is due


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
    """Two pieces taken instead of one: neither what little a stack's height is worth nor that this is rare
    must hide it."""
    move, nobody = Move.parse("c7-e7"), (INDEX["c7"], INDEX["e7"])
    turn = Act(Kind.TURN, {nobody[0]: "", nobody[1]: "ggrrg"}, (move,), trimmed="g")
    changes = {nobody[0]: "", nobody[1]: "grrg"} | {INDEX[square]: stack for square, stack in besides.items()}
    wrongly = Act(
        other, changes, (move,), trimmed="gg", wrong=lambda: Wrong("wrong_removal", "g", nobody, "")
    )
    look: Any = SimpleNamespace(touched=np.ones(len(SQUARES)))
    assert weighing._behind(look, turn, wrongly, told, shown, weighing.RIGHTLY_TRIMMED) == behind


@pytest.mark.parametrize(
    ("origin", "target", "shown", "behind"),
    [("r", "grg", 20.0, 8.0), ("r", "grg", 60.0, 40.0), ("", "grgr", 20.0, 40.0)],
    ids=["it hardly shows", "it shows", "another top"],
)
def test_what_only_heights_tell_apart_must_show(
    origin: str, target: str, shown: float, behind: float
) -> None:
    """Red's piece that went back to where green's came from leaves the tops of green's turn."""
    one, two = INDEX["d6"], INDEX["d5"]
    turn = Act(Kind.TURN, {one: "rgr", two: "g"}, (Move.parse("d5-d6"),))
    other = Act(Kind.WRONG, {one: origin, two: target}, wrong=lambda: Wrong("out_of_turn", "r", (), ""))
    look: Any = SimpleNamespace(touched=np.ones(len(SQUARES)))
    found = weighing._behind(look, turn, other, 40.0, shown, weighing.RIGHTLY_TRIMMED)
    assert found == pytest.approx(behind)


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
def test_where_a_piece_went_is_not_told_because_the_rules_allow_it(
    touched: float, stirred: dict[str, float], differs: float, behind: float
) -> None:
    """Gone from one square, and set on its own colour: on the square that the rules allow, or elsewhere?"""
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
    """From above a piece more on its own colour changes hardly a pixel by much; and all of them a little."""
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


def test_more_beside_the_board_than_was_to_be_taken_speaks_against_a_right_trimming() -> None:
    move = Move.parse("*f7")
    right = next(act for act in Acts([start_position(RULES)], RULES).turns({move.target}) if act.trimmed)
    untouched: Any = SimpleNamespace()
    assert not course.more_beside(untouched, weighing.NOTHING, None), "nothing beside the board is looked for"
    for beside, more in (("", False), ("r", False), ("g", False), ("gr", True)):
        look: Any = SimpleNamespace(since_mark=object(), appeared_since_mark=beside, appeared="")
        assert course.more_beside(look, right, Pending(move, sure=True)) is more
        look = SimpleNamespace(since_mark=None, appeared=beside)
        assert course.more_beside(look, right, None) is more


def test_a_stack_trimmed_at_once_must_have_left_its_pieces_somewhere() -> None:
    """Else it is prompted for: one that is too high may look, in the dark, as if a piece were missing."""
    position, move = start_position(RULES), Move.parse("*f7")
    acts = Acts([position], RULES)
    # By so many nats the square shows the trimmed stack rather than the high one.
    better = {"rgrgg": 30.0}
    evidence = SimpleNamespace(
        standing=position.stacks,
        stack_gain=lambda _square, stack: SimpleNamespace(nats=better.get(stack, 0.0)),
    )
    bare: Any = SimpleNamespace(since_mark=None, appeared="", evidence=evidence)
    laid: Any = SimpleNamespace(since_mark=None, appeared="r", evidence=evidence)
    made = {act.kind: act for act in acts.turns({move.target}) if act.moves == (move,)}
    assert made[Kind.TURN].trimmed == "r"
    assert course.trimming(laid, made[Kind.TURN], None) == course.LAID_DOWN
    for act in (made[Kind.TURN], *acts.wrong_trims(move)):
        assert course.trimming(bare, act, None) == -course.UNPROMPTED
    assert course.trimming(bare, made[Kind.PENDING], None) == 0.0
    # Against anything else the turn is weighed as what it looks like, though it is told as the other.
    assert course.unprompted(bare, made[Kind.PENDING], None) == 30.0 - course.NOWHERE
    assert course.unprompted(laid, made[Kind.PENDING], None) == 0.0
    assert course.unprompted(bare, made[Kind.TURN], None) == 0.0
    better["rgrgg"] = course.UNPROMPTED
    assert course.unprompted(bare, made[Kind.PENDING], None) == 0.0
    assert course.trimming(bare, made[Kind.TURN], None) == -course.NOWHERE


@pytest.mark.parametrize(
    ("row", "moved", "against"),
    [
        (("*f7",), 0.0, course.UNPROMPTED),
        (("*f7", "d7-d8"), 0.0, 2 * course.NOWHERE),
        (("*f7",), 0.3, course.NOWHERE),
    ],
    ids=["nothing has happened since", "play goes on", "something was taken"],
)
def test_what_was_hardly_seen_to_be_too_high_may_be_trimmed_already(
    row: tuple[str, ...], moved: float, against: float
) -> None:
    """It stays prompted for until something happens."""
    position, moves = start_position(RULES), tuple(Move.parse(move) for move in row)
    since = SimpleNamespace(touched=np.full(len(SQUARES), moved))
    look: Any = SimpleNamespace(
        since_mark=since, appeared_since_mark="", evidence=SimpleNamespace(standing=position.stacks)
    )
    act = Act(Kind.TURN if len(row) == 1 else Kind.TURNS, {INDEX["f7"]: "rgrgg"}, moves, trimmed="r")
    assert course.trimming(look, act, Pending(moves[0], sure=False)) == -against


@pytest.mark.parametrize(
    ("stirred", "nats", "shown"),
    [
        ({"d5": 9.0, "d6": 8.5}, -9.0, True),
        ({"d5": 9.0, "d6": 6.5}, -9.0, False),
        ({"d5": 9.0, "d6": 6.5}, 3.0, True),
        ({"d5": 40.0}, 3.0, False),
        ({}, 3.0, False),
    ],
    ids=["plainly", "hardly", "hardly, but it fits", "no turn on one square", "nothing"],
)
def test_a_picture_in_which_a_turn_hardly_shows_is_not_compared_with(
    stirred: dict[str, float], nats: float, shown: bool
) -> None:
    """Else the turn, once the next one tells that it was made, could not be seen any more."""
    played = rules({"d5": "rg", "d6": "g"}, {})
    look: Any = SimpleNamespace(
        stirred={INDEX[square]: by for square, by in stirred.items()},
        evidence=SimpleNamespace(gain=lambda _: SimpleNamespace(nats=nats)),
    )
    assert judging._hinted(look, [start_position(played)], played) is shown


def test_a_piece_from_outside_makes_them_more() -> None:
    """What a trimming left before a square is not taken for a piece that was set on it."""
    acts = Acts([start_position(RULES)], RULES)
    near = {INDEX[name] for name in ("d5", "d6", "e6", "f7")}
    moved, placed = [], []
    for act in acts.displacements(near):
        (placed if len(act.changes) == 1 else moved).append(act)
    assert moved and not any(acts.adds(act) for act in moved)
    assert placed and all(acts.adds(act) for act in placed)
    assert not any(acts.adds(act) for act in acts.removals(near))


def test_a_stack_that_was_not_too_high_is_not_prompted_for() -> None:
    """A piece gone from a stack of which none may be taken: in a hand, or wherever it lies."""
    position, move = start_position(RULES), Move.parse("*d4")
    look: Any = SimpleNamespace(
        since_mark=None, appeared="", evidence=SimpleNamespace(standing=position.stacks)
    )
    robbed = list(Acts([position], RULES).wrong_trims(move))
    assert robbed and all(-course.UNPROMPTED < course.trimming(look, act, None) <= 0 for act in robbed)
