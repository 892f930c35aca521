"""Computes the state of a game from its events: the only code that does, for both session and journal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from ..game.colours import LETTER, NAMES, names
from ..game.declarations import DECLARATION_KINDS, Declaration, DeclarationKind
from ..game.match import MatchPlace
from ..game.moves import Move
from ..game.play import act, apply
from ..game.position import Position
from ..game.record import Entry, GameRecord, positions
from ..game.rules import Rules, RulesError
from ..game.setups import start_position
from ..referee.asked import Asked
from .clock import Clock, TimeControl
from .events import (
    Acted,
    Alert,
    Assessed,
    Begins,
    Corrected,
    Event,
    Found,
    GameBegan,
    Hinted,
    Lost,
    Moved,
    Paused,
    Placed,
    Prompt,
    Reading,
    Ready,
    Reply,
    Resolved,
    Result,
    Ruled,
    Seated,
    SeatFailed,
    SetUp,
    TakenBack,
    TimeUp,
    Unclear,
)
from .seat_kinds import PACES, SeatError, parse_kind


class HistoryError(ValueError):
    """An event contradicts the game before it."""


@dataclass(frozen=True)
class History:
    """The state of one game after some events; immutable. ``take`` returns the state after another event.

    ``positions`` holds one position per ply, ply 0 first; an act (resigning, …) is not a ply and replaces the
    last position. ``players`` maps letters to names. ``time`` is the time of the last event, ``began`` that
    of the first. ``ready``, ``set_up`` and ``lost`` give the last known state of the board; ``lost`` maps
    what is out of view to the reason. ``agreed``: the rules at the beginning, before any correction.
    ``clock``: ``None`` in a game without clocks; it starts when the board is first ready. ``corners``: the
    board's corners as marked by hand, ``None`` if they were found automatically. ``match``: which game of a
    match it is, ``None`` if it is a single game. ``demo``: it is played on the simulated board.
    ``start_from``: "camera" until the players have accepted a position read by the camera as their start;
    ``reading``: the newest such position, unless the players accepted it or played on. ``played_by``: the
    kind of seat by letter, for players whose turns the people at the table make; ``reply``: the turn to be
    made for one of them now; ``seat_failed``: why there is none. ``hint`` and ``assessment``: the last ones
    for the current turn, no assessment from before the hint.
    """

    rules: Rules
    players: Mapping[str, str]
    positions: tuple[Position, ...]
    game: int = 0
    date: str = ""
    entries: tuple[Entry, ...] = ()
    incidents: tuple[Mapping[str, Any], ...] = ()
    began: float = 0.0
    time: float = 0.0
    begun: bool = False
    alert: Alert | None = None
    prompt: Prompt | None = None
    unclear: Unclear | None = None
    set_up: tuple[str, ...] = ()
    ready: bool = False
    lost: Mapping[str, str] = field(default_factory=dict)
    paused: bool = False
    agreed: Rules | None = None
    seats: Mapping[str, str] = field(default_factory=dict)
    clock: Clock | None = None
    started: bool = False
    corners: Mapping[str, Sequence[float]] | None = None
    match: MatchPlace | None = None
    demo: bool = False
    played_by: Mapping[str, str] = field(default_factory=dict)
    pace: float = PACES[0]
    reply: Reply | None = None
    seat_failed: SeatFailed | None = None
    start_from: str = ""
    reading: Reading | None = None
    hint: Hinted | None = None
    assessment: Assessed | None = None

    @classmethod
    def begin(cls, rules: Rules, players: Mapping[str, str], *, game: int = 0, date: str = "") -> History:
        """The game before its first event."""
        return cls(
            rules=rules,
            players=dict(players),
            positions=(start_position(rules),),
            game=game,
            date=date,
            agreed=rules,
        )

    @classmethod
    def of(cls, record: GameRecord) -> History:
        """The game in a record. Raises IllegalMove, naming the ply, at the first illegal turn."""
        return cls(
            rules=record.rules,
            players=dict(record.players),
            positions=tuple(positions(record)),
            date=record.date,
            entries=record.entries,
            incidents=record.incidents,
            agreed=record.rules,
        )

    @property
    def position(self) -> Position:
        """The position that the board should show."""
        return self.positions[-1]

    @property
    def ply(self) -> int:
        return len(self.positions) - 1

    @property
    def over(self) -> bool:
        return self.position.result is not None

    @property
    def point(self) -> tuple[int, int]:
        """The game and the number of its turns and acts so far."""
        return self.game, len(self.entries)

    @property
    def shown(self) -> dict[str, float | None]:
        """Identifies what players are asked at this point of the game: the times of the ``alert``, of the
        ``reading`` and of the event ``seat_failed``, ``None`` if there is none; and ``arranged``.
        """
        asked = {"alert": self.alert, "reading": self.reading, "seat_failed": self.seat_failed}
        return {
            **{name: None if event is None else event.time for name, event in asked.items()},
            "arranged": self.arranged,
        }

    @property
    def arranged(self) -> int:
        """How often board or pieces were rearranged on the page before the first turn: every swap counts."""
        if self.entries:
            return 0
        return sum(incident["type"] in (Placed.type, Corrected.type) for incident in self.incidents)

    @property
    def moves(self) -> tuple[Entry, ...]:
        """The entries that are turns, one per ply."""
        return tuple(entry for entry in self.entries if isinstance(entry.what, Move))

    @property
    def asked(self) -> Asked:
        """The players whose turns the people at the table make, and the turn to be made now, if any."""
        turn = Move.parse(self.reply.move) if self.reply else None
        return Asked("".join(self.played_by), turn)

    def take(self, event: Event) -> History:
        """The game after ``event``.

        Raises:
            HistoryError: the event does not fit the game.
        """
        try:
            after = replace(self._after(event), time=max(self.time, event.time))
        except (LookupError, TypeError, AttributeError, SeatError) as error:
            # Only a damaged journal holds such an event, as with a colour or an act that does not exist.
            raise HistoryError(f"the event {event.type!r} does not fit the game ({error!r})") from error
        if after._turn_in_question != self._turn_in_question:
            # They belong to another turn. An alert is about the board: it stays until that is put right.
            after = replace(
                after, prompt=None, unclear=None, reply=None, seat_failed=None, hint=None, assessment=None
            )
        return after if after.clock is None else after._clocked(after.clock, event)

    @property
    def _turn_in_question(self) -> tuple[object, ...]:
        """What a turn is chosen for; that another player has left does not change it."""
        now = self.position
        return now.stacks, now.reserves, now.captured, now.to_move

    def _clocked(self, clock: Clock, event: Event) -> History:
        started = self.started or isinstance(event, Ready | Moved)
        runs = started and not (self.paused or self.over)
        mover = LETTER[event.player] if isinstance(event, Moved) else ""
        after = clock.at(self.time, self.position.to_move if runs else "", mover)
        return replace(self, started=started, clock=after)

    def times_up(self, now: float) -> list[Event]:
        """The event of a clock that has run out by ``now``, unless it was already emitted."""
        player = self.clock.runs_out(now) if self.clock else ""
        return [TimeUp(now, NAMES[player])] if player else []

    def transitions(self, events: Iterable[Event]) -> list[Transition]:
        """These events, in this order, each with the state of the game before and after it."""
        taken: list[Transition] = []
        for event in events:
            before = taken[-1].after if taken else self
            taken.append(Transition(event, before, before.take(event)))
        return taken

    def take_all(self, events: Iterable[Event]) -> History:
        """The game after these events, in this order."""
        return reduce(History.take, events, self)

    def looked_away(self) -> History:
        """The same game with the state of the board unknown, as after a restart."""
        return replace(self, ready=False, set_up=(), lost={}, reading=None)

    def record(self) -> GameRecord:
        """The game record, with times relative to the beginning of the game."""
        return GameRecord(
            rules=self.rules,
            players=dict(self.players),
            date=self.date,
            entries=tuple(replace(e, time=self._since(e.time)) for e in self.entries),
            incidents=tuple(
                {k: self._since(v) if k == "time" else v for k, v in incident.items()}
                for incident in self.incidents
            ),
            result=self.position.result,
        )

    def _since(self, time: float | None) -> float | None:
        return None if time is None else round(time - self.began, 3)

    def _after(self, event: Event) -> History:
        match event:
            case GameBegan():
                return self._game_began(event)
            case Moved():
                return self._moved(event)
            case Begins():
                return self._begins(event)
            case Acted():
                done = Declaration(_act_kind(event.act), LETTER[event.player] if event.player else "")
                position = act(self.position, done, self.rules)
                entries = (*self.entries, Entry(done, event.time))
                return replace(self, positions=(*self.positions[:-1], position), entries=entries)
            case Ruled():
                return self._noted(event)
            case Reply():
                return replace(self, reply=event, seat_failed=None)
            case SeatFailed():
                return replace(self, seat_failed=event)
            case Hinted():
                # The newer help is the one wanted; their times may be equal, as while there are no pictures.
                return replace(self._noted(event), hint=event, assessment=None)
            case Assessed():
                return replace(self._noted(event), assessment=event)
            case Seated():
                return self._seated(event)
            case TakenBack():
                return self._taken_back(event)
            case Corrected():
                return self._corrected(event)
            case Alert():
                return replace(self._noted(event), alert=event)
            case Prompt():
                return replace(self._noted(event), prompt=event, unclear=None)
            case Resolved():
                return self._settled()
            case Unclear():
                return replace(self, unclear=event)
            case SetUp():
                return replace(self, set_up=tuple(event.squares), ready=False)
            case Reading():
                return replace(self, reading=event)
            case Ready():
                return replace(self._settled(), set_up=(), ready=True, reading=None)
            case Lost():
                return replace(self, lost={**self.lost, event.what: event.why})
            case Found():
                return replace(self, lost={k: v for k, v in self.lost.items() if k != event.what})
            case Paused():
                return replace(self, paused=event.paused)
            case TimeUp():
                clock = self.clock and self.clock.with_timed_out(LETTER[event.player])
                return replace(self._noted(event), clock=clock)
            case Placed():
                return replace(self._noted(event), corners=event.corners)
            case Result():
                result = self.position.result
                if result is None or result.reason != event.reason:
                    raise HistoryError(
                        f"a result ({event.reason}) at ply {self.ply}, where the game is not so decided"
                    )
                # A game ended by an act leaves nothing to be put right or answered.
                return replace(self._settled(), reading=None, set_up=())
            case _:
                return self

    def _game_began(self, event: GameBegan) -> History:
        seats = {LETTER[name]: player["seat"] for name, player in event.players.items() if player.get("seat")}
        clock = None if event.clock is None else Clock(TimeControl.from_json(event.clock), since=event.time)
        return replace(
            self,
            began=event.time,
            begun=True,
            seats=seats,
            clock=clock,
            match=MatchPlace.from_json(event.match),
            played_by={LETTER[name]: str(parse_kind(kind)) for name, kind in event.played_by.items()},
            pace=event.pace,
            demo=event.demo,
            start_from=event.start_from,
        )

    def _seated(self, event: Seated) -> History:
        letter = LETTER[event.player]
        played_by = {other: kind for other, kind in self.played_by.items() if other != letter}
        if parse_kind(event.kind).handless:
            played_by[letter] = event.kind
        noted = replace(self._noted(event), played_by=played_by, pace=event.pace)
        only_pace = event.kind == self.played_by.get(letter) and event.pace != self.pace
        if letter != self.position.to_move or (only_pace and self.reply is not None):
            # Another time to think is for the turns to come: the turn that is being made stays.
            return noted
        # The turn chosen by the previous seat, or its failure, no longer counts.
        return replace(noted, reply=None, seat_failed=None)

    def _begins(self, event: Begins) -> History:
        if self.entries:
            raise HistoryError(f"{event.player} begins at ply {self.ply}")
        player, before = LETTER[event.player], self.position.to_move
        try:
            rules = self.rules.begun_by(player)
        except RulesError as error:
            raise HistoryError(str(error)) from error
        if names(rules.order) != list(event.order):
            raise HistoryError(f"with {event.player} to begin, the order is not {', '.join(event.order)}")
        return replace(
            self._noted(event)._settled(),
            rules=rules,
            positions=(start_position(rules),),
            clock=self.clock and self.clock.instead(before, player),
        )

    def _settled(self) -> History:
        """The same game with nothing to be put right or answered at the board."""
        return replace(self, alert=None, prompt=None, unclear=None)

    def _noted(self, event: Event, **more: Any) -> History:
        return replace(self, incidents=(*self.incidents, event.to_json() | more))

    def _moved(self, event: Moved) -> History:
        move = Move.parse(event.move)
        if event.ply != self.ply + 1 or self.over:
            raise HistoryError(f"move {event.ply} ({event.move}) after ply {self.ply}")
        position = apply(self.position, move, self.rules)
        if position.text != event.position:
            raise HistoryError(
                f"ply {event.ply} ({event.move}) leads to {position.text}, not to {event.position}"
            )
        return replace(
            self._settled(),
            positions=(*self.positions, position),
            entries=(*self.entries, Entry(move, event.time)),
            reading=None,
        )

    def _taken_back(self, event: TakenBack) -> History:
        """Return to a ply; if it is the current one, undo the last act."""
        if not 0 <= event.ply <= self.ply:
            raise HistoryError(f"taken back to ply {event.ply} at ply {self.ply}")
        kept = list(self.entries)
        dropped: list[Entry] = []
        if event.ply == self.ply and kept and isinstance(kept[-1].what, Declaration):
            dropped.append(kept.pop())
        while sum(isinstance(entry.what, Move) for entry in kept) > event.ply:
            dropped.append(kept.pop())
        moves = [str(entry.what) for entry in reversed(dropped) if isinstance(entry.what, Move)]
        noted = self._noted(event, moves=moves)._settled()
        return replace(noted, entries=tuple(kept), positions=_replayed(kept, self.rules))

    def _corrected(self, event: Corrected) -> History:
        rules = Rules.from_json(dict(event.rules), played=True)
        if self.start_from:
            # Nothing was wrong: the game begins here.
            noted = replace(self, agreed=rules, start_from="")
        else:
            noted = self._noted(event, moves=[str(entry.what) for entry in self.moves])
        return replace(
            noted._settled(),
            rules=rules,
            reading=None,
            positions=(start_position(rules),),
            entries=(),
            set_up=(),
            reply=None,
            seat_failed=None,
        )


@dataclass(frozen=True, slots=True)
class Transition:
    """One event, and the game before and after it."""

    event: Event
    before: History
    after: History


def _replayed(entries: Iterable[Entry], rules: Rules) -> tuple[Position, ...]:
    positions = [start_position(rules)]
    for entry in entries:
        if isinstance(entry.what, Move):
            positions.append(apply(positions[-1], entry.what, rules))
        elif isinstance(entry.what, Declaration):
            positions[-1] = act(positions[-1], entry.what, rules)
    return tuple(positions)


def _act_kind(text: str) -> DeclarationKind:
    for kind in DECLARATION_KINDS:
        if kind == text:
            return kind
    raise HistoryError(f"no act is called {text!r}")
