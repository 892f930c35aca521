"""One still picture as one camera sees it: what its pixels say, and how well a position explains them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ...game.position import MAX_HEIGHT
from ..appearance.colour_model import BARE, CLASSES, ColourModel, bins
from ..appearance.evidence import classes
from ..appearance.first_colours import first_model, occluder_density, usual_pieces
from ..appearance.flat_pieces import TOP, flat_tops
from ..appearance.shades import Shade
from ..detection.edges import Edges, board_bounds
from ..detection.refine import lens_prior
from ..geometry.lens_profiles import LensProfile
from ..geometry.scene import BoardProfile, Camera
from ..geometry.stack_masks import Outlines, Window, lattice_mask
from .flat_set import FlatColours, of_whole_pieces
from .layers import Layers
from .occluders import covered
from .solver import STEP, Solver

_BLUR = 2.0
"""Pixels over which the colours of thin bands are mixed."""

_TRUST = 4.0
"""Nats by which one pixel may prefer one class to another."""

_SHARE = 0.04
_SQUARE = 55.0
"""The share of its nats that a pixel counts where a square is so many pixels wide, as neighbours say the
same."""

_MISSING = 5.0
"""Penalty, in nats, for each piece beyond those that the set has: if the board is assumed a piece too low,
all stacks look one piece too high."""

_MARGIN = 0.2
"""Squares about the stacks in which the picture has to be explained: a camera may be so far off at first."""

_FEWEST, _MOST = 300, 8000
"""Pixels of one class that are learned from; with fewer it stays at what is usual."""


@dataclass(frozen=True, eq=False)
class Palette:
    """Colour models of the pieces and the lattice, and of the bare board and table beyond the lattice.

    ``flat``: the shades of the fields and of the tops, if the pieces are flat; then the ``board`` is that of
    their sides.
    """

    board: ColourModel
    beyond: ColourModel
    flat: FlatColours | None = None


class StillPicture:
    """A picture with a board about where ``camera`` sees it: all that stays as the camera is made right.

    ``image`` is (H, W, 3) uint8 BGR; ``players`` the letters of the colours in play; ``lens`` is the
    camera's, if it is known.
    """

    def __init__(
        self,
        image: NDArray[np.uint8],
        camera: Camera,
        profile: BoardProfile,
        players: Sequence[str],
        lens: LensProfile | None = None,
    ) -> None:
        self.players = players
        self.limit = 18 if len(players) == 2 else 13
        """Pieces of one colour that there are."""
        self.prior = lens_prior(lens, camera.lens.width, camera.lens.height)
        """What is expected of the lens."""
        self.edges = Edges.of(image, board_bounds(camera, profile))
        outlines = Outlines(camera, profile, MAX_HEIGHT)
        self.window = outlines.window(range(len(outlines.columns)))
        """The part of the picture that is looked at: where, at first, the board was thought to be."""
        self.flat = FlatColours.first(
            image[self.window.slices], outlines, self.window, players, profile.shades
        )
        """The shades of flat pieces and of their board that show before the position is known, if any."""
        self.image, self.pixels = image, sharpened(image)
        self.usual = first_model(image, camera, profile, players, self.shades(profile))
        pitch = camera.pitch_pixels(profile)
        self.share = _SHARE * (_SQUARE / pitch) ** 2
        """What a pixel's nats count, as its neighbours say the same."""
        lattice = lattice_mask(outlines, self.window)
        self.measured = _around_columns(outlines, image.shape[:2], _MARGIN * pitch)
        """(H, W) bool: where stacks may show. Beside it lie pieces out of play and what people have about."""
        self.covered = np.zeros(image.shape[:2], bool)
        inside = self.pixels[self.window.slices]
        scores = self.usual.log_likelihood(inside)
        if self.flat is not None:
            plain = image[self.window.slices]
            scores = of_whole_pieces(self.flat.log_likelihood(plain, outlines, self.window, scores))
        self.covered[self.window.slices] = covered(inside, lattice, scores, pitch)

    def shades(self, profile: BoardProfile) -> dict[str, Shade]:
        """Red, green, blue of the pieces of this set, by letter, unless they are usual: as they show, else as
        the profile names them.
        """
        return profile.shades if self.flat is None else profile.shades | self.flat.shades


