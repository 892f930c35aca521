"""Exports a game as one HTML file to send to somebody: the page's board with the replay, without any network.

Scripts, styles and texts of the page are embedded; a content security policy forbids everything else.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from ..formats.match import Match
from ..formats.writing import Format, single
from ..game.colours import NAMES
from ..game.record import GameRecord
from ..review.review import review
from ..session.history import History
from ..session.state_json import state
from .assets import Assets
from .catalogues import FOLDER, part, translations
from .games import position_list
from .story_notes import notes

_TEMPLATES: Final = FOLDER.parent / "templates"


def story_format(
    language: str, *, swings: bool = True, stills: Callable[[GameRecord], Mapping[int, bytes]] | None = None
) -> Format:
    """The format "html" in a language of the page; ``stills`` returns the camera's pictures of a game."""

    def write(match: Match) -> bytes:
        record = single(match, "html")
        return write_story(record, language, swings=swings, stills=stills(record) if stills else {})

    return Format(write, "text/html; charset=utf-8", "html")


def write_story(
    record: GameRecord,
    language: str = "en",
    *,
    swings: bool = True,
    stills: Mapping[int, bytes] = MappingProxyType({}),
) -> bytes:
    """The file for a game; its result must follow from its turns, see :func:`formats.walk.finished`.

    ``swings``: include what every turn won and lost, which takes a second or two; ``stills``: a JPEG by ply.

    Raises:
        IllegalMove: the record holds an illegal move.
    """
    assets = _assets()
    script = assets["story.js"].plain.decode()
    boot = assets["boot.js"].plain.decode()
    sheet = "".join(assets[f"{name}.css"].plain.decode() for name in ("style", "later", "story"))
    page = _environment(language).get_template("story.html")
    text = page.render(
        language=language,
        policy=_policy([boot, script], sheet),
        boot=Markup(boot),
        script=Markup(script),
        sheet=Markup(sheet),
        icon=_picture("svg+xml", assets["icon.svg"].plain),
        names=[record.name(letter) if record.players.get(letter) else None for letter in record.rules.order],
        colours=[NAMES[letter] for letter in record.rules.order],
        date=record.date,
        players=record.rules.players,
        stills=bool(stills),
        data=_json(
            {
                "game": story_data(record, swings=swings),
                "stills": {ply: _picture("jpeg", data) for ply, data in stills.items()},
                "texts": part(language, "main", script),
            }
        ),
    )
    # JSON can contain unpaired surrogates, which UTF-8 cannot encode: they become '?'.
    return text.encode("utf-8", "replace")


def story_data(record: GameRecord, *, swings: bool) -> dict[str, Any]:
    """The data for the file's script: last ``state``, ``positions`` by ply, ``notes``, ``review`` or None."""
    history = History.of(record)
    result = record.result and record.result.to_json()
    return {
        "state": state(history) | {"result": result, "camera": "ok"},
        "positions": position_list(history),
        "notes": notes(record),
        "review": review(record).to_json() if swings and record.result and record.moves else None,
    }


@lru_cache(maxsize=1)
def _assets() -> Assets:
    return Assets()


def _environment(language: str) -> Environment:
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        extensions=["jinja2.ext.i18n"],
        auto_reload=False,
    )
    made.install_gettext_translations(translations(language))  # type: ignore[attr-defined]
    return made


def _policy(scripts: list[str], sheet: str) -> str:
    """The content security policy of the file: its own scripts and styles, and nothing else."""
    allowed = " ".join(_named(script) for script in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_named(sheet)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _named(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _picture(kind: str, data: bytes) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"


def _json(value: Any) -> Markup:
    """JSON that cannot close the HTML element around it, whatever names it contains."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)
