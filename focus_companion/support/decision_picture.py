"""Draws a decision: the reference, the judged picture, what explains each change, and the terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

from ..game.squares import INDEX
from ..referee.terms import Explained, Terms
from ..referee.terms_text import shown
from ..vision.tracking.change import board_window

if TYPE_CHECKING:
    from ..vision.capture.frames import Image
    from ..vision.geometry.stack_masks import Outlines, Window
    from ..vision.tracking.look import Look

Colour = tuple[int, int, int]
Row = tuple[str, Colour | None, bool]
"""A line of text, the colour of the square drawn before it, and whether it is bold."""

PANEL_WIDTH: Final = 620
"""Width of each of the three views in pixels."""
GAP: Final = 12
"""Pixels between views and around all of them."""
LINE_HEIGHT: Final = 19
"""Height of a line of text in pixels."""
FONT_SIZE: Final = 15
"""Height of the font in pixels."""
MAX_ACTS: Final = 5
"""Number of acts that are listed."""
MAX_SQUARES: Final = 12
"""Number of squares that are listed."""
BACKGROUND: Final = (250, 250, 248)
INK: Final = (25, 25, 25)
DIMMED_CONTRAST: Final = 0.35
"""Contrast of the third view, on which the changed pixels are coloured."""
OUTLINE_HALF_SIDE: Final = 0.48
"""Half the side of a square's drawn outline, as a fraction of the pitch of the squares."""

COLOURS: Final[dict[Explained, Colour]] = {
    "act": (0, 114, 178),
    "not explained": (213, 94, 0),
    "hidden": (150, 60, 150),
    "beside": (0, 158, 115),
    "hardly changed": (120, 120, 120),
}
"""RGB; distinguishable with any colour vision, and every square is labelled as well."""

MEANINGS: Final[dict[Explained, str]] = {
    "act": "changed by the likeliest act",
    "not explained": "changed, and not explained by that act (marked ?)",
    "hidden": "hidden by something over the board",
    "beside": "changed as by a shadow or a stack of that act (marked ~)",
    "hardly changed": "pixels that have changed elsewhere, too few to count against an act",
}

MARKS: Final[dict[Explained, str]] = {
    "act": "", "not explained": "?", "hidden": "hidden", "beside": "~", "hardly changed": "",
}  # fmt: skip


@dataclass(frozen=True)
class Views:
    """What the picture of a decision is drawn from: the ``reference`` and the judged picture in its light
    (``relit``), both cropped to the board's ``window``; the ``changed`` pixels; the ``outlines``.
    """

    outlines: Outlines
    window: Window
    reference: Image
    relit: Image
    changed: Image

    @classmethod
    def of(cls, look: Look) -> Views:
        """The views of a look; if it is the reference itself, no pixel has changed."""
        outlines = look.evidence.outlines
        window = board_window(outlines)
        relit = look.image[window.slices]
        if look.change is None:
            return cls(outlines, window, relit, relit, np.zeros(relit.shape[:2], np.uint8))
        changed = look.change.changed.view(np.uint8)
        return cls(outlines, window, look.change.before[window.slices], relit, changed)


def draw(views: Views, terms: Terms) -> Image:
    """The picture, (H, W, 3) BGR."""
    scale = PANEL_WIDTH / views.relit.shape[1]
    panels = [
        _panel(views, views.reference, terms, scale, "The reference: its position is known"),
        _panel(
            views, views.relit, terms, scale, f"The picture at {terms.time:.2f} s, in the reference's light"
        ),
        _panel(views, _coloured(views, terms), terms, scale, "What explains what", labels=True),
    ]
    width = 3 * PANEL_WIDTH + 4 * GAP
    left, right = _acts(terms, 2 * PANEL_WIDTH - 2 * GAP), _squares(terms)
    rows = max(len(left), len(right))
    top = GAP + panels[0].height + GAP
    canvas = Pillow.new("RGB", (width, top + rows * LINE_HEIGHT + GAP), BACKGROUND)
    for place, panel in enumerate(panels):
        canvas.paste(panel, (GAP + place * (PANEL_WIDTH + GAP), GAP))
    pen = ImageDraw.Draw(canvas)
    for start, column in ((GAP, left), (GAP + 2 * (PANEL_WIDTH + GAP), right)):
        for number, (text, colour, bold) in enumerate(column):
            y = top + number * LINE_HEIGHT
            x = start + (24 if colour else 0)
            pen.text((x, y), text, fill=INK, font=_font(FONT_SIZE), stroke_width=0.4 if bold else 0)
            if colour:
                pen.rectangle((start, y + 2, start + 14, y + 15), fill=colour)
    return np.ascontiguousarray(np.asarray(canvas)[..., ::-1])


