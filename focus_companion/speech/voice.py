"""Squares, numbers, colours and players as they are spoken in one language.

A file's letter is spoken as its word in the radio alphabet (alpha, bravo, charlie, …), because the names of
letters are easily misheard: b, c, d, e and g rhyme in English and sound alike in Polish and Italian, and the
English a and h are close to "eight". The alphabet's words were chosen in listening tests so that none is
mistaken for another, even by speakers of other languages. They are spelled so that a voice of the language
pronounces them as radio operators do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from gettext import NullTranslations
from typing import Any, Final

from ..game.colours import LETTER
from ..game.match import is_placeholder

MAX_LISTED_SQUARES: Final = 4
"""Number of squares that are named; further ones are only counted."""

_NAME_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


@dataclass(frozen=True)
class Voice:
    """The words of one language. ``texts``: its catalogue; without translations they are English."""

    texts: NullTranslations

    def files(self) -> dict[str, str]:
        """The words for the letters a to h."""
        _ = self.texts.gettext
        return {
            "a": _("alpha"),
            "b": _("bravo"),
            "c": _("charlie"),
            "d": _("delta"),
            "e": _("echo"),
            "f": _("foxtrot"),
            "g": _("golf"),
            "h": _("hotel"),
        }

    def numbers(self) -> tuple[str, ...]:
        """The words for 1 to 8."""
        _ = self.texts.gettext
        return (
            *(_("one"), _("two"), _("three"), _("four")),
            *(_("five"), _("six"), _("seven"), _("eight")),
        )

    def number(self, n: int) -> str:
        """A number: up to 8 as a word, above in digits, which every voice can read."""
        words = self.numbers()
        return words[n - 1] if 1 <= n <= len(words) else str(n)

    def square(self, name: str) -> str:
        """ "d5" as "delta five"."""
        return f"{self.files()[name[0]]} {self.number(int(name[1]))}"

    def squares(self, names: Iterable[str]) -> str:
        """A list of squares; those after the first :data:`MAX_LISTED_SQUARES` are only counted."""
        listed = list(names)
        said = [self.square(name) for name in listed[:MAX_LISTED_SQUARES]]
        if (rest := len(listed) - MAX_LISTED_SQUARES) > 0:
            said.append(self.texts.gettext("and {n} more").format(n=self.number(rest)))
        return ", ".join(said)

    def colour(self, colour: str) -> str:
        """A colour's name ("red") or letter ("r") as a word."""
        _ = self.texts.gettext
        words = {"r": _("red"), "g": _("green"), "b": _("blue"), "y": _("yellow")}
        return words.get(LETTER.get(colour, colour), colour)

    def player(self, state: Mapping[str, Any], colour: str) -> str:
        """A player in one word: the first word of their name, or their colour.

        It is the colour if the name has no letters, if another player has the same one, or if it is a word
        for a colour, a file or a number.
        """
        first = {who: self._first(player.get("name", "")) for who, player in state.get("players", {}).items()}
        shared = Counter(name.casefold() for name in first.values())
        name = first.get(colour, "")
        taken = {*self.files().values(), *self.numbers(), *(self.colour(letter) for letter in "rgby")}
        if not name or shared[name.casefold()] > 1 or name.casefold() in taken:
            word = self.colour(colour)
            return word[:1].upper() + word[1:]
        return name

    @staticmethod
    def _first(name: str) -> str:
        found = None if is_placeholder(name) else _NAME_WORD.search(name)
        return found[0] if found else ""

    def turn(self, move: str) -> str:
        """A turn without its player: "delta five to delta seven", "places on delta five"."""
        _ = self.texts.gettext
        origin, _dash, target = move.partition("-")
        if not target:
            return _("places on {square}").format(square=self.square(move.lstrip("*")))
        return _("{origin} to {target}").format(origin=self.square(origin), target=self.square(target))

    def pieces(self, colours: Iterable[str]) -> str:
        """Colours (letters) in the order given: "green, red, red"."""
        return ", ".join(self.colour(letter) for letter in colours)