class View:
    """A picture through one camera, with one set."""

    def __init__(self, picture: StillPicture, camera: Camera, profile: BoardProfile) -> None:
        self.picture, self.camera, self.profile = picture, camera, profile
        outlines = Outlines(camera, profile, MAX_HEIGHT)
        self.layers = Layers(outlines, () if picture.flat is None else flat_tops(outlines))
        self.window: Window = self.layers.window
        self.pixels = picture.pixels[self.window.slices]
        self.plain = picture.image[self.window.slices]
        """The pixels (h, w, 3) without sharpening, which would change the shades of fields and tops."""
        self.covered = picture.covered[self.window.slices]
        self.lattice = lattice_mask(self.layers.outlines, self.window)
        self._scores: dict[Palette, NDArray[np.float32]] = {}

    def usual(self) -> Palette:
        """What is known before anything of the position is."""
        return Palette(self.picture.usual, self.picture.usual, self.picture.flat)

    def relearned(self, stacks: Sequence[str]) -> Palette:
        """What these stacks would teach of the colours, if they stood there."""
        painted = self.painted(stacks)
        rim = np.ones((3, 3), np.uint8)
        samples = usual_pieces(self.picture.players, self.picture.shades(self.profile))
        for label in range(CLASSES):
            inner = (painted == label) & ~self.covered
            if label != BARE:
                # The outermost pixels of a piece mix with what lies behind, and count as that.
                inner = cv2.erode(inner.astype(np.uint8), rim).astype(bool)
            found = self.pixels[inner & self.lattice] if label == BARE else self.pixels[inner]
            if len(found) >= _FEWEST:
                samples[label] = found[:: max(1, len(found) // _MOST)]
        board = ColourModel()
        board.learn(samples, keep=0.0)
        beyond = ColourModel()
        around = self.pixels[(painted == BARE) & ~self.lattice & ~self.covered]
        beyond.learn({BARE: around[:: max(1, len(around) // _MOST)]}, keep=0.0)
        flat = self.picture.flat
        if flat is not None:
            flat = flat.learned(self.plain, painted, ~self.covered, self.layers.outlines, self.window)
        return Palette(board, beyond, flat)

    def painted(self, stacks: Sequence[str]) -> NDArray[np.uint8]:
        """(h, w) the class that each pixel of the window shows if these stacks stand there, with those of
        flat tops.
        """
        outlines = self.layers.outlines
        standing = {square: classes(stack) for square, stack in enumerate(stacks)}
        return outlines.paint(standing, self.window, outlines.far_to_near, self.layers.tops, TOP)

    def scores(self, palette: Palette) -> NDArray[np.float32]:
        """(h, w, CLASSES) of the board's window, with the classes of flat tops (h, w, CLASSES + TOP): nats
        against the best class of each pixel, at least -_TRUST; 0 where something lies over the board."""
        if palette not in self._scores:
            scores = (
                self._of_bins(palette) if palette.flat is None else self._of_shades(palette, palette.flat)
            )
            scores[self.covered] = 0.0
            self._scores = {palette: scores}
        return self._scores[palette]

    def _of_shades(self, palette: Palette, flat: FlatColours) -> NDArray[np.float32]:
        off = ~self.lattice
        known = palette.board.log_likelihood(self.pixels)
        known[off, BARE] = palette.beyond.log_likelihood(self.pixels[off])[:, BARE]
        known = flat.log_likelihood(self.plain, self.layers.outlines, self.window, known)
        strange = np.log(occluder_density())[bins(self.pixels)][..., None]
        return compared(np.logaddexp(known, strange).astype(np.float32))

    def _of_bins(self, palette: Palette) -> NDArray[np.float32]:
        # All that counts is a pixel's bin and whether it is on the lattice, and there are fewer bins than
        # pixels.
        beyond = palette.board.table.copy()
        beyond[:, BARE] = palette.beyond.table[:, BARE]
        strange = np.log(occluder_density())[:, None]
        on, off = (
            compared(np.logaddexp(table, strange).astype(np.float32))
            for table in (palette.board.table, beyond)
        )
        colours = bins(self.pixels)
        scores = on.take(colours, axis=0)
        scores[~self.lattice] = off.take(colours[~self.lattice], axis=0)
        return scores

    def solved(self, palette: Palette, before: Sequence[str] | None) -> Solver:
        """All squares read with these colours, beginning from the stacks ``before``."""
        players = self.picture.players
        scores = self.scores(palette)
        solver = Solver(self.layers, scores, players, self.picture.limit, self.picture.share)
        if before is not None:
            solver.start_from(before)
        solver.solve()
        return solver

    def explained(self, palette: Palette, stacks: Sequence[str]) -> float:
        """Nats, at most 0, by which these stacks explain the pixels worse than if each showed what it likes
        best.

        Measured against the best of each pixel, a camera gains nothing by taking in more of a plain table.
        """
        scores = self.scores(palette)
        painted = self.painted(stacks)
        shown = np.take_along_axis(scores, painted[..., None].astype(np.intp), axis=2)[..., 0]
        shown = shown[self.picture.measured[self.window.slices]]
        pieces = "".join(stacks)
        missing = sum(max(0, pieces.count(letter) - self.picture.limit) for letter in self.picture.players)
        prior = -STEP * len(pieces) - _MISSING * missing
        return self.picture.share * float(shown.sum(dtype=float)) + prior


def _around_columns(outlines: Outlines, size: tuple[int, ...], margin: float) -> NDArray[np.bool_]:
    """(H, W) of a picture: where a stack may show, and ``margin`` pixels more."""
    mask = np.zeros(size, np.uint8)
    for column in outlines.columns:
        part = mask[column.top : column.top + column.height, column.left : column.left + column.width]
        part |= column.standing(MAX_HEIGHT)
    wide = 2 * round(margin) + 1
    return np.asarray(cv2.dilate(mask, np.ones((wide, wide), np.uint8)), bool)


def sharpened(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The picture with thin bands separated again that lens and compression have mixed.

    From nearly above, the lower pieces of a stack show as sickles of two or three pixels.
    """
    blurred = cv2.GaussianBlur(image, (0, 0), _BLUR)
    return np.asarray(cv2.addWeighted(image, 2.0, blurred, -1.0, 0.0), np.uint8)


def compared(nats: NDArray[np.float32]) -> NDArray[np.float32]:
    """Likelihoods (N, CLASSES) against the best class of each: that one 0, the worst -_TRUST."""
    return np.asarray(np.maximum(nats - nats.max(-1, keepdims=True), -_TRUST), np.float32)
