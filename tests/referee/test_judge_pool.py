"""Which act the judge finds, however little of it is visible on its own squares."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from fake_look import fake_look
from table_scene import rules

from focus_companion.game.moves import Move
from focus_companion.game.play import play
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.referee.act import Kind
from focus_companion.referee.beliefs import believe
from focus_companion.referee.judge import judge
from focus_companion.referee.margin import MIN_CERTAIN_LEAD
from focus_companion.referee.trimming import Pending
from focus_companion.referee.weighing import Judgement

RULES = rules({"f7": "rrgrg", "d5": "g", "d6": "r", "f2": "g", "f3": "g"}, {"g": 1})
STACKS = start_position(RULES).stacks

CLEAR = 90.0
"""Nats by which a stack fits a square that clearly shows it."""


def reason(found: Judgement) -> str:
    """The reason of the alert for an illegal act."""
    return "" if found.act.wrong is None else found.act.wrong().reason


def squares(*names: str) -> set[int]:
    return {INDEX[name] for name in names}


@pytest.mark.parametrize(
    ("awaited", "covers"),
    [(None, []), (Pending(Move.parse("d5-d6"), sure=True), [("f7", "f8")])],
    ids=["fits best on its own squares", "prompted, and in front of that square"],
)
def test_a_piece_on_a_tall_stack_is_found_though_the_square_behind_changed_more(
    awaited: Pending | None, covers: list[tuple[str, str]]
) -> None:
    """Seen at a slant, it covers more of the square behind than of its own, which then looks like a piece on
    that square.
    """
    look = fake_look(
        STACKS,
        {"f7": 0.19, "f8": 0.45, "g6": 0.03},
        {"f7": {"rrgrgg": CLEAR}, "f8": {"g": 60.0}},
        covers=covers,
    )
    found = judge(look, [start_position(RULES)], RULES, awaited)
    assert (found.act.kind, found.act.moves) == (Kind.PENDING, (Move.parse("*f7"),))


@pytest.mark.parametrize("also_differs", [False, True])
def test_a_turn_on_exactly_the_squares_that_differ_is_not_unexplained(also_differs: bool) -> None:
    """In bad light its stacks may look like others; the players are asked, and there is no alert."""
    touched = {"d5": 0.9, "d6": 0.9, "e5": 0.9 if also_differs else 0.0}
    read_as = {"d5": {"": 65.0, "rr": 130.0}, "d6": {"rg": 65.0, "gg": 130.0}, "e5": {"rr": 130.0}}
    # Each stack fits, but explains its pixels badly.
    look = fake_look(STACKS, touched, read_as, pixels=1500)
    found = judge(look, [start_position(RULES)], RULES, None)
    if also_differs:
        assert reason(found) == "unexplained" and found.act.changes.keys() == squares("d5", "d6", "e5")
    else:
        assert (found.act.kind, found.act.moves) == (Kind.TURN, (Move.parse("d5-d6"),))


@pytest.mark.parametrize(("better", "certain"), [(0.0, True), (30.0, True), (40.0, False)])
def test_a_turn_whose_square_plainly_shows_another_stack_is_asked_about(better: float, certain: bool) -> None:
    """Though no act leaves that stack, and the turn explains its pixels well."""
    fits = {"d5": {"": CLEAR}, "d6": {"rg": CLEAR, "ggg": CLEAR + better}}
    look = fake_look(STACKS, {"d5": 0.9, "d6": 0.9}, fits)
    found = judge(look, [start_position(RULES)], RULES, None)
    assert found.act.moves == (Move.parse("d5-d6"),)
    assert (found.lead >= MIN_CERTAIN_LEAD) is certain
    reasons = [rival.wrong().reason for rival in found.rivals if rival.wrong is not None]
    assert reasons == ([] if certain else ["unexplained"])


@pytest.mark.parametrize(("better", "found"), [(50.0, "out_of_turn"), (0.0, "")], ids=["better", "as good"])
def test_the_opposite_transfer_between_two_squares_is_weighed_against_a_turn(
    better: float, found: str
) -> None:
    """Red's piece set on green's, out of turn, or green's on red's, as on a board whose bare domes look like
    pieces.
    """
    fits = {"d5": {"": CLEAR, "gr": CLEAR + better}, "d6": {"rg": CLEAR, "": CLEAR + better}}
    look = fake_look(STACKS, {"d5": 0.9, "d6": 0.9}, fits)
    assert reason(judge(look, [start_position(RULES)], RULES, None)) == found


@pytest.mark.parametrize(("hidden", "covered"), [((), False), (("f3",), False), (("d6",), True)])
def test_a_piece_that_disappears_beside_an_object_may_be_hidden_by_it(
    hidden: tuple[str, ...], covered: bool
) -> None:
    """A dark head over a dark board may seem smaller than it is."""
    look = fake_look(STACKS, {"d5": 0.9}, {"d5": {"": CLEAR}}, hidden=hidden)
    found = judge(look, [start_position(RULES)], RULES, None)
    assert reason(found) == "wrong_removal" and found.covered is covered


@pytest.mark.parametrize(
    ("displaced", "wrong_tops", "alerted"), [(False, (), True), (True, ("d5",), True), (True, (), False)]
)
def test_what_remains_when_a_motion_is_undone_is_no_act_if_all_tops_agree(
    displaced: bool, wrong_tops: tuple[str, ...], alerted: bool
) -> None:
    """The stacks show a little of other sides, until their outlines are fitted to the new place."""
    read_as = {"d5": {"rg": 130.0}, "d6": {"gr": 130.0}, "e5": {"rr": 130.0}}
    look = fake_look(STACKS, dict.fromkeys(read_as, 0.9), read_as, pixels=1500)
    look.displaced, look.wrong_tops = displaced, tuple(INDEX[name] for name in wrong_tops)
    found = judge(look, [start_position(RULES)], RULES, None)
    assert (reason(found) == "unexplained") is alerted
    assert alerted or found.act.kind is Kind.NOTHING


@pytest.mark.parametrize("changed", [0.0, 0.4])
def test_a_difference_that_the_reference_showed_from_the_start_need_not_be_explained(changed: float) -> None:
    """Under a reflection, e5 already looked different in the reference; only a change since then counts."""
    look = fake_look(
        STACKS,
        {"d5": 0.9, "d6": 0.9, "e5": 0.9},
        {"d5": {"": 65.0, "rr": 130.0}, "d6": {"rg": 65.0, "gg": 130.0}, "e5": {"rr": 130.0}},
        pixels=1500,
        changed_since_reference={"d5": 0.9, "d6": 0.9, "e5": changed},
        unsettled=["e5"],
    )
    found = judge(look, [start_position(RULES)], RULES, None)
    assert (reason(found) == "unexplained") is (changed > 0)
    assert found.act.legal is (changed == 0)


@pytest.mark.parametrize("number", [5, 6])
def test_no_reflection_makes_many_squares_look_like_other_stacks(number: int) -> None:
    """More turns were made before the reference was taken than any act accounts for."""
    others = ["b5", "b6", "c7", "f2", "f3", "g4"][:number]
    look = fake_look(
        STACKS,
        dict.fromkeys(["d5", "d6", *others], 0.9),
        {"d5": {"": 65.0, "rr": 130.0}, "d6": {"rg": 65.0, "gg": 130.0}}
        | {square: {"rr": 130.0} for square in others},
        pixels=1500,
        changed_since_reference={"d5": 0.9, "d6": 0.9},
        unsettled=others,
    )
    found = judge(look, [start_position(RULES)], RULES, None)
    assert (reason(found) == "unexplained") is (number > 5)
    assert found.act.legal is (number <= 5)


@pytest.mark.parametrize("pixels", [1500, 1000], ids=["fits badly", "fits well"])
@pytest.mark.parametrize("before", [0.0, 200.0])
def test_what_the_reference_already_looked_like_need_not_be_explained(before: float, pixels: int) -> None:
    """Under a reflection that stays, the piece on e5 looks like none in both pictures."""
    look = fake_look(
        STACKS,
        {"d5": 0.9, "d6": 0.9, "e5": 0.5},
        {"d5": {"": 200.0}, "d6": {"rg": 200.0}, "e5": {"": 130.0}},
        pixels=pixels,
        before={"e5": before},
    )
    found = judge(look, [start_position(RULES)], RULES, None)
    assert found.act.moves == (Move.parse("d5-d6"),)
    assert (INDEX["e5"] in found.act.changes) is (before == 0), "that piece was lifted meanwhile"


@pytest.mark.parametrize(("beside", "further"), [(0.26, True), (0.12, False)], ids=["changed", "a shadow"])
def test_a_turn_that_leaves_another_change_unexplained_is_not_accepted_at_once(
    beside: float, further: bool
) -> None:
    """Two moves in one turn; the first alone would be legal."""
    fits = {"d5": {"": CLEAR}, "d6": {"rg": CLEAR}, "f2": {"": 40.0}, "f3": {"gg": 40.0}}
    look = fake_look(STACKS, {"d5": 0.9, "d6": 0.9, "f2": beside, "f3": beside}, fits)
    found = judge(look, [start_position(RULES)], RULES, None)
    assert reason(found) == ("two_moves" if further else "")
    assert found.act.changes.keys() == squares("d5", "d6", *(("f2", "f3") if further else ()))


@pytest.mark.parametrize(
    ("nats", "alike", "told"), [(12.0, True, True), (12.0, False, False), (CLEAR, False, True)]
)
def test_under_an_undone_reflection_a_turn_must_be_seen_clearly(nats: float, alike: bool, told: bool) -> None:
    look = fake_look(STACKS, {"d5": 0.25, "d6": 0.25}, {"d5": {"": nats}, "d6": {"rg": nats}})
    look.change.alike = alike
    found = judge(look, [start_position(RULES)], RULES, None)
    assert (found.act.moves == (Move.parse("d5-d6"),) and found.lead >= MIN_CERTAIN_LEAD) is told


@pytest.mark.parametrize("domes", [(), ("a4", "a5")], ids=["nothing else", "two domes"])
def test_pieces_may_be_hidden_by_whatever_hides_domes_near_them(domes: tuple[str, ...]) -> None:
    """A head as dark as the board covers a piece on each of two squares, and the bare domes beside them."""
    by = dict.fromkeys(domes, 11.0)
    look = fake_look(
        STACKS,
        {"d6": 0.9, "f2": 0.9},
        {"d6": {"": CLEAR}, "f2": {"": CLEAR}},
        deviations={"d6": 50.0, "f2": 50.0, **by},
        faintly_changed=by,
    )
    found = judge(look, [start_position(RULES)], RULES, None)
    assert found.act.changes.keys() == squares("d6", "f2")
    assert not found.act.legal
    assert found.covered is bool(domes)


@pytest.mark.parametrize(("origin", "target"), [("h4", "g4"), ("e5", "e4")], ids=["far away", "adjacent"])
@pytest.mark.parametrize(("by", "further"), [(19.0, True), (6.5, False)], ids=["plainly", "a shadow"])
def test_a_faintly_changed_square_elsewhere_may_have_lost_a_piece_to_its_own_colour(
    by: float, further: bool, origin: str, target: str
) -> None:
    """A green piece left a dome of the same colour and went onto another green piece: neither square changes
    many pixels. The shadow of the turn on the squares next to it does not explain so large a difference.
    """
    played = rules({"d5": "g", "d6": "r", origin: "g", target: "g"}, {})
    look = fake_look(
        start_position(played).stacks,
        {"d5": 0.04, "d6": 0.9},
        {"d5": {"": 40.0}, "d6": {"rg": CLEAR}, origin: {"": 30.0}, target: {"gg": 30.0}},
        deviations={"d5": 50.0, "d6": 50.0, origin: by, target: 3.0},
        faintly_changed={origin: by},
    )
    found = judge(look, [start_position(played)], played, None)
    assert reason(found) == ("two_moves" if further else "")
    assert found.act.changes.keys() == squares("d5", "d6", *((origin, target) if further else ()))


def test_after_a_prompt_the_next_turn_may_begin_where_a_missing_piece_is_barely_visible() -> None:
    """Green trimmed the stack on f7, and red moved one of two red pieces."""
    played = rules({"f7": "rrgrg", "b4": "rr", "b5": "g"}, {"g": 1})
    look = fake_look(
        start_position(played).stacks,
        {"f7": 0.5, "b5": 0.9},
        {"f7": {"rgrgg": CLEAR}, "b5": {"gr": CLEAR}, "b4": {"r": 0.0}},
        barely_visible=["b4"],
        touched_since_mark=0.5,
        beside="r",
    )
    prompted = Pending(Move.parse("*f7"), sure=True)
    found = judge(look, [start_position(played)], played, prompted)
    assert found.act.legal and found.act.moves == (prompted.move, Move.parse("b4-b5"))
    assert found.lead >= MIN_CERTAIN_LEAD


def test_the_turn_that_was_prompted_for_may_be_in_the_reference_already() -> None:
    """Then nothing changes where it began; and the next turn makes the same stack too high again."""
    played = rules({"f7": "rrgrg", "e7": "rg", "f6": "gr"}, {})
    look = fake_look(
        start_position(played).stacks,
        {"f7": 0.1, "f6": 0.9},
        {"e7": {"r": 0.0}, "f7": {"rgrggr": CLEAR}, "f6": {"g": CLEAR}},
        barely_visible=["e7"],
        touched_since_mark=0.5,
    )
    prompted = Pending(Move.parse("e7-f7"), sure=True)
    found = judge(look, [start_position(played)], played, prompted)
    assert found.act.legal and found.act.moves == (prompted.move, Move.parse("f6-f7"))


@pytest.mark.parametrize(
    ("moves", "orders"),
    [
        ("d5-d6 f2-f3", 1),
        ("d5-d6 f6-d6", 1),
        ("d5-d6 f6-d6 c2-d2", 1),
        ("d5-d6 f2-f3 b4-b5", 2),
        ("d5-d6 f2-f3 b4-b5 f6-g6", 4),
    ],
    ids=["two", "two onto the same stack", "three, two onto the same stack", "three", "four"],
)
def test_turns_between_two_looks_are_all_found(moves: str, orders: int) -> None:
    """The players were quick, or an arm was over the board meanwhile. Each may have made independent turns in
    either order.
    """
    stands = {"d5": "g", "d6": "r", "f2": "r", "f3": "", "f6": "gr", "g6": "", "b5": "", "d2": ""}
    played, turns = rules(stands, {}), tuple(map(Move.parse, moves.split()))
    start = end = start_position(played)
    for turn in turns:
        end = play(end, turn, played)
    changed = {
        str(SQUARES[s]): {stack: CLEAR} for s, stack in enumerate(end.stacks) if stack != start.stacks[s]
    }
    look = fake_look(start.stacks, dict.fromkeys(changed, 0.9), changed)
    found = judge(look, [start], played, None)
    possible = [act.moves for act in (found.act, *found.rivals)]
    assert found.act.kind is Kind.TURNS and turns in possible
    assert len(possible) == orders and {frozenset(each) for each in possible} == {frozenset(turns)}
    assert (found.lead >= MIN_CERTAIN_LEAD) is (orders == 1)


@pytest.mark.parametrize("seen", [False, True], ids=["barely visible", "it would have been seen"])
def test_a_turn_out_of_turn_may_follow_one_that_nobody_could_see(seen: bool) -> None:
    """Green's piece moved from its own colour onto its own colour, where only a rim could show it."""
    played = rules({"c3": "gg", "d3": "g", "f2": "r", "f3": ""}, {})
    rims = {"c3": {"g": -60.0 if seen else 0.0}, "d3": {"gg": -60.0 if seen else 0.0}}
    look = fake_look(
        start_position(played).stacks,
        {"f2": 0.9, "f3": 0.9},
        {"f2": {"": CLEAR}, "f3": {"r": CLEAR}, **rims},
        barely_visible=[] if seen else ["c3", "d3"],
    )
    found = judge(look, [start_position(played)], played, None)
    assert reason(found) == "out_of_turn"
    unseen = Move.parse("c3-d3"), Move.parse("f2-f3")
    assert (unseen in [rival.moves for rival in found.rivals]) is not seen
    assert (found.legal_lead >= MIN_CERTAIN_LEAD) is seen


