"""The rule options shared by the commands, and how they combine with a rules file or a preset.

``@rule_options`` gives a command the parameter ``rules: Rules``; ``@match_options`` gives it ``rules: Rules |
None``, which is None if the user gave none of the options.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from focus_companion.commands.shared.console import BadInput
from focus_companion.commands.shared.numbers import WholeNumberRange
from focus_companion.formats.errors import shown
from focus_companion.game.colours import LETTER, NAMES
from focus_companion.game.match import MAX_GAMES
from focus_companion.game.nearest import unknown_rule
from focus_companion.game.presets import PRESETS
from focus_companion.game.rules import Rules, RulesError
from focus_companion.toml_file import TomlNotUtf8, TomlTooLarge, values_in

Command = TypeVar("Command", bound=Callable[..., Any])

RULE_KEYS: Final = (
    "players",
    "order",
    "partners",
    "fast",
    "fast_each",
    "fast_total",
    "fast_own",
    "set_up",
    "reserve_on",
    "stuck",
    "thirteenth_piece",
    "move_partner_stacks",
    "table_talk",
    "start",
)
"""The settings in a rules file: the same as in ``rules`` of a game record."""


if TYPE_CHECKING:
    _ColoursType = click.ParamType[list[str]]
    _TotalType = click.ParamType[int | str]
else:  # older versions of click have no type parameters
    _ColoursType = _TotalType = click.ParamType


class Order(_ColoursType):
    """Players in turn order: names or letters with commas between, each at most once."""

    name = "colours"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        if isinstance(value, list):
            return value
        names = [NAMES.get(word, word) for word in (part.strip().lower() for part in str(value).split(","))]
        for name in names:
            if name not in LETTER:
                self.fail(f"{name!r} is not a colour; give {', '.join(LETTER)} and commas", param, ctx)
        if len(set(names)) != len(names):
            self.fail(f"{value!r} names a colour twice; name every player once", param, ctx)
        return names


class Total(_TotalType):
    """A number of pieces, or ``none`` for no such threshold."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        if value == "none" or (isinstance(value, int) and not isinstance(value, bool)):
            return value  # type: ignore[no-any-return]
        text = str(value)
        if not (text.isascii() and text.isdigit() and int(text[:6]) > 0 and len(text) < 5):
            self.fail(f"{value!r} is not a number of pieces; give one from 1 on, or none", param, ctx)
        return int(text)


_OPTIONS: Final = (
    click.option("--players", type=WholeNumberRange(2, 4), help="How many play: 2, 3 or 4 (default 2)."),
    click.option(
        "--order", type=Order(), help="Players in turn order, e.g. green,blue,red; the first begins."
    ),
    click.option("--partners/--no-partners", default=None, help="Four players in two pairs."),
    click.option("--fast/--no-fast", default=None, help="Fast game: captures decide."),
    click.option("--fast-each", type=WholeNumberRange(1, 99), help="Fast game: captures from each opponent."),
    click.option("--fast-total", type=Total(), help="Fast game: captures of any colour, or none."),
    click.option(
        "--fast-own",
        type=click.Choice(["held", "taken"]),
        help="Fast game: own reserve pieces count while held, or for ever once taken.",
    ),
    click.option(
        "--set-up",
        type=click.Choice(["pairs", "checkerboard", "drop", "position"]),
        help="The start (default pairs, the rule book's). position: from the rules file, else "
        "read by the camera (play and watch).",
    ),
    click.option(
        "--reserve-on",
        type=click.Choice(["anywhere", "empty_or_own"]),
        help="Where a reserve piece may be placed (default anywhere).",
    ),
    click.option(
        "--stuck",
        type=click.Choice(["pass", "out"]),
        help="Who cannot move passes, or is out (default by number of players).",
    ),
    click.option(
        "--thirteenth-piece/--no-thirteenth-piece",
        default=None,
        help="Three players: a piece in hand to begin with (default yes).",
    ),
    click.option(
        "--move-partner-stacks/--no-move-partner-stacks",
        default=None,
        help="Partners may move each other's stacks.",
    ),
    click.option("--table-talk/--no-table-talk", default=None, help="Partners may talk (noted only)."),
    click.option(
        "--rules",
        "rules_from",
        metavar="FILE.toml|PRESET",
        help=f"The same settings from a file, or a preset: {', '.join(PRESETS)}. A flag wins over it.",
    ),
)


START_FROM_CAMERA: Final = "camera"
"""The value of ``start_from`` if the camera reads the start position."""


_FROM_GAME: Final = click.option(
    "--from-game",
    metavar="GAME[@PLY]",
    help="Begin from the last position of a recorded game, or from that after a turn of it.",
)


def rule_options(command: Command) -> Command:
    """Give ``command`` the rule options and, instead of them, the parameter ``rules: Rules``."""
    return _with_options(command, optional=False)


def camera_rule_options(command: Command) -> Command:
    """As :func:`rule_options`, plus ``start_from: str``: "camera" if the set-up is a position that the rules
    do not give, so that the camera has to read it; else "".
    """
    return _with_options(command, optional=False, camera=True)


def match_options(command: Command) -> Command:
    """As :func:`camera_rule_options`, but ``rules`` is None if none of the options is given; plus ``games:
    int``, the number of games in the match, 1 for a single game.
    """
    option = click.option(
        "--games",
        type=WholeNumberRange(1, MAX_GAMES),
        help="Games of a match; each piece captured is a point (default 1; the preset tournament: 2).",
    )

    @wraps(command)
    def with_games(*args: Any, games: int | None, **kwargs: Any) -> Any:
        rules_from = click.get_current_context().params.get("rules_from")
        return command(*args, games=games or games_of(rules_from), **kwargs)

    return option(_with_options(with_games, optional=True, camera=True))  # type: ignore[return-value]


