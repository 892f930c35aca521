"""A test of every light: one meaning after another, each with what should be seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..game.squares import INDEX, SQUARES
from .meaning import NOTHING, Cue, Meaning, path_of
from .settings import COLOURS


@dataclass(frozen=True)
class WalkStep:
    """Something to show for some seconds, and what should be seen and heard."""

    text: str
    meaning: Meaning
    cue: Cue = Cue.NONE
    seconds: float = 2.0


def walk() -> Iterator[WalkStep]:
    """All steps in order; the last one is dark."""
    yield WalkStep("everything is dark", NOTHING, seconds=1.0)
    for colour in COLOURS:
        yield WalkStep(f"{colour}: the turn light glows, the click of a turn", Meaning(turn=colour), Cue.TURN)
    for index, colour in enumerate(COLOURS):
        one, five = ([n if i == index else 0 for i in range(4)] for n in (1, 5))
        yield WalkStep(f"{colour}: one piece in the reserve bar", Meaning(reserves=_four(one)), seconds=1.0)
        yield WalkStep(
            f"{colour}: five pieces in the reserve bar", Meaning(reserves=_four(five)), seconds=1.0
        )
    for rank in range(8, 0, -1):
        squares = tuple(INDEX[name] for name in SQUARES if name.endswith(str(rank)))
        yield WalkStep(
            f"rank {rank}: its {len(squares)} squares blink magenta", Meaning(wrong=squares), seconds=1.5
        )
    yield WalkStep(
        "a path runs from a6 to d6 in green", Meaning(mover="green", path=path_of("a6-d6")), Cue.TURN
    )
    yield WalkStep("d5 pulses three times in white, then pauses; two beeps", _take("d5", 3), Cue.PROMPT, 4.0)
    yield WalkStep(
        "the warning light is on, e4 blinks magenta; three beeps",
        Meaning(turn="red", warning=True, wrong=(INDEX["e4"],)),
        Cue.ALERT,
        3.0,
    )
    yield WalkStep(
        "out of view: the warning light goes slowly on and off", Meaning(camera_lost=True), seconds=4.0
    )
    yield WalkStep(
        "game over: green's turn light blinks; a long beep", Meaning(over=True, winners=("green",)), Cue.OVER
    )
    yield WalkStep("everything is dark again", NOTHING, seconds=1.0)


def _four(counts: list[int]) -> tuple[int, int, int, int]:
    red, green, blue, yellow = counts
    return red, green, blue, yellow


def _take(square: str, count: int) -> Meaning:
    return Meaning(turn="red", take=(INDEX[square], count))
