"""Reads rows from a damaged SQLite file and its write-ahead log, page by page, without SQLite.

SQLite gives up a table at its first bad page, needs an intact header, and ignores the whole log after one
bad frame. The leaf pages still hold the rows. The format is documented and frozen:
https://www.sqlite.org/fileformat2.html
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

Value = int | float | str | bytes | None

DEFAULT_PAGE_SIZE: Final = 4096
"""SQLite's page size unless a header says otherwise."""

_TABLE_LEAF: Final = 0x0D
_MAX_ROW_BYTES: Final = 16 * 2**20
_LOG_HEADER: Final = 32
_FRAME_HEADER: Final = 24
_MAGIC: Final = {0x377F0682: "<", 0x377F0683: ">"}
"""The log's two magic numbers, with the byte order of its checksums."""


@dataclass(frozen=True)
class Row:
    """A row as stored on a page. ``sound``: it comes from where SQLite itself would read."""

    id: int
    values: tuple[Value, ...]
    sound: bool


@dataclass(frozen=True)
class _Frame:
    """One page in the log. ``valid``: its checksum holds; ``commits``: a transaction ends with it."""

    page: int
    image: bytes
    commits: bool
    valid: bool


def rows(path: Path, log: Path) -> Iterator[Row]:
    """All rows of all tables that can still be read, some more than once, the newest of each last."""
    frames = _frames(log)
    size = _page_size(path, frames)
    newest = {frame.page: frame.image for frame in frames}
    with path.open("rb") as file:
        for number, image in enumerate(_pages(file, size), start=1):
            yield from _leaf(image, True, _Overflow(file, size, newest), 100 if number == 1 else 0)
        committed = max((at for at, frame in enumerate(frames) if frame.valid and frame.commits), default=-1)
        for at, frame in enumerate(frames):
            if len(frame.image) == size:
                start = 100 if frame.page == 1 else 0
                yield from _leaf(frame.image, at <= committed, _Overflow(file, size, newest), start)


def log_is_damaged(log: Path) -> bool:
    """Whether a bad transaction is followed by another one, which SQLite would silently discard.

    The last transaction may be incomplete: that is normal if the program or the power failed during a write,
    which had not been published yet. Those before it had been synced.
    """
    frames = _frames(log)
    bad = next((at for at, frame in enumerate(frames) if not frame.valid), len(frames))
    return sum(frame.commits for frame in frames[bad:]) > 1


def _frames(log: Path) -> list[_Frame]:
    """The frames of the log's current generation; older ones, which follow them, have different salts."""
    try:
        data = log.read_bytes()
    except OSError:
        return []
    if len(data) < _LOG_HEADER + _FRAME_HEADER:
        return []
    magic, _, size, _, *salts, sum_0, sum_1 = struct.unpack(">8I", data[:_LOG_HEADER])
    order = _MAGIC.get(magic, "<")
    sums = _checksum(data[:24], order, (0, 0))
    valid = magic in _MAGIC and sums == (sum_0, sum_1)
    if not valid:
        # The header is unreadable then, but the first frame has the same salts.
        size = DEFAULT_PAGE_SIZE
        salts = list(struct.unpack(">2I", data[_LOG_HEADER + 8 : _LOG_HEADER + 16]))
    found = []
    for start in range(_LOG_HEADER, len(data) - _FRAME_HEADER - size + 1, _FRAME_HEADER + size):
        page, pages, *own, sum_0, sum_1 = struct.unpack(">6I", data[start : start + _FRAME_HEADER])
        image = data[start + _FRAME_HEADER : start + _FRAME_HEADER + size]
        if valid:
            sums = _checksum(image, order, _checksum(data[start : start + 8], order, sums))
            valid = own == salts and sums == (sum_0, sum_1)
        if own == salts:
            found.append(_Frame(page, image, pages != 0, valid))
        else:
            # A flipped bit in the salts of one frame must not hide that frame.
            found.append(_Frame(0, b"", False, False))
    return found