def _panel(
    views: Views, image: Image, terms: Terms, scale: float, title: str, *, labels: bool = False
) -> Pillow.Image:
    """One view under its title, with outlines of the squares that the terms are about."""
    size = PANEL_WIDTH, round(image.shape[0] * scale)
    view = Pillow.fromarray(
        np.ascontiguousarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA)[..., ::-1])
    )
    panel = Pillow.new("RGB", (PANEL_WIDTH, size[1] + LINE_HEIGHT + 4), BACKGROUND)
    pen = ImageDraw.Draw(view)
    for square in reversed(terms.squares):
        if square.explained == "hardly changed":
            continue
        border = [(float(x), float(y)) for x, y in _border(views, INDEX[square.square], scale)]
        pen.line([*border, border[0]], fill=(255, 255, 255), width=5, joint="curve")
        pen.line([*border, border[0]], fill=COLOURS[square.explained], width=3, joint="curve")
        if labels:
            mark = f"{shown(square.before)} -> {shown(square.act)}" if square.act != square.before else ""
            text = f"{square.square} {mark or MARKS[square.explained]}".strip()
            x, y = np.mean(border, axis=0)
            pen.text(
                (float(x), float(y)), text, fill=INK, font=_font(FONT_SIZE), anchor="mm",
                stroke_width=3, stroke_fill=(255, 255, 255),
            )  # fmt: skip
    panel.paste(view, (0, LINE_HEIGHT + 4))
    ImageDraw.Draw(panel).text((0, 0), title, fill=INK, font=_font(FONT_SIZE + 1), stroke_width=0.4)
    return panel


def _border(views: Views, square: int, scale: float) -> NDArray[np.float64]:
    """The corners of a square on the ground, (4, 2) pixels of the view."""
    profile, camera = views.outlines.profile, views.outlines.camera
    ground = profile.outline_of(square, OUTLINE_HALF_SIDE * profile.pitch)
    corner = views.window.left, views.window.top
    return (camera.project(ground) - corner) * scale


def _coloured(views: Views, terms: Terms) -> Image:
    """The dimmed picture, with every changed pixel in the colour of what explains it."""
    grey = cv2.cvtColor(cv2.cvtColor(views.relit, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    drawn = np.asarray(255 - (255 - grey.astype(np.float32)) * DIMMED_CONTRAST, np.uint8)
    changed = views.changed > 0
    # The act's own squares come last, so that pixels where columns overlap get their colour.
    drawn[changed] = COLOURS["hardly changed"][::-1]
    for square in reversed(terms.squares):
        column = views.outlines.columns[INDEX[square.square]]
        high = max(len(square.before), len(square.act), 1) + 1
        part = column.window.within(views.window)
        drawn[part][changed[part] & column.standing(high)] = COLOURS[square.explained][::-1]
    return drawn


def _acts(terms: Terms, width: int) -> list[Row]:
    """The lines below the first two views: the decision, and the likeliest acts."""
    rows: list[Row] = [(text, None, True) for text in _wrapped(terms.why, width)]
    moved = f"camera moved by {terms.camera:.1f} px since the reference"
    rows.append((f"Still since {terms.since:.2f} s; {terms.light}; {moved}.", None, False))
    if terms.conditions:
        rows += [(text, None, False) for text in _wrapped(terms.required, width)]
    if terms.acts:
        rows += [
            ("", None, False),
            ("The likeliest acts (nats, against nothing having happened):", None, True),
        ]
    for act in terms.acts[:MAX_ACTS]:
        rows.append((act.summary, None, False))
        lines = (text for line in act.lines() for text in _wrapped(line, width - 80))
        rows += [(f"            {text}", None, False) for text in lines]
    return rows


def _squares(terms: Terms) -> list[Row]:
    """The lines below the third view: its colours, and the squares that matter."""
    listed = [square for square in terms.squares if square.explained != "hardly changed"]
    kinds: list[Explained] = [*dict.fromkeys(square.explained for square in listed), "hardly changed"]
    rows: list[Row] = [(MEANINGS[kind], COLOURS[kind], False) for kind in kinds]
    if listed:
        rows.append(("", None, False))
    rows += [(square.text, COLOURS[square.explained], False) for square in listed[:MAX_SQUARES]]
    if len(listed) > MAX_SQUARES:
        rows.append((f"and {len(listed) - MAX_SQUARES} more", None, False))
    return rows


def _wrapped(text: str, width: int) -> list[str]:
    """The text in lines of at most ``width`` pixels."""
    font, lines = _font(FONT_SIZE), [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and font.getlength(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont)
    return font
