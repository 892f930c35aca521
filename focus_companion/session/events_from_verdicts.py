"""Converts the referee's verdicts to events: a pure function of the game so far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..game.colours import NAMES, names
from ..game.moves import Move
from ..game.play import Removed, apply
from ..game.position import Position, position_text
from ..game.squares import SQUARES
from ..referee import verdict as said
from .events import (
    Alert,
    Begins,
    Event,
    Found,
    Lost,
    Moved,
    Prompt,
    Reading,
    Ready,
    Resolved,
    Result,
    SetUp,
    TakenBack,
    Unclear,
)
from .history import History, Transition


def follow(verdicts: Iterable[said.Verdict], history: History, time: float) -> list[Transition]:
    """The events that follow from ``verdicts``, each in the state of the game after the ones before it.

    Raises:
        TypeError: no event is known for a kind of verdict.
    """
    transitions: list[Transition] = []
    for verdict in verdicts:
        history = transitions[-1].after if transitions else history
        transitions += history.transitions(_events(verdict, history, time))
    return transitions


def _events(verdict: said.Verdict, history: History, time: float) -> Iterator[Event]:
    match verdict:
        case said.OutOfView(what, why):
            # The reason why the board was lost may become known only later.
            if what not in history.lost or (what == "board" and history.lost[what] != why):
                yield Lost(time, what, why)
        case said.BackInView(what):
            if what in history.lost:
                yield Found(time, what)
        case said.BoardRead(stacks, doubtful, confidence):
            shown = position_text(stacks) if stacks else ""
            reading = Reading(time, shown, square_names(doubtful), round(confidence, 4))
            if not _equal_except_time(history.reading, reading):
                yield reading
        case said.WentBack(ply):
            if ply < history.ply and (not history.over or _undoes_last_turn(ply, history)):
                yield taken_back(ply, history, time)
        case _ if history.over:
            return
        case said.StartSeen():
            if history.alert or history.prompt:
                yield Resolved(time)
            if not history.ready:
                yield Ready(time, history.position.text)
        case said.StartDiffers(squares):
            names = square_names(squares)
            if history.ready or tuple(names) != history.set_up:
                yield SetUp(time, names)
        case said.OtherBegins(player):
            yield begins(player, history, time)
        case said.TurnSeen(move, confidence):
            yield from turn(move, confidence, history, time)
        case said.TrimAwaited(move, square, removed):
            prompt = Prompt(time, SQUARES[square], removal(removed), str(move))
            if not _equal_except_time(history.prompt, prompt):
                yield prompt
        case said.Wrong(reason, player, squares, text):
            alert = Alert(time, reason, NAMES[player], square_names(squares), text)
            if not _equal_except_time(history.alert, alert):
                yield alert
        case said.PutRight():
            if history.alert or history.prompt or history.unclear:
                yield Resolved(time)
        case said.Undecided(candidates):
            unclear = Unclear(time, [str(move) for move in candidates])
            if not _equal_except_time(history.unclear, unclear):
                yield unclear
        case _:
            raise TypeError(f"no event follows from {verdict!r}")


def _undoes_last_turn(ply: int, history: History) -> bool:
    """Whether a finished game may continue from ``ply``: only its last turn can be undone on the board.

    After the end the board is cleared and set up again, which must not count as taking back.
    """
    ended_by_turn = isinstance(history.entries[-1].what, Move)
    return ended_by_turn and ply == history.ply - 1 and ply > 0


def taken_back(ply: int, history: History, time: float) -> TakenBack:
    """The event that the game returns to the position after ``ply``."""
    return TakenBack(time, ply, history.take(TakenBack(time, ply)).position.text)


def begins(player: str, history: History, time: float) -> Begins:
    """The event that ``player`` (a letter) begins instead of the one named."""
    return Begins(time, NAMES[player], names(history.rules.begun_by(player).order))


def turn(move: Move, confidence: float, history: History, time: float) -> Iterator[Event]:
    """The events of a legal turn: it resolves an alert, and it may end the game."""
    if history.alert:
        yield Resolved(time)
    after = apply(history.position, move, history.rules)
    yield Moved(
        time,
        ply=history.ply + 1,
        player=NAMES[history.position.to_move],
        move=str(move),
        position=after.text,
        reserves=reserves(after),
        captured=captured(after),
        to_move=NAMES[after.to_move] if after.to_move else None,
        confidence=round(min(max(confidence, 0.0), 1.0), 4),
    )
    yield from result(after, time)


def result(position: Position, time: float) -> Iterator[Event]:
    """The event of the result, if the game is over."""
    if position.result is not None:
        yield Result(time, **position.result.to_json())


def square_names(squares: Sequence[int]) -> list[str]:
    """Names of squares, in the order given."""
    return [SQUARES[square] for square in squares]


def removal(removed: Sequence[Removed]) -> list[dict[str, str]]:
    """The pieces that leave a stack, bottom first, in the contract's form."""
    return [{"piece": piece.piece, "to": piece.to, "owner": NAMES[piece.owner]} for piece in removed]


def reserves(position: Position) -> dict[str, int]:
    """Reserve pieces of every player, by colour name."""
    return {NAMES[p]: n for p, n in zip(position.players, position.reserves, strict=True)}


def captured(position: Position) -> dict[str, dict[str, int]]:
    """For every player, the pieces captured of every other colour, by colour name."""
    return {
        NAMES[taker]: {
            NAMES[loser]: count for loser, count in zip(position.players, row, strict=True) if loser != taker
        }
        for taker, row in zip(position.players, position.captured, strict=True)
    }


def _equal_except_time(one: Event | None, other: Event) -> bool:
    """Whether two events have the same public form, apart from their times."""
    return one is not None and one.to_json() | {"time": other.time} == other.to_json()
