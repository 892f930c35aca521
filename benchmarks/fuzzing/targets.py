"""The fuzzing targets: every reader of foreign input, and the page, each as a function of bytes.

A target returns if the input is read or clearly refused, and raises otherwise: on another exception, an
incomprehensible error, or a wrong answer. ``tests/corpus/NAME`` holds its examples.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from benchmarks.fuzzing import parsers as parsers
from benchmarks.fuzzing.ground import Sight, folder, quick_folder, refused
from benchmarks.fuzzing.records import kinds, read_game, read_lines, records

CORPUS: Final = Path(__file__).resolve().parents[2] / "tests" / "corpus"

REQUESTS_PER_PAGE: Final = 300
"""Requests after which the page is recreated, so that its journal stays short."""


@dataclass(frozen=True)
class Target:
    """``run`` raises if the bytes are handled wrongly; ``seeds`` returns valid inputs; ``words`` is the
    dictionary for mutating them; ``longest``: maximum size of an input in bytes.
    """

    run: Callable[[bytes], object]
    seeds: Callable[[], Iterable[bytes]]
    words: Sequence[str] = ()
    longest: int = 4096
    modules: Sequence[str] = field(default=("focus_companion",))
    """Packages whose branch coverage is measured."""


# Records, positions and rules, as read by the commands


def _samples(name: str) -> list[bytes]:
    import random

    return [kind.make(random.Random(seed)) for kind in kinds() if kind.name == name for seed in range(12)]


def run_record(data: bytes) -> None:
    refused(lambda: read_game(data, folder()))


def run_lines(data: bytes) -> None:
    refused(lambda: read_lines(data, folder()))


def run_position(data: bytes) -> None:
    from benchmarks.fuzzing.records import read_position

    refused(lambda: read_position(data, folder()))


def run_rules(data: bytes) -> None:
    from benchmarks.fuzzing.records import read_rules

    refused(lambda: read_rules(data, folder()))


def _good(suffix: str) -> list[bytes]:
    from focus_companion.formats.reading import read_record
    from focus_companion.formats.writing import write

    jsons = [json.dumps(game).encode() for game in records(8)]
    return jsons if suffix == "json" else [write(read_record(data), suffix) for data in jsons]


# Settings


def run_settings(data: bytes) -> None:
    from focus_companion.lights.settings import LightSettings, LightSettingsError
    from focus_companion.settings import SettingsError, load

    file = folder() / "config.toml"
    file.write_bytes(data)

    def read() -> None:
        LightSettings.from_mapping(load(environ={}, config=file).lights)

    refused(read, SettingsError, LightSettingsError)


def _settings() -> list[bytes]:
    return [
        b'camera = "rtsp://a:b@c/"\nport = 8000\nlan = true\npin = "123456"\nfps = 12.5\ndata = "~/games"\n',
        b'[lights]\nbackends = ["gpio", "serial", "wled"]\nbrightness = 30\nsound = false\n',
        b"[lights.gpio]\nrgb = [1, 2, 3]\nwarning = false\nbutton = 3\n[lights.gpio.turn]\nred = 5\n"
        b"[lights.gpio.reserves]\nred = [1, 2]\n",
        b'[lights.serial]\nport = "/dev/ttyACM0"\nack_timeout = 0.5\n',
        b'[lights.wled]\nurl = "http://strip/"\nbaud = 9\n[lights.wled.pixels]\nd5 = 3\n"turn red" = 1\n',
        b"port = 0x" + b"f" * 4100,
    ]


# Event bodies of the journal: a damaged one must be reported as such


def run_events(data: bytes) -> None:
    from focus_companion.game.rules import Rules
    from focus_companion.session.events import event_from_json
    from focus_companion.session.history import History

    history = History.begin(Rules.make(2), {}, game=1, date="2026-11-20")
    for line in data.split(b"\n")[:40]:
        # Exceptions that the journal treats as a damaged event.
        with contextlib.suppress(ValueError, RecursionError):
            history = history.take(event_from_json(json.loads(line)))


def _events() -> list[bytes]:
    from focus_companion.session import events

    samples = [
        events.Ready(1.0, "-"),
        events.SetUp(1.0, ["d5"]),
        events.Moved(1, 1, "green", "b6-b7", "", {}, {}, "red", 0.9),
        events.Alert(1, "distance", "red", ["d5"], "Put it back."),
        events.Prompt(1, "d3", [{"piece": "r"}]),
        events.TakenBack(1, 0),
        events.Unclear(1, ["d5-d6", "*d6"]),
        events.Lost(1, "camera"),
        events.Paused(1, True),
        events.Result(1, ["green"], "domination"),
        events.Begins(1, "red", ["red", "green"]),
        events.Corrected(1, "-", {"players": 2}, "why"),
    ]
    return [json.dumps(event.to_json(), default=dict).encode() for event in samples] + [
        b"\n".join(json.dumps(event.to_json(), default=dict).encode() for event in samples[:4])
    ]


# The light board's answers


def run_serial(data: bytes) -> None:
    from focus_companion.lights.protocol import Hello, Pong, ProtocolError
    from focus_companion.lights.wire import (
        MAX_FRAME_BYTES,
        BadFrame,
        Decoder,
        WireMessage,
        decode,
        encode,
        unstuff,
    )

    decoder, at = Decoder(), 0
    found: list[WireMessage] = []
    while at < len(data):
        step = 1 + data[at] % 29
        found += decoder.feed(data[at : at + step])
        at += step
        if len(decoder._pending) > MAX_FRAME_BYTES + 1:
            raise AssertionError("the decoder holds more than one frame")
    for frame in found:
        if decode(encode(frame)[1:-1]) != frame:
            raise AssertionError("a frame is not what it was")
    for part in (data, *(frame.data for frame in found)):
        for parse in (Hello.parse, Pong.parse):
            with contextlib.suppress(ProtocolError):
                parse(part)
        with contextlib.suppress(BadFrame):
            unstuff(part)


def _serial() -> list[bytes]:
    from focus_companion.lights.wire import WireMessage, encode

    hello = bytes((0, 1, 1, 0, 0, 63, 98, 6, 1, 244, 0))
    frames = [
        WireMessage(1, 0x81, hello),
        WireMessage(2, 0x82, bytes((0, 1, 2, 3, 0, 9))),
        WireMessage(0, 0xC1, b"\x05"),
    ]
    sent = [encode(frame) for frame in frames]
    return [*sent, b"".join(sent), b"\0" * 9, b"\xff" * 300, hello[1:]]


# Pictures and films


def run_picture(data: bytes) -> None:
    from focus_companion.vision.capture.frames import FrameError, read_image

    file = folder() / "picture.jpg"
    file.write_bytes(data)
    refused(lambda: read_image(file), FrameError)


def run_film(data: bytes) -> None:
    from focus_companion.vision.capture.frames import MAX_PIXELS, FrameError
    from focus_companion.vision.capture.sources import open_source

    file = folder() / "film.mp4"
    file.write_bytes(data)

    def watch() -> None:
        with open_source(str(file)) as frames:
            for frame in frames:
                if frame.image.size > 3 * MAX_PIXELS:
                    raise AssertionError("a picture larger than any camera's")
                if frame.index > 50:
                    break

    refused(watch, FrameError)


def _pictures() -> list[bytes]:
    import cv2
    import numpy as np

    image = np.random.default_rng(1).integers(0, 255, (24, 32, 3), dtype=np.uint8)
    return [
        cv2.imencode(kind, image)[1].tobytes()
        for kind in (".jpg", ".png", ".bmp", ".webp", ".tif", ".gif", ".ppm")
    ]


def _films() -> list[bytes]:
    import cv2
    import numpy as np

    films = []
    for suffix, code in ((".avi", "MJPG"), (".mp4", "mp4v"), (".mkv", "MJPG")):
        path = folder() / f"seed{suffix}"
        writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*code), 10, (32, 32))
        for shade in range(4):
            writer.write(np.full((32, 32, 3), 60 * shade, np.uint8))
        writer.release()
        films.append(path.read_bytes())
    jpegs = [picture for picture in _pictures() if picture.startswith(b"\xff\xd8")] * 2
    part = b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%b\r\n"
    return [*films, b"".join(part % (len(jpeg), jpeg) for jpeg in jpegs), b"".join(jpegs)]


# The page: requests as sent over the network, through the server's own parser


class _Now:
    """A session that carries out requests at once, because there is no game thread."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def submit(self, request: object) -> Any:
        done = self._session.submit(request)
        self._session.attend()
        return done

    def subscribe(self, after: int | None = None, *, heartbeat: float = 0) -> Any:
        return self._session.subscribe(after, heartbeat=0.001)


