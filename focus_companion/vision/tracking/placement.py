"""Where the board lies, and whether a picture of the expected position bears it out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..appearance.background import Background
from ..appearance.colour_model import ColourModel
from ..appearance.evidence import Evidence
from ..appearance.first_colours import before_any_piece
from ..appearance.learning import learn
from ..capture.frames import Image
from ..geometry.scene import BoardProfile, Camera
from ..geometry.stack_masks import TALLEST_UNTRIMMED, Outlines
from .push import AGREES, Probe, agreeing, agreement, disagreeing_squares, share_agreeing

SAME = 0.93
"""Share of squares that must agree with the expected position for a new pose or light to be accepted."""
KEEP = 0.4
"""Weight of known colours when they are updated at a new pose or in a new light."""

PLAINLY = 0.5
"""Share of a piece's pixels that must show a higher stack than the expected one: from near the vertical, an
inexact pose looks like a further piece."""


@dataclass(frozen=True)
class Placement:
    """A pose of the board, the colours that its pieces have there, and what is known of the place.

    ``constraints``: the number of :func:`constraints` when the board profile and the pose were fitted;
    ``hidden``: squares hidden by objects that belong to the scene; ``by_hand``: somebody has pointed at the
    corners.
    """

    outlines: Outlines
    colours: ColourModel
    constraints: int
    hidden: tuple[int, ...] = ()
    by_hand: bool = False

    @property
    def camera(self) -> Camera:
        return self.outlines.camera

    @property
    def profile(self) -> BoardProfile:
        return self.outlines.profile

    def at(self, camera: Camera) -> Placement:
        """The same board at another pose."""
        return replace(self, outlines=Outlines(camera, self.profile))

    def needs_refit(self, stacks: Sequence[str], doubtful: Collection[int] = ()) -> bool:
        """Do these stacks (52) constrain profile and pose twice as well as when they were fitted?

        An empty board does not show which set it is, and its domes determine the pose less well than pieces
        do. Doubling refits a few times while pieces are placed, and never because some have moved.
        """
        return constraints(stacks, doubtful) >= max(1, 2 * self.constraints)


@dataclass(frozen=True)
class Hypothesis:
    """The board lies at ``placement``, in a light that needs new colours if ``relearn``; accepted if a share
    ``required`` of the squares agrees with the expected position.
    """

    placement: Placement
    relearn: bool = False
    required: float = SAME


@dataclass(frozen=True)
class Verified:
    """A placement that a picture has verified, the background learned from it, and the squares that
    ``disagree`` with the expected position.
    """

    placement: Placement
    background: Background
    disagree: tuple[int, ...]


def verify(image: Image, hypothesis: Hypothesis, stacks: Sequence[str], players: str) -> Verified | None:
    """Test a hypothesis on a picture of the position ``stacks`` (52); learn colours and background from it.

    The known colours decide, and are updated; to ``relearn``, they are first learned from the position
    itself. ``None`` if too few squares agree; the placement's colours are then unchanged.
    """
    placement, relearn = hypothesis.placement, hypothesis.relearn
    outlines, probe = placement.outlines, Probe(placement.profile, stacks)
    colours = before_any_piece(players, placement.profile) if relearn else placement.colours
    background = Background(*image.shape[:2])
    if relearn:
        learn(image, outlines, stacks, colours, background, keep=0.0)
    if share_agreeing(image, placement.camera, probe, colours) < hypothesis.required:
        return None
    wrong = disagreeing_squares(image, placement.camera, probe, colours)
    higher = _grown(image, outlines, stacks, colours, players)
    if wrong or higher or not relearn:
        # Again, without the squares that show something else.
        if relearn:
            colours = before_any_piece(players, placement.profile)
        background.forget()
        keep = 0.0 if relearn else KEEP
        unlike = (*wrong, *higher)
        learn(image, outlines, stacks, colours, background, keep=keep, except_squares=unlike)
        wrong = disagreeing_squares(image, placement.camera, probe, colours)
    return Verified(replace(placement, colours=colours), background, wrong)


def _grown(
    image: Image, outlines: Outlines, stacks: Sequence[str], colours: ColourModel, players: str
) -> list[int]:
    """Squares on which a higher stack than the expected one plainly shows: it must not be learned as the
    background.
    """
    evidence = Evidence(image, outlines, colours, Background(*image.shape[:2]), stacks)
    grown = []
    for square, stack in enumerate(stacks):
        likeliest = evidence.read(square, players, TALLEST_UNTRIMMED)[0] if stack else ""
        gain = evidence.stack_gain(square, likeliest)
        plain = gain.per_pixel > AGREES and gain.pixels > PLAINLY * outlines.piece_pixels
        if plain and len(likeliest) > len(stack):
            grown.append(square)
    return grown


def shows_in_view(image: Image, placement: Placement, stacks: Sequence[str], players: str) -> float:
    """Share of the squares whose centres are in the picture that agree with the position ``stacks`` (52),
    with colours learned from these squares.
    """
    profile, camera = placement.profile, placement.camera
    x, y = camera.project(np.column_stack([profile.centres, np.zeros(len(profile.centres))])).T
    inside = (x >= 0) & (x < camera.lens.width) & (y >= 0) & (y < camera.lens.height)
    colours, background = before_any_piece(players, profile), Background(*image.shape[:2])
    beyond = np.flatnonzero(~inside).tolist()
    learn(image, placement.outlines, stacks, colours, background, keep=0.0, except_squares=beyond)
    shown = agreement(image, camera, Probe(profile, stacks), colours)[inside]
    return agreeing(shown) if len(shown) else 0.0


def constraints(stacks: Sequence[str], doubtful: Collection[int] = ()) -> int:
    """How well pieces constrain profile and pose, without ``doubtful`` squares: one on another counts double,
    as it also shows their height.
    """
    sure = (stack for square, stack in enumerate(stacks) if stack and square not in doubtful)
    return sum(2 * len(stack) - 1 for stack in sure)
