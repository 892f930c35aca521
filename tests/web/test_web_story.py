"""A game as a single HTML file: its content, and its safety with hostile records."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from stories import ALERT, game

from focus_companion.formats.errors import FormatError
from focus_companion.formats.match import Match
from focus_companion.formats.sgf_record import read_sgf
from focus_companion.formats.writing import write
from focus_companion.game.faults import IllegalMove
from focus_companion.game.outcome import Outcome
from focus_companion.game.record import GameRecord
from focus_companion.game.rules import Rules
from focus_companion.web.story import story_format
from focus_companion.web.story_notes import notes

HOSTILE = [
    "</script><script>alert(1)</script>",
    "</title><svg onload=alert(1)>",
    '"><img src=x onerror=alert(1)>',
    "<!--<script>",
    "{{7*7}}{% raw %}",
    "\u2028\u2029&lt;b&gt;",
    "\ud800",
    "\x00\x1b[2J",
]


class Parsed(HTMLParser):
    """The elements of a page with their attributes, and the text within scripts, styles and the title."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self._open = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._open = tag

    def handle_data(self, data: str) -> None:
        if self._open in ("script", "style", "title") and data.strip():
            self.texts.append((self._open, data))

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def data(self) -> dict[str, Any]:
        (found,) = [text for tag, text in self.texts if tag == "script" and text.startswith('{"game"')]
        return json.loads(found)


def page(record: GameRecord, language: str = "en", **more: Any) -> str:
    return write(Match((record,), single=True), story_format(language, **more)).decode()


def test_the_page_references_nothing_outside_itself() -> None:
    text = page(game(30))
    assert set(re.findall(r"https?://[^\s\"'`)]+", text)) == {"http://www.w3.org/2000/svg"}
    for tag, attributes in Parsed(text).elements:
        for name in ("src", "href", "action", "data", "poster"):
            assert not (attributes.get(name) or "").strip("#").startswith(("/", "h", ".")), (tag, attributes)


def test_the_policy_lets_only_its_own_scripts_run() -> None:
    parsed = Parsed(page(game(4)))
    (policy,) = [a["content"] or "" for _, a in parsed.elements if a.get("http-equiv")]
    rules = dict(rule.strip().partition(" ")[::2] for rule in policy.split(";"))
    assert rules["default-src"] == "'none'" and rules["img-src"] == "data:"
    assert "unsafe" not in policy
    scripts = [text for tag, text in parsed.texts if tag == "script" and not text.startswith('{"game"')]
    sheets = [text for tag, text in parsed.texts if tag == "style"]

    def named(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    assert rules["script-src"].split() == [named(script) for script in scripts] and len(scripts) == 2
    assert rules["style-src"].split() == [named(sheet) for sheet in sheets]
    assert not [a for _, a in parsed.elements for name in a if name.startswith("on") or name == "style"]


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_hostile_records_are_only_text(name: str) -> None:
    incident = ALERT | {"text": name, "reason": name, "player": name, "squares": [name, "d4", 7]}
    hostile = {"players": {"g": name, "r": name}, "date": name, "incidents": (incident, {"type": name})}
    usual, text = Parsed(page(game(3))), page(game(3, **hostile))
    found = Parsed(text)
    assert [tag for tag, _ in found.elements] == [tag for tag, _ in usual.elements]
    data = found.data()["game"]
    assert data["state"]["players"]["green"]["name"] == name.replace("\ud800", "?")
    assert data["notes"] == [
        {"kind": "alert", "reason": data["notes"][0]["reason"], "player": None, "squares": ["d4"]}
        | {"text": name.replace("\ud800", "?"), "after": 3}
    ]


@pytest.mark.slow
def test_the_page_of_a_long_game_is_small() -> None:
    record = game(100, players={"g": "Ann", "r": "Ben"}, incidents=[ALERT | {"time": 35.0}] * 40)
    for language in ("en", "pl", "it"):
        assert len(page(record, language).encode()) < 400_000


def test_notes_are_shown_at_their_place() -> None:
    record = game(
        5,
        incidents=(
            ALERT | {"time": 1.0},
            {"type": "taken_back", "ply": 1, "moves": ["c4-c5", "c5-c6"], "time": 25},
            {"type": "ruling", "legal": True, "time": 30.0},
            {"type": "corrected", "time": 99},
            {"type": "prompt", "time": 3.0},
            {"type": "alert"},
            {"type": ["alert"], "time": {}},
        ),
    )
    assert [(note["after"], note["kind"]) for note in notes(record)] == [
        (0, "alert"), (2, "taken_back"), (3, "ruling"), (5, "corrected"), (5, "alert"),
    ]  # fmt: skip
    assert notes(record)[1]["turns"] == 2


def test_comments_of_an_sgf_file_are_included() -> None:
    head = '(;FF[4]GM[36]RULES[{"players":2}]GC[a fine game]'
    sgf = f"{head};MV[b2-b3]C[bold \\] move];MV[b5-b4];MV[b3-b5]C[x])"
    (record,) = read_sgf(sgf).games
    comments = [(note["after"], note["text"]) for note in notes(record)]
    assert comments == [(0, "a fine game"), (1, "bold ] move"), (3, "x")]


def test_swings_are_those_of_the_review_or_omitted() -> None:
    review = Parsed(page(game(20))).data()["game"]["review"]
    assert len(review["turns"]) == 20 and 1 <= len(review["swings"]) <= 3
    assert Parsed(page(game(20), swings=False)).data()["game"]["review"] is None
    assert Parsed(page(game(20, over=False))).data()["game"]["review"] is None


def test_a_result_that_is_only_in_the_record_is_shown() -> None:
    record = GameRecord(Rules.make(2), result=Outcome("r", "resigned"))
    assert Parsed(page(record)).data()["game"]["state"]["result"]["winners"] == ["red"]


def test_stills_are_included() -> None:
    data = Parsed(page(game(2), stills=lambda _: {0: b"\xff\xd8", 2: b"\xff\xd9"})).data()
    assert data["stills"] == {"0": "data:image/jpeg;base64,/9g=", "2": "data:image/jpeg;base64,/9k="}


def test_a_record_that_cannot_be_written_is_refused() -> None:
    record = game(3)
    with pytest.raises(IllegalMove, match="ply 2"):
        page(GameRecord(record.rules, entries=(record.entries[0], record.entries[0])))
    with pytest.raises(FormatError, match="2 games"):
        write(Match((record, record)), story_format("en"))
