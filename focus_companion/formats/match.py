"""What a record file holds: one game, or the games of a match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from focus_companion.game.record import GameRecord


@dataclass(frozen=True, slots=True)
class Match:
    """Games in the order played. ``single`` tells a lone game from a match of one game."""

    games: tuple[GameRecord, ...]
    single: bool = False
    unknown: Mapping[str, Any] = field(default_factory=dict)
