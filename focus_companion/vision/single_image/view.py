"""A still picture seen by one camera: the scores of its pixels, and how well a position explains them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ...game.position import MAX_HEIGHT
from ...game.setups import DROP_PIECES
from ..appearance.colour_model import BARE, CLASSES, ColourModel, bins
from ..appearance.evidence import INDEPENDENT_SAMPLES, classes
from ..appearance.first_colours import first_model, occluder_density, usual_pieces
from ..appearance.flat_pieces import TOP, flat_tops
from ..appearance.piece_play import Place, painted_off_centre
from ..appearance.pixel_scores import MAX_PIXEL_NATS
from ..appearance.shades import Shade
from ..arrays import Mask, Singles
from ..detection.edges import Edges, board_bounds
from ..detection.refine import lens_prior
from ..geometry.lens_profiles import LensProfile
from ..geometry.scene import BoardProfile, Camera
from ..geometry.stack_masks import Outlines, Window, lattice_mask
from ..masks import dilated_by_square
from .flat_set import FlatColours, of_whole_pieces
from .layers import Layers
from .occluders import covered
from .solver import PIECE_PENALTY, Solver

_SHARPENING_SIGMA = 2.0
"""Standard deviation, in pixels, of the blur that sharpening undoes."""

_COLOUR_SHARPENING = 2.0
"""How many times as much as the lightness the two colour differences are sharpened, which cameras and JPEG
files store at half the resolution. Fitted to 20 photo-like stills (45 of 1,040 stacks misread instead of 52),
checked on 48 simulated ones (218 of 2,496 instead of 238). Raising it makes noise look like colours."""

_COLOUR_NOISE_SIGMA = 0.45
"""Standard deviation, in pixels, of the blur that first takes the noise of single pixels from them. Without
it, bare squares were read as pieces in one of the simulated stills; with 0.7, thin bands disappear."""

_EXCESS_PIECE_PENALTY = 5.0
"""Penalty, in nats, for each piece beyond those in the set: if the board is assumed to be a piece too low,
all stacks look one piece too high."""

_EXPLAINED_MARGIN = 0.2
"""Margin, in squares, around the stacks in which the pixels must be explained, as the first camera may be
that far off."""

_MIN_SAMPLES = 300
"""Minimum number of visible pixels for a class to be learned; otherwise its usual colours are kept."""

_MAX_SAMPLES = 8000
"""Approximate maximum number of pixels from which a class is learned."""

_PIECES_OF_MORE = 13
"""Pieces of each colour in a game for three or four."""


@dataclass(frozen=True, eq=False)
class Palette:
    """Colour models of the pieces and the lattice, and of the bare board and table beyond the lattice.

    ``flat``: the shades of the fields and of the tops, if the pieces are flat; ``board`` then models their
    sides.
    """

    board: ColourModel
    beyond: ColourModel
    flat: FlatColours | None = None


class StillPicture:
    """A picture with a board approximately where ``camera`` sees it: all that does not change while the
    camera is fitted.

    ``image``: (H, W, 3) uint8 BGR. ``players``: the letters of the colours in play. ``lens``: that of the
    camera, if known.
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
        self.limit = DROP_PIECES if len(players) == 2 else _PIECES_OF_MORE
        """Number of pieces of each colour in the set."""
        self.prior = lens_prior(lens, camera.lens)
        """The prior of the lens."""
        self.edges = Edges.of(image, board_bounds(camera, profile))
        outlines = Outlines(camera, profile, MAX_HEIGHT)
        self.window = outlines.window(range(len(outlines.columns)))
        """The part of the picture that is evaluated: where the first camera sees the board."""
        self.flat = FlatColours.first(
            image[self.window.slices], outlines, self.window, players, profile.shades
        )
        """The shades of flat pieces and their board, measured before the position is known, if any."""
        self.image, self.pixels = image, sharpened(image, flat=profile.flat)
        self.usual = first_model(image, camera, profile, players, self.shades(profile))
        self.pixel_weight = INDEPENDENT_SAMPLES / outlines.pitch**2
        """Weight of each pixel's nats, as neighbouring pixels are correlated."""
        self.explained_area = _around_columns(outlines, _EXPLAINED_MARGIN * outlines.pitch)
        """(H, W) bool: where stacks may be visible. Outside lie pieces out of play and other things."""
        self.covered = np.zeros(image.shape[:2], bool)
        inside = self.pixels[self.window.slices]
        scores = self.usual.log_likelihood(inside)
        if self.flat is not None:
            plain = image[self.window.slices]
            scores = of_whole_pieces(self.flat.log_likelihood(plain, outlines, self.window, scores))
        self.covered[self.window.slices] = covered(
            inside, lattice_mask(outlines, self.window), scores, outlines.pitch
        )

    def shades(self, profile: BoardProfile) -> dict[str, Shade]:
        """Red, green, blue of the pieces of this set, by letter, unless they are usual: as measured, else as
        in the profile.
        """
        return profile.shades if self.flat is None else profile.shades | self.flat.shades


