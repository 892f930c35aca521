"""An event as a line for people at a terminal."""

from __future__ import annotations

from focus_companion.commands.shared.picture_sentences import sentence, why_text
from focus_companion.session import events


def event_line(event: events.Event, *, page: bool = False) -> str:
    """The line; "" if the event needs none. ``page``: whether questions can be answered on a page.

    Its prefix is "!" for what is wrong and "?" for what the players are asked to do.
    """
    match event:
        case events.Moved():
            return f"{event.ply:4}. {event.player:6} {event.move}"
        case events.Alert():
            return f"   !  {event.text}"
        case events.Prompt():
            return f"   ?  {event.square}: take {len(event.remove)} from the bottom"
        case events.Reply():
            less = f", then take {len(event.remove)} from the bottom" if event.remove else ""
            return f"   ?  For {event.player}: {event.move}{less}"
        case events.Unclear():
            answer = "; choose on the page" if page else ""
            return f"   ?  Unclear: {' or '.join(event.candidates)}{answer}"
    text = _text(event)
    return f"      {text}" if text else ""


def _text(event: events.Event) -> str:
    """Lines without a prefix."""
    match event:
        case events.Ready():
            return "The board is found and set up correctly"
        case events.SetUp():
            return f"The board differs from the position on {', '.join(event.squares)}"
        case events.Reading():
            return _reading(event)
        case events.Resolved():
            return "Corrected"
        case events.Begins():
            return f"{event.player.capitalize()} begins"
        case events.TakenBack():
            return f"Taken back to turn {event.ply}"
        case events.Placed():
            return f"The board is {'placed by hand' if event.corners else 'looked for again'}"
        case events.Lost():
            if text := why_text(event.why):
                return sentence(text)
            return f"{event.what.capitalize()} lost{f' ({event.why})' if event.why else ''}"
        case events.Found():
            return f"{event.what.capitalize()} found"
        case events.Result():
            return f"{' and '.join(event.winners).capitalize() or 'Nobody'} won ({event.reason})"
        case events.TimeUp():
            return f"The time of {event.player} is up"
        case events.Seated():
            return f"{event.player.capitalize()} is played by: {event.kind}"
        case events.GameBegan():
            return f"Game {event.game}"
    return ""


def _reading(event: events.Reading) -> str:
    if not event.position:
        return "No board is found to be read"
    doubtful = f"; look at {', '.join(event.doubtful)}" if event.doubtful else ""
    return f"Read: {event.position}{doubtful}"
