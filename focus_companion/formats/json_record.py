"""The game record and the match record as JSON: the archival format.

Unknown keys are kept in ``record.unknown["json"]`` by the place of their object (``""`` for the record
itself, ``"moves[3]"``, ``"players.red"``), and are written back there. In ``rules`` they are refused: an
unknown rule would make it a different game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from focus_companion.formats import rules_json, strict_json
from focus_companion.formats.errors import FormatError, choices, shown
from focus_companion.formats.match import Match, length_from
from focus_companion.formats.sgf_extras import checked as sgf_extras_checked
from focus_companion.formats.strict_json import Times, as_list, as_object, as_text, as_time, rest
from focus_companion.game.colours import LETTER, NAMES, names
from focus_companion.game.outcome import REASONS, Outcome
from focus_companion.game.record import DECLARATION_KINDS, BadMove, Declaration, Entry, GameRecord

GAME: Final = "focus-companion game"
MATCH: Final = "focus-companion match"
VERSION: Final = 1

KEYS: Final = ("format", "version", "rules", "players", "date", "moves", "incidents", "result", "sgf")
"""The known keys at the top level of a record."""


def record_to_json(record: GameRecord) -> dict[str, Any]:
    """The contract's object for a game."""
    kept: Mapping[str, Any] = record.unknown.get("json") or {}
    out: dict[str, Any] = {"format": GAME, "version": VERSION}
    out["rules"] = record.rules.to_json()
    out["players"] = {
        NAMES[letter]: joined(
            {"name": record.players.get(letter, "")}, kept.get(f"players.{NAMES[letter]}"), ("name",)
        )
        for letter in record.rules.order
    }
    out["players"] = joined(out["players"], kept.get("players"))
    out["date"] = record.date or None
    out["moves"] = [
        joined(entry_to_json(entry), kept.get(f"moves[{index}]"), ("move", "act", "time"))
        for index, entry in enumerate(record.entries)
    ]
    out["incidents"] = [dict(incident) for incident in record.incidents]
    out["result"] = record.result and joined(record.result.to_json(), kept.get("result"))
    if record.unknown.get("sgf"):
        out["sgf"] = record.unknown["sgf"]
    return joined(out, kept.get(""), KEYS)


