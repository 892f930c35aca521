"""Parses the JSON of ``POST /api/requests`` into the session's typed requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from ..formats.rules_json import rules_from_json
from ..game.colours import LETTER
from ..game.match import MAX_GAMES
from ..game.moves import Move
from ..game.nearest import nearest
from ..game.position import parse_position
from ..game.squares import SIDES
from ..game.start import MAX_PIECES
from ..session import requests
from ..session.clock import TimeControl
from ..session.kinds import fits
from ..session.names import clean_text
from ..session.seat_kinds import PACES, parse_kind

_MAX_NOTE_LENGTH: Final = 200
"""Characters."""
_MAX_COORDINATE: Final = 1e6
"""Limit for a fraction of the picture's size: numbers in JSON may be of any magnitude, or not finite."""
_NEW_GAME_KEYS: Final = (
    "act", "rules", "players", "seats", "clock", "games", "played_by", "pace", "start_from",
)  # fmt: skip


_SHOWN: Final = ("alert", "reading", "seat_failed", "arranged")
"""Keys of “at” that say what the page showed: see :attr:`session.history.History.shown`."""


class BadRequest(ValueError):
    """The request cannot be understood; the text says what is wrong with it."""


def _point(body: Mapping[str, Any]) -> tuple[int, int] | None:
    """The point of the game for which a request is meant: {"game": N, "moves": length of its list}."""
    at = body.get("at")
    if at is None:
        return None
    point: Any = (at.get("game"), at.get("moves")) if isinstance(at, dict) else None
    if not fits(point, tuple[int, int]):
        raise BadRequest("“at” must give the numbers “game” and “moves” of the state.")
    game, moves = point
    return game, moves


def _about(body: Mapping[str, Any]) -> dict[str, float | None]:
    """What the page showed when the act was chosen, as far as “at” says so."""
    at = body.get("at") or {}
    about = {key: at[key] for key in _SHOWN if key in at}
    if not fits(about, Mapping[str, float | None]):
        raise BadRequest(f"{', '.join(_SHOWN)} of “at” must be numbers of the state, or null.")
    return about


def _player(body: Mapping[str, Any], key: str = "player") -> str:
    player = body.get(key)
    if not isinstance(player, str) or player not in LETTER:
        raise BadRequest(f"“{key}” must be one of {', '.join(LETTER)}.")
    return LETTER[player]


def _move(body: Mapping[str, Any]) -> Move:
    text = body.get("move")
    if not isinstance(text, str):
        raise BadRequest("“move” must be a move such as d5-d6 or *d5.")
    return Move.parse(text)


def _names(body: Mapping[str, Any]) -> dict[str, str] | None:
    """The players' names by letter; ``None`` if the request says nothing about them."""
    players = body.get("players")
    if players is None:
        return None
    if not isinstance(players, dict):
        raise BadRequest("“players” must name the players by colour.")
    names = {}
    for colour, entry in players.items():
        name = entry.get("name") if isinstance(entry, dict) else entry
        if colour not in LETTER or not isinstance(name, str):
            raise BadRequest("“players” must name the players by colour.")
        if clean := clean_text(name):
            names[LETTER[colour]] = clean
    return names


def _seats(body: Mapping[str, Any]) -> dict[str, str]:
    seats = body.get("seats", {})
    if not isinstance(seats, dict) or not all(_known(colour) for colour in seats):
        raise BadRequest("“seats” must name a side of the board by colour.")
    if not all(side in SIDES for side in seats.values()) or len(set(seats.values())) < len(seats):
        raise BadRequest(f"“seats” must give every player another side: {', '.join(SIDES)}.")
    return {LETTER[colour]: side for colour, side in seats.items()}


def _new_game(body: Mapping[str, Any]) -> requests.Request:
    if unknown := [key for key in body if key not in _NEW_GAME_KEYS]:
        # Ignoring an unknown key could begin a game other than the one that was meant.
        meant = nearest(unknown[0], _NEW_GAME_KEYS)
        remedy = f"did you mean “{meant}”?" if meant else f"there are {', '.join(_NEW_GAME_KEYS)}."
        raise BadRequest(f"“new_game” has no “{str(unknown[0])[:40]}”; {remedy}")
    rules = body.get("rules")
    if rules is not None and not isinstance(rules, dict):
        raise BadRequest("“rules” must be an object as in a game record.")
    clock = body.get("clock")
    games = body.get("games", 1)
    if not isinstance(games, int) or isinstance(games, bool) or not 1 <= games <= MAX_GAMES:
        raise BadRequest(f"“games” must be a number of games from 1 to {MAX_GAMES}.")
    return requests.NewGame(
        None if rules is None else rules_from_json(rules),
        _names(body),
        _seats(body),
        None if clock is None else TimeControl.from_json(clock),
        games,
        _start_from(body),
        _played_by(body),
        _pace(body),
    )


def _start_from(body: Mapping[str, Any]) -> str:
    source = body.get("start_from", "")
    if source not in ("", "camera"):
        raise BadRequest("“start_from” must be camera, or be left out.")
    return str(source)


def _played_by(body: Mapping[str, Any]) -> dict[str, str] | None:
    kinds = body.get("played_by")
    if kinds is None:
        return None
    if not isinstance(kinds, dict) or not all(_known(colour) for colour in kinds):
        raise BadRequest("“played_by” must name a kind of seat by colour.")
    return {LETTER[colour]: _kind(kind) for colour, kind in kinds.items()}