class _NoReviews:
    def ask(self, _: object) -> None:
        """Stands in for the review, which runs in a separate process and reads no foreign input."""


class Page:
    """A page with two games in its journal, behind the server's parser."""

    def __init__(self) -> None:
        import numpy as np
        from waitress.adjustments import Adjustments

        from focus_companion.game.moves import Move
        from focus_companion.game.rules import Rules
        from focus_companion.session.requests import ChooseMove, NewGame, Resign
        from focus_companion.session.session import Session
        from focus_companion.storage.journal import Journal
        from focus_companion.vision.capture.frames import Frame
        from focus_companion.web.app import create_app

        self.folder = Path(tempfile.mkdtemp(dir=quick_folder()))
        self.journal = Journal(self.folder)
        self.session = Session(Rules.make(2), {"g": "Ann"}, self.journal, lambda _: Sight())
        self.session.push(Frame(0, 0.0, np.zeros((12, 16, 3), np.uint8)))
        now = _Now(self.session)
        for request in (ChooseMove(Move.parse("b6-b7")), Resign("r"), NewGame()):
            now.submit(request)
        self.app = create_app(now, self.journal, lan=True, pin="482159", hosts=["board.local"])
        self.app.extensions["reviews"] = _NoReviews()
        # An internal error must be raised here, not rendered as an error page.
        self.app.config["PROPAGATE_EXCEPTIONS"] = True
        self.adjustments = Adjustments(max_request_body_size=256 * 1024, ident=None)

    def close(self) -> None:
        self.session.close()
        self.journal.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, data: bytes, peer: str) -> None:
        """Handle every request in the bytes, from this address. Raises for a wrong answer."""
        from waitress.parser import HTTPRequestParser

        for _ in range(4):
            parser = HTTPRequestParser(self.adjustments)
            while data and not parser.completed:
                taken = parser.received(data)
                data = data[taken:]
                if not taken:
                    return
            if not parser.completed or parser.empty:
                return
            if parser.error is not None:
                if parser.error.code >= 500 and parser.error.code != 501:
                    raise AssertionError(f"the parser says {parser.error.code}")
                return
            self._answer(parser, peer)
            if not data:
                return

    def _answer(self, parser: Any, peer: str) -> None:
        from waitress.task import WSGITask

        server = SimpleNamespace(adj=self.adjustments, effective_port=8000, server_name="board.local")
        channel = SimpleNamespace(server=server, addr=(peer, 5), check_client_disconnected=lambda: False)
        task = WSGITask(channel, parser)
        started: list[tuple[str, list[tuple[str, str]]]] = []

        def begin(status: str, headers: list[tuple[str, str]], _: object = None) -> Any:
            started.append((status, headers))

        body: Any = self.app(task.get_environment(), begin)
        stream = any(value.startswith("text/event-stream") for name, value in started[0][1])
        with contextlib.closing(body) if hasattr(body, "close") else contextlib.nullcontext():
            got = b"".join(_some(body, 3 if stream else None))
        check_answer(int(started[0][0][:3]), dict(started[0][1]), got)


