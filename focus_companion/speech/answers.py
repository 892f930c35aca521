"""Answers to questions of people who do not look at the board or a screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..game.squares import INDEX
from .narration import alert_title, result, time_up
from .voice import Voice

QUESTIONS: Final = ("turn", "standing", "time", "square")
"""What can be asked: whose turn it is, how the game stands, the clocks, what stands on a square."""


class NoSuchQuestion(ValueError):
    """There is no answer to this; the text says what can be asked."""


def answer(about: str, state: Mapping[str, Any], voice: Voice, square: str = "") -> str:
    """The answer to a question (one of :data:`QUESTIONS`) from the session's state.

    Raises:
        NoSuchQuestion: ``about`` is none of them, or ``square`` is no square of the board.
    """
    match about:
        case "turn":
            return _turn(state, voice)
        case "standing":
            return _standing(state, voice)
        case "time":
            return _time(state, voice)
        case "square" if square in INDEX:
            return _square(square, state, voice)
        case "square":
            raise NoSuchQuestion(f"there is no square {square[:20]!r}; squares are named like d5")
    raise NoSuchQuestion(f"ask about one of {', '.join(QUESTIONS)}")


def _turn(state: Mapping[str, Any], voice: Voice) -> str:
    _ = voice.texts.gettext
    if state.get("result"):
        return result(state["result"]["winners"], state, voice)
    if state.get("paused"):
        return _("The game is paused.")
    said = []
    if alert := state.get("alert"):
        said.append(f"{alert_title(alert['reason'], voice, placing=bool(state.get('placing')))}.")
    if mover := state.get("to_move"):
        said.append(_("{player} to move.").format(player=voice.player(state, mover)))
        if mover in (state.get("thirteenth") or ()):
            said.append(_("The thirteenth piece comes first") + ".")
    return " ".join(said) or _("No game has begun.")


def _standing(state: Mapping[str, Any], voice: Voice) -> str:
    """The number of turns played, and every player's captures and reserve."""
    _ = voice.texts.gettext
    if not state.get("order"):
        return _("No game has begun.")
    said = [_("Turn {n}.").format(n=state["ply"])]
    for colour in state["order"]:
        taken = sum(state["captured"].get(colour, {}).values())
        text = _("{player}: {taken} captured, {held} in reserve.")
        values = {"taken": voice.number(taken), "held": voice.number(state["reserves"].get(colour, 0))}
        said.append(text.format(player=voice.player(state, colour), **values))
    return " ".join([*said, _turn(state, voice)])


def _time(state: Mapping[str, Any], voice: Voice) -> str:
    """What every player's clock shows: the time used, or the time left if it runs down."""
    _ = voice.texts.gettext
    clock = state.get("clock")
    if not clock:
        return _("There is no clock.")
    said = []
    for colour in state["order"]:
        used = clock["used"].get(colour, 0.0)
        left = used if clock["kind"] == "up" else clock["seconds"] - used
        who = voice.player(state, colour)
        if left < 0:
            said.append(time_up(colour, state, voice))
            continue
        minutes, seconds = divmod(round(left), 60)
        said.append(f"{who}: {_minutes(minutes, voice)} {_seconds(seconds, voice)}.")
    return " ".join(said)


def _minutes(n: int, voice: Voice) -> str:
    return voice.texts.ngettext("{n} minute", "{n} minutes", n).format(n=n)


def _seconds(n: int, voice: Voice) -> str:
    return voice.texts.ngettext("{n} second", "{n} seconds", n).format(n=n)


def _square(square: str, state: Mapping[str, Any], voice: Voice) -> str:
    """ "Delta five, from the top: green, red, red." """
    _ = voice.texts.gettext
    stacks = state["position"].replace("/", ",").split(",")
    stack = stacks[INDEX[square]].strip("-")
    name = voice.square(square)
    name = name[:1].upper() + name[1:]
    if not stack:
        return _("{square} is empty.").format(square=name)
    if len(stack) == 1:
        return f"{name}: {voice.colour(stack)}."
    return _("{square}, from the top: {pieces}.").format(square=name, pieces=voice.pieces(reversed(stack)))