def _with_options(command: Command, *, optional: bool, camera: bool = False) -> Command:
    @wraps(command)
    def with_rules(*args: Any, rules_from: str | None, **kwargs: Any) -> Any:
        flags: dict[str, Any] = {key: kwargs.pop(key) for key in RULE_KEYS if key in kwargs}
        given = {key: value for key, value in flags.items() if value is not None}
        from_game = kwargs.pop("from_game", None)
        if from_game is not None:
            if given or rules_from is not None:
                raise BadInput("--from-game: the game has its own rules; leave the other rule options out")
            # Imported here because the readers of all formats are slow to import.
            from focus_companion.commands.shared.start_from_game import rules_from_game

            rules = rules_from_game(from_game, kwargs.get("data"))
            return command(*args, rules=rules, start_from="", **kwargs)
        if camera:
            kwargs["start_from"] = START_FROM_CAMERA if _leaves_start_open(given, rules_from) else ""
            if kwargs["start_from"]:
                # Until the camera has read it, the rule book's start stands in for it.
                given["set_up"] = "pairs"
        if optional and not given and rules_from is None:
            return command(*args, rules=None, **kwargs)
        return command(*args, rules=make_rules(given, rules_from), **kwargs)

    decorated: Any = with_rules
    for option in reversed((*_OPTIONS, _FROM_GAME) if camera else _OPTIONS):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


def _leaves_start_open(flags: Mapping[str, Any], rules_from: str | None) -> bool:
    """Whether the set-up is a position, and none is given. Raises BadInput."""
    settings = ({} if rules_from is None else settings_from(rules_from)) | dict(flags)
    return settings.get("set_up") == "position" and "start" not in settings


def make_rules(flags: Mapping[str, Any], rules_from: str | None = None) -> Rules:
    """The rules of a preset or file combined with the flags; a flag overrides the file.

    Raises:
        BadInput: contradictory settings, or an unknown setting or value; says which, where, and what to do.
    """
    settings = {} if rules_from is None else settings_from(rules_from)
    fixed, wanted = settings.get("players"), flags.get("players")
    if rules_from in PRESETS and not Path(rules_from).exists() and fixed and wanted not in (None, fixed):
        raise BadInput(f"the preset {rules_from!r} is for {fixed} players, not for {wanted}")
    settings.pop("games", None)  # belongs to a match, not to the rules of a game
    settings |= flags
    if settings.get("fast_total") == "none":
        settings["fast_total"] = None
    order = settings.get("order")
    settings.setdefault("players", len(order) if isinstance(order, list) else 2)
    try:
        return Rules.from_json(settings)
    except RulesError as error:
        source = f"{rules_from}: " if rules_from is not None else ""
        raise BadInput(f"{source}{error}") from None


def games_of(rules_from: str | None) -> int:
    """The number of games that a preset or a rules file gives a match; default 1. Raises BadInput."""
    return 1 if rules_from is None else int(settings_from(rules_from).get("games", 1))


def settings_from(name: str) -> dict[str, Any]:
    """The settings of a preset, or of a TOML file (keys as in a record's ``rules``, dashes allowed).

    ``games`` among them is the length of a match.
    """
    path = Path(name)
    if name in PRESETS and not path.exists():
        return _of_preset(name)
    try:
        return _settings_of_file(path)
    except FileNotFoundError:
        raise BadInput(
            f"--rules: {name!r} is neither a file nor a preset; the presets are {', '.join(PRESETS)}"
        ) from None


def _of_preset(name: str) -> dict[str, Any]:
    chosen = PRESETS[name]
    return dict(chosen.settings) | ({"games": chosen.games} if chosen.games > 1 else {})


def _settings_of_file(path: Path) -> dict[str, Any]:
    try:
        table = values_in(path)
    except TomlTooLarge:
        remedy = "give a file of settings such as 'players = 3'"
        raise BadInput(f"{path}: too large for a rules file; {remedy}") from None
    except TomlNotUtf8 as error:
        raise BadInput(f"{path}: {error}") from None
    except ValueError as error:
        raise BadInput(f"{path}: not TOML: {error}; write settings such as 'players = 3'") from None
    if isinstance(table.get("rules"), dict) and len(table) == 1:
        table = table["rules"]
    settings = {key.replace("-", "_"): value for key, value in table.items()}
    base: dict[str, Any] = {}
    preset = settings.pop("preset", None)
    if preset is not None:
        if not isinstance(preset, str) or preset not in PRESETS:
            raise BadInput(f"{path}: preset: no preset {shown(preset)}; the presets are {', '.join(PRESETS)}")
        base = _of_preset(preset)
    for key in settings:
        if key not in RULE_KEYS and key != "games":
            raise BadInput(f"{path}: {unknown_rule(key, [*RULE_KEYS, 'games', 'preset'])}")
    games = settings.get("games", 1)
    if not isinstance(games, int) or isinstance(games, bool) or not 1 <= games <= MAX_GAMES:
        raise BadInput(f"{path}: games: a match has 1 to {MAX_GAMES} games, not {shown(games)}")
    if isinstance(settings.get("order"), str):
        settings["order"] = [word.strip() for word in settings["order"].split(",")]
    return base | settings
