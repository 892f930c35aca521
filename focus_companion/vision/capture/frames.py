"""Frames, the base of their sources, and the decoding of picture files."""

from __future__ import annotations

import contextlib
import threading
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

from .jpeg import Header, JpegPicture
from .planes import Planes

Image = NDArray[np.uint8]
Picture = Image | Planes | JpegPicture
"""A picture as its source delivers it: complete, as planes not yet converted to colour, or as a JPEG of which
only a subsampled copy has been decoded."""

FROZEN_AFTER = 10.0
"""Seconds of identical pictures, bit for bit: a sensor's noise never repeats, but an encoder's output may for
a while."""

CLOSED_CHECK_INTERVAL = 0.2
"""Seconds between two checks of a thread that waits for pictures whether the source was closed."""

CAMERA_SIZE = (1280, 960)
"""Width and height in pixels requested from a camera; larger pictures show no more of the game and take
longer."""

MAX_PIXELS = 40_000_000
"""Maximum pixels of a picture in a video or stream; 8K has 33 million."""

MAX_USABLE_LEVEL = 249
"""Maximum grey level that says something of what is in view; higher ones are clipped."""

_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"

MAX_FILE_BYTES = 3 * MAX_PIXELS
"""Maximum bytes of a picture file: as many as so many pixels take without compression."""


class FrameError(OSError):
    """A source gives no pictures: the message says which, why, and what to do.

    ``why`` is one word for the state: "unplugged" (a camera of this machine), "unreachable" (an address),
    "stalled" (open, but without pictures), "damaged" (nothing but broken pictures), or "unreadable".
    """

    def __init__(self, message: str, why: str = "unreadable") -> None:
        super().__init__(message)
        self.why = why


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture, ``time`` in seconds of the stream."""

    index: int
    time: float
    picture: Picture

    @property
    def image(self) -> Image:
        """(H, W, 3) uint8 BGR; decoded or converted on first use."""
        return self.picture if isinstance(self.picture, np.ndarray) else self.picture.image


class Source:
    """A source of frames in order of time; leaving the context closes it."""

    live: bool = False
    """It drops frames for a reader that lags behind, and is reopened when it ends."""
    on_demand: bool = False
    """Though live, it makes a frame only after the last one was taken, so that a slow frame is no fault."""
    end_reason: str = "ended"
    """One word for what has happened when a live source ends: "unplugged" or "ended"."""
    silence_reason: str = "stalled"
    """One word for why it is open but gives no pictures: "stalled", or "damaged" if they are broken."""
    frozen_after: float = FROZEN_AFTER
    """Seconds of identical pictures, bit for bit, after which a live source counts as frozen."""
    min_interval: float = 0.0
    """Minimum seconds between two pictures that the reader needs, which it may change at any time: a live
    source drops those in between.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._closed = threading.Event()

    @property
    def locks(self) -> Mapping[str, str]:
        """The state of each of the camera's controls (exposure, white balance, focus): locked, settling, or
        why it cannot be locked; empty if the source has no controls.
        """
        return {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[Frame]:
        raise TypeError(f"{type(self).__name__} gives no frames")

    def close(self) -> None:
        """End the iteration; from any thread, even while it waits for a frame. May be called twice."""
        self._closed.set()


def check_size(width: float, height: float, name: str) -> None:
    """Refuse a video whose pictures are implausibly large, before the first of them is decoded.

    Raises:
        FrameError: naming ``name``, and what to do.
    """
    if width * height > MAX_PIXELS:
        raise FrameError(f"{name} has pictures of {width:.0f} × {height:.0f}; give a video of at most 8K")


def decoded(data: bytes, name: str) -> Image:
    """The picture (H, W, 3) BGR in the bytes of a picture file. Raises FrameError, naming ``name``."""
    picture = None
    # Of a file that is cut off or damaged, libpng would complain on standard error.
    if data.startswith(_PNG_SIGNATURE) and not _png_is_whole(data):
        data = b""
    # For an empty or hostile file OpenCV raises rather than returning None.
    with contextlib.suppress(cv2.error):
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if picture is None:
        raise FrameError(f"{name} is not a picture that can be read (JPEG, PNG, WebP, BMP and TIFF can)")
    return np.asarray(picture, np.uint8)


def _png_is_whole(data: bytes) -> bool:
    """Whether every chunk of a PNG that its picture needs is there, with its checksum."""
    at = len(_PNG_SIGNATURE)
    while at + 12 <= len(data):
        end = at + 12 + int.from_bytes(data[at : at + 4])
        kind = data[at + 4 : at + 8]
        # The types of chunks that are not needed, such as comments, begin with a small letter.
        needed = not kind[:1].islower()
        if needed and zlib.crc32(data[at + 4 : end - 4]) != int.from_bytes(data[end - 4 : end]):
            return False
        if kind == b"IEND":
            return True
        at = end
    return False


def lazily_decoded(data: bytes, name: str) -> Picture:
    """Like :func:`decoded`, but of an ordinary JPEG only a reduced copy is decoded at once."""
    try:
        header = Header(data)
        check_size(header.width, header.height, name)
        return JpegPicture(data, header)
    except ValueError:
        return decoded(data, name)


def read_image(path: str | Path) -> Image:
    """The picture in a file, (H, W, 3) BGR.

    Raises:
        FrameError: there is no such file, or it is not a picture, or too large.
    """
    try:
        with Path(path).open("rb") as stream:
            # A device may have no end.
            data = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise FrameError(f"{path} cannot be read ({error.strerror or error})") from error
    if len(data) > MAX_FILE_BYTES:
        size = f"more than {MAX_FILE_BYTES // 2**20} MiB"
        raise FrameError(f"{path} has {size}, which is no picture of a board")
    return decoded(data, str(path))
