"""Ports for servers that are restarted at the same address."""

from __future__ import annotations

import random
import socket
from contextlib import suppress

_CHANCE = random.SystemRandom()


def free_port() -> int:
    """A free port outside the range from which the system assigns ports, so that it stays free."""
    while True:
        port = _CHANCE.randrange(10_000, 32_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
