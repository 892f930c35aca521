"""The move sheet for people: a heading, then one row per round with a column for every player.

::

    Focus move sheet

    Date: 2026-11-20
    Players: green, red
    green: Ann
    red: Ben
    Rule: fast = true

      No.  green           red
       1.  d5-d6           c3-c4 xg
       2.  d6-d4 xrr +g    pass
           red resigns
    Result: green (resigned)

``xrr`` captures two red pieces, ``+g`` takes a green one into reserve, ``*d5`` places a reserve piece,
``pass`` is a forced pass, ``out`` a player who is out, ``@12.3`` the time in seconds. A match begins with
``Match: 4 games`` and ends with its ``Score:``. :mod:`text_reader` reads it back.
"""

from __future__ import annotations

from typing import Any, Final

from focus_companion.formats import strict_json
from focus_companion.formats.match import Match, score_lines
from focus_companion.formats.walk import PlayedEntry, steps
from focus_companion.game.colours import NAMES, names
from focus_companion.game.outcome import Outcome
from focus_companion.game.record import Declaration, GameRecord
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position

TITLE: Final = "Focus move sheet"
VERBS: Final = {"resign": "resigns", "leave": "leaves"}
DRAW: Final = "draw agreed"


def write_text(match: Match) -> str:
    """The sheets of the games, one under the other. Raises IllegalMove for a record with an illegal move."""
    if match.single:
        return _sheet(match.games[0])
    agreed = "" if match.length is None else f" {match.length}"
    first, *others = match.games
    sheets = [_sheet(first, f"Match:{agreed} games"), *(_sheet(game) for game in others)]
    return "\n".join([*sheets, "".join(f"Score: {line}\n" for line in score_lines(match.score))])


def _sheet(record: GameRecord, head: str = "") -> str:
    kept: dict[str, Any] = dict(record.unknown.get("json") or {})
    lines = [TITLE, ""]
    if head:
        lines.append(head)
    if record.date:
        lines.append(f"Date: {strict_json.quoted(record.date)}")
    lines.append(f"Players: {record.rules.players_text}")
    for letter in record.rules.order:
        if record.players.get(letter):
            lines.append(f"{NAMES[letter]}: {strict_json.quoted(record.players[letter])}")
    lines += _rules(record.rules)
    lines += ["", *_table(record)]
    if record.result is not None:
        lines.append(f"Result: {result_text(record.result)}")
    lines += [f"Incident: {strict_json.dumps(dict(incident))}" for incident in record.incidents]
    more = ({"json": kept} if kept else {}) | (
        {"sgf": record.unknown["sgf"]} if record.unknown.get("sgf") else {}
    )
    if more:
        lines.append(f"Kept: {strict_json.dumps(more)}")
    return "\n".join(lines) + "\n"


def result_text(result: Outcome) -> str:
    """``green, yellow (domination)``; ``draw (agreed draw)``."""
    return f"{', '.join(names(result.winners)) or 'draw'} ({result.reason})"


def _rules(rules: Rules) -> list[str]:
    """The settings that differ from the rule book for this number of players."""
    usual = Rules.make(rules.players).to_json()
    return [
        f"Rule: {key} = {strict_json.dumps(value)}"
        for key, value in rules.to_json().items()
        if key != "order" and (key not in usual or value != usual[key])
    ]


def _table(record: GameRecord) -> list[str]:
    """The rows; an act has its own row, between the turns where it happened."""
    order = record.rules.order
    rows: list[list[str] | str] = []
    row: list[str] = []

    def end_row() -> None:
        nonlocal row
        if row:
            rows.append(row)
        row = []

    expected = order.index(start_position(record.rules).to_move or order[0])
    row = [""] * expected
    for step in steps(record):
        if step.move is None:
            held = len(row)
            end_row()
            rows.append(_act_text(step))
            row = [""] * held if held < len(order) else []
            continue
        mover = order.index(step.before.to_move)
        while len(row) % len(order) != mover:
            player = order[len(row) % len(order)]
            row.append("out" if player in step.before.out else "pass")
            if len(row) == len(order):
                end_row()
        row.append(_cell(step))
        if len(row) == len(order):
            end_row()
    if any(row):
        end_row()
    cells = [row for row in rows if isinstance(row, list)]
    widths = [
        max([len(NAMES[letter]), *(len(row[i]) for row in cells if i < len(row))])
        for i, letter in enumerate(order)
    ]
    head = "  No.  " + "  ".join(
        NAMES[letter].ljust(width) for letter, width in zip(order, widths, strict=True)
    )
    lines = [head.rstrip()]
    number = 0
    for item in rows:
        if isinstance(item, str):
            lines.append(f"       {item}")
        elif any(item):
            number += 1
            text = "  ".join(cell.ljust(width) for cell, width in zip(item, widths, strict=False))
            lines.append(f"{number:4}.  {text}".rstrip())
    return lines


def _time(step: PlayedEntry) -> str:
    return "" if step.entry.time is None else f" @{step.entry.time!r}"


def _cell(step: PlayedEntry) -> str:
    captured = f" x{step.captured}" if step.captured else ""
    reserved = f" +{step.reserved}" if step.reserved else ""
    return f"{step.move}{captured}{reserved}{_time(step)}"


def _act_text(step: PlayedEntry) -> str:
    what = step.entry.what
    assert isinstance(what, Declaration)
    if what.kind == "draw":
        by = f" {NAMES[what.player]}" if what.player else ""
        return f"{DRAW}{by}{_time(step)}"
    return f"{NAMES[what.player]} {VERBS[what.kind]}{_time(step)}"
