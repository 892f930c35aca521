"""The evidence of one still picture: the log-likelihood ratio of any change of stacks to the previous
position.

A change is scored by rendering it: only pixels whose visible class would differ count, each with the
difference of the two classes' log-likelihoods, clipped to :data:`MAX_PIXEL_NATS` so that no speck of glare is
decisive.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..arrays import Mask, Singles
from ..geometry.stack_masks import TALLEST_UNTRIMMED, Outlines, Window, fields
from .background import Background, shade_log_likelihood
from .colour_model import BARE, CLASS, CLASSES, OUTLIER_SHARE, ColourModel, bins
from .flat_pieces import TOP, flat_tops, local_shade, parts_log_likelihood
from .piece_play import Piece, displacement_variances, most_off_centre, nats_of_play, parts_of
from .pixel_scores import MAX_PIXEL_NATS, PixelScores
from .stack_gains import StackGains, Surroundings, surroundings

INDEPENDENT_SAMPLES = 121.0
"""Number of independent samples that the pixels of a square are worth, however large it is in the picture, as
neighbouring pixels are correlated."""
_PIXEL_WEIGHT_RANGE = 0.008, 0.16
"""Range of the weight of each pixel's nats that follows from it."""
TEMPERATURE = 4.0
"""Nats of lead by which the odds of an explanation rise by a factor of e: two stacks differ in the few pixels
of their rims, which a small error of the pose shifts all alike, so the nats of a picture are worth less than
their number. Raising it lowers the reported confidence, marks more squares as doubtful, and gives more weight
to shadows; an act that the picture favours by less is not told for having lasted.
According to ``benchmarks.accuracy.reliability_diagram``, 2.7 to 5.1 fit (docs/doubt.md). In still pictures, 4
fits 11 readings of domed pieces best (572 squares, 39 of them misread), and 4 to 5 fit 34 simulated boards of
flat ones (774 stacks, 100 of them misread)."""
_MIN_FIT = 0.5
"""Share of its usual nats with which a class must fit the pixels of a piece, on average, for them possibly to
show that class: the light differs across the board. Raising it leaves out pieces in another light."""
_MAX_MISFIT = 1.0
"""Nats per pixel by which a class of pieces may fit an empty square less than usual, for the square possibly
to show it: as in light that shifts a shade by 1.4 standard deviations. Raising it takes pieces for possible
whose shade differs from the board's, such as pale green ones on grey in a washed-out picture (1.7 to 2.5)."""
_BEAM_WIDTH = 6
"""Number of stacks that the beam search for the best one extends at each height."""


def pixel_weight(outlines: Outlines) -> float:
    """The weight of each pixel's nats in this view, if neighbouring pixels are correlated as usual."""
    return float(np.clip(INDEPENDENT_SAMPLES / outlines.pitch**2, *_PIXEL_WEIGHT_RANGE))


@cache
def classes(stack: str) -> tuple[int, ...]:
    """Classes of a stack's pieces, bottom first."""
    return tuple(CLASS[piece] for piece in stack)


@dataclass(frozen=True)
class Gain:
    """How much better a change explains the picture: ``nats`` in total, over the ``pixels`` whose class would
    differ; ``weight`` is that of each pixel's nats.
    """

    nats: float
    pixels: int
    weight: float

    @property
    def per_pixel(self) -> float:
        """Mean unweighted nats per pixel; 0 if nothing would look different."""
        return self.nats / self.weight / self.pixels if self.pixels else 0.0


@dataclass(frozen=True, eq=False)
class _OpenColumn:
    """The window of a square's column without the square's stack: the ``nats`` (classes, h, w) of each pixel
    for each class, over those of the class that it showed before; those of what is ``behind`` the stack
    (h, w); and the pixels that nothing nearer occludes, ``free`` (h, w).
    """

    nats: Singles
    behind: Singles
    free: Mask


