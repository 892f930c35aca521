"""The players' clocks, in seconds of the stream; only the game's events advance them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from ..game.colours import NAMES

Kind = Literal["up", "down"]

_MAX_SECONDS: Final = 24 * 3600.0
"""Maximum seconds of a time control; more must be a mistake."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How the clocks run: up from zero, or down from ``seconds`` with ``increment`` seconds after each turn.

    Raises:
        ValueError: not a valid time control.
    """

    kind: Kind
    seconds: float = 0.0
    increment: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in ("up", "down"):
            raise ValueError(f"a clock runs “up” or “down”, not {str(self.kind)[:20]!r}")
        for name, value in (("seconds", self.seconds), ("increment", self.increment)):
            if (
                isinstance(value, bool)
                or not isinstance(value, int | float)
                or not 0 <= value <= _MAX_SECONDS
            ):
                raise ValueError(f"the clock's {name} must be a number from 0 to {_MAX_SECONDS:.0f}")
        if self.kind == "down" and self.seconds <= 0:
            raise ValueError("a clock that runs down needs its seconds")
        if self.kind == "up" and (self.seconds or self.increment):
            raise ValueError("a clock that runs up has neither seconds nor increment")

    @classmethod
    def from_json(cls, data: Any) -> TimeControl:
        """The object ``{"kind", "seconds", "increment"}``. Raises ValueError."""
        if not isinstance(data, Mapping):
            raise ValueError("“clock” must be an object with “kind”")
        if unknown := set(data) - {"kind", "seconds", "increment"}:
            raise ValueError(f"the clock has no {str(min(unknown, key=str))[:20]!r}")
        return cls(data.get("kind"), data.get("seconds", 0.0), data.get("increment", 0.0))  # type: ignore[arg-type]

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "seconds": self.seconds, "increment": self.increment}


@dataclass(frozen=True, slots=True)
class Clock:
    """``used``: seconds used by letter, minus the increments; ``running``: whose clock has been running since
    ``since``, "" if none; ``timed_out``: the letters of the players whose time is known to have run out.
    """

    control: TimeControl
    used: Mapping[str, float] = field(default_factory=dict)
    running: str = ""
    since: float = 0.0
    timed_out: str = ""

    def at(self, time: float, running: str, mover: str = "") -> Clock:
        """The clocks at ``time``, when that of ``running`` starts; ``mover`` has just completed a turn."""
        used = dict(self.used)
        if self.running:
            used[self.running] = used.get(self.running, 0.0) + max(0.0, time - self.since)
        if mover and self.control.increment:
            used[mover] = used.get(mover, 0.0) - self.control.increment
        return replace(self, used=used, running=running, since=max(time, self.since))

    def instead(self, before: str, player: str) -> Clock:
        """Charge the time of ``before`` to ``player`` instead."""
        used = dict(self.used)
        used[player] = used.get(player, 0.0) + used.pop(before, 0.0)
        running = player if self.running == before else self.running
        return replace(self, used=used, running=running, timed_out=self.timed_out.replace(before, ""))

    def runs_out(self, now: float) -> str:
        """The player not in ``timed_out`` whose time has run out by ``now``; "" if none."""
        player = self.running
        if self.control.kind != "down" or not player or player in self.timed_out:
            return ""
        return player if self.at(now, player).used[player] >= self.control.seconds else ""

    def with_timed_out(self, player: str) -> Clock:
        """The same clocks, with ``player`` in ``timed_out``."""
        return replace(self, timed_out=self.timed_out + player)

    def to_json(self, now: float, players: str) -> dict[str, Any]:
        """The clocks at the time ``now``: the control's keys, ``used`` by colour, ``running``, ``time``."""
        here = self.at(now, self.running)
        return self.control.to_json() | {
            "used": {NAMES[p]: round(here.used.get(p, 0.0), 3) for p in players},
            "running": NAMES[self.running] if self.running else None,
            "time": round(here.since, 3),
        }
