"""The gap between the halves of a folding board."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from focus_companion.game.squares import INDEX
from focus_companion.vision.geometry.board_profiles import ProfileError, board_profile, profile_text


def test_squares_on_both_sides_of_the_fold_are_separated_by_the_gap() -> None:
    plain = board_profile("chess-draughts")
    folding = replace(plain, gaps=(0.0, 4.0))
    apart = folding.centres - plain.centres
    assert np.unique(apart[:, 0]).tolist() == [0.0]
    assert apart[INDEX["d5"]].tolist() == [0.0, 2.0] and apart[INDEX["d4"]].tolist() == [0.0, -2.0]
    assert np.ptp(folding.corners[:, 1]) == pytest.approx(8 * plain.pitch + 4.0)


def test_the_gap_is_written_and_read_back(tmp_path: Path) -> None:
    folding = replace(board_profile("chess-draughts"), name="folding", gaps=(0.0, 4.0))
    path = tmp_path / "folding.toml"
    path.write_text(profile_text(folding, "A folding board"), encoding="utf-8")
    assert board_profile(str(path)) == folding


def test_too_wide_a_gap_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "torn.toml"
    wide = replace(board_profile("chess-draughts"), gaps=(0.0, 40.0))
    path.write_text(profile_text(wide, "Two boards"), encoding="utf-8")
    with pytest.raises(ProfileError, match="gap is narrower"):
        board_profile(str(path))