class View:
    """A picture through one camera, with one set. ``tallest``: number of pieces in the tallest stack that is
    considered, :data:`MAX_HEIGHT` if the position is to be solved.
    """

    def __init__(
        self, picture: StillPicture, camera: Camera, profile: BoardProfile, tallest: int = MAX_HEIGHT
    ) -> None:
        self.picture, self.camera, self.profile = picture, camera, profile
        outlines = Outlines(camera, profile, tallest)
        # Poses can be compared only if each has to explain all of the picture: otherwise, one that leaves out
        # a row of pieces seems better.
        self.layers = Layers(outlines, () if picture.flat is None else flat_tops(outlines), picture.window)
        self.window = self.layers.window
        self.pixels = picture.pixels[self.window.slices]
        self.plain = picture.image[self.window.slices]
        """The pixels (h, w, 3) without sharpening, which would change the shades of fields and tops."""
        self.covered = picture.covered[self.window.slices]
        self.lattice = lattice_mask(outlines, self.window)
        self._scores: dict[Palette, Singles] = {}

    def relearned(
        self, stacks: Sequence[str], places: Sequence[Sequence[Place]] | None = None, *, certain: bool = False
    ) -> Palette:
        """The palette learned from the picture if it shows these stacks; ``places``: where their pieces
        stand, for each square bottom first, if not at its centre; ``certain``: whether it does show them.
        """
        painted = self.painted(stacks, places)
        rim = np.ones((3, 3), np.uint8)
        samples = usual_pieces(self.picture.players, self.picture.shades(self.profile))
        for label in range(CLASSES):
            inner = (painted == label) & ~self.covered
            if label != BARE:
                # The outermost pixels of a piece mix with what is behind it; they are not learned.
                inner = cv2.erode(inner.astype(np.uint8), rim).astype(bool)
            found = self.pixels[inner & self.lattice] if label == BARE else self.pixels[inner]
            if len(found) >= _MIN_SAMPLES:
                samples[label] = found[:: max(1, len(found) // _MAX_SAMPLES)]
        board = ColourModel()
        board.learn(samples, keep=0.0)
        beyond = ColourModel()
        around = self.pixels[(painted == BARE) & ~self.lattice & ~self.covered]
        beyond.learn({BARE: around[:: max(1, len(around) // _MAX_SAMPLES)]}, keep=0.0)
        flat = self.picture.flat
        if flat is not None:
            outlines = self.layers.outlines
            flat = flat.learned(self.plain, painted, ~self.covered, outlines, self.window, certain=certain)
        return Palette(board, beyond, flat)

    def painted(
        self, stacks: Sequence[str], places: Sequence[Sequence[Place]] | None = None
    ) -> NDArray[np.uint8]:
        """(h, w): the class, including those of flat tops, that each pixel of the window shows if these
        stacks are on the board; ``places`` as in :meth:`relearned`.
        """
        outlines = self.layers.outlines
        standing = {square: classes(stack) for square, stack in enumerate(stacks)}
        if places is not None:
            return painted_off_centre(standing, places, outlines, self.window)
        return outlines.paint(standing, self.window, outlines.far_to_near, self.layers.tops, TOP)

    def scores(self, palette: Palette) -> Singles:
        """Log-likelihoods relative to the best class of each pixel of the window, at least -MAX_PIXEL_NATS; 0
        where something is over the board. (h, w, CLASSES), or (h, w, CLASSES + TOP) for a flat set.
        """
        if palette not in self._scores:
            if palette.flat is None:
                scores = self._of_bins(palette)
            else:
                scores = relative_to_best(self._of_shades(palette, palette.flat))
            scores[self.covered] = 0.0
            self._scores = {palette: scores}
        return self._scores[palette]

    def log_likelihood(self, palette: Palette, painted: NDArray[np.uint8]) -> float:
        """Log-likelihood of the picture of a flat set if its pixels show the classes ``painted`` (h, w),
        relative to one of random colours. Unlike :meth:`nats_of`, which is relative to the best class of each
        pixel, it can be compared with that of pieces of another size.
        """
        assert palette.flat is not None
        known = self._of_shades(palette, palette.flat)
        shown = np.take_along_axis(known, painted[..., None].astype(np.intp), axis=2)[..., 0]
        explained = self.picture.explained_area[self.window.slices] & ~self.covered
        return self.picture.pixel_weight * float(shown[explained].sum(dtype=float))

    def _of_shades(self, palette: Palette, flat: FlatColours) -> Singles:
        """Log-likelihoods (h, w, CLASSES + TOP) relative to that of a random colour."""
        # Classes first in memory, whatever the shape: this is several times as fast.
        colours, off = bins(self.pixels), ~self.lattice
        sides = np.moveaxis(np.ascontiguousarray(palette.board.table.T).take(colours, axis=1), 0, -1)
        sides[off, BARE] = palette.beyond.table[:, BARE].take(colours[off])
        known = flat.log_likelihood(self.plain, self.layers.outlines, self.window, sides)
        np.exp(known, out=known)
        known += occluder_density().astype(np.float32).take(colours)[..., None]
        return np.asarray(np.log(known, out=known), np.float32)

    def _of_bins(self, palette: Palette) -> Singles:
        # The scores depend only on a pixel's bin and on whether it is on the lattice, and there are fewer
        # bins than pixels.
        beyond = palette.board.table.copy()
        beyond[:, BARE] = palette.beyond.table[:, BARE]
        strange = np.log(occluder_density())[:, None]
        on, off = (
            relative_to_best(np.logaddexp(table, strange).astype(np.float32))
            for table in (palette.board.table, beyond)
        )
        colours = bins(self.pixels)
        scores = on.take(colours, axis=0)
        scores[~self.lattice] = off.take(colours[~self.lattice], axis=0)
        return scores

    def solved(self, palette: Palette, before: Sequence[str] | None) -> Solver:
        """All squares read with these colours, starting from the stacks ``before``."""
        solver = self.solver(palette, before)
        solver.solve()
        return solver

    def solver(self, palette: Palette, stacks: Sequence[str] | None) -> Solver:
        """A solver with these colours, and the stacks that it starts from."""
        picture = self.picture
        solver = Solver(
            self.layers, self.scores(palette), picture.players, picture.limit, picture.pixel_weight
        )
        if stacks is not None:
            solver.start_from(stacks)
        return solver

    def nats_of(self, palette: Palette, stacks: Sequence[str]) -> float:
        """Log-likelihood of these stacks and their prior, relative to the best class of each pixel: at
        most 0.

        As it is relative, a camera gains nothing by including more of a plain table.
        """
        scores = self.scores(palette)
        painted = self.painted(stacks)
        shown = np.take_along_axis(scores, painted[..., None].astype(np.intp), axis=2)[..., 0]
        shown = shown[self.picture.explained_area[self.window.slices]]
        return self.picture.pixel_weight * float(shown.sum(dtype=float)) + self.log_prior(stacks)

    def log_prior(self, stacks: Sequence[str]) -> float:
        """Nats of these stacks before anything is seen, apart from a constant."""
        pieces = "".join(stacks)
        excess = sum(max(0, pieces.count(letter) - self.picture.limit) for letter in self.picture.players)
        return -PIECE_PENALTY * len(pieces) - _EXCESS_PIECE_PENALTY * excess


def _around_columns(outlines: Outlines, margin: float) -> Mask:
    """(H, W) mask of the picture: where a stack may be visible, and ``margin`` pixels around it."""
    lens = outlines.camera.lens
    stacks = dict.fromkeys(range(len(outlines.columns)), MAX_HEIGHT)
    visible = outlines.standing(stacks, Window(0, 0, lens.width, lens.height))
    return dilated_by_square(visible, 2 * round(margin) + 1)


def sharpened(image: NDArray[np.uint8], *, flat: bool) -> NDArray[np.uint8]:
    """The picture with thin bands separated that lens and compression have mixed. ``flat``: the pieces are
    flat, and their tops have shades of their own, which must not change more than the rest.

    From nearly above, only crescents of two or three pixels of a stack's lower pieces are visible.
    """
    if flat:
        blurred = cv2.GaussianBlur(image, (0, 0), _SHARPENING_SIGMA)
        return np.asarray(cv2.addWeighted(image, 2.0, blurred, -1.0, 0.0), np.uint8)
    planes = cv2.cvtColor(image, cv2.COLOR_BGR2YCrCb).astype(np.float32)
    wide = cv2.GaussianBlur(planes, (0, 0), _SHARPENING_SIGMA)
    planes[..., 1:] = cv2.GaussianBlur(planes[..., 1:], (0, 0), _COLOUR_NOISE_SIGMA)
    planes += (planes - wide) * np.array([1.0, _COLOUR_SHARPENING, _COLOUR_SHARPENING], np.float32)
    rounded = np.rint(planes).clip(0, 255).astype(np.uint8)
    return np.asarray(cv2.cvtColor(rounded, cv2.COLOR_YCrCb2BGR), np.uint8)


def relative_to_best(nats: Singles) -> Singles:
    """Log-likelihoods (…, CLASSES) relative to the best class of each pixel, at least -MAX_PIXEL_NATS."""
    return np.asarray(np.maximum(nats - nats.max(-1, keepdims=True), -MAX_PIXEL_NATS), np.float32)