def _some(parts: Iterable[bytes], most: int | None) -> Iterator[bytes]:
    for number, part in enumerate(parts):
        if number == most:
            return
        yield part


def check_answer(status: int, headers: Mapping[str, str], body: bytes) -> None:
    """Raise for an answer that the page must never give."""
    if status >= 500 and status != HTTPStatus.SERVICE_UNAVAILABLE:
        raise AssertionError(f"status {status}")
    for name, value in headers.items():
        if any(char in value for char in "\r\n\0"):
            raise AssertionError(f"the header {name} is broken: {value!r}")
    if "default-src 'none'" not in headers.get("Content-Security-Policy", ""):
        raise AssertionError("an answer without a policy")
    if headers.get("Access-Control-Allow-Origin") is not None:
        raise AssertionError("an answer for other sites")
    if any(word in body for word in (b"Traceback", b"482159", b"werkzeug")):
        raise AssertionError(f"an answer that tells too much: {body[:200]!r}")
    if headers.get("Content-Type") == "application/json" and "Content-Encoding" not in headers and body:
        json.loads(body)


_page: list[Any] = [None, 0]


def run_page(data: bytes) -> None:
    if _page[0] is None or _page[1] >= REQUESTS_PER_PAGE:
        if _page[0] is not None:
            _page[0].close()
        _page[:] = [Page(), 0]
    _page[1] += 1
    try:
        for peer in ("127.0.0.1", "192.168.1.77"):
            _page[0].ask(data, peer)
    except BaseException:
        # The next input must start from a new page.
        _page[0].close()
        _page[:] = [None, 0]
        raise


