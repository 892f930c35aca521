"""The replay of a game as a film (MP4) to send to somebody: at most a minute and 5 MB."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from gettext import NullTranslations
from typing import Final

import av
import numpy as np
import numpy.typing as npt
from av.codec import Codec
from av.codec.codec import UnknownCodecError
from av.video.stream import VideoStream

from focus_companion.formats.errors import FormatError
from focus_companion.formats.film_captions import FilmCaptions
from focus_companion.formats.painting import paint
from focus_companion.formats.picture import draw
from focus_companion.formats.walk import steps
from focus_companion.game.play import untrimmed
from focus_companion.game.record import GameRecord
from focus_companion.game.setups import start_position
from focus_companion.game.squares import SQUARES

MAX_SECONDS: Final = 60.0
"""Maximum length of a film in seconds."""

MAX_BYTES: Final = 5_000_000
"""Maximum size of a film in bytes."""

FPS: Final = 10
WIDTH: Final = 720
"""Width in pixels; the height follows from the number of players."""

_TURN_SECONDS: Final = 1.0
"""Seconds per turn, if the game is short enough."""

_END_SECONDS: Final = 4.0
"""Seconds for which the end is held."""

_LINE_HEIGHT: Final = 34.0
"""Height of a caption line in drawing units: legible on a phone."""

_MAX_BIT_RATE: Final = int(0.9 * 8 * MAX_BYTES / MAX_SECONDS)
"""Maximum bits per second, with a tenth reserved for the container."""

ENCODERS: Final = {
    "libx264": {"preset": "veryfast", "crf": "23", "tune": "animation"},
    "libopenh264": {},
    "mpeg4": {},
}
"""Encoders to try, best first, and their settings. H.264 plays everywhere, MPEG-4 does not in browsers."""


@dataclass(frozen=True, slots=True)
class _Beat:
    """One picture of the film: its content, and its duration in turns."""

    stacks: Sequence[str]
    captions: tuple[str, ...]
    path: tuple[int | None, int] | None = None
    ring: tuple[str, ...] = ()
    length: float = 1.0


def write_mp4(
    record: GameRecord,
    *,
    texts: NullTranslations | None = None,
    progress: Callable[[float], None] | None = None,
) -> bytes:
    """The replay as a film. If a turn takes pieces off, the stack is shown before and after.

    The pace depends on the length of the game; in a game of many hundred turns some are skipped.

    Args:
        record: the game; its result is shown at the end.
        texts: the words of a language; the default is English.
        progress: called with the fraction of the film that is done, 0 to 1.
    Raises:
        IllegalMove: the record holds an illegal move.
        FormatError: no encoder is available.
    """
    name = encoder()
    shown = list(_timed(list(_beats(record, FilmCaptions(record, texts)))))
    out = io.BytesIO()
    with av.open(out, "w", format="mp4") as film:
        stream = film.add_stream(name, rate=FPS, options=ENCODERS[name])
        assert isinstance(stream, VideoStream)
        for index, (beat, frames) in enumerate(shown):
            image = _painted(beat)
            if not index:
                _prepare(stream, image.shape[1], image.shape[0])
            # Converted here, and not again for every frame.
            picture = av.VideoFrame.from_ndarray(image, format="rgb24").reformat(format=stream.pix_fmt)
            for _ in range(frames):
                picture.pts = None  # repeated for the duration of the picture
                film.mux(stream.encode(picture))
            if progress is not None:
                progress((index + 1) / len(shown))
        film.mux(stream.encode())
    return out.getvalue()


def encoder() -> str:
    """The best available encoder of :data:`ENCODERS`. Raises FormatError if there is none."""
    for name in ENCODERS:
        try:
            Codec(name, "w")
        except UnknownCodecError:
            continue  # this PyAV was built without it
        return name
    raise FormatError(
        f"no encoder for a film is there ({', '.join(ENCODERS)})", remedy="run: pip install --upgrade av"
    )


def _painted(beat: _Beat) -> npt.NDArray[np.uint8]:
    """(H, W, 3) RGB. H is even, because 4:2:0 video stores one colour sample for two rows."""
    drawn = draw(beat.stacks, captions=beat.captions, path=beat.path, highlights=beat.ring, line=_LINE_HEIGHT)
    image = np.asarray(paint(drawn, WIDTH), np.uint8)
    return np.ascontiguousarray(image[: len(image) // 2 * 2])


def _prepare(stream: VideoStream, width: int, height: int) -> None:
    stream.width, stream.height = width, height
    stream.pix_fmt = "yuv420p"
    stream.codec_context.time_base = Fraction(1, FPS)
    # A key frame every two seconds, so that seeking is quick.
    stream.codec_context.gop_size = 2 * FPS
    if stream.codec_context.name == "libx264":
        stream.codec_context.options |= {"maxrate": str(_MAX_BIT_RATE), "bufsize": str(_MAX_BIT_RATE)}
    else:
        stream.bit_rate = _MAX_BIT_RATE // 2


def _beats(record: GameRecord, captions: FilmCaptions) -> Iterator[_Beat]:
    start = start_position(record.rules)
    yield _Beat(start.stacks, captions.at(start, None, end=not record.entries), length=1.5)
    for number, step in enumerate(steps(record), 1):
        move = step.move
        lines = captions.at(step.after, step, end=number == len(record.entries))
        path = None if move is None else (move.origin, move.target)
        if move is not None and step.removed:
            ring = (SQUARES[move.target],)
            before = untrimmed(step.before, move)
            captions_before = (*lines[:2], *captions.at(step.before, step, end=False)[2:])
            yield _Beat(before, captions_before, path, ring, 0.7)
        yield _Beat(step.after.stacks, lines, path)


def _timed(beats: list[_Beat]) -> Iterator[tuple[_Beat, int]]:
    """The pictures, each with its number of frames; one for which there is no time is skipped."""
    wanted = sum(beat.length for beat in beats[:-1])
    each = min(_TURN_SECONDS, (MAX_SECONDS - _END_SECONDS - 1) / max(wanted, 1e-9))
    passed, until = 0.0, 0
    for beat in beats[:-1]:
        passed += beat.length * each * FPS
        frames = round(passed) - until
        until += frames
        if frames:
            yield beat, frames
    yield beats[-1], round(_END_SECONDS * FPS)
