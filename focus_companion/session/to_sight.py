"""What a request means for whoever looks at the board, beside the events that it brings."""

from __future__ import annotations

from typing import Final

from .ports import Sight
from .requests import ReadBoard, Request, StandsRight, TurnDone

_HURRY: Final = 2.0
"""Seconds after a press of the button in which the picture may come to rest and is judged at once."""


def pass_on(request: Request, sight: Sight, time: float) -> None:
    """Tell ``sight`` what was asked for at ``time``."""
    if isinstance(request, ReadBoard):
        sight.read_again()
    elif isinstance(request, StandsRight):
        sight.vouch()
    elif isinstance(request, TurnDone):
        sight.hurry(time + _HURRY)
