"""A tape: everything a session was given (pictures, requests, the camera being lost and found) and what it
emitted, so that it can be run again to the same verdicts, bit for bit.

It is a folder of lossless pictures (PNG) and ``tape.jsonl``, with one line for each item in order. Its size
is bounded: when it is full, or the disk cannot keep up, the tape ends and the game goes on.
"""

from __future__ import annotations

import logging
import os
import queue
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TextIO

import cv2
import numpy as np

from ... import private_files
from ...formats.strict_json import compact
from ...session.events import Event
from ...session.requests import Request
from ...vision.capture.frames import Frame, Image
from . import requests_json as tape_requests

log = logging.getLogger(__name__)

LINES_FILE: Final = "tape.jsonl"
FORMAT: Final = "focus-companion tape"
VERSION: Final = 1
INTERRUPTED: Final = "interrupted"
"""The end mark of a tape that may lack the events of its last picture."""

_PICTURE_PATTERN: Final = "[0-9]" * 7 + ".png"
"""Matches the names of a tape's pictures, which other programs give to pictures, too."""

_MAX_QUEUED_PICTURES: Final = 6
"""Pictures that may be queued for writing; when the queue is full, the game waits for the disk a while."""

_QUEUE_TIMEOUT: Final = 3.0
"""Seconds that it waits at most."""


class TapeError(OSError):
    """The tape cannot be started: the text says why and what to do."""


class Tape:
    """Writes one tape; everything but :meth:`close` on the game thread. A disk fault ends only the tape.

    ``header``: what the session started with (``game``, ``rules``, ``players``, ``events`` if it resumed a
    game, ``again``, ``demo``), and the parameters of the pipeline.

    Raises:
        TapeError: the folder cannot be used, or holds a tape or pictures already.
    """

    def __init__(self, folder: Path, header: Mapping[str, Any], *, megabytes: float) -> None:
        self.folder = folder
        self._room = megabytes * 1e6
        self._last: tuple[Image, str] | None = None
        self._count = 0
        self._over = False
        self._fault = self._why = ""
        self._writing = threading.Lock()
        self._pictures: queue.Queue[tuple[str, Image] | None] = queue.Queue(_MAX_QUEUED_PICTURES)
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if next(folder.glob(_PICTURE_PATTERN), None) is not None:
                raise FileExistsError  # the tape's would replace them
            made = private_files.create(folder / LINES_FILE)
        except FileExistsError as error:
            if not folder.is_dir():
                raise TapeError(f"{folder} is not a folder; give a folder of its own") from error
            raise TapeError(f"{folder} holds a tape or pictures already; give a folder of its own") from error
        except OSError as error:
            raise TapeError(
                f"{folder} cannot be written ({error.strerror or error}); give another"
            ) from error
        self._lines: TextIO = os.fdopen(made, "w", encoding="utf-8")
        self._line({"format": FORMAT, "version": VERSION} | dict(header))
        self._thread = threading.Thread(target=self._write, name="tape", daemon=True)
        self._thread.start()

    def frame(self, frame: Frame) -> None:
        """The session receives this picture now; ``time`` is that of its source."""
        if not self._over and (self._fault or self._room <= 0):
            self._end(self._fault or "it is full")
        if self._over:
            return
        if self._last is None or not _same(self._last[0], frame.image):
            self._count += 1
            self._last = frame.image, f"{self._count:07d}.png"
            try:
                self._pictures.put((self._last[1], frame.image), timeout=_QUEUE_TIMEOUT)
            except queue.Full:
                self._end("the disk is too slow for it")
                return
        self._line({"frame": frame.index, "time": frame.time, "file": self._last[1]})

    def request(self, request: Request, *, in_push: bool) -> None:
        """The session carries out this request now; ``in_push``: while it processes the last picture."""
        self._line({"request": tape_requests.to_json(request), "in_push": in_push})

    def camera(self, word: str, why: str = "") -> None:
        """``word``: "lost", "found", or "anew" for a new stream."""
        self._line({"camera": word, "why": why})

    def decided(self, terms: Mapping[str, Any]) -> None:
        """The referee has decided on the last picture; ``terms`` as in :mod:`referee.terms`."""
        self._line({"decided": terms})

    def emitted(self, events: Sequence[Event]) -> None:
        """The session has emitted these events."""
        for event in events:
            self._line({"told": event.to_json()})

    def close(self, *, interrupted: bool = False) -> None:
        """End the tape with all its pictures written; may be called twice. ``interrupted``: perhaps while the
        last picture was judged, whose events are then missing.
        """
        if not self._over:
            self._end("", INTERRUPTED if interrupted else "closed")
        self._thread.join(timeout=10)
        if not self._thread.is_alive():
            self._lines.close()

    def _end(self, why: str, mark: str = "") -> None:
        if why:
            log.warning("the tape in %s ends here: %s; the game goes on", self.folder, why)
        with self._writing:
            self._over, self._last = True, None
        self._why = why or mark
        # The writer takes what is queued, then this.
        threading.Thread(target=self._pictures.put, args=(None,), daemon=True).start()

    def _line(self, entry: Mapping[str, Any], *, last: bool = False) -> None:
        text = compact(entry) + "\n"
        with self._writing:
            if self._over and not last:
                return
            self._room -= len(text)
            try:
                self._lines.write(text)
                self._lines.flush()
            except OSError as error:
                self._fault = self._fault or (error.strerror or str(error))

    def _write(self) -> None:
        while (item := self._pictures.get()) is not None:
            name, image = item
            # Fast rather than small: it is megabytes a second either way.
            done, data = cv2.imencode(".png", image, [cv2.IMWRITE_PNG_COMPRESSION, 1])
            try:
                if not done:
                    raise OSError(f"a picture of {image.shape} cannot be written")
                # If the program is killed meanwhile, no half-written picture is left.
                private_files.replace(self.folder / name, data.tobytes())
            except OSError as error:
                self._fault = self._fault or (error.strerror or str(error))
            self._room -= len(data)
        # Only now: a tape with its end mark has all its pictures.
        self._line({"end": self._why}, last=True)
        with self._writing, suppress(OSError):
            self._lines.close()


def _same(one: Image, other: Image) -> bool:
    return one is other or (one.shape == other.shape and bool(np.array_equal(one, other)))
