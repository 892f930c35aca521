"""Reconstructs a game from its spoken sentences, as a listener would, using nothing of ``speech/``.

The words are repeated here, so that a changed or mistranslated word is noticed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True)
class Language:
    """The words and sentences of a language; the patterns name their parts."""

    files: str
    numbers: str
    colours: str
    """The names in the order of the letters r, g, b, y."""
    new_game: str
    seat: str
    turn: str
    placed: str
    back: str
    begins: str
    resigns: str
    leaves: str
    draw: str
    wins: str
    both: str
    extras: str
    """A pattern of what may follow a turn."""
    rules: dict[str, str]


LANGUAGES: Final = {
    "en": Language(
        files="alpha bravo charlie delta echo foxtrot golf hotel",
        numbers="one two three four five six seven eight",
        colours="red green blue yellow",
        new_game="New game",
        seat=r"(?P<who>.+) is (?P<colour>\w+)",
        turn=r"(?P<who>[^,]+), (?P<origin>\w+ \w+) to (?P<target>\w+ \w+)",
        placed=r"(?P<who>[^,]+), places on (?P<square>\w+ \w+)",
        back=r"Back to turn (?P<n>\d+)\.(?: .*)?",
        begins=r"(?P<who>[^ ]+) begins\.",
        resigns=r"(?P<who>[^ ]+) resigns\.",
        leaves=r"(?P<who>[^ ]+) leaves the table\.",
        draw=r"All agree to a draw\.",
        wins=r"(?P<who>.+) wins?\.|A draw\.",
        both=" and ",
        extras=(
            r"(?:, takes (?P<taken>\w+))?(?:, keeps (?P<kept>\w+))?"
            r"(?:, (?P<out>[^ ]+) out)*(?:, now (?P<next>[^ ]+))?\."
        ),
        rules={"partners": "partners", "fast game": "fast"},
    ),
    "pl": Language(
        files="alfa brawo czarli delta eko fokstrot golf hotel",
        numbers="jeden dwa trzy cztery pięć sześć siedem osiem",
        colours="czerwony zielony niebieski żółty",
        new_game="Nowa partia",
        seat=r"(?P<who>.+) to (?P<colour>\w+)",
        turn=r"(?P<who>[^,]+), (?P<origin>\w+ \w+) na (?P<target>\w+ \w+)",
        placed=r"(?P<who>[^,]+), stawia na (?P<square>\w+ \w+)",
        back=r"Cofamy do ruchu (?P<n>\d+)\.(?: .*)?",
        begins=r"Zaczyna (?P<who>[^ ]+)\.",
        resigns=r"(?P<who>[^ ]+) się poddaje\.",
        leaves=r"(?P<who>[^ ]+) odchodzi od stołu\.",
        draw=r"Wszyscy zgadzają się na remis\.",
        wins=r"Wygrywa(?:ją)? (?P<who>.+)\.|Remis\.",
        both=" i ",
        extras=(
            r"(?:, bije (?P<taken>\w+))?(?:, zachowuje (?P<kept>\w+))?"
            r"(?:, odpada (?P<out>[^ ,]+))*(?:, teraz (?P<next>[^ ]+))?\."
        ),
        rules={"partnerzy": "partners", "szybka partia": "fast"},
    ),
    "it": Language(
        files="alfa bravo ciarli delta eco foxtrot golf hotel",
        numbers="uno due tre quattro cinque sei sette otto",
        colours="rosso verde blu giallo",
        new_game="Nuova partita",
        seat=r"(?P<who>.+) è il (?P<colour>\w+)",
        turn=r"(?P<who>[^,]+), (?P<origin>\w+ \w+) a (?P<target>\w+ \w+)",
        placed=r"(?P<who>[^,]+), mette su (?P<square>\w+ \w+)",
        back=r"Si torna alla mossa (?P<n>\d+)\.(?: .*)?",
        begins=r"Comincia (?P<who>[^ ]+)\.",
        resigns=r"(?P<who>[^ ]+) si arrende\.",
        leaves=r"(?P<who>[^ ]+) lascia il tavolo\.",
        draw=r"Tutti accettano la patta\.",
        wins=r"Vin(?:ce|cono) (?P<who>.+)\.|Patta\.",
        both=" e ",
        extras=(
            r"(?:, prende (?P<taken>\w+))?(?:, tiene (?P<kept>\w+))?"
            r"(?:, fuori (?P<out>[^ ,]+))*(?:, ora (?P<next>[^ ]+))?\."
        ),
        rules={"a coppie": "partners", "partita veloce": "fast"},
    ),
}


@dataclass
class Heard:
    """A game as a listener knows it, with letters for colours."""

    order: str = ""
    flags: frozenset[str] = frozenset()
    moves: list[tuple[str, str]] = field(default_factory=list)
    """Player and move."""
    taken: list[tuple[int, int]] = field(default_factory=list)
    """Pieces captured and put into the reserve, by turn."""
    acts: list[tuple[str, str, int]] = field(default_factory=list)
    """Kind, player, and number of turns before it."""
    winners: str | None = None


class Listener:
    """Understands one language."""

    def __init__(self, language: str) -> None:
        self.words = LANGUAGES[language]
        self.files = dict(zip(self.words.files.split(), "abcdefgh", strict=True))
        self.numbers = {word: n for n, word in enumerate(self.words.numbers.split(), start=1)}
        self.colours = dict(zip(self.words.colours.split(), "rgby", strict=True))
        self.names: dict[str, str] = {}

    def square(self, words: str) -> str:
        file, number = words.split()
        return f"{self.files[file]}{self.numbers[number]}"

    def who(self, name: str) -> str:
        return self.names.get(name) or self.colours[name.lower()]

    def count(self, word: str | None) -> int:
        return self.numbers[word] if word else 0

    def rebuild(self, transcript: list[str]) -> Heard:
        """The game that the sentences describe. Alerts and questions are skipped."""
        heard = Heard()
        for line in transcript:
            self.take(line, heard)
        return heard

    def take(self, line: str, heard: Heard) -> None:
        w = self.words
        if line.startswith(f"{w.new_game}. "):
            self.begin(line, heard)
        elif found := re.fullmatch(w.turn + w.extras, line):
            move = f"{self.square(found['origin'])}-{self.square(found['target'])}"
            self.moved(move, found, heard)
        elif found := re.fullmatch(w.placed + w.extras, line):
            self.moved(f"*{self.square(found['square'])}", found, heard)
        elif found := re.fullmatch(w.back, line):
            del heard.moves[int(found["n"]) :]
            del heard.taken[int(found["n"]) :]
            heard.acts = [act for act in heard.acts if act[2] <= len(heard.moves)]
            heard.winners = None
        elif found := re.fullmatch(w.begins, line):
            first = heard.order.index(self.who(found["who"]))
            heard.order = heard.order[first:] + heard.order[:first]
        elif found := re.fullmatch(w.resigns, line):
            heard.acts.append(("resign", self.who(found["who"]), len(heard.moves)))
        elif found := re.fullmatch(w.leaves, line):
            heard.acts.append(("leave", self.who(found["who"]), len(heard.moves)))
        elif re.fullmatch(w.draw, line):
            heard.acts.append(("draw", "", len(heard.moves)))
        elif found := re.fullmatch(w.wins, line):
            names = found["who"].split(w.both) if found["who"] else []
            heard.winners = "".join(self.who(name) for name in names)

    def moved(self, move: str, found: re.Match[str], heard: Heard) -> None:
        heard.moves.append((self.who(found["who"]), move))
        heard.taken.append((self.count(found["taken"]), self.count(found["kept"])))

    def begin(self, line: str, heard: Heard) -> None:
        _, seats, *rest = line.rstrip(".").split(". ")
        self.names = {}
        for seat in seats.split(", "):
            found = re.fullmatch(self.words.seat, seat)
            letter = self.colours[found["colour"] if found else seat]
            if found:
                self.names[found["who"]] = letter
            heard.order += letter
        heard.flags = frozenset(self.words.rules[said] for said in rest if said in self.words.rules)
        first = re.fullmatch(self.words.begins, f"{rest[-1]}.")
        assert first and self.who(first["who"]) == heard.order[0]
