"""The date of a stored time, as the players' calendar has it."""

from __future__ import annotations

from datetime import datetime


def local_date(time: str) -> str:
    """The date (ISO 8601) in this machine's time zone of a time such as the journal stores; times are stored
    in UTC, whose date differs for some hours of every day. Of any other text, the first ten characters.
    """
    try:
        return datetime.fromisoformat(time).astimezone().date().isoformat()
    except (ValueError, OverflowError, OSError):
        return time[:10]
