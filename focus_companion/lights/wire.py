"""Framing on the wire: COBS with 0x00 between frames, CRC-16/XMODEM at the end of each.

A frame is ``seq cmd data… crc_hi crc_lo`` before COBS; the CRC covers all before it.
"""

from __future__ import annotations

import binascii
from dataclasses import dataclass
from typing import Final

MAX_FRAME_BYTES: Final = 64
"""Maximum bytes of a frame before COBS. Both sides drop longer ones."""


class BadFrame(ValueError):
    """Bytes that are not a valid frame."""


@dataclass(frozen=True)
class WireMessage:
    """One message: sequence number 0…255, command 0…255, and its data."""

    seq: int
    command: int
    data: bytes = b""


def crc16(data: bytes) -> int:
    """CRC-16/XMODEM: polynomial 0x1021, initial value 0, not reflected. ``crc16(b"123456789") == 0x31C3``."""
    return binascii.crc_hqx(data, 0)


def stuff(data: bytes) -> bytes:
    """COBS-encode ``data`` (shorter than 254 bytes): no zero bytes, one byte longer, without delimiter."""
    if len(data) >= 254:
        raise BadFrame(f"{len(data)} bytes are too long for one frame")
    out = bytearray()
    for block in data.split(b"\0"):
        out.append(len(block) + 1)
        out += block
    return bytes(out)


def unstuff(data: bytes) -> bytes:
    """The inverse of :func:`stuff`. Raises :class:`BadFrame` for bytes that ``stuff`` cannot produce."""
    out = bytearray()
    at = 0
    while at < len(data):
        code = data[at]
        if code == 0 or at + code > len(data):
            raise BadFrame("a block runs over the end of the frame" if code else "a zero byte inside a frame")
        out += data[at + 1 : at + code]
        at += code
        if at < len(data):
            out.append(0)
    return bytes(out)


def encode(frame: WireMessage) -> bytes:
    """The bytes to send: a delimiter first, which ends any noise before it, and another one last."""
    body = bytes((frame.seq, frame.command)) + frame.data
    if len(body) + 2 > MAX_FRAME_BYTES:
        raise BadFrame(f"{len(body) + 2} bytes are more than the {MAX_FRAME_BYTES} of a frame")
    return b"\0" + stuff(body + crc16(body).to_bytes(2, "big")) + b"\0"


def decode(stuffed: bytes) -> WireMessage:
    """The frame in the bytes between two delimiters. Raises :class:`BadFrame`."""
    body = unstuff(stuffed)
    if not 4 <= len(body) <= MAX_FRAME_BYTES:
        raise BadFrame(f"{len(body)} bytes are not a frame")
    if crc16(body) != 0:  # over data and CRC together the residue is 0
        raise BadFrame("the CRC does not fit")
    return WireMessage(body[0], body[1], bytes(body[2:-2]))


class Decoder:
    """Decodes a stream of bytes into its valid frames, and counts the bad ones."""

    def __init__(self) -> None:
        self.bad = 0
        self._pending = bytearray()
        self._skipping = False

    def feed(self, data: bytes) -> list[WireMessage]:
        """The frames that ``data`` completes. Never buffers more than the length of one frame."""
        frames = []
        for byte in data:
            if byte == 0:
                if self._skipping:
                    self.bad += 1
                elif self._pending:
                    try:
                        frames.append(decode(bytes(self._pending)))
                    except BadFrame:
                        self.bad += 1
                self._pending.clear()
                self._skipping = False
            elif len(self._pending) > MAX_FRAME_BYTES:
                self._skipping = True
            else:
                self._pending.append(byte)
        return frames
