"""Many squares changed at once: where the board lies then, and with which colours."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import SQUARES
from focus_companion.vision.appearance.colour_model import ColourModel
from focus_companion.vision.geometry.board_profiles import board_profile
from focus_companion.vision.geometry.scene import Camera, Lens
from focus_companion.vision.tracking import push, push_fit
from focus_companion.vision.tracking import watcher as watching
from focus_companion.vision.tracking.push import agreeing, pushed
from focus_companion.vision.tracking.watcher import Watcher

PROFILE = board_profile("domination")
START = start_position(Rules.make(2)).stacks
FRAME: Any = SimpleNamespace(time=10.0, image=np.zeros((48, 64, 3), np.uint8))


def camera(shift: float) -> Camera:
    base = Camera(Lens.guess(64, 48, 60.0), (np.pi, 0.0, 0.0), (0.0, 0.0, 900.0))
    return pushed(base, shift * PROFILE.pitch, 0.0, 0.0)


HELD, RIGHT, BESIDE = camera(0.0), camera(0.1), camera(0.5)


@pytest.mark.parametrize(
    ("agreements", "taken"),
    [((0.79, 0.4), (RIGHT, False)), ((0.5, 0.4), (BESIDE, True))],
    ids=["beyond doubt", "in doubt"],
)
def test_under_another_lamp_the_outlines_are_believed_before_the_colours(
    monkeypatch: pytest.MonkeyPatch, agreements: tuple[float, float], taken: tuple[Camera, bool]
) -> None:
    """A lamp was moved: the colours as they were known see the board half a square beside its place."""
    tried: list[tuple[Camera, bool]] = []

    def adopt(_frame: Any, _small: Any, place: Camera, _profile: Any, colours: Any, held: float = 0.9) -> Any:
        tried.append((place, colours is not None))
        seen = place is BESIDE if colours is not None else place is RIGHT
        return "a look" if seen else None

    watcher = Watcher([PROFILE], START, "gr")
    watcher.camera, watcher.profile, watcher._colours = HELD, PROFILE, ColourModel()
    monkeypatch.setattr(watcher, "_adopt", adopt)
    monkeypatch.setattr(watching, "share_agreeing", lambda *_: 0.67)
    monkeypatch.setattr(watching, "seek", lambda *_: (BESIDE, 1.0))
    monkeypatch.setattr(push_fit, "agreements", lambda *_: [0.2])
    monkeypatch.setattr(push_fit, "fits", lambda *_: list(zip((RIGHT, BESIDE), agreements, strict=True)))
    change: Any = SimpleNamespace(touched=np.ones(len(SQUARES)))
    small: Any = None
    assert watcher._recover(FRAME, small, change) == "a look"
    assert tried[-1] == taken


def test_the_same_place_keeps_its_pose_to_the_last_digit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fitted anew in another light, it would wander a little with every lamp."""
    taken: list[Camera] = []
    watcher = Watcher([PROFILE], START, "gr")
    watcher.camera, watcher.profile, watcher._colours = HELD, PROFILE, ColourModel()

    def adopt(_frame: Any, _small: Any, place: Camera, *_: Any) -> str:
        taken.append(place)
        return "a look"

    monkeypatch.setattr(watcher, "_adopt", adopt)
    monkeypatch.setattr(watching, "share_agreeing", lambda *_: 1.0)
    monkeypatch.setattr(watching, "seek", lambda *_: (HELD, 1.0))
    near = pushed(HELD, 0.2, 0.0, 0.0)
    monkeypatch.setattr(push_fit, "agreements", lambda *_: [0.69])
    monkeypatch.setattr(push_fit, "fits", lambda *_: [(near, 0.7)])
    change: Any = SimpleNamespace(touched=np.ones(len(SQUARES)))
    small: Any = None
    watcher._recover(FRAME, small, change)
    assert taken == [HELD]


