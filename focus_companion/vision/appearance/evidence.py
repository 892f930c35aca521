"""The evidence of one settled picture: the log-likelihood ratio of any change of stacks to the previous
position.

A change is scored by rendering it: only pixels whose visible class would differ count, each with the
difference of the two classes' log-likelihoods, clipped to :data:`TRUST` so that no speck of glare decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...game.squares import SQUARES
from ..geometry.stack_masks import Outlines, Window
from .background import Background, of_shade
from .colour_model import BARE, CLASS, CLASSES, UNSEEN, ColourModel
from .flat_pieces import TOP, around_pixels, flat_tops, of_parts
from .stack_gains import StackGains, surroundings

TRUST = 4.0
"""Limit, in nats, of the log-likelihood ratio of a single pixel."""
SHARE = 0.04
"""Neighbouring pixels are correlated: the weight of each pixel's nats if a square is :data:`SQUARE` pixels
wide; with larger squares, each pixel counts less."""
SQUARE = 55.0


def pixel_share(outlines: Outlines) -> float:
    """The weight of each pixel's nats in this view."""
    return SHARE * float(np.clip((SQUARE / outlines.pitch) ** 2, 0.2, 4.0))


def classes(stack: str) -> tuple[int, ...]:
    """Classes of a stack's pieces, bottom first."""
    return tuple(CLASS[piece] for piece in stack)


@dataclass(frozen=True)
class Gain:
    """How much better a change explains the picture: ``nats`` in total, over ``pixels`` whose class would
    differ.
    """

    nats: float
    pixels: int
    share: float = SHARE

    @property
    def per_pixel(self) -> float:
        """Mean nats per pixel, unweighted; 0 if nothing would look different."""
        return self.nats / self.share / self.pixels if self.pixels else 0.0


class Evidence:
    """One picture, with the model of the scene and the previous position."""

    def __init__(
        self,
        image: NDArray[np.uint8],
        outlines: Outlines,
        colours: ColourModel,
        background: Background,
        standing: Sequence[str],
    ) -> None:
        self.image = image
        self.outlines = outlines
        self.standing = tuple(standing)
        self.colours, self._background = colours, background
        self._standing_classes = tuple(classes(stack) for stack in standing)
        self._classes = dict(enumerate(self._standing_classes))
        self._share = pixel_share(outlines)
        self._board = outlines.window(range(len(SQUARES)))
        self._tops = flat_tops(outlines)
        number = CLASSES + TOP if self._tops else CLASSES
        shape = (self._board.bottom - self._board.top, self._board.right - self._board.left, number)
        self._scored: NDArray[np.float32] = np.full(shape, -np.inf, np.float32)
        self._ready: set[int] = set()
        self._old: dict[tuple[int, ...], tuple[Window, tuple[int, ...], NDArray[np.uint8]]] = {}
        self._known: dict[tuple[tuple[int, str], ...], Gain] = {}
        self._single: dict[int, StackGains] = {}

    def of_picture(self, image: NDArray[np.uint8]) -> Evidence:
        """The evidence of another picture under the same model, with the same stacks standing."""
        return Evidence(image, self.outlines, self.colours, self._background, self.standing)

    def gain(self, changes: Mapping[int, str]) -> Gain:
        """How much better these stacks explain the picture than the previous ones on their squares."""
        changed = [s for s, stack in changes.items() if stack != self.standing[s]]
        # Columns that share no pixel are independent, so their gains add up and are cached.
        parts = [
            self._cluster(tuple((s, changes[s]) for s in group)) for group in self.outlines.clusters(changed)
        ]
        return Gain(sum(part.nats for part in parts), sum(part.pixels for part in parts), self._share)

    def stack_gain(self, square: int, stack: str) -> Gain:
        """:meth:`gain` of one square alone."""
        if stack == self.standing[square]:
            return Gain(0.0, 0, self._share)
        return self._cluster(((square, stack),))

    def _cluster(self, changes: tuple[tuple[int, str], ...]) -> Gain:
        if changes not in self._known:
            self._known[changes] = self._painted(dict(changes))
        return self._known[changes]

    def _painted(self, changes: dict[int, str]) -> Gain:
        squares = tuple(changes)
        if len(squares) == 1:
            nats, pixels = self._gains(squares[0]).of(classes(changes[squares[0]]))
            return Gain(nats * self._share, pixels, self._share)
        window, order, old = self._before(squares)
        stacks = self._classes | {s: classes(changes[s]) for s in squares}
        new = self.outlines.paint(stacks, window, order, self._tops, TOP)
        rows, columns = np.nonzero(old != new)
        if not len(rows):
            return Gain(0.0, 0, self._share)
        scores = self._scores(squares, window)[rows, columns]
        at = np.arange(len(rows))
        difference = scores[at, new[rows, columns]] - scores[at, old[rows, columns]]
        nats = float(np.clip(difference, -TRUST, TRUST).sum()) * self._share
        return Gain(nats, len(rows), self._share)

    def _gains(self, square: int) -> StackGains:
        if square not in self._single:
            scores = self._scores((square,), self.outlines.window((square,)))
            around = surroundings(self.outlines, square, self._standing_classes)
            self._single[square] = StackGains(around, scores, TRUST)
        return self._single[square]

    def _before(self, squares: tuple[int, ...]) -> tuple[Window, tuple[int, ...], NDArray[np.uint8]]:
        """The window of these squares, all squares visible in it, far to near, and its previous classes."""
        if squares not in self._old:
            window, order = self.outlines.window(squares), self.outlines.touching(squares)
            painted = self.outlines.paint(self._classes, window, order, self._tops, TOP)
            self._old[squares] = window, order, painted
        return self._old[squares]

    def _scores(self, squares: Iterable[int], window: Window) -> NDArray[np.float32]:
        """Log-likelihood (h, w, classes) of the window's pixels, in nats, filled in for the columns of these
        squares.

        Class 0 uses the remembered background of each pixel. For pieces with flat tops, the classes of their
        tops follow those of the pieces.
        """
        for square in squares:
            if square not in self._ready:
                self._score(square)
                self._ready.add(square)
        return self._scored[self._inside(window)]

    def _score(self, square: int) -> None:
        """Fill in the log-likelihoods of the pixels of one square's column."""
        part = self.outlines.window((square,))
        pixels, scored = self.image[part.slices], self._scored[self._inside(part)]
        around = around_pixels(pixels, self.outlines.pitch) if self._tops else None
        scores = self.colours.log_likelihood(pixels)
        scores[..., BARE] = self._background.log_likelihood(
            part, pixels, scores[..., BARE], flat=self.outlines.profile.flat, around=around
        )
        piece = self.outlines.columns[square].masks[1]
        unseen = self.colours.of_any_shade
        pieces = self.colours.known & ~unseen
        pieces[BARE] = False
        if unseen.any():
            scores[..., unseen] = _of_one_shade(pixels, piece, scores[..., pieces])[..., None]
        if around is not None:
            parts = of_parts(self.colours, pixels, around, scores, self.outlines, square)
            # No pixel counts for more than TRUST nats, whichever two classes are compared.
            scored[...] = np.maximum(parts, parts.max(-1, keepdims=True) - TRUST)
            return
        before = scored[..., pieces]
        scored[...] = scores
        if not self.standing[square]:
            _raise_similar_class(scored, piece, np.flatnonzero(pieces))
        # Where columns overlap, a score that was raised for another square is kept.
        scored[..., pieces] = np.maximum(scored[..., pieces], before)

    def _inside(self, window: Window) -> tuple[slice, slice]:
        left, top = self._board.left, self._board.top
        return slice(window.top - top, window.bottom - top), slice(window.left - left, window.right - left)

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
            front = sorted(grown, key=lambda stack: -scored[stack])[:6]
        best, second = sorted(scored, key=lambda stack: -scored[stack])[:2]
        return best, scored[best] - scored[second]


