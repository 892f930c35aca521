"""The printable calibration target: a chessboard with a marker in every white field.

It is printed on A4 or Letter paper in landscape format. Two rulers of 100 mm show whether the printer kept
the scale; a sheet stretched more in one direction than in the other spoils a measurement.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

import cv2
import numpy as np

COLUMNS: Final = 8
"""Number of fields across."""
ROWS: Final = 6
"""Number of fields down."""
SQUARE: Final = 30.0
"""Side of a field in millimetres."""
MARKER: Final = 22.5
"""Side of a marker in millimetres, including its black border."""
_MARKER_CELLS: Final = 6
"""Side of a marker in cells, including its black border."""

PAPERS: Final = {"a4": (297.0, 210.0), "letter": (279.4, 215.9)}
"""Width and height of each paper in millimetres."""
RULER: Final = 100.0
"""Length of a ruler in millimetres."""
_RULER_GAP: Final = 4.0
"""Millimetres between the fields and a ruler."""
_LINE: Final = 0.2
"""Width of a ruler's lines in millimetres."""
_INSTRUCTIONS: Final = (
    "Focus Companion: print at 100 % (actual size). Both rulers must measure 100 mm. "
    "Glue it on a stiff board."
)


@cache
def board() -> cv2.aruco.CharucoBoard:
    """The target as an OpenCV object, in millimetres; its origin is the top left corner of the fields."""
    marks = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    return cv2.aruco.CharucoBoard((COLUMNS, ROWS), SQUARE, MARKER, marks)


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A black rectangle on the sheet: its top left corner and size in millimetres."""

    x: float
    y: float
    width: float
    height: float


def fields() -> Iterator[Rectangle]:
    """The black parts of the chessboard and its markers, from the top left corner of the fields."""
    for row in range(ROWS):
        for column in range(COLUMNS):
            if (row + column) % 2 == 0:
                yield Rectangle(column * SQUARE, row * SQUARE, SQUARE, SQUARE)
    marks = board().getDictionary()
    side = MARKER / _MARKER_CELLS
    for corners, mark in zip(board().getObjPoints(), np.asarray(board().getIds()).ravel(), strict=True):
        x, y = np.asarray(corners).reshape(4, 3)[0, :2]
        bits = np.asarray(cv2.aruco.generateImageMarker(marks, int(mark), _MARKER_CELLS))
        for row, line in enumerate(bits):
            # Runs of black are merged, to avoid hairlines between adjacent rectangles.
            edges = np.flatnonzero(np.diff(np.concatenate([[0], line == 0, [0]]).astype(int)))
            for start, end in edges.reshape(-1, 2).tolist():
                yield Rectangle(float(x) + start * side, float(y) + row * side, (end - start) * side, side)


def rulers(left: float, top: float) -> Iterator[Rectangle]:
    """One ruler below and one to the left of the fields, whose top left corner is at (left, top)."""
    below, beside = top + ROWS * SQUARE + _RULER_GAP, left - _RULER_GAP
    half = _LINE / 2
    for at in range(0, int(RULER) + 1, 10):
        length = 1.8 if at % 50 else 3.0
        yield Rectangle(left + at - half, below, _LINE, length)
        yield Rectangle(beside - length, top + at - half, length, _LINE)
    yield Rectangle(left, below - half, RULER, _LINE)
    yield Rectangle(beside - half, top, _LINE, RULER)


@dataclass(frozen=True)
class Sheet:
    """Everything that is printed, in millimetres from the sheet's top left corner."""

    width: float
    height: float
    boxes: tuple[Rectangle, ...]
    text_at: tuple[float, float]


def sheet(paper: str = "a4") -> Sheet:
    """The sheet for a paper of :data:`PAPERS`."""
    width, height = PAPERS[paper]
    left, top = (width - COLUMNS * SQUARE) / 2, (height - ROWS * SQUARE) / 2 - 2.0
    boxes = [Rectangle(left + b.x, top + b.y, b.width, b.height) for b in fields()]
    boxes += rulers(left, top)
    return Sheet(width, height, tuple(boxes), (left + RULER + 4.0, top + ROWS * SQUARE + 7.0))


def svg(paper: str = "a4") -> str:
    """The sheet as SVG at true scale."""
    drawn = sheet(paper)
    rects = "\n".join(
        f'<rect x="{b.x:.3f}" y="{b.y:.3f}" width="{b.width:.3f}" height="{b.height:.3f}"/>'
        for b in drawn.boxes
    )
    x, y = drawn.text_at
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{drawn.width}mm" height="{drawn.height}mm" '
        f'viewBox="0 0 {drawn.width} {drawn.height}">\n'
        f'<rect width="{drawn.width}" height="{drawn.height}" fill="#fff"/>\n'
        f'<g fill="#000">\n{rects}\n</g>\n'
        f'<text x="{x}" y="{y}" font-family="sans-serif" font-size="2.6">{_INSTRUCTIONS}</text>\n</svg>\n'
    )


_POINTS_PER_MM: Final = 72 / 25.4
"""PDF units per millimetre."""


def pdf(paper: str = "a4") -> bytes:
    """The sheet as PDF 1.4 at true scale, asking viewers not to fit it to the paper."""
    drawn = sheet(paper)
    paint = [f"{_POINTS_PER_MM:.8f} 0 0 {_POINTS_PER_MM:.8f} 0 0 cm 0 g"]
    # PDF's y axis points up.
    paint += [
        f"{b.x:.3f} {drawn.height - b.y - b.height:.3f} {b.width:.3f} {b.height:.3f} re" for b in drawn.boxes
    ]
    x, y = drawn.text_at
    paint += ["f", f"BT /F 2.6 Tf {x:.3f} {drawn.height - y:.3f} Td ({_escaped(_INSTRUCTIONS)}) Tj ET"]
    content = "\n".join(paint).encode("latin-1")
    size = f"[0 0 {drawn.width * _POINTS_PER_MM:.3f} {drawn.height * _POINTS_PER_MM:.3f}]"
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox {size} /Contents 4 0 R "
        "/Resources << /Font << /F 5 0 R >> >> >>".encode(),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(parts) + 1
    trailer = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (count, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n%s%s" % (count, table, trailer)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
