"""The rules of a game: an immutable value, validated when it is created."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Final, Literal, get_args

from .colours import LETTER, NAMES, OPPOSITE, names
from .nearest import unknown_rule
from .start import MAX_PIECES, RulesError, Start

__all__ = ["ORDERS", "Rules", "RulesError", "parse_order"]

SetUp = Literal["pairs", "checkerboard", "drop", "position"]
Stuck = Literal["pass", "out"]
ReserveOn = Literal["anywhere", "empty_or_own"]
FastOwn = Literal["held", "taken"]
Default = Literal["default"]

ORDERS: Final[dict[int, str]] = {2: "gr", 3: "gbr", 4: "gbyr"}
"""Default turn order, by number of players."""

FAST_EACH: Final[dict[int, int]] = {2: 6, 3: 3, 4: 2}
"""Fast game: pieces to capture from each opponent, by number of players."""

FAST_TOTAL: Final[dict[int, int | None]] = {2: None, 3: 10, 4: 10}
"""Fast game: pieces of any colour that win, by number of players; None if that is not a way to win."""

_CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "set_up": get_args(SetUp),
    "stuck": get_args(Stuck),
    "reserve_on": get_args(ReserveOn),
    "fast_own": get_args(FastOwn),
}
_FLAGS: Final = ("partners", "fast", "thirteenth_piece", "move_partner_stacks", "table_talk")


@dataclass(frozen=True)
class Rules:
    """Everything that the players agree on before a game. Use :meth:`make`, which knows the defaults.

    A switch that does not apply (such as a fast game's threshold in a full game) must have its default.
    """

    players: int
    order: str
    """The players in turn order, as letters; the first begins."""
    partners: bool
    fast: bool
    fast_each: int
    fast_total: int | None
    fast_own: FastOwn
    set_up: SetUp
    reserve_on: ReserveOn
    stuck: Stuck
    thirteenth_piece: bool
    move_partner_stacks: bool
    table_talk: bool = False
    start: Start | None = None

    def __post_init__(self) -> None:
        _check_types(self)
        _check_players(self)
        _check_switches(self)
        _check_set_up(self)

    @classmethod
    def make(
        cls,
        players: int = 2,
        *,
        order: str | Iterable[str] | None = None,
        partners: bool = False,
        fast: bool = False,
        fast_each: int | None = None,
        fast_total: int | Default | None = "default",
        fast_own: FastOwn = "held",
        set_up: SetUp = "pairs",
        reserve_on: ReserveOn = "anywhere",
        stuck: Stuck | None = None,
        thirteenth_piece: bool = True,
        move_partner_stacks: bool = False,
        table_talk: bool = False,
        start: Start | None = None,
        played: bool = False,
    ) -> Rules:
        """Return the rules, with defaults for omitted switches. Raises RulesError for contradictions.

        ``order`` is a string of letters, or colours by letter or name. ``fast_total=None`` disables that way
        of winning. ``played``: the game has been played already, so a turn order that is refused today (see
        :attr:`order_fault`) is accepted.
        """
        if isinstance(players, bool) or players not in ORDERS:
            raise RulesError(f"Focus is played by 2, 3 or 4, not by {str(players)[:20]}")
        if fast_total == "default" or (not fast and fast_total is None):
            fast_total = FAST_TOTAL[players]
        rules = cls(
            players=players,
            order=ORDERS[players] if order is None else parse_order(order),
            partners=partners,
            fast=fast,
            fast_each=FAST_EACH[players] if fast_each is None else fast_each,
            fast_total=fast_total,
            fast_own=fast_own,
            set_up=set_up,
            reserve_on=reserve_on,
            stuck=_default_stuck(players, partners) if stuck is None else stuck,
            thirteenth_piece=thirteenth_piece,
            move_partner_stacks=move_partner_stacks,
            table_talk=table_talk,
            start=start,
        )
        if rules.order_fault and not played:
            raise RulesError(rules.order_fault)
        return rules

    @classmethod
    def from_json(cls, data: Any, *, played: bool = False) -> Rules:
        """Return the rules that the ``rules`` object of a record (or a settings file) gives.

        Omitted switches have their defaults; ``played`` as in :meth:`make`. Raises RulesError for an unknown
        key, a wrong type or a contradiction.
        """
        if not isinstance(data, Mapping):
            raise RulesError("'rules' must be an object with at least 'players'")
        known = [field.name for field in fields(cls)]
        if unknown := [key for key in data if key not in known]:
            raise RulesError(unknown_rule(unknown[0], known))
        if "players" not in data:
            raise RulesError("the rules do not say how many players: give 'players'")
        settings = {key: value for key, value in data.items() if value is not None or key == "fast_total"}
        players = settings.get("players")
        if not isinstance(players, int) or isinstance(players, bool) or players not in ORDERS:
            raise RulesError(f"'players' must be 2, 3 or 4, not {str(players)[:20]!r}")
        if "order" in settings and not isinstance(settings["order"], list):
            raise RulesError("'order' must be a list of colours in turn order")
        order = parse_order(settings["order"]) if "order" in settings else ORDERS[players]
        if "start" in settings:
            if settings.get("set_up") != "position":
                raise RulesError("'start' is given, but set_up is not 'position'")
            _check_order(order, players)
            settings["start"] = Start.from_json(settings["start"], order)
        return cls.make(**settings, played=played)

    def to_json(self) -> dict[str, Any]:
        """Return the ``rules`` object of a record; :meth:`from_json` reads it back to an equal value."""
        data: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        data["order"] = names(self.order)
        if not self.table_talk:
            del data["table_talk"]
        del data["start"]
        if self.start is not None:
            data["start"] = self.start.to_json(self.order)
        return data

    def begun_by(self, player: str) -> Rules:
        """Return the same rules with this player (a letter) beginning; all keep their place in the order.

        From a given position the player gets the first turn, but the order stays. Raises RulesError for a
        colour that does not play.
        """
        if player not in self.order:
            raise RulesError(f"{NAMES.get(player, player)} does not play, and cannot begin")
        if self.start is not None:
            return replace(self, start=replace(self.start, to_move=player))
        first = self.order.index(player)
        return replace(self, order=self.order[first:] + self.order[:first])

    @property
    def players_text(self) -> str:
        """The players in turn order for people: ``"green, blue, red"``."""
        return ", ".join(names(self.order))

    @cached_property
    def order_fault(self) -> str:
        """Why a game may not begin in this turn order: partners must sit opposite each other; ``""`` if it
        may.

        Games recorded by earlier versions may have such an order; they can still be read.
        """
        if not self.partners or OPPOSITE[self.order[0]] == self.order[2]:
            return ""
        return (
            "partners sit opposite each other, so the pairs take turns alternately "
            f"(as in {', '.join(names(ORDERS[4]))}); in {self.players_text} partners sit side by side"
        )

    @cached_property
    def partner_indices(self) -> tuple[int | None, ...]:
        """For each player, the partner's index in turn order; None for those who play for themselves."""
        if not self.partners:
            return (None,) * self.players
        return tuple(self.order.index(OPPOSITE[player]) for player in self.order)

    @cached_property
    def sides(self) -> tuple[str, ...]:
        """The sides, as letters in turn order: single players, or the two pairs."""
        if not self.partners:
            return tuple(self.order)
        first = "".join(p for p in self.order if p in self.order[0] + OPPOSITE[self.order[0]])
        return first, "".join(p for p in self.order if p not in first)

    def partner_of(self, player: str) -> str:
        """Return the partner of a player (letters); ``""`` if there are no partners."""
        return OPPOSITE[player] if self.partners else ""

    def side_of(self, player: str) -> str:
        """Return those who win with a player, in turn order, the player included."""
        return next(side for side in self.sides if player in side)


def parse_order(order: str | Iterable[Any]) -> str:
    """Return a turn order as letters. Raises RulesError for an unknown colour.

    Accepted are a string of letters (``"gbr"``), names joined by commas (``"green,blue,red"``) and a sequence
    of letters or names.
    """
    if isinstance(order, str):
        parts: list[Any] = [part.strip() for part in order.split(",")] if "," in order else list(order)
        if order in LETTER:
            parts = [order]
    else:
        parts = list(order)
    letters = []
    for part in parts:
        letter = LETTER.get(part, part) if isinstance(part, str) else None
        if letter not in NAMES:
            small = isinstance(part, str) and (part.lower() in LETTER or part.lower() in NAMES)
            remedy = f"write {part.lower()}, in small letters" if small else f"use {', '.join(LETTER)}"
            raise RulesError(f"{str(part)[:20]!r} in the turn order is not a colour; {remedy}")
        letters.append(letter)
    return "".join(letters)


def _default_stuck(players: int, partners: bool) -> Stuck:
    # With two players, whoever cannot move has lost immediately, so the value has no effect.
    return "pass" if players == 4 or partners else "out"


def _check_types(rules: Rules) -> None:
    for name in _FLAGS:
        if not isinstance(getattr(rules, name), bool):
            raise RulesError(f"'{name}' must be true or false")
    for name, choices in _CHOICES.items():
        if getattr(rules, name) not in choices:
            raise RulesError(
                f"'{name}' must be one of {', '.join(choices)}, not {str(getattr(rules, name))[:40]!r}"
            )
    for name in ("fast_each", "fast_total"):
        number = getattr(rules, name)
        if name == "fast_total" and number is None:
            continue
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= MAX_PIECES:
            raise RulesError(f"'{name}' must be a number of pieces from 1 to {MAX_PIECES}")


def _check_players(rules: Rules) -> None:
    if isinstance(rules.players, bool) or rules.players not in ORDERS:
        raise RulesError(f"Focus is played by 2, 3 or 4, not by {str(rules.players)[:20]}")
    _check_order(rules.order, rules.players)
    usual = ORDERS[rules.players]
    if rules.set_up != "position" and set(rules.order) != set(usual):
        raise RulesError(
            f"the set-up {rules.set_up!r} for {rules.players} players is for {', '.join(names(usual))}; "
            f"the turn order names {', '.join(names(rules.order))}"
        )


def _check_order(order: str, players: int) -> None:
    shown = ", ".join(NAMES.get(letter, letter) for letter in order)
    if not set(order) <= set(NAMES):
        raise RulesError(f"the turn order {shown} contains an unknown colour; use {', '.join(LETTER)}")
    if len(set(order)) != len(order):
        raise RulesError(f"the turn order {shown} names a colour twice")
    if len(order) != players:
        raise RulesError(f"the turn order {shown} names {len(order)} players, the rules say {players}")


def _check_switches(rules: Rules) -> None:
    if rules.partners and rules.players != 4:
        raise RulesError(f"partners need four players, not {rules.players}")
    if rules.fast and rules.partners:
        raise RulesError("there is no fast game for partners: the rule book gives no number of pieces for it")
    if not rules.fast:
        defaults = {
            "fast_each": FAST_EACH[rules.players],
            "fast_total": FAST_TOTAL[rules.players],
            "fast_own": "held",
        }
        for name, default in defaults.items():
            if getattr(rules, name) != default:
                raise RulesError(f"'{name}' is for fast games only: switch 'fast' on, or leave '{name}' out")
    if rules.move_partner_stacks and not rules.partners:
        raise RulesError("'move_partner_stacks' is for partners only")
    if rules.table_talk and not rules.partners:
        raise RulesError("'table_talk' is for partners only")
    if not rules.thirteenth_piece and rules.players != 3:
        raise RulesError(f"'thirteenth_piece' is for three players only, not for {rules.players}")


def _check_set_up(rules: Rules) -> None:
    if rules.set_up in ("checkerboard", "drop") and rules.players != 2:
        raise RulesError(f"the set-up {rules.set_up!r} is for two players, not for {rules.players}")
    if rules.set_up == "position":
        if rules.start is None:
            raise RulesError("the set-up 'position' needs a start: give the position to begin from")
        rules.start.check(rules.order)
    elif rules.start is not None:
        raise RulesError("a start is given, but the set-up is not 'position'")
