"""Attacks by another site's page, a viewer on the network, or a name. Each test belongs to a row of
``docs/security.md``.
"""

from __future__ import annotations

import csv
import html.parser
import io
import json
import re
import statistics
import threading
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from typing import Any

import pytest
import sgfmill.sgf_grammar
from flask.testing import FlaskClient
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.fuzzing.targets import PATHS, Page
from focus_companion.formats.json_record import read_json, write_json
from focus_companion.formats.match import Match
from focus_companion.formats.writing import NAMES as EXPORTS
from focus_companion.formats.writing import write
from focus_companion.session.names import clean_text
from focus_companion.web import exports
from focus_companion.web.access import HttpError, PinGate

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "';alert(1);//",
    "{{7*7}}{% raw %}",
    "]](;GM[1]",
    "]\\]\\",
    "=cmd|'/c calc'!A1",
    "@SUM(1)",
    "＝1+1",
    "+1",
    "-1",
    "../../etc/passwd",
    "a\r\nSet-Cookie: x=1",
    "\u001b]0;title\u0007\u001b[2J",
    "\u202egnp.exe",
    "a\u0000b",
    "\ud800",
    "</title><svg onload=alert(1)>",
    "&lt;b&gt;",
    "Resumé\u2028x",
    "x" * 5000,
]


@pytest.fixture(scope="module")
def reading() -> Iterator[Page]:
    """A page for tests that change nothing."""
    made = Page()
    yield made
    made.close()


@pytest.fixture
def watcher(reading: Page) -> FlaskClient:
    return reading.app.test_client()


@pytest.fixture
def page() -> Iterator[Page]:
    made = Page()
    yield made
    made.close()


@pytest.fixture
def client(page: Page) -> FlaskClient:
    return page.app.test_client()


def do(client: FlaskClient, body: object, **headers: str) -> int:
    # As pure ASCII, because JSON can contain characters that UTF-8 cannot encode.
    data = json.dumps(body)
    answer = client.post("/api/requests", data=data, content_type="application/json", headers=headers)
    return int(answer.status_code)


# Other origins, rebinding, forged requests


