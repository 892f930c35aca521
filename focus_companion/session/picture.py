"""Serves the newest picture as JPEG, encoded on demand and only once for all viewers of the same frame.

If nothing is drawn over it and its width is the camera's, a camera that sends JPEG provides the file itself.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ..vision.capture.frames import Frame

_JPEG_QUALITY: Final = 82
"""Quality of encoded pictures, from 0 to 100."""

_REUSE_TIME: Final = 0.9
"""Seconds for which one picture is reused while nothing moves: viewers request one every second."""


class Pictures:
    """Holds one frame; ``take`` is cheap, ``jpeg`` encodes at most once per frame and kind of drawing."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._frame: Any = None
        self._encoded: dict[object, bytes] = {}
        self._of: Any = None

    def take(self, frame: Any, *, same: bool = False) -> None:
        """Store ``frame`` as the newest; its image, (H, W, 3) uint8 BGR or None, must not change any more.

        ``same``: nothing moves, so the one before it, which is already encoded, may be reused for a while.
        """
        before = self._frame
        if same and before is not None and 0 <= frame.time - before.time < _REUSE_TIME:
            return
        self._frame = frame

    @property
    def newest(self) -> Any:
        """The newest frame; ``None`` before the first."""
        return self._frame

    def jpeg(
        self, draw: Callable[[Any], Any] | None = None, key: object = None, width: int | None = None
    ) -> bytes | None:
        """The newest picture as JPEG, drawn on by ``draw`` if given; ``None`` if there is no picture yet.

        ``key`` distinguishes drawings with different content. ``width``: maximum width in pixels.

        Raises:
            ValueError: the picture cannot be encoded.
        """
        with self._lock:
            frame = self._frame
            if frame is None or frame.picture is None:
                return None
            if self._of is not frame:
                self._of, self._encoded = frame, {}
            if width is not None and width >= frame.picture.shape[1]:
                width = None
            if (key, width) not in self._encoded:
                self._encoded[key, width] = _encoded(frame, draw, width)
            return self._encoded[key, width]


def _encoded(frame: Frame, draw: Callable[[Any], Any] | None, width: int | None) -> bytes:
    # Loaded here so that programs without a camera start fast.
    import cv2

    from ..vision.capture.jpeg import JpegPicture

    shown: Any
    if draw is None and isinstance(frame.picture, JpegPicture):
        if width is None and (own := frame.picture.public()) is not None:
            return own
        shown = frame.picture.at_width(width or frame.picture.shape[1])
    else:
        shown = frame.image if draw is None else draw(frame.image)
    if width is not None and width < shown.shape[1]:
        height = max(1, round(shown.shape[0] * width / shown.shape[1]))
        shown = cv2.resize(shown, (width, height), interpolation=cv2.INTER_AREA)
    done, encoded = cv2.imencode(".jpg", shown, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    if not done:
        raise ValueError(f"a picture of shape {shown.shape} cannot be encoded")
    return bytes(encoded)
