"""What the watcher's states share: settings, the expected position, and the still frames they receive."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from itertools import count

from ..appearance.first_colours import before_any_piece
from ..capture.frames import Frame, Image
from ..detection.find_board import FoundBoard
from ..geometry.lens_profiles import LensProfile
from ..geometry.scene import BoardProfile, Camera
from ..geometry.stack_masks import Outlines, lattice_mask
from ..haze import CLEAR, Haze
from ..registration.conditions import Conditions
from .change import board_window
from .pauses import Pauses
from .placement import Placement, constraints
from .stillness import Small, Stillness

RETRY_DELAY = 1.0
"""Seconds between two attempts to locate a board that is no longer where it was."""
LOST_TIMEOUT = 4.0
"""Seconds after which a board that is not recognised where it was counts as out of view."""

FinderCall = Callable[[Image, Sequence[BoardProfile], Sequence[str] | None, float | None], FoundBoard | None]
"""Finds a board as :func:`.find_board` does, from its picture, profiles, stacks and approximate pitch."""


class State(Enum):
    """The watcher's states, with the words that are published for them."""

    SEEKING = "no board"
    WATCHING = "ok"
    LOST = "lost"


@dataclass(frozen=True)
class StillFrame:
    """A frame without motion ``since`` (seconds of the stream), from which ``haze`` is to be removed;
    ``small`` is its subsampled copy.
    """

    frame: Frame
    since: float
    small: Small
    haze: Haze = CLEAR

    @property
    def time(self) -> float:
        return self.frame.time

    @cached_property
    def image(self) -> Image:
        """(H, W, 3) uint8 BGR, without haze; converted on first use."""
        return self.haze.removed(self.frame.image)

    def showing(self, image: Image) -> StillFrame:
        """The same frame with this image, which has no haze, instead of its own."""
        return replace(self, frame=replace(self.frame, picture=image), haze=CLEAR)


@dataclass
class Context:
    """Settings and data that outlive a state.

    ``fault``: why a board in the picture cannot be followed, in the words of the event ``lost``: "mirrored",
    "another position", or "cut off: " and the edges of the picture beyond which a part of it lies; "" for
    none. ``standing`` (52): the expected position; ``deviating``: the squares that are known to show
    something else; ``confirmed``: whether it has been seen since the board was marked by hand; ``keep`` (0 …
    1): the weight of what is known when colours and background are learned from another picture;
    ``reflection``: the conditions of the last look, if it showed a reflection; ``haze``: that of the picture
    in which the board was last sought; ``last_in_view``: the last time at which it was in view, and not much
    of it had changed; ``sought_elsewhere``: when the whole picture was last searched in vain for a board
    whose place was known.
    """

    profiles: tuple[BoardProfile, ...]
    players: str
    rank1: str
    lens: LensProfile | None
    finder: FinderCall
    keep: float
    standing: tuple[str, ...]
    deviating: frozenset[int] = frozenset()
    confirmed: bool = False
    fault: str = ""
    reflection: Conditions | None = None
    haze: Haze = CLEAR
    last_in_view: float | None = None
    sought_elsewhere: float = -math.inf
    stillness: Stillness = field(default_factory=Stillness)
    pauses: Pauses = field(default_factory=Pauses)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def fitted(self, camera: Camera, profile: BoardProfile, by_hand: bool = False) -> Placement:
        """A pose and a profile fitted to the expected position, with the usual colours of pieces."""
        colours = before_any_piece(self.players, profile)
        return Placement(Outlines(camera, profile), colours, constraints(self.standing), by_hand=by_hand)

    def unseen(self, time: float) -> float:
        """Seconds for which the board has been out of view at this time; 0 if it never was in view."""
        return 0.0 if self.last_in_view is None else time - self.last_in_view

    def watch(self, outlines: Outlines) -> None:
        """Restrict the detection of motion to this board and its surroundings."""
        window = board_window(outlines)
        squares = lattice_mask(outlines, window)
        self.stillness.watch(window, outlines.camera.lens, outlines.pitch, squares)
