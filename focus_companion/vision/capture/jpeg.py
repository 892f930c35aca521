"""JPEG pictures as cameras send them, decoded only as far as needed.

Of most pictures of a game, only a subsampled copy is used. Decoding at a quarter of the size takes half the
time of decoding in full.
"""

from __future__ import annotations

import contextlib
from functools import cached_property
from typing import Final
from weakref import ref

import cv2
import numpy as np
from numpy.typing import NDArray

from .planes import sampling_step

JPEG_START: Final = b"\xff\xd8"
"""The first bytes of every JPEG file."""
_FRAME_MARKERS: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Markers of the segments that hold a picture's size."""
_SUPPORTED_MARKERS: Final = frozenset({0xC0, 0xC1, 0xC2})
"""The frame markers that every decoder knows: baseline, extended and progressive."""
_METADATA_MARKERS: Final = frozenset({*range(0xE1, 0xF0), 0xFE}) - {0xEE}
"""Markers of metadata (place, time, orientation) and of comments."""
_EXIF_MARKER: Final = 0xE1
_TABLES_MARKER: Final = 0xC4
_SCAN_MARKER: Final = 0xDA

REDUCTION: Final = 4
"""Factor by which the sides of the reduced picture are shorter."""


class Header:
    """The header of a JPEG file: the picture's size, and where the metadata lie.

    Raises:
        ValueError: this is not a JPEG picture of a kind that every decoder knows.
    """

    def __init__(self, data: bytes) -> None:
        if data[:2] != JPEG_START:
            raise ValueError("no JPEG")
        self.has_exif = self.has_tables = False
        self.width = self.height = 0
        kept, at = [JPEG_START], 2
        while True:
            if len(data) < at + 4 or data[at] != 0xFF:
                raise ValueError("a JPEG that breaks off in its header")
            marker, end = data[at + 1], at + 2 + int.from_bytes(data[at + 2 : at + 4], "big")
            if marker in _FRAME_MARKERS:
                if marker not in _SUPPORTED_MARKERS or len(data) < at + 9:
                    raise ValueError("a JPEG of a rare kind")
                self.height = int.from_bytes(data[at + 5 : at + 7], "big")
                self.width = int.from_bytes(data[at + 7 : at + 9], "big")
            if marker == _SCAN_MARKER:
                break
            self.has_exif = self.has_exif or marker == _EXIF_MARKER
            self.has_tables = self.has_tables or marker == _TABLES_MARKER
            if marker not in _METADATA_MARKERS:
                kept.append(data[at:end])
            at = end
        if not (self.width and self.height):
            raise ValueError("a JPEG without a size")
        self._data, self._kept, self._scan = data, kept, at

    def without_metadata(self) -> bytes:
        """The file without its metadata."""
        return b"".join([*self._kept, self._data[self._scan :]])


class JpegPicture:
    """A camera's picture: the file's ``data``, decoded at a quarter of its size until more is needed.

    Raises:
        ValueError: it must be decoded in full at once, as it is small or may have to be rotated; or it cannot
            be decoded.
    """

    def __init__(self, data: bytes, header: Header) -> None:
        if header.has_exif or sampling_step(header.width) < REDUCTION:
            # The orientation is not known here, or the reduced picture is coarser than the subsampled copy.
            raise ValueError("to be decoded at once")
        self.data, self._header = data, header
        self._whole: ref[NDArray[np.uint8]] | None = None
        self._reduced = self._decoded(cv2.IMREAD_REDUCED_COLOR_4)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Shape of the whole picture, in numpy's order."""
        return self._header.height, self._header.width, 3

    @property
    def image(self) -> NDArray[np.uint8]:
        """The whole picture (H, W, 3) BGR, decoded on use, and released when nobody else uses it: it takes
        thirty times the memory of the file. Raises ValueError if it cannot be decoded.
        """
        image = None if self._whole is None else self._whole()
        if image is None:
            image = self._decoded(cv2.IMREAD_COLOR)
            self._whole = ref(image)
        return image

    @cached_property
    def sampled(self) -> NDArray[np.uint8]:
        """The subsampled copy, BGR (see :func:`~.planes.sampling_step`); each pixel is a mean of its cell."""
        step = sampling_step(self._header.width)
        size = self._header.width // step, self._header.height // step
        return np.asarray(cv2.resize(self._reduced, size, interpolation=cv2.INTER_LINEAR), np.uint8)

    def bottom_rows(self, rows: int) -> NDArray[np.uint8]:
        """The last rows of the reduced picture that cover at least ``rows`` rows of the whole one."""
        return self._reduced[-max(1, -(-rows // REDUCTION)) :]

    def at_width(self, width: int) -> NDArray[np.uint8]:
        """The picture, if possible at least ``width`` pixels wide, decoded no larger than necessary."""
        if width <= self._reduced.shape[1]:
            return self._reduced
        return self._decoded(cv2.IMREAD_REDUCED_COLOR_2) if 2 * width <= self.shape[1] else self.image

    def public(self) -> bytes | None:
        """The file without metadata, for all who may see the picture; None if a browser may be unable to show
        it, as many cameras leave out the Huffman tables.
        """
        return self._header.without_metadata() if self._header.has_tables else None

    def _decoded(self, how: int) -> NDArray[np.uint8]:
        picture = None
        # For a hostile file OpenCV raises rather than returning None.
        with contextlib.suppress(cv2.error):
            picture = cv2.imdecode(np.frombuffer(self.data, np.uint8), how)
        if picture is None:
            raise ValueError("a JPEG that cannot be decoded")
        return np.asarray(picture, np.uint8)
