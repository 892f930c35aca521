"""The film of a game, checked by decoding it: its length, size and pictures."""

from __future__ import annotations

import io
from gettext import NullTranslations
from typing import Any

import av
import numpy as np
import numpy.typing as npt
import pytest
from av.codec.codec import UnknownCodecError
from record_games import played

from focus_companion.formats import mp4
from focus_companion.formats.errors import FormatError
from focus_companion.formats.film_captions import FilmCaptions
from focus_companion.formats.mp4 import FPS, MAX_BYTES, MAX_SECONDS, write_mp4
from focus_companion.formats.walk import finished, steps
from focus_companion.game.faults import IllegalMove
from focus_companion.game.outcome import Outcome
from focus_companion.game.record import GameRecord
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position


def decoded(film: bytes) -> tuple[Any, list[av.VideoFrame]]:
    """The film's metadata, and its frames."""
    with av.open(io.BytesIO(film)) as container:
        stream = container.streams.video[0]
        info = {
            "codec": stream.codec_context.name,
            "pixels": stream.codec_context.pix_fmt,
            "rate": stream.average_rate,
            "seconds": float((stream.duration or 0) * (stream.time_base or 0)),
        }
        return info, list(container.decode(stream))


def seen(frame: av.VideoFrame) -> npt.NDArray[np.int64]:
    """(H, W, 3) RGB."""
    return frame.to_ndarray(format="rgb24").astype(int)


def captured_game() -> GameRecord:
    """A game of random turns, at least one of which captures."""
    for seed in range(20):
        record = played({"players": 2}, seed, 60, players={"g": "Ann", "r": "Żaneta"}, date="2026-11-20")
        if any(step.captured for step in steps(record)):
            return record
    raise AssertionError("no game with a capture")


@pytest.mark.slow
def test_a_film_has_the_format_that_phones_play() -> None:
    record = played({"players": 4}, 3, 12)
    info, frames = decoded(write_mp4(record))
    assert (info["codec"], info["pixels"], info["rate"]) == ("h264", "yuv420p", FPS)
    # 1.5 s for the start, 1 s per turn, 0.7 s more for each stack to be trimmed, 4 s for the end.
    trimmed = sum(bool(step.removed) for step in steps(record))
    assert info["seconds"] == pytest.approx(1.5 + 11 + 0.7 * trimmed + 4, abs=0.11)
    assert len(frames) == round(info["seconds"] * FPS)
    first, held, last = (seen(frames[number]) for number in (0, -4 * FPS + 1, -1))
    assert first.shape[1] == 720 and first.shape[0] % 2 == 0
    # The last picture is held for four seconds, up to encoding artefacts.
    assert np.abs(last - held).mean() < 2
    assert np.abs(last - first).mean() > 2


