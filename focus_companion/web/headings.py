"""The heading of a past game: its title or the players' names, and the date."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from babel.dates import format_datetime
from flask_babel import get_locale, gettext

from ..game.colours import NAMES
from ..game.match import MatchPlace, is_placeholder
from ..storage.journal import GameSummary


@dataclass(frozen=True)
class Heading:
    """``title``: given by people, else the names; ``began``: ISO 8601; ``when``: the same for people, in the
    host's time zone; ``place``: which game of a match it is.
    """

    number: int
    title: str
    names: str
    began: str
    when: str
    place: MatchPlace | None


def heading(game: GameSummary, place: MatchPlace | None) -> Heading:
    """The heading of a past game in the viewer's language."""
    by_colour = {NAMES[letter]: _shown(name) for letter, name in game.players.items()}
    names = " – ".join(by_colour.get(colour) or gettext(colour.capitalize()) for colour in game.order)
    when = format_datetime(
        datetime.fromisoformat(game.began).astimezone(), "d MMM y, HH:mm", locale=get_locale() or "en"
    )
    return Heading(game.id, game.title or names, names, game.began, when, place)


def _shown(name: str) -> str:
    """As ``shownName`` of ``words.js``."""
    if not is_placeholder(name):
        return name
    number, _, again = name.removeprefix("Player ").partition(" ")
    return f"{gettext('Player {n}').format(n=number)} {again}".strip()
