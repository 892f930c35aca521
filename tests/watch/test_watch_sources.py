"""``watch`` on real pictures: a file, the same pictures as a folder and as a stream; and invalid sources."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
CLIP: Final = ROOT / "fixtures" / "images" / "clip-oblique.mp4"
SHARED: Final = ROOT.parent / "shared"
RULES: Final = ("--players", "2", "--order", "red,green")
PLAYED: Final = ["f5-f4", "c4-d4", "f7-f6", "c6-c5", "b5-c5", "d5-c5", "e2-d2", "c5-c2"]


def watch(
    *args: str | Path, status: int = 0, events_file: str | Path = "-"
) -> tuple[list[dict[str, Any]], str]:
    """The events, and the output on standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "focus_companion.cli", "watch", *map(str, args), "--events", str(events_file)],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=ROOT,
    )
    assert done.returncode == status, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def moves(events: list[dict[str, Any]]) -> list[str]:
    return [event["move"] for event in events if event["type"] == "move"]


def alerts(events: list[dict[str, Any]]) -> list[tuple[str, list[str]]]:
    return [(event["reason"], sorted(event["squares"])) for event in events if event["type"] == "alert"]


@pytest.fixture(scope="module")
def pictures() -> list[bytes]:
    """Every other one of the clip's fifteen frames per second, as JPEG pictures."""
    capture = cv2.VideoCapture(str(CLIP))
    found = []
    while capture.grab():
        ok, image = capture.retrieve()
        assert ok
        found.append(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes())
        capture.grab()
    assert len(found) > 100
    return found


def test_a_record_is_left_alone_if_the_source_cannot_be_opened(tmp_path: Path) -> None:
    record = tmp_path / "game.json"
    record.write_text("an earlier game")
    for source in ("nothing.mp4", "/dev/null"):
        events, said = watch(source, *RULES, "--record", record, status=2)
        assert events == [] and source in said
    assert record.read_text() == "an earlier game"


def test_a_record_that_cannot_be_written_is_refused_before_the_game(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for record in (tmp_path, tmp_path / "nowhere" / "game.json", tmp_path / "file" / "game.json"):
        events, said = watch(CLIP, *RULES, "--record", record, status=2)
        assert events == [] and f"--record: {record} cannot be written" in said
    copy = tmp_path / "clip"
    copy.write_bytes(b"a recording")
    events, said = watch(copy, *RULES, "--record", copy, status=2)
    assert events == [] and f"--record: {copy} is the file that is read" in said
    events, said = watch(CLIP, *RULES, "--record", copy, status=2, events_file=copy)
    assert events == [] and f"--record: {copy} is the file of --events" in said
    assert copy.read_bytes() == b"a recording"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_record_is_written_also_if_the_program_is_terminated(tmp_path: Path, number: int) -> None:
    record = tmp_path / "game.json"
    command = [sys.executable, "-m", "focus_companion.cli", "watch", CLIP, *RULES, "--events", "-"]
    with subprocess.Popen(
        [*command, "--record", record],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        # As from a terminal, also where the tests themselves were started with nohup.
        preexec_fn=partial(signal.signal, signal.SIGHUP, signal.SIG_DFL),
    ) as process:
        assert process.stdout is not None
        # More than a hundred pictures are still to come.
        assert b'"ready"' in process.stdout.readline()
        process.send_signal(number)
        assert process.wait(timeout=60) == -number, "for a supervisor, it is as terminated as before"
    assert json.loads(record.read_text(encoding="utf-8"))["format"] == "focus-companion game"


def test_the_events_do_not_replace_the_recording_that_is_read(tmp_path: Path) -> None:
    recording = tmp_path / "game.mp4"
    shutil.copyfile(CLIP, recording)
    _, said = watch(recording, *RULES, status=2, events_file=recording)
    assert said == f"focus-companion: --events: {recording} is the file that is read; give another name\n"
    assert recording.read_bytes() == CLIP.read_bytes()


@pytest.mark.slow
def test_the_game_in_a_video_file_is_followed(tmp_path: Path) -> None:
    record = tmp_path / "game.json"
    events, _ = watch(CLIP, *RULES, "--record", record)
    assert events[0]["type"] == "ready"
    assert moves(events) == PLAYED
    assert [reason for reason, _ in alerts(events)] == ["distance", "out_of_turn"]
    assert [event["time"] for event in events] == sorted(event["time"] for event in events)
    kept = json.loads(record.read_text(encoding="utf-8"))
    assert [entry["move"] for entry in kept["moves"]] == PLAYED
    assert [incident["type"] for incident in kept["incidents"]].count("alert") == 2


@pytest.mark.slow
def test_the_game_in_a_folder_of_pictures_is_followed(tmp_path: Path, pictures: list[bytes]) -> None:
    for index, picture in enumerate(pictures):
        (tmp_path / f"{index:05d}.jpg").write_bytes(picture)
    events, _ = watch(tmp_path, *RULES, "--fps", "7.5")
    assert moves(events) == PLAYED
    assert [reason for reason, _ in alerts(events)] == ["distance", "out_of_turn"]


@contextmanager
def streaming(
    pictures: list[bytes], fps: float, stand: Callable[[int], bool] = lambda sent: sent < 60
) -> Iterator[str]:
    """A phone that streams the pictures once as MJPEG on loopback, at rate ``fps``; ``stand``: whether to
    repeat the first picture, given the number sent.
    """

    class Phone(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
            self.end_headers()
            sent, following = 0, iter(pictures)
            due = time.monotonic()
            try:
                while picture := pictures[0] if stand(sent) else next(following, None):
                    time.sleep(max(0.0, due - time.monotonic()))
                    sent, due = sent + 1, due + 1 / fps
                    head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(picture)}\r\n\r\n"
                    self.wfile.write(head.encode() + picture + b"\r\n")
            except (BrokenPipeError, ConnectionResetError):
                return

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Phone)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/video"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.slow
def test_the_game_in_a_stream_is_followed(pictures: list[bytes], tmp_path: Path) -> None:
    events_file = tmp_path / "events"

    def unready(_: int) -> bool:
        return not events_file.is_file() or '"ready"' not in events_file.read_text(encoding="utf-8")

    # More slowly than they were taken, so that a machine busy with other tests does not miss a picture.
    with streaming(pictures, fps=5, stand=unready) as address:
        watch(address, *RULES, events_file=events_file)
    events = [json.loads(line) for line in events_file.read_text(encoding="utf-8").splitlines()]
    assert moves(events) == PLAYED
    assert [reason for reason, _ in alerts(events)] == ["distance", "out_of_turn"]


