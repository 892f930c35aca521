"""Motion detection by frame differences on a subsampled copy, relative to the camera's own noise.

A camera that sways or shakes shifts the whole picture, so that every edge in it differs; a shadow or a
flickering lamp changes its light. Differences that such :mod:`conditions <.registration.conditions>` explain
are not motion.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from ..arrays import Mask
from ..capture.frames import Picture
from ..capture.planes import sampling_step
from ..capture.sampling import WHOLE_PICTURE, sampled
from ..geometry.scene import Lens
from ..geometry.stack_masks import Window
from ..masks import dilated_by_square, resampled
from ..registration.baseline import Baseline
from ..registration.motion import STILL, Motion, Sampling
from .moving_spot import MovingSpot, changed_pixels
from .restless import RestlessPixels
from .unrest import Unrest

SETTLE_TIME: Final = 0.18
"""Seconds without motion after which a picture counts as still. Raising it delays every verdict."""
_MIN_STILL_FRAMES: Final = 2
"""Minimum number of frames without motion, however long they take."""
_MAX_FADE_TIME: Final = 0.55
"""Seconds since the last motion after which a picture is judged although it still changes little by little. A
camera that keeps 85 % of each picture in the next needs this long to forget an arm. Raising it delays the
verdicts under a reflection that moves."""
_MIN_DIFFERENCE: Final = 12.0
"""Difference in grey levels above which a pixel of the subsampled copy counts as changed."""
_MIN_DIFFERENCE_TO_NOISE: Final = 7.0
"""The same as a multiple of the noise, if that is more."""
_NOISE_RATE: Final = 0.1
"""Weight of the newest picture in the running mean of the noise."""
_MOTION_THRESHOLD: Final = 0.0006
"""Share of changed pixels in the watched region above which there is motion."""
_MAX_SWAY: Final = 5.0
"""Maximum shift, in pixels of the subsampled copy, that counts as sway; a larger one is a push."""
_MAX_ALIASING_SHIFT: Final = 0.75
"""Maximum displacement of edges, in pixels of the subsampled copy, by aliasing, as it samples only every few
pixels; reached once the camera has moved by one pixel of the picture. At 0.5, sharp pictures of a swaying
camera often count as motion; at 1, the motion of a fingertip may be missed."""
_MAX_ALIASED_SHARE: Final = 0.04
"""Share of the differences that may remain after the camera's motion is undone, because of aliasing; a
smaller motion, as of a fingertip, cannot be distinguished from it."""
_MAX_UNLIT_SHARE: Final = 0.15
"""Share of what changes little by little that light may leave unexplained. It leaves at most that of what a
flickering lamp changes, and a tenth to all of a trail (fitted on four altered recordings). Raising it lets
trails be judged; lowering it delays verdicts under such lamps."""
_MAX_BEYOND_SWAY_SHARE: Final = 0.008
"""Maximum share of pixels outside the range of values that sway could produce. Flickering lamps cause half as
much, an arm nearly always more."""
_SQUARES_ACROSS: Final = 14.0
"""Assumed width of the picture in squares until a board has been found."""

Small = NDArray[np.uint8]


@dataclass
class _Compared:
    """A subsampled copy with which others are compared, and the camera motion of the last comparison."""

    small: Small
    sampling: Sampling
    motion: Motion = STILL
    too_far: bool = False

    @cached_property
    def baseline(self) -> Baseline:
        return Baseline(self.small, self.sampling)

    @cached_property
    def edge_tolerance(self) -> NDArray[np.uint8]:
        """Difference in grey levels of each pixel and channel that a shift of the steepest edge next to it by
        :data:`_MAX_ALIASING_SHIFT` causes.
        """
        grey = cv2.cvtColor(self.small, cv2.COLOR_BGR2GRAY)
        slopes = [
            cv2.Sobel(grey, cv2.CV_32F, dx, dy, ksize=3, scale=_MAX_ALIASING_SHIFT / 8)
            for dx, dy in ((1, 0), (0, 1))
        ]
        steepest = cv2.convertScaleAbs(cv2.max(cv2.absdiff(slopes[0], 0.0), cv2.absdiff(slopes[1], 0.0)))
        return np.asarray(cv2.merge([cv2.dilate(steepest, np.ones((3, 3), np.uint8))] * 3), np.uint8)

    @cached_property
    def _range(self) -> tuple[Small, Small]:
        """Minimum and maximum values within :data:`_MAX_SWAY` of each pixel."""
        around = np.ones((2 * int(_MAX_SWAY) + 1,) * 2, np.uint8)
        lowest, highest = cv2.erode(self.small, around), cv2.dilate(self.small, around)
        return np.asarray(lowest, np.uint8), np.asarray(highest, np.uint8)

    def beyond_sway(self, small: Small) -> Small:
        """Distance of each pixel of another copy from the range of values that sway could produce there."""
        lowest, highest = self._range
        return np.asarray(cv2.max(cv2.subtract(small, highest), cv2.subtract(lowest, small)), np.uint8)


class Stillness:
    """Receives a subsampled copy of every frame and measures how long the watched region has been still."""

    def __init__(self) -> None:
        self._window: Window | None = None
        self._lens: Lens | None = None
        self._square = 0.0
        self._shape = 0, 0
        self._recent: list[tuple[float, Small]] = []
        """The copies of the last :data:`SETTLE_TIME` since something moved, with their times."""
        self._first: Small
        """The first still picture; a push in small steps leads ever further from it."""
        self._compared: list[_Compared] = []
        self._seen: Small | None = None
        """The last copy with all its pixels."""
        self._restless: RestlessPixels | None = None
        self._unrest = Unrest()
        self._spot = MovingSpot()
        self._squares: Mask | None = None
        self._since = 0.0
        self._differed_at = -math.inf
        """Time of the last copy that differed from the one before by more than noise."""
        self._noise = 1.0
        """Mean difference, in grey levels, between successive still copies."""
        self.frames = 0
        self.settled = False
        """Whether the picture has been still for long enough to be judged."""

    @property
    def unsteady(self) -> bool:
        """Whether no part of the picture has come to rest for long; see :class:`.unrest.Unrest`."""
        return self._unrest.lasts

    def watch(
        self,
        window: Window | None,
        lens: Lens | None = None,
        square: float = 0.0,
        squares: Mask | None = None,
    ) -> None:
        """Restrict motion detection to this window; ``None``: to the whole picture. ``lens`` is that of the
        whole picture, ``square`` the side of a square in pixels, and ``squares`` (h, w) a mask of the
        window's pixels that show squares, if known.
        """
        self._window, self._lens, self._square, self._squares = window, lens, square, squares
        self._compared, self._seen, self._restless = [], None, None
        self._unrest, self._spot = Unrest(), MovingSpot()

    def small_copy(self, picture: Picture) -> Small:
        """The watched region, subsampled and blurred to suppress noise."""
        self._shape = picture.shape[:2]
        part = WHOLE_PICTURE if self._window is None else self._window.slices
        return np.asarray(cv2.blur(sampled(picture, part), (5, 5)), np.uint8)

    def differ(self, a: Small, b: Small) -> bool:
        """Whether two subsampled copies differ by more than noise, camera motion and light explain."""
        if a.shape != b.shape:
            return True
        return self._changed(np.asarray(cv2.absdiff(a, b))) > _MOTION_THRESHOLD and not self._explained(a, b)

    def _explained(self, a: Small, b: Small, *, by_light: bool = True) -> bool:
        """Whether camera motion and, if ``by_light``, light alone explain the differences."""
        compared = self._compared_with(a)
        if self._changed(compared.beyond_sway(b)) > _MAX_BEYOND_SWAY_SHARE:
            # This is mostly an arm; the test takes a tenth of the time of estimating the camera's motion.
            return False
        displacement = self._estimate_motion(compared, b)
        if compared.too_far:
            return False
        steady = compared.baseline.undo_motion(b, compared.motion)
        limit = _MOTION_THRESHOLD + _MAX_ALIASED_SHARE * self._changed(np.asarray(cv2.absdiff(a, b)))
        return self._remaining(compared, steady, displacement) <= limit or (
            by_light
            and self._remaining(compared, compared.baseline.undo_light(steady), displacement) <= limit
        )

    def _estimate_motion(self, compared: _Compared, small: Small) -> float:
        """Estimate the camera's motion between two copies; returns its displacement in pixels of the copy."""
        compared.motion, _ = compared.baseline.motion(small, compared.motion)
        displacement = compared.baseline.displacement(compared.motion)
        compared.too_far = displacement > _MAX_SWAY
        if compared.too_far:
            compared.motion = STILL
        return displacement

    def _remaining(self, compared: _Compared, shown: Small, displacement: float) -> float:
        """Share of changed pixels after the camera's motion, and perhaps light, has been undone in ``shown``,
        beyond what aliasing causes.
        """
        margin = int(np.ceil(displacement)) + 1
        inner = slice(margin, -margin), slice(margin, -margin)
        aliased = min(1.0, displacement * compared.sampling.every)
        tolerance = cv2.convertScaleAbs(compared.edge_tolerance, alpha=aliased)
        excess = cv2.subtract(cv2.absdiff(shown, compared.small), tolerance)
        return self._changed(np.asarray(excess, np.uint8)[inner])

    def _explained_by_sway(self, first: Small, previous: Small, small: Small) -> bool:
        """Whether sway explains the difference from the previous picture and the total sway is within bounds.
        That is more reliable than an estimate from the first picture. A change of light has to explain the
        difference from the first picture: between two successive ones, it may be a trail that fades.
        """
        return (
            previous is not first
            and not self._compared_with(first).too_far
            and self._explained(previous, small, by_light=False)
        )

    def _compared_with(self, small: Small) -> _Compared:
        """The comparison data of a picture; those of the last two pictures are cached."""
        for compared in self._compared:
            if compared.small is small:
                return compared
        self._compared = [*self._compared[-1:], _Compared(small, self._sampling(small))]
        return self._compared[-1]

    def _sampling(self, small: Small) -> Sampling:
        height, width = self._shape
        step = sampling_step(width)
        left, top = (0, 0) if self._window is None else (self._window.left, self._window.top)
        left, top = left // step * step, top // step * step
        window = Window(left, top, left + step * small.shape[1], top + step * small.shape[0])
        square = self._square or width / _SQUARES_ACROSS
        return Sampling(window, step, square / step, self._lens or Lens.guess(width, height))

    def _changed(self, difference: Small) -> float:
        """Changed channels per pixel; a piece may differ from the board in only one channel."""
        return int(np.count_nonzero(difference > self._step)) * 3 / max(1, difference.size)

    @property
    def _step(self) -> int:
        """Difference in grey levels above which a pixel counts as changed."""
        # An integer, as a fractional threshold would convert every pixel to a float first.
        return int(max(_MIN_DIFFERENCE, _MIN_DIFFERENCE_TO_NOISE * self._noise))

    def update(self, time: float, small: Small) -> tuple[float, Small]:
        """Seconds for which the picture has been still, 0 while there is motion; and the copy without what
        never rests. On the squares, nothing is left out, as hands play there.
        """
        last, self._seen = self._seen, small
        if last is None or self._restless is None or last.shape != small.shape:
            self._restless = RestlessPixels(small.shape[:2], self._squares_in(small))
            return self._still_for(time, small), small
        blanked = self._restless.blank(small)
        lasted = self._still_for(time, blanked)
        moves, changed = lasted == 0.0, None
        if moves or blanked is not small:
            changed = changed_pixels(last, small, self._step) > 0
        self._restless.learn(time, changed, moves=moves)
        self._unrest.update(time, changed if moves else None, still=self.settled)
        return lasted, blanked

    def _squares_in(self, small: Small) -> Mask | None:
        """Mask of a copy (h, w): where squares are, or are at most one square away; ``None`` if no board is
        known.
        """
        if self._squares is None:
            return None
        (height, width), across = small.shape[:2], self._squares.shape[1]
        shown = resampled(self._squares, (height, width))
        return dilated_by_square(shown, 2 * round(self._square * width / across) + 1)

    def _still_for(self, time: float, small: Small) -> float:
        """Seconds for which the copies have been still; 0 while there is motion."""
        if not self._recent or self._moves(time, small):
            self._first, self._since, self.frames = small, time, 0
            self._recent, self.settled = [(time, small)], False
            return 0.0
        self.frames += 1
        self._recent.append((time, small))
        while time - self._recent[1][0] >= SETTLE_TIME:
            del self._recent[0]
        lasted = time - self._since
        if not self.settled and lasted >= SETTLE_TIME and self.frames >= _MIN_STILL_FRAMES:
            self.settled = lasted >= _MAX_FADE_TIME or not self._fades(small)
        return lasted

    def _moves(self, time: float, small: Small) -> bool:
        """Whether something has moved since the previous copy."""
        first, (_, previous) = self._first, self._recent[-1]
        if previous.shape != small.shape:
            return True
        difference = np.asarray(cv2.absdiff(small, previous))
        if self._changed(difference) > _MOTION_THRESHOLD:
            self._differed_at = time
            return not (
                self._explained(first, small)
                or self._explained_by_sway(first, previous, small)
                or self._spot.explains(time, previous, small, self._step, self._sampling(small).square)
            )
        # The running mean is of noise alone: it adapts slowly, and only while nothing moves.
        self._noise += _NOISE_RATE * (float(cv2.mean(difference)[1]) - self._noise)
        return False

    def _fades(self, small: Small) -> bool:
        """Whether the trail of something that moved still fades, in the pictures of a camera that averages
        them over time: each differs little from the one before, but much from that of
        :data:`SETTLE_TIME` ago.
        """
        earlier, before = self._recent[0]
        if self._differed_at > earlier:
            return False
        changed = self._changed(np.asarray(cv2.absdiff(before, small)))
        if changed <= _MOTION_THRESHOLD:
            return False
        compared = self._compared_with(before)
        displacement = self._estimate_motion(compared, small)
        if compared.too_far:
            return True
        relit = compared.baseline.undo_light(compared.baseline.undo_motion(small, compared.motion))
        return self._remaining(compared, relit, displacement) > _MAX_UNLIT_SHARE * changed
