"""Pictures in, looks out: finds the board, waits for stillness, follows pushes and changes of light.

The watcher knows which position should stand (it is told after every turn) and learns the colours from it. It
says nothing of rules: a :class:`Look` is a still picture with its evidence, for the referee to judge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ..appearance.background import Background
from ..appearance.colour_model import ColourModel
from ..appearance.evidence import Evidence
from ..appearance.first_colours import before_any_piece
from ..appearance.learning import learn
from ..capture.frames import Frame, Image
from ..detection.find_board import FoundBoard, find_board
from ..detection.manual_corners import Corners, camera_of, check_corners, settled
from ..detection.quarter_turn import right_way_round
from ..detection.refine import settled_by_pieces
from ..geometry.lens_profiles import LensProfile
from ..geometry.scene import BoardProfile, Camera
from ..geometry.stack_masks import Outlines
from .change import Change, Covering, Smoothed, board_window
from .conditions import STILL, Motion
from .first_pieces import FirstPieces
from .look import Look
from .push import Probe, disagreeing_squares, seek, share_agreeing
from .push_fit import AGREED, agreements, fits, places
from .reference import Reference
from .stillness import Small, Stillness
from .watching import (
    ABSORB,
    ASTRAY,
    AWAY,
    BLINK,
    GONE,
    HELD,
    LONG_LOST,
    RESUMED,
    SAME,
    SEEK_AGAIN,
    SEEK_SOON,
    SETTING_UP,
    SETTLE,
    SOON,
    SPREAD,
    UPSET,
    State,
)

FinderCall = Callable[[Image, Sequence[BoardProfile], Sequence[str] | None], FoundBoard | None]


class Watcher:
    """Follows one board through a stream of frames."""

    def __init__(
        self,
        profiles: Sequence[BoardProfile],
        standing: Sequence[str],
        players: str,
        *,
        rank1: str = "bottom",
        lens: LensProfile | None = None,
        finder: FinderCall | None = None,
    ) -> None:
        """``players`` are the letters of the colours in play; ``rank1`` is the side of the picture at which
        rank 1 lies where the position cannot tell; ``lens`` the camera's, if it is known.
        """
        self._profiles, self._lens = tuple(profiles), lens
        self._finder: FinderCall = finder or partial(find_board, lens=lens)
        self._players, self._rank1 = players, rank1
        self.standing = tuple(standing)
        self.state = State.SEEKING
        self.camera: Camera | None = None
        self.profile: BoardProfile | None = None
        self.outlines: Outlines | None = None
        self._colours = ColourModel()
        self._background: Background | None = None
        self._reference: Reference | None = None
        self._stillness = Stillness()
        self._look: Look | None = None
        self._count = 0
        self._moved = False
        self._motion = STILL
        self._seek_at_once()
        self._relearned = -1
        self._upset_since: float | None = None
        self._lost_since = 0.0
        self._upset_tried = 0.0
        self._given: Corners | None = None
        self._by_hand = self._stood = False
        self._size_seen: tuple[int, int] | None = None
        self._first_pieces = FirstPieces()

    # ---- what the session tells --------------------------------------------------------------------------

    def confirm(self, stacks: Sequence[str], doubtful: Sequence[int] = (), *, shown: bool = True) -> None:
        """This position stands now, and the last look shows it: learn from it, but on the squares on which
        something else may stand. Not ``shown``: more has changed since, which the next look is to tell.
        """
        self.standing = tuple(stacks)
        self._stood = True
        if self._reference is not None:
            self._reference.mark = None
        if self._look is not None and self.outlines is not None:
            if shown:
                self._learn(self._look.smoothed, keep=0.75, doubtful=doubtful)
                self._follow(self._look)
                if self._look is not None and self._first_pieces.more(self.standing, doubtful):
                    self._fit_anew(self._look.smoothed, doubtful)
            self._look = None

    def _fit_anew(self, now: Smoothed, doubtful: Sequence[int]) -> None:
        """Choose the set, and fit the pose, by what surely stands in ``now``."""
        assert self.camera is not None and self._background is not None
        self._first_pieces.fitted(stands := self.standing, doubtful)
        found = settled_by_pieces(now.image, self.camera, self._profiles, stands, self._lens, doubtful)
        (self.camera, self.profile), self.outlines = found, Outlines(*found)
        self._background.forget()
        self._watch_board()
        self._learn(now, keep=0.0, doubtful=doubtful)

    def expect(self, stacks: Sequence[str]) -> None:
        """This position should stand now, though no look has shown it (a correction by hand, a new game)."""
        self.standing = tuple(stacks)
        self._look = None
        if self._reference is not None:
            self._reference.mark = None
            if self.state is State.WATCHING:
                self._seek_at_once()
                self.state = State.SEEKING

    @property
    def setting_up(self) -> bool:
        """Whether the board still counts as lying where it lay, while another position is set up on it."""
        known = self.state is State.SEEKING and self.camera is not None
        return known and self._attempts < SOON + GONE / SEEK_AGAIN

    def mark(self) -> None:
        """Remember the last look: later looks tell what changed since."""
        if self._reference is not None:
            self._reference.mark = self._look.smoothed if self._look is not None else None

    def unchanged(self) -> None:
        """The last look shows the standing position: follow the slow drift of the light."""
        if self._look is not None:
            self._follow(self._look)

    def _follow(self, look: Look) -> None:
        assert self._reference is not None
        self._reference.follow(look.smoothed, look.change)
        if look.conditions is None or look.taken is None or self.outlines is None:
            return
        if look.conditions.moves() > AWAY * self.outlines.pitch:
            self._move_along(look.conditions.motion, Smoothed(look.taken))

    def _move_along(self, motion: Motion, taken: Smoothed) -> None:
        """The camera has moved for good: from now on pictures are compared with one from its new place."""
        assert self.camera is not None and self.profile is not None and self._reference is not None
        camera = motion.camera(self.camera)
        # A little more exactly: the lens may be known less well than the board.
        place, agrees = fits(taken.image, camera, camera, self.profile, self.standing)[0]
        self.camera = place if agrees > AGREED else camera
        self.outlines = Outlines(self.camera, self.profile)
        self._reference = Reference(taken, self._reference.hidden, self._reference.hidden)
        self._background = Background(*taken.image.shape[:2])
        self._motion, self._look = STILL, None
        self._watch_board()
        self._learn(taken, keep=0.75, doubtful=())

    def place(self, corners: Corners | None, *, believed: bool = True) -> None:
        """Where the board lies, by the word of somebody who sees it; ``None``: look for it again.

        The next still picture is taken to show it there, however little of the position stands; not
        ``believed`` (said long ago), only if as much of it shows as where the board was last.

        Raises:
            ValueError: no camera sees a board like that, with a sentence for people.
        """
        if corners is not None:
            check_corners(corners)
            if self._size_seen is not None:
                camera_of(corners, *self._size_seen, self._profiles[0])
        self._forget_place()
        self._given, self._by_hand, self._stood = corners, believed and corners is not None, False
        self._seek_at_once()

    def disagreeing(self, look: Look) -> tuple[int, ...]:
        """Squares whose top does not show what should stand there."""
        assert self.camera is not None and self.profile is not None
        return disagreeing_squares(look.image, self.camera, Probe(self.profile, self.standing), self._colours)

    def absorb(self, look: Look) -> Look | None:
        """Something has lain over or beside the board for long: from now on it belongs to the scene. What
        stands on the squares that it hides is not judged until it is gone.

        Where much of the board looks different it is the light: then only if nearly every square still shows
        its position; else nothing changes.
        """
        assert self.camera is not None and self.profile is not None
        frame = Frame(look.number, look.time, look.image)
        if look.covering is not None:
            return self._take_in(look, look.covering)
        back = self._adopt(frame, look.small, self.camera, self.profile, self._colours)
        if back is None and look.all_over and self._relearned != look.number:
            # A lamp may change the bare board alone: where the outlines have stayed, its shades are learned.
            self._relearned = look.number
            (stayed,) = agreements(look.image, (self.camera,), self.profile, self.standing)
            if stayed > AGREED:
                back = self._adopt(frame, look.small, self.camera, self.profile, None)
        return back

    def _take_in(self, look: Look, covering: Covering) -> Look:
        """Have a thing lie in the pictures with which later ones are compared too."""
        assert self._reference is not None
        self._reference.take_in(covering, look.image, look.hidden)
        change = self._against(look.smoothed, self._reference.picture)
        again = self._new_look(Frame(look.number, look.time, look.image), look.smoothed, look.small, change)
        again.since, again.conditions, again.taken = look.since, look.conditions, look.taken
        return again

    # ---- frames ------------------------------------------------------------------------------------------

    def see(self, frame: Frame) -> Look | None:
        """The look that this frame gives: None while something moves or no board is in view."""
        if self.outlines is not None and frame.picture.shape[:2] != self._size():
            self._forget_place()
        self._size_seen = frame.picture.shape[1], frame.picture.shape[0]
        if self._given is not None and self.outlines is None:
            self._take_place(self._given)
        small = self._stillness.small_copy(frame.picture)
        still = self._stillness.update(frame.time, small)
        # After any motion the picture is looked at anew, however like the last one it seems when reduced.
        self._moved = self._moved or not still
        if still < SETTLE or self._stillness.frames < 2:
            return None
        if self.state is not State.WATCHING:
            return self._search(frame, small)
        look = self._look
        if look is not None and not self._moved and not self._stillness.differ(small, look.small):
            look.time = frame.time
            if (
                self._upset_since is None
                or look.change is None
                or frame.time - self._upset_tried < SEEK_AGAIN
            ):
                return look
            taken = look.image if look.taken is None else look.taken
            return self._recover(Frame(frame.index, frame.time, taken), small, look.change) or look
        del look
        return self._take(frame, small, still)

    def _size(self) -> tuple[int, int]:
        assert self.camera is not None
        return self.camera.lens.height, self.camera.lens.width

    def _seek_at_once(self) -> None:
        self._sought, self._attempts = -SEEK_AGAIN, 0

    def _search(self, frame: Frame, small: Small) -> Look | None:
        if frame.time - self._sought < (SEEK_SOON if self._attempts < SOON else SEEK_AGAIN):
            return None
        self._sought = frame.time
        self._attempts += 1
        if self.camera is not None and self.profile is not None:
            # Where it was last, before it is looked for everywhere; a board being set up may differ much.
            seeking = 0.0 if self._by_hand else SETTING_UP
            held = seeking if self.state is State.SEEKING else self._lost_held(frame)
            camera, profile, colours = self.camera, self.profile, self._colours
            if self._given is not None:
                camera, profile = settled(frame.image, camera, self._profiles, self.standing)
                self._given = None
                self._first_pieces.fitted(self.standing)
                back = self._adopt(frame, small, camera, profile, None, held)
            else:
                back = self._adopt(frame, small, camera, profile, colours, held)
            if back is not None:
                return back
        found = self._finder(frame.image, self._profiles, self.standing)
        if found is None:
            return None
        held = HELD if self.state is State.SEEKING else self._lost_held(frame)
        camera = right_way_round(frame.image, found.camera, found.profile, self.standing, self._rank1)
        self._by_hand = False
        self._first_pieces.fitted(self.standing)
        return self._adopt(frame, small, camera, found.profile, None, held)

    def _lost_held(self, frame: Frame) -> float:
        """Share of squares that must show their position for a board out of view to be back."""
        return SAME if frame.time - self._lost_since < LONG_LOST else RESUMED

    def _adopt(
        self,
        frame: Frame,
        small: Small,
        camera: Camera,
        profile: BoardProfile,
        colours: ColourModel | None,
        held: float = SAME,
    ) -> Look | None:
        """Take a new pose or light as true if the standing position shows there on a share ``held`` of
        squares.

        With ``colours`` known, they judge; without, they are learned here from the position itself.
        """
        image = frame.image
        outlines, probe = Outlines(camera, profile), Probe(profile, self.standing)
        background = Background(*image.shape[:2])
        known = colours is not None
        if colours is None:
            colours = self._usual_colours()
            learn(image, outlines, self.standing, colours, background, keep=0.0)
        if share_agreeing(image, camera, probe, colours) < held:
            return None
        wrong = disagreeing_squares(image, camera, probe, colours)
        if known or wrong:
            # Learn without the squares that show something else.
            if not known:
                colours = self._usual_colours()
            background.forget()
            keep = 0.4 if known else 0.0
            learn(image, outlines, self.standing, colours, background, keep=keep, except_squares=wrong)
            wrong = disagreeing_squares(image, camera, probe, colours)
        self.camera, self.profile, self.outlines = camera, profile, outlines
        self._colours, self._background = colours, background
        smoothed = Smoothed(image)
        hidden = self._reference.hidden if self._reference is not None else ()
        self._reference = Reference(smoothed, wrong, hidden)
        self._upset_since, self._attempts, self._motion = None, 0, STILL
        self.state = State.WATCHING
        self._watch_board()
        return self._new_look(frame, smoothed, small, None)

    def _usual_colours(self) -> ColourModel:
        return before_any_piece(self._players, self.profile or self._profiles[0])

    def _new_look(
        self,
        frame: Frame,
        smoothed: Smoothed,
        small: Small,
        change: Change | None,
    ) -> Look:
        assert self.outlines is not None and self._background is not None and self._reference is not None
        self._count += 1
        self._moved = False
        evidence = Evidence(frame.image, self.outlines, self._colours, self._background, self.standing)
        mark = self._reference.mark
        marked = self._against(smoothed, mark) if change is not None and mark is not None else None
        self._look = Look(
            time=frame.time,
            since=frame.time,
            evidence=evidence,
            change=change,
            touched=self._reference.touched(change),
            unsettled=self._reference.unsettled,
            since_mark=marked,
            number=self._count,
            smoothed=smoothed,
            small=small,
        )
        return self._look

    def _against(self, now: Smoothed, before: Smoothed) -> Change:
        assert self.outlines is not None
        return Change(now, before, self.outlines, self.standing, self._stillness.noise)

    def _take(self, frame: Frame, small: Small, still: float) -> Look | None:
        assert self.outlines is not None and self._reference is not None
        # Let go of before the next is made: each holds tens of megabytes.
        before, self._look = self._look, None
        seen = None if before is None else (before.time, before.since, before.small)
        del before
        smoothed = Smoothed(frame.image)
        conditions = self._reference.conditions(smoothed, self.outlines, self._motion)
        self._motion = conditions.motion
        taken = frame.image
        if not conditions.same:
            frame = Frame(frame.index, frame.time, conditions.undone(taken))
            smoothed = Smoothed(frame.image)
        change = self._against(smoothed, self._reference.picture)
        if int((change.touched > 0.2).sum()) >= UPSET:
            # As it was taken: a board pushed by a square looks much like one that has hardly moved.
            raw = change if conditions.same else self._against(Smoothed(taken), self._reference.picture)
            recovered = self._recover(Frame(frame.index, frame.time, taken), small, raw)
            if recovered is not None:
                return recovered
        else:
            self._upset_since = None
        since = frame.time - still
        if seen is not None and frame.time - seen[0] < BLINK and not self._stillness.differ(small, seen[2]):
            # A flicker of the light or of the camera between two like pictures is no new picture.
            since = seen[1]
        look = self._new_look(frame, smoothed, small, change)
        look.since, look.conditions, look.taken = since, conditions, taken
        return look

    def _recover(self, frame: Frame, small: Small, change: Change) -> Look | None:
        """Many squares changed at once: another light, a push, or something over the board?"""
        assert self.camera is not None and self.profile is not None
        if self._upset_since is None:
            self._upset_since = frame.time
        self._upset_tried = frame.time
        probe = Probe(self.profile, self.standing)
        here = share_agreeing(frame.image, self.camera, probe, self._colours)
        camera, there = seek(frame.image, self.camera, self.profile, probe, self._colours)
        # An arm changes a part of the board; a push or a lamp changes all of it.
        standing = np.array([bool(stack) for stack in self.standing])
        spread = float((change.touched > 0.08)[standing].mean()) if standing.any() else 1.0
        if max(here, there) >= SAME and spread > SPREAD:
            start = camera if there > here else self.camera
            for place, agrees in places(frame.image, self.camera, start, self.profile, self.standing):
                if agrees > ASTRAY and (
                    back := self._adopt(frame, small, place, self.profile, self._colours)
                ):
                    return back
                # Under another lamp, known colours may see the board beside the place where it lies beyond
                # doubt: then they are learned anew there.
                if agrees > AGREED and (back := self._adopt(frame, small, place, self.profile, None)):
                    return back
        stays = here < SAME and spread > SPREAD and (there < SAME or self._stays(frame.image, camera))
        if stays and self._relit(frame.image, probe):
            return self._adopt(frame, small, self.camera, self.profile, None)
        # Outlines may mislead where the colours do not: noise, a hard shadow, a piece that has moved too.
        if (
            there >= SAME
            and spread > SPREAD
            and (back := self._adopt(frame, small, camera, self.profile, self._colours))
        ):
            return back
        lasted = frame.time - self._upset_since
        if here >= SAME and lasted > ABSORB:
            return self._adopt(frame, small, self.camera, self.profile, self._colours)
        if lasted > GONE and (max(here, there) < 0.5 or spread > SPREAD):
            # Nothing is seen where it was; whatever the reason, the board is looked for anew.
            if self._by_hand and not self._stood:
                # The board is where somebody has pointed; it is only being set up.
                return self._adopt(frame, small, self.camera, self.profile, None, 0.0)
            self.state, self._lost_since = State.LOST, frame.time
            self._look = None
        return None

    def _stays(self, image: Image, elsewhere: Camera) -> bool:
        """Do the outlines agree no less where the board was than where its colours see it? With colours
        learned anew, a board that was pushed a little may seem to lie where it lay.
        """
        assert self.camera is not None and self.profile is not None
        here, there = agreements(image, (self.camera, elsewhere), self.profile, self.standing)
        return here >= there

    def _relit(self, image: Image, probe: Probe) -> bool:
        """With colours learned anew at the old place, does nearly every square show its position?"""
        assert self.camera is not None and self.profile is not None and self.outlines is not None
        fresh = self._usual_colours()
        learn(image, self.outlines, self.standing, fresh, Background(*image.shape[:2]), keep=0.0)
        return share_agreeing(image, self.camera, probe, fresh) >= SAME

    def _learn(self, smoothed: Smoothed, keep: float, doubtful: Sequence[int]) -> None:
        assert self.outlines is not None and self._background is not None and self._reference is not None
        learn(
            smoothed.image,
            self.outlines,
            self.standing,
            self._colours,
            self._background,
            keep=keep,
            except_squares=(*doubtful, *self._reference.hidden),
        )

    def _take_place(self, corners: Corners) -> None:
        """Look at the place that somebody has pointed at, until a still picture settles it."""
        width, height = self._size_seen or (0, 0)
        try:
            self.camera = camera_of(corners, width, height, self._profiles[0])
        except ValueError:
            # Said of a picture of another shape, before a restart: it no longer holds.
            self._given, self._by_hand = None, False
            return
        self.profile = self._profiles[0]
        self.outlines = Outlines(self.camera, self.profile)
        self._colours = self._usual_colours()
        self._watch_board()

    def _forget_place(self) -> None:
        self.state = State.SEEKING
        self.camera = self.outlines = self._reference = self._look = None
        self._stillness.watch(None)

    def _watch_board(self) -> None:
        assert self.outlines is not None
        self._stillness.watch(board_window(self.outlines), self.outlines.camera.lens, self.outlines.pitch)
