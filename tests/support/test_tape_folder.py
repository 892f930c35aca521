"""Which folders can hold a tape, and what the tape keeps of how its pictures were read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from test_tape import taped

from focus_companion.commands.shared.console import BadInput
from focus_companion.commands.shared.taping import sight_from_json, sight_to_json
from focus_companion.storage.tape.tape import TapeError
from focus_companion.vision.geometry.board_profiles import board_profile
from focus_companion.vision.geometry.lens_profiles import LensProfile
from focus_companion.vision.geometry.scene import Lens


def test_a_tape_is_never_written_over(tmp_path: Path) -> None:
    _, tape = taped(tmp_path)
    tape.close()
    with pytest.raises(TapeError, match="already"):
        taped(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(TapeError, match="not a folder"):
        taped(tmp_path / "file")


def test_a_tape_replaces_no_pictures_of_a_recording(tmp_path: Path) -> None:
    """Other programs that take a video apart give its pictures the same names."""
    (tmp_path / "0000003.png").touch()
    with pytest.raises(TapeError, match="pictures already; give a folder of its own"):
        taped(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["0000003.png"]


@pytest.mark.parametrize(
    "lens", [None, LensProfile("a", Lens(640, 480, 511.3, (320.5, 239.1), (0.1, 0, 0, 0)))]
)
@pytest.mark.parametrize("boards", [None, (board_profile(),)])
def test_how_the_pictures_were_looked_at_is_kept_whole(lens: Any, boards: Any) -> None:
    written = json.loads(json.dumps(sight_to_json("left", boards, lens)))
    assert sight_from_json(written).keywords == {"rank1": "left", "profiles": boards, "lens": lens}
    with pytest.raises(BadInput, match=r"does not say how its pictures were read \(rank1 is 'up'\)"):
        sight_from_json(written | {"rank1": "up"})
