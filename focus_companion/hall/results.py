"""The evening's results: finished games, standings by player and matches, with their exports."""

from __future__ import annotations

import csv
import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from ..formats.csv_sheet import harmless
from ..formats.json_record import write_json
from ..formats.match import Match
from ..game.match import is_placeholder
from ..mqtt.messages import GameLog, InvalidMessage
from ..session.names import name_key
from .evening import Evening

EVENING_LENGTH: Final = timedelta(hours=16)
"""Games that began this long before the newest one belong to an earlier evening."""


def this_evening(logs: Sequence[GameLog]) -> list[GameLog]:
    """The games of the newest evening, oldest first."""
    began = [time for log in logs if (time := _time(log.began)) is not None]
    if not began:
        return []
    first = max(began) - EVENING_LENGTH
    return [log for log in logs if (time := _time(log.began)) is not None and time >= first]


def results(logs: Iterable[GameLog]) -> list[dict[str, Any]]:
    """The games as the page lists them, newest first; ``result`` is null while a game is running."""
    return [
        {
            "table": log.table,
            "game": log.game,
            "began": log.began,
            "order": list(log.order),
            "players": {colour: {"name": name} for colour, name in log.players.items()},
            "plies": log.plies,
            "points": dict(log.points),
            "result": log.result and dict(log.result),
        }
        for log in logs
    ][::-1]


def standings(logs: Iterable[GameLog]) -> list[dict[str, Any]]:
    """The named players, best first: by games won (a draw counts half), then by points.

    ``score`` counts games, ``points`` opposing pieces captured. A game counts only if all its players have
    different names. Names that differ only in capitals or spaces are one player's; the latest is shown.
    """
    rows: dict[str, dict[str, Any]] = {}
    for log, called, winners in _counted(logs):
        for colour, name in called.items():
            row = rows.setdefault(
                name_key(name), {"played": 0, "won": 0, "drawn": 0, "lost": 0, "score": 0.0, "points": 0}
            )
            row["name"] = name
            outcome = "won" if colour in winners else "lost" if winners else "drawn"
            row["played"] += 1
            row[outcome] += 1
            row["score"] += {"won": 1.0, "drawn": 0.5, "lost": 0.0}[outcome]
            row["points"] += log.points.get(colour, 0)
    ordered = sorted(rows.values(), key=lambda row: (-row["score"], -row["points"], row["name"].casefold()))
    for place, row in enumerate(ordered, 1):
        before = ordered[place - 2] if place > 1 else None
        tied = before is not None and (before["score"], before["points"]) == (row["score"], row["points"])
        row["place"] = before["place"] if tied and before else place
    return ordered


def matches(logs: Iterable[GameLog]) -> list[dict[str, Any]]:
    """The finished games added up for each group of named players, the latest group to play first."""
    met: dict[tuple[str, ...], dict[str, Any]] = {}
    for log, called, winners in _counted(logs):
        names = {name_key(name): name for name in sorted(called.values(), key=name_key)}
        # Reinserted, so that the latest group comes last.
        match = met.pop(tuple(names), None) or {"games": 0, "won": {}, "points": {}}
        met[tuple(names)] = match
        match["names"] = names
        match["games"] += 1
        for colour, name in called.items():
            key = name_key(name)
            match["won"][key] = match["won"].get(key, 0) + (colour in winners)
            match["points"][key] = match["points"].get(key, 0) + log.points.get(colour, 0)
    return [_named_match(match) for match in met.values()][::-1]


def _named_match(match: Mapping[str, Any]) -> dict[str, Any]:
    """The match with the players' names, in their latest spelling, instead of the keys of their names."""
    names = match["names"]
    by_name = {what: {names[key]: n for key, n in match[what].items()} for what in ("won", "points")}
    return {**match, "names": list(names.values()), **by_name}


def sheet(logs: Iterable[GameLog]) -> bytes:
    """The evening's games as CSV (RFC 4180, UTF-8): a row for every player of every game, oldest first."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(
        ["table", "game", "began", "turns", "player", "name", "points", "won", "result", "winners"]
    )
    for log in logs:
        winners = [str(colour) for colour in (log.result or {}).get("winners", [])]
        for colour in log.order:
            won = "" if log.result is None else "1" if colour in winners else "0" if winners else "0.5"
            writer.writerow(
                [
                    harmless(log.table),
                    log.game,
                    log.began,
                    log.plies,
                    harmless(colour),
                    harmless(log.players.get(colour, "")),
                    log.points.get(colour, 0),
                    won,
                    harmless(str((log.result or {}).get("reason", ""))),
                    harmless(" ".join(winners)),
                ]
            )
    return out.getvalue().encode()


def bundle(evening: Evening, logs: Iterable[GameLog]) -> bytes:
    """The evening as a zip: every game's record as ``TABLE/game-N.json`` and the sheet as ``evening.csv``.

    ``not-read.txt`` gives the reasons for games that cannot be read.
    """
    games = list(logs)
    failed: list[str] = []
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("evening.csv", sheet(games))
        for log in games:
            try:
                record = evening.record(log.table, log.game)
            except (LookupError, InvalidMessage) as error:
                failed.append(f"{log.table}, game {log.game}: {error}\n")
                continue
            name = f"{file_name(log.table)}/game-{log.game:04}.json"
            packed.writestr(name, write_json(Match((record,), single=True)))
        if failed:
            packed.writestr("not-read.txt", "".join(failed))
    return out.getvalue()


def file_name(table: str) -> str:
    """A table's name, made safe for a file name; different names stay different."""
    plain = re.sub(r"[^\w .-]", "_", table).strip(". ") or "_"
    return plain if plain == table else f"{plain}-{zlib.crc32(table.encode()):08x}"


def _counted(logs: Iterable[GameLog]) -> Iterator[tuple[GameLog, dict[str, str], Sequence[str]]]:
    """The finished games whose players are named, each with the names by colour and the colours that won."""
    for log in logs:
        if log.result is not None and (called := _named(log)):
            yield log, called, log.result.get("winners", [])


def _named(log: GameLog) -> dict[str, str]:
    """The names by colour if every player has a name and no two are equal, else nothing."""
    names = {colour: log.players.get(colour, "").strip() for colour in log.order}
    called = {colour: name for colour, name in names.items() if name and not is_placeholder(name)}
    whole = len(called) == len(log.order) and len(set(map(name_key, called.values()))) == len(called)
    return called if whole else {}


def _time(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else None
