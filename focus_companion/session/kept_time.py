"""Has the journal note the time of a running clock, which no event may tell for long."""

from __future__ import annotations

from typing import Final

from .clock import Clock
from .ports import EventJournal

_INTERVAL: Final = 5.0
"""Seconds of a running clock that a power cut or a killed program may lose at most."""


class KeptTime:
    """Notes the time in ``journal``, if there is one."""

    def __init__(self, journal: EventJournal | None) -> None:
        self._journal, self._noted_at = journal, 0.0

    def note(self, clock: Clock | None, event: int, time: float, *, at_once: bool = False) -> None:
        """It is ``time`` in a game with this clock, after its last event; noted only every few seconds."""
        if not at_once and time < self._noted_at + _INTERVAL:
            return
        if self._journal is not None and clock is not None and clock.running:
            self._journal.keep_time(event, time)
        self._noted_at = time
