"""Connections of viewers: how long one of them may hold a place without giving or taking anything.

waitress closes a connection on which nothing happens, but neither one that sends a byte now and then nor one
that takes none of its answer: whoever opens hundreds of those would keep everybody else out.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, Final

from waitress.channel import HTTPChannel

REQUEST_SECONDS: Final = 20.0
"""Time in which a request has to arrive whole, head and body, from its first byte on."""

ANSWER_SECONDS: Final = 30.0
"""Time without a byte taken after which somebody who does not read an answer is let go."""

YIELD_SECONDS: Final = 0.05
"""Seconds for which reading waits at most while a picture is judged: the server's own thread, which reads for
everybody, would take its share of a look's time."""

TIDY_SECONDS: Final = 5
"""Time between two looks at all connections."""


class Connection(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """A connection that knows how long its request has been on the way."""

    began: float | None = None
    """Monotonic time of the first byte of the request that is not whole yet."""

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
        """Whether it is over what anybody may need who is really there."""
        if self.began is not None and time.monotonic() - self.began > REQUEST_SECONDS:
            return True
        # Sending, however little, is activity; an event stream sends a sign of life every few seconds.
        return bool(self.total_outbufs_len) and time.time() - self.last_activity > ANSWER_SECONDS


def tidy(connections: Iterable[Connection]) -> None:
    """Have the idle ones closed. To be called on the server's own thread."""
    for connection in connections:
        if connection.is_idle():
            connection.will_close = True
