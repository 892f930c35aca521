"""Measures the shades of a flat set in one picture: those of a chess board's fields and of the pieces' tops.

None of them is known beforehand. But a field shows its shade at its corners, whatever is on it. What the
fields do not explain is a piece, and the tops of pieces have as many shades as there are players.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...game.squares import FILE, RANK, SQUARES
from ..appearance.background import LIGHT_RANGE, shade_log_likelihood
from ..appearance.colour_model import BARE, CLASS, CLASSES
from ..appearance.flat_pieces import TOP, flat_tops
from ..appearance.shades import LOG_OFFSET, USUAL_SHADES, Shade, matched
from ..arrays import Floats, Mask, Singles
from ..detection.quarter_turn import usual_roles
from ..geometry.stack_masks import Outlines, Window, fields, unused_fields
from ..masks import uniform

Pixels = NDArray[np.uint8]

_PARITY = (np.array(FILE) + np.array(RANK)) % 2
"""Which of the two shades of fields each of the 52 squares has."""


_FIELD_MARGIN = 0.08
"""Margin of a field, in squares, in which its colour mixes with that of the next one: cameras record colours
with less resolution than brightness. Raising it leaves fewer pixels to measure the field's shade from."""

_WIDEST_RADIUS = 0.46
"""Radius of the widest pieces, in squares. Raising it leaves fewer pixels at the corners of the fields, from
which their shades are measured."""

_MIN_PIXELS = 12
"""Minimum number of visible pixels of a shade for it to be measured."""

_SHADE_PERCENTILE = 75
"""Percentile of a field's pixels that is taken for its shade, as pieces cast shadows on some."""

_MIN_FIELDS = 8
"""Minimum number of visible fields of a kind for the light on them to be measured."""

_LOCAL_LIGHT = 0.1
"""Maximum relative deviation of a field from the smooth trend of the light over the board that is taken for
its shade. Beyond, it is in a shadow or hidden, and has less influence on that trend."""

_FIT_ITERATIONS = 10
"""Iterations of the robust fit of that trend."""

_RIDGE = 0.01
"""Weight of the assumption that the light is even, relative to that of one field."""


_MIN_TOP_GAIN = 1.0
"""Minimum mean gain, in nats per pixel, of a shade of its own over the field's in any light for a top to be
recognized. Raising it ignores pieces with nearly the shade of their field."""

_MIN_TOP_SHARE = 0.5
"""Minimum share of a top that must be seen before known fields for it to be recognized."""

_SAME_SHADE = 0.5
"""Distance of two shades, in logarithmic units, from which on it does not matter how different they are."""


