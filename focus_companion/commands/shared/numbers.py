"""Numbers on the command line, refused with what they may be."""

from __future__ import annotations

import math
from typing import Any, NoReturn

import click


class NumberRange(click.FloatRange):
    """A number within limits. Unlike click's type it refuses ``nan``, which no comparison excludes."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = float(super().convert(value, param, ctx))
        except click.BadParameter:
            _refuse(self, value, "number", param, ctx)
        return _refuse(self, value, "number", param, ctx) if math.isnan(number) else number


class WholeNumberRange(click.IntRange):
    """A whole number within limits."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return int(super().convert(value, param, ctx))
        except click.BadParameter:
            _refuse(self, value, "whole number", param, ctx)


def _refuse(
    limits: click.IntRange | click.FloatRange,
    value: object,
    kind: str,
    param: click.Parameter | None,
    ctx: click.Context | None,
) -> NoReturn:
    low, high = (f"{limit:.15g}" if limit is not None else "" for limit in (limits.min, limits.max))
    if low and high:
        kind += f" above {low} and up to {high}" if limits.min_open else f" from {low} to {high}"
    elif low:
        kind += f" of {low} or more"
    limits.fail(f"{str(value)[:40]!r} is not a {kind}", param, ctx)