FOREIGN = [
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://localhost:81"},
    {"Origin": "http://l[calhost"},
    {"Origin": "http://localhost@evil.example"},
    {"Origin": "http://evil.example/localhost"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_a_page_of_another_site_changes_nothing(reading: Page, headers: dict) -> None:
    client, before = reading.app.test_client(), reading.session.state()
    for body in ({"act": "new_game"}, {"act": "pause"}, {"act": "resign", "player": "red"}):
        status = do(client, body, **headers)
        assert status == 403, (headers, status)
    assert client.post("/api/pin", json={"pin": "482159"}, headers=headers).status_code == 403
    assert reading.session.state() == before


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
def test_what_a_form_can_send_is_not_done(reading: Page, kind: str) -> None:
    client, before = reading.app.test_client(), reading.session.state()
    body = b'{"act": "new_game", "x": "="}'
    assert client.post("/api/requests", data=body, content_type=kind).status_code == 415
    assert client.get("/api/requests?act=new_game").status_code == 405
    assert reading.session.state() == before


@pytest.mark.parametrize("path", [path for path in PATHS if path not in ("/", "/games")])
def test_another_site_cannot_read(watcher: FlaskClient, path: str) -> None:
    for site in ("cross-site", "same-site"):
        got = watcher.get(path, headers={"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"})
        assert got.status_code == 403, path
    with watcher.get(path, headers={"Origin": "http://evil.example"}) as got:
        assert got.headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert not [name for name, _ in got.headers if name.startswith("Access-Control-")]
    asked = watcher.options(
        path, headers={"Origin": "http://evil.example", "Access-Control-Request-Method": "GET"}
    )
    assert not [name for name, _ in asked.headers if name.startswith("Access-Control-")]


def test_a_link_from_another_site_may_be_followed(watcher: FlaskClient) -> None:
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert watcher.get("/", headers=followed).status_code == 200


NAMES = [
    *("evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "board.local.evil", "a@localhost"),
    *("localhost:80@evil.example", "0x7f000001.", "[", "", "localhost x", "localhost/", "xn--bord-5qa.local"),
]


@pytest.mark.parametrize("name", NAMES)
def test_a_rebound_name_gets_nothing(watcher: FlaskClient, name: str) -> None:
    for path in PATHS:
        answer = watcher.get(path, headers={"Host": name})
        assert answer.status_code in (400, 421), (path, name)
        assert "position" not in answer.text


def test_a_rebound_name_cannot_act_even_from_this_machine(page: Page, client: FlaskClient) -> None:
    before = page.session.state()
    headers = {"Host": "evil.example", "Origin": "http://evil.example", "Sec-Fetch-Site": "same-origin"}
    assert do(client, {"act": "new_game"}, **headers) == 421
    assert page.session.state() == before


# The PIN


def guess(gate: PinGate, pin: str, address: str) -> int:
    try:
        gate.enter(pin, address)
    except HttpError as refused:
        return int(refused.status)
    return 200


def test_months_of_guessing_do_not_find_six_digits() -> None:
    now = [0.0]
    gate = PinGate("482159", lambda: now[0])
    wrong = 0
    # A thousand addresses guess all day, as often as allowed.
    for second in range(0, 86_400, 20):
        now[0] = float(second)
        wrong += guess(gate, "000000", f"10.0.{second % 4}.{second % 250}") == 401
    assert 200 < wrong < 330
    assert wrong * 90 < 10**6 / 20, "three months of guessing find at most one PIN in twenty"


def test_one_host_of_many_ipv6_addresses_is_one() -> None:
    gate = PinGate("482159", lambda: 0.0)
    statuses = [guess(gate, "0", f"2001:db8::{number:x}") for number in range(1, 9)]
    assert statuses == [401] * 3 + [429] * 5
    assert guess(gate, "482159", "2001:db8:0:1::1") == 200
    assert [guess(gate, "0", f"::ffff:10.0.0.{number}") for number in range(1, 5)] == [401] * 4


def test_the_memory_of_guesses_is_bounded() -> None:
    now = [0.0]
    gate = PinGate("482159", lambda: now[0])
    for number in range(5000):
        now[0] += 400
        guess(gate, "0", f"10.{number // 250}.0.{number % 250}")
    assert len(gate._tries) <= 1024
    for number in range(1500):
        now[0] += 400
        assert guess(gate, "482159", f"10.9.{number // 250}.{number % 250}") == 200
    assert len(gate._tokens) <= 1024


def test_the_time_of_a_wrong_pin_reveals_nothing() -> None:
    right = "482159" * 10

    def seconds(pin: str) -> float:
        gate = PinGate(right, lambda: 0.0)
        began = time.perf_counter()
        guess(gate, pin, "a")
        return time.perf_counter() - began

    none, most = [], []
    for _ in range(400):
        none.append(seconds("9" * 60))
        most.append(seconds(right[:-1] + "0"))
    # Medians of many alternating measurements show an early exit of the comparison, but not noise.
    assert abs(statistics.median(none) - statistics.median(most)) < 5e-6


@pytest.mark.parametrize("pin", ["", "\ud800", "٤٨٢١٥٩", "4" * 64, "482 159", "\u0000"])
def test_unusual_pins_are_simply_wrong(client: FlaskClient, pin: str) -> None:
    body = json.dumps({"pin": pin})
    answer = client.post("/api/pin", data=body, content_type="application/json")
    assert answer.status_code == 401


@pytest.mark.parametrize(
    "body", [{}, [], {"pin": 482159}, {"pin": ["482159"]}, {"pin": "4" * 65}, {"pin": None}]
)
def test_an_invalid_pin_is_reported(client: FlaskClient, body: object) -> None:
    assert client.post("/api/pin", json=body).status_code == 400


def test_the_pin_is_nowhere_to_be_read(reading: Page) -> None:
    client = reading.app.test_client()
    for path in PATHS:
        for peer in ("127.0.0.1", "192.168.1.77"):
            if path.startswith("/api/events"):
                continue
            answer = client.get(path, environ_overrides={"REMOTE_ADDR": peer})
            assert b"482159" not in answer.data
            assert "482159" not in str(answer.headers)
    assert "482159" not in json.dumps(reading.session.state(), default=str)


# Paths


CLIMBS = [
    *("../../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd", "....//etc/passwd", ".."),
    *("/etc/passwd", "..\\..\\etc", "%00", "js/../../app.py", "~/x", "file:///etc/passwd"),
]


@pytest.mark.parametrize("climb", CLIMBS)
def test_no_path_leads_out(watcher: FlaskClient, climb: str) -> None:
    for place in ("/assets/0/", "/assets/", "/texts/", "/api/games/", "/games/", "/api/games/1/export/", "/"):
        answer = watcher.get(place + climb)
        assert answer.status_code in (308, 400, 404, 405, 421), place + climb
        assert "root:" not in answer.text and "create_app" not in answer.text
    answer = watcher.get("/api/games/1/export", query_string={"format": climb})
    assert answer.status_code == 400
    assert "root:" not in answer.text


NUMBERS = ["0", "-1", "1e3", "9" * 18, "9" * 19, "9" * 5000, "٣", "1.0", "0x1", "+1"]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: ascii(number)[:12])
def test_no_number_of_a_game_breaks_anything(watcher: FlaskClient, number: str) -> None:
    for path in (f"/api/games/{number}", f"/api/games/{number}/export", f"/api/games/{number}/review"):
        assert watcher.get(path).status_code == 404, path
    if number.isascii():
        answer = watcher.get("/api/events", headers={"Last-Event-ID": number})
        assert answer.status_code in (200, 400)
        answer.close()


# Names and notes


IN_CHILDREN = HOSTILE[:2]
"""Names for which the slow formats are written in child processes, as the program does. For all others, the
same code runs in the test's own process: starting a child takes over a second."""


def write_in_process(match: Match, name: str, language: str) -> bytes:
    return write(read_json(write_json(match).encode()), exports.named_format(name, language))


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: ascii(name)[:20])
def test_a_hostile_name_is_a_name_everywhere(
    page: Page, client: FlaskClient, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name not in IN_CHILDREN:
        monkeypatch.setattr(exports, "_in_child", write_in_process)
    body = {"act": "new_game", "players": {"green": {"name": name}, "red": {"name": "Ben"}}}
    assert do(client, body) == 200
    assert do(client, {"act": "choose", "move": "b6-b7"}) == 200
    assert do(client, {"act": "draw"}) == 200
    state = client.get("/api/state").json
    known, game = state["players"]["green"]["name"], state["game"]
    assert len(known) <= 60 and (known.isprintable() or not known)
    # Films take seconds; tests/formats covers unusual names in them.
    kinds = [kind for kind in EXPORTS if kind != "mp4"]
    got = {kind: client.get(f"/api/games/{game}/export?format={kind}") for kind in kinds}
    for kind, answer in got.items():
        assert answer.status_code == 200, (kind, answer.text[:200])
        # No part of the name gets into the header.
        offered = answer.headers["Content-Disposition"]
        assert re.fullmatch(rf"attachment; filename=focus-game-{game}\.[a-z]+", offered), offered
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "Set-Cookie" not in answer.headers
    assert json.loads(got["json"].data)["players"].get("green", {"name": ""})["name"] == known
    for cell in next(iter(list(csv.reader(io.StringIO(got["csv"].text)))[1:])):
        assert not cell.startswith(("=", "+", "@", "＝", "\t", "\r")), cell
        assert not (cell.startswith("-") and not cell[1:2].isdigit()), cell
    root = ElementTree.fromstring(got["svg"].data)
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags <= {"svg", "title", "desc", "g", "rect", "ellipse", "polygon", "polyline", "text"}
    assert not [key for element in root.iter() for key in element.attrib if key.startswith("on")]
    (tree,) = sgfmill.sgf_grammar.parse_sgf_collection(got["sgf"].data)
    assert tree.sequence[0]["GM"] == [b"36"]
    assert not any(char in got["text"].text for char in "\x1b\x00\x07\u202e")


class Scripts(html.parser.HTMLParser):
    """Collects the active content of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        named = dict(attrs)
        inline = tag == "script" and "src" not in named and named.get("type") != "application/json"
        if (
            inline
            or any(key.startswith("on") for key in named)
            or tag in ("img" if "src=x" in str(attrs) else ())
        ):
            self.found.append(tag)


@pytest.mark.parametrize("name", HOSTILE[:6], ids=ascii)
def test_a_hostile_name_runs_nowhere_on_the_pages(client: FlaskClient, name: str) -> None:
    body = {"act": "new_game", "players": {"green": {"name": name}, "red": {"name": name}}}
    assert do(client, body) == 200
    for path in ("/", "/games", "/games/3", "/games/0"):
        scripts = Scripts()
        scripts.feed(client.get(path).text)
        assert scripts.found == [], path
        assert name not in client.get(path).text or "<" not in name


@given(st.text(max_size=200))
@settings(max_examples=300)
def test_a_clean_name_is_one_line_of_text(text: str) -> None:
    clean = clean_text(text)
    assert len(clean) <= 60 and clean == clean.strip() and "  " not in clean
    clean.encode()
    assert all(char.isprintable() or char in "\u200c\u200d" for char in clean)
    assert clean_text(clean) == clean


def test_flags_made_of_tags_are_kept_whole_but_no_other_tags() -> None:
    tags, end = "".join(chr(0xE0000 + ord(letter)) for letter in "gbsct"), "\U000e007f"
    flag = f"\U0001f3f4{tags}{end}"
    assert clean_text(f" Ailsa {flag} ") == f"Ailsa {flag}"
    assert clean_text(f"Ailsa{tags}{end}") == "Ailsa"
    assert clean_text(f"\U0001f3f4{tags}") == clean_text(f"\U0001f3f4{end}") == "\U0001f3f4"
    assert clean_text(f"\U0001f3f4{tags * 9}{end}") == "\U0001f3f4"
    assert clean_text("a" * 55 + flag) == "a" * 55, "not a part of it, which would be another flag"


# Request bodies and expensive work


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b'{"act": "not_legal", "ply": ' + b"9" * 5000 + b"}",
        b'{"act": "not_legal", "ply": 1e400}',
        b'{"act": "new_game", "rules": {"players": ' + b"1" * 4000 + b"}}",
        b'{"act": "new_game", "clock": {"kind": "increment", "seconds": 1e308, "increment": 1e308}}',
        b'{"act": "set_position", "position": "' + b"-," * 100_000 + b'"}',
        b'{"act": "set_position", "position": "' + b"r" * 200_000 + b'"}',
        b'{"act": "new_game", "players": {"green": {"name": "' + b"\\u0000" * 20_000 + b'"}}}',
        b'{"act": "pause", "act": "resume"}',
    ],
    ids=lambda data: data[:40].decode(),
)
def test_a_hostile_body_is_answered_at_once(page: Page, client: FlaskClient, data: bytes) -> None:
    began = time.process_time()
    answer = client.post("/api/requests", data=data, content_type="application/json")
    assert answer.status_code in (200, 400, 409)
    assert len(answer.data) < 2000
    assert time.process_time() - began < 2
    assert client.get("/api/state").status_code == 200


def test_films_are_made_one_at_a_time(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    running, most = [], []
    go = threading.Event()

    def slow(*_: object, **__: object) -> bytes:
        running.append(1)
        most.append(len(running))
        go.wait(240)
        running.pop()
        return b"GIF89a"

    monkeypatch.setattr("focus_companion.web.exports.run_module", slow)
    statuses: list[int] = []

    def ask() -> None:
        statuses.append(client.application.test_client().get("/api/games/1/export?format=mp4").status_code)

    threads = [threading.Thread(target=ask) for _ in range(12)]
    for thread in threads:
        thread.start()
    while len(statuses) < 8:
        time.sleep(0.01)
    # Requests that are not served are refused at once, and everything else continues.
    assert statuses == [503] * 8
    assert client.get("/api/state").status_code == 200
    go.set()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200] * 4 + [503] * 8 and max(most) == 1
