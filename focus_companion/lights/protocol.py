"""The messages between host and light board, version 1; docs/light-protocol.md defines them byte by byte."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Final

from .meaning import Cue, Meaning
from .settings import COLOURS

VERSION: Final = 1
NOBODY: Final = 255
"""Stands for no player and for no square."""


class Command(IntEnum):
    """The host's commands. The answer has the same number with the top bit set."""

    HELLO = 0x01
    PING = 0x02
    STATE = 0x10
    BRIGHTNESS = 0x11
    SELF_TEST = 0x12
    PIXELS = 0x13
    DARK = 0x14


ANSWER: Final = 0x80
"""Bit that marks an answer to a command."""


class Notice(IntEnum):
    """Unsolicited notices of the board, always with sequence number 0."""

    BOOT = 0xC0
    BUTTON = 0xC1


class Status(IntEnum):
    """First byte of every answer."""

    DONE = 0
    UNKNOWN_COMMAND = 1
    BAD_LENGTH = 2
    BAD_VALUE = 3


class Capability(IntFlag):
    """Parts that the firmware drives."""

    SQUARES = 1
    TURNS = 2
    RESERVES = 4
    WARNING = 8
    BUZZER = 16
    BUTTON = 32


class ProtocolError(ValueError):
    """An answer that this version does not understand."""


@dataclass(frozen=True)
class Hello:
    """A board's description of itself."""

    version: int
    firmware: tuple[int, int]
    capabilities: Capability
    pixels: int
    bar: int
    """Pixels of one reserve bar."""
    budget: int
    """Current limit of all pixels together, mA."""
    cause: int
    """The chip's reset flags at its last start (bit 3: watchdog)."""

    @classmethod
    def parse(cls, data: bytes) -> Hello:
        """From the data of a BOOT notice, or of a HELLO answer after its status byte."""
        if len(data) != _HELLO.size:
            raise ProtocolError(f"a greeting of {len(data)} bytes, not {_HELLO.size}")
        version, major, minor, capabilities, pixels, bar, budget, cause = _HELLO.unpack(data)
        return cls(version, (major, minor), Capability(capabilities), pixels, bar, budget, cause)


@dataclass(frozen=True)
class Pong:
    """The answer to a PING."""

    has_state: bool
    """Whether the board has received a state (or the command to go dark) since its last start."""
    presses: int
    """Presses of the button since the start, modulo 256."""
    errors: int
    """Bad frames since the start, at most 255."""
    uptime: int
    """Seconds since the start, modulo 65536."""

    @classmethod
    def parse(cls, data: bytes) -> Pong:
        """From the answer's data after its status byte."""
        if len(data) != _PONG.size:
            raise ProtocolError(f"a PING answer of {len(data)} bytes, not {_PONG.size}")
        flags, presses, errors, uptime = _PONG.unpack(data)
        return cls(bool(flags & 1), presses, errors, uptime)


_HELLO: Final = struct.Struct(">BBBHBBHB")
_PONG: Final = struct.Struct(">BBBH")
_STATE: Final = struct.Struct(">BBBB4B7sBBBBB")


def state_data(meaning: Meaning, cue: Cue = Cue.NONE) -> bytes:
    """The 20 data bytes of a STATE command."""
    wrong = 0
    for square in meaning.wrong:
        wrong |= 1 << square
    winners = 0
    for colour in meaning.winners:
        winners |= 1 << COLOURS.index(colour)
    square, count = meaning.take or (NOBODY, 0)
    return _STATE.pack(
        _player(meaning.turn),
        _player(meaning.mover),
        meaning.warning | meaning.camera_lost << 1 | meaning.over << 2,
        winners,
        *(min(255, count) for count in meaning.reserves),
        wrong.to_bytes(7, "little"),
        meaning.path[0] if meaning.path else NOBODY,
        meaning.path[-1] if meaning.path else NOBODY,
        square,
        min(255, count),
        cue,
    )


def _player(colour: str | None) -> int:
    return COLOURS.index(colour) if colour else NOBODY
