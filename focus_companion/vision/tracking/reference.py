"""The reference: the picture with which later ones are compared, and what is known of the squares in it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from ...game.squares import SQUARES
from ..arrays import Floats, Mask
from ..capture.frames import Image
from ..capture.sampling import subsampled
from ..geometry.stack_masks import Outlines, Window
from ..registration.baseline import MIN_FIT, Baseline
from ..registration.conditions import Conditions
from ..registration.motion import STILL, Motion, Sampling
from .change import CLEAR_SHARE, Change, Smoothed, board_window
from .occluder import SceneObject

_COARSE_PITCH = 18.0
"""Pixels per square in the subsampled copies from which conditions are estimated."""
POSSIBLE_CHANGE = 0.1
"""Changed share assumed for a square that may have changed before the reference was taken."""


class Reference:
    """A picture of the position, except on squares that are ``unsettled`` (they disagreed with the position
    when the picture was adopted, for its light or for the pose of the board) or ``hidden`` by an object that
    belongs to the scene. ``mark``: a later picture, since which changes are computed as well.
    """

    def __init__(self, picture: Smoothed, wrong: Sequence[int] = (), hidden: Collection[int] = ()) -> None:
        """``wrong``: squares that disagree with the position, possibly including ``hidden`` ones."""
        self.picture = picture
        self.mark: Smoothed | None = None
        self.hidden = tuple(square for square in hidden if square in wrong)
        self.unsettled = tuple(square for square in wrong if square not in self.hidden)
        self._confirmed = False
        """Whether the picture is known to show the position."""
        self.objects: list[SceneObject] = []
        """The objects that have become part of the scene; :attr:`picture` does not show them."""
        self._coarse: tuple[Smoothed, Image] | None = None
        self._keyframe: tuple[Outlines, Baseline] | None = None
        self._fits = 1.0
        self._moved = STILL
        """The camera's motion from the keyframe to :attr:`picture`."""
        self._remaining = STILL
        """The same to the picture of the last :meth:`conditions`, after these are undone."""

    def conditions(self, picture: Smoothed, outlines: Outlines, near: Motion = STILL) -> Conditions:
        """The camera's motion until a later picture, with ``near`` as the initial estimate, and the change of
        light.

        Motions are estimated from one keyframe as long as it fits; from picture to picture, small errors
        would accumulate.
        """
        every = max(1, round(outlines.pitch / _COARSE_PITCH))
        window = board_window(outlines)
        before = self._coarse_copy(window, every)
        if self._keyframe is None or self._keyframe[0] is not outlines:
            camera = outlines.camera
            sampling = Sampling(window, every, outlines.pitch / every, camera.lens, camera)
            self._keyframe, self._moved = (outlines, Baseline(before, sampling)), STILL
        baseline = self._keyframe[1]
        coarse = subsampled(picture.part(window), every)
        found, self._fits = baseline.conditions(coarse, before, near, self._moved)
        self._remaining = found.remaining
        return found

    def _coarse_copy(self, window: Window, every: int) -> Image:
        if self._coarse is None or self._coarse[0] is not self.picture:
            self._coarse = self.picture, subsampled(self.picture.part(window), every)
        return self._coarse[1]

    def follow(self, picture: Smoothed, change: Change | None) -> None:
        """Replace the picture by a later one that also shows the position, with this ``change`` since."""
        self.hidden, self._confirmed = self.hidden_after(change), True
        picture = self._without_objects(picture, change)
        self.picture, self.unsettled, self._moved = picture, (), self._remaining
        if self._fits < MIN_FIT:
            self._keyframe = None

    def unsettle(self, squares: Sequence[int]) -> None:
        """The picture does not show what stands on these squares now."""
        self.unsettled = tuple(sorted({*self.unsettled, *squares}.difference(self.hidden)))

    def set_mark(self, picture: Smoothed, change: Change | None) -> None:
        """Set the :attr:`mark`; ``change`` is that since the reference."""
        self.mark = self._without_objects(picture, change)

    def _without_objects(self, picture: Smoothed, change: Change | None) -> Smoothed:
        """The picture, with what was last seen where objects cover it now."""
        if change is None or change.occluded is None:
            return picture
        shown = np.where(change.occluded[..., None], self.picture.image, picture.image)
        return Smoothed(shown, picture.undone)

    def add_object(self, found: SceneObject, visible: Mask) -> None:
        """Make an object part of the scene. The pixels ``visible`` of its window show squares that are still
        visible, but look different from now on.
        """
        self.objects.append(found)
        if visible.any():
            self.picture = Smoothed(found.pasted(self.picture.image, visible), self.picture.undone)
        self.hidden = tuple(sorted({*self.hidden, *found.hidden}))

    def remove_objects(self, image: Image) -> None:
        """Forget the objects that a later picture no longer shows: whatever was done on their squares in the
        meantime is then a change.
        """
        for gone in [each for each in self.objects if each.is_gone(image, self.picture.image)]:
            self.objects.remove(gone)
            self.hidden = tuple(square for square in self.hidden if square not in gone.hidden)

    def forget_under_objects(self, squares: Collection[int]) -> None:
        """The stacks on these squares have changed: what objects cover there is no longer known. These
        objects become part of the picture.
        """
        changed = {*squares}
        for each in [each for each in self.objects if not changed.isdisjoint(each.squares)]:
            self.objects.remove(each)
            self.picture = Smoothed(each.pasted(self.picture.image, each.mask), self.picture.undone)

    def hidden_after(self, change: Change | None) -> tuple[int, ...]:
        """The squares that are still hidden: any that clearly changed was uncovered, or is occluded by
        something else.
        """
        if change is None:
            return self.hidden
        return tuple(square for square in self.hidden if change.touched[square] < CLEAR_SHARE)

    def covered_by_objects(self, change: Change | None) -> tuple[int, ...]:
        """The squares that are :meth:`still hidden <hidden_after>`, and those that objects cover now."""
        hidden = self.hidden_after(change)
        return hidden if change is None else tuple(sorted({*hidden, *change.covered_squares}))

    def touched(self, change: Change | None) -> Floats:
        """For each square, the share of its pixels that have, or may have, changed since the position stood
        there, (52,); ``change`` is ``None`` for the reference itself.
        """
        touched = np.zeros(len(SQUARES)) if change is None else change.touched.copy()
        if self.unsettled or (change is None and not self._confirmed):
            # Any square may have changed before the reference was taken; those that disagree certainly have.
            touched = np.maximum(touched, POSSIBLE_CHANGE)
            touched[list(self.unsettled)] = 1.0
        touched[list(self.hidden_after(change))] = 0.0
        return touched
