"""Matching the shades of the players' pieces to known shades."""

from __future__ import annotations

import pytest

from focus_companion.vision.appearance.shades import matched

KNOWN = {"g": (236, 230, 216), "r": (40, 36, 34), "b": (205, 165, 110)}


@pytest.mark.parametrize("light", [(1.0, 1.0, 1.0), (0.5, 0.5, 0.5), (1.0, 0.8, 0.55)])
@pytest.mark.parametrize("order", ["grb", "rgb", "bgr", "brg"])
def test_every_shade_is_recognized_in_any_light(light: tuple[float, ...], order: str) -> None:
    meant = dict(zip("grb", order, strict=True))
    seen = {
        letter: (round(red * light[0]), round(green * light[1]), round(blue * light[2]))
        for letter, (red, green, blue) in ((letter, KNOWN[of]) for letter, of in meant.items())
    }
    assert matched(seen, KNOWN) == meant


def test_nothing_is_matched_unless_all_are_seen() -> None:
    assert matched({"g": KNOWN["g"]}, KNOWN) == {} == matched({}, {})
