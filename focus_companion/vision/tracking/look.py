"""A still picture of the board with its evidence, passed from the watcher to the referee."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..appearance.cast_shadows import CastShadows, Darkening
from ..appearance.evidence import Evidence
from ..appearance.shadow_patches import shadows_may_overlap
from ..arrays import Floats
from ..capture.frames import Image
from ..registration.conditions import Conditions
from .change import CLEAR_SHARE, Change, Smoothed
from .occluder import Occluder
from .probe import AGREEMENT_THRESHOLD, Probe, agreement, disagreeing_squares
from .regions import AddedObject, Regions
from .state import StillFrame
from .stillness import Small

_MIN_TOUCHED_SHARE = 0.01
"""Changed share of a square's pixels above which the square counts as changed a little."""
_ALL_OVER_SHARE = 0.9
"""Share of such squares above which a lamp was moved or the exposure has changed; an arm changes nothing
where it does not reach."""
_WIDESPREAD_SHARE = 0.3
"""Share of such squares above which a shadow or a reflection has moved over the board."""
_MIN_FAINT_DEVIATION = 6.0
"""Minimum deviation, in standard deviations, of a faintly changed square."""
_MAX_FAINT_SQUARES = 4
"""Maximum number of faintly changed squares in a look."""
_MIN_PERMANENT_MOTION = 0.15
"""Motion of the camera, in squares, above which the reference is replaced by one from the camera's new
place."""