def joined(
    ours: Mapping[str, Any], more: Mapping[str, Any] | None, known: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Our object plus the unknown keys that were kept; these can neither replace nor add known ones."""
    return {
        **ours,
        **{key: value for key, value in (more or {}).items() if key not in ours and key not in known},
    }


def entry_to_json(entry: Entry) -> dict[str, Any]:
    what = entry.what
    out: dict[str, Any]
    if isinstance(what, Declaration):
        out = {"act": what.kind}
        if what.player:
            out["player"] = NAMES[what.player]
    else:
        out = {"move": str(what)}
    return out if entry.time is None else out | {"time": entry.time}


def match_to_json(match: Match) -> dict[str, Any]:
    """The contract's object for a match; ``score`` is the result of the games, and is ignored when read."""
    return {
        "format": MATCH,
        "version": VERSION,
        "length": match.length,
        "score": match.score.to_json(),
        "games": [record_to_json(game) for game in match.games],
    } | dict(match.unknown)


def match_from_json(value: Any) -> Match:
    """A match, or a single game as a match of one marked ``single``. Raises :class:`FormatError`."""
    found = as_object(value, "", f'{{"format": "{GAME}", …}}')
    if found.get("format") != MATCH:
        return Match((record_from_json(found),), single=True)
    _version(found)
    games = as_list(found.get("games"), "games")
    if not games:
        raise FormatError(
            "a match without games", place="games", remedy="put at least one game record into it"
        )
    records = []
    for index, game in enumerate(games):
        try:
            records.append(record_from_json(game))
        except FormatError as error:
            raise error.within(place=f"games[{index}]") from None
    length = length_from(found.get("length"), len(records), "length")
    known = ("format", "version", "length", "score", "games")
    return Match(tuple(records), length=length, unknown=rest(found, known))


def record_from_json(value: Any) -> GameRecord:
    """The game record that a parsed JSON value is. Raises :class:`FormatError` with the place in it."""
    found = as_object(value, "", f'{{"format": "{GAME}", …}}')
    if found.get("format") != GAME:
        problem = f"expected {GAME!r}, found {shown(found.get('format'))}" if "format" in found else "missing"
        raise FormatError(problem, place="format", remedy=f'a game record says "format": "{GAME}"')
    _version(found)
    kept: dict[str, dict[str, Any]] = {}

    def keep(place: str, more: dict[str, Any]) -> None:
        if more:
            kept[place] = more

    rules_object = as_object(found.get("rules"), "rules", '{"players": 2}')
    items = as_list(found.get("moves"), "moves", '["d5-d6"]')
    rules = rules_json.rules_from_json(rules_object, "rules", played=bool(items))
    players, more_players = _players(found.get("players"), "".join(rules.order), keep)
    keep("players", more_players)
    entries = []
    clock = Times()
    for index, item in enumerate(items):
        entry, more = entry_from_json(item, f"moves[{index}]")
        clock.pass_on(entry.time, f"moves[{index}].time")
        entries.append(entry)
        keep(f"moves[{index}]", more)
    date = found.get("date")
    result, more_result = outcome_from_json(found.get("result"), rules.order)
    keep("result", more_result)
    keep("", rest(found, KEYS))
    unknown: dict[str, Any] = {"json": kept} if kept else {}
    if found.get("sgf") is not None:
        unknown["sgf"] = sgf_extras_checked(found["sgf"], "sgf")
    return GameRecord(
        rules=rules,
        players=players,
        date="" if date is None else as_text(date, "date", '"2026-11-20"'),
        entries=tuple(entries),
        incidents=_incidents(found.get("incidents")),
        result=result,
        unknown=unknown,
    )


def _version(found: dict[str, Any]) -> None:
    version = found.get("version")
    if version is not True and version == VERSION:
        return
    if isinstance(version, int) and not isinstance(version, bool) and version > VERSION:
        raise FormatError(
            f"version {shown(version)} is newer than this program",
            place="version",
            remedy="update Focus Companion to read it",
        )
    problem = f"expected {VERSION}, found {shown(version)}" if "version" in found else "missing"
    raise FormatError(problem, place="version", remedy=f'write "version": {VERSION}')


def _players(value: Any, order: str, keep: Any) -> tuple[dict[str, str], dict[str, Any]]:
    """Names by letter, and the entries that do not belong to a player of this game."""
    players: dict[str, str] = {}
    more: dict[str, Any] = {}
    given = as_object({} if value is None else value, "players", '{"red": {"name": "Ann"}}')
    for colour, item in given.items():
        letter = LETTER.get(colour, "")
        if not letter or letter not in order:
            more[colour] = item
            continue
        place = f"players.{colour}"
        entry = {"name": item} if isinstance(item, str) else as_object(item, place, '{"name": "Ann"}')
        name = entry.get("name")
        if name:
            players[letter] = as_text(name, f"{place}.name", '"Ann"')
        keep(place, rest(entry, ("name",)))
    return players, more


def entry_from_json(item: Any, place: str) -> tuple[Entry, dict[str, Any]]:
    """One item of ``moves``, and its unknown keys."""
    if isinstance(item, str):
        return turn_entry(item, None, place), {}
    found = as_object(item, place, '"d5-d6" or {"move": "d5-d6", "time": 12.3}')
    time = as_time(found.get("time"), f"{place}.time")
    if "act" in found and "move" in found:
        raise FormatError("a move and an act at once", place=place, remedy="write them as two items")
    if "act" not in found:
        text = as_text(found.get("move"), f"{place}.move", '"d5-d6"')
        return turn_entry(text, time, f"{place}.move"), rest(found, ("move", "time"))
    kind = next((known for known in DECLARATION_KINDS if known == found["act"]), None)
    if kind is None:
        raise FormatError(
            f"no act {shown(found['act'])}",
            place=f"{place}.act",
            remedy=f"the acts are {choices(DECLARATION_KINDS)}",
        )
    colour = found.get("player")
    letter = LETTER.get(colour, "") if isinstance(colour, str) else ""
    if not letter and (kind != "draw" or colour is not None):
        raise FormatError(
            f"no player {shown(colour)}", place=f"{place}.player", remedy=f"the colours are {choices(LETTER)}"
        )
    return Entry(Declaration(kind, letter), time), rest(found, ("act", "player", "time"))


def turn_entry(text: str, time: float | None, place: str) -> Entry:
    """The entry of a turn as written.

    Text in the form of a move that leaves the board or has capital letters is accepted: the replay then finds
    it illegal and names its ply. Raises :class:`FormatError` for any other text.
    """
    entry = Entry.parse(text, time)
    if isinstance(entry.what, BadMove) and entry.what.fault.reason not in ("capitals", "off_board"):
        raise FormatError(
            f"{shown(text)} is not a move",
            place=place,
            remedy="write the two squares, as d5-d6, or * and one, as *d5",
        )
    return entry


def _incidents(value: Any) -> tuple[dict[str, Any], ...]:
    items = as_list([] if value is None else value, "incidents")
    return incidents_from((item, f"incidents[{index}]") for index, item in enumerate(items))


def incidents_from(items: Iterable[tuple[Any, str]]) -> tuple[dict[str, Any], ...]:
    """The incidents among (value, place), in their order. Raises :class:`FormatError`."""
    clock = Times()
    return tuple(incident_from(item, place, clock) for item, place in items)


def incident_from(item: Any, place: str, clock: Times) -> dict[str, Any]:
    """The next incident; its time, if any, must not decrease. Raises :class:`FormatError`."""
    incident = as_object(item, place)
    time = incident.get("time")
    if isinstance(time, int | float) and not isinstance(time, bool):
        at = f"{place}.time"
        clock.pass_on(as_time(time, at), at)
    return incident


def outcome_from_json(value: Any, order: str | tuple[str, ...]) -> tuple[Outcome | None, dict[str, Any]]:
    """The result, winners in turn order, and the unknown keys of its object."""
    if value is None:
        return None, {}
    found = as_object(value, "result", '{"winners": ["red"], "reason": "domination"}')
    reason = found.get("reason")
    known = next((known for known in REASONS if known == reason), None)
    if known is None:
        raise FormatError(
            f"no reason {shown(reason)}", place="result.reason", remedy=f"the reasons are {choices(REASONS)}"
        )
    letters = set()
    for index, colour in enumerate(as_list(found.get("winners"), "result.winners", '["red"]')):
        letter = LETTER.get(colour, "") if isinstance(colour, str) else ""
        if not letter or letter not in order:
            raise FormatError(
                f"{shown(colour)} does not play in this game",
                place=f"result.winners[{index}]",
                remedy=f"the players are {choices(names(order))}",
            )
        letters.add(letter)
    winners = "".join(letter for letter in order if letter in letters)
    return Outcome(winners, known), rest(found, ("winners", "reason"))


def read_json(text: str | bytes) -> Match:
    """The game or match in a JSON text. Raises :class:`FormatError`."""
    return match_from_json(strict_json.loads(text))


def write_json(match: Match) -> str:
    """The JSON text of a game or a match, one move a line."""
    value = record_to_json(match.games[0]) if match.single else match_to_json(match)
    return _pretty(value) + "\n"


def _pretty(value: Any, indent: str = "") -> str:
    """JSON indented only as far as it helps a reader: items of lists stay on one line each."""
    inner = indent + "  "
    if isinstance(value, dict) and value and ("format" in value or indent == ""):
        lines = [
            f"{inner}{strict_json.dumps(key)}: {_pretty_value(item, inner)}" for key, item in value.items()
        ]
        return "{\n" + ",\n".join(lines) + "\n" + indent + "}"
    return strict_json.dumps(value)


def _pretty_value(value: Any, indent: str) -> str:
    if isinstance(value, list) and value:
        inner = indent + "  "
        return "[\n" + ",\n".join(inner + _pretty(item, inner) for item in value) + "\n" + indent + "]"
    return strict_json.dumps(value)
