"""A position as SVG text: a pure function, without styles or scripts, safe under a strict page policy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

from focus_companion.formats.picture import Box, Label, Oval, Polygon, Shape, Stroke, draw
from focus_companion.game.colours import NAMES
from focus_companion.game.moves import Move
from focus_companion.game.squares import SQUARES

# XML 1.0 cannot represent these, even escaped: a name with one must not break the picture.
_FORBIDDEN = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 65534, 65535, *range(55296, 57344)), "�")


def board_svg(
    stacks: Sequence[str],
    *,
    title: str = "Focus",
    captions: Iterable[str] = (),
    move: Move | None = None,
    highlights: Iterable[str] = (),
    coordinates: bool = True,
) -> str:
    """The SVG of a position given by its 52 ``stacks`` (bottom to top, "" empty).

    ``move`` is drawn as an arrow (a reserve turn as a ring); ``highlights`` are names of squares to ring in
    red; ``captions`` are below the board. It scales to its container. Screen readers read ``title`` and the
    stacks. Raises ValueError as :func:`focus_companion.formats.picture.draw` does.
    """
    path = None if move is None else (move.origin, move.target)
    picture = draw(stacks, captions=captions, path=path, highlights=highlights, coordinates=coordinates)
    box = f"0 0 {_n(picture.width)} {_n(picture.height)}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img" aria-label={_attribute(title)}>',
        f"<title>{_text(title)}</title>",
        f"<desc>{_text(describe(stacks))}</desc>",
        '<g font-family="DejaVu Sans, Verdana, Helvetica, Arial, sans-serif">',
        *(_element(shape) for shape in picture.shapes),
        "</g>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def describe(stacks: Sequence[str]) -> str:
    """Every stack in words, for screen readers: ``d5: red, green; e5: red``."""
    return "; ".join(
        f"{SQUARES[square]}: {', '.join(NAMES[piece] for piece in stack)}"
        for square, stack in enumerate(stacks)
        if stack
    )


def _text(text: str) -> str:
    return escape(text.translate(_FORBIDDEN))


def _attribute(text: str) -> str:
    return quoteattr(text.translate(_FORBIDDEN))


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _paint(fill: str, edge: str, thickness: float) -> str:
    border = f' stroke="{edge}" stroke-width="{_n(thickness)}"' if edge else ""
    return f'fill="{fill or "none"}"{border}'


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


def _element(shape: Shape) -> str:
    match shape:
        case Box():
            corner = f' rx="{_n(shape.radius)}"' if shape.radius else ""
            extent = f'width="{_n(shape.width)}" height="{_n(shape.height)}"'
            return (
                f'<rect x="{_n(shape.x)}" y="{_n(shape.y)}" {extent}'
                f"{corner} {_paint(shape.fill, shape.edge, shape.thickness)}/>"
            )
        case Oval():
            return (
                f'<ellipse cx="{_n(shape.x)}" cy="{_n(shape.y)}" rx="{_n(shape.rx)}" ry="{_n(shape.ry)}"'
                f" {_paint(shape.fill, shape.edge, shape.thickness)}/>"
            )
        case Polygon():
            return f'<polygon points="{_points(shape.points)}" fill="{shape.fill}"/>'
        case Stroke():
            return (
                f'<polyline points="{_points(shape.points)}" fill="none" stroke="{shape.colour}"'
                f' stroke-width="{_n(shape.thickness)}" stroke-linecap="round"/>'
            )
        case Label():
            anchor = ' text-anchor="middle"' if shape.centred else ""
            # The baseline is 0.35 em below the middle of a capital: dominant-baseline is not supported
            # everywhere.
            baseline = shape.y + shape.size * 0.35
            return (
                f'<text x="{_n(shape.x)}" y="{_n(baseline)}" font-size="{_n(shape.size)}"{anchor}'
                f' fill="{shape.colour}">{_text(shape.text)}</text>'
            )