@dataclass(frozen=True, eq=False)
class FieldShades:
    """The appearance of a bare chess board.

    ``bare`` (52, 3): BGR of each square's field. ``light`` (52, 3): the factor of each channel by which the
    same shade is brighter there than on the median square. ``unused`` (12, 3): BGR of the squares in the
    corners of the lattice, which may be covered; NaN where unknown.
    """

    bare: Floats
    light: Floats
    unused: Floats

    @classmethod
    def measured(cls, pixels: Pixels, outlines: Outlines, window: Window, usable: Mask) -> FieldShades | None:
        """The fields in the ``pixels`` (h, w, 3) of ``window``, from the corners of squares, which a piece on
        the square does not hide, where they are ``usable`` (h, w); None if these show too few fields.
        """
        margin = max(1, round(_FIELD_MARGIN * outlines.pitch))
        usable = usable & uniform(fields(outlines, window), 2 * margin + 1)
        singles = dict.fromkeys(range(len(SQUARES)), (1,))
        usable &= outlines.paint(singles, window, outlines.far_to_near) == BARE
        seen = np.maximum(_field_shades(pixels, fields(outlines, window), usable, len(SQUARES)), 1.0)
        profile = outlines.profile
        terms = profile.quadratic_terms(profile.centres)
        bare, light = np.empty_like(seen), np.ones_like(seen)
        brightest = 0.0
        for parity in (0, 1):
            own = parity == _PARITY
            known = own & np.isfinite(seen).all(1)
            if np.count_nonzero(known) < _MIN_FIELDS:
                return None
            fits = [_robust_fit(terms[known], np.log(seen[known, channel])) for channel in range(3)]
            trend = np.exp(terms @ np.array(fits).T)
            bare[own] = trend[own]
            bare[known] *= np.clip(seen[known] / trend[known], 1 - _LOCAL_LIGHT, 1 + _LOCAL_LIGHT)
            if trend.mean() > brightest:
                # Bright fields show the light more precisely than dark ones.
                brightest, light = float(trend.mean()), trend / np.median(trend, axis=0)
        unused = _field_shades(pixels, unused_fields(outlines, window), usable, len(profile.unused_centres))
        return cls(bare, light, unused)

    @property
    def light_by_field(self) -> Floats:
        """(53, 3): the factors of the light, by the numbers of :func:`.fields`; 1 outside the squares."""
        return np.concatenate([np.ones((1, 3)), self.light])

    def bare_map(self, outlines: Outlines, window: Window) -> tuple[Pixels, Mask]:
        """The BGR of the bare board at each pixel of the window, (h, w, 3), and where it is known, (h, w)."""
        shades = np.concatenate([np.full((1, 3), np.nan), self.bare, self.unused])
        field, unused = fields(outlines, window), unused_fields(outlines, window)
        index = np.where((field == 0) & (unused > 0), len(SQUARES) + unused, field)
        return _as_pixels(np.nan_to_num(shades)).take(index, axis=0), np.isfinite(shades).all(1).take(index)

    def log_likelihood(
        self, pixels: Pixels, outlines: Outlines, window: Window, elsewhere: Singles
    ) -> Singles:
        """(h, w) log-likelihoods of the window's pixels (h, w, 3) if they show the bare board; ``elsewhere``
        (h, w) is that of pixels outside the 52 squares.
        """
        shades, known = self.bare_map(outlines, window)
        own = shade_log_likelihood(pixels, shades)
        # Something else may lie on the unused squares.
        own = np.where(fields(outlines, window) > 0, own, np.maximum(own, elsewhere))
        return np.where(known, own, elsewhere).astype(np.float32)


