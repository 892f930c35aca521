"""What the referee waits for, the weaker the evidence, the longer; and what it remembers meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from clear_look import RULES, shown
from fake_look import fake_look
from table_scene import rules

from focus_companion.game.moves import Move
from focus_companion.game.play import apply, play
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.referee import referee
from focus_companion.referee.act import Act, Kind
from focus_companion.referee.illegal_acts import IllegalActs
from focus_companion.referee.legal_acts import LegalActs
from focus_companion.referee.referee import Referee
from focus_companion.referee.verdict import PutRight, TurnSeen, Undecided, WentBack, Wrong
from focus_companion.referee.weighing import Judgement


@pytest.mark.parametrize(
    ("nats", "touched", "after"),
    [
        (200.0, {"d5": 0.9, "e6": 0.9}, 0.4),
        (18.0, {"d5": 0.25, "e6": 0.22}, 1.2),
        (18.0, {"d5": 0.25, "e6": 0.02}, 3.0),
        (200.0, dict.fromkeys(SQUARES, 0.9), 3.0),
    ],
    ids=["clear", "faint, both squares changed", "faint, one hardly changed", "many other changes"],
)
def test_weaker_evidence_requires_a_longer_settle_time(
    monkeypatch: pytest.MonkeyPatch, nats: float, touched: dict[str, float], after: float
) -> None:
    wrong = Wrong("not_straight", "g", (INDEX["d5"], INDEX["e6"]), "Green moved diagonally.")
    act = Act(Kind.WRONG, {INDEX["d5"]: "rg", INDEX["e6"]: "gg"}, wrong=lambda: wrong)
    monkeypatch.setattr(referee, "judge", lambda *_, **__: Judgement(act, nats, nats, legal_lead=nats))
    history = [start_position(RULES)]

    def emitted(age: float) -> Any:
        return list(Referee(RULES).judge(shown(age, touched), history).verdicts)

    assert emitted(after - 0.05) == []
    assert emitted(after + 0.05) == [wrong]


@pytest.mark.parametrize(
    ("back", "further", "emitted"),
    [([], ["d5"], ["unexplained"]), ([], [], ["unexplained"]), (["f2"], ["d5"], [])],
)
def test_more_changes_do_not_delay_the_alert_about_earlier_ones(
    monkeypatch: pytest.MonkeyPatch, back: list[str], further: list[str], emitted: list[str]
) -> None:
    """The players go on although no act explains the board, and an arm may be over it. What has changed back
    is another matter.
    """
    history, judging = [start_position(RULES)], Referee(RULES)

    def show(squares: Sequence[str], time: float, age: float) -> list[str]:
        where = tuple(INDEX[square] for square in squares)
        wrong = Wrong("unexplained", "g", where, "The board differs.")
        act = Act(Kind.WRONG_TWICE, dict.fromkeys(where, "rr"), wrong=lambda: wrong)
        monkeypatch.setattr(referee, "judge", lambda *_, **__: Judgement(act, 200.0, 200.0, legal_lead=200.0))
        look = replace(shown(age, dict.fromkeys(squares, 0.9), time=time), only_stacks_changed=False)
        return [v.reason for v in judging.judge(look, history).verdicts if isinstance(v, Wrong)]

    squares = ["b5", "f2", "c7", "g4"]
    assert show(squares, 1.0, 1.0) == []
    assert show([*(s for s in squares if s not in back), *further], 3.2, 1.0) == emitted


CLEAR = 90.0
"""Nats by which a stack fits a square that clearly shows it."""


def seen(
    after: Rules | Sequence[Position],
    touched: Mapping[str, float],
    fits: Mapping[str, Mapping[str, float]],
    **more: Any,
) -> Any:
    """A look after these positions, or at the start of a game, on which no other stacks fit."""
    position = start_position(after) if isinstance(after, Rules) else after[-1]
    return fake_look(position.stacks, touched, fits, **more)


def after_a_diagonal_move(*, number: int, standing: Sequence[str] | None = None) -> Any:
    """A look after green's turn d7-d5, which is barely visible on d5, and a diagonal move of a red piece."""
    fits = {"d7": {"": CLEAR}, "d5": {"rggrg": 0.0}, "f4": {"": CLEAR}, "g3": {"r": CLEAR}}
    return fake_look(
        standing or start_position(RULES).stacks,
        {"d7": 0.9, "d5": 0.1, "f4": 0.9, "g3": 0.9},
        fits,
        barely_visible=["d5"],
        number=number,
        age=5.0,
    )


