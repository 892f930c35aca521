"""The outbox of events for brokers survives restarts, and damage to it does not prevent playing."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from focus_companion.storage.outbox import FILE_NAME, Outbox, Sent


def stored(folder: Path) -> Sent | None:
    outbox = Outbox(folder, "broker", "Table 1")
    try:
        return outbox.recall("j")
    finally:
        outbox.close()


def fill(folder: Path) -> None:
    """Keep what the broker has of Table 1, among 200 other tables, which fill several pages of the file."""
    outbox = Outbox(folder, "broker", "Table 1")
    outbox.keep("j", 3, 1)
    outbox.close()
    others = [("broker", f"Table {number}", "j", 3, number) for number in range(2, 202)]
    with closing(sqlite3.connect(folder / FILE_NAME)) as database, database:
        database.executemany("INSERT OR REPLACE INTO sent VALUES (?, ?, ?, ?, ?)", others)


def test_the_confirmed_events_are_known_after_a_restart(tmp_path: Path) -> None:
    fill(tmp_path)
    assert stored(tmp_path) == Sent(3, 1)


def header(content: bytes) -> bytes:
    return b"no database" * 20 + content[220:]


def pages(content: bytes) -> bytes:
    return content[:4096] + b"\xff" * (len(content) - 4096)


def text(content: bytes) -> bytes:
    return content.replace(b"broker", b"bro\xebet", 3)


@pytest.mark.parametrize("spoil", [header, pages, text])
def test_a_damaged_outbox_is_recreated(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, spoil: Callable[[bytes], bytes]
) -> None:
    fill(tmp_path)
    path = tmp_path / FILE_NAME
    path.write_bytes(spoil(path.read_bytes()))
    with caplog.at_level(logging.WARNING):
        assert stored(tmp_path) is None
    assert FILE_NAME in caplog.text and "recreated" in caplog.text
    fill(tmp_path)
    assert stored(tmp_path) == Sent(3, 1)