@pytest.mark.parametrize("hidden", [(), ("c2", "d2")], ids=["in view", "under an arm"])
def test_a_turn_out_of_turn_may_follow_one_that_was_made_under_an_arm(hidden: tuple[str, ...]) -> None:
    """The arm rests on two squares between which green may have moved; then red moves."""
    look = fake_look(
        STACKS,
        {"d6": 0.9, "e6": 0.9},
        {"d6": {"": CLEAR}, "e6": {"rr": CLEAR}, "c2": {"": 0.0}, "d2": {"rg": 0.0}},
        deviations={"d6": 40.0, "e6": 40.0, "c2": 0.0, "d2": 0.0},
        hidden=hidden,
    )
    found = judge(look, [start_position(RULES)], RULES, None)
    alerted = found.act.wrong is not None and found.legal_lead >= MIN_CERTAIN_LEAD
    assert alerted is not bool(hidden)


@pytest.mark.parametrize(("by", "found"), [(44.0, "d5-d6"), (14.0, "d5-d6"), (8.0, "")])
def test_barely_visible_changes_in_the_dark_are_judged(by: float, found: str) -> None:
    """Blue pieces on a blue board under one weak lamp: no pixel changes as much as in a well-lit room."""
    look = fake_look(
        STACKS, {}, {"d5": {"": CLEAR}, "d6": {"rg": CLEAR}}, faintly_changed={"d5": by, "d6": by}
    )
    judgement = judge(look, [start_position(RULES)], RULES, None)
    assert " ".join(map(str, judgement.act.moves)) == found