NOTHING, MOVED = Act(Kind.NOTHING, {}), Act(Kind.TURN, {}, (Move.parse("d7-d5"),))


@pytest.mark.parametrize(
    ("rival", "share", "pixels", "after"),
    [
        (NOTHING, 0.19, 500, 3.0),
        (NOTHING, 0.05, 500, None),
        (NOTHING, 0.19, 1400, None),
        (MOVED, 0.19, 500, None),
    ],
    ids=["plain and well explained", "hardly changed", "badly explained", "or it was a turn"],
)
def test_a_barely_visible_extra_piece_is_alerted_after_the_settle_time(
    monkeypatch: pytest.MonkeyPatch, rival: Act, share: float, pixels: int, after: float | None
) -> None:
    """A second red piece on a red one is so faint that it counts only because it lasts."""
    wrong = Wrong("drop_no_reserve", "g", (INDEX["d5"],), "Green set a piece down on d5.")
    act = Act(Kind.WRONG_PIECE, {INDEX["d5"]: "rggg"}, wrong=lambda: wrong)
    found = Judgement(act, -14.5, 0.5, legal_lead=0.5, rivals=(rival,), weights=(act.prior, rival.prior))
    monkeypatch.setattr(referee, "judge", lambda *_, **__: found)

    def emitted(age: float) -> bool:
        look = shown(age, {"d5": share}, pixels=pixels)
        return wrong in Referee(RULES).judge(look, [start_position(RULES)]).verdicts

    assert not emitted(2.95)
    assert emitted(60.0 if after is None else after + 0.05) is (after is not None)


