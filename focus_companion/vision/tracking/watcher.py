"""Turns frames into looks: finds the board, waits until nothing moves, follows pushes and changes of light.

The watcher is told the expected position after every turn, and learns the colours from it. It knows no rules:
a :class:`Look` is a still picture with its evidence, for the referee to judge. How a picture is processed
depends on the state: :mod:`.seeking` without a board in view, :mod:`.watching` with one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial

from ..capture.frames import Frame
from ..detection.find_board import find_board
from ..detection.manual_corners import Corners, camera_of, check_corners
from ..geometry.lens_profiles import LensProfile
from ..geometry.scene import BoardProfile
from ..geometry.stack_masks import Outlines
from .look import Look
from .regions import AddedObject
from .seeking import BoardLost, Seeking, SeekingNear
from .state import Context, FinderCall, State, StillFrame
from .watching import Watching

_DEFAULT_KEEP = 0.75
"""Default weight (0 … 1) of what is known when colours and background are learned from another picture."""


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
        keep: float = _DEFAULT_KEEP,
    ) -> None:
        """``standing`` (52) is the expected position, ``players`` the letters of the colours in play;
        ``rank1`` is the side of the picture at which rank 1 lies, for positions that do not show it; ``lens``
        is the camera's, if known; ``keep``: see :class:`.state.Context`.
        """
        finder = finder or partial(find_board, lens=lens)
        self._context = Context(tuple(profiles), players, rank1, lens, finder, keep, tuple(standing))
        self._now: Seeking | Watching = Seeking(self._context)
        self._size: tuple[int, int] | None = None
        self._marked: tuple[Corners, bool] | None = None
        """Corners marked by hand that no still picture has refined yet, and whether they are ``believed``."""

    @property
    def standing(self) -> tuple[str, ...]:
        """The expected position, (52,)."""
        return self._context.standing

    @property
    def state(self) -> State:
        """Whether a board is in view."""
        return self._now.state

    @property
    def outlines(self) -> Outlines | None:
        """The outlines of the board at its place or, out of view, at its presumed one; ``None`` if there is
        none.
        """
        return self._now.outlines

    @property
    def fault(self) -> str:
        """Why a board in the picture cannot be followed; see :class:`.state.Context`."""
        return "" if isinstance(self._now, Watching) else self._context.fault

    @property
    def unsteady(self) -> bool:
        """Whether no part of the picture has come to rest for so long that it is not the players' doing."""
        return self._context.stillness.unsteady

    @property
    def setting_up(self) -> bool:
        """Whether the board is still assumed where it was, while another position is set up on it."""
        now = self._now
        return isinstance(now, SeekingNear) and now.setting_up

    def see(self, frame: Frame) -> Look | None:
        """The look of this frame; ``None`` while something moves or no board is in view."""
        height, width = frame.picture.shape[:2]
        if (width, height) != self._size:
            self._size = width, height
            self._restart()
        self._context.pauses.see(frame.time)
        stillness = self._context.stillness
        lasted, small = stillness.update(frame.time, stillness.small_copy(frame.picture))
        if not stillness.settled:
            return None
        # The first still picture, which is searched now, refines the marked corners.
        self._marked = None
        now, picture = self._now, StillFrame(frame, frame.time - lasted, small, self._context.haze)
        if isinstance(now, Watching):
            self._now = now.see(picture) or BoardLost(self._context, now.placement)
        else:
            self._now = now.see(picture)
        return self._now.look

    def _restart(self) -> None:
        """Forget where the board is; start again at the corners that were marked by hand, if any."""
        context = self._context
        self._now = Seeking(context)
        context.stillness.watch(None)
        if self._marked is not None and self._size is not None:
            corners, believed = self._marked
            profile = context.profiles[0]
            try:
                camera = camera_of(corners, *self._size, profile)
            except ValueError:
                # The corners were marked in a picture of another shape, before a restart.
                self._marked = None
                return
            placement = context.fitted(camera, profile, believed)
            context.watch(placement.outlines)
            self._now = SeekingNear(context, placement, refine=True)

    def place(self, corners: Corners | None, *, believed: bool = True) -> None:
        """Assume the board at corners that were marked by hand; ``None``: search for it again.

        The next still picture is accepted there, however little of the position has been set up; if the
        corners are not ``believed`` (marked long ago), only if as many squares agree as are required at the
        last place.

        Raises: ValueError: no camera could see a board with these corners; the message is a sentence for
        people.
        """
        if corners is not None:
            check_corners(corners)
            if self._size is not None:
                camera_of(corners, *self._size, self._context.profiles[0])
        self._marked = None if corners is None else (corners, believed)
        self._context.confirmed = False
        self._restart()

    def confirm(self, stacks: Sequence[str], doubtful: Sequence[int] = (), *, shown: bool = True) -> None:
        """This position (52) stands now, and the last look shows it: learn from that look, except from
        ``doubtful`` squares. If not ``shown``, the look shows further changes, and nothing is learned from
        it.
        """
        self._context.standing, self._context.confirmed = tuple(stacks), True
        if isinstance(self._now, Watching):
            self._now.confirm(doubtful, shown)

    def set_deviating(self, squares: Collection[int]) -> None:
        """Set the squares that are known to show something else than the position. If the board is found
        anew, they count as changed even if they seem to agree with it.
        """
        self._context.deviating = frozenset(squares)

    def expect(self, stacks: Sequence[str]) -> None:
        """Expect another position (52) that no look has shown (a correction by hand, a new game)."""
        self._context.standing = tuple(stacks)
        if isinstance(self._now, Watching):
            self._now = SeekingNear(self._context, self._now.placement)

    def mark(self) -> None:
        """Mark the last look; later looks hold the change since then (:attr:`.Look.since_mark`)."""
        if isinstance(self._now, Watching):
            self._now.mark()

    def unchanged(self) -> None:
        """The last look shows the expected position; adopt it to follow the slow drift of the light."""
        if isinstance(self._now, Watching):
            self._now.unchanged()

    def absorb(self, look: Look, added: AddedObject | None, changes: Mapping[int, str]) -> None:
        """Make what has differed for long in a look part of the scene: the object ``added`` over or beside
        the board or, if it is ``None``, the light. Squares that the object hides are not judged until it is
        gone, nor those that an arm may hide in another light, unless the stacks that turns have certainly
        left there, ``changes``, are plain to see.

        Another light is accepted only if nearly all squares still agree with the expected position.
        """
        if isinstance(self._now, Watching):
            self._now = self._now.absorb(look, added, changes)