@pytest.mark.slow
def test_a_broken_stream_is_reported_and_reopened(pictures: list[bytes], tmp_path: Path) -> None:
    """The phone's stream ends after the first seconds, repeatedly: each time it is requested again."""
    events_file = tmp_path / "events"
    with streaming(pictures[:1], fps=10) as address:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "focus_companion.cli",
                "watch",
                address,
                *RULES,
                "--reopen",
                "--events",
                events_file,
            ],
            cwd=ROOT,
            stderr=subprocess.PIPE,
        )
        try:
            end = time.monotonic() + 400
            while not events_file.is_file() or events_file.read_text(encoding="utf-8").count('"found"') < 2:
                assert time.monotonic() < end and process.poll() is None
                time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=120)[1].decode()
        finally:
            process.kill()
            process.wait()
    events = [json.loads(line) for line in events_file.read_text(encoding="utf-8").splitlines()]
    kinds = [event["type"] for event in events]
    assert kinds[:5] == ["ready", "lost", "found", "lost", "found"], kinds
    assert events[1] | {"time": 0} == {"type": "lost", "time": 0, "what": "camera", "why": "ended"}
    assert process.returncode == 130 and "Traceback" not in said


@pytest.mark.parametrize(
    ("make", "status", "words"),
    [
        (lambda folder: folder / "nothing.mp4", 2, ["nothing.mp4", "give"]),
        (lambda folder: _written(folder / "note.mp4", b"no video at all"), 2, ["note.mp4", "video"]),
        (lambda folder: _written(folder / "empty.mp4", b""), 2, ["empty.mp4", "video"]),
        (lambda folder: folder, 2, ["holds no pictures"]),
        (lambda folder: _written(folder / "cut.png", b"no picture").parent, 2, ["cut.png", "take it out"]),
        (lambda folder: "http://127.0.0.1:9/video", 2, ["127.0.0.1:9", "address"]),
        (lambda folder: "ftp://127.0.0.1/video", 2, ["http"]),
        (lambda folder: "97", 2, ["camera 97", "plugged in"]),
    ],
    ids=["missing", "no video", "empty", "empty folder", "cut picture", "refused", "odd scheme", "no camera"],
)
def test_an_invalid_source_is_reported(tmp_path: Path, make: Any, status: int, words: list[str]) -> None:
    _, said = watch(make(tmp_path), "--players", "2", status=status)
    (line,) = said.splitlines()
    assert line.startswith("focus-companion: ")
    for word in words:
        assert word in line


def test_pictures_without_a_board_are_reported(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    table = cv2.resize(rng.integers(90, 140, (12, 16, 3), dtype=np.uint8), (640, 480))
    for index in range(8):
        cv2.imwrite(str(tmp_path / f"{index}.png"), table)
    events, said = watch(tmp_path, "--players", "2", status=1)
    assert events == []
    assert "no board was found" in said


@pytest.mark.slow
def test_the_squares_of_a_wrong_start_are_reported(tmp_path: Path) -> None:
    picture = ROOT / "fixtures" / "images" / "2p-oblique-distance.jpg"
    for index in range(15):
        (tmp_path / f"{index:02d}.jpg").write_bytes(picture.read_bytes())
    events, said = watch(tmp_path, *RULES, status=1)
    (set_up,) = [event for event in events if event["type"] == "set_up"]
    assert {"a6", "c6"} <= set(set_up["squares"]) <= {"a6", "c6", "f5", "f4", "c4", "d4", "f7", "f6"}
    assert "a6" in said and "c6" in said


def _written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


RECORDINGS: Final = ("dev-2p-oblique", "dev-2p-overhead")
NAMES: Final = {"R": "red", "G": "green", "B": "blue", "Y": "yellow"}


@pytest.mark.slow
@pytest.mark.skipif(not (SHARED / "footage").is_dir(), reason="the recordings lie beside some checkouts only")
@pytest.mark.parametrize("name", RECORDINGS)
def test_a_whole_recording_is_followed_without_errors(name: str, tmp_path: Path) -> None:
    truth = SHARED / "footage" / name / "truth.json"
    settings = json.loads(truth.read_text(encoding="utf-8"))["settings"]
    order = ",".join(NAMES[letter] for letter in settings["order"])
    video = SHARED / "footage" / f"{name}.mp4"
    events, _ = watch(video, "--players", str(settings["players"]), "--order", order)
    lines = tmp_path / "events.jsonl"
    lines.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    scored = subprocess.run(
        [sys.executable, str(SHARED / "tools" / "score_events.py"), str(truth), str(lines)],
        capture_output=True,
        text=True,
    )
    assert scored.returncode == 0, scored.stdout
