"""When the first pieces settle the set and the pose."""

from __future__ import annotations

from focus_companion.vision.tracking.first_pieces import FirstPieces


def test_an_empty_board_is_fitted_again_whenever_twice_as_many_stacks_stand() -> None:
    first, fitted = FirstPieces(), []
    first.fitted([""] * 52)
    for pieces in range(37):
        stacks = ["g"] * pieces + [""] * (52 - pieces)
        if first.more(stacks):
            fitted.append(pieces)
            first.fitted(stacks)
    assert fitted == [1, 2, 4, 8, 16, 32]


def test_a_full_board_never_is() -> None:
    first = FirstPieces()
    first.fitted(["g"] * 36 + [""] * 16)
    assert not first.more(["g"] * 52)
