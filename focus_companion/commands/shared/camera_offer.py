"""The cameras that the page offers where none was asked for: one that is plugged in, a phone, an address."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from focus_companion.commands.shared.play_source import DEMO, cameras, works
from focus_companion.vision.capture.phone import NAME as PHONE

EVERY: Final = 3.0
"""Seconds between two scans."""

TRIES: Final = 3
"""Failed scans after which a device is left alone: permissions for a new one may come a little later, and
trying one that another program uses disturbs that program."""


class CameraOffer:
    """Looks for a camera on a separate thread until one is taken or the offer is closed.

    ``found`` is the device that works and could be played on now, ``None`` while there is none. ``taken`` is
    set once somebody has asked for a camera, and ``source`` then says for which: "phone", an address, "demo"
    for none (to choose again), ``None`` for the first device that works.
    """

    def __init__(
        self,
        devices: Callable[[], Sequence[str]] = cameras,
        works: Callable[[str], bool] = works,
        every: float = EVERY,
    ) -> None:
        self.found: str | None = None
        self.source: str | None = None
        self.taken = threading.Event()
        self._devices = devices
        self._works = works
        self._every = every
        self._tries: dict[tuple[str, int], int] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="camera offer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Stop looking; does not wait for a camera that hangs."""
        self._stop.set()

    def take(self, source: str | None = None) -> bool:
        """Ask for a camera, as ``source`` says; false if it is not there (any more), or gives no picture."""
        if source is None and self.found is None:
            return False
        if source not in (None, PHONE, DEMO) and not self._works(str(source)):
            return False
        self.source = source
        self.taken.set()
        return True

    def look(self) -> None:
        """List the devices, and try the new ones."""
        there = self._devices()
        if self.found in there:
            return
        self.found = None
        for device in there:
            if (node := _node(device)) is None or self._tries.get(node, 0) >= TRIES:
                continue
            self._tries[node] = self._tries.get(node, 0) + 1
            if self._works(device):
                # Found again after a replug, even under the same number and node.
                self._tries.pop(node)
                self.found = device
                return

    def _run(self) -> None:
        while not self._stop.wait(self._every) and not self.taken.is_set():
            self.look()


def _node(device: str) -> tuple[str, int] | None:
    """Identifies a device, as another may get the same number later; ``None`` if it is gone."""
    try:
        return device, Path(device).stat().st_ino
    except OSError:
        return None
