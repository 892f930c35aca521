"""When the first pieces settle the set and the pose."""

from __future__ import annotations

from focus_companion.vision.tracking.first_pieces import FirstPieces


def fits(positions: list[list[str]]) -> list[int]:
    """The numbers of those positions at which a board that was found empty is fitted again."""
    first, fitted = FirstPieces(), []
    first.fitted([""] * 52)
    for number, stacks in enumerate(positions):
        if first.more(stacks):
            fitted.append(number)
            first.fitted(stacks)
    return fitted


def test_an_empty_board_is_fitted_again_whenever_twice_as_many_stacks_stand() -> None:
    assert fits([["g"] * n + [""] * (52 - n) for n in range(37)]) == [1, 2, 4, 8, 16, 32]


def test_pieces_on_others_show_how_high_they_are_and_count_double() -> None:
    assert fits([["g" * n] + [""] * 51 for n in range(6)]) == [1, 2, 4]


def test_a_full_board_never_is() -> None:
    first = FirstPieces()
    first.fitted(["g"] * 36 + [""] * 16)
    assert not first.more(["g"] * 52)


def test_pieces_that_stood_already_tell_nothing_new_where_they_have_moved() -> None:
    first = FirstPieces()
    first.fitted(["g"] * 36 + [""] * 16)
    assert not first.more(["g" * 5] * 7 + ["g"] + [""] * 44)


def test_what_is_in_doubt_tells_nothing() -> None:
    first = FirstPieces()
    first.fitted(["g"] + [""] * 51)
    stacks = ["g", "r"] + [""] * 50
    assert first.more(stacks) and not first.more(stacks, doubtful=(1,))