@pytest.mark.parametrize(
    ("faintly_changed", "nats", "hinted"),
    [
        ({"d5": 9.0, "d6": 8.5}, -9.0, True),
        ({"d5": 9.0, "d6": 6.5}, -9.0, False),
        ({"d5": 9.0, "d6": 6.5}, 3.0, True),
        ({"d5": 40.0}, 3.0, False),
        ({}, 3.0, False),
    ],
    ids=["plainly", "hardly", "hardly, but it fits", "no turn on one square", "nothing"],
)
def test_a_picture_of_a_barely_visible_turn_is_not_used_as_a_reference(
    faintly_changed: dict[str, float], nats: float, hinted: bool
) -> None:
    """Otherwise the turn would no longer be visible when the next one shows that it was made."""
    played = rules({"d5": "rg", "d6": "g"}, {})
    look = fake_look(
        start_position(played).stacks,
        nats={"d5": {"r": nats / 2}, "d6": {"gg": nats / 2}},
        faintly_changed=faintly_changed,
    )
    found = judge(look, [start_position(played)], played, None)
    assert found.act.kind is Kind.NOTHING and found.hinted is hinted


@pytest.mark.parametrize("nats", [100.0, -100.0])
def test_a_picture_of_a_turn_in_poor_light_is_not_used_as_a_reference(nats: float) -> None:
    """The edge of a patch of sun lies beside the turn, so that no act explains the picture."""
    fits = {"d5": {"": nats}, "d6": {"rg": nats}, "f2": {"g": 0.0}}
    look = fake_look(STACKS, {"d5": 0.17, "d6": 0.19, "f2": 0.28}, fits, pixels=2000)
    found = judge(look, [start_position(RULES)], RULES, None)
    assert found.act.kind is Kind.NOTHING and found.hinted is (nats > 0)


