"""Simulated tables for all tests, with views and detections cached per process, as they are slow to make."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, Final

from focus_companion.simulator.board_view import BoardView
from focus_companion.simulator.scene_style import SceneStyle
from focus_companion.vision.capture.frames import Image
from focus_companion.vision.detection import find_board as finding
from focus_companion.vision.detection.find_board import FoundBoard
from focus_companion.vision.geometry.scene import BoardProfile

_VIEWS: Final[dict[str, BoardView]] = {}
_MAX_CACHED_PIXELS: Final = 4e6
"""Of all cached views together; each pixel takes about 60 bytes."""

_FOUND: Final[dict[bytes, FoundBoard | None]] = {}


def view_of(look: SceneStyle) -> BoardView:
    """The view of this look, cached from an earlier test if possible, so that the background is not painted
    again. Whatever it has drawn before, it draws a stage as a new view would.
    """
    key = repr(look)
    view = _VIEWS.pop(key, None) or BoardView(look)
    _VIEWS[key] = view
    while sum(kept.look.size[0] * kept.look.size[1] for kept in _VIEWS.values()) > _MAX_CACHED_PIXELS:
        del _VIEWS[next(iter(_VIEWS))]
    return view


def find_board(
    image: Image,
    profiles: Sequence[BoardProfile],
    stacks: Sequence[str] | None = None,
    *more: Any,
    **named: Any,
) -> FoundBoard | None:
    """The result of the function of the same name, cached for identical arguments.

    Tests that start with the same game see the same first pictures; they test what happens later.
    """
    asked = pickle.dumps((image.shape, tuple(profiles), stacks and tuple(stacks), more, named))
    key = blake2b(asked + image.tobytes()).digest()
    if key not in _FOUND:
        _FOUND[key] = finding.find_board(image, profiles, stacks, *more, **named)
    return _FOUND[key]
