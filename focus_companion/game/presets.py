"""Named rule sets, so that people need not know every switch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from .rules import Rules
from .start import RulesError


@dataclass(frozen=True, slots=True)
class Preset:
    """A named set of switches; all others have their defaults for the number of players."""

    name: str
    summary: str
    """One sentence for people."""
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Keyword arguments of :meth:`Rules.make`, without ``players`` if any number may play."""
    games: int = 1
    """Games of a match; 1 for a single game."""

    def rules(self, players: int | None = None, **further: Any) -> Rules:
        """Return the rules for a number of players, with further switches overriding the preset's.

        Raises RulesError for anything that the preset or the rules do not allow.
        """
        fixed = self.settings.get("players")
        if fixed is not None and players not in (None, fixed):
            raise RulesError(f"the preset {self.name!r} is for {fixed} players, not for {players}")
        return Rules.make(**{"players": players or 2, **self.settings, **further})


PRESETS: Final[dict[str, Preset]] = {
    preset.name: preset
    for preset in (
        Preset("domination", "The rule book's full game: play until nobody else can move."),
        Preset("fast", "The rule book's fast game: the first to capture enough pieces wins.", {"fast": True}),
        Preset(
            "tournament",
            "A match of two full games for two, each beginning once; one point for each piece captured.",
            {"players": 2},
            games=2,
        ),
        Preset("partners", "Green and yellow against blue and red.", {"players": 4, "partners": True}),
        Preset(
            "open-partners",
            "Partners who may move each other's stacks and talk at the table.",
            {"players": 4, "partners": True, "move_partner_stacks": True, "table_talk": True},
        ),
        Preset(
            "last-standing",
            "Whoever cannot move on their turn is out for good, with any number of players.",
            {"stuck": "out"},
        ),
        Preset(
            "twelve",
            "Three players with twelve pieces each and none in hand.",
            {"players": 3, "thirteenth_piece": False},
        ),
        Preset(
            "checkerboard",
            "Two players, single pieces alternating on the middle of the board.",
            {"players": 2, "set_up": "checkerboard"},
        ),
        Preset(
            "drop",
            "Two players place their pieces one by one, then play.",
            {"players": 2, "set_up": "drop"},
        ),
        Preset(
            "quiet-reserve",
            "A reserve piece is placed on an empty square or a stack of one's own only.",
            {"reserve_on": "empty_or_own"},
        ),
    )
}
"""The presets, by name."""


def preset(name: str) -> Preset:
    """Return the preset of a name. Raises RulesError, which lists the known names."""
    if name not in PRESETS:
        raise RulesError(f"there is no preset {name[:40]!r}; there are {', '.join(PRESETS)}")
    return PRESETS[name]
