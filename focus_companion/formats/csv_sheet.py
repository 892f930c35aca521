"""The turns of a game as a table (CSV, RFC 4180, UTF-8) for spreadsheets: one row for every turn and act."""

from __future__ import annotations

import csv
import io

from focus_companion.formats.match import Match, score_lines
from focus_companion.formats.text_sheet import result_text
from focus_companion.formats.walk import PlayedEntry, steps
from focus_companion.game.colours import NAMES, names
from focus_companion.game.match import game_score, summed
from focus_companion.game.record import Declaration, GameRecord

# Some spreadsheets treat full-width characters like the ASCII ones.
_FORMULA = (*"=+-@\t\r\n", *"＝＋－＠")


def write_csv(match: Match) -> str:
    """The table of a game; for a match the games follow one another, distinguished by the column ``game``.

    Columns: game, ply, time (s), player, name, turn, captured, to_reserve, then for every colour that plays
    ``reserve_<colour>`` and ``captured_by_<colour>``, then position, out, to_move, result; for a match also
    ``match``, the score after a game in the game's last row. Raises IllegalMove.
    """
    colours = sorted({letter for game in match.games for letter in game.rules.order}, key="rgby".index)
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\r\n")
    writer.writerow(
        ["game", "ply", "time", "player", "name", "turn", "captured", "to_reserve"]
        + [f"{kind}_{NAMES[letter]}" for kind in ("reserve", "captured_by") for letter in colours]
        + ["position", "out", "to_move", "result"]
        + ([] if match.single else ["match"])
    )
    scores = [] if match.single else [game_score(game) for game in match.games]
    length = match.length or len(scores)
    for number, game in enumerate(match.games, 1):
        rows = [[str(number), *_row(game, step, colours)] for step in steps(game)]
        if not match.single:
            score = "; ".join(score_lines(summed(scores[:number], length)))
            rows = [[*row, ""] for row in rows[:-1]] + [[*row, harmless(score)] for row in rows[-1:]]
        writer.writerows(rows)
    return table.getvalue()


def _row(game: GameRecord, step: PlayedEntry, colours: list[str]) -> list[str]:
    what, after = step.entry.what, step.after
    player = what.player if isinstance(what, Declaration) else step.before.to_move
    turn = what.kind if isinstance(what, Declaration) else str(what)
    time = "" if step.entry.time is None else repr(step.entry.time)
    reserves = dict(zip(after.players, after.reserves, strict=True))
    captures = {letter: sum(row) for letter, row in zip(after.players, after.captured, strict=True)}
    return [
        str(step.ply),
        time,
        NAMES.get(player, ""),
        harmless(game.players.get(player, "")),
        turn,
        step.captured,
        step.reserved,
        *(str(reserves.get(letter, "")) for letter in colours),
        *(str(captures.get(letter, "")) for letter in colours),
        harmless(after.text),
        " ".join(names(after.out)),
        NAMES.get(after.to_move, ""),
        "" if after.result is None else result_text(after.result),
    ]


def harmless(text: str) -> str:
    """Prevent a spreadsheet from reading a name as a formula. A position may begin with ``-`` as well."""
    return f"'{text}" if text.startswith(_FORMULA) else text