ACTS: Final[tuple[dict[str, Any], ...]] = (
    {"act": "take_back"},
    {"act": "resign", "player": "red"},
    {"act": "leave", "player": "green"},
    {"act": "draw"},
    {"act": "choose", "move": "b6-b7"},
    {"act": "legal", "move": "*d5"},
    {"act": "not_legal", "ply": 1},
    {"act": "rematch"},
    {"act": "dismiss"},
    {"act": "pause"},
    {"act": "resume"},
    {"act": "place_board",
     "corners": {"a1": [0.1, 0.9], "h1": [0.9, 0.9], "h8": [0.8, 0.1], "a8": [0.2, 0.1]}},
    {"act": "place_board", "corners": None},
    {"act": "new_game", "rules": {"players": 3, "fast": True}, "players": {"red": {"name": "Ann \ud83d"}},
     "seats": {"red": "top"}, "clock": {"kind": "increment", "seconds": 300, "increment": 5}},
    {"act": "set_position", "position": "-,-,-,-/r,r,g,g,r,r/-,g,g,r,r,g,g,-/-,r,r,g,g,r,r,-/-,g,g,r,r,g,g,-/"
     "-,r,r,g,g,r,r,-/g,g,r,r,g,g/-,-,-,-", "to_move": "red", "reserves": {"red": 0}, "note": "x",
     "captured": {"red": {"green": 0}}},
)  # fmt: skip

PATHS: Final = (
    *("/", "/games", "/games/1", "/qr.svg", "/manifest.webmanifest", "/favicon.ico", "/texts/pl.json"),
    *("/assets/0/style.css", "/assets/0/js/game/main.js", "/api/state", "/api/events", "/api/events?after=1"),
    *("/snapshot.jpg", "/snapshot.jpg?overlay=1&width=320", "/api/legal", "/api/match", "/healthz"),
    *("/api/games", "/api/games/1", "/api/games/1/review", "/?lang=it"),
    *(f"/api/games/1/export?format={name}" for name in ("json", "sgf", "text", "csv", "svg")),
)


