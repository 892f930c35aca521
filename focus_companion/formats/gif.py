"""The replay of a game as an animated GIF."""

from __future__ import annotations

import io
from typing import Final

from focus_companion.formats.captions import captions
from focus_companion.formats.painting import paint
from focus_companion.formats.picture import draw
from focus_companion.formats.walk import steps
from focus_companion.game.record import GameRecord
from focus_companion.game.setups import start_position

WIDTH: Final = 480
"""Width in pixels; the height follows."""

_COLOURS: Final = 64


def write_gif(record: GameRecord, *, seconds: float = 0.8, width: int = WIDTH) -> bytes:
    """The replay, one frame for the start and for every turn or act, ``seconds`` each, the end held longer.

    Raises:
        IllegalMove: the record holds an illegal move.
    """
    start = start_position(record.rules)
    pictures = [draw(start.stacks, captions=captions(record, start))]
    for step in steps(record):
        move = step.move
        path = None if move is None else (move.origin, move.target)
        pictures.append(draw(step.after.stacks, captions=captions(record, step.after, step), path=path))
    # One palette for all frames, taken from the middle one, which contains every colour: Pillow then writes
    # only the changed rectangle of each frame.
    palette = paint(pictures[len(pictures) // 2], width).quantize(_COLOURS)
    frames = [paint(picture, width).quantize(palette=palette, dither=0) for picture in pictures]
    out = io.BytesIO()
    usual = round(seconds * 1000)
    frames[0].save(
        out,
        "GIF",
        save_all=True,
        append_images=frames[1:],
        duration=[usual] * (len(frames) - 1) + [max(usual, 4000)],
        loop=0,
        optimize=False,
    )
    return out.getvalue()
