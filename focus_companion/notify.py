"""Notifies systemd (the protocol of ``sd_notify``), whose watchdog restarts a service without heartbeats.

If the program was started by hand, none of this does anything.
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
    """The supervisor at ``NOTIFY_SOCKET``. Safe to call from any thread; never raises, never blocks."""

    def __init__(
        self, environ: Mapping[str, str] | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        given = os.environ if environ is None else environ
        address = given.get("NOTIFY_SOCKET", "")
        # "@" stands for the null byte of an abstract socket address.
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        mine = given.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        microseconds = given.get("WATCHDOG_USEC", "")
        self.period = int(microseconds) / 1e6 if mine and microseconds.isdigit() else 0.0
        """The watchdog's timeout in seconds; 0 if there is none."""
        self._clock = clock
        self._fed_at = float("-inf")
        self._last_iteration: tuple[float, int] | None = None
        self._status = ""

    def ready(self) -> None:
        """The program is up."""
        self._tell("READY=1")

    def stopping(self) -> None:
        """The program is shutting down as requested."""
        self._tell("STOPPING=1")

    def status(self, line: str) -> None:
        """One line for ``systemctl status``; sent only when it changes."""
        if line != self._status:
            self._status = line
            self._tell(f"STATUS={' '.join(line.split())}")

    def alive(self) -> None:
        """To be called at every iteration of the loop that must not hang."""
        now = self._clock()
        self._last_iteration = now, threading.get_ident()
        if self.period and now - self._fed_at >= self.period / 4:
            self._fed_at = now
            self._tell("WATCHDOG=1")

    def hung(self) -> str:
        """The stack of that loop's thread if it has not iterated for half of the watchdog's timeout, else "";
        reported only once.
        """
        last = self._last_iteration
        if not self.period or last is None or self._clock() - last[0] < self.period / 2:
            return ""
        self._last_iteration = None
        frame = sys._current_frames().get(last[1])
        return "".join(traceback.format_stack(frame)) if frame is not None else "its thread has ended"

    def _tell(self, message: str) -> None:
        if not self._address:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as line:
                line.setblocking(False)
                line.sendto(message.encode(), self._address)
        except OSError as error:
            # A full or closed socket is the supervisor's problem; the game goes on.
            log.debug("systemd was not sent %s (%s)", message, error)
