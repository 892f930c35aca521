"""Malicious cameras, pictures and films: refused in time and with little memory."""

from __future__ import annotations

import base64
import contextlib
import re
import socket
import struct
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from focus_companion.vision.capture import frames
from focus_companion.vision.capture.frames import FrameError, read_image
from focus_companion.vision.capture.http import MAX_ANSWER_BYTES, Fetcher, FetchError
from focus_companion.vision.capture.sources import open_source

ROOT = Path(__file__).parents[2]
PICTURE = cv2.imencode(".jpg", np.full((24, 32, 3), 90, np.uint8))[1].tobytes()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\n"

Answer = Callable[[socket.socket, bytes], None]


@contextlib.contextmanager
def camera(answer: Answer) -> Iterator[int]:
    """A server on loopback that answers every connection with ``answer``; yields its port."""
    listening = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()
    threads: list[threading.Thread] = []

    def one(line: socket.socket) -> None:
        with line, contextlib.suppress(OSError):
            line.settimeout(120)
            asked = b""
            while b"\r\n\r\n" not in asked:
                if not (part := line.recv(4096)):
                    return
                asked += part
            answer(line, asked)

    def serve() -> None:
        listening.settimeout(0.1)
        while not stop.is_set():
            with contextlib.suppress(TimeoutError):
                line, _ = listening.accept()
                threads.append(threading.Thread(target=one, args=(line,), daemon=True))
                threads[-1].start()

    server = threading.Thread(target=serve, daemon=True)
    server.start()
    try:
        yield listening.getsockname()[1]
    finally:
        stop.set()
        server.join()
        listening.close()
        for thread in threads:
            thread.join(10)


def drip(first: bytes, more: bytes, pause: float = 0.05, times: int = 2400) -> Answer:
    def answer(line: socket.socket, _: bytes) -> None:
        line.sendall(first)
        for _ in range(times):
            time.sleep(pause)
            line.sendall(more)

    return answer


def flood(first: bytes, more: bytes) -> Answer:
    def answer(line: socket.socket, _: bytes) -> None:
        line.sendall(first)
        until = time.monotonic() + 120
        while time.monotonic() < until:
            line.sendall(more * 1000)

    return answer


def say(text: bytes) -> Answer:
    return lambda line, _: line.sendall(text)


# Single pictures


@pytest.mark.parametrize(
    "place",
    ["[::1", "]", "[x]", "", "a:b", "a:-1", "a:0", "a:9" + 20 * "9", "a..b", "a b", 70 * "a" + ".com"],
)
def test_an_address_that_no_camera_can_have_is_refused(place: str) -> None:
    with pytest.raises(FrameError, match=r"is no valid address; write it as in http://"):
        open_source(f"http://{place}/video")


def test_an_address_that_no_stream_can_have_is_refused() -> None:
    with pytest.raises(FrameError, match="does not answer with a video stream"):
        open_source("rtsp://[::1")


