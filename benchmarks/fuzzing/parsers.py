"""More fuzzing targets: broker messages, camera streams, lens profiles, tapes."""

from __future__ import annotations

import io
import json
import shutil
from functools import cache
from typing import Any, Final

from benchmarks.fuzzing.ground import Sight, folder, refused
from focus_companion.vision.capture.http import MAX_ANSWER_BYTES

SEPARATOR: Final = b"\n--\n"
"""Between two messages to the hall."""


def _stacks() -> str:
    from focus_companion.game.rules import Rules
    from focus_companion.game.setups import start_position

    return start_position(Rules.make(2)).text


# Broker messages, each with the end of its topic on the first line, then its payload


def run_hall(data: bytes) -> None:
    from focus_companion.hall import results
    from focus_companion.hall.evening import Evening
    from focus_companion.mqtt.line import Message
    from focus_companion.mqtt.messages import InvalidMessage, read_ask

    evening = Evening()
    for part in data.split(SEPARATOR)[:30]:
        head, _, payload = part.partition(b"\n")
        topic = f"focus-companion/1/{head.decode('utf-8', 'replace')}"
        evening.take(Message(topic, payload, retained=False))
        try:
            read_ask(payload)
        except InvalidMessage:
            continue
    evening.asks()
    for name in evening.names():
        evening.tile_text(name)
        for game in evening.games(name):
            # Exceptions that the hall's page answers with "not found".
            try:
                evening.record(name, game)
            except (LookupError, InvalidMessage):
                continue
    logs = evening.logs()
    for table in (results.results(logs), results.standings(logs), results.matches(logs)):
        json.dumps(table)
    results.sheet(results.this_evening(logs))
    results.bundle(evening, logs)


def hall_seeds() -> list[bytes]:
    from focus_companion.formats.strict_json import compact
    from focus_companion.mqtt.messages import write_event, write_log, write_status

    body = '{"type":"move","time":1.0,"ply":1,"player":"green","move":"b6-b7","confidence":0.9}'
    began = "2026-11-20T18:00:00.000+00:00"
    state: dict[str, Any] = {
        "journal": "j", "seq": 2, "game": 1, "ply": 0, "camera": "ok", "position": _stacks(),
        "to_move": "green", "order": ["green", "red"], "result": None,
        "players": {"green": {"name": "Ann"}, "red": {"name": ""}},
        "reserves": {"green": 0, "red": 0}, "captured": {"green": {"red": 0}, "red": {"green": 0}},
        "alert": None, "prompt": None, "clock": None,
    }  # fmt: skip
    head = {
        "table": "A", "journal": "j", "game": 1, "began": began, "prev": 0, "first": 1, "last": 2, "plies": 1,
        "order": ["green", "red"], "players": {"green": "Ann", "red": "Bob"},
        "points": {"green": 1, "red": 0},
        "result": {"winners": ["green"], "reason": "domination"},
    }  # fmt: skip
    begun = compact(
        {
            "type": "game", "time": 0.0, "game": 1, "rules": {"players": 2},
            "players": {"green": {"name": "Ann"}}, "position": _stacks(),
        }
    )  # fmt: skip
    sent = [(1, began, begun), (2, began, body)]
    status = b"A/status\n" + write_status(True, "j", 0, "1.0")
    events = [
        b"A/events\n" + write_event("A", "j", 1, began, seq, seq - 1, at, event) for seq, at, event in sent
    ]
    game = b"A/games/1\n" + write_log(head, sent)
    ask = b"A/ask\n" + compact({"after": 3}).encode()
    shown = b"A/state\n" + compact(state).encode()
    return [
        SEPARATOR.join((status, shown, *events)),
        SEPARATOR.join((status, game)),
        ask,
        SEPARATOR.join((game, status, *events)),
    ]


# A stream of pictures over HTTP


class _Answer(io.BytesIO):
    """A camera's stream, which arrives in chunks."""

    def read1(self, size: int | None = -1, /) -> bytes:
        return super().read1(min(size or 1, 1 + self.tell() % 41))


def run_stream(data: bytes) -> None:
    from focus_companion.vision.capture.frames import FrameError
    from focus_companion.vision.capture.network import MotionJpeg, Parts

    parts = Parts(_Answer(data))  # type: ignore[arg-type]
    source = MotionJpeg("camera", parts)
    for _ in range(len(data) + 2):
        there, held = parts.read()
        if not there:
            break
        if held is not None and len(held) > MAX_ANSWER_BYTES:
            raise AssertionError("a part larger than any picture")
        try:
            source._picture(held)
        except FrameError as error:
            raise AssertionError("a torn picture ends the stream") from error
    else:
        raise AssertionError("a stream that has ended goes on")


