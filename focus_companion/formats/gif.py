"""The replay of a game as an animated GIF. Needs Pillow, which comes with the extra ``[gif]``."""

from __future__ import annotations

import io
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from focus_companion.formats.captions import captions
from focus_companion.formats.errors import FormatError
from focus_companion.formats.picture import Box, Label, Oval, Picture, Polygon, Stroke, draw
from focus_companion.formats.walk import steps
from focus_companion.game.record import GameRecord
from focus_companion.game.setups import start_position

if TYPE_CHECKING:
    from PIL import Image

WIDTH: Final = 480
"""Pixels across; the height follows."""

_COLOURS: Final = 64
_FONTS: Final = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "LiberationSans-Regular.ttf", "Arial.ttf")
_SMOOTH: Final = 2
"""Pillow draws without smoothing: pictures are drawn this much larger and shrunk."""


class PillowMissing(FormatError):
    """Pillow is not installed; the text says how to get it."""

    def __init__(self) -> None:
        super().__init__(
            "a GIF needs Pillow, which is not installed", remedy="run: pip install 'focus-companion[gif]'"
        )


def write_gif(record: GameRecord, *, seconds: float = 0.8, width: int = WIDTH) -> bytes:
    """The replay, one frame for the start and for every turn or act, ``seconds`` each, the end held longer.

    Raises:
        PillowMissing: Pillow is not installed.
        IllegalMove: the record holds an illegal move.
    """
    start = start_position(record.rules)
    pictures = [draw(start.stacks, captions=captions(record, start))]
    for step in steps(record):
        move = step.move
        path = None if move is None else (move.origin, move.target)
        pictures.append(draw(step.after.stacks, captions=captions(record, step.after, step), path=path))
    # One palette for all frames, from the one in the middle, which shows all that the others do: Pillow then
    # writes of every frame only the rectangle that changed.
    palette = _frame(pictures[len(pictures) // 2], width).quantize(_COLOURS)
    frames = [_frame(picture, width).quantize(palette=palette, dither=0) for picture in pictures]
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


def _frame(picture: Picture, width: int) -> Image.Image:
    try:
        from PIL import Image, ImageDraw
    except ImportError:
        raise PillowMissing from None
    scale = width * _SMOOTH / picture.width
    size = (width * _SMOOTH, round(picture.height * scale))
    image = Image.new("RGB", size, "white")
    canvas = ImageDraw.Draw(image)
    for shape in picture.shapes:
        _paint(canvas, shape, scale)
    return image.resize((width, round(size[1] / _SMOOTH)), Image.Resampling.BOX)


def _paint(canvas: Any, shape: Box | Oval | Polygon | Stroke | Label, scale: float) -> None:
    match shape:
        case Box():
            canvas.rounded_rectangle(
                _corners(shape.x, shape.y, shape.x + shape.width, shape.y + shape.height, scale),
                radius=shape.radius * scale,
                fill=shape.fill or None,
                outline=shape.edge or None,
                width=_thick(shape.thickness, scale),
            )
        case Oval():
            canvas.ellipse(
                _corners(
                    shape.x - shape.rx, shape.y - shape.ry, shape.x + shape.rx, shape.y + shape.ry, scale
                ),
                fill=shape.fill or None,
                outline=shape.edge or None,
                width=_thick(shape.thickness, scale),
            )
        case Polygon():
            canvas.polygon([(x * scale, y * scale) for x, y in shape.points], fill=shape.fill)
        case Stroke():
            points = [(x * scale, y * scale) for x, y in shape.points]
            canvas.line(points, fill=shape.colour, width=_thick(shape.thickness, scale), joint="curve")
        case Label():
            font, whole = _font(max(1, round(shape.size * scale)))
            canvas.text(
                (shape.x * scale, shape.y * scale),
                shape.text if whole else _plain(shape.text),
                fill=shape.colour,
                font=font,
                anchor="mm" if shape.centred else "lm",
            )


@lru_cache(32)
def _font(size: int) -> tuple[Any, bool]:
    """A font, and whether it has more than the letters of English: the system's, else the one in Pillow."""
    from PIL import ImageFont

    for name in _FONTS:
        try:
            return ImageFont.truetype(name, size), True
        except OSError:
            continue  # not on this machine
    return ImageFont.load_default(size), False


def _plain(text: str) -> str:
    """``text`` in the letters of English: without accents, ``?`` for what is left."""
    bare = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    return bare.encode("ascii", "replace").decode("ascii")


def _corners(x0: float, y0: float, x1: float, y1: float, scale: float) -> tuple[float, float, float, float]:
    return x0 * scale, y0 * scale, x1 * scale, y1 * scale


def _thick(thickness: float, scale: float) -> int:
    return max(1, round(thickness * scale))