@dataclass
class Look:
    """A still picture of the board.

    ``time`` is that of the newest frame, ``since`` that of the first still one. ``touched`` (52,) is the
    share of each square's pixels that have, or may have, changed since the reference picture, in which
    ``evidence.standing`` stood. ``unsettled`` squares already disagreed with that position when the reference
    was adopted, for its light or for the pose of the board. On ``outdated`` squares, the reference shows an
    earlier position: no picture of the present one has been seen; each with the height of the higher of its
    two stacks. ``since_mark`` is the change since the
    marked picture, if any.
    """

    time: float
    since: float
    evidence: Evidence
    change: Change | None
    touched: Floats
    since_mark: Change | None
    number: int
    unsettled: tuple[int, ...]
    smoothed: Smoothed = field(repr=False)
    small: Small = field(repr=False)
    taken: StillFrame = field(repr=False)
    """The picture as captured; ``image`` is the same picture under the conditions of the reference."""
    conditions: Conditions | None = None
    """Camera motion and light relative to the reference; ``None`` for the reference itself."""
    hidden_by_object: tuple[int, ...] = ()
    """Squares hidden by an object that is part of the scene; what changes there is the object."""
    outdated: Mapping[int, int] = field(default_factory=dict)
    shadows: CastShadows = field(default_factory=CastShadows, repr=False)
    """What is known of the shadows."""
    unwatched: float = 0.0
    """Seconds of the longest interval without pictures since the reference; 0 without a pause."""
    _shadow_evidence: dict[object, float] = field(default_factory=dict, repr=False)

    @property
    def image(self) -> Image:
        return self.smoothed.image

    @property
    def age(self) -> float:
        """Seconds for which this picture has been still."""
        return self.time - self.since

    @property
    def displaced(self) -> bool:
        """Whether the camera, or the board, has moved so far that the stacks show a little of other sides."""
        moved = 0.0 if self.conditions is None else self.conditions.corner_displacement()
        return moved > _MIN_PERMANENT_MOTION * self.evidence.outlines.pitch

    @property
    def all_over(self) -> bool:
        """Whether nearly all squares have changed a little, as in another light; an arm changes fewer."""
        return self._share_changed > _ALL_OVER_SHARE

    @property
    def widespread(self) -> bool:
        """Whether more squares have changed a little than an arm and its shadow usually affect."""
        return self._share_changed > _WIDESPREAD_SHARE

    @property
    def _share_changed(self) -> float:
        touched = self.touched if self.change is None else self.change.touched
        return float((touched > _MIN_TOUCHED_SHARE).mean())

    @cached_property
    def appeared(self) -> str:
        """Letters of the pieces put down beside the lattice since the reference picture."""
        return self._appeared(self.change)

    @cached_property
    def appeared_since_mark(self) -> str:
        """The same since the marked picture."""
        return self._appeared(self.since_mark)

    def _appeared(self, change: Change | None) -> str:
        return "" if change is None else change.appeared(self.evidence.colours)

    def gain_before(self, square: int, stack: str, *, off_centre: bool = False) -> float:
        """Nats by which the reference picture favoured this stack over the one that stands there; 0 if the
        reference does not show that one, as far as is known. ``off_centre``: if their pieces stand a little
        off centre; 0 if the reference certainly did not favour it.
        """
        unknown = square in self.unsettled or square in self.outdated
        before = None if unknown else self._evidence_before
        if before is None or (off_centre and before.off_centre_at_most(square, stack) < 0):
            return 0.0
        return before.stack_nats(square, stack, off_centre=off_centre)

    @cached_property
    def _evidence_before(self) -> Evidence | None:
        """The evidence of the reference picture, in which the same stacks stood; ``None`` if this look is of
        it.
        """
        return None if self.change is None else self.evidence.of_picture(self.change.before)

    @cached_property
    def shadows_known(self) -> bool:
        """Whether shadows may be evidence for an act."""
        return self.shadows.known and self.change is not None

    def shadow_evidence(self, square: int, changes: Mapping[int, str]) -> float:
        """Nats for the stack that ``changes`` leave on a square rather than the one that stood there, by its
        shadow alone; 0 if the shadow does not show it. See :class:`.CastShadows`.
        """
        if not self.shadows_known or square in self.unsettled:
            return 0.0
        stood = self.evidence.standing
        # Acts must not differ in where this shadow is measured, whatever they say of the squares near it.
        heights = dict(self._heights_if_changed)
        for s, stack in changes.items():
            heights[s] = max(heights.get(s, len(stood[s])), len(stack))
        others = {s: height for s, height in sorted(heights.items()) if shadows_may_overlap(square, s)}
        change = len(stood[square]), len(changes[square])
        key = square, change, tuple(others.items())
        if key not in self._shadow_evidence:
            seen = self._darkening
            self._shadow_evidence[key] = self.shadows.log_likelihood_ratio(seen, square, *change, others)
        return self._shadow_evidence[key]

    @cached_property
    def _heights_if_changed(self) -> dict[int, int]:
        """The squares that may have changed, with the greatest height that is usual for their stacks then."""
        changed = np.flatnonzero(self.touched >= CLEAR_SHARE).tolist()
        return {s: len(self.evidence.standing[s]) + 1 for s in changed}

    @cached_property
    def _darkening(self) -> Darkening:
        change = self.change
        assert change is not None
        heights = [len(stack) for stack in self.evidence.standing]
        return Darkening.between(*change.shown, change.window, change.outlines, heights)

    @cached_property
    def deviations(self) -> Floats:
        """Deviation of each square in standard deviations, (52,): :meth:`.Change.deviations`; 0 if an object
        hides it.
        """
        found = np.zeros(len(self.touched)) if self.change is None else self.change.deviations()
        found[list(self.hidden_by_object)] = 0.0
        return found

    @cached_property
    def faintly_changed(self) -> dict[int, float]:
        """The squares with few changed pixels that deviate most, with their deviations in standard
        deviations: a piece was placed on its own colour, or a shadow has moved.
        """
        if self.change is None:
            return {}
        deviation = self.deviations
        faint = sorted(
            np.flatnonzero((deviation >= _MIN_FAINT_DEVIATION) & (self.touched < CLEAR_SHARE)),
            key=lambda s: -deviation[s],
        )
        return {int(s): float(deviation[s]) for s in faint[:_MAX_FAINT_SQUARES]}

    @cached_property
    def occluder(self) -> Occluder | None:
        """The occluder over the squares, if any; ``None`` if much of the board has changed, as another light
        is then more likely.
        """
        return None if self.change is None or self.widespread else Regions(self.change).occluder()

    @cached_property
    def only_stacks_changed(self) -> bool:
        """Whether only stacks and their shadows have changed: an arm also changes what lies between them."""
        return self.change is not None and Regions(self.change).occluder(in_shadow=True) is None

    @cached_property
    def hidden(self) -> tuple[int, ...]:
        """Squares under the occluder that do not clearly agree with the expected position."""
        if self.occluder is None:
            return ()
        return tuple(square for square in self.occluder.squares if square not in self.agreeing)

    @cached_property
    def agreeing(self) -> frozenset[int]:
        """Squares whose top clearly agrees with the expected position."""
        return self.agreeing_with({})

    def agreeing_with(self, changes: Mapping[int, str]) -> frozenset[int]:
        """Squares whose top clearly agrees with the expected position after these changes of stacks."""
        outlines, evidence = self.evidence.outlines, self.evidence
        stacks = [changes.get(square, stack) for square, stack in enumerate(evidence.standing)]
        shown = agreement(self.image, outlines.camera, Probe(outlines.profile, stacks), evidence.colours)
        return frozenset(np.flatnonzero(shown > AGREEMENT_THRESHOLD).tolist())

    def plainly_changed(self, changes: Mapping[int, str]) -> frozenset[int]:
        """The squares that nothing covers, as the stacks that turns have certainly left there are plain to
        see, and those that stood there before are not. ``changes``: these stacks, by square.
        """
        return self.agreeing_with(changes).intersection(changes).difference(self.agreeing)

    def scene_object(self, changes: Mapping[int, str]) -> AddedObject | None:
        """The occluder as an object that belongs to the scene; ``None`` without one. ``changes``: the stacks
        that turns have certainly left on some squares.
        """
        if self.occluder is None or self.change is None:
            return None
        acted = self.plainly_changed(changes)
        hidden = [square for square in self.hidden if square not in acted]
        return Regions(self.change).scene_object(self.occluder, self.image, hidden, self.agreeing, acted)

    def disagreeing(self, stacks: Sequence[str]) -> tuple[int, ...]:
        """Squares whose top disagrees with the position ``stacks`` (52)."""
        outlines = self.evidence.outlines
        probe = Probe(outlines.profile, stacks)
        return disagreeing_squares(self.image, outlines.camera, probe, self.evidence.colours)

    def foreign_area(self, explained: Sequence[int], tallest: dict[int, int]) -> float:
        """Area, in squares, of the largest change not accounted for by pieces on ``explained`` squares or by
        earlier turns; see :meth:`.Regions.foreign_area`.
        """
        if self.change is None:
            return 0.0
        heights = dict(tallest)
        for square, height in self.outdated.items():
            heights[square] = max(height, heights.get(square, 0))
        return Regions(self.change).foreign_area({*explained, *self.outdated}, heights)

    def arm_area(self, squares: Sequence[int]) -> float:
        """Area, in squares, of what may be an arm that hides these squares; see :meth:`.Regions.arm_area`."""
        return Regions(self.change).arm_area(squares) if self.change else 0.0
