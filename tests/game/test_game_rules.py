"""Settings: defaults, contradictions, and their form in records."""

from itertools import permutations
from typing import Any

import pytest
from game_boards import VARIANTS, board, given
from hypothesis import given as tried
from hypothesis import settings
from hypothesis import strategies as st

from focus_companion.game.colours import OPPOSITE
from focus_companion.game.presets import PRESETS, preset
from focus_companion.game.rules import Rules, RulesError, parse_order
from focus_companion.game.setups import start_position
from focus_companion.game.start import Start

EMPTY = (
    "-,-,-,-/-,-,-,-,-,-/-,-,-,-,-,-,-,-/-,-,-,-,-,-,-,-/-,-,-,-,-,-,-,-/-,-,-,-,-,-,-,-/-,-,-,-,-,-/-,-,-,-"
)


@pytest.mark.parametrize(
    ("switches", "order", "stuck", "each", "total"),
    [
        ({"players": 2}, "gr", "out", 6, None),
        ({"players": 3}, "gbr", "out", 3, 10),
        ({"players": 4}, "gbyr", "pass", 2, 10),
        ({"players": 4, "partners": True}, "gbyr", "pass", 2, 10),
    ],
    ids=str,
)
def test_defaults_depend_on_the_number_of_players(
    switches: dict[str, Any], order: str, stuck: str, each: int, total: int | None
) -> None:
    rules = Rules.from_json(switches)
    assert (rules.order, rules.stuck, rules.fast_each, rules.fast_total) == (order, stuck, each, total)
    assert rules == Rules.make(**switches)


def test_the_json_form_is_as_specified() -> None:
    assert Rules.make(2).to_json() == {
        "players": 2,
        "order": ["green", "red"],
        "partners": False,
        "fast": False,
        "fast_each": 6,
        "fast_total": None,
        "fast_own": "held",
        "set_up": "pairs",
        "reserve_on": "anywhere",
        "stuck": "out",
        "thirteenth_piece": True,
        "move_partner_stacks": False,
    }


@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_every_variant_is_read_back_from_json(variant: str) -> None:
    rules = Rules.make(**VARIANTS[variant])
    assert Rules.from_json(rules.to_json()) == rules
    assert hash(Rules.from_json(rules.to_json())) == hash(rules)


def test_a_start_is_read_back_from_json() -> None:
    _, rules = given(
        {"d5": "rg", "c1": "b", "c8": "y"},
        4,
        to_move="y",
        reserves={"g": 2},
        captured={"y": {"r": 1}},
        out="r",
        order="yrgb",
    )
    data = rules.to_json()
    assert data["start"]["to_move"] == "yellow" and data["start"]["out"] == ["red"]
    assert data["start"]["captured"]["yellow"] == {"red": 1, "green": 0, "blue": 0}
    assert Rules.from_json(data) == rules


def test_a_start_may_omit_zeros() -> None:
    text = EMPTY.replace("-", "r", 1).replace("-", "g", 1)
    rules = Rules.from_json({"players": 2, "set_up": "position", "start": {"position": text}})
    position = start_position(rules)
    assert (position.to_move, position.reserves, position.captured) == ("g", (0, 0), ((0, 0), (0, 0)))
    three = {"players": 3, "set_up": "position", "start": {"position": text, "out": ["green"]}}
    assert Rules.from_json(three).to_json()["start"]["to_move"] == "blue"