def _checksum(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for one, other in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second


def _page_size(path: Path, frames: list[_Frame]) -> int:
    """The page size in the header if valid, else that of the log, else SQLite's default."""
    with path.open("rb") as file:
        header = file.read(100)
    size = int.from_bytes(header[16:18], "big")
    size = 65536 if size == 1 else size
    if header.startswith(b"SQLite format 3\0") and size >= 512 and size & (size - 1) == 0:
        return size
    return next((len(frame.image) for frame in frames if frame.image), DEFAULT_PAGE_SIZE)


def _pages(file: BinaryIO, size: int) -> Iterator[bytes]:
    """The pages of the file; unreadable ones are left empty."""
    end = file.seek(0, 2)
    for start in range(0, end, size):
        file.seek(start)
        try:
            yield file.read(size)
        except OSError:
            yield b""


class _Overflow:
    """Overflow pages, of rows that do not fit on one page."""

    def __init__(self, file: BinaryIO, size: int, newest: dict[int, bytes]) -> None:
        self._file, self._size, self._newest = file, size, newest

    def read(self, page: int, length: int) -> bytes:
        """``length`` bytes from ``page`` on. Raises ValueError where the chain is broken."""
        found = b""
        while len(found) < length:
            image = self._page(page)
            if page < 2 or len(image) < self._size:
                raise ValueError("a chain of pages is broken")
            page = int.from_bytes(image[:4], "big")
            found += image[4:]
        return found[:length]

    def _page(self, number: int) -> bytes:
        if number in self._newest:
            return self._newest[number]
        self._file.seek(max(number - 1, 0) * self._size)
        return self._file.read(self._size)


def _leaf(image: bytes, sound: bool, overflow: _Overflow, start: int) -> Iterator[Row]:
    """The rows of one page, if it is a leaf of a table."""
    if len(image) < 512 or image[start] != _TABLE_LEAF:
        return
    cells = min(int.from_bytes(image[start + 3 : start + 5], "big"), len(image) // 4)
    for at in range(start + 8, start + 8 + 2 * cells, 2):
        # What cannot be read is damaged; the rest of the page may be intact.
        with suppress(ValueError, IndexError, struct.error):
            yield _cell(image, int.from_bytes(image[at : at + 2], "big"), sound, overflow)


def _cell(image: bytes, at: int, sound: bool, overflow: _Overflow) -> Row:
    length, at = _varint(image, at)
    number, at = _varint(image, at)
    if length > _MAX_ROW_BYTES:
        raise ValueError("no row is so long")
    size = len(image)
    local = length
    if length > size - 35:
        least = (size - 12) * 32 // 255 - 23
        local = least + (length - least) % (size - 4)
        local = local if local <= size - 35 else least
    payload = image[at : at + local]
    if len(payload) < local:
        raise ValueError("the row leaves its page")
    if local < length:
        page = int.from_bytes(image[at + local : at + local + 4], "big")
        payload += overflow.read(page, length - local)
    return Row(number, _values(payload), sound)


def _values(payload: bytes) -> tuple[Value, ...]:
    end, at = _varint(payload, 0)
    if end > len(payload):
        raise ValueError("the row is shorter than its header")
    place, found = end, list[Value]()
    while at < end:
        kind, at = _varint(payload, at)
        value, place = _value(payload, kind, place)
        found.append(value)
    return tuple(found)


def _value(payload: bytes, kind: int, at: int) -> tuple[Value, int]:
    if kind == 0:
        return None, at
    if kind in (8, 9):
        return kind - 8, at
    if kind in (10, 11):
        raise ValueError("no value has this type")
    size = (0, 1, 2, 3, 4, 6, 8, 8)[kind] if kind < 8 else (kind - 12) // 2
    content = payload[at : at + size]
    if len(content) < size:
        raise ValueError("the value leaves its row")
    at += size
    if kind < 7:
        return int.from_bytes(content, "big", signed=True), at
    if kind == 7:
        return float(struct.unpack(">d", content)[0]), at
    return (content.decode() if kind % 2 else content), at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A variable-length integer of one to nine bytes; returns it and the offset after it."""
    value = 0
    for place in range(at, at + 8):
        byte = data[place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + 1
    value = value << 8 | data[at + 8]
    return value - (1 << 64 if value >> 63 else 0), at + 9