DISPLACED = rules({"e6": "r", "f3": "r", "f6": "r", "f7": "r"}, {})
"""Red's piece from e6 may be on a red one: far away, diagonally adjacent, or on the next square."""


@pytest.mark.parametrize(
    ("fits", "target", "likeliest"),
    [
        ({"f3": -2.0, "f7": -2.0, "f6": -2.0}, "f6", False),
        ({"f3": -2.0, "f7": -2.0}, "f7", False),
        ({"f3": -2.0}, "f3", False),
        ({}, "", False),
        ({"f3": -8.0, "f7": -8.0, "f6": -8.0}, "", False),
        ({"f3": 2.0, "f7": 0.0, "f6": 0.0}, "f6", False),
        ({"f3": 30.0, "f7": 28.0, "f6": 28.0}, "f3", True),
        ({"f7": 2.0, "f6": 0.0}, "f7", True),
    ],
    ids=[
        "the next square",
        "a square nearby",
        "far away",
        "lifted",
        "not where it would be seen",
        "noise favours far away",
        "clearly far away",
        "nearby and likeliest",
    ],
)
def test_a_barely_visible_piece_is_assumed_on_the_most_plausible_square(
    fits: Mapping[str, float], target: str, likeliest: bool
) -> None:
    """Its own colour makes it hard to see there; noise may favour any square with that colour."""
    look = fake_look(
        start_position(DISPLACED).stacks,
        {"e6": 0.9},
        {"e6": {"": CLEAR}} | {square: {"rr": nats} for square, nats in fits.items()},
        barely_visible=["f3", "f6", "f7"],
        deviations={"e6": 50.0, "f3": 3.0, "f6": 3.0, "f7": 3.0},
    )
    found = judge(look, [start_position(DISPLACED)], DISPLACED, None)
    assert found.act.changes.keys() == squares("e6", *([target] if target else []))
    assert not found.act.legal
    assert found.act.lifted is not likeliest, "its alert has a longer settle time"


