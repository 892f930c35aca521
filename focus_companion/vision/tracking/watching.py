"""The state with the board in view: turns still pictures into looks; follows light, camera and pushes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..appearance.background import Background
from ..appearance.cast_shadows import Darkening
from ..appearance.evidence import Evidence
from ..appearance.learning import learn
from ..capture.frames import Frame, Image
from ..detection.refine import refine_by_pieces
from ..geometry.stack_masks import Outlines
from ..registration.conditions import Conditions
from ..registration.motion import STILL, Motion
from .change import Change, Smoothed, reflected, table_window
from .first_piece import fit_first_piece
from .look import Look
from .placement import Hypothesis, Placement, Verified, constraints, required_share, verify
from .push_fit import CERTAIN_AGREEMENT, agreements, fits
from .recovery import Recovery, WideChange, changed_everywhere, is_wide
from .reference import Reference
from .regions import AddedObject, Regions
from .state import LOST_TIMEOUT, RETRY_DELAY, Context, State, StillFrame
from .whole_picture import hypothesis_at, search

_MAX_FLICKER = 0.45
"""Seconds of motion between two similar pictures below which the second one does not count as new."""


class Watching:
    """A board at a known placement, and the reference with which later pictures are compared."""

    state = State.WATCHING

    def __init__(self, context: Context, verified: Verified, picture: StillFrame) -> None:
        """``verified``: what this picture verified; it becomes the reference and the first look."""
        self._context = context
        self._placement, self._background = verified.placement, verified.background
        smoothed = Smoothed(picture.image)
        # The known colours do not tell what stands under a reflection.
        reflection = [s for s in verified.disagree if reflected(self.outlines, s, context.reflection)]
        hidden = (*verified.placement.hidden, *reflection)
        self._reference = Reference(smoothed, verified.disagree, hidden)
        self._stood = tuple(context.standing)
        """The stacks in the reference."""
        self._motion = STILL
        self._wide_change: WideChange | None = None
        self._uncovered: Watching | None = None
        """The state before something that covers the board became part of the reference, as it may go
        again.
        """
        context.fault = ""
        context.pauses.unseen(context.unseen(picture.time))
        context.last_in_view = picture.time
        self._tried_to_absorb = 0
        """Number of the last look that was verified as a new reference. Another attempt would fail, too."""
        context.watch(self.outlines)
        self.look: Look | None = self._new_look(replace(picture, since=picture.time), smoothed, None)

    @classmethod
    def at(cls, context: Context, picture: StillFrame, hypothesis: Hypothesis) -> Watching | None:
        """The state after this picture if it verifies the hypothesis (:func:`.placement.verify`)."""
        standing, players = context.standing, context.players
        verified = verify(picture.image, hypothesis, standing, players, context.deviating)
        return None if verified is None else cls(context, verified, picture)

    @property
    def outlines(self) -> Outlines:
        """The outlines of the board at its place."""
        return self._placement.outlines

    @property
    def placement(self) -> Placement:
        """The current placement, with the currently hidden squares."""
        return replace(self._placement, hidden=self._reference.hidden)

    # ---- pictures ----------------------------------------------------------------------------------------

    def see(self, picture: StillFrame) -> Watching | None:
        """The state after this picture; ``None`` if the board is gone."""
        look = self.look
        # After any motion, the picture is compared again, even if its subsampled copy hardly differs.
        if look is None or picture.since > look.time or self._differ(picture, look):
            del look
            return self._compare(picture)
        look.time = picture.time
        if self._wide_change is None:
            self._context.last_in_view = picture.time
        if (
            self._wide_change is None
            or look.change is None
            or picture.time - self._wide_change.tried < RETRY_DELAY
        ):
            return self
        everywhere = changed_everywhere(look.change, self._context.standing)
        picture = picture.showing(look.taken.image)
        return self._recover(picture, everywhere=everywhere, other_light=everywhere)

    def _differ(self, picture: StillFrame, look: Look) -> bool:
        return self._context.stillness.differ(picture.small, look.small)

    def _compare(self, picture: StillFrame) -> Watching | None:
        """Compare a new picture with the reference, under its conditions."""
        last, self.look = self.look, None
        if last and picture.time - last.time < _MAX_FLICKER and not self._differ(picture, last):
            # A flicker between two similar pictures does not make the second one new.
            picture = replace(picture, since=last.since)
        # Each look holds tens of megabytes: this one is released before the next is made.
        del last
        smoothed, conditions, change = self._aligned(picture)
        if (uncovered := self._uncovered) is not None:
            since_uncovered = uncovered._aligned(picture)[2].touched
            if since_uncovered.sum() < change.touched.sum():
                # The earlier reference shows the squares that were covered.
                self._context.watch(uncovered.outlines)
                return uncovered._compare(picture)
        if (corrected := self._corrected_by_first_piece(picture, smoothed.image, change)) is not None:
            return corrected._compare(picture)
        if is_wide(change, self._context.standing):
            # Compared as captured: a board pushed by a square looks much like one that has hardly moved.
            everywhere = other_light = changed_everywhere(change, self._context.standing)
            # No change is kept: it holds megabytes, and the search needs as many.
            del change
            smoothed.forget_part()
            if not conditions.same:
                everywhere = changed_everywhere(
                    self._change_between(Smoothed(picture.image), self._reference.picture),
                    self._context.standing,
                )
            self._reference.picture.forget_part()
            after = self._recover(picture, everywhere=everywhere, other_light=other_light)
            if after is not self:
                return after
            change = self._change_between(smoothed, self._reference.picture)
        else:
            self._wide_change = None
            self._context.last_in_view = picture.time
        self.look = self._new_look(picture, smoothed, change, conditions)
        return self

    def _aligned(self, picture: StillFrame) -> tuple[Smoothed, Conditions, Change]:
        """The picture under the conditions of the reference, these conditions, and the change since."""
        smoothed = Smoothed(picture.image)
        conditions = self._reference.conditions(smoothed, self.outlines, self._motion)
        self._motion = conditions.motion
        if not conditions.same:
            window, before = table_window(self.outlines), self._reference.picture.image
            smoothed = Smoothed(conditions.undo(picture.image, window, before), conditions)
        self._reference.remove_objects(smoothed.image)
        return smoothed, conditions, self._change_between(smoothed, self._reference.picture)

    def _corrected_by_first_piece(
        self, picture: StillFrame, aligned: Image, change: Change
    ) -> Watching | None:
        """The state before this picture, with the pose corrected by the first piece on an empty board;
        ``None`` if there is none. ``aligned``: the picture under the conditions of the reference.
        """
        context, placement = self._context, self.placement
        if placement.constraints or any(context.standing):
            return None
        fitted = fit_first_piece(aligned, change, placement, context.profiles, context.lens)
        if fitted is None:
            return None
        empty = picture.showing(self._reference.picture.image)
        return Watching.at(context, empty, Hypothesis(fitted, relearn=True, required=0.0))

    def _change_between(self, now: Smoothed, before: Smoothed) -> Change:
        return Change(now, before, self.outlines, self._context.standing, self._reference.objects)

    def _new_look(
        self,
        picture: StillFrame,
        smoothed: Smoothed,
        change: Change | None,
        conditions: Conditions | None = None,
    ) -> Look:
        """The look of a ``picture``; ``smoothed`` is the same picture under the conditions of the
        reference.
        """
        context, reference = self._context, self._reference
        since_mark = None
        if change is not None and reference.mark is not None:
            since_mark = self._change_between(smoothed, reference.mark)
            # Only its squares, and what was put down, are asked for.
            since_mark.forget_pixels()
        return Look(
            time=picture.time,
            since=picture.since,
            evidence=Evidence(
                smoothed.image,
                self.outlines,
                self._placement.colours,
                self._background,
                context.standing,
                occluded=None if change is None else change.occluded,
            ),
            change=change,
            touched=reference.touched(change),
            unsettled=reference.unsettled,
            since_mark=since_mark,
            number=next(context.numbers),
            smoothed=smoothed,
            small=picture.small,
            # A copy that has not been decoded: the decoded picture is seldom needed again.
            taken=replace(picture),
            conditions=conditions,
            hidden_by_object=reference.covered_by_objects(change),
            outdated={
                square: max(len(before), len(now))
                for square, (before, now) in enumerate(zip(self._stood, context.standing, strict=True))
                if before != now
            },
            shadows=self._placement.shadows,
            unwatched=context.pauses.longest,
        )

    def _recover(self, picture: StillFrame, *, everywhere: bool, other_light: bool) -> Watching | None:
        """The state after many squares changed at once: by another light, a push, or something over the
        board. ``everywhere`` and ``other_light``: see :class:`.Recovery`.
        """
        context, wide_change = self._context, self._wide_change
        since = picture.time if wide_change is None else wide_change.since
        self._wide_change = WideChange(since, picture.time)
        required = required_share(context.unseen(picture.time))
        recovery = Recovery(
            picture.image,
            self.placement,
            context.standing,
            required,
            everywhere=everywhere,
            other_light=other_light,
        )
        lasted = picture.time - since
        for hypothesis in recovery.by_outlines():
            if after := Watching.at(context, picture, hypothesis):
                return after
        if recovery.moved_far and any(context.standing) and (after := self._elsewhere(picture, required)):
            return after
        for hypothesis in recovery.by_colours(lasted):
            if after := Watching.at(context, picture, hypothesis):
                return after
        if lasted <= LOST_TIMEOUT or not recovery.board_gone:
            return self
        if self._placement.by_hand and not context.confirmed:
            # The corners were marked by hand, and the board is still being set up.
            return Watching.at(context, picture, Hypothesis(self.placement, relearn=True, required=0.0))
        return None

    def _elsewhere(self, picture: StillFrame, required: float) -> Watching | None:
        """The state after this picture if the board lies anywhere else in it: the camera was put down again,
        or turned. A share ``required`` of the squares must agree there.
        """
        context = self._context
        if picture.time - context.sought_elsewhere < LOST_TIMEOUT:
            # A search in vain takes seconds, and somebody who leans over the board moves all the time.
            return None
        found = search(context, picture, self.outlines.pitch)
        there = None if found is None else hypothesis_at(context, picture, found, required)
        # A board of which only a part is in view is reported once it counts as lost.
        context.fault = ""
        after = None if there is None else Watching.at(context, picture, there)
        context.sought_elsewhere = picture.time if after is None else -math.inf
        return after

    # ---- what the referee concludes from a look ------------------------------------------------------------

    def confirm(self, doubtful: Sequence[int], shown: bool) -> None:
        """See :meth:`.watcher.Watcher.confirm`."""
        self._reference.mark = self._uncovered = None
        look, self.look = self.look, None
        stands = self._context.standing
        # Without a look, any stack may have changed.
        stood = (None,) * len(stands) if look is None else look.evidence.standing
        changed = [square for square, stack in enumerate(stands) if stack != stood[square]]
        self._reference.forget_under_objects(changed)
        if look is not None and not shown:
            self._reference.unsettle(changed)
        if look is None or not shown:
            return
        self._learn(look.image, doubtful)
        self._learn_shadows(look, doubtful)
        moved = self._follow(look)
        if not moved and self._placement.needs_refit(self._context.standing, doubtful):
            self._refit(look.image, doubtful)
        elif not moved and not doubtful and not self._reference.objects:
            # The look is the reference now: comparing the same picture with it would find nothing.
            self._wide_change = None
            picture = _frame_of(look)
            self.look = self._new_look(picture, look.smoothed, None, look.conditions)

    def mark(self) -> None:
        """See :meth:`.watcher.Watcher.mark`."""
        if self.look is None:
            self._reference.mark = None
        else:
            self._reference.set_mark(self.look.smoothed, self.look.change)

    def unchanged(self) -> None:
        """See :meth:`.watcher.Watcher.unchanged`."""
        if self.look is not None and self._follow(self.look):
            self.look = None

    def absorb(self, look: Look, added: AddedObject | None, changes: Mapping[int, str]) -> Watching:
        """The state after :meth:`.watcher.Watcher.absorb`."""
        if added is not None:
            self._add_object(look, added)
            return self
        if look.number == self._tried_to_absorb:
            return self
        self._tried_to_absorb = look.number
        context, placement = self._context, self.placement
        if look.change is not None and not look.all_over:
            hidden = {*placement.hidden, *self._under_arm(look, look.change)} - look.plainly_changed(changes)
            placement = replace(placement, hidden=tuple(sorted(hidden)))
        picture = StillFrame(Frame(look.number, look.time, look.image), look.since, look.small)
        after = Watching.at(context, picture, Hypothesis(placement))
        if after is None and look.all_over:
            # A lamp may change only the bare board: if the outlines still agree, its new shades are learned.
            cameras = (placement.camera,)
            (agrees,) = agreements(look.image, cameras, placement.profile, context.standing)
            if agrees > CERTAIN_AGREEMENT:
                after = Watching.at(context, picture, Hypothesis(placement, relearn=True))
        if after is None:
            return self
        after._uncovered = self._uncovered or self
        after._uncovered.look = self._uncovered = None
        return after

    def _under_arm(self, look: Look, change: Change) -> tuple[int, ...]:
        """The squares that may show a resting arm instead of an act, although no occluder is visible."""
        if look.widespread:
            # The arm rests together with its shadow.
            occluder = Regions(change).occluder(in_shadow=True)
            return () if occluder is None else occluder.squares
        # Its sleeve has the colour of the board.
        wrong = look.disagreeing(self._context.standing)
        return wrong if Regions(change).arm_area(wrong) else ()

    def _add_object(self, look: Look, added: AddedObject) -> None:
        """Make an object part of the scene, and look at the same picture again."""
        self._reference.add_object(*added)
        change = self._change_between(look.smoothed, self._reference.picture)
        picture = _frame_of(look)
        self.look = self._new_look(picture, look.smoothed, change, look.conditions)

    def _follow(self, look: Look) -> bool:
        """Make a look the reference. Returns whether the camera has moved permanently since the last
        reference.
        """
        context, conditions = self._context, look.conditions
        context.pauses.forget()
        if conditions is not None:
            context.reflection = conditions if conditions.veiled else None
        self._reference.follow(look.smoothed, look.change)
        self._stood = tuple(context.standing)
        if conditions is None or not look.displaced:
            return False
        self._move_along(conditions.motion, Smoothed(look.taken.image))
        return True

    def _move_along(self, motion: Motion, taken: Smoothed) -> None:
        """Follow a camera that has moved permanently; the picture ``taken`` from its new place is the new
        reference.
        """
        before, stacks = self._placement, self._context.standing
        camera = motion.camera(before.camera)
        # The outlines refine the pose, as the lens may be known less well than the board.
        fitted, agrees = fits(taken.image, camera, camera, before.profile, stacks, both=False)[0]
        self._placement = before.at(fitted if agrees > CERTAIN_AGREEMENT else camera)
        hidden = self._reference.hidden
        self._reference = Reference(taken, hidden, hidden)
        self._background = Background()
        self._motion = STILL
        self._context.watch(self.outlines)
        self._learn(taken.image)

    def _refit(self, image: Image, doubtful: Sequence[int]) -> None:
        """Choose the board profile and fit the pose by the position, which ``image`` shows."""
        context, before = self._context, self._placement
        stacks = context.standing
        camera, profile, _ = refine_by_pieces(
            image, before.camera, context.profiles, stacks, context.lens, doubtful
        )
        fitted = constraints(stacks, doubtful)
        self._placement = replace(before, outlines=Outlines(camera, profile), constraints=fitted)
        self._background.forget()
        context.watch(self.outlines)
        self._learn(image, doubtful, keep=0.0)

    def _learn_shadows(self, look: Look, doubtful: Sequence[int]) -> None:
        """Learn the shadows from the difference between the reference and a look that shows the expected
        position, except on ``doubtful`` squares.
        """
        change, uncertain = look.change, {*doubtful, *look.unsettled, *look.hidden_by_object}
        if change is None:
            return
        both = enumerate(zip(look.evidence.standing, self._context.standing, strict=True))
        heights = {s: (len(before), len(after)) for s, (before, after) in both}
        changed = {s: each for s, each in heights.items() if each[0] != each[1] and s not in uncertain}
        if changed:
            higher = [max(each) for each in heights.values()]
            seen = Darkening.between(*change.shown, change.window, change.outlines, higher)
            self._placement.shadows.learn(seen, changed)

    def _learn(self, image: Image, doubtful: Sequence[int] = (), keep: float | None = None) -> None:
        """Learn colours and background, except from squares that are ``doubtful`` or hidden."""
        context = self._context
        learn(
            image,
            self.outlines,
            context.standing,
            self._placement.colours,
            self._background,
            keep=context.keep if keep is None else keep,
            except_squares=(*doubtful, *self._reference.hidden),
        )


def _frame_of(look: Look) -> StillFrame:
    """The newest frame that shows the picture of a look, as captured."""
    return replace(look.taken, frame=replace(look.taken.frame, time=look.time), since=look.since)
