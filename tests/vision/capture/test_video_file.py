"""Video files in various formats: their pictures, the right way up, and their times."""

from __future__ import annotations

import threading
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from focus_companion.vision.capture.frames import Frame, FrameError
from focus_companion.vision.capture.planes import Planes
from focus_companion.vision.capture.sources import MAX_DECODED_AHEAD, open_source

CLIP = Path(__file__).parents[3] / "fixtures" / "images" / "clip-oblique.mp4"
UPRIGHT = Path(__file__).parent / "clips" / "upright.mp4"
"""Blue above and red below, taken with a phone held upright: the file contains the rotation."""


def frames_of(path: Path) -> list[Frame]:
    with open_source(str(path)) as source:
        return list(source)


def film(path: Path, codec: str, pixels: str, *, size: tuple[int, int] = (64, 48), rate: int = 10) -> Path:
    """A film of twenty pictures, whose left half grows darker."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=rate)
        assert isinstance(stream, av.VideoStream)
        stream.width, stream.height = size
        stream.pix_fmt = pixels
        for index in range(20):
            image = np.full((size[1], size[0], 3), 60, np.uint8)
            image[:, : size[0] // 2] = (220 - 6 * index, 120, 60 + 6 * index)
            frame = av.VideoFrame.from_ndarray(image, format="bgr24")
            frame.pts, frame.time_base = index, Fraction(1, rate)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


MAKES = [
    ("film.mp4", "mpeg4", "yuv420p"),
    ("film.avi", "mjpeg", "yuvj420p"),
    ("film.mkv", "ffv1", "yuv420p"),
    ("film.mkv", "ffv1", "gray"),
    ("film.mkv", "ffv1", "yuv420p10le"),
    ("film.gif", "gif", "rgb8"),
]


@pytest.mark.parametrize(("name", "codec", "pixels"), MAKES, ids=["-".join(make) for make in MAKES])
def test_the_pictures_are_those_that_opencv_makes(tmp_path: Path, name: str, codec: str, pixels: str) -> None:
    path = film(tmp_path / name, codec, pixels)
    frames = frames_of(path)
    assert [frame.index for frame in frames] == list(range(20))
    assert [round(frame.time, 3) for frame in frames] == [index / 10 for index in range(20)]
    capture = cv2.VideoCapture(str(path))
    for frame in frames:
        ok, image = capture.read()
        assert ok
        assert frame.image.shape == image.shape
        assert np.abs(frame.image.astype(int) - image).max() <= 4
    capture.release()


def test_colours_are_not_converted_until_needed() -> None:
    """The pictures of a recording are kept as planes until their colours are needed."""
    with open_source(str(CLIP)) as source:
        assert isinstance(next(iter(source)).picture, Planes)


def test_pictures_with_odd_sides_are_read(tmp_path: Path) -> None:
    (first, *_) = frames_of(film(tmp_path / "odd.mkv", "ffv1", "yuv420p", size=(65, 47)))
    assert first.image.shape == (47, 65, 3)


def test_a_video_from_a_phone_held_upright_is_rotated() -> None:
    (first, *_) = frames_of(UPRIGHT)
    height, width = first.image.shape[:2]
    assert height > width
    above, below = first.image[: height // 3].mean((0, 1)), first.image[-height // 3 :].mean((0, 1))
    assert above[0] > above[2] + 100 and below[2] > below[0] + 100


def broken_off(data: bytes) -> bytes:
    return data[: len(data) * 2 // 3]


def corrupted(data: bytes) -> bytes:
    places = np.random.default_rng(5).integers(len(data) // 4, len(data), 40)
    changed = bytearray(data)
    for place in places:
        changed[place] ^= 0x55
    return bytes(changed)


@pytest.mark.parametrize("harm", [broken_off, corrupted])
def test_a_damaged_file_gives_its_readable_pictures(tmp_path: Path, harm: Callable[[bytes], bytes]) -> None:
    path = film(tmp_path / "film.avi", "mjpeg", "yuvj420p", size=(320, 240))
    path.write_bytes(harm(path.read_bytes()))
    frames = frames_of(path)
    assert 5 < len(frames) <= 20
    times = [frame.time for frame in frames]
    assert times == sorted(times)


def test_a_file_with_sound_only_is_not_a_video(tmp_path: Path) -> None:
    path = tmp_path / "sound.mkv"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("pcm_s16le", rate=8000)
        assert isinstance(stream, av.AudioStream)
        stream.layout = "mono"
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 800), np.int16), format="s16", layout="mono")
        frame.sample_rate, frame.pts = 8000, 0
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    with pytest.raises(FrameError, match="no pictures; give a video"):
        open_source(str(path))


def test_file_names_that_look_like_addresses_or_patterns(tmp_path: Path) -> None:
    path = film(tmp_path / "pipe:0,100%d 'ä'.mkv", "ffv1", "yuv420p")
    assert len(frames_of(path)) == 20


def test_closing_a_file_in_the_middle_ends_its_threads(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    for pictures in (0, 1, MAX_DECODED_AHEAD + 3):
        with open_source(str(CLIP)) as source:
            for frame, _ in zip(source, range(pictures), strict=False):
                assert frame.image.any()
    assert set(threading.enumerate()) <= before


def test_pictures_of_an_unknown_format_are_refused(tmp_path: Path) -> None:
    path = film(tmp_path / "film.avi", "mjpeg", "yuvj420p")
    path.write_bytes(path.read_bytes().replace(b"MJPG", b"zzzz"))
    with pytest.raises(FrameError, match="unknown format"):
        frames_of(path)