class Evidence:
    """One picture, with the model of the scene and the previous position, ``standing`` (52)."""

    def __init__(
        self,
        image: NDArray[np.uint8],
        outlines: Outlines,
        colours: ColourModel,
        background: Background,
        standing: Sequence[str],
        *,
        occluded: Mask | None = None,
    ) -> None:
        """``occluded``: mask (h, w) of the pixels that say nothing, as an object covers them."""
        self.image, self._occluded = image, occluded
        self.outlines = outlines
        self.standing = tuple(standing)
        self.colours, self._background = colours, background
        self._classes = {square: classes(stack) for square, stack in enumerate(standing)}
        # However few pixels a square has, none of them is worth more than its share of a sample.
        self._weight = min(pixel_weight(outlines), 1.0 / colours.correlation_area)
        self._tops = flat_tops(outlines)
        self._scores: dict[int, PixelScores] = {}
        self._previous: dict[tuple[int, ...], tuple[Window, tuple[int, ...], NDArray[np.uint8]]] = {}
        self._gains: dict[tuple[tuple[int, str], ...], Gain] = {}
        self._gains_of_squares: dict[int, StackGains] = {}
        self._surroundings: dict[int, Surroundings] = {}
        self._plays: dict[tuple[int, str], float] = {}
        self._open_columns: dict[int, _OpenColumn] = {}

    def of_picture(self, image: NDArray[np.uint8]) -> Evidence:
        """The evidence of another picture under the same model, with the same stacks standing."""
        model = self.outlines, self.colours, self._background, self.standing
        return Evidence(image, *model, occluded=self._occluded)

    def gain(self, changes: Mapping[int, str]) -> Gain:
        """How much better these stacks explain the picture than the previous ones on their squares."""
        changed = [s for s, stack in changes.items() if stack != self.standing[s]]
        # Groups of columns that share no pixel are independent: their gains are cached, and add up.
        parts = [
            self._cluster(tuple((s, changes[s]) for s in group)) for group in self.outlines.clusters(changed)
        ]
        return Gain(sum(part.nats for part in parts), sum(part.pixels for part in parts), self._weight)

    def stack_gain(self, square: int, stack: str) -> Gain:
        """:meth:`gain` of one square alone."""
        if stack == self.standing[square]:
            return Gain(0.0, 0, self._weight)
        return self._cluster(((square, stack),))

    def gain_off_centre(self, changes: Mapping[int, str]) -> float:
        """:meth:`gain`, in nats, if the pieces on the changed squares stand a little off centre, both now and
        before.
        """
        return self.gain(changes).nats + sum(self._gained_by_play(*change) for change in changes.items())

    def stack_nats(self, square: int, stack: str, *, off_centre: bool) -> float:
        """The nats of :meth:`stack_gain` or, for one square, of :meth:`gain_off_centre`."""
        nats = self.stack_gain(square, stack).nats
        return nats + self._gained_by_play(square, stack) if off_centre else nats

    def off_centre_at_most(self, square: int, stack: str) -> float:
        """An upper bound, in nats, of :meth:`gain_off_centre` of one square, in a fraction of its time."""
        if not stack:
            return self.stack_gain(square, stack).nats
        return most_off_centre(*self._playing(square, stack))

    def taller_at_most(self, square: int, pieces: int, colours: str, tallest: int) -> float:
        """An upper bound of the unweighted nats of all stacks of more than so many pieces on this square."""
        return self._stack_gains(square).at_most(range(pieces + 1, tallest + 1), classes(colours))

    def differing_pixels(self, square: int, stack: str) -> int:
        """The number of pixels that would look different with this stack on a square alone."""
        return self._around(square).differing(classes(stack))

    def _cluster(self, changes: tuple[tuple[int, str], ...]) -> Gain:
        if changes not in self._gains:
            self._gains[changes] = self._compute_gain(dict(changes))
        return self._gains[changes]

    def _compute_gain(self, changes: dict[int, str]) -> Gain:
        squares = tuple(changes)
        if len(squares) == 1:
            (stack,) = map(classes, changes.values())
            nats, pixels = self._stack_gains(squares[0]).of(stack), self._around(squares[0]).differing(stack)
            return Gain(nats * self._weight, pixels, self._weight)
        window, order, old = self._previous_classes(squares)
        stacks = self._classes | {s: classes(changes[s]) for s in squares}
        new = self.outlines.paint(stacks, window, order, self._tops, TOP)
        rows, columns = np.nonzero(old != new)
        scores = self._scores_in(window, squares)
        difference = scores[new[rows, columns], rows, columns] - scores[old[rows, columns], rows, columns]
        nats = float(np.clip(difference, -MAX_PIXEL_NATS, MAX_PIXEL_NATS).sum()) * self._weight
        return Gain(nats, len(rows), self._weight)

    def _gained_by_play(self, square: int, stack: str) -> float:
        """Nats by which play favours this stack over the previous one."""
        stood = self.standing[square]
        return 0.0 if stack == stood else self._play(square, stack) - self._play(square, stood)

    def _play(self, square: int, stack: str) -> float:
        """Nats that a stack gains if its pieces stand where they fit best, with all other squares
        unchanged.
        """
        if not stack:
            return 0.0
        if (square, stack) not in self._plays:
            self._plays[square, stack], _ = nats_of_play(*self._playing(square, stack))
        return self._plays[square, stack]

    def _playing(self, square: int, stack: str) -> tuple[list[Piece], Singles, Mask, list[float]]:
        """The arguments of :func:`.nats_of_play` for a stack."""
        column, pieces = self._open_column(square), classes(stack)[:TALLEST_UNTRIMMED]
        variances = displacement_variances(self.outlines, len(pieces))
        return parts_of(pieces, self.outlines, square, column.nats), column.behind, column.free, variances

    def _open_column(self, square: int) -> _OpenColumn:
        if square not in self._open_columns:
            window, _, old = self._previous_classes((square,))
            outlines, stacks = self.outlines, self._classes
            behind = outlines.paint(stacks, window, outlines.farther(square), self._tops, TOP)
            free = outlines.uncovered(square, stacks)
            scores = self._scores_of(square).of_all
            nats = np.clip(scores - _shown(scores, old), -MAX_PIXEL_NATS, MAX_PIXEL_NATS)
            nats *= np.float32(self._weight)
            self._open_columns[square] = _OpenColumn(nats, _shown(nats, behind), free)
        return self._open_columns[square]

    def _stack_gains(self, square: int) -> StackGains:
        if square not in self._gains_of_squares:
            self._gains_of_squares[square] = StackGains(self._around(square), self._scores_of(square))
        return self._gains_of_squares[square]

    def _around(self, square: int) -> Surroundings:
        if square not in self._surroundings:
            self._surroundings[square] = surroundings(self.outlines, square, self._classes)
        return self._surroundings[square]

    def _previous_classes(
        self, squares: tuple[int, ...]
    ) -> tuple[Window, tuple[int, ...], NDArray[np.uint8]]:
        """The window of these squares, the squares visible in it, far to near, and its pixels' previous
        classes.
        """
        if squares not in self._previous:
            window, order = self.outlines.window(squares), self.outlines.touching(squares)
            painted = self.outlines.paint(self._classes, window, order, self._tops, TOP)
            self._previous[squares] = window, order, painted
        return self._previous[squares]

    def _scores_in(self, window: Window, squares: Sequence[int]) -> Singles:
        """Log-likelihoods (classes, h, w) of the pixels of a window in the columns of these squares."""
        scores = np.full((CLASSES + TOP if self._tops else CLASSES, *window.shape), -np.inf, np.float32)
        for square in squares:
            shown = scores[:, *self.outlines.columns[square].window.within(window)]
            # Where columns overlap, a score that was raised for one of the squares is kept.
            np.maximum(shown, self._scores_of(square).of_all, out=shown)
        return scores

    def _scores_of(self, square: int) -> PixelScores:
        """Log-likelihoods (h, w) of the pixels in the window of one square's column."""
        if square not in self._scores:
            scores = self._computed_scores(square)
            if self._occluded is not None:
                known = scores.of_all
                known[:, self._occluded[self.outlines.columns[square].window.slices]] = 0.0
                scores = PixelScores(dict(enumerate(known)))
            self._scores[square] = scores
        return self._scores[square]

    def _computed_scores(self, square: int) -> PixelScores:
        """The same if nothing is occluded.

        Class 0 uses the remembered background of each pixel. If pieces have flat tops, the classes of the
        tops follow those of the pieces.
        """
        part = self.outlines.columns[square].window
        pixels = self.image[part.slices]
        around = local_shade(pixels, self.outlines.pitch) if self._tops else None
        table, shades = self.colours.table_by_class, bins(pixels)
        on_fields = fields(self.outlines, part) > 0 if self.outlines.profile.flat else None
        bare = self._background.log_likelihood(
            part, pixels, table[BARE].take(shades), fields=on_fields, around=around
        )
        piece = self.outlines.columns[square].mask(1)
        unseen = self.colours.of_any_shade
        pieces = self.colours.known & ~unseen
        pieces[BARE] = False
        if unseen.any() or around is not None:
            scores = table.take(shades, axis=1)
            scores[BARE] = bare
            if unseen.any():
                scores[unseen] = _unseen_shade_log_likelihood(pixels, piece, scores[pieces])
            if around is not None:
                parts = parts_log_likelihood(self.colours, pixels, around, scores, self.outlines, square)
                # No pixel counts for more than MAX_PIXEL_NATS, whichever two classes are compared.
                scores = np.asarray(np.maximum(parts, parts.max(0) - MAX_PIXEL_NATS))
            found = PixelScores(dict(enumerate(scores)))
        else:
            found = PixelScores({BARE: bare}, table, shades)
        if around is None and not self.standing[square]:
            labels = np.flatnonzero(pieces).tolist()
            return found.replaced(_raised_similar_class(found, piece, labels, self.colours.typical))
        return found

    def read(self, square: int, colours: Iterable[str], tallest: int) -> tuple[str, float]:
        """The single stack that explains the square best, and its lead in nats over the next best.

        Beam search: every extension by one piece is tried on the best few so far.
        """
        scored: dict[str, float] = {"": self.stack_gain(square, "").nats}
        front = [""]
        letters = tuple(colours)
        for _ in range(tallest):
            grown = {stack + letter for stack in front for letter in letters}
            for stack in grown:
                scored[stack] = self.stack_gain(square, stack).nats
            front = sorted(grown, key=lambda stack: -scored[stack])[:_BEAM_WIDTH]
        best, second = sorted(scored, key=lambda stack: -scored[stack])[:2]
        return best, scored[best] - scored[second]


