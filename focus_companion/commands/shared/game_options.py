"""The options of ``play`` besides its settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from focus_companion.commands.shared.taping import DEFAULT_MEGABYTES
from focus_companion.game.rules import Rules


@dataclass(frozen=True)
class GameOptions:
    """The game to be played, and how it is watched and recorded.

    ``rules``: ``None`` for those of two players; ``start_from``: "camera" to begin from the position that the
    camera reads, else "". ``names``, ``played_by`` (kinds of seat) and ``words`` (one-time words of links to
    another table) by letter. ``games``: number of games in the match, 1 for a single game; ``new``: begin a
    new game even if one is unfinished. ``rank1``: the side of the picture at which rank 1 lies if the set-up
    is ambiguous. ``tape``: a folder for all pictures and events, with at most ``tape_size`` megabytes.
    ``pace``: seconds a turn for a computer's seat; ``None`` keeps the game's.
    """

    rules: Rules | None = None
    start_from: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    played_by: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict, repr=False)
    pace: float | None = None
    games: int = 1
    new: bool = False
    rank1: str = "bottom"
    tape: Path | None = None
    tape_size: float = DEFAULT_MEGABYTES
