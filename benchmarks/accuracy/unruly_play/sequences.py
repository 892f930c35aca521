"""Reads sequences of acts at the table from text files: what is done, and what is true of the game then.

A file holds sequences, each a heading and one line per step; ``#`` begins a comment. A name from
``starts.toml`` in brackets after the title says where the game begins::

    == A diagonal move, put right by another turn [pairs2]
    illegal not_straight d5>e6
    turn d5-d6 2s

A step is a verb, its arguments, optionally for how long it stands (``2s``), and options after ``|``:

- ``turn MOVE…``: these turns are made, and their stacks trimmed, before anything is at rest.
- ``high MOVE…``: the same, except that the last turn's stack is not trimmed yet. ``trim``: it is now.
- ``hold CHANGE…``: the board changes, but nobody has acted yet: pieces are in somebody's hand, for example.
- ``illegal REASON,… CHANGE…``: an illegal act, to be alerted for one of these reasons (``any``: for any).
- ``still CHANGE…``: the board goes on changing while an illegal act is not put right; any alert is right, and
  a question too.
- ``restore``: the board again shows the last legal position. ``wait``: nothing changes.
- ``back N MOVE…``: the last N turns are taken back, and then these turns are made. ``back 0``: a turn whose
  stack awaits its trimming is taken back.

A CHANGE is ``d5=rg`` (this stack stands there now; ``d5=``: none), ``d5+r`` (pieces are put on top), ``d5-2``
(that many are taken off), ``d5>d7`` (the stack is carried there) or ``d5>d7*2`` (its top two pieces are).

Options: ``hand SQUARE`` (an arm stays over the board), ``ask`` (a question is right too), ``maybe REASON,…``
(such an alert is right too, but not due), ``or N MOVE…`` (it is also right to record a game without the last
N turns and with these; if they lead to the same position, also in later steps).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from focus_companion.game.rules import Rules
from focus_companion.game.squares import INDEX, SQUARES

FOLDER: Final = Path(__file__).parent

SECONDS: Final = {
    "turn": 1.6,
    "high": 1.6,
    "trim": 1.6,
    "hold": 0.8,
    "illegal": 3.0,
    "still": 2.5,
    "restore": 1.6,
    "wait": 2.0,
    "back": 2.5,
}
"""For each verb, the seconds for which the board stands unless the step says otherwise."""

ANY_REASON: Final = frozenset(
    (
        "not_straight",
        "distance",
        "out_of_turn",
        "not_your_stack",
        "two_moves",
        "no_reserve",
        "reserve_square",
        "thirteenth_piece",
        "too_high",
        "wrong_removal",
        "reordered",
        "unexplained",
    )
)
"""The reasons for which an act may be alerted."""

_CHANGE: Final = re.compile(
    r"(?P<square>[a-h][1-8])"
    r"(?:=(?P<stack>[rgby]*)|\+(?P<added>[rgby]+)|-(?P<taken>\d)|>(?P<target>[a-h][1-8])(?:\*(?P<count>\d))?)"
)
_HEADING: Final = re.compile(r"== (?P<name>.+) \[(?P<start>\w+)\]")
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)s")


class SequenceError(ValueError):
    """A sequence is badly written or contradicts the rules; says where and why."""


@dataclass(frozen=True, slots=True)
class BoardChange:
    """A change of the board by hand. ``target`` None: what was on the square is replaced by ``stack``;
    otherwise the top ``count`` pieces (0: all) are carried to the target.
    """

    square: int
    stack: str = ""
    added: str = ""
    taken: int = 0
    target: int | None = None
    count: int = 0

    @classmethod
    def parse(cls, text: str) -> BoardChange:
        found = _CHANGE.fullmatch(text)
        if found is None or not {found["square"], found["target"] or "d4"} <= INDEX.keys():
            raise SequenceError(f"{text!r} is not a change of the board")
        square = INDEX[found["square"]]
        if found["target"]:
            return cls(square, target=INDEX[found["target"]], count=int(found["count"] or 0))
        if found["stack"] is None:
            return cls(square, added=found["added"] or "", taken=int(found["taken"] or 0))
        return cls(square, stack=found["stack"] or "-")

    def done(self, stacks: tuple[str, ...]) -> tuple[str, ...]:
        """The stacks after the change."""
        after = list(stacks)
        before = stacks[self.square]
        count = self.count or len(before)
        if max(count if self.target is not None else 0, self.taken) > len(before) or (
            not before and self.target is not None
        ):
            raise SequenceError(f"{SQUARES[self.square]} has only {len(before)} pieces")
        if self.target is not None:
            after[self.square] = before[:-count]
            after[self.target] += before[-count:]
        elif self.stack:
            after[self.square] = self.stack.replace("-", "")
        else:
            after[self.square] = before[: len(before) - self.taken] + self.added
        return tuple(after)


@dataclass(frozen=True, slots=True)
class Step:
    """One step as it is written. ``number`` is the number in ``back``."""

    line: int
    verb: str
    turns: tuple[str, ...] = ()
    changes: tuple[BoardChange, ...] = ()
    reasons: frozenset[str] = frozenset()
    tolerated: frozenset[str] = frozenset()
    number: int = 0
    seconds: float = 0.0
    hand: str = ""
    ask: bool = False
    others: tuple[tuple[int, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class PlaySequence:
    """What is done at one table, from the start of a game; ``place`` is its file and line."""

    name: str
    place: str
    rules: Rules
    steps: tuple[Step, ...]


def starts() -> dict[str, Rules]:
    """The starts by name."""
    with (FOLDER / "starts.toml").open("rb") as file:
        return {name: Rules.from_json(data) for name, data in tomllib.load(file).items()}


def sequences() -> list[PlaySequence]:
    """All sequences, by file. Raises SequenceError."""
    named = starts()
    return [
        found
        for path in sorted(FOLDER.glob("*.txt"))
        for found in parsed(path.name, path.read_text(encoding="utf-8"), named)
    ]


def parsed(file: str, text: str, named: dict[str, Rules]) -> Iterator[PlaySequence]:
    """The sequences in the text of a file. Raises SequenceError."""
    name, place, rules = "", "", Rules.make(2)
    steps: list[Step] = []
    for number, whole in enumerate(text.splitlines(), 1):
        line = whole.partition("#")[0].strip()
        heading = _HEADING.fullmatch(line)
        try:
            if heading is None and line:
                steps.append(_step(number, line))
            if heading is None:
                continue
            if heading["start"] not in named:
                raise SequenceError(f"there is no start {heading['start']!r}")
        except (SequenceError, ValueError) as error:
            raise SequenceError(f"{file}, line {number}: {error}") from error
        if name:
            yield PlaySequence(name, place, rules, tuple(steps))
        name, place, rules = heading["name"], f"{file}:{number}", named[heading["start"]]
        steps = []
    yield PlaySequence(name, place, rules, tuple(steps))


def _step(number: int, line: str) -> Step:
    said, *options = (part.strip() for part in line.split("|"))
    verb, *words = said.split()
    if verb not in SECONDS:
        raise SequenceError(f"{verb!r} is not a verb")
    seconds = SECONDS[verb]
    if words and (duration := _DURATION.fullmatch(words[-1])):
        seconds = float(duration[1])
        words.pop()
    turns: list[str] = []
    changes: list[BoardChange] = []
    reasons: frozenset[str] = frozenset()
    count = 0
    if verb in ("illegal", "back") and not words:
        raise SequenceError(f"{verb!r} needs an argument")
    if verb == "illegal":
        reasons = _reasons(words.pop(0))
    elif verb == "back":
        count = int(words.pop(0))
    if verb in ("turn", "high", "back"):
        turns = words
    else:
        changes = [BoardChange.parse(word) for word in words]
    given: dict[str, list[list[str]]] = {}
    for option in options:
        name, *rest = option.split()
        if name not in ("hand", "ask", "maybe", "or"):
            raise SequenceError(f"{name!r} is not an option")
        given.setdefault(name, []).append(rest)
    return Step(
        line=number,
        verb=verb,
        turns=tuple(turns),
        changes=tuple(changes),
        reasons=reasons,
        tolerated=frozenset[str]().union(*(_reasons(rest[0]) for rest in given.get("maybe", []))),
        number=count,
        seconds=seconds,
        hand=_square(given["hand"][0]) if "hand" in given else "",
        ask="ask" in given,
        others=tuple((int(rest[0]), tuple(rest[1:])) for rest in given.get("or", [])),
    )


def _reasons(text: str) -> frozenset[str]:
    named = ANY_REASON if text == "any" else frozenset(text.split(","))
    if unknown := named - ANY_REASON:
        raise SequenceError(f"{min(unknown)!r} is not a reason for an alert")
    return named


def _square(words: Iterable[str]) -> str:
    square = "".join(words)
    if square not in INDEX:
        raise SequenceError(f"{square!r} is not a square")
    return square