def _kind(kind: object) -> str:
    if not isinstance(kind, str):
        raise BadRequest("A kind of seat is a text such as companion:3.")
    return str(parse_kind(kind))


def _pace(body: Mapping[str, Any]) -> float | None:
    pace = body.get("pace")
    if pace is not None and (isinstance(pace, bool) or pace not in PACES):
        raise BadRequest(f"“pace” must be one of {', '.join(f'{pace:.0f}' for pace in PACES)} seconds.")
    return None if pace is None else float(pace)


def _seat(body: Mapping[str, Any]) -> requests.Request:
    return requests.SetSeat(_player(body), _kind(body.get("kind")), _pace(body))


def _swap_colours(body: Mapping[str, Any]) -> requests.Request:
    if body.keys() <= {"act"}:
        return requests.SwapColours()
    return requests.SwapColours(_player(body), _player(body, "other"))


def _set_position(body: Mapping[str, Any]) -> requests.Request:
    position = body.get("position")
    if not isinstance(position, str):
        raise BadRequest("“position” must be the text of a position.")
    to_move = _player(body, "to_move") if body.get("to_move") is not None else None
    captured = body.get("captured")
    if captured is not None and not isinstance(captured, dict):
        raise BadRequest("“captured” must give the captured pieces by colour.")
    note = body.get("note", "")
    if not isinstance(note, str):
        raise BadRequest("“note” must be a text.")
    return requests.SetPosition(
        parse_position(position),
        to_move,
        _counts(body.get("reserves"), "reserves"),
        None
        if captured is None
        else {LETTER[name]: _counts(row, "captured") or {} for name, row in captured.items() if _known(name)},
        clean_text(note, _MAX_NOTE_LENGTH),
    )


def _known(colour: object) -> bool:
    if colour not in LETTER:
        raise BadRequest(f"{str(colour)[:20]!r} is not a colour; there are {', '.join(LETTER)}.")
    return True


def _counts(counts: object, name: str) -> dict[str, int] | None:
    if counts is None:
        return None
    if not isinstance(counts, dict):
        raise BadRequest(f"“{name}” must give a number of pieces by colour.")
    for colour, count in counts.items():
        if _known(colour) and (
            not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= MAX_PIECES
        ):
            raise BadRequest(f"“{name}” must give a number of pieces by colour.")
    return {LETTER[colour]: count for colour, count in counts.items()}


def _rule_not_legal(body: Mapping[str, Any]) -> requests.Request:
    ply = body.get("ply")
    if ply is not None and (not isinstance(ply, int) or isinstance(ply, bool)):
        raise BadRequest("“ply” must be the number of a turn.")
    return requests.RuleNotLegal(ply)


def _place_board(body: Mapping[str, Any]) -> requests.Request:
    corners = body.get("corners")
    if corners is None:
        return requests.PlaceBoard(None)
    if not isinstance(corners, dict) or set(corners) != {"a1", "h1", "h8", "a8"}:
        raise BadRequest("“corners” must give x and y of a1, h1, h8 and a8, or be null.")
    placed = {}
    for name, point in corners.items():
        numbers = isinstance(point, list) and all(
            isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MAX_COORDINATE
            for value in point
        )
        if not numbers or len(point) != 2:
            raise BadRequest("“corners” must give x and y of a1, h1, h8 and a8, or be null.")
        placed[name] = (float(point[0]), float(point[1]))
    return requests.PlaceBoard(placed)


_ACTS: Final[Mapping[str, Callable[[Mapping[str, Any]], requests.Request]]] = {
    "take_back": lambda body: requests.TakeBack(),
    "resign": lambda body: requests.Resign(_player(body)),
    "leave": lambda body: requests.Leave(_player(body)),
    "draw": lambda body: requests.AgreeDraw(),
    "choose": lambda body: requests.ChooseMove(_move(body)),
    "legal": lambda body: requests.RuleLegal(_move(body)),
    "begins": lambda body: requests.Begin(_player(body)),
    "not_legal": _rule_not_legal,
    "rematch": lambda body: requests.Rematch(),
    "dismiss": lambda body: requests.DismissAlert(),
    "swap_colours": _swap_colours,
    "read_board": lambda body: requests.ReadBoard(),
    "stands_right": lambda body: requests.StandsRight(),
    "pause": lambda body: requests.Pause(),
    "resume": lambda body: requests.Resume(),
    "new_game": _new_game,
    "seat": _seat,
    "set_position": _set_position,
    "place_board": _place_board,
}


def parse_act(body: object) -> requests.Request:
    """The session's request for a JSON body ``{"act": …, …}``.

    Raises :class:`BadRequest`, or a ``ValueError`` of the rules core, with a sentence for people.
    """
    if not isinstance(body, dict):
        raise BadRequest("Send a JSON object with “act”.")
    act = body.get("act")
    if not isinstance(act, str) or act not in _ACTS:
        raise BadRequest(f"“act” must be one of {', '.join(_ACTS)}.")
    wanted = _ACTS[act]({key: body[key] for key in body if key != "at"})
    return replace(wanted, point=_point(body), about=_about(body))