SLOW: dict[str, Answer] = {
    "status drips": drip(b"HTTP/1.1 200 ", b"a"),
    "headers drip": drip(b"HTTP/1.1 200 OK\r\n", b"X: a\r\n"),
    "picture drips": drip(HEAD + b"Content-Length: 9000\r\n\r\n", b"a"),
    "chunks drip": drip(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
    "silence": lambda line, _: line.recv(1),
}


@pytest.mark.parametrize("kind", SLOW)
def test_a_camera_that_drips_is_given_up(kind: str) -> None:
    with camera(SLOW[kind]) as port:
        began = time.monotonic()
        with pytest.raises(FetchError):
            Fetcher(f"http://127.0.0.1:{port}/a.jpg", 0.8)()
        # Half of the time that the slowest of them would take.
        assert time.monotonic() - began < 60


WRONG: dict[str, bytes] = {
    "endless headers": b"HTTP/1.1 200 OK\r\n" + b"X: a\r\n" * 500 + b"\r\n",
    "a giant header": b"HTTP/1.1 200 OK\r\nX: " + b"a" * 200_000 + b"\r\n\r\n",
    "no http": b"SSH-2.0-x\r\n",
    "nothing": b"",
    "a page": b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>",
    "less than it said": HEAD + b"Content-Length: 9000\r\n\r\nabc",
    "a broken chunk": HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    "an odd status": b"HTTP/1.1 999999 OK\r\n\r\n",
    "an error": b"HTTP/1.1 500 no\r\nContent-Length: 0\r\n\r\n",
    "unauthorised": b'HTTP/1.1 401 no\r\nWWW-Authenticate: Basic realm="a"\r\nContent-Length: 0\r\n\r\n',
    "an odd challenge": b"HTTP/1.1 401 no\r\nWWW-Authenticate: Odd\r\nContent-Length: 0\r\n\r\n",
    "half a digest": b"HTTP/1.1 401 no\r\nWWW-Authenticate: Digest x\r\nContent-Length: 0\r\n\r\n",
}


@pytest.mark.parametrize("kind", WRONG)
def test_an_invalid_answer_of_a_camera_is_reported_in_one_line(kind: str) -> None:
    with (
        camera(say(WRONG[kind])) as port,
        pytest.raises(FrameError) as refused,
        open_source(f"http://ann:hunter2@127.0.0.1:{port}/a.jpg") as source,
    ):
        next(iter(source))
    said = str(refused.value)
    assert "\n" not in said and len(said) < 400
    assert "127.0.0.1" in said and "hunter2" not in said


def test_an_endless_picture_is_cut_off() -> None:
    with camera(flood(HEAD + b"\r\n", b"\xff" * 1000)) as port, pytest.raises(FetchError, match="MiB"):
        Fetcher(f"http://127.0.0.1:{port}/a.jpg", 10)()
    assert MAX_ANSWER_BYTES < 64 * 2**20


def test_a_picture_protected_by_a_password_is_fetched() -> None:
    asked: list[bytes] = []

    def answer(line: socket.socket, head: bytes) -> None:
        asked.append(head)
        if b"Basic " + base64.b64encode(b"ann:hunter2") in head:
            line.sendall(HEAD + b"Content-Length: %d\r\n\r\n%b" % (len(PICTURE), PICTURE))
        else:
            line.sendall(WRONG["unauthorised"])

    with camera(answer) as port:
        assert Fetcher(f"http://ann:hunter2@127.0.0.1:{port}/a.jpg", 5)() == PICTURE
        assert b"Authorization" not in asked[0]
        with pytest.raises(FetchError, match="password"):
            Fetcher(f"http://ann:wrong@127.0.0.1:{port}/a.jpg", 5)()


PLACES = [
    "http://localhost:{other}/secret.jpg",
    "http://127.0.0.1:{other}/secret.jpg",
    "http://127.0.0.2:{port}/a.jpg",
    "file:///etc/passwd",
    "ftp://127.0.0.1/x",
    "http://[::1",
    "//127.0.0.1:{other}/secret.jpg",
    "gopher://127.0.0.1/",
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_camera_cannot_send_us_elsewhere(place: str, code: int) -> None:
    reached: list[bytes] = []
    with camera(lambda line, head: reached.append(head)) as other:

        def answer(line: socket.socket, head: bytes) -> None:
            port = line.getsockname()[1]
            to = place.format(other=other, port=port)
            line.sendall(f"HTTP/1.1 {code} x\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n".encode())

        with camera(answer) as port, pytest.raises(FetchError):
            Fetcher(f"http://ann:hunter2@127.0.0.1:{port}/a.jpg", 2)()
    assert reached == []


def test_a_camera_may_redirect_to_its_own_pages_but_not_endlessly() -> None:
    def answer(line: socket.socket, head: bytes) -> None:
        if b"/b.jpg" in head:
            line.sendall(HEAD + b"Content-Length: %d\r\n\r\n%b" % (len(PICTURE), PICTURE))
        else:
            to = b"/b.jpg" if b"/a.jpg" in head else b"/c.jpg"
            line.sendall(b"HTTP/1.1 302 x\r\nLocation: %b\r\nContent-Length: 0\r\n\r\n" % to)

    with camera(answer) as port:
        assert Fetcher(f"http://127.0.0.1:{port}/a.jpg", 5)() == PICTURE
        with pytest.raises(FetchError):
            Fetcher(f"http://127.0.0.1:{port}/c.jpg", 5)()


# Streams


MULTI = b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=f\r\n\r\n"
PART = b"--f\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%b\r\n" % (len(PICTURE), PICTURE)
PLAYLIST = b"#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\nhttp://127.0.0.1:%d/secret.ts\n#EXT-X-ENDLIST\n"

IMAGE = b"--f\r\nContent-Type: image/jpeg\r\n"

STREAMS: dict[str, Answer] = {
    "endless headers": flood(b"HTTP/1.1 200 OK\r\n", b"X: a\r\n"),
    "headers drip": drip(b"HTTP/1.1 200 OK\r\n", b"X: a\r\n"),
    "no boundary": flood(MULTI, b"abcdefgh"),
    "endless headers of a part": flood(MULTI + b"--f\r\nContent-Type: image/jpeg\r\n", b"X: a\r\n"),
    "a giant part": flood(MULTI + IMAGE + b"Content-Length: 2000000000\r\n\r\n\xff\xd8", b"\xff" * 500),
    "a negative part": flood(MULTI + IMAGE + b"Content-Length: -5\r\n\r\n", PART),
    "a picture without end": flood(MULTI + IMAGE + b"\r\n" + PICTURE[:-2], b"\x00" * 99),
    "silence": lambda line, _: line.recv(1),
    "no video": say(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
}  # fmt: skip

READER = """
import resource, sys, time
from focus_companion.vision.capture.frames import FrameError
from focus_companion.vision.capture.sources import open_source
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
began = time.monotonic()
seen = 0
try:
    with open_source(sys.argv[1]) as source:
        for frame in source:
            seen += 1
            if time.monotonic() - began > 3:
                break
except FrameError as error:
    print(error, file=sys.stderr)
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
print(f"{seen} {time.monotonic() - began:.1f} {grown:.0f}")
"""


def watched(source: str, timeout: float = 240) -> tuple[int, float, float, str]:
    """Frames, seconds, memory growth in MiB, and errors of a separate process that reads a source."""
    done = subprocess.run(
        [sys.executable, "-c", READER, source], capture_output=True, text=True, timeout=timeout, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    seen, seconds, grown = done.stdout.split()
    return int(seen), float(seconds), float(grown), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("kind", STREAMS)
def test_a_hostile_stream_ends_in_time_and_little_memory(kind: str) -> None:
    with camera(STREAMS[kind]) as port:
        _, seconds, grown, said = watched(f"http://ann:hunter2@127.0.0.1:{port}/video")
    # The streams last for two minutes.
    assert seconds < 100, "opening and reading must end"
    assert grown < 300, "MiB"
    assert "hunter2" not in said


@pytest.mark.slow
def test_a_stream_cannot_send_us_elsewhere() -> None:
    reached: list[bytes] = []
    with camera(lambda line, head: reached.append(head)) as other:
        body = PLAYLIST % other
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/vnd.apple.mpegurl\r\nContent-Length: %d\r\n\r\n"
        for path in ("video", "live.m3u8"):
            with camera(say(head % len(body) + body)) as port:
                seen, *_ = watched(f"http://127.0.0.1:{port}/{path}")
            assert seen == 0
    assert reached == []


# Files


def png(width: int, height: int) -> bytes:
    """A small file whose header claims a large picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    row = zlib.compress(bytes(100_000), 9)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", row) + chunk(b"IEND", b"")


def jpeg(width: int, height: int) -> bytes:
    data = bytearray(PICTURE)
    at = data.index(b"\xff\xc0")
    data[at + 5 : at + 9] = struct.pack(">HH", height, width)
    return bytes(data)


def bmp(width: int, height: int) -> bytes:
    return (
        b"BM"
        + struct.pack("<IHHIIiiHHIIiiII", 9999, 0, 0, 54, 40, width, height, 1, 24, 0, 0, 1, 1, 0, 0)
        + b"x" * 99
    )


BOMBS = {
    "png": png(100_000, 100_000),
    "png, wide": png(2_000_000_000, 1),
    "png, odd": png(0, 0),
    "jpeg": jpeg(65_000, 65_000),
    "bmp": bmp(2**31 - 1, 2**31 - 1),
    "bmp, negative": bmp(-40_000, -40_000),
    "tiff": b"II*\0\x08\0\0\0\x02\0"
    + b"".join(struct.pack("<HHII", tag, 4, 1, 2**31 - 1) for tag in (256, 257))
    + bytes(4),
    "webp": b"RIFF\x30\0\0\0WEBPVP8X\n\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff" + b"x" * 30,
    "ppm": b"P6\n99999 99999\n255\nabc",
    "gif": b"GIF89a\xff\xff\xff\xff\0\0\0,\0\0\0\0\xff\xff\xff\xff\0\x02\x02L\x01\0;",
}  # fmt: skip

READ = """
import resource, sys
from focus_companion.vision.capture.frames import FrameError, read_image
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for path in sys.argv[1:]:
    try:
        print("read", read_image(path).shape, path)
    except FrameError as error:
        assert "cannot" in str(error) or "not a picture" in str(error), error
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_a_picture_that_claims_to_be_huge_is_no_picture(tmp_path: Path) -> None:
    paths = []
    for kind, data in BOMBS.items():
        paths.append(tmp_path / f"{re.sub('[^a-z]', '', kind)}.jpg")
        paths[-1].write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-c", READ, *map(str, paths)], capture_output=True, text=True, timeout=240, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert int(done.stdout.split()[-1]) < 400, "MiB"


def test_a_large_photograph_is_read(tmp_path: Path) -> None:
    path = tmp_path / "phone.png"
    cv2.imwrite(str(path), np.zeros((6000, 8000), np.uint8))
    assert read_image(path).shape == (6000, 8000, 3)


def test_a_video_of_huge_pictures_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MAX_PIXELS", 32 * 24 - 1)
    path = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (32, 24))
    for _ in range(3):
        writer.write(np.zeros((24, 32, 3), np.uint8))
    writer.release()
    with pytest.raises(FrameError, match="32 × 24"):
        open_source(str(path))


LISTS = {
    "m3u8": "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n{clip}\n#EXT-X-ENDLIST\n",
    "mp4": "ffconcat version 1.0\nfile {clip}\n",
    "txt": "root:x:0:0:root:/root:/bin/bash\n" * 200,
    "sdp": "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 9 RTP/AVP 26\n",
}


@pytest.mark.parametrize("suffix", LISTS)
def test_a_film_cannot_open_another_file(tmp_path: Path, suffix: str) -> None:
    clip = ROOT / "fixtures" / "images" / "clip-oblique.mp4"
    path = tmp_path / f"film.{suffix}"
    path.write_text(LISTS[suffix].format(clip=clip), encoding="utf-8")
    with pytest.raises(FrameError), open_source(str(path)) as source:
        next(iter(source))


@pytest.mark.parametrize("name", ["film%03d.jpg", "|ls", "-", "concat:a|b", "data:image/png,AA", "pipe:0"])
def test_a_name_is_only_a_name(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FrameError):
        open_source(name)


def test_a_picture_of_a_folder_that_may_not_be_read_is_named_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def iterdir(folder: Path) -> Iterator[Path]:
        raise PermissionError(13, "Permission denied", str(folder / "7.png"))

    monkeypatch.setattr(Path, "iterdir", iterdir)
    with pytest.raises(FrameError) as refused:
        open_source(str(tmp_path))
    assert str(refused.value) == f"{tmp_path / '7.png'} cannot be read (Permission denied)"