def test_fast_total_null_turns_that_condition_off() -> None:
    assert Rules.from_json({"players": 3, "fast": True, "fast_total": None}).fast_total is None
    assert Rules.from_json({"players": 3, "fast": True}).fast_total == 10
    assert Rules.from_json({"players": 3, "fast_total": None}).fast_total == 10


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "how many players"),
    ({"players": 5}, "2, 3 or 4"),
    ({"players": 1}, "2, 3 or 4"),
    ({"players": True}, "2, 3 or 4"),
    ({"players": "2"}, "2, 3 or 4"),
    ({"players": 2.0}, "2, 3 or 4"),
    ({"players": [2]}, "2, 3 or 4"),
    ({"players": 2, "fats": True}, "no rule 'fats'; did you mean 'fast'"),
    ({"players": 2, "order": ["green", "blue", "red"]}, "names 3 players"),
    ({"players": 2, "order": ["green", "green"]}, "twice"),
    ({"players": 2, "order": ["green", "blue"]}, "is for green, red"),
    ({"players": 3, "order": ["green", "blue", "yellow"]}, "is for green, blue, red"),
    ({"players": 2, "order": ["green", "pink"]}, "'pink'"),
    ({"players": 2, "order": ["Green", "red"]}, "'Green'.* write green, in small letters"),
    ({"players": 2, "order": "green,red"}, "list"),
    ({"players": 2, "order": [1, 2]}, "'1'"),
    ({"players": 2, "order": []}, "names 0 players"),
    ({"players": 3, "partners": True}, "four players"),
    ({"players": 4, "partners": True, "fast": True}, "partners"),
    ({"players": 2, "partners": "yes"}, "true or false"),
    ({"players": 4, "partners": True, "order": ["green", "yellow", "blue", "red"]}, "sit opposite"),
    ({"players": 4, "partners": True, "order": ["blue", "green", "yellow", "red"]}, "side by side"),
    ({"players": 2, "fast_eahc": 5}, "did you mean 'fast_each'"),
    ({"players": 2, "Fast": True}, "did you mean 'fast'"),
    ({"players": 3, "thirteenth_man": False}, "did you mean 'thirteenth_piece'"),
    ({"players": 2, "qqq": True}, "there are players, order"),
    ({"players": 2, "fast": 1}, "true or false"),
    ({"players": 2, "fast_each": 5}, "fast games only"),
    ({"players": 3, "fast_total": 9}, "fast games only"),
    ({"players": 3, "fast_own": "taken"}, "fast games only"),
    ({"players": 2, "fast": True, "fast_each": 0}, "from 1"),
    ({"players": 2, "fast": True, "fast_each": True}, "number"),
    ({"players": 2, "fast": True, "fast_total": "9"}, "number"),
    ({"players": 2, "fast": True, "fast_own": "kept"}, "held, taken"),
    ({"players": 3, "set_up": "drop"}, "two players"),
    ({"players": 4, "set_up": "checkerboard"}, "two players"),
    ({"players": 2, "set_up": "heap"}, "pairs, checkerboard"),
    ({"players": 2, "set_up": ["pairs"]}, "pairs, checkerboard"),
    ({"players": 2, "set_up": "position"}, "needs a start"),
    ({"players": 2, "start": {"position": EMPTY}}, "not 'position'"),
    ({"players": 2, "reserve_on": "own"}, "anywhere, empty_or_own"),
    ({"players": 3, "stuck": "wait"}, "pass, out"),
    ({"players": 2, "thirteenth_piece": False}, "three players only"),
    ({"players": 4, "thirteenth_piece": False}, "three players only"),
    ({"players": 4, "move_partner_stacks": True}, "partners only"),
    ({"players": 2, "table_talk": True}, "partners only"),
]


@pytest.mark.parametrize(("data", "wording"), REFUSED, ids=[str(data) for data, _ in REFUSED])
def test_contradictions_are_refused_with_the_reason(data: dict[str, Any], wording: str) -> None:
    with pytest.raises(RulesError, match=wording):
        Rules.from_json(data)


@pytest.mark.parametrize("data", [None, [], "x", 3])
def test_rules_must_be_an_object(data: object) -> None:
    with pytest.raises(RulesError, match="object"):
        Rules.from_json(data)


BOTH = EMPTY.replace("-", "r", 1).replace("-", "g", 1)


@pytest.mark.parametrize(
    ("start", "wording"),
    [
        ({}, "position text"),
        ([], "object"),
        ({"position": "x"}, "8 ranks"),
        ({"position": BOTH.replace("g", "G", 1)}, "'G': write it in small letters"),
        ({"position": EMPTY.replace("-", "rrgrgr", 1)}, "6 pieces on c8"),
        ({"position": BOTH.replace("-", "b", 1)}, "blue piece on e8"),
        ({"position": BOTH, "reserve": {}}, "unknown key 'reserve'; did you mean 'reserves'"),
        ({"position": BOTH, "reserves": {"blue": 1}}, "blue, who does not play"),
        ({"position": BOTH, "reserves": {"red": -1}}, "number of pieces"),
        ({"position": BOTH, "reserves": {"red": "1"}}, "number of pieces"),
        ({"position": BOTH, "reserves": {"pink": 1}}, "'pink' is not a colour"),
        ({"position": BOTH, "reserves": [1]}, "object"),
        ({"position": BOTH, "captured": {"red": {"red": 1}}}, "of their own"),
        ({"position": BOTH, "captured": {"red": 1}}, "object"),
        ({"position": BOTH, "out": ["red"]}, "fewer than two"),
        ({"position": BOTH, "out": "red"}, "list"),
        ({"position": BOTH, "to_move": "blue"}, "to_move"),
        ({"position": BOTH, "to_move": 1}, "not a colour"),
    ],
    ids=str,
)
def test_an_invalid_start_is_refused(start: object, wording: str) -> None:
    with pytest.raises(RulesError, match=wording):
        Rules.from_json({"players": 2, "set_up": "position", "start": start})