def test_a_turn_in_doubt_stays_in_doubt_when_the_next_one_hardly_shows() -> None:
    """Green's reserve piece may be on f2 or on f3. Red moved by lamplight: few pixels changed there."""
    start = start_position(RULES)
    beliefs = [believe((Move.parse(placed),), start, RULES) for placed in ("*f2", "*f3")]
    look = fake_look(
        STACKS,
        {"f2": 0.5, "f3": 0.5, "d6": 0.1, "d7": 0.1},
        {"f2": {"gg": 30.0}, "f3": {"gg": 31.0}, "d6": {"": 40.0}, "d7": {"r": 40.0}},
    )
    found = judge(look, [start], RULES, None, beliefs)
    shown = {act.moves for act in (found.act, *found.rivals)}
    assert shown >= {(belief.turns[0], Move.parse("d6-d7")) for belief in beliefs}


def test_a_legal_turn_is_not_replaced_by_an_illegal_act_with_a_hidden_target() -> None:
    """Green's piece from e6 is likeliest on the legal square, and may also be lifted or elsewhere."""
    played = rules({"e6": "g", "e5": "g", "f3": "g"}, {})
    look = fake_look(
        start_position(played).stacks,
        {"e6": 0.9},
        {"e6": {"": CLEAR}, "e5": {"gg": -8.0}, "f3": {"gg": 0.0}},
        barely_visible=["e5", "f3"],
        deviations={"e6": 50.0, "e5": 4.0, "f3": 3.0},
    )
    found = judge(look, [start_position(played)], played, None)
    assert (found.act.kind, found.act.moves) == (Kind.TURN, (Move.parse("e6-e5"),))
    assert any(rival.lifted for rival in found.rivals)