def _raise_similar_class(
    scores: NDArray[np.float32], piece: NDArray[np.bool_], pieces: NDArray[np.intp]
) -> None:
    """If an empty square looks like a piece, let the two be equally likely there.

    ``scores`` (h, w, classes), in nats, is changed in place: of the classes ``pieces``, the one that fits the
    pixels ``piece`` (h, w) best gets the score of the bare board at each of them, if it fits them at all and
    the bare board fits better. ``piece`` marks the pixels that a single piece would cover.

    The bare board is remembered pixel by pixel, a class of pieces only as the range of its shades. So the
    bare board scores higher even where a piece of its shade stands, such as a light piece on a light field,
    and such a piece would seem to be missing. Whether the square has changed must decide between them.
    """
    if not piece.any() or not len(pieces):
        return
    shown = scores[piece]
    means = shown[:, pieces].mean(0)
    similar = int(pieces[means.argmax()])
    # At 0 nats, a class fits no better than a uniformly random colour.
    if 0.0 < means.max() < shown[:, BARE].mean():
        scores[piece, similar] = shown[:, BARE]


def _of_one_shade(
    pixels: NDArray[np.uint8], piece: NDArray[np.bool_], seen: NDArray[np.float32]
) -> NDArray[np.float32]:
    """(h, w) log-likelihood of the pixels under a piece of a shade that has not been seen yet.

    ``piece`` (h, w) marks the pixels that the piece would cover; its shade is their median. If they match one
    of the known shades, whose log-likelihoods are ``seen`` (h, w, K), the piece is taken for one of those.
    """
    if not piece.any():
        return np.full(piece.shape, np.log(UNSEEN), np.float32)
    own = of_shade(pixels, np.median(pixels[piece], axis=0).astype(np.uint8))
    # The light differs across the board, so a piece of a known shade may match only roughly. A mean over the
    # piece still separates shades: the sides of a light piece are dark, but a dark piece is dark all over.
    known = seen[piece].mean(0).max(initial=-np.inf)
    return np.full_like(own, np.log(UNSEEN)) if known > own[piece].mean() / 2 else own


__all__ = ["CLASSES", "SQUARES", "Evidence", "Gain", "classes"]
