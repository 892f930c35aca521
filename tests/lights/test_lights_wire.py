from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focus_companion.lights.meaning import Cue, Meaning
from focus_companion.lights.protocol import Hello, Pong, ProtocolError, state_data
from focus_companion.lights.wire import (
    MAX_FRAME_BYTES,
    BadFrame,
    Decoder,
    WireMessage,
    crc16,
    decode,
    encode,
    stuff,
    unstuff,
)

FRAMES = st.builds(
    WireMessage, st.integers(0, 255), st.integers(0, 255), st.binary(max_size=MAX_FRAME_BYTES - 4)
)


def test_crc_check_value() -> None:
    assert crc16(b"123456789") == 0x31C3


@pytest.mark.parametrize(
    ("plain", "stuffed"),
    [("", "01"), ("00", "0101"), ("0000", "010101"), ("11220033", "0311220233"), ("11000000", "0211010101")],
)
def test_cobs_vectors(plain: str, stuffed: str) -> None:
    assert stuff(bytes.fromhex(plain)).hex() == stuffed
    assert unstuff(bytes.fromhex(stuffed)).hex() == plain


@given(st.binary(max_size=253))
def test_cobs_round_trip(data: bytes) -> None:
    assert 0 not in stuff(data)
    assert unstuff(stuff(data)) == data


@given(st.lists(FRAMES, max_size=5), st.binary(max_size=200), st.integers(1, 50))
def test_frames_after_noise_are_decoded(frames: list[WireMessage], noise: bytes, piece: int) -> None:
    decoder = Decoder()
    decoder.feed(noise)
    stream = b"".join(map(encode, frames))
    got = [f for at in range(0, len(stream), piece) for f in decoder.feed(stream[at : at + piece])]
    # The first delimiter may complete a frame that the noise happens to contain.
    assert got[len(got) - len(frames) :] == frames


@given(FRAMES, st.data())
def test_a_flipped_bit_is_detected(frame: WireMessage, data: st.DataObject) -> None:
    message = bytearray(encode(frame))
    message[data.draw(st.integers(1, len(message) - 2))] ^= 1 << data.draw(st.integers(0, 7))
    assert frame not in Decoder().feed(bytes(message))


@pytest.mark.parametrize("stuffed", ["", "01", "05112233", "0500", "0311220233"])
def test_an_invalid_frame_is_refused(stuffed: str) -> None:
    with pytest.raises(BadFrame):
        decode(bytes.fromhex(stuffed))


def test_a_message_too_long_for_a_frame_is_refused() -> None:
    with pytest.raises(BadFrame, match="64"):
        encode(WireMessage(1, 1, bytes(61)))


@given(st.lists(st.binary(max_size=300), max_size=20))
def test_memory_is_bounded(chunks: list[bytes]) -> None:
    decoder = Decoder()
    for chunk in chunks:
        decoder.feed(chunk)
        assert len(decoder._pending) <= MAX_FRAME_BYTES + 1


def test_ten_thousand_random_streams() -> None:
    """No stream hangs or breaks the decoder, and the next valid frame is decoded."""
    import random

    source = random.Random(20)
    frame = WireMessage(7, 0x82, b"\0abc")
    decoder = Decoder()
    for _ in range(10_000):
        decoder.feed(source.randbytes(source.randrange(80)))
        assert decoder.feed(encode(frame))[-1] == frame


def test_a_state_is_encoded_as_documented() -> None:
    meaning = Meaning(
        turn="green",
        mover="red",
        warning=True,
        over=True,
        winners=("red", "yellow"),
        reserves=(1, 0, 300, 4),
        wrong=(0, 9, 51),
        path=(10, 11, 12),
        take=(12, 2),
    )
    assert (
        state_data(meaning, Cue.ALERT).hex()
        == "0100" + "05" + "09" + "0100ff04" + "01020000000008" + "0a0c0c0203"
    )
    assert state_data(Meaning()).hex() == "ffff0000" + "00" * 11 + "ffffff0000"


def test_greeting_and_pong() -> None:
    hello = Hello.parse(bytes.fromhex("01 0102 003f 50 06 0190 08"))
    assert (hello.version, hello.firmware, hello.pixels, hello.budget, hello.cause) == (1, (1, 2), 80, 400, 8)
    assert Pong.parse(bytes.fromhex("01 05 02 0100")) == Pong(True, 5, 2, 256)
    for size in (0, 4, 9, 11):
        with pytest.raises(ProtocolError):
            Hello.parse(bytes(size))
    with pytest.raises(ProtocolError):
        Pong.parse(b"")
