"""Why a picture is useless and what to do about it, in one sentence for people at a terminal."""

from __future__ import annotations

from typing import Final

_SENTENCES: Final = {
    "dark": "the picture is dark; put a light on, and take off the lens cap",
    "covered": "the lens is covered, or far out of focus; uncover and focus it",
    "grey": (
        "the picture has no colours; switch the camera to colour, out of its night vision, or use another one"
    ),
    "damaged": "a part of the picture is missing; use a shorter or better cable, or a better network",
    "unsteady": (
        "no part of the picture comes to rest; fix the camera if it shakes, or switch off what makes the "
        "light flicker, such as a fan"
    ),
    "hidden": "something lies over squares, or is on the lens; free the view",
    "mirrored": (
        "the picture is mirrored, with left and right exchanged; switch mirroring off in the camera's "
        "settings, or use a phone's back camera"
    ),
    "another position": "the board shows another position than the game; set up the pieces as in the game",
}

CUT_OFF: Final = "cut off: "
"""The beginning of ``why`` if a part of the board is outside the picture; the picture's edges follow."""


def why_text(why: str) -> str:
    """The sentence for ``why`` of the event ``lost``; "" if it has none."""
    if why.startswith(CUT_OFF):
        return cut_off_text(why.removeprefix(CUT_OFF).split(", "))
    return _SENTENCES.get(why, "")


def cut_off_text(edges: list[str]) -> str:
    """The sentence for a board that extends beyond these edges of the picture."""
    return (
        f"part of the board is outside the picture, beyond its {' and '.join(edges)} "
        f"edge{'s' if len(edges) > 1 else ''}; turn the camera that way, or move it further away"
    )


def sentence(text: str) -> str:
    """The text with a capital letter."""
    return text[:1].upper() + text[1:]
