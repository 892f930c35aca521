"""Reads a move sheet, lenient about spaces and columns, so that it may be typed by hand."""

from __future__ import annotations

import re
from typing import Any, Final

from focus_companion.formats import strict_json
from focus_companion.formats.errors import FormatError, choices, shown
from focus_companion.formats.json_record import entry_from_json, incident_from, outcome_from_json
from focus_companion.formats.match import Match, length_from
from focus_companion.formats.rules_json import known_rules, rules_from_json
from focus_companion.formats.sgf_extras import checked as sgf_extras_checked
from focus_companion.formats.strict_json import as_object
from focus_companion.formats.text_sheet import DRAW, TITLE, VERBS
from focus_companion.game.colours import LETTER
from focus_companion.game.outcome import REASONS
from focus_companion.game.record import Entry, GameRecord

_FIELD: Final = re.compile(
    r"(Match|Score|Date|Players|Rule|Result|Incident|Kept|red|green|blue|yellow): *(.*)", re.ASCII
)
_ROUND: Final = re.compile(r"^\d{1,6}\.", re.ASCII)
_MATCH: Final = re.compile(r"(?:(\d{1,4}) +)?games?", re.ASCII)
_MARK: Final = re.compile(r"[x+][rgby]{1,20}", re.ASCII)
_RULE: Final = re.compile(r"([a-z_]{1,40}) *= *(.+)", re.ASCII)
_RESULT: Final = re.compile(r"([a-z, ]{1,60}?) *\(([a-z ]{1,30})\)", re.ASCII)
_ACT: Final = re.compile(
    rf"(?:(?P<draw>{DRAW})(?: (?P<by>[a-z]+))?|(?P<who>[a-z]+) (?P<verb>{'|'.join(VERBS.values())}))"
    r"(?: @(?P<time>\S+))?",
    re.ASCII,
)
_KINDS: Final = {verb: kind for kind, verb in VERBS.items()}
_NO_TURN: Final = ("pass", "out", "-")


def read_text(text: str | bytes) -> Match:
    """The games of a move sheet. Raises :class:`FormatError` that names the line."""
    # Not splitlines, which also breaks at characters that a name or an incident may contain.
    lines = re.split(r"\r\n|\r|\n", strict_json.decode(text) if isinstance(text, bytes) else text)
    sheets: list[_Sheet] = []
    for number, raw in enumerate(lines, 1):
        line = raw.strip()
        try:
            if line == TITLE:
                sheets.append(_Sheet(f"line {number}"))
            elif line and not sheets:
                raise FormatError(f"expected {TITLE!r}", remedy="a move sheet begins with these words")
            elif line:
                sheets[-1].take(line)
        except FormatError as error:
            raise _at_line(error, f"line {number}") from None
    if not sheets:
        raise FormatError("an empty text", remedy=f"a move sheet begins with {TITLE!r}")
    games = tuple(sheet.record() for sheet in sheets)
    match_length = sheets[0].match
    if match_length is None:
        return Match(games, single=len(games) == 1)
    return Match(games, length=length_from(int(match_length) if match_length else None, len(games), "Match"))


def _at_line(error: FormatError, line: str) -> FormatError:
    place = f"{line}, {error.place}" if error.place else line
    return FormatError(error.problem, place=place, remedy=error.remedy)


