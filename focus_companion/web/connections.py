"""Timeouts for the connections of viewers.

waitress closes an idle connection, but neither one that sends a byte now and then nor one whose client does
not read the response: hundreds of those would lock everybody else out.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, Final

from waitress.channel import HTTPChannel

REQUEST_SECONDS: Final = 20.0
"""Seconds within which a request must arrive completely, head and body, from its first byte on."""

ANSWER_SECONDS: Final = 30.0
"""Seconds without progress after which a client that does not read its response is disconnected."""

YIELD_SECONDS: Final = 0.05
"""Maximum seconds for which reading waits while a picture is being processed: the server's own thread, which
reads for all connections, would slow that down."""

TIDY_SECONDS: Final = 5
"""Seconds between two checks of all connections."""


class Connection(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """A connection that knows for how long its request has been arriving."""

    began: float | None = None
    """Monotonic time of the first byte of the request that is not complete yet."""

    def handle_read(self) -> None:
        self.server.wait_while_busy(YIELD_SECONDS)
        super().handle_read()

    def received(self, data: bytes) -> Any:
        taken = super().received(data)
        if self.request is None:
            self.began = None
        elif self.began is None:
            self.began = time.monotonic()
        return taken

    def is_idle(self) -> bool:
        """Whether it has exceeded one of the timeouts."""
        if self.began is not None and time.monotonic() - self.began > REQUEST_SECONDS:
            return True
        # Sending anything is activity; an event stream sends a heartbeat every few seconds.
        return bool(self.total_outbufs_len) and time.time() - self.last_activity > ANSWER_SECONDS


def tidy(connections: Iterable[Connection]) -> None:
    """Close the idle connections. To be called on the server's own thread."""
    for connection in connections:
        if connection.is_idle():
            connection.will_close = True
