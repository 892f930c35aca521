"""Reads a record in an unknown format: json, sgf or text, recognized by its content."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import IO, Final, Literal

from focus_companion.formats.errors import FormatError
from focus_companion.formats.json_record import read_json
from focus_companion.formats.match import Match
from focus_companion.formats.sgf_record import read_sgf
from focus_companion.formats.text_reader import read_text
from focus_companion.formats.text_sheet import TITLE

Kind = Literal["json", "sgf", "text"]

MAX_RECORD_BYTES: Final = 64 * 1024 * 1024
"""Maximum bytes of a record file, or of a line in a file of records. 1,000 turns are some 50,000 bytes."""

_SNIFFED_BYTES: Final = 4096

_READERS: Final[dict[Kind, Callable[[bytes], Match]]] = {
    "json": read_json,
    "sgf": read_sgf,
    "text": read_text,
}


def detect(head: bytes) -> Kind | None:
    """The format of a record by its first bytes; None if unknown."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"{"):
        return "json"
    if start.startswith(b"("):
        return "sgf"
    return "text" if start.startswith(TITLE.encode()) else None


def read_record(data: bytes, source: str = "") -> Match:
    """The game or match in ``data``. Raises :class:`FormatError`, naming ``source`` and the place in it."""
    try:
        if len(data) > MAX_RECORD_BYTES:
            raise FormatError(f"longer than {MAX_RECORD_BYTES // 2**20} MiB", remedy="give a game record")
        kind = detect(data[:_SNIFFED_BYTES])
        if kind is None:
            raise _no_record(data[:_SNIFFED_BYTES])
        return _READERS[kind](data)
    except FormatError as error:
        raise error.within(source=source) from None


def records_in(stream: IO[bytes], source: str) -> Iterator[tuple[int, Match | FormatError]]:
    """The records of a file with one JSON record per line: (line number from 1, the record or its error).

    Empty lines are counted but skipped. The file is read line by line, so it may have any length.
    """
    number = 0
    while line := stream.readline(MAX_RECORD_BYTES + 1):
        number += 1
        too_long = len(line) > MAX_RECORD_BYTES
        while too_long and line and not line.endswith(b"\n"):
            line = stream.readline(MAX_RECORD_BYTES)  # skip the rest of it
        if not too_long and not line.strip():
            continue
        place = f"line {number}"
        try:
            if too_long:
                raise FormatError(
                    f"longer than {MAX_RECORD_BYTES // 2**20} MiB", remedy="give one game record a line"
                )
            yield number, read_json(line.strip())
        except FormatError as error:
            inner = f"{place}, {error.place}" if error.place else place
            yield number, FormatError(error.problem, place=inner, remedy=error.remedy, source=source)


def _no_record(head: bytes) -> FormatError:
    if not head.strip():
        return FormatError("the file is empty", remedy="give a game record (json, sgf or a move sheet)")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):  # as some editors of Windows save “Unicode”
        return FormatError("written in UTF-16", remedy="save it as UTF-8")
    return FormatError(
        "no game record",
        place="line 1",
        remedy=f"a record is JSON ('{{'), SGF ('(;') or a move sheet that begins with {TITLE!r}",
    )
