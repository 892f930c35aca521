"""A check of the driver with noise from the device."""

from __future__ import annotations

import random
import time
from pathlib import Path

from light_board_fake import NoisyBoard

from focus_companion.lights import LightSettings, SerialSettings, open_lights
from focus_companion.lights.meaning import Cue, Meaning
from focus_companion.lights.protocol import state_data
from focus_companion.lights.settings import COLOURS

STATE_TIMEOUT = 120.0
"""Seconds. Each lost answer costs the timeout of an acknowledgement."""


def check_driver(folder: Path, streams: int, seed: int = 1) -> float:
    """Show one state after another until the board has sent this many streams of noise; return the longest
    time that a state took, in seconds. Raises AssertionError for a state that is not shown.
    """
    source = random.Random(seed)
    board = NoisyBoard(folder / "ttyNOISE", seed)
    serial = SerialSettings(str(board.link), ack_timeout=0.05)
    longest = 0.0
    try:
        with open_lights(LightSettings(backends=("serial",), serial=serial)) as lights:
            while board.streams < streams:
                counts = [source.randrange(20) for _ in COLOURS]
                meaning = Meaning(turn=source.choice(COLOURS), reserves=tuple(counts))  # type: ignore[arg-type]
                began = time.monotonic()
                lights.present(meaning, Cue.NONE)
                assert lights.wait(STATE_TIMEOUT), f"no state shown after {board.streams} streams"
                longest = max(longest, time.monotonic() - began)
                assert board.shown == state_data(meaning), f"wrong after {board.streams} streams"
    finally:
        board.unplug()
    return longest