def _shown(values: Singles, labels: NDArray[np.uint8]) -> Singles:
    """The value at each pixel (h, w) for the class that it shows; ``values`` are (classes, h, w)."""
    return np.asarray(np.take_along_axis(values, labels[None].astype(np.intp), 0)[0])


def _raised_similar_class(
    scores: PixelScores, piece: Mask, pieces: Sequence[int], typical: Singles
) -> dict[int, Singles]:
    """If an empty square looks like a piece, make the two equally likely there.

    Returns the new scores (h, w), in nats, of the class that is changed, if any. ``piece`` (h, w) marks the
    pixels that a single piece would cover. Of the classes ``pieces``, the one that fits these pixels best
    gets the score of the bare board at each of them, if it fits nearly as well as usual
    (:data:`_MAX_MISFIT`) and the bare board fits better.
    ``typical`` (classes,): the mean score of pixels that do show each class.

    The bare board is remembered pixel by pixel, a class of pieces only as a range of shades. So the bare
    board scores higher even where a piece of its shade stands, such as a light piece on a light field, and
    the piece would seem to be missing. Whether the square has changed must decide between the two.
    """
    if not piece.any() or not pieces:
        return {}
    there = scores.at(np.flatnonzero(piece))
    bare, means = there.of(BARE), [there.of(label).mean() for label in pieces]
    similar = pieces[int(np.argmax(means))]
    # At 0 nats, a class fits no better than a uniformly random colour.
    if not max(0.0, typical[similar] - _MAX_MISFIT) < max(means) < bare.mean():
        return {}
    raised = scores.of(similar).copy()
    raised[piece] = bare
    return {similar: raised}


def _unseen_shade_log_likelihood(pixels: NDArray[np.uint8], piece: Mask, known_shades: Singles) -> Singles:
    """(h, w) log-likelihood of the pixels if they show a piece of a shade that has not been seen yet.

    ``piece`` (h, w) marks the pixels that the piece would cover; its shade is their median. If they match one
    of the known shades, whose log-likelihoods are ``known_shades`` (K, h, w), the piece is assumed to have
    that shade.
    """
    if not piece.any():
        return np.full(piece.shape, np.log(OUTLIER_SHARE), np.float32)
    own = shade_log_likelihood(pixels, np.median(pixels[piece], axis=0).astype(np.uint8))
    # A mean over the piece distinguishes shades: a light piece has dark sides, a dark one is dark all over.
    known = known_shades[:, piece].mean(1).max(initial=-np.inf)
    return np.full_like(own, np.log(OUTLIER_SHARE)) if known > _MIN_FIT * own[piece].mean() else own
