"""The captions of a film: few words, large, in the viewer's language."""

from __future__ import annotations

from gettext import NullTranslations
from typing import Final

from focus_companion.formats.errors import one_line
from focus_companion.formats.walk import PlayedEntry
from focus_companion.game.colours import NAMES
from focus_companion.game.position import Position
from focus_companion.game.record import Declaration, GameRecord

_MAX_NAME_LENGTH: Final = 24


class FilmCaptions:
    """The lines under each position of one game; the same number everywhere, so that all pictures have one
    size. ``texts`` holds the words of a language; the default is English.
    """

    def __init__(self, record: GameRecord, texts: NullTranslations | None = None) -> None:
        self._record = record
        self._texts = texts or NullTranslations()

    def at(self, position: Position, step: PlayedEntry | None, *, end: bool) -> tuple[str, ...]:
        """The turn made (``step``; None at the start), whose turn it is or how it ended, what each holds.

        ``end``: it is the last picture.
        """
        return self._done(step), self._taken(step), self._next(position, end=end), *self._held(position)

    def _name(self, letter: str) -> str:
        colour = {
            "red": self._texts.gettext("Red"),
            "green": self._texts.gettext("Green"),
            "blue": self._texts.gettext("Blue"),
            "yellow": self._texts.gettext("Yellow"),
        }[NAMES[letter]]
        name = self._record.players.get(letter)
        return f"{one_line(name, _MAX_NAME_LENGTH)} ({colour})" if name else colour

    def _done(self, step: PlayedEntry | None) -> str:
        say = self._texts.gettext
        if step is None:
            return one_line(self._record.date, 20) or say("The game begins.")
        what = step.entry.what
        if not isinstance(what, Declaration):
            return f"{step.ply}. {self._name(step.before.to_move)}: {what}"
        if what.kind == "draw":
            return say("The players agree to a draw")
        said = say("{player} resigns") if what.kind == "resign" else say("{player} leaves")
        return said.replace("{player}", self._name(what.player))

    def _taken(self, step: PlayedEntry | None) -> str:
        if step is None:
            return ""
        parts = (
            (step.captured, self._texts.gettext("Captured")),
            (step.reserved, self._texts.gettext("Reserve")),
        )
        return " · ".join(f"{word}: {' '.join(letters.upper())}" for letters, word in parts if letters)

    def _next(self, position: Position, *, end: bool) -> str:
        result = position.result or (self._record.result if end else None)
        if result is None:
            said = self._texts.gettext("{player} to move")
            return said.replace("{player}", self._name(position.to_move)) if position.to_move else ""
        if not result.winners:
            return self._texts.gettext("A draw")
        said = self._texts.ngettext("{players} wins", "{players} win", len(result.winners))
        return said.replace("{players}", " + ".join(self._name(winner) for winner in result.winners))

    def _held(self, position: Position) -> list[str]:
        words = self._texts.gettext("Reserve"), self._texts.gettext("Captured")
        captured = [sum(row) for row in position.captured]
        return [
            f"{self._name(player)} · {words[0]}: {reserve} · {words[1]}: {count}"
            for player, reserve, count in zip(position.players, position.reserves, captured, strict=True)
        ]