def test_noise_that_interrupts_a_still_picture_does_not_suppress_an_alert(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two short still pictures of the same act; if something else comes between them, the settle time
    restarts.
    """
    wrong = Wrong("not_straight", "g", (INDEX["d5"], INDEX["e6"]), "Green moved diagonally.")
    act = Act(Kind.WRONG, {INDEX["d5"]: "rg", INDEX["e6"]: "gg"}, wrong=lambda: wrong)
    illegal = Judgement(act, 200.0, 200.0, legal_lead=200.0)
    nothing = Judgement(Act(Kind.NOTHING, {}), 0.0, 50.0)
    covered = Judgement(Act(Kind.NOTHING, {}), 0.0, 0.0, foreign=9.0)
    touched = {"d5": 0.9, "e6": 0.9}
    for between, expected in (((), [wrong]), ((nothing,), []), ((covered,), [])):
        referee_ = Referee(RULES)
        emitted: list[Any] = []
        judgements = [(illegal, 10.33), *((one, 10.6) for one in between), (illegal, 11.0)]
        for judgement, time in judgements:
            monkeypatch.setattr(referee, "judge", lambda *_, found=judgement, **__: found)
            look = shown(0.33, touched, time=time)
            emitted += referee_.judge(look, [start_position(RULES)]).verdicts
        assert emitted == expected


def test_a_piece_from_out_of_the_game_is_less_likely_than_one_from_the_reserve() -> None:
    acts = IllegalActs(LegalActs([start_position(RULES)], RULES))
    placed = [act for act in acts.displacements([INDEX["e6"]]) if len(act.changes) == 1]
    priors = {act.changes[INDEX["e6"]]: act.prior for act in placed}
    assert priors["gg"] < priors["gr"], "green has no reserve"


@pytest.mark.parametrize("kind", [Kind.TURN, Kind.PENDING])
def test_a_turn_hardly_distinguishable_from_an_illegal_act_is_asked_about(
    monkeypatch: pytest.MonkeyPatch, kind: Kind
) -> None:
    """Also while its stack awaits its trimming: a piece behind a tall stack looks like one on top of it."""
    move = Move.parse("d7-d5")
    turn = Act(kind, {INDEX["d7"]: "", INDEX["d5"]: "rggrg"}, (move,))
    wrong = Wrong("not_straight", "g", (INDEX["d7"], INDEX["e6"]), "Green moved diagonally.")
    rival = Act(Kind.WRONG, {INDEX["d7"]: "", INDEX["e6"]: "grg"}, wrong=lambda: wrong)
    judgement = Judgement(turn, 240.0, 7.0, rivals=(rival,), weights=(0.0, 0.0))
    monkeypatch.setattr(referee, "judge", lambda *_, **__: judgement)
    look = shown(1.1, {"d7": 0.9, "d5": 0.3, "e6": 0.3})
    assert Referee(RULES).judge(look, [start_position(RULES)]).verdicts == (Undecided((move,)),)


@pytest.mark.parametrize(
    ("lead", "age", "nowhere", "besides", "verdict"),
    [
        (6.0, 1.1, 2.0, {}, "turn"),
        (6.0, 0.9, 2.0, {}, ""),
        (3.0, 1.1, 2.0, {}, "asked"),
        (6.0, 1.1, 8.5, {}, "asked"),
        (6.0, 1.1, 2.0, {"g2": 0.25}, "asked"),
    ],
    ids=["", "soon", "hardly", "the picture says otherwise", "something happened elsewhere"],
)
def test_a_piece_that_is_nowhere_else_has_landed(
    monkeypatch: pytest.MonkeyPatch,
    lead: float,
    age: float,
    nowhere: float,
    besides: dict[str, float],
    verdict: str,
) -> None:
    """On its own colour, in bad light: the only alternative to the turn is that the piece is
    still in a hand.
    """
    move = Move.parse("d7-d5")
    turn = Act(Kind.TURN, {INDEX["d7"]: "", INDEX["d5"]: "rggrg"}, (move,))
    lifted = Act(
        Kind.WRONG, {INDEX["d7"]: ""}, wrong=lambda: Wrong("wrong_removal", "g", (), ""), lifted=True
    )
    found = Judgement(turn, 200.0, lead, rivals=(lifted,), weights=(-4.0, -26.0))
    monkeypatch.setattr(referee, "judge", lambda *_, **__: found)
    look = shown(age, {"d7": 0.9} | besides, nats={"d5": {"rggrg": -nowhere}})
    emitted = Referee(RULES).judge(look, [start_position(RULES)]).verdicts
    assert [type(one) for one in emitted] == {"turn": [TurnSeen], "": [], "asked": [Undecided]}[verdict]


@pytest.mark.parametrize(
    ("lead", "rivals", "emitted", "unchanged"),
    [(30.0, 1, [PutRight], True), (4.0, 1, [Undecided], False), (0.0, 0, [], False)],
    ids=["put back", "hardly distinguishable", "unexplained"],
)
def test_a_stack_that_may_be_trimmed_is_not_taken_for_a_turn_taken_back(
    monkeypatch: pytest.MonkeyPatch, lead: float, rivals: int, emitted: list[type], unchanged: bool
) -> None:
    """Nor does its picture become the reference."""
    move = Move.parse("d7-d5")
    high = Act(Kind.PENDING, {INDEX["d7"]: "", INDEX["d5"]: "rggrg"}, (move,))
    trimmed = Act(Kind.TURN, {INDEX["d7"]: "", INDEX["d5"]: "ggrg"}, (move,), trimmed="r")
    nothing = Act(Kind.NOTHING, {})
    judgements = [
        Judgement(high, 200.0, 60.0, trim_lead=60.0),
        Judgement(nothing, 0.0, lead, rivals=(trimmed,) * rivals, weights=(0.0, -4.0)),
    ]
    referee_, history = Referee(RULES), [start_position(RULES)]
    for time, judgement in enumerate(judgements):
        monkeypatch.setattr(referee, "judge", lambda *_, found=judgement, **__: found)
        look = shown(1.2, {"d5": 0.9}, time=10.0 + 2 * time)
        decision = referee_.judge(look, history)
    assert [type(verdict) for verdict in decision.verdicts] == emitted
    assert decision.unchanged is unchanged


@pytest.mark.parametrize(
    ("before", "reason"),
    [(["landed"], "not_straight"), (["landed", "lifted"], "unexplained"), ([], "unexplained")],
    ids=["remembered", "forgotten", "not seen"],
)
def test_a_turn_that_ended_before_its_settle_time_is_remembered_for_one_look(
    before: list[str], reason: str
) -> None:
    """Green's stack from d7 went onto its own colour, where it is barely visible, and red then moved
    diagonally: only the turn that was seen before says that it was red's turn.
    """
    glimpses = {"landed": 0.0, "lifted": -100.0}
    referee_, history = Referee(RULES), [start_position(RULES)]
    for number, what in enumerate(before):
        fits = {"d7": {"": CLEAR}, "d5": {"rggrg": glimpses[what]}}
        look = seen(RULES, {"d7": 0.9}, fits, number=number, age=0.4, barely_visible=["d5"])
        assert not referee_.judge(look, history).verdicts
    (alert,) = referee_.judge(after_a_diagonal_move(number=9), history).verdicts
    assert isinstance(alert, Wrong) and alert.reason == reason


@pytest.mark.parametrize(("further", "after"), [(4, 0.8), (5, 3.0)], ids=["a few squares", "a push"])
def test_an_unexplained_change_may_be_a_push(
    monkeypatch: pytest.MonkeyPatch, further: int, after: float
) -> None:
    """The hypothetical tall stacks that would explain it best cover half of the board."""
    wrong = Wrong("unexplained", "g", (INDEX["d7"],), "This cannot be explained.")
    act = Act(Kind.WRONG_TWICE, {INDEX["d7"]: "grrrr"}, wrong=lambda: wrong)
    monkeypatch.setattr(referee, "judge", lambda *_, **__: Judgement(act, 200.0, 200.0, legal_lead=200.0))
    touched = {"d7": 0.6} | dict.fromkeys(["b7", "g5", "b4", "f5", "a6"][:further], 0.4)

    def emitted(age: float) -> Any:
        look = shown(age, touched, reach=range(len(SQUARES)))
        return list(Referee(RULES).judge(look, [start_position(RULES)]).verdicts)

    assert emitted(after - 0.05) == []
    assert emitted(after + 0.05) == [wrong]


@pytest.mark.parametrize(
    ("lead", "age", "taken_back"), [(5.7, 1.1, True), (5.7, 0.9, False), (3.0, 1.1, False)]
)
def test_a_turn_is_taken_back_unless_a_hand_may_hold_its_piece(
    monkeypatch: pytest.MonkeyPatch, lead: float, age: float, taken_back: bool
) -> None:
    """From above, back on its own colour it is barely visible."""
    back = Act(Kind.BACK, {INDEX["d7"]: "rg"}, ply=0)
    lifted = Act(
        Kind.WRONG, {INDEX["d7"]: ""}, wrong=lambda: Wrong("wrong_removal", "g", (), ""), lifted=True
    )
    found = Judgement(back, 240.0, lead, rivals=(lifted,), weights=(-14.0, -26.0))
    monkeypatch.setattr(referee, "judge", lambda *_, **__: found)
    look = shown(age, {"d7": 0.9}, nats={"d7": {"": -50.0}})
    verdicts = Referee(RULES).judge(look, [start_position(RULES)]).verdicts
    assert verdicts == ((WentBack(0),) if taken_back else ())


@pytest.mark.parametrize(
    ("kind", "instead", "reason"),
    [
        (Kind.BACK, (), "unexplained"),
        (Kind.BACK, (Move.parse("b6-b7"),), "not_straight"),
        (Kind.NOTHING, (), "not_straight"),
    ],
    ids=["taken back", "replaced", "nothing happened"],
)
def test_after_a_possible_take_back_no_further_turn_is_assumed(
    monkeypatch: pytest.MonkeyPatch, kind: Kind, instead: tuple[Move, ...], reason: str
) -> None:
    """It is asked about, but later turns may start from before that turn, unless another one replaced it."""
    turn = Act(Kind.TURN, {INDEX["d7"]: "", INDEX["d5"]: "rggrg"}, (Move.parse("d7-d5"),))
    other = Act(kind, {INDEX["d7"]: ""} if kind is Kind.BACK else {}, instead, ply=0)
    found = Judgement(turn, 260.0, 3.6, rivals=(other,), weights=(-4.0, -14.0))
    referee_, history = Referee(RULES), [start_position(RULES)]
    with monkeypatch.context() as patched:
        patched.setattr(referee, "judge", lambda *_, **__: found)
        asked = referee_.judge(shown(1.1, {"d7": 0.9}, time=2.0), history)
    assert asked.verdicts == (Undecided(turn.moves),)
    (alert,) = referee_.judge(
        after_a_diagonal_move(number=9, standing=asked.standing.stacks), history
    ).verdicts
    assert isinstance(alert, Wrong) and alert.reason == reason


ONWARDS = rules({"e6": "gg", "e5": "r", "e7": "r"}, {})
"""Green may move a piece from e6, where its absence is barely visible, to e7 or to e5."""


@pytest.mark.parametrize(
    ("glimpses", "emitted"),
    [([], ["distance"]), (["back"], ["e6-e5"]), (["back", "as before"], ["distance"])],
    ids=["nothing", "perhaps taken back", "and seen again where it was"],
)
def test_after_what_may_have_been_a_take_back_any_other_turn_may_have_been_made(
    glimpses: list[str], emitted: list[str]
) -> None:
    """Green's piece went from e6 to e7 and is on e5 now. By itself, that is a move of two squares."""
    history = [start_position(ONWARDS)]
    for text in ("b6-b7", "f5-f6", "e6-e7"):
        history.append(play(history[-1], Move.parse(text), ONWARDS))
    referee_ = Referee(ONWARDS)
    fits = {"e7": {"r": CLEAR}, "e6": {"gg": 0.0}, "e5": {"rg": CLEAR}}
    for number, what in enumerate(glimpses):
        touched = {"e7": 0.9} if what == "back" else {}
        look = seen(history, touched, fits, number=number, age=0.3, barely_visible=["e6"])
        assert not referee_.judge(look, history).verdicts
    look = seen(history, {"e7": 0.9, "e5": 0.9}, fits, number=9, age=1.0)
    verdicts = referee_.judge(look, history).verdicts
    told = [str(one.move) for one in verdicts if isinstance(one, TurnSeen)]
    told += [one.reason for one in verdicts if isinstance(one, Wrong)]
    assert told == emitted
    assert [type(one) for one in verdicts] == ([Wrong] if emitted == ["distance"] else [WentBack, TurnSeen])


KNOCKED = rules({"e6": "g", "e5": "g", "e7": "r"}, {})
"""Green may move its piece from e6 to e7, or to e5, where it is barely visible."""


@pytest.mark.parametrize("asked", [True, False])
def test_a_turn_that_was_asked_about_is_remembered_when_another_is_emitted(asked: bool) -> None:
    """A piece knocked during the turn made the board look like the other turn; put back, it
    shows the first.
    """
    first, other = Move.parse("e6-e5"), Move.parse("e6-e7")
    referee_, history = Referee(KNOCKED), [start_position(KNOCKED)]
    if asked:
        fits = {"e6": {"": CLEAR}, "e5": {"gg": 0.0}}
        look = seen(history, {"e6": 0.9}, fits, number=1, age=1.5, barely_visible=["e5"])
        assert referee_.judge(look, history).verdicts == (Undecided((first,)),)
    look = seen(history, {"e6": 0.9, "e7": 0.9}, {"e6": {"": CLEAR}, "e7": {"rg": CLEAR}}, number=2, age=0.3)
    (emitted,) = referee_.judge(look, history).verdicts
    assert isinstance(emitted, TurnSeen) and emitted.move == other
    history.append(apply(history[0], other, KNOCKED))
    look = seen(history, {"e7": 0.9, "e5": 0.3}, {"e7": {"r": CLEAR}, "e5": {"gg": 25.0}}, number=3, age=1.0)
    back, *made = referee_.judge(look, history).verdicts
    if asked:
        assert isinstance(back, WentBack) and [one.move for one in made if isinstance(one, TurnSeen)] == [
            first
        ]
    else:
        assert isinstance(back, Wrong) and back.reason == "distance"


def test_a_turn_seen_out_of_order_does_not_replace_a_barely_visible_one() -> None:
    """Red was seen to place a piece on e3, so green must have placed one before, on its own colour: not the
    one that appears on d6 later.
    """
    drop = Rules.make(2, set_up="drop")
    history = [start_position(drop)]
    for text in ("*c7", "*a5", "*e6", "*b5"):
        history.append(apply(history[-1], Move.parse(text), drop))
    on_own_colour = {"c7": {"gg": -1.0}, "e6": {"gg": -9.0}}

    def look(number: int, appeared: Mapping[str, str]) -> Any:
        return fake_look(
            history[-1].stacks,
            dict.fromkeys(appeared, 0.9),
            on_own_colour | {square: {piece: 240.0} for square, piece in appeared.items()},
            number=number,
            age=2.0,
        )

    made = Referee(drop)
    first = made.judge(look(1, {"e3": "r"}), history).verdicts
    assert first == (Undecided((Move.parse("*c7"), Move.parse("*e6"))),)
    later = made.judge(look(2, {"e3": "r", "d6": "g"}), history).verdicts
    assert later == (), "the question is the same"
