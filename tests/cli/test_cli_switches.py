"""A switch that does not apply: ignored at its default, refused at any other value, from every source."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from focus_companion.commands.shared.console import BadInput
from focus_companion.commands.shared.rule_options import make_rules
from focus_companion.formats.errors import FormatError
from focus_companion.formats.reading import read_record
from focus_companion.game.rules import Rules, RulesError
from focus_companion.web.request_json import parse_act

PLAIN: list[dict[str, Any]] = [
    {"players": 2},
    {"players": 3},
    {"players": 4},
    {"players": 4, "partners": True},
]
OFF: list[tuple[dict[str, Any], str, Any, Any]] = [
    # the game, the switch, its default, another value
    *((game, "fast_each", {2: 6, 3: 3, 4: 2}[game["players"]], 5) for game in PLAIN),
    *((game, "fast_total", None if game["players"] == 2 else 10, 7) for game in PLAIN),
    *((game, "fast_own", "held", "taken") for game in PLAIN),
    *((game, "move_partner_stacks", False, True) for game in PLAIN[:3]),
    *((game, "table_talk", False, True) for game in PLAIN[:3]),
    *((game, "thirteenth_piece", True, False) for game in (PLAIN[0], *PLAIN[2:])),
    *((game, "partners", False, True) for game in PLAIN[:2]),
    *((game, "set_up", "pairs", "drop") for game in PLAIN[1:]),
    *((game, "set_up", "pairs", "checkerboard") for game in PLAIN[1:]),
    (PLAIN[3], "fast", False, True),
]


def toml(folder: Path, rules: dict[str, Any]) -> Rules:
    values = {key: "none" if value is None else value for key, value in rules.items()}
    path = folder / "rules.toml"
    path.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items()))
    return make_rules({}, str(path))


def sheet(folder: Path, rules: dict[str, Any]) -> Rules:
    order = {2: "green, red", 3: "green, blue, red", 4: "green, blue, yellow, red"}[rules["players"]]
    lines = [f"Rule: {key} = {json.dumps(value)}" for key, value in rules.items()]
    text = "\n".join(["Focus move sheet", f"Players: {order}", *lines, ""])
    return read_record(text.encode()).games[0].rules


def record(folder: Path, rules: dict[str, Any]) -> Rules:
    data = {"format": "focus-companion game", "version": 1, "rules": rules, "moves": []}
    return read_record(json.dumps(data).encode()).games[0].rules


def asked(folder: Path, rules: dict[str, Any]) -> Rules:
    found: Any = parse_act({"act": "new_game", "rules": rules})
    assert isinstance(found.rules, Rules)
    return found.rules


WAYS: dict[str, Callable[[Path, dict[str, Any]], Rules]] = {
    "flags": lambda folder, rules: make_rules(
        {key: "none" if value is None else value for key, value in rules.items()}
    ),
    "toml": toml,
    "json": record,
    "sgf": lambda folder, rules: read_record(f"(;GM[36]RULES[{json.dumps(rules)}])".encode()).games[0].rules,
    "text": sheet,
    "page": asked,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("game", "switch", "default", "other"), OFF, ids=str)
def test_a_switch_that_does_not_apply_is_ignored_only_at_its_default(
    tmp_path: Path, way: str, game: dict[str, Any], switch: str, default: Any, other: Any
) -> None:
    assert WAYS[way](tmp_path, game | {switch: default}) == Rules.from_json(game)
    with pytest.raises((BadInput, FormatError, RulesError), match=switch.partition("_")[0]):
        WAYS[way](tmp_path, game | {switch: other})