@dataclass(frozen=True, eq=False)
class FlatColours:
    """The shades of the bare ``fields`` and of the ``tops``: (3,) BGR in the median light, by class.

    Sides have the shades of the tops in another light, darker or brighter by the factor ``side_light``. It is
    measured on all pieces together, as what is taken for the side of one may be a shadow beside it. ``None``:
    the position is certain, so the sides of each colour are known as they look.
    """

    fields: FieldShades
    tops: Mapping[int, Floats]
    side_light: float | None = 1.0

    @classmethod
    def first(
        cls,
        pixels: Pixels,
        outlines: Outlines,
        window: Window,
        players: Sequence[str],
        named: Mapping[str, Shade],
    ) -> FlatColours | None:
        """What the ``pixels`` (h, w, 3) of ``window`` show of a set in an unknown position; ``None`` if its
        pieces are not flat, or the fields are not visible. ``named``: the shades of the pieces, if known.
        """
        if not flat_tops(outlines):
            return None
        profile = outlines.profile
        widest = profile.with_pieces_scaled(_WIDEST_RADIUS * profile.pitch / profile.piece.radius)
        covering = Outlines(outlines.camera, widest, 1)
        board = FieldShades.measured(pixels, covering, window, np.ones(pixels.shape[:2], bool))
        if board is None:
            return None
        shades = _top_shades(pixels, outlines, window, board)
        return cls(board, _assigned(shades, players, named))

    def learned(
        self,
        pixels: Pixels,
        painted: NDArray[np.uint8],
        seen: Mask,
        outlines: Outlines,
        window: Window,
        *,
        certain: bool = False,
    ) -> FlatColours:
        """The shades in a picture whose pixels show the classes ``painted`` (h, w) where they are ``seen``
        (h, w). Shades that hardly show stay as they are. ``certain``: whether the position is.
        """
        inner = uniform(painted) & seen
        bare = inner & (painted == BARE)
        board = FieldShades.measured(pixels, outlines, window, bare) or self.fields
        light, field = board.light_by_field, fields(outlines, window)
        tops = dict(self.tops)
        for label in range(TOP + 1, TOP + CLASSES):
            own = inner & (painted == label)
            if np.count_nonzero(own) >= _MIN_PIXELS:
                tops[label] = np.median(pixels[own] / light[field[own]], axis=0)
        if certain:
            return FlatColours(board, tops, None)
        factors: list[Floats] = [np.empty(0)]
        for label, shade in tops.items():
            own = inner & (painted == label - TOP)
            lit = light[field[own]] * shade
            factors.append((pixels[own] * lit).sum(1) / (lit * lit).sum(1))
        sides = np.concatenate(factors)
        side_light = float(np.median(sides)) if len(sides) >= _MIN_PIXELS else self.side_light
        return FlatColours(board, tops, side_light)

    @property
    def shades(self) -> dict[str, Shade]:
        """Red, green, blue of each player's tops, by letter."""
        return {
            letter: _as_shade(self.tops[label + TOP])
            for letter, label in CLASS.items()
            if label + TOP in self.tops
        }

    def log_likelihood(self, pixels: Pixels, outlines: Outlines, window: Window, sides: Singles) -> Singles:
        """(h, w, CLASSES + TOP) log-likelihoods of the window's pixels (h, w, 3) for the bare board, the
        sides of pieces and their tops. ``sides`` (h, w, CLASSES) are those of pieces whose tops are not
        known, and of what is outside the lattice.
        """
        scores = np.concatenate([sides, sides[..., BARE + 1 :]], axis=-1)
        scores[..., BARE] = self.fields.log_likelihood(pixels, outlines, window, sides[..., BARE])
        field = fields(outlines, window)
        for label, shade in self.tops.items():
            shown = _as_pixels(self.fields.light_by_field * shade).take(field, axis=0)
            scores[..., label] = shade_log_likelihood(pixels, shown)
            if self.side_light is not None:
                scores[..., label - TOP] = shade_log_likelihood(
                    pixels, _as_pixels(self.side_light * shown.astype(np.float64))
                )
        return scores


def of_whole_pieces(scores: Singles) -> Singles:
    """(h, w, CLASSES) from (h, w, CLASSES + TOP): the higher of each colour's side and top."""
    pieces = np.maximum(scores[..., BARE + 1 : CLASSES], scores[..., CLASSES:])
    return np.concatenate([scores[..., : BARE + 1], pieces], axis=-1)


def _top_shades(pixels: Pixels, outlines: Outlines, window: Window, board: FieldShades) -> Floats:
    """(N, 3) BGR in the median light: the shades of the tops that the fields do not explain."""
    shades, known = board.bare_map(outlines, window)
    found = []
    for square, masks in enumerate(flat_tops(outlines)):
        part = outlines.columns[square].window.within(window)
        best = 0.0
        for mask in masks:
            inner = mask & uniform(mask.view(np.uint8)) & known[part]
            if np.count_nonzero(inner) < max(_MIN_PIXELS, _MIN_TOP_SHARE * np.count_nonzero(mask)):
                continue
            shown, bare = pixels[part][inner], shades[part][inner].astype(float)
            shade = np.median(shown, axis=0)
            light = np.median((shown * bare).sum(1) / np.maximum((bare * bare).sum(1), 1.0))
            lit = _as_pixels(np.clip(light, *LIGHT_RANGE) * bare)
            gain = shade_log_likelihood(shown, _as_pixels(shade)) - shade_log_likelihood(shown, lit)
            if gain.mean() > best:
                best, top = float(gain.mean()), shade / board.light[square]
        if best > _MIN_TOP_GAIN:
            found.append(top)
    return np.array(found).reshape(-1, 3)