@pytest.mark.parametrize(("stayed", "taken"), [(0.76, (HELD, False)), (0.62, (BESIDE, True))])
def test_a_board_that_agrees_best_where_it_lay_has_stayed(
    monkeypatch: pytest.MonkeyPatch, stayed: float, taken: tuple[Camera, bool]
) -> None:
    """A lamp was moved, and the fit, sought from where the colours see the board, settles beside it."""
    tried: list[tuple[Camera, bool]] = []

    def adopt(_frame: Any, _small: Any, place: Camera, _profile: Any, colours: Any, held: float = 0.9) -> Any:
        tried.append((place, colours is not None))
        return "a look" if (place is BESIDE) == (colours is not None) else None

    watcher = Watcher([PROFILE], START, "gr")
    watcher.camera, watcher.profile, watcher._colours = HELD, PROFILE, ColourModel()
    monkeypatch.setattr(watcher, "_adopt", adopt)
    monkeypatch.setattr(watching, "share_agreeing", lambda *_: 0.65)
    monkeypatch.setattr(watching, "seek", lambda *_: (BESIDE, 1.0))
    monkeypatch.setattr(push_fit, "agreements", lambda *_: [stayed])
    monkeypatch.setattr(push_fit, "fits", lambda *_: [(BESIDE, 0.64)])
    change: Any = SimpleNamespace(touched=np.ones(len(SQUARES)))
    small: Any = None
    assert watcher._recover(FRAME, small, change) == "a look"
    assert tried[-1] == taken


@pytest.mark.parametrize(("stayed", "tries"), [(0.76, [True, False]), (0.4, [True])])
def test_a_lamp_that_changes_the_bare_board_alone_is_learned(
    monkeypatch: pytest.MonkeyPatch, stayed: float, tries: list[bool]
) -> None:
    """Once for every look, and only where the outlines have stayed."""
    tried: list[bool] = []

    def adopt(
        _frame: Any, _small: Any, _place: Camera, _profile: Any, colours: Any, held: float = 0.9
    ) -> None:
        tried.append(colours is not None)

    watcher = Watcher([PROFILE], START, "gr")
    watcher.camera, watcher.profile, watcher._colours = HELD, PROFILE, ColourModel()
    monkeypatch.setattr(watcher, "_adopt", adopt)
    monkeypatch.setattr(watching, "agreements", lambda *_: [stayed])
    look: Any = SimpleNamespace(
        covering=None, number=3, time=1.0, image=FRAME.image, small=None, all_over=True
    )
    watcher.absorb(look)
    assert tried == tries
    watcher.absorb(look)
    assert tried == [*tries, True]


@pytest.mark.parametrize(
    ("nats", "named", "share"), [(0.3, (), 1.0), (-0.2, (4,), 51 / 52), (-3.0, (4,), 51 / 52)]
)
def test_a_bare_dome_of_nearly_a_pieces_colour_is_no_piece(
    monkeypatch: pytest.MonkeyPatch, nats: float, named: tuple[int, ...], share: float
) -> None:
    """A dark blue board in a corner without light: what looks like either is what should be there, and says
    nothing against a place.
    """
    agreed = np.full(len(SQUARES), 2.0)
    agreed[4] = nats
    monkeypatch.setattr(push, "agreement", lambda *_: agreed)
    watcher = Watcher([PROFILE], START, "gr")
    watcher.camera, watcher.profile, watcher._colours = HELD, PROFILE, ColourModel()
    look: Any = SimpleNamespace(image=FRAME.image)
    assert watcher.disagreeing(look) == named
    none: Any = None
    assert push.share_agreeing(FRAME.image, HELD, none, ColourModel()) == share


@pytest.mark.parametrize(
    ("plain", "neither", "share"), [(52, 0, 1.0), (43, 9, 1.0), (39, 13, 1.0), (26, 26, 2 / 3), (0, 52, 0.0)]
)
def test_a_place_needs_squares_that_plainly_show_their_position(
    plain: int, neither: int, share: float
) -> None:
    """Where most could be either, nothing is known of it."""
    assert agreeing(np.array([2.0] * plain + [0.3] * neither)) == pytest.approx(share)
