"""Rasterizes a drawing with Pillow, for the GIF and the film.

OpenCV would draw faster, but its fonts have only English letters: a name like Żaneta needs real fonts.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Any, Final

from PIL import Image, ImageDraw, ImageFont

from focus_companion.formats.picture import Box, Label, Oval, Picture, Polygon, Stroke

_FONTS: Final = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "LiberationSans-Regular.ttf", "Arial.ttf")
_OVERSAMPLING: Final = 2
"""Pillow draws without antialiasing: pictures are drawn this much larger and scaled down."""


def paint(picture: Picture, width: int) -> Image.Image:
    """The drawing as an RGB image, ``width`` pixels wide; the height follows."""
    scale = width * _OVERSAMPLING / picture.width
    size = (width * _OVERSAMPLING, round(picture.height * scale))
    image = Image.new("RGB", size, "white")
    canvas = ImageDraw.Draw(image)
    for shape in picture.shapes:
        _paint(canvas, shape, scale)
    return image.resize((width, round(size[1] / _OVERSAMPLING)), Image.Resampling.BOX)


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
    """A font, and whether it has more than English letters: the system's, else the one in Pillow."""
    for name in _FONTS:
        try:
            return ImageFont.truetype(name, size), True
        except OSError:
            continue  # not on this machine
    return ImageFont.load_default(size), False


def _plain(text: str) -> str:
    """``text`` in English letters: without accents, with ``?`` for all others."""
    bare = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    return bare.encode("ascii", "replace").decode("ascii")


def _corners(x0: float, y0: float, x1: float, y1: float, scale: float) -> tuple[float, float, float, float]:
    return x0 * scale, y0 * scale, x1 * scale, y1 * scale


def _thick(thickness: float, scale: float) -> int:
    return max(1, round(thickness * scale))
