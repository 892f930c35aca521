"""A position as a list of simple shapes, in board units: drawn by the SVG, the GIF and the film.

A stack is drawn from the front and slightly above: every piece is a band of its colour with its letter on
it, so that every piece can be read. The top piece, which decides who owns the stack, shows its face with the
mark of its colour. Colour is never the only cue: letter and mark say the same.

One square is :data:`CELL` units wide; the origin is the upper left corner, and y points down.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from focus_companion.game.squares import FILE, INDEX, RANK, SQUARES

CELL: Final = 64.0
MARGIN: Final = 22.0
LINE: Final = 20.0
"""Height of a caption line."""

FILL: Final = {"r": "#c0392b", "g": "#1e7d4f", "b": "#2b62b0", "y": "#f4c531"}
EDGE: Final = {"r": "#7d1f15", "g": "#0e4a2d", "b": "#173a70", "y": "#8f6c00"}
INK: Final = {"r": "#ffffff", "g": "#ffffff", "b": "#ffffff", "y": "#2b2100"}
PAPER: Final = "#fbf7ee"
SQUARE_FILL: Final = ("#efe4cd", "#e6d8bb")
SQUARE_EDGE: Final = "#b7a582"
TEXT: Final = "#2f2a22"
PATH: Final = "#d35400"
PATH_FILL: Final = "#fbd9b5"
ALERT: Final = "#b00020"


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle with rounded corners; ``edge`` "" draws none."""

    x: float
    y: float
    width: float
    height: float
    radius: float = 0.0
    fill: str = ""
    edge: str = ""
    thickness: float = 1.0


@dataclass(frozen=True, slots=True)
class Oval:
    x: float
    y: float
    rx: float
    ry: float
    fill: str = ""
    edge: str = ""
    thickness: float = 1.0


@dataclass(frozen=True, slots=True)
class Polygon:
    points: tuple[tuple[float, float], ...]
    fill: str


@dataclass(frozen=True, slots=True)
class Stroke:
    points: tuple[tuple[float, float], ...]
    colour: str
    thickness: float


@dataclass(frozen=True, slots=True)
class Label:
    """Text centred (or left-aligned) at x, and centred vertically at y."""

    x: float
    y: float
    text: str
    size: float
    colour: str
    centred: bool = True


Shape = Box | Oval | Polygon | Stroke | Label


@dataclass(frozen=True, slots=True)
class Picture:
    width: float
    height: float
    shapes: tuple[Shape, ...]


def draw(
    stacks: Sequence[str],
    *,
    captions: Iterable[str] = (),
    path: tuple[int | None, int] | None = None,
    highlights: Iterable[str] = (),
    coordinates: bool = True,
    line: float = LINE,
) -> Picture:
    """The picture of a position.

    Args:
        stacks: 52 strings of colour letters, bottom to top.
        captions: lines of text under the board.
        path: origin (None for a reserve piece) and target square of the turn to show.
        highlights: names of squares to ring, as an alert does.
        coordinates: whether files and ranks are lettered.
        line: height of a caption line; its letters are three quarters of that, or smaller to make the line
            fit.
    Raises:
        ValueError: not 52 stacks, or an unknown colour.
    """
    if len(stacks) != len(SQUARES):
        raise ValueError(f"a board has {len(SQUARES)} squares; {len(stacks)} stacks given")
    if strange := set("".join(stacks)) - set(FILL):
        raise ValueError(f"{sorted(strange)[0]!r} is not a colour; use r, g, b, y")
    lines = tuple(captions)
    width = 8 * CELL + 2 * MARGIN
    height = width + len(lines) * line + (8.0 if lines else 0.0)
    shapes: list[Shape] = [Box(0, 0, width, height, fill=PAPER)]
    for square in range(len(SQUARES)):
        x, y = _corner(square)
        shade = SQUARE_FILL[(FILE[square] + RANK[square]) % 2]
        shapes.append(Box(x + 1, y + 1, CELL - 2, CELL - 2, 6, shade, SQUARE_EDGE))
    if coordinates:
        shapes += _coordinates()
    if path is not None:  # below the stacks, so that it hides no piece
        shapes += _path(*path)
    # Back to front: a tall stack may overlap the square behind it, never the one in front.
    for square in sorted(range(len(SQUARES)), key=lambda s: _corner(s)[1]):
        x, y = _corner(square)
        shapes += _stack(stacks[square], x, y)
    for name in highlights:
        x, y = _corner(INDEX[name])
        shapes.append(Box(x + 2, y + 2, CELL - 4, CELL - 4, 6, "", ALERT, 4))
    shapes += [
        Label(MARGIN, width + 8 + line * (index + 0.3), text, _letters(text, line), TEXT, centred=False)
        for index, text in enumerate(lines)
    ]
    return Picture(width, height, tuple(shapes))


