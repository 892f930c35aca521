"""Whether the hall has exactly the journals' games."""

from __future__ import annotations

from focus_companion.formats.json_record import write_json
from focus_companion.formats.match import Match
from focus_companion.hall.evening import Evening
from focus_companion.mqtt.messages import InvalidMessage
from focus_companion.storage.journal import Journal


def differences(evening: Evening, name: str, journal: Journal) -> list[str]:
    """The games that the hall lacks, or that differ from the journal's in any byte."""
    found: list[str] = []
    for game in sorted(summary.id for summary in journal.games()):
        wanted = write_json(Match((journal.record(game),), single=True))
        try:
            if write_json(Match((evening.record(name, game),), single=True)) != wanted:
                found.append(f"{name}: game {game} differs")
        except (LookupError, InvalidMessage) as error:
            found.append(f"{name}: game {game}: {error}")
    if extra := set(evening.games(name)) - {summary.id for summary in journal.games()}:
        found.append(f"{name}: games that never were: {sorted(extra)}")
    return found