def _requests() -> list[bytes]:
    head = "Host: localhost\r\nAccept-Encoding: gzip\r\nAccept-Language: pl\r\n"
    asked = [f"GET {path} HTTP/1.1\r\n{head}\r\n".encode() for path in PATHS]
    for act in ({"pin": "482159"}, {"pin": "0"}, *ACTS):
        body = json.dumps(act)
        path = "/api/pin" if "pin" in act else "/api/requests"
        kind = "Origin: http://localhost\r\nContent-Type: application/json\r\nSec-Fetch-Site: same-origin\r\n"
        length = f"Content-Length: {len(body)}\r\n\r\n"
        asked.append(f"POST {path} HTTP/1.1\r\n{head}{kind}{length}{body}".encode())
    asked.append(b"GET /api/events HTTP/1.1\r\nHost: board.local\r\nLast-Event-ID: 2\r\n\r\n")
    return asked


_HTTP_WORDS: Final = (
    *("GET ", "POST ", "HEAD ", "PUT ", "DELETE ", "OPTIONS ", " HTTP/1.1\r\n", " HTTP/1.0\r\n", "Host: "),
    *("localhost", "board.local", "192.168.1.20", "Origin: ", "Content-Length: ", "Transfer-Encoding: "),
    *("chunked", "Cookie: focus_pin=", "Sec-Fetch-Site: ", "Last-Event-ID: ", "application/json", "\r\n\r\n"),
    *("/api/games/", "/api/requests", "/api/pin", "/export?format=", "%00", "%2e%2e/", "?lang=", "&width="),
    *('"act":', '"rules":', '"players":', '"clock":', '"seats":', '"position":', '"captured":', "\\ud800"),
    *("99999999999999999999", "1e999", "null", "-1", "Expect: 100-continue\r\n", "If-None-Match: "),
)
_RECORD_WORDS: Final = (
    '"moves":',
    '"rules":',
    '"start":',
    '"act":',
    '"order":',
    '"incidents":',
    "d5-d6",
    "*d5",
)

TARGETS: Final[Mapping[str, Target]] = {
    "json": Target(run_record, lambda: _good("json") + _samples("json, values"), _RECORD_WORDS),
    "jsonl": Target(run_lines, lambda: _samples("json, lines"), _RECORD_WORDS, 8192),
    "sgf": Target(run_record, lambda: _good("sgf"), ("(;", "FF[4]", "GM[36]", "CA[", "B[", "C[", ")", "\\]")),
    "text": Target(run_record, lambda: _good("text"), ("Focus move sheet", "Rule: ", "Kept: ", "pass", "@1")),
    "position": Target(run_position, lambda: _samples("position"), ("-,-,-,-", "/", "rgbyr"), 512),
    "rules": Target(run_rules, lambda: _samples("rules file"), ("players = ", "[start]", "preset = "), 2048),
    "settings": Target(run_settings, _settings, ("[lights", "gpio", "serial", "wled", "pixels", "0x"), 8192),
    "events": Target(run_events, _events, ('"type":', '"ply":', '"move":', "corrected", "NaN", "Infinity")),
    "serial": Target(run_serial, _serial, (), 1024),
    "picture": Target(run_picture, _pictures, ("IHDR", "IDAT", "\\xff\\xc0", "RIFF", "WEBP"), 8192),
    "film": Target(run_film, _films, ("moov", "mdat", "RIFF", "--frame\\x0d\\x0a"), 16384),
    "page": Target(run_page, _requests, _HTTP_WORDS),
    "hall": Target(
        parsers.run_hall, parsers.hall_seeds, ("A/status", "A/games/1", "\n--\n", '"seq":', '"event":')
    ),
    "stream": Target(
        parsers.run_stream, parsers.stream_seeds, ("--frame", "Content-Length: ", "\\x0d\\x0a"), 8192
    ),
    "lens": Target(
        parsers.run_lens, parsers.lens_seeds, ("width = ", "inf", "1e308", "centre = [", "0x"), 2048
    ),
    "tape": Target(
        parsers.run_tape, parsers.tape_seeds, ('"request":', '"is":', '"told":', '"camera":', "NaN")
    ),
}


def examples(name: str) -> list[Path]:
    """The kept examples of a target."""
    return sorted(path for path in (CORPUS / name).glob("*") if path.is_file())
