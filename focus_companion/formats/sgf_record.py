"""A game record as SGF FF[4] GM[36]; ``docs/sgf.md`` lists the properties.

Each turn is one node, so node n of the main line is ply n. Acts (resigning, …) are not turns: they are in the
node after which they happened. Unknown properties are kept in ``record.unknown["sgf"]``.
"""

from __future__ import annotations

from typing import Any, Final

from focus_companion import __version__
from focus_companion.formats import sgf_extras, sgf_tree, strict_json
from focus_companion.formats.errors import FormatError, one_line, shown
from focus_companion.formats.json_record import entry_from_json, incidents_from, outcome_from_json
from focus_companion.formats.match import Match, length_from
from focus_companion.formats.rules_json import known_rules, rules_from_json
from focus_companion.formats.sgf_tree import Node
from focus_companion.formats.strict_json import as_object, as_text
from focus_companion.game.colours import LETTER, NAMES
from focus_companion.game.moves import Move
from focus_companion.game.record import Declaration, Entry, GameRecord

FOCUS: Final = "36"
"""The number of Focus in the SGF standard."""

KNOWN: Final = frozenset(
    [
        "FF",
        "GM",
        "CA",
        "AP",
        "DT",
        "PB",
        "PW",
        "RE",
        "RULES",
        "PLAYERS",
        "RESULT",
        "INCIDENT",
        "KEPT",
        "MATCH",
        "MV",
        "TIME",
        "ACT",
    ]
)


def write_sgf(match: Match) -> str:
    """The SGF text of the games, one game tree each; UTF-8."""
    trees = [_nodes(game) for game in match.games]
    if not match.single:
        trees[0][0].add("MATCH", strict_json.dumps({"length": match.length, "score": match.score.to_json()}))
    return sgf_tree.serialise(trees)


def read_sgf(text: str | bytes) -> Match:
    """The games of an SGF text. Raises :class:`FormatError` that names game and node."""
    trees = sgf_tree.parse(sgf_tree.decode(text) if isinstance(text, bytes) else text)
    games = []
    for number, nodes in enumerate(trees, 1):
        try:
            games.append(_record(nodes))
        except FormatError as error:
            place = f"game {number}, {error.place}" if len(trees) > 1 else error.place
            raise FormatError(error.problem, place=place, remedy=error.remedy) from None
    match = _one(trees[0][0], "MATCH", "root")
    if match is None:
        return Match(tuple(games), single=len(games) == 1)
    place = "root, MATCH"
    return Match(tuple(games), length=length_from(_json(match, place).get("length"), len(games), place))


def _nodes(record: GameRecord) -> list[Node]:
    root = Node()
    root.add("FF", "4")
    root.add("GM", FOCUS)
    root.add("CA", "UTF-8")
    root.add("AP", f"Focus Companion:{__version__}")
    if record.date:
        root.add("DT", strict_json.quoted(record.date))
    names = [(letter, record.players[letter]) for letter in record.rules.order if record.players.get(letter)]
    if record.rules.players == 2:
        # For other tools only, which know just two players: PLAYERS is what counts.
        for property_name, letter in zip(("PB", "PW"), record.rules.order, strict=True):
            if record.players.get(letter):
                root.add(property_name, one_line(record.players[letter]))
        if record.result is not None:
            root.add("RE", _short_result(record))
    kept: dict[str, Any] = dict(record.unknown.get("json") or {})
    root.add("RULES", strict_json.dumps(record.rules.to_json()))
    if names:
        root.add("PLAYERS", strict_json.dumps({NAMES[letter]: name for letter, name in names}))
    if record.result is not None:
        root.add("RESULT", strict_json.dumps(record.result.to_json()))
    root.add("INCIDENT", *(strict_json.dumps(dict(incident)) for incident in record.incidents))
    if kept:
        root.add("KEPT", strict_json.dumps(kept))
    nodes = [root]
    for entry in record.entries:
        if not isinstance(entry.what, Declaration):
            node = Node()
            node.add("MV", str(entry.what))
            if entry.time is not None:
                node.add("TIME", repr(entry.time))
            nodes.append(node)
        else:
            player = f" {NAMES[entry.what.player]}" if entry.what.player else ""
            time = f" {entry.time!r}" if entry.time is not None else ""
            nodes[-1].add("ACT", f"{entry.what.kind}{player}{time}")
    sgf_extras.restore(nodes, record.unknown.get("sgf") or {})
    return nodes


def _short_result(record: GameRecord) -> str:
    """SGF's notation for the result of a two-player game; the first player is Black."""
    result = record.result
    if result is None or not result.winners:
        return "0"
    side = "B" if result.winners == record.rules.order[0] else "W"
    return f"{side}+{'R' if result.reason == 'resigned' else ''}"