def _letters(text: str, line: float) -> float:
    """The size of a caption's letters, which are about 0.6 of it wide."""
    return min(0.75 * line, (8 * CELL + MARGIN) / (0.6 * max(1, len(text))))


def _corner(square: int) -> tuple[float, float]:
    """Upper left corner of a square; rank 1 is at the bottom of the picture."""
    return MARGIN + FILE[square] * CELL, MARGIN + (7 - RANK[square]) * CELL


def _coordinates() -> list[Shape]:
    """Letters of the files below rank 1, figures of the ranks left of file a."""
    left, below = MARGIN / 2, MARGIN + 8 * CELL + MARGIN / 2
    steps = [MARGIN + (i + 0.5) * CELL for i in range(8)]
    files = [Label(x, below, text, 12, TEXT) for x, text in zip(steps, "abcdefgh", strict=True)]
    ranks = [Label(left, y, text, 12, TEXT) for y, text in zip(steps, "87654321", strict=True)]
    return [*files, *reversed(ranks)]


def _stack(stack: str, x: float, y: float) -> list[Shape]:
    if not stack:
        return []
    face = 6.0  # half the height of the top piece's face
    band = min(9.6, (CELL - 4 - 2 * face) / len(stack))  # a stack that awaits trimming has thinner bands
    left, right, foot = x + 9, x + CELL - 9, y + CELL - 3.0
    middle = (left + right) / 2
    shapes: list[Shape] = []
    for height, piece in enumerate(stack):
        top = foot - (height + 1) * band
        shapes.append(Box(left, top, right - left, band, 2.5, FILL[piece], EDGE[piece]))
        shapes.append(Label(middle, top + band * 0.54, piece.upper(), band * 0.9, INK[piece]))
    summit = foot - len(stack) * band
    piece = stack[-1]
    shapes.append(Oval(middle, summit - face + 0.3, (right - left) / 2, face, FILL[piece], EDGE[piece], 1.4))
    shapes.append(_mark(piece, middle, summit - face + 0.3))
    return shapes


def _mark(piece: str, x: float, y: float) -> Shape:
    """The mark of a colour on the face of a top piece: triangle, bar, dot, diamond."""
    ink = INK[piece]
    if piece == "r":
        return Polygon(((x - 7, y + 3), (x + 7, y + 3), (x, y - 4)), ink)
    if piece == "g":
        return Box(x - 10, y - 1.5, 20, 3, 0, ink)
    if piece == "b":
        return Oval(x, y, 5.5, 2.8, ink)
    return Polygon(((x - 8, y), (x, y - 3.8), (x + 8, y), (x, y + 3.8)), ink)


def _path(origin: int | None, target: int) -> list[Shape]:
    """The last turn: both squares tinted, the target ringed, an arrow from one to the other."""
    tx, ty = _corner(target)
    shapes: list[Shape] = [Box(tx + 2.5, ty + 2.5, CELL - 5, CELL - 5, 6, PATH_FILL, PATH, 3)]
    if origin is None or origin == target:
        return shapes
    ox, oy = _corner(origin)
    shapes.append(Box(ox + 2.5, oy + 2.5, CELL - 5, CELL - 5, 6, PATH_FILL, PATH, 1))
    half = CELL / 2
    length = ((tx - ox) ** 2 + (ty - oy) ** 2) ** 0.5
    ux, uy = (tx - ox) / length, (ty - oy) / length
    start = (ox + half + ux * (half - 8), oy + half + uy * (half - 8))
    ex, ey = tx + half - ux * (half - 14), ty + half - uy * (half - 14)
    bx, by = ex - ux * 12, ey - uy * 12
    head = ((ex, ey), (bx - uy * 9, by + ux * 9), (bx + uy * 9, by - ux * 9))
    return [*shapes, Stroke((start, (bx, by)), PATH, 5), Polygon(head, PATH)]
