"""The text of a position, and the set-ups in the rule book's diagrams."""

from typing import Any

import pytest
from game_boards import board, given
from hypothesis import given as tried
from hypothesis import strategies as st

from focus_companion.game.colours import LETTER, NAMES
from focus_companion.game.position import PositionTextError, parse_position, position_text
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position, start_stacks


def test_the_start_position_of_two_players_as_specified() -> None:
    assert start_position(Rules.make(2)).text == (
        "-,-,-,-/r,r,g,g,r,r/-,g,g,r,r,g,g,-/-,r,r,g,g,r,r,-/-,g,g,r,r,g,g,-/-,r,r,g,g,r,r,-/g,g,r,r,g,g/-,-,-,-"
    )


SET_UPS: list[tuple[dict[str, Any], str]] = [
    ({"players": 3}, "---- rrbbgg -ggrrbb- -bbggrr- -rrbbgg- -ggrrbb- bbggrr ----"),
    ({"players": 4}, "bbry yyyryr bbbbryry yyyyryry gbgbgggg gbgbrrrr bgbggg gbrr"),
    ({"players": 4, "partners": True}, "bbry yyyryr bbbbryry yyyyryry gbgbgggg gbgbrrrr bgbggg gbrr"),
    ({"players": 2, "set_up": "drop"}, "---- ------ -------- -------- -------- -------- ------ ----"),
    ({"players": 2, "set_up": "checkerboard"}, "---- rgrgrg -grgrgr- -rgrgrg- -grgrgr- -rgrgrg- grgrgr ----"),
]


@pytest.mark.parametrize(("switches", "diagram"), SET_UPS, ids=[str(switches) for switches, _ in SET_UPS])
def test_set_ups_match_the_diagrams(switches: dict[str, Any], diagram: str) -> None:
    shown = "/".join(",".join(rank) for rank in diagram.split())
    assert position_text(start_stacks(Rules.make(**switches))) == shown


@tried(st.lists(st.text("rgby", max_size=7), min_size=52, max_size=52))
def test_any_board_is_read_back_from_its_text(stacks: list[str]) -> None:
    assert parse_position(position_text(stacks)) == tuple(stacks)


EMPTY = position_text(board({}))


@pytest.mark.parametrize(
    ("text", "wording"),
    [
        ("", "8 ranks"),
        (EMPTY + "/-", "has 9"),
        (EMPTY.replace("-,-,-,-/", "-,-,-/", 1), "rank 8 has 4 squares"),
        (EMPTY[:-1] + "x", "square f1 holds 'x'"),
        (EMPTY[:-1], "square f1 holds ''"),
        (EMPTY[:-1] + "-r", "square f1"),
        (EMPTY[:-1] + "R", "square f1"),
        (EMPTY[:-1] + "z" * 10_000, "zzz…"),
    ],
)
def test_an_invalid_position_text_is_refused_with_its_place(text: str, wording: str) -> None:
    with pytest.raises(PositionTextError, match=wording.replace("(", r"\(")) as caught:
        parse_position(text)
    assert len(str(caught.value)) < 200


@tried(st.text("rgby-,/x", max_size=200))
def test_any_text_is_a_position_or_a_clear_error(text: str) -> None:
    try:
        stacks = parse_position(text)
    except PositionTextError:
        return
    assert position_text(stacks) == text


def test_stacks_and_counts_are_looked_up_by_name() -> None:
    position, _ = given({"d5": "rg", "c1": "r"}, reserves={"r": 2}, captured={"g": {"r": 3}}, to_move="r")
    assert (position.stack("d5"), position.stack("c8")) == ("rg", "")
    assert (position.reserve("g"), position.reserve("r")) == (0, 2)
    assert (position.captures("g"), position.captures("r")) == ({"r": 3}, {"g": 0})
    with pytest.raises(KeyError):
        position.stack("a1")
    with pytest.raises(ValueError, match="substring"):
        position.reserve("b")


def test_names_and_letters_are_inverse() -> None:
    assert (
        {name: letter for letter, name in NAMES.items()}
        == LETTER
        == {
            "red": "r",
            "green": "g",
            "blue": "b",
            "yellow": "y",
        }
    )
