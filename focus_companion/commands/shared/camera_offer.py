"""The cameras that the page offers if none was requested: one that is plugged in, a phone, an address."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from focus_companion.commands.shared.play_source import DEMO, cameras, works
from focus_companion.vision.capture.phone import NAME as PHONE

SCAN_INTERVAL: Final = 3.0
"""Seconds between two scans."""

MAX_TRIES: Final = 3
"""Failed tries after which a device is left alone. More than one, because a new device may get its
permissions a little later; not many, because trying one that another program uses disturbs that program."""


class CameraOffer:
    """Looks for a camera on a separate thread until one is taken or the offer is closed.

    ``found`` is a device that works, ``None`` while there is none. ``taken`` is set once somebody has asked
    for a camera, and ``source`` then says for which: "phone", an address, "demo" for none (to choose again),
    ``None`` for the first device that works.
    """

    def __init__(
        self,
        devices: Callable[[], Sequence[str]] = cameras,
        works: Callable[[str], bool] = works,
        every: float = SCAN_INTERVAL,
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
        """Ask for the camera ``source``; false if it is not there (any more), or gives no picture."""
        if source is None and self.found is None:
            return False
        if source not in (None, PHONE, DEMO) and not self._works(str(source)):
            return False
        self.source = source
        self.taken.set()
        return True

    def scan(self) -> None:
        """List the devices, and try the new ones."""
        present = self._devices()
        if self.found in present:
            return
        self.found = None
        for device in present:
            if (node := _node(device)) is None or self._tries.get(node, 0) >= MAX_TRIES:
                continue
            self._tries[node] = self._tries.get(node, 0) + 1
            if self._works(device):
                # So it can be found again after a replug, even under the same number and node.
                self._tries.pop(node)
                self.found = device
                return

    def _run(self) -> None:
        while not self._stop.wait(self._every) and not self.taken.is_set():
            self.scan()


def _node(device: str) -> tuple[str, int] | None:
    """Identifies a device, because another may get the same number later; ``None`` if it is gone."""
    try:
        return device, Path(device).stat().st_ino
    except OSError:
        return None
