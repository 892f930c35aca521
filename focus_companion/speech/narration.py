"""Turns an event, with the session's state after it, into the sentence that is spoken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..session import events
from .voice import Voice


@dataclass(frozen=True)
class Utterance:
    """One thing to say."""

    text: str
    urgent: bool = False
    """Whether it interrupts what is being spoken: something is wrong, or the players are asked something."""


def narrate(event: events.Event, state: Mapping[str, Any], voice: Voice) -> Utterance | None:
    """What is said about ``event``, or ``None``. ``state`` has the form of ``/api/state``."""
    if urgent := _urgent(event, state, voice):
        return Utterance(urgent, urgent=True)
    text = _game(event, state, voice) or _table(event, state, voice)
    return Utterance(text) if text else None


def _urgent(event: events.Event, state: Mapping[str, Any], voice: Voice) -> str:
    _ = voice.texts.gettext
    match event:
        case events.Alert():
            who = voice.player(state, event.player)
            title = alert_title(event.reason, voice, placing=bool(state.get("placing")))
            return f"{who}: {title}. {_please_put_right(event.squares, voice)}".strip()
        case events.Prompt():
            return _take(event.square, event.remove, voice)
        case events.Unclear():
            turns = (
                f"{voice.number(n)}: {voice.turn(move)}" for n, move in enumerate(event.candidates, start=1)
            )
            return _("Which turn was it? {turns}.").format(turns="; ".join(turns))
        case events.Reply():
            who, done = voice.player(state, event.player), voice.turn(event.move)
            asked = _("Please do this for {player}: {turn}.").format(player=who, turn=done)
            removal = _take(event.move[-2:], event.remove, voice) if event.remove else ""
            return f"{asked} {removal}".strip()
        case events.SeatFailed():
            return _("There is no turn from {player}. Who takes over?").format(
                player=voice.player(state, event.player)
            )
        case events.SetUp():
            return _("Please check {squares}.").format(squares=voice.squares(event.squares))
        case events.Lost():
            return _lost(event, voice)
    return ""


def _game(event: events.Event, state: Mapping[str, Any], voice: Voice) -> str:
    """What is said about events in the record: the game can be rebuilt from a transcript of this."""
    _ = voice.texts.gettext
    match event:
        case events.GameBegan():
            return beginning(state, voice)
        case events.Moved():
            return _moved(event, state, voice)
        case events.TakenBack():
            return _then_turn(_("Back to turn {n}.").format(n=event.ply), state, voice)
        case events.Begins():
            return _("{player} begins.").format(player=voice.player(state, event.player))
        case events.Corrected():
            return _then_turn(_("The position was corrected."), state, voice)
        case events.Acted(act="draw"):
            return _("All agree to a draw.")
        case events.Acted(act="resign"):
            return _("{player} resigns.").format(player=voice.player(state, event.player))
        case events.Acted(act="leave"):
            return _("{player} leaves the table.").format(player=voice.player(state, event.player))
        case events.Result():
            return result(event.winners, state, voice)
    return ""


def _table(event: events.Event, state: Mapping[str, Any], voice: Voice) -> str:
    """What is said about other events."""
    _ = voice.texts.gettext
    match event:
        case events.Ready():
            return _then_turn(_("The board is set up correctly."), state, voice)
        case events.Resolved():
            return _then_turn(_("Corrected."), state, voice)
        case events.Found():
            return _("I see the board again.")
        case events.TimeUp():
            return time_up(event.player, state, voice)
        case events.Paused():
            return _("The game is paused.") if event.paused else _("The game goes on.")
        case events.Hinted() | events.Assessed():
            return _help(event, voice)
    return ""


def _help(event: events.Hinted | events.Assessed, voice: Voice) -> str:
    """What the computer advises."""
    _ = voice.texts.gettext
    if isinstance(event, events.Hinted):
        if event.move:
            return _("Hint: {move}.").format(move=voice.turn(event.move))
        if not event.square:
            return _("Hint: place a piece from the reserve.")
        return _("Hint: move the stack on {square}, or a part of it.").format(
            square=voice.square(event.square)
        )
    text = {
        "good": _("{square} is good: hardly any turn is better."),
        "fair": _("{square} is not bad, but there is something better."),
    }.get(event.grade, _("Careful with {square}: there is something much better."))
    return text.format(square=voice.square(event.square))


def opening(state: Mapping[str, Any], voice: Voice) -> str:
    """What is said first when somebody begins to listen: who plays, or that the game goes on."""
    if not state.get("ply"):
        return beginning(state, voice)
    return _then_turn(voice.texts.gettext("The game goes on."), state, voice)


def beginning(state: Mapping[str, Any], voice: Voice) -> str:
    """ "New game. Ann is green, Bob is red. Ann begins." In turn order, with unusual rules."""
    _ = voice.texts.gettext
    seated = []
    for colour in state["order"]:
        who, word = voice.player(state, colour), voice.colour(colour)
        seated.append(
            word if who.casefold() == word else _("{player} is {colour}").format(player=who, colour=word)
        )
    rules = state["rules"]
    set_ups = {
        "checkerboard": _("checkerboard set-up"),
        "drop": _("empty board, placed in turn"),
        "position": _("from a given position"),
    }
    said = [
        _("partners") if rules.get("partners") else "",
        _("fast game") if rules.get("fast") else "",
        set_ups.get(rules.get("set_up", ""), ""),
        "" if rules.get("thirteenth_piece", True) else _("twelve pieces each"),
    ]
    first = _("{player} begins.").format(player=voice.player(state, state["order"][0]))
    parts = [_("New game"), ", ".join(seated), *filter(None, said)]
    return f"{'. '.join(parts)}. {first}"


def _moved(event: events.Moved, state: Mapping[str, Any], voice: Voice) -> str:
    """ "Ann, delta five to delta six, takes two, keeps one, now Cy": at most twelve words.

    Who is to move is said only if it is not the next player in turn order, and who falls out, "Bob out".
    """
    _ = voice.texts.gettext
    parts = [voice.player(state, event.player), voice.turn(event.move)]
    # The state may be later than the event: two turns that were seen at once are announced one by one.
    turn: Mapping[str, Any] = next(
        (turn for turn in state.get("moves", ()) if turn.get("ply") == event.ply), {}
    )
    if taken := len(turn.get("captured", "")):
        parts.append(_("takes {n}").format(n=voice.number(taken)))
    if kept := len(turn.get("reserve", "")):
        parts.append(_("keeps {n}").format(n=voice.number(kept)))
    parts += [_("{player} out").format(player=voice.player(state, who)) for who in turn.get("out", ())]
    if event.to_move is not None and event.to_move != _regular_next(event.player, state):
        parts.append(_("now {player}").format(player=voice.player(state, event.to_move)))
    return ", ".join(parts) + "."


def _regular_next(player: str, state: Mapping[str, Any]) -> str:
    """Who is next in turn order among those who are not out, if nobody has to pass."""
    order = [colour for colour in state["order"] if colour == player or colour not in state["out"]]
    return str(order[(order.index(player) + 1) % len(order)])


def _then_turn(said: str, state: Mapping[str, Any], voice: Voice) -> str:
    """``said``, followed by whose turn it is now."""
    if not state.get("to_move"):
        return said
    mover = voice.player(state, state["to_move"])
    return f"{said} " + voice.texts.gettext("{player} to move.").format(player=mover)


def _take(square: str, remove: Any, voice: Voice) -> str:
    """ "Take two from the bottom of delta six: green, red." """
    text = voice.texts.gettext("Take {n} from the bottom of {square}: {pieces}.")
    pieces = voice.pieces(item["piece"] for item in remove)
    return text.format(n=voice.number(len(remove)), square=voice.square(square), pieces=pieces)


def _please_put_right(squares: Any, voice: Voice) -> str:
    if not squares:
        return ""
    return voice.texts.gettext("Please correct: {squares}.").format(squares=voice.squares(squares))


def time_up(player: str, state: Mapping[str, Any], voice: Voice) -> str:
    """ "Ann: the time is up." """
    return voice.texts.gettext("{player}: the time is up.").format(player=voice.player(state, player))


def _lost(event: events.Lost, voice: Voice) -> str:
    _ = voice.texts.gettext
    why = {
        "dark": _("It is too dark to see the board."),
        "covered": _("Something covers the camera."),
        "phone": _("The phone sends no picture."),
    }
    if event.what == "board":
        return _("I do not see the board.")
    return why.get(event.why) or _("The camera gives no picture.")


def result(winners: Any, state: Mapping[str, Any], voice: Voice) -> str:
    """Who has won; "A draw." if nobody has."""
    texts = voice.texts
    if not winners:
        return texts.gettext("A draw.")
    names = " {} ".format(texts.gettext("and")).join(voice.player(state, colour) for colour in winners)
    return texts.ngettext("{players} wins.", "{players} win.", len(winners)).format(players=names)


def alert_title(reason: str, voice: Voice, *, placing: bool = False) -> str:
    """What an alert is about, in the page's own words. ``placing``: the set-up's pieces are being placed."""
    _ = voice.texts.gettext
    if placing and reason == "thirteenth_piece":
        return _("All pieces are placed first")
    if placing and reason == "reserve_square":
        return _("A piece may not be placed there")
    titles = {
        "not_straight": _("Not in a straight line"),
        "distance": _("Wrong number of squares"),
        "out_of_turn": _("Not this player’s turn"),
        "not_your_stack": _("Not this player’s stack"),
        "two_moves": _("Two moves in one turn"),
        "no_reserve": _("No piece in reserve"),
        "reserve_square": _("A reserve piece may not go there"),
        "thirteenth_piece": _("The thirteenth piece comes first"),
        "too_high": _("A stack is too high"),
        "wrong_removal": _("The wrong pieces were taken out"),
        "reordered": _("A stack is in a different order"),
        "not_the_reply": _("Not the turn that was asked for"),
        "unexplained": _("The board is not as it should be"),
    }
    return titles.get(reason) or _("Something is not right")
