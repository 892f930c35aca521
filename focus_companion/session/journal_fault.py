"""Why the journal cannot store events, for the state and as the reason of a refusal."""

from __future__ import annotations

from typing import Any, Final

from .ports import JournalUnusable

_REASONS: Final = {
    "full": "the disk is full; free some space",
    "fails": "the disk fails; check it",
    "not_writable": "the file of the games may not be written; make it writable",
    "not_there": "the file of the games cannot be opened; check its folder",
    "busy": "another program holds the file of the games; close that one first",
    "damaged": "the file of the games is damaged; restart the program, which rescues what is whole",
}


def to_json(error: OSError | None) -> dict[str, Any]:
    """The keys ``fault``, an English sentence, and ``fault_cause``, its ``kind`` and ``file``, from which a
    page words it in its own language; both ``None`` without a fault.
    """
    cause = {"kind": error.kind, "file": error.file} if isinstance(error, JournalUnusable) else None
    return {"fault": None if error is None else str(error), "fault_cause": cause}


def reason(error: OSError) -> str:
    """Why the journal cannot store a game, as part of a sentence that can be translated if its kind is
    known.
    """
    kind = error.kind if isinstance(error, JournalUnusable) else ""
    return _REASONS.get(kind, str(error))