@pytest.mark.slow
@pytest.mark.parametrize("plies", [70, 700])
def test_the_length_of_a_film_is_bounded(plies: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even for a game with more turns than the film has frames, whatever its pictures show."""
    assert mp4.WIDTH == 720
    if plies > MAX_SECONDS * FPS:
        shades = np.random.default_rng(1)
        monkeypatch.setattr(
            mp4, "_painted", lambda _: np.full((240, 180, 3), shades.integers(256, size=3), np.uint8)
        )
    record = played({"players": 2, "stuck": "pass"}, 9, plies)
    assert len(record.moves) == plies
    film = write_mp4(record)
    info, frames = decoded(film)
    assert MAX_SECONDS - 3 < info["seconds"] <= MAX_SECONDS and len(frames) <= MAX_SECONDS * FPS
    assert len(film) <= MAX_BYTES


@pytest.mark.slow
def test_noise_does_not_make_a_film_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    # The worst case: every picture is different noise.
    chance = np.random.default_rng(1)
    monkeypatch.setattr(
        mp4, "_painted", lambda _: chance.integers(0, 255, (480, 720, 3), dtype=np.uint8).repeat(2, axis=0)
    )
    film = write_mp4(played({"players": 2, "stuck": "pass"}, 9, 10))
    # At this bit rate, the longest film is not too large either.
    assert len(film) <= MAX_BYTES * decoded(film)[0]["seconds"] / MAX_SECONDS


def test_a_capture_is_shown_in_two_steps_and_captioned() -> None:
    record = captured_game()
    beats = list(mp4._beats(record, FilmCaptions(record)))
    for step in steps(record):
        if not step.captured:
            continue
        at = next(i for i, beat in enumerate(beats) if beat.stacks == step.after.stacks and i)
        before, after = beats[at - 1], beats[at]
        target = step.move.target if step.move else -1
        assert len(before.stacks[target]) > 5 == len(after.stacks[target])
        assert before.ring and not after.ring
        letters = " ".join(step.captured.upper())
        assert f"Captured: {letters}" in after.captions[1] == before.captions[1]
        # The reserves and captures change with the second picture.
        assert before.captions[-2:] != after.captions[-2:]
        return
    raise AssertionError


def test_captions_are_translated_and_name_the_players() -> None:
    class Upside(NullTranslations):
        def gettext(self, message: str) -> str:
            return {"{player} to move": "Tocca a: {player}", "Red": "Rosso"}.get(message, message)

    record = played({"players": 2, "order": "rg"}, 1, 0, players={"r": "Żaneta"})
    captions = FilmCaptions(record, Upside()).at(start_position(record.rules), None, end=False)
    assert captions[2] == "Tocca a: Żaneta (Rosso)"


def test_the_last_caption_is_the_result() -> None:
    record = played({"players": 2}, 4, 9, act_at=8, players={"g": "Ann", "r": "Ben"})
    beats = list(mp4._beats(finished(record), FilmCaptions(finished(record))))
    assert "wins" in beats[-1].captions[2] or beats[-1].captions[2] == "A draw"
    assert all("wins" not in beat.captions[2] for beat in beats[:-1])
    # A result that is only stated in the file, as in some SGF files.
    open_ended = GameRecord(Rules.make(2), {"r": "Ben"}, result=Outcome("r", "resigned"))
    assert list(mp4._beats(open_ended, FilmCaptions(open_ended)))[-1].captions[2] == "Ben (Red) wins"


@pytest.mark.parametrize("name", ["x" * 5000, "\u202egnp\x00\n", "\ud800", "👑" * 30, ""])
def test_unusual_names_are_drawn(name: str) -> None:
    record = played({"players": 2}, 1, 1, players={"g": name, "r": name}, date=name)
    assert len(decoded(write_mp4(record))[1]) > 40


def test_an_illegal_record_is_refused() -> None:
    record = played({"players": 2}, 1, 3)
    broken = GameRecord(record.rules, entries=(record.entries[0], record.entries[0]))
    with pytest.raises(IllegalMove, match="ply 2"):
        write_mp4(broken)


def test_progress_increases_to_the_end() -> None:
    shares: list[float] = []
    write_mp4(played({"players": 2}, 1, 3), progress=shares.append)
    assert shares == sorted(shares) and shares[-1] == 1 and len(shares) == 4


def test_another_encoder_is_used_where_the_best_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    real = mp4.Codec

    def without(*missing: str) -> Any:
        def made(name: str, mode: str) -> Any:
            if name in missing:
                raise UnknownCodecError(name)
            return real(name, mode)

        return made

    monkeypatch.setattr(mp4, "Codec", without("libx264", "libopenh264"))
    film = write_mp4(played({"players": 2}, 3, 5))
    assert decoded(film)[0]["codec"] == "mpeg4" and len(film) < MAX_BYTES
    monkeypatch.setattr(mp4, "Codec", without(*mp4.ENCODERS))
    with pytest.raises(FormatError, match="pip install"):
        write_mp4(played({"players": 2}, 3, 5))
