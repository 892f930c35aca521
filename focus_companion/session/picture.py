"""The newest picture, encoded on demand, and only once for all viewers of the same frame."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final

_QUALITY: Final = 82


class Pictures:
    """Holds one frame; ``take`` is cheap, ``jpeg`` encodes at most once per frame and kind of drawing."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._frame: Any = None
        self._encoded: dict[object, bytes] = {}
        self._of: Any = None

    def take(self, frame: Any) -> None:
        """Store ``frame`` as the newest; its image, (H, W, 3) uint8 BGR or None, must not change any more."""
        self._frame = frame

    @property
    def newest(self) -> Any:
        """The newest image, (H, W, 3) uint8 BGR; ``None`` before the first."""
        frame = self._frame
        return None if frame is None else frame.image

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
            image = None if frame is None else frame.image
            if image is None:
                return None
            if self._of is not frame:
                self._of, self._encoded = frame, {}
            if width is not None and width >= image.shape[1]:
                width = None
            if (key, width) not in self._encoded:
                # Loaded here so that programs without a camera start fast.
                import cv2

                shown = draw(image) if draw is not None else image
                if width is not None:
                    height = max(1, round(shown.shape[0] * width / shown.shape[1]))
                    shown = cv2.resize(shown, (width, height), interpolation=cv2.INTER_AREA)
                done, data = cv2.imencode(".jpg", shown, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
                if not done:
                    raise ValueError(f"a picture of shape {shown.shape} cannot be encoded")
                self._encoded[key, width] = data.tobytes()
            return self._encoded[key, width]