def _assigned(shades: Floats, players: Sequence[str], named: Mapping[str, Shade]) -> dict[int, Floats]:
    """The shade (3,) of each player's tops, by class, from the ``shades`` (N, 3) BGR of single tops; empty if
    these are too few. Unless shades are ``named``, it is a guess who has which.
    """
    if len(shades) < len(players):
        return {}
    centres = dict(zip(players, _group_medians(shades, len(players)), strict=True))
    seen = {letter: _as_shade(shade) for letter, shade in centres.items()}
    usual = {letter: USUAL_SHADES[letter] for letter in players}
    known = {letter: shade for letter, shade in named.items() if letter in seen}
    roles = matched(seen, known) or usual_roles(seen) or matched(seen, usual)
    return {CLASS[roles[letter]] + TOP: shade for letter, shade in centres.items()}


def _group_medians(shades: Floats, number: int) -> Floats:
    """(number, 3): the median of each group of similar shades (N, 3), found as k medoids; N >= number."""
    points = np.log(np.maximum(shades, 0.0) + LOG_OFFSET)
    distance = np.minimum(np.linalg.norm(points[:, None] - points, axis=2), _SAME_SHADE)
    chosen: list[int] = []
    for _ in range(number):
        left = distance[:, chosen].min(1, initial=_SAME_SHADE)
        chosen.append(int(np.minimum(distance, left[:, None]).sum(0).argmin()))
    before: list[int] = []
    while chosen != before:
        before = list(chosen)
        for place in range(number):
            left = distance[:, chosen[:place] + chosen[place + 1 :]].min(1, initial=_SAME_SHADE)
            totals = np.minimum(distance, left[:, None]).sum(0)
            if totals.min() < totals[chosen[place]] - 1e-9:
                chosen[place] = int(totals.argmin())
    group = distance[:, chosen].argmin(1)
    return np.array([np.median(shades[group == k], axis=0) for k in range(number)])


def _field_shades(pixels: Pixels, field: NDArray[np.uint8], usable: Mask, number: int) -> Floats:
    """(number, 3): the shade of each field, from its usable pixels; NaN if they are few."""
    chosen = usable & (field > 0)
    own = field[chosen]
    count = np.bincount(own, minlength=number + 1)[1:]
    enough = count >= _MIN_PIXELS
    found = np.full((number, 3), np.nan)
    if not enough.any():
        return found
    # Sorted by field and brightness, all percentiles of a channel are found at once.
    at = (np.cumsum(count) - count + (count - 1) * (_SHADE_PERCENTILE / 100))[enough]
    places = np.arange(len(own))
    for channel in range(3):
        brightness = np.sort(own.astype(np.uint16) << 8 | pixels[..., channel][chosen], kind="stable") & 255
        found[enough, channel] = np.interp(at, places, brightness)
    return found


def _robust_fit(terms: Floats, values: Floats) -> Floats:
    """Coefficients (K,) of ``terms`` (N, K) for ``values`` (N,), with little influence of outliers."""
    weights = np.ones(len(values))
    # Terms that no value depends on must not become large.
    ridge = _RIDGE * np.eye(terms.shape[1])
    for _ in range(_FIT_ITERATIONS):
        weighted = np.concatenate([terms * weights[:, None], ridge])
        fit = np.linalg.lstsq(weighted, np.append(values * weights, np.zeros(len(ridge))), rcond=None)[0]
        weights = 1 / np.sqrt(1 + ((values - terms @ fit) / _LOCAL_LIGHT) ** 2)
    return np.asarray(fit, np.float64)


def _as_pixels(shades: Floats) -> Pixels:
    return np.asarray(np.clip(shades, 0, 255).round(), np.uint8)


def _as_shade(shade: Floats) -> Shade:
    """Red, green, blue from BGR."""
    blue, green, red = _as_pixels(shade).tolist()
    return red, green, blue