def stream_seeds() -> list[bytes]:
    import cv2
    import numpy as np

    jpeg = cv2.imencode(".jpg", np.full((8, 8, 3), 90, np.uint8))[1].tobytes()
    known = b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%b\r\n" % (len(jpeg), jpeg)
    unknown = b"--frame\r\nContent-Type: image/jpeg\r\n\r\n%b\r\n" % jpeg
    return [
        known * 3,
        unknown * 3 + b"--frame--\r\n",
        b"\r\n\r\n" + known + unknown,
        b"--a\nContent-Length: 3\n\nxyz",
    ]


# Lens profiles


def run_lens(data: bytes) -> None:
    from focus_companion.vision.geometry.lens_profiles import LensError, lens_text, read_lens

    file = folder() / "own.toml"
    file.write_bytes(data)

    def read() -> None:
        profile = read_lens(file)
        profile.at(640, 480)
        file.write_text(lens_text(profile, "again"), encoding="utf-8")
        read_lens(file)

    refused(read, LensError)


def lens_seeds() -> list[bytes]:
    good = (
        'camera = "usb cam"\nwidth = 1280\nheight = 960\nfocal = 1010.5\ncentre = [640.0, 480.0]\n'
        "distortion = [0.1, -0.2, 0.0, 0.0]\n"
    )
    return [
        good.encode(),
        f"{good}spread = 0.02\ndistortion_spread = 0.05\n".encode(),
        good.replace("1280", "inf").encode(),
        good.replace("960", "9" * 400).encode(),
        good.replace("1010.5", "nan").encode(),
    ]


# Tapes: only their lines; pictures are fuzzed separately


def run_tape(data: bytes) -> None:
    from focus_companion.commands.shared.console import BadInput
    from focus_companion.commands.shared.taping import sight_from_json
    from focus_companion.storage.tape.replay import Recording
    from focus_companion.storage.tape.tape import LINES_FILE, TapeError
    from focus_companion.vision.capture.frames import FrameError

    place = folder() / "tape"
    place.mkdir(exist_ok=True)
    picture = place / "0000001.png"
    if not picture.exists():
        picture.write_bytes(_png())
    (place / LINES_FILE).write_bytes(data)

    def read() -> None:
        recording = Recording(place)
        sight_from_json(recording.header.get("sight", {}))
        for _, _ in zip(range(200), recording.run(_blind), strict=False):
            continue

    refused(read, TapeError, FrameError, BadInput)
    for path in place.iterdir():
        if path.name not in (LINES_FILE, picture.name):
            shutil.rmtree(place)
            raise AssertionError(f"reading a tape has made {path.name}")


def _blind(rules: object) -> Any:
    return Sight()


@cache
def _png() -> bytes:
    import cv2
    import numpy as np

    return cv2.imencode(".png", np.full((8, 8, 3), 90, np.uint8))[1].tobytes()


def tape_seeds() -> list[bytes]:
    head: dict[str, Any] = {
        "format": "focus-companion tape", "version": 1, "program": "1.0", "game": 1, "rules": {"players": 2},
        "players": {"g": "Ann"}, "events": None, "again": None,
        "sight": {"rank1": "left", "boards": None, "lens": None},
    }  # fmt: skip
    frame = {"frame": 0, "time": 0.1, "file": "0000001.png"}
    begun = {"type": "ready", "time": 0.1, "position": _stacks()}
    lines: list[dict[str, Any]] = [
        frame, {"request": {"is": "Pause"}, "in_push": False},
        {"told": {"type": "pause", "time": 0.1, "paused": True}},
        {"camera": "lost", "why": "stalled"}, {"camera": "anew"}, {"camera": "found", "why": ""},
        {"request": {"is": "NewGame", "rules": {"players": 3}, "players": {"g": "Ann"}}, "in_push": True},
        {"request": {"is": "PlaceBoard", "corners": {"a1": [0.1, 0.9], "h1": [0.9, 0.9]}}, "in_push": False},
        {"request": {"is": "ChooseMove", "move": "d5-d6"}, "in_push": False}, {"end": "closed"},
    ]  # fmt: skip
    return [
        b"".join(json.dumps(line).encode() + b"\n" for line in row)
        for row in (
            [head, *lines],
            [head | {"events": [begun]}, frame],
            [head, frame, frame],
            [head, *lines[3:]],
        )
    ]