def _record(nodes: list[Node]) -> GameRecord:
    root = nodes[0]
    if (game := _one(root, "GM", "root")) != FOCUS:
        problem = (
            "the file does not say which game it holds"
            if game is None
            else f"game {shown(game)} is not Focus"
        )
        raise FormatError(problem, place="root, GM", remedy=f"a record of Focus says GM[{FOCUS}]")
    kept: dict[str, Any] = {}
    kept_text = _one(root, "KEPT", "root")
    if kept_text is not None:
        kept = _json(kept_text, "root, KEPT")
        for place, values in kept.items():
            as_object(values, f"root, KEPT {shown(place)}")
        known_rules(kept.get("rules") or {}, "root, KEPT")
    rules_text = _one(root, "RULES", "root")
    if rules_text is None:
        raise FormatError(
            "the rules are missing", place="root, RULES", remedy='write at least RULES[{"players":2}]'
        )
    rules_object = _json(rules_text, "root, RULES")
    played = len(nodes) > 1 or bool(root.texts("ACT"))
    rules = rules_from_json(rules_object, "root, RULES", played=played)
    result = None
    if (text := _one(root, "RESULT", "root")) is not None:
        result, _ = outcome_from_json(_json(text, "root, RESULT"), rules.order)
    date = _one(root, "DT", "root")
    entries: list[Entry] = []
    clock = strict_json.Times()
    for number, node in enumerate(nodes):
        place = f"node {number}" if number else "root"
        for entry in _entries(node, place):
            clock.pass_on(entry.time, f"{place}, TIME" if isinstance(entry.what, Move) else f"{place}, ACT")
            entries.append(entry)
    at = "root, INCIDENT"
    extras = sgf_extras.collect(nodes, KNOWN)
    return GameRecord(
        rules=rules,
        players=_players(root, rules.order),
        date="" if date is None else strict_json.unquoted(date, "root, DT"),
        entries=tuple(entries),
        incidents=incidents_from((_json(text, at), at) for text in root.texts("INCIDENT")),
        result=result,
        unknown=({"json": kept} if kept else {}) | ({"sgf": extras} if extras else {}),
    )


def _one(node: Node, name: str, place: str) -> str | None:
    texts = node.texts(name)
    if len(texts) > 1:
        raise FormatError(
            f"{len(texts)} values where one is due", place=f"{place}, {name}", remedy="keep one"
        )
    return texts[0].strip() if texts else None


def _json(text: str, place: str) -> dict[str, Any]:
    try:
        return as_object(strict_json.loads(text), "")
    except FormatError as error:
        raise FormatError(
            error.problem, place=f"{place}, {error.place}".rstrip(", "), remedy=error.remedy
        ) from None


def _players(root: Node, order: str) -> dict[str, str]:
    text = _one(root, "PLAYERS", "root")
    if text is None:
        found = {}
        if len(order) == 2:
            found = {
                letter: _one(root, name, "root") or ""
                for name, letter in zip(("PB", "PW"), order, strict=True)
            }
        return {letter: name for letter, name in found.items() if name}
    players = {}
    for colour, name in _json(text, "root, PLAYERS").items():
        letter = LETTER.get(colour, "")
        if not letter or letter not in order:
            raise FormatError(
                f"{shown(colour)} does not play in this game", place="root, PLAYERS", remedy="leave it out"
            )
        if as_text(name, f"root, PLAYERS, {colour}", '"Ann"'):
            players[letter] = name
    return players


def _entries(node: Node, place: str) -> list[Entry]:
    entries = []
    text = _one(node, "MV", place)
    if text is not None:
        item: dict[str, Any] = {"move": text}
        time = _one(node, "TIME", place)
        if time is not None:
            item["time"] = _seconds(time, f"{place}, TIME")
        entries.append(entry_from_json(item, place)[0])
    for act in node.texts("ACT"):
        words = act.split()
        item = {"act": words.pop(0) if words else ""}
        if words and words[0] in LETTER:
            item["player"] = words.pop(0)
        if words:
            item["time"] = _seconds(words.pop(0), f"{place}, ACT")
        if words:
            raise FormatError(
                f"cannot read {shown(act)}", place=f"{place}, ACT", remedy="for example ACT[resign red 12.3]"
            )
        entries.append(entry_from_json(item, f"{place}, ACT")[0])
    return entries


def _seconds(text: str, place: str) -> float:
    try:
        return strict_json.seconds(text)
    except ValueError:
        raise FormatError(
            f"{shown(text)} is not a time in seconds", place=place, remedy="for example 12.3"
        ) from None
