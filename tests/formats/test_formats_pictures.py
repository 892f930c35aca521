"""Pictures show every piece of every stack, from every side, however high the stacks are."""

from __future__ import annotations

import io
import re
from collections import Counter
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageSequence
from record_games import played

from focus_companion.formats.board_text import board_text
from focus_companion.formats.captions import captions
from focus_companion.formats.gif import write_gif
from focus_companion.formats.picture import CELL, MARGIN, Box, Label, Polygon, draw
from focus_companion.formats.svg import board_svg, describe
from focus_companion.formats.walk import steps
from focus_companion.game.moves import Move
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX, SQUARES

SVG = "{http://www.w3.org/2000/svg}"
STACKS = st.lists(st.text("rgby", max_size=9), min_size=52, max_size=52).map(tuple)


@settings(max_examples=30, deadline=None)
@given(stacks=STACKS)
def test_every_piece_stands_on_its_square_in_its_order(stacks: tuple[str, ...]) -> None:
    """Read back from the letters in the picture alone: their place gives the square and the height in the
    the stack."""
    picture = draw(stacks, coordinates=False)
    cells: dict[tuple[int, int], list[tuple[float, str]]] = {}
    for shape in picture.shapes:
        if isinstance(shape, Label):
            cell = int((shape.x - MARGIN) // CELL), int((shape.y - MARGIN) // CELL)
            cells.setdefault(cell, []).append((-shape.y, shape.text.lower()))
    seen = {cell: "".join(letter for _, letter in sorted(letters)) for cell, letters in cells.items()}
    assert seen == {at(name): stack for name, stack in zip(SQUARES, stacks, strict=True) if stack}
    assert all(
        0 <= s.x <= picture.width and 0 <= s.y <= picture.height for s in picture.shapes if isinstance(s, Box)
    )


def at(square: str) -> tuple[int, int]:
    """(column, row) of a square in the picture."""
    return "abcdefgh".index(square[0]), 8 - int(square[1])


@settings(max_examples=30, deadline=None)
@given(stacks=STACKS, title=st.text(max_size=20), caption=st.text(max_size=20))
def test_svg_is_valid_whatever_the_texts_are(stacks: tuple[str, ...], title: str, caption: str) -> None:
    root = ElementTree.fromstring(
        board_svg(stacks, title=title, captions=[caption], coordinates=False).encode()
    )
    texts = [element.text or "" for element in root.iter(f"{SVG}text")]
    pieces = Counter("".join(stacks).upper())
    drawn = Counter(text for text in texts[:-1])
    assert {letter: drawn[letter] for letter in "RGBY"} == {letter: pieces[letter] for letter in "RGBY"}
    assert (root.findtext(f"{SVG}desc") or "") == describe(stacks)


def test_svg_has_no_style_script_or_id() -> None:
    text = board_svg(("rg",) * 52, captions=["<script>"], highlights=["d5"], move=Move.parse("d5-d6"))
    assert not re.search(r"style=|<style|<script|\bid=|href|on\w+=", text)


def test_the_path_of_the_last_turn_hides_no_piece() -> None:
    """The path is drawn before every stack, because later shapes are on top."""
    shapes = draw(("rgbyr",) * 52, path=(INDEX["d5"], INDEX["d1"]), coordinates=False).shapes
    first_letter = next(i for i, shape in enumerate(shapes) if isinstance(shape, Label))
    arrow = next(i for i, shape in enumerate(shapes) if isinstance(shape, Polygon))
    assert arrow < first_letter


@pytest.mark.parametrize(
    ("stacks", "message"),
    [
        (("",) * 51, "52 squares"),
        (("x",) + ("",) * 51, "'x' is not a colour"),
    ],
)
def test_invalid_stacks_are_refused(stacks: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        draw(stacks)


def test_a_gif_has_a_frame_for_the_start_and_every_turn() -> None:
    record = played({"players": 2}, 4, 12, players={"g": "Zoë ☃", "r": "Łucja"})
    image = Image.open(io.BytesIO(write_gif(record, seconds=0.5, width=240)))
    durations = [frame.info["duration"] for frame in ImageSequence.Iterator(image)]
    assert image.size[0] == 240
    assert durations == [500] * 12 + [4000]


def test_a_gif_shows_the_colours_of_the_pieces() -> None:
    image = Image.open(io.BytesIO(write_gif(played({"players": 4}, 1, 0)))).convert("RGB")
    colours = [colour for _, colour in image.getcolors(1 << 20) or []]
    for wanted in ((0xC0, 0x39, 0x2B), (0x1E, 0x7D, 0x4F), (0x2B, 0x62, 0xB0), (0xF4, 0xC5, 0x31)):
        # Not exactly, as the palette of a GIF is small.
        assert min(max(abs(a - b) for a, b in zip(wanted, seen, strict=True)) for seen in colours) < 8


def test_captions_describe_what_happened() -> None:
    record = played({"players": 2}, 2, 400, act_at=390, players={"g": "Ann"})
    lines = [captions(record, step.after, step) for step in steps(record)]
    assert len({len(item) for item in lines}) == 1
    for step, item in zip(steps(record), lines, strict=True):
        if step.captured:
            assert f"captures {step.captured.upper()}" in item[0]
        if step.reserved:
            assert f"{step.reserved.upper()} to the reserve" in item[0]
    assert any(step.captured for step in steps(record)) and any(step.reserved for step in steps(record))
    assert lines[-1][1].startswith("Result: " if record.result else "To move: ")


def test_the_board_is_written_as_text() -> None:
    stacks = list(start_position(played({"players": 2}, 1, 0).rules).stacks)
    stacks[INDEX["d5"]] = "rgrgr"
    lines = board_text(stacks).splitlines()
    assert lines[0].split() == ["8", ".", ".", ".", "."]
    assert lines[3].split() == ["5", ".", "r", "r", "rgrgr", "g", "r", "r", "."]
    assert lines[-1].split() == list("abcdefgh")
    assert lines[3].index("rgrgr") == lines[-1].index("d")
