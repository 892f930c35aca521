"""Timeouts for the connections of viewers.

waitress closes idle connections, but not those that send a byte now and then, nor those whose client does not
read the response: hundreds of these would lock everybody else out.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, Final

from waitress.channel import HTTPChannel

REQUEST_TIMEOUT: Final = 20.0
"""Seconds from the first byte of a request to the last one of its body."""

RESPONSE_TIMEOUT: Final = 30.0
"""Seconds without progress after which a client that does not read its response is disconnected."""

MAX_YIELD_SECONDS: Final = 0.05
"""Maximum seconds for which reading is put off while a picture is being processed: the server's own thread,
which reads for all connections, would slow that down."""

CHECK_INTERVAL: Final = 5
"""Seconds between two checks of all connections."""


class Connection(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """A connection that knows for how long its request has been arriving."""

    began: float | None = None
    """Monotonic time of the first byte of the request that is not complete yet."""

    def handle_read(self) -> None:
        self.server.wait_while_busy(MAX_YIELD_SECONDS)
        super().handle_read()

    def received(self, data: bytes) -> Any:
        taken = super().received(data)
        if self.request is None:
            self.began = None
        elif self.began is None:
            self.began = time.monotonic()
        return taken

    def has_expired(self) -> bool:
        """Whether it has exceeded one of the timeouts."""
        if self.began is not None and time.monotonic() - self.began > REQUEST_TIMEOUT:
            return True
        # Sending anything is activity; an event stream sends a heartbeat every few seconds.
        return bool(self.total_outbufs_len) and time.time() - self.last_activity > RESPONSE_TIMEOUT


def close_expired(connections: Iterable[Connection]) -> None:
    """Close the connections that have exceeded a timeout. To be called on the server's own thread."""
    for connection in connections:
        if connection.has_expired():
            connection.will_close = True
