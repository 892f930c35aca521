"""Where the board lies, and whether a picture of the expected position verifies it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...game.squares import SQUARES
from ..appearance.background import Background
from ..appearance.cast_shadows import CastShadows
from ..appearance.colour_model import ColourModel
from ..appearance.evidence import Evidence
from ..appearance.first_colours import before_any_piece
from ..appearance.learning import learn
from ..capture.frames import Image
from ..geometry.scene import BoardProfile, Camera, at_height
from ..geometry.stack_masks import TALLEST_UNTRIMMED, Outlines
from .probe import AGREEMENT_THRESHOLD, Probe, agreeing, agreement, disagreeing_squares, share_agreeing

MIN_AGREEING_SHARE = 0.93
"""Share of squares that must agree with the expected position for a new pose or light to be accepted."""
_MIN_TURN_TIME = 1.5
"""Seconds in which a turn can be played while the board is out of view. Raising it, a board on which play
went on is found again later; lowering it, another one may be taken for it."""
_LEAST_AGREEING_SHARE = 0.8
"""Share of squares that must agree however long the board was out of view."""
_KNOWN_COLOURS_WEIGHT = 0.4
"""Weight (0 … 1) of the known colours when they are updated at a new pose or in a new light."""

_MIN_GROWN_SHARE = 0.5
"""To count as grown, a higher stack than expected must gain as much as if this share of a piece's pixels
gained :data:`.AGREEMENT_THRESHOLD` nats each. Lowering it takes an inexact pose for one more piece, where the
camera is nearly straight above."""


@dataclass(frozen=True)
class Placement:
    """A pose of the board, and the colours and shadows that its pieces have there.

    ``constraints``: the number of :func:`constraints` when the board profile and the pose were fitted;
    ``hidden``: squares hidden by objects that belong to the scene; ``by_hand``: whether the corners were
    marked by hand.
    """

    outlines: Outlines
    colours: ColourModel
    constraints: int
    hidden: tuple[int, ...] = ()
    by_hand: bool = False
    shadows: CastShadows = field(default_factory=CastShadows)

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
        """Whether these stacks (52) constrain profile and pose twice as well as when they were fitted.

        An empty board does not show which set it is, and its domes determine the pose less well than pieces
        do. Requiring twice as much causes a few refits while pieces are placed, and none when they move.
        """
        return constraints(stacks, doubtful) >= max(1, 2 * self.constraints)


def required_share(unseen: float) -> float:
    """Share of squares that must agree with the expected position if the board was last in view so many
    seconds ago: each turn that may have been played meanwhile changes two.
    """
    turns = unseen / _MIN_TURN_TIME
    return max(_LEAST_AGREEING_SHARE, MIN_AGREEING_SHARE - 2 * turns / len(SQUARES))


@dataclass(frozen=True)
class Hypothesis:
    """The board lies at ``placement``, and the light requires new colours if ``relearn``. It is accepted if a
    share ``required`` of the squares agrees with the expected position.
    """

    placement: Placement
    relearn: bool = False
    required: float = MIN_AGREEING_SHARE


@dataclass(frozen=True)
class Verified:
    """A placement that a picture has verified, the background learned from it, and the squares that
    ``disagree`` with the expected position.
    """

    placement: Placement
    background: Background
    disagree: tuple[int, ...]


def verify(
    image: Image,
    hypothesis: Hypothesis,
    stacks: Sequence[str],
    players: str,
    deviating: Collection[int] = (),
) -> Verified | None:
    """Test a hypothesis on a picture of the position ``stacks`` (52); learn colours and background from it.

    ``deviating`` squares are known to show something else, even if they seem to agree. The decision is by the
    known colours, which are then updated; to ``relearn`` them, they are first learned from the position
    itself. ``None`` if too few squares agree; the placement's colours are then unchanged.
    """
    placement, relearn = hypothesis.placement, hypothesis.relearn
    outlines, probe = placement.outlines, Probe(placement.profile, stacks)
    colours = before_any_piece(players, placement.profile) if relearn else placement.colours
    background = Background()
    if relearn:
        learn(image, outlines, stacks, colours, background, keep=0.0)
    if share_agreeing(image, placement.camera, probe, colours) < hypothesis.required:
        return None
    wrong = disagreeing_squares(image, placement.camera, probe, colours)
    higher = {*_grown_squares(image, outlines, stacks, colours, players), *deviating}
    if wrong or higher or not relearn:
        # Learn again, without the squares that show something else.
        if relearn:
            colours = before_any_piece(players, placement.profile)
        background.forget()
        keep = 0.0 if relearn else _KNOWN_COLOURS_WEIGHT
        excluded = (*wrong, *higher)
        learn(image, outlines, stacks, colours, background, keep=keep, except_squares=excluded)
        wrong = disagreeing_squares(image, placement.camera, probe, colours)
    disagree = tuple(sorted({*wrong, *deviating}))
    return Verified(replace(placement, colours=colours), background, disagree)


def _grown_squares(
    image: Image, outlines: Outlines, stacks: Sequence[str], colours: ColourModel, players: str
) -> list[int]:
    """Squares that clearly show a higher stack than the expected one, which must not be learned as the
    background.
    """
    least, grown = AGREEMENT_THRESHOLD * _MIN_GROWN_SHARE * outlines.piece_pixels, []
    for square, stack in enumerate(stacks):
        if not 0 < len(stack) < TALLEST_UNTRIMMED:
            continue
        # One for each square: what it keeps of all of them would take ten megabytes.
        evidence = Evidence(image, outlines, colours, Background(), stacks)
        at_most = evidence.taller_at_most(square, len(stack), players, TALLEST_UNTRIMMED)
        if at_most < least:
            # No higher stack can show clearly, as on most squares: it need not be read.
            continue
        likeliest = evidence.read(square, players, TALLEST_UNTRIMMED)[0]
        gain = evidence.stack_gain(square, likeliest)
        if gain.per_pixel * gain.pixels > least and len(likeliest) > len(stack):
            grown.append(square)
    return grown


def share_agreeing_in_view(image: Image, placement: Placement, stacks: Sequence[str], players: str) -> float:
    """Share of the squares whose centres are in the picture that agree with the position ``stacks`` (52),
    with colours learned from these squares.
    """
    profile, camera = placement.profile, placement.camera
    x, y = camera.project(at_height(profile.centres)).T
    inside = (x >= 0) & (x < camera.lens.width) & (y >= 0) & (y < camera.lens.height)
    colours, background = before_any_piece(players, profile), Background()
    beyond = np.flatnonzero(~inside).tolist()
    learn(image, placement.outlines, stacks, colours, background, keep=0.0, except_squares=beyond)
    shown = agreement(image, camera, Probe(profile, stacks), colours)[inside]
    return agreeing(shown) if len(shown) else 0.0


def constraints(stacks: Sequence[str], doubtful: Collection[int] = ()) -> int:
    """How well pieces constrain profile and pose, without ``doubtful`` squares: a piece on another one counts
    double, as it also shows their height.
    """
    sure = (stack for square, stack in enumerate(stacks) if stack and square not in doubtful)
    return sum(2 * len(stack) - 1 for stack in sure)
