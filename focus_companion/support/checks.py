"""The result of a check: ok, a warning, or a failure with its remedy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

State = Literal["ok", "warn", "fail"]


@dataclass(frozen=True)
class Check:
    """One line of the doctor's output. ``remedy`` says what to do about a problem."""

    name: str
    state: State
    text: str
    remedy: str = ""

    def __post_init__(self) -> None:
        if (self.state == "ok") == bool(self.remedy):
            raise ValueError(f"{self.name}: a remedy goes with what is not well, and with nothing else")

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def line(self) -> str:
        """The result as text for the terminal."""
        head = f"{self.state:4}  {self.name}: {self.text}"
        return f"{head}\n      → {self.remedy}" if self.remedy else head


def worst(checks: Iterable[Check]) -> State:
    """The worst state of any check."""
    states = {check.state for check in checks}
    return "fail" if "fail" in states else "warn" if "warn" in states else "ok"
