"""Ports for servers that are stopped and started again at the same address."""

from __future__ import annotations

import random
import socket
from contextlib import suppress

_CHANCE = random.SystemRandom()


def free_port() -> int:
    """A port that is free, and stays so: the system gives none from this range to whoever asks for any."""
    while True:
        port = _CHANCE.randrange(10_000, 32_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
