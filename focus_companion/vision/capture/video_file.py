"""Reads the pictures of a video file, decoded by FFmpeg, with colour conversion deferred."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import av
import av.error
import numpy as np
from av.video.frame import VideoFrame
from av.video.plane import VideoPlane
from av.video.reformatter import ColorRange
from numpy.typing import NDArray

from . import frames
from .frames import FrameError, Picture
from .planes import Planes

log = logging.getLogger(__name__)

OPTIONS: Final = {
    "protocol_whitelist": "file",
    "format_whitelist": "mov,matroska,avi,mpegts,mpeg,asf,flv,ogg,dv,nut,ivf,gif,apng,webp_pipe,jpeg_pipe,"
    "png_pipe,mjpeg,mpjpeg,h264,hevc,av1,obu,m4v,mpegvideo",
}
"""FFmpeg's options: only local files in these containers, which exclude playlists, since these name other
files and addresses."""

DEFAULT_RATE: Final = 25.0
"""Frames per second of a video that does not state a plausible rate."""
_RATE_RANGE: Final = (0.5, 1000)
"""Plausible frames per second, exclusive."""


class Video:
    """A video file. It is iterated once, on one thread, which closes it."""

    def __init__(self, path: Path) -> None:
        """Raises FrameError if it contains no video, or one whose pictures are implausibly large."""
        try:
            self._container = av.open(f"file:{path}", options=OPTIONS, metadata_errors="replace")
        except av.error.FFmpegError as error:
            raise FrameError(
                f"{path} cannot be read as a video; give a video file, a folder of pictures or a camera"
            ) from error
        try:
            self._stream = self._first_stream(path)
        except FrameError:
            self.close()
            raise
        rate = float(self._stream.guessed_rate or 0)
        lowest, highest = _RATE_RANGE
        self._rate = rate if lowest < rate < highest else DEFAULT_RATE

    def _first_stream(self, path: Path) -> av.VideoStream:
        if not self._container.streams.video:
            raise FrameError(f"{path} holds sound or text, but no pictures; give a video file")
        stream = self._container.streams.video[0]
        if stream.codec_context is None:  # the codec is unknown, although the type excludes None
            raise FrameError(
                f"{path} has pictures in an unknown format; give a video in a common one, such as MP4"
            )
        frames.check_size(stream.codec_context.width, stream.codec_context.height, str(path))
        # Frame or slice threading, whichever the codec supports; one core is left to the game.
        stream.thread_type = "AUTO"
        stream.codec_context.thread_count = max(1, (os.cpu_count() or 2) - 1)
        return stream

    def __iter__(self) -> Iterator[tuple[float, Picture]]:
        """Each picture and its time (s), which never decreases."""
        last = -1.0
        try:
            for index, frame in enumerate(self._decoded()):
                # The picture size may change midway: huge pictures must not fill the memory.
                if frame.width * frame.height > frames.MAX_PIXELS:
                    break
                stamp = self._stamp(frame)
                # Some containers have no usable timestamps; then the frame rate determines the time.
                when = stamp if stamp is not None and (stamp > last or index == 0) else index / self._rate
                last = max(when, last)
                yield last, _picture(frame)
        finally:
            self.close()

    def close(self) -> None:
        self._container.close()

    def _decoded(self) -> Iterator[VideoFrame]:
        try:
            for packet in self._container.demux(self._stream):
                try:
                    yield from packet.decode()
                except av.error.FFmpegError as error:
                    log.debug("a part of the video cannot be decoded: %s", error)
        except av.error.FFmpegError as error:
            log.warning("the video breaks off: %s", error)

    def _stamp(self, frame: VideoFrame) -> float | None:
        if frame.pts is None or frame.time_base is None:
            return None
        return float((frame.pts - (self._stream.start_time or 0)) * frame.time_base)


def _picture(frame: VideoFrame) -> Picture:
    even = frame.width % 2 == frame.height % 2 == 0
    full = frame.color_range == ColorRange.JPEG
    if frame.format.name == "yuv420p" and even and not full and not frame.rotation:
        return Planes.of(*(_pixels(plane) for plane in frame.planes))
    image = np.asarray(frame.to_ndarray(format="bgr24"), np.uint8)
    # The file of a phone held upright gives the anticlockwise rotation.
    return np.ascontiguousarray(np.rot90(image, round(frame.rotation / 90)))


def _pixels(plane: VideoPlane) -> NDArray[np.uint8]:
    """The plane's pixels, without the decoder's padding at the ends of rows."""
    rows = np.asarray(memoryview(plane), np.uint8).reshape(-1, plane.line_size)
    return rows[: plane.height, : plane.width]