class _Sheet:
    """One game being read, line by line."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.match: str | None = None
        self.date = ""
        self.order: list[str] | None = None
        self.names: dict[str, str] = {}
        self.settings: dict[str, Any] = {}
        self.entries: list[Entry] = []
        self.result: dict[str, Any] | None = None
        self.incidents: list[dict[str, Any]] = []
        self.kept: dict[str, Any] = {}
        self.played, self.happened = strict_json.Times(), strict_json.Times()

    def take(self, line: str) -> None:
        if field := _FIELD.fullmatch(line):
            self._field(field[1], field[2])
        elif line.startswith("No."):
            return  # the column headings
        elif act := _ACT.fullmatch(line):
            self._act(act)
        else:
            self._row(line)

    def _field(self, key: str, value: str) -> None:
        if key == "Match":
            found = _MATCH.fullmatch(value)
            if found is None:
                raise FormatError(f"no match {shown(value)}", remedy="for example 'Match: 4 games'")
            self.match = found[1] or ""
        elif key == "Score":
            return  # follows from the games
        elif key == "Date":
            self.date = strict_json.unquoted(value, "Date")
        elif key == "Players":
            self.order = re.split(r"[\s,]+", value.strip())
        elif key == "Rule":
            rule = _RULE.fullmatch(value)
            if rule is None:
                raise FormatError(f"no rule {shown(value)}", remedy="for example 'Rule: fast = true'")
            known_rules({rule[1]: None}, "Rule")
            self.settings[rule[1]] = _setting(rule[2])
        elif key == "Result":
            result = _RESULT.fullmatch(value)
            if result is None:
                raise FormatError(
                    f"no result {shown(value)}",
                    remedy=f"for example 'Result: green (domination)'; reasons are {choices(REASONS)}",
                )
            winners = [] if result[1] == "draw" else [name.strip() for name in result[1].split(",")]
            self.result = {"winners": winners, "reason": result[2]}
        elif key == "Incident":
            self.incidents.append(incident_from(strict_json.loads(value), "Incident", self.happened))
        elif key == "Kept":
            self.kept = _kept(as_object(strict_json.loads(value), "Kept"))
        else:
            self.names[LETTER[key]] = strict_json.unquoted(value, key)

    def _act(self, act: re.Match[str]) -> None:
        item: dict[str, Any] = {"act": "draw" if act["draw"] else _KINDS[act["verb"]]}
        if player := act["by"] or act["who"]:
            item["player"] = player
        if act["time"]:
            item["time"] = _seconds(act["time"])
        self._enter(item, "the act")

    def _enter(self, item: dict[str, Any], place: str) -> None:
        try:
            entry, _ = entry_from_json(item, place)
        except FormatError as error:
            # The sheet has no keys, such as “move”, by which the place could be named.
            raise FormatError(error.problem, place=place, remedy=error.remedy) from None
        self.played.pass_on(entry.time, place)
        self.entries.append(entry)

    def _row(self, line: str) -> None:
        pending: dict[str, Any] | None = None

        def done() -> None:
            if pending is not None:
                self._enter(pending, "the turn")

        for word in _ROUND.sub("", line).split():
            if word in _NO_TURN:
                continue
            if _MARK.fullmatch(word) or word.startswith("@"):
                if pending is None:
                    raise FormatError(
                        f"{shown(word)} without a turn before it", remedy="put it behind its turn"
                    )
                if word.startswith("@"):
                    pending["time"] = _seconds(word[1:])
                continue
            done()
            pending = {"move": word}
        done()

    def record(self) -> GameRecord:
        """The game, after all its lines have been read."""
        if self.order is None:
            raise FormatError(
                "no line 'Players:'",
                place=self.place,
                remedy="name them in turn order: 'Players: green, red'",
            )
        try:
            settings = {"players": len(self.order), "order": self.order} | self.settings
            rules = rules_from_json(settings, played=bool(self.entries))
            result, _ = outcome_from_json(self.result, rules.order)
        except FormatError as error:
            raise _at_line(error, f"the sheet that begins at {self.place}") from None
        if strangers := set(self.names) - set(rules.order):
            raise FormatError(
                f"a name for {shown(min(strangers))}, who does not play",
                place=self.place,
                remedy="leave it out",
            )
        return GameRecord(
            rules=rules,
            players={letter: name for letter, name in self.names.items() if name},
            date=self.date,
            entries=tuple(self.entries),
            incidents=tuple(self.incidents),
            result=result,
            unknown=self.kept,
        )


def _setting(text: str) -> Any:
    try:
        return strict_json.loads(text)
    except FormatError:
        remedy = 'write true, false, a number, or a text in quotes, as in set_up = "drop"'
        raise FormatError(f"{shown(text)} is no value of a rule", remedy=remedy) from None


def _kept(value: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for key, inner in value.items():
        if key == "json":
            for place, values in as_object(inner, "Kept.json").items():
                as_object(values, f"Kept.json {shown(place)}")
            known_rules(inner.get("rules") or {}, "Kept")
            kept[key] = inner
        elif key == "sgf":
            kept[key] = sgf_extras_checked(inner, "Kept.sgf")
        else:
            raise FormatError(f"{shown(key)} is not known here", place="Kept", remedy="leave it out")
    return kept


def _seconds(text: str) -> float:
    try:
        return strict_json.seconds(text)
    except ValueError:
        raise FormatError(f"{shown(text)} is not a time in seconds", remedy="for example @12.3") from None
