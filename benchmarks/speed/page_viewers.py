"""Viewers of the page: each follows the events and gets a picture of the camera every second."""

from __future__ import annotations

import http.client
import json
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from focus_companion.commands.watch import WRITTEN_EVENTS

PICTURE_INTERVAL: Final = 1.0
"""Seconds between a picture and the request for the next one, as on the page."""
PICTURE_WIDTH: Final = 640
"""Pixels."""
REQUEST_TIMEOUT: Final = 30.0
"""Seconds after which a request has failed."""


def page_of(process: subprocess.Popen[Any], out: Path) -> str:
    """The address of the page, once the program has printed it."""
    while True:
        lines = [line for line in out.read_text(encoding="utf-8").splitlines() if line.startswith("Page: ")]
        if lines:
            return lines[0].removeprefix("Page: ").strip()
        if process.poll() is not None:
            raise OSError("the program has ended before its page was there")
        time.sleep(0.05)


class Viewers:
    """``number`` viewers of the page at ``address``.

    ``on_event`` gets the events of the first one; the seconds that each picture takes go to ``took``.
    """

    def __init__(
        self, address: str, number: int, on_event: Callable[[dict[str, Any]], None], took: list[float]
    ) -> None:
        place = urlsplit(address)
        self._host, self._port = place.hostname or "127.0.0.1", place.port or 80
        self._over = threading.Event()
        self._took = took
        work: list[tuple[Callable[..., None], tuple[Any, ...]]] = [(self._pictures, ())] * number
        work += [(self._follow, (None if n else on_event,)) for n in range(number)]
        self._threads = [threading.Thread(target=target, args=args, daemon=True) for target, args in work]

    def __enter__(self) -> Viewers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._over.set()

    def _open(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self._host, self._port, timeout=REQUEST_TIMEOUT)

    def _follow(self, on_event: Callable[[dict[str, Any]], None] | None) -> None:
        """Follow the events; the viewer with ``on_event`` from the beginning of the game."""
        line = self._open()
        # The page requests the state with each event; the first viewer only the events, from the start.
        line.request("GET", "/api/events?state=1" if on_event is None else "/api/events?after=0")
        for text in line.getresponse():
            if self._over.is_set():
                return
            if on_event is not None and text.startswith(b"data: "):
                event = json.loads(text[6:])
                if event["type"] in WRITTEN_EVENTS:
                    on_event(event)

    def _pictures(self) -> None:
        while not self._over.wait(PICTURE_INTERVAL):
            began = time.monotonic()
            line = self._open()
            line.request("GET", f"/snapshot.jpg?width={PICTURE_WIDTH}")
            answer = line.getresponse()
            answer.read()
            line.close()
            if answer.status == 200:
                self._took.append(time.monotonic() - began)
