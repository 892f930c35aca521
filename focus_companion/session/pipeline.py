"""Converts frames to verdicts: connects the watcher, which does not know the rules, with the referee, which
does not see the pictures.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..game.position import Position
from ..game.rules import Rules
from ..referee.asked import NOBODY, Asked
from ..referee.referee import Referee
from ..referee.verdict import (
    BackInView,
    OutOfView,
    StartDiffers,
    StartSeen,
    TrimAwaited,
    Verdict,
)
from ..referee.visible_change import MIN_CHANGED_FRACTION
from ..referee.weighing import Judgement
from ..vision.appearance.shades import Shade, matched, measured_shades, shade_text
from ..vision.capture.frames import Frame, Image
from ..vision.detection.manual_corners import Corners, check_corners, corners_of
from ..vision.geometry.board_profiles import plastic_sets
from ..vision.geometry.lens_profiles import LensProfile
from ..vision.geometry.scene import BoardProfile, Camera
from ..vision.geometry.stack_masks import Outlines
from ..vision.overlay import draw_reading
from ..vision.placement_check import Trial, check_mount, try_picture
from ..vision.tracking.look import Look
from ..vision.tracking.resting import RestingOccluder
from ..vision.tracking.state import State
from ..vision.tracking.watcher import Watcher
from .decisions import DecisionListener
from .reading import Reader
from .usable import PictureCheck

_SET_UP_SETTLE_TIME = 0.6
"""Seconds for which a picture must be still before differences from the set-up are reported."""

_MAX_EARLY_PIECES = 2
"""Maximum number of pieces on a board that should be empty when it is found, for them to be the first turns
of a drop game: as many turns as one look can show. Raising it requires longer sequences to be weighed."""

OCCLUDER_ABSORB_TIME = 3.0
"""Seconds after which a still occluder is absorbed: it counts as part of the scene."""

OBJECT_ABSORB_TIME = 0.5
"""The same for an occluder that cannot be the acting arm: it stands by itself, hides nothing, or has stayed
while somebody acted beside it."""

RELIT_ABSORB_TIME = 0.3
"""The same if the light has changed all over the board."""

SHADE_ABSORB_TIME = 0.5
"""The same if much of the board looks different, but at most :data:`_MAX_TURN_SQUARES` squares disagree with
the position; under an arm, more would. Also how long a change that nothing explains must last before it may
become part of the reference, if all squares agree with the position."""

_MAX_TURN_SQUARES = 3
"""Maximum number of squares that disagree with the position because of one turn."""

_HIDDEN = "hidden"
"""``why`` of the event ``lost`` if squares have been covered in every still picture for a while."""

HIDDEN_TIME = 10.0
"""Seconds after which that is reported. Lowering it also reports people who lean over the board."""

_UNSTEADY = "unsteady"
"""``why`` of the event ``lost`` if no part of the picture comes to rest."""

_TRIAL_DELAY = 10.0
"""Seconds from the start until a picture is evaluated for the mount check, unless a turn has been played
before. Lowering it delays the first turn on a small machine, which is still catching up with the pictures
that came while it was finding the board."""

REST_TIME = 3.5
"""Seconds without motion after which no settle time can still be running: longer than any of them."""


class Pipeline:
    """Turns the frames of one board into verdicts."""

    def __init__(
        self,
        rules: Rules,
        profiles: Sequence[BoardProfile] | None = None,
        *,
        rank1: str = "bottom",
        lens: LensProfile | None = None,
        tries_mount: bool = True,
        threaded: bool = False,
        on_decision: DecisionListener | None = None,
    ) -> None:
        """``rank1``: the side of the picture at which rank 1 lies, used if the position is ambiguous;
        ``lens``: the camera's, if known; ``tries_mount``: whether :meth:`mount` also evaluates a picture;
        ``threaded``: whether :meth:`read` works in a separate thread; ``on_decision`` receives
        every decision of the referee with its look.
        """
        self._on_decision = on_decision
        self._lens, self._rules = lens, rules
        self._trial: Trial | None = None
        self._tries_mount = tries_mount
        self._trial_from: float | None = None
        """Time of the stream from which a still picture is evaluated; infinite until the first one after the
        start was reported. ``None``: none is to be evaluated."""
        self._mount: tuple[Outlines, Trial | None, dict[str, Any]] | None = None
        self._mounting = threading.Lock()
        self._profiles = tuple(profiles or plastic_sets())
        self._players, self._rank1 = "".join(rules.order), rank1
        self._referee = Referee(rules)
        self._watcher: Watcher | None = None
        self._known: Position | None = None
        self._ready = self._vouched = False
        self._lost = self._at_rest = self._unsteady = self._hidden = False
        self._covered_since: float | None = None
        """Since when every still picture has been covered."""
        self._fault = ""
        """The last reported fault of where the board is in the picture."""
        self._differs: tuple[int, ...] = ()
        self._lifted: tuple[int, str] | None = None
        self._given: tuple[Corners | None, bool] | None = None
        self._usable, self._resting = PictureCheck(), RestingOccluder()
        self._shades: tuple[Camera, dict[str, Shade]] | None = None
        self._reader = Reader(self._profiles, self._players, rank1, lens, threaded=threaded)

    @property
    def camera_state(self) -> str:
        """ "ok", "no board", "lost", or what makes the pictures useless ("dark", "covered", "damaged",
        "unsteady").
        """
        if self._usable.why or self._unsteady:
            return self._usable.why or _UNSTEADY
        if self._watcher is None:
            return State.SEEKING.value if self._reader.last is None else State.WATCHING.value
        return State.WATCHING.value if self._watcher.setting_up else self._watcher.state.value

    @property
    def at_rest(self) -> bool:
        """Whether nothing has moved for :data:`REST` seconds, or the board has not been found yet."""
        return self._at_rest or self._watcher is None or self._watcher.state is State.SEEKING

    @property
    def lifted(self) -> tuple[int, int] | None:
        """See :attr:`Sight.lifted`."""
        lifted, known = self._lifted, self._known
        if lifted is None or known is None:
            return None
        square, left = lifted
        return square, len(known.stacks[square]) - len(left)

    @property
    def outlines(self) -> Outlines | None:
        """The outlines of the board where it is, or is presumed to be; ``None`` without a board.

        May be read from any thread, but only once each time: the watcher may lose the board in between.
        """
        return None if self._watcher is None else self._watcher.outlines

    def push(self, frame: Frame, history: Sequence[Position], asked: Asked = NOBODY) -> list[Verdict]:
        """The verdicts of one frame. ``history`` holds the game's positions from ply 0; the board should show
        the last one. ``asked``: the players whose turns others make, and the turn to be made now.
        """
        usable, verdicts = self._check_picture(frame, same=self._at_rest)
        return verdicts + self._look(frame, history, asked) if usable else verdicts

    def _check_picture(self, frame: Frame, *, same: bool) -> tuple[bool, list[Verdict]]:
        """Whether the picture may be processed, and the verdict that it is useless, or is not any more.

        ``same``: nothing moved in the previous pictures.
        """
        before = self._usable.why
        if not self._usable.judge(frame.picture, frame.time, same=same):
            # Repeated as long as the fault lasts: the camera may have been lost and found in the meantime.
            return False, [OutOfView("camera", self._usable.why)] if self._usable.why else []
        return True, [BackInView("camera")] if before else []

    def _look(self, frame: Frame, history: Sequence[Position], asked: Asked) -> list[Verdict]:
        position = history[-1]
        if history[0].players != self._rules.order:
            # A player other than the one named has begun.
            self._rules = replace(self._rules, order=history[0].players)
            self._referee.play_by(self._rules)
        if self._watcher is None:
            self._watcher = self._new_watcher(position)
            self._known = position
            if self._given is not None:
                self._watcher.place(self._given[0], believed=self._given[1])
        elif position is not self._known:
            if self._ready and self._referee.still_stands(position):
                self._known = position
            else:
                self._follow(history)
        watcher = self._watcher
        watched = watcher.state is State.WATCHING
        watcher.set_deviating(self._referee.deviating)
        look = watcher.see(frame)
        self._at_rest = look is not None and look.age > REST_TIME
        before, self._unsteady = self._unsteady, watcher.unsteady
        if self._unsteady:
            # Repeated, as the camera may have been lost and found in the meantime.
            return [OutOfView("camera", _UNSTEADY)]
        verdicts: list[Verdict] = [BackInView("camera")] if before else []
        if watcher.state is State.LOST and not self._lost:
            self._lost, self._hidden, self._covered_since = True, False, None
            return [*verdicts, OutOfView()]
        if watcher.fault not in ("", self._fault):
            self._lost, self._fault = True, watcher.fault
            return [*verdicts, OutOfView(why=watcher.fault)]
        if watched and watcher.state is State.SEEKING and not self._lost:
            # The watcher drops a board that it was watching only if the picture size has changed.
            self._lost = True
            return [*verdicts, OutOfView(why="resolution")]
        if look is None:
            return verdicts
        if len(history) == 1 or (self._shades is None and look.evidence.outlines.profile.pieces):
            self._measure(watcher, look)
        if self._lost:
            self._lost, self._fault = False, ""
            verdicts.append(BackInView())
        if not self._ready:
            return verdicts + self._set_up(watcher, look)
        decision = self._referee.judge(look, history, asked)
        if self._on_decision is not None:
            self._on_decision(decision, look)
        verdicts += self._view_verdicts(look, covered=decision.covered)
        standing, self._lifted = decision.standing, decision.lifted
        if decision.outcome is None and standing.stacks != watcher.standing:
            # Squares that cannot be read yet, or no longer, are assumed to be right until there is evidence
            # to the contrary.
            watcher.confirm(standing.stacks, standing.doubtful, shown=standing.shown)
        if decision.lost_track:
            self._seek_set_up(watcher, position)
            return verdicts
        if any(isinstance(verdict, TrimAwaited) for verdict in decision.verdicts):
            watcher.mark()
        if self._trial_from is not None and decision.unchanged:
            self._trial_from = min(self._trial_from, frame.time + _TRIAL_DELAY)
            if len(history) > 1 or (self._at_rest and frame.time > self._trial_from):
                self._trial, self._trial_from = try_picture(look.evidence, self._players), None
        if decision.unchanged and _fit_for_reference(look):
            watcher.unchanged()
        if decision.covered:
            self._absorb_in_time(watcher, look, decision.judgement)
        else:
            self._resting.forget()
        return [*verdicts, *decision.verdicts]

    def _absorb_in_time(self, watcher: Watcher, look: Look, judgement: Judgement | None) -> None:
        """Make what covers the board in this look a part of the scene once it has been there for long
        enough.
        """
        certain = {} if judgement is None else judgement.certain_changes
        resting = self._resting.examine(look, certain)
        if look.age > self._absorb_time(look, watcher.standing, resting is not None):
            watcher.absorb(look, resting or look.scene_object(certain), certain)
            self._resting.forget()

    def _view_verdicts(self, look: Look, *, covered: bool) -> list[Verdict]:
        """The verdict that squares have been covered for long, or that they are free again."""
        before, self._hidden = self._hidden, False
        if not covered:
            self._covered_since = None
            return [BackInView()] if before else []
        if self._covered_since is None:
            self._covered_since = look.since
        self._hidden = look.time - self._covered_since >= HIDDEN_TIME
        return [OutOfView(why=_HIDDEN)] if self._hidden else []

    def _new_watcher(self, position: Position) -> Watcher:
        return Watcher(self._profiles, position.stacks, self._players, rank1=self._rank1, lens=self._lens)

    def read(self, frame: Frame, standing: Position | None) -> list[Verdict]:
        """The position that a still picture shows, independent of the game: ``BoardRead``, once it is read.

        ``standing``: the game's position, which gives the orientation of the board; ``None``: unknown.
        """
        back: list[Verdict] = []
        if standing is None:
            # ``push``, which would check the picture, is not called.
            usable, back = self._check_picture(frame, same=False)
            if not usable:
                return back
        held = None if (outlines := self.outlines) is None else outlines.camera
        found = self._reader.see(frame, None if standing is None else standing.stacks, held)
        if found is not None and found.stacks and self._watcher is None:
            # The board is sought where the position that the players accept was read.
            self._given = self._reader.corners, False
        return back if found is None else [*back, found]

    def read_again(self) -> None:
        """Read the next still picture even if it equals the last one."""
        self._reader.forget()

    def hurry(self, until: float) -> None:
        """A player says that the turn is done: until the time ``until`` no settle time is required."""
        self._referee.hurry(until)

    def vouch(self) -> None:
        """The players confirm that the position is set up although a difference was reported, such as a bare
        dome that looks like a piece: the colours are learned from the next still picture.
        """
        self._vouched = bool(self._differs)

    def _follow(self, history: Sequence[Position]) -> None:
        """The session accepted our verdict, or the game was corrected by hand."""
        assert self._watcher is not None
        self._lifted = None
        position = history[-1]
        standing = self._referee.follow(history)
        if standing is not None:
            self._watcher.confirm(standing.stacks, standing.doubtful, shown=standing.shown)
        else:
            self._seek_set_up(self._watcher, position)
            if self._watcher.outlines is None and (corners := self._reader.corners) is not None:
                # The players have accepted the reading: seek the board where it was read.
                self._watcher.place(corners, believed=False)
        self._known = position

    def _seek_set_up(self, watcher: Watcher, position: Position) -> None:
        """Wait until the board shows this position, whatever it shows now."""
        watcher.expect(position.stacks)
        self._ready = self._vouched = False
        self._differs = ()

    def _set_up(self, watcher: Watcher, look: Look) -> list[Verdict]:
        wrong = look.disagreeing(watcher.standing)
        if look.change is None and not any(watcher.standing) and 0 < len(wrong) <= _MAX_EARLY_PIECES:
            # The first look at a board on which the players have begun; the next look shows their turns.
            self._ready, self._differs = True, ()
            return [StartSeen()]
        if not wrong or self._vouched:
            self._ready, self._differs, self._vouched = True, (), False
            self._trial_from = math.inf if self._tries_mount else None
            watcher.confirm(watcher.standing)
            return [StartSeen()]
        if look.age < _SET_UP_SETTLE_TIME or wrong == self._differs:
            return []
        self._differs = wrong
        return [StartDiffers(wrong)]

    def mount(self) -> dict[str, Any] | None:
        """How reliably stack heights can be read from the camera's place: ``Mount.to_json`` of
        :mod:`vision.placement_check`; ``None`` until the board is found.
        """
        outlines, trial = self.outlines, self._trial
        if outlines is None:
            return None
        with self._mounting:
            # All viewers query it at the same time: compute it only once.
            known = self._mount
            if known is None or known[0] is not outlines or known[1] is not trial:
                known = self._mount = outlines, trial, check_mount(outlines, trial).to_json()
        return known[2]

    def place(self, corners: Corners | None, *, believed: bool = True) -> None:
        """Set by hand where the board lies; see :meth:`Watcher.place`. Raises ValueError with a message for
        people.
        """
        if self._watcher is not None:
            self._watcher.place(corners, believed=believed)
        elif corners is not None:
            check_corners(corners)
        self._given = corners, believed
        self._differs = ()

    def corners(self) -> dict[str, tuple[float, float]] | None:
        """The corners of the lattice as fractions of the picture's size; ``None`` without a board."""
        if (outlines := self.outlines) is None:
            return self._reader.corners
        return corners_of(outlines.camera, outlines.profile)

    def _measure(self, watcher: Watcher, look: Look) -> None:
        """Measure the colours of the pieces, once per estimated pose of the board."""
        outlines = look.evidence.outlines
        if self._shades is not None and self._shades[0] is outlines.camera:
            return
        wrong = look.disagreeing(watcher.standing)
        self._shades = outlines.camera, measured_shades(look.image, outlines, watcher.standing, wrong)

    @property
    def any_shades(self) -> bool:
        """Whether any shades may stand for the players' colours, as those of draughts."""
        outlines = self.outlines
        return self._profiles[0].flat if outlines is None else outlines.profile.flat

    def pieces(self) -> dict[str, dict[str, str]]:
        """What is known of the pieces, by letter: ``seen``, their shade in the picture before the first turn;
        for a known set also its ``name`` and ``shade``. Shades are written as ``#rrggbb``.
        """
        known: dict[str, dict[str, str]] = {letter: {} for letter in self._players}
        profile = self._profiles[0] if (outlines := self.outlines) is None else outlines.profile
        seen = self._shades[1] if self._shades else {}
        looks = {look.letter: look for look in profile.pieces if look.letter in known}
        # The players may have swapped their pieces: then each name belongs to the shade that was seen.
        of = matched(seen, {letter: look.shade for letter, look in looks.items()})
        for letter in looks:
            look = looks[of.get(letter, letter)]
            known[letter] = {"name": look.name, "shade": shade_text(look.shade)}
        for letter, shade in seen.items():
            known[letter]["seen"] = shade_text(shade)
        return known

    def overlay(self, image: Image, stacks: Sequence[str], wrong: Sequence[int] = ()) -> Image:
        """A copy of the picture with the reading drawn over it, the squares ``wrong`` ringed."""
        outlines = self.outlines
        return image if outlines is None else draw_reading(image, outlines, stacks, wrong)

    def _absorb_time(self, look: Look, standing: Sequence[str], rests: bool) -> float:
        """Seconds after which what seems to cover the board counts as part of the scene, and not as an
        occluder. ``rests``: see :class:`.RestingOccluder`.
        """
        if look.all_over:
            return RELIT_ABSORB_TIME
        if rests:
            return OBJECT_ABSORB_TIME
        if look.age > OBJECT_ABSORB_TIME and look.occluder is not None:
            alone = not look.occluder.from_edge or not look.hidden
            return OBJECT_ABSORB_TIME if alone else OCCLUDER_ABSORB_TIME
        if (
            look.age > SHADE_ABSORB_TIME
            and look.widespread
            and len(look.disagreeing(standing)) <= _MAX_TURN_SQUARES
        ):
            return SHADE_ABSORB_TIME
        return OCCLUDER_ABSORB_TIME


def _fit_for_reference(look: Look) -> bool:
    """Whether a look at the expected position may become the reference: it shows no change that is likely to
    pass, such as the shadow of an arm that is about to act.
    """
    return look.age > SHADE_ABSORB_TIME or not (look.touched > MIN_CHANGED_FRACTION).any()
