"""How much a square must have changed to count as changed: one scale for all decisions."""

from __future__ import annotations

from ..vision.tracking.change import CLEAR_SHARE
from ..vision.tracking.reference import POSSIBLE_CHANGE

MIN_OPEN_FRACTION = 0.02
"""Fraction of changed pixels from which a square is *open*: it may have changed. Below it, a change is very
unlikely."""

MAX_SHADOW_FRACTION = 0.05
"""Maximum fraction of a square's pixels that the shadow of a change on an adjacent square may change."""

MIN_CHANGED_FRACTION = POSSIBLE_CHANGE
"""Fraction of changed pixels from which a square probably changed: more than is assumed of squares that may
have changed before the reference was taken."""

CERTAIN_CHANGED_FRACTION = CLEAR_SHARE
"""Fraction of changed pixels from which something certainly happened on the square, or right in front of
it."""

MAX_CALM_DEVIATION = 2.5
"""A square that differs by fewer standard deviations is *calm*: it differs no more than an untouched one."""

MIN_CLEAR_DEVIATION = 8.0
"""Standard deviations from which it is certain that something happened on a square, even if few of its pixels
have changed."""
