"""Looks at one position that any act explains well, for tests in which the judgement itself is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fake_look import fake_look
from table_scene import rules

from focus_companion.game.setups import start_position

RULES = rules({"d5": "rgg", "d7": "rg", "e6": "g", "f4": "r", "g3": ""}, {"g": 0, "r": 2})


def shown(age: float, touched: Mapping[str, float], *, time: float | None = None, **more: Any) -> Any:
    """A look that has been still for ``age`` seconds at ``time``, or since 0 s, and that any act explains
    well, unless ``more`` says otherwise.
    """
    since = 0.0 if time is None else time - age
    usual = {"unlisted": 50.0, "pixels": 400}
    return fake_look(
        start_position(RULES).stacks,
        touched,
        number=round(1000 * since),
        age=age,
        time=time,
        **usual | more,
    )