@pytest.mark.parametrize(
    "counts", [{"reserves": {"r": -1}}, {"captured": {"r": {"g": -1}}}], ids=["reserves", "captured"]
)
def test_a_start_made_with_a_negative_number_of_pieces_is_refused(counts: dict[str, Any]) -> None:
    """A start from a record is refused earlier, with the place of the number."""
    start = Start.make("gr", board({"d5": "g", "d6": "r"}), **counts)
    with pytest.raises(RulesError, match="negative number of pieces"):
        Rules.make(2, set_up="position", start=start)


def test_a_start_in_which_nobody_could_move() -> None:
    rules = Rules.make(2, set_up="position", start=Start.make("gr", board({})))
    with pytest.raises(RulesError, match="nobody could move"):
        start_position(rules)


some_order = st.lists(st.sampled_from(["red", "green", "blue", "yellow", "x", 3]), max_size=5)
some_start = st.dictionaries(
    st.sampled_from(["position", "out", "red"]), st.sampled_from([EMPTY, 1, None]), max_size=3
)
numbers = st.integers(-2, 30) | st.floats(allow_nan=False)
scraps = st.none() | st.booleans() | numbers | st.text(max_size=5) | some_order | some_start


@tried(
    st.dictionaries(st.sampled_from([*Rules.make(2).to_json(), "start", "x"]), scraps, max_size=6),
    st.sampled_from([2, 3, 4]),
)
@settings(max_examples=300, deadline=None)
def test_any_object_gives_rules_or_a_clear_error(data: dict[str, Any], players: int) -> None:
    for given_players in ({}, {"players": players}):
        try:
            rules = Rules.from_json({**data, **given_players})
        except RulesError as error:
            assert str(error)
        else:
            assert Rules.from_json(rules.to_json()) == rules


@pytest.mark.parametrize(
    "order", ["gbr", "green,blue,red", " green , blue,red", ["green", "b", "red"], ("g", "b", "r")]
)
def test_an_order_may_be_written_in_several_ways(order: Any) -> None:
    assert parse_order(order) == "gbr"


def test_partners_sit_opposite_each_other_whoever_begins() -> None:
    for order in permutations("gbyr"):
        alternates = OPPOSITE[order[0]] == order[2]
        if alternates:
            assert not Rules.make(4, partners=True, order=order).order_fault
        else:
            with pytest.raises(RulesError, match="opposite"):
                Rules.make(4, partners=True, order=order)
        assert not Rules.make(4, order=order).order_fault
        old = Rules.make(4, partners=True, order=order, played=True)
        assert bool(old.order_fault) != alternates
        assert Rules.from_json(old.to_json(), played=True) == old


def test_sides_and_partners() -> None:
    alone = Rules.make(4)
    pairs = Rules.make(4, partners=True, order="rybg")
    assert alone.sides == ("g", "b", "y", "r") and alone.partner_of("g") == ""
    assert pairs.sides == ("rb", "yg") and pairs.side_of("g") == "yg" and pairs.partner_of("r") == "b"
    assert pairs.partner_indices == (2, 3, 0, 1)


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_presets_are_playable(name: str) -> None:
    chosen = preset(name)
    rules = chosen.rules()
    assert start_position(rules).to_move == "g"
    assert chosen.summary.endswith(".")
    with pytest.raises(RulesError):
        chosen.rules(7)


def test_presets_accept_further_rules_and_refuse_invalid_ones() -> None:
    assert preset("fast").rules(3, fast_own="taken") == Rules.make(3, fast=True, fast_own="taken")
    with pytest.raises(RulesError, match="4 players, not for 2"):
        preset("partners").rules(2)
    with pytest.raises(RulesError, match="domination"):
        preset("nonsense")


def test_only_a_player_of_the_game_can_begin() -> None:
    for rules in (Rules.make(2), given({"d5": "g", "h3": "r"})[1]):
        with pytest.raises(RulesError, match="yellow does not play, and cannot begin"):
            rules.begun_by("y")
