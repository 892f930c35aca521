"""Signs of life for systemd, which restarts a service that gives none: the protocol of ``sd_notify``.

Started by hand there is nobody to tell, and all of this does nothing.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping

log = logging.getLogger(__name__)


class Supervisor:
    """Whoever listens at ``NOTIFY_SOCKET``. Safe to call from any thread; never raises, never waits."""

    def __init__(
        self, environ: Mapping[str, str] | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        given = os.environ if environ is None else environ
        address = given.get("NOTIFY_SOCKET", "")
        # "@" stands for the null byte of an address that is no file.
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        mine = given.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        microseconds = given.get("WATCHDOG_USEC", "")
        self.period = int(microseconds) / 1e6 if mine and microseconds.isdigit() else 0.0
        """Seconds within which the watchdog wants to be fed; 0: it does not watch."""
        self._clock = clock
        self._fed_at = float("-inf")
        self._turned: tuple[float, int] | None = None
        self._status = ""

    def ready(self) -> None:
        """The program is up."""
        self._tell("READY=1")

    def stopping(self) -> None:
        """The program ends as it was asked to."""
        self._tell("STOPPING=1")

    def status(self, line: str) -> None:
        """One line for ``systemctl status``; told when it is another than before."""
        if line != self._status:
            self._status = line
            self._tell(f"STATUS={' '.join(line.split())}")

    def alive(self) -> None:
        """To be called at every turn of the loop that must not hang."""
        now = self._clock()
        self._turned = now, threading.get_ident()
        if self.period and now - self._fed_at >= self.period / 4:
            self._fed_at = now
            self._tell("WATCHDOG=1")

    def hung(self) -> str:
        """The frames in which the thread of that loop stands, when it has not turned for half of the
        watchdog's period; told once, else nothing.
        """
        turned = self._turned
        if not self.period or turned is None or self._clock() - turned[0] < self.period / 2:
            return ""
        self._turned = None
        frame = sys._current_frames().get(turned[1])
        return "".join(traceback.format_stack(frame)) if frame is not None else "its thread has ended"

    def _tell(self, message: str) -> None:
        if not self._address:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as line:
                line.setblocking(False)
                line.sendto(message.encode(), self._address)
        except OSError as error:
            # A full or closed socket is the supervisor's own matter; the game goes on.
            log.debug("systemd was not told %s (%s)", message, error)
