"""The lines of ``replay --positions``: one JSON object for the position after every ply.

Fast enough for files of tens of thousands of plies: the parts of a line that seldom change are cached, and
the objects are assembled by hand, since everything in them is plain ASCII of our own.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from focus_companion.game.colours import NAMES
from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.outcome import Outcome
from focus_companion.game.play import Declaration, IllegalMove, act, apply, play
from focus_companion.game.position import Position
from focus_companion.game.record import BadMove, GameRecord
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position

_CACHE_SIZE: Final = 4096
"""Number of entries."""


def position_lines(record: GameRecord, *, legal: bool = False, game: int | None = None) -> Iterator[str]:
    """The lines of a record, ply 0 first, without line ends.

    A declaration (such as resigning) is not a ply: it shows in the object of the ply that it follows. With
    ``legal`` every object lists the legal turns, sorted; ``game`` becomes the key of that name. Raises
    IllegalMove with the ply at the first entry that the rules refuse, after yielding the lines before it.
    """
    rules = record.rules
    head = "{" if game is None else f'{{"game": {game}, '
    ply, move = 0, "null"
    position = start_position(rules)
    turns = legal_moves(position, rules) if legal else None
    for entry in record.entries:
        what = entry.what
        if isinstance(what, Declaration):
            try:
                position = act(position, what, rules)
            except IllegalMove as error:
                yield head + _body(ply, move, position, turns)
                raise IllegalMove(error.fault, error.text, ply + 1) from None
            turns = legal_moves(position, rules) if legal else None
            continue
        yield head + _body(ply, move, position, turns)
        ply += 1
        position = _after(position, what, rules, turns, ply)
        move = f'"{what}"'
        turns = legal_moves(position, rules) if legal else None
    yield head + _body(ply, move, position, turns)


def _after(
    position: Position, move: Move | BadMove, rules: Rules, turns: tuple[Move, ...] | None, ply: int
) -> Position:
    if isinstance(move, BadMove):
        raise IllegalMove(move.fault, str(move), ply)
    if turns is not None and move in turns:  # a move from the list of legal turns need not be checked again
        return apply(position, move, rules)
    try:
        return play(position, move, rules)
    except IllegalMove as error:
        raise IllegalMove(error.fault, error.text, ply) from None


def _body(ply: int, move: str, position: Position, turns: tuple[Move, ...] | None) -> str:
    players, to_move = position.players, position.to_move
    placing = f', "placing": {_counts(players, position.placing)}' if position.placing else ""
    legal = "" if turns is None else f', "legal": [{", ".join([_quoted(turn) for turn in turns])}]'
    return (
        f'"ply": {ply}, "move": {move}, "position": "{position.text}"'
        f', "reserves": {_counts(players, position.reserves)}'
        f', "captured": {_captured(players, position.captured)}{placing}'
        f', "out": {_names(position.out)}, "to_move": {_name(to_move)}'
        f', "result": {_result(position.result)}{legal}}}'
    )


@lru_cache(_CACHE_SIZE)
def _quoted(move: Move) -> str:
    return f'"{move}"'


@lru_cache(_CACHE_SIZE)
def _counts(players: str, counts: tuple[int, ...]) -> str:
    pairs = zip(players, counts, strict=True)
    return "{" + ", ".join(f'"{NAMES[letter]}": {count}' for letter, count in pairs) + "}"


@lru_cache(_CACHE_SIZE)
def _captured(players: str, captured: tuple[tuple[int, ...], ...]) -> str:
    rows = []
    for letter, counts in zip(players, captured, strict=True):
        others = [pair for pair in zip(players, counts, strict=True) if pair[0] != letter]
        inner = ", ".join(f'"{NAMES[other]}": {count}' for other, count in others)
        rows.append(f'"{NAMES[letter]}": {{{inner}}}')
    return "{" + ", ".join(rows) + "}"


@lru_cache(_CACHE_SIZE)
def _names(letters: str) -> str:
    return "[" + ", ".join(f'"{NAMES[letter]}"' for letter in letters) + "]"


def _name(letter: str) -> str:
    return f'"{NAMES[letter]}"' if letter else "null"


def _result(result: Outcome | None) -> str:
    if result is None:
        return "null"
    return f'{{"winners": {_names(result.winners)}, "reason": "{result.reason}"}}'
