"""``/api/events``: the session's events as server-sent events, resumable, for a bounded number of viewers.

With ``?state=1``, as used by the page, each event includes the state after it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any, Final, Protocol

from flask import Blueprint, Response, current_app, request

from ..formats.strict_json import compact
from ..session.events import Event
from . import current
from .access import HttpError
from .ports import GameSession

RETRY_MS: Final = 1500
"""Milliseconds that a browser waits before it reconnects."""

HEARTBEAT_SECONDS: Final = 5.0
"""Seconds without an event after which a heartbeat is sent."""

_MAX_CACHED_BLOCKS: Final = 64
"""Maximum number of newest events whose text form is held in memory."""

blueprint = Blueprint("stream", __name__)


class Viewers:
    """Counts the open streams and closes abandoned ones."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.on_admitted: Callable[[int], None] = lambda _number: None
        """Called with the number of open streams after each admission."""
        self._lock = threading.Lock()
        self._open: set[EventStream] = set()

    def __len__(self) -> int:
        with self._lock:
            return len(self._open)

    def admit(self, stream: EventStream) -> bool:
        """Admit the stream if there is room, if necessary after closing streams that nobody reads."""
        number = self._add(stream)
        if not number:
            with self._lock:
                abandoned = [viewer for viewer in self._open if viewer.is_abandoned()]
            for viewer in abandoned:
                viewer.close()
            number = self._add(stream)
        if number:
            self.on_admitted(number)
        return bool(number)

    def _add(self, stream: EventStream) -> int:
        """The number of open streams with this one; 0 if there is no room for it."""
        with self._lock:
            if len(self._open) >= self.most:
                return 0
            self._open.add(stream)
            return len(self._open)

    def leave(self, stream: EventStream) -> None:
        with self._lock:
            self._open.discard(stream)

    def close(self) -> None:
        """End every stream."""
        with self._lock:
            streams = list(self._open)
        for stream in streams:
            stream.close()


class ItemSource(Protocol):
    """The items of a stream, as tuples of arguments for its ``block``, and ``None`` as a heartbeat."""

    def __iter__(self) -> Iterator[tuple[Any, ...] | None]: ...

    def close(self) -> None:
        """End the iteration, from any thread, even while it waits."""
        ...


class EventStream:
    """The body of one viewer's response. Closing it, even unread, frees its place."""

    def __init__(
        self,
        subscription: ItemSource,
        viewers: Viewers,
        is_abandoned: Callable[[], bool],
        block: Callable[..., bytes],
    ) -> None:
        """``block`` formats the items of the subscription."""
        self._subscription = subscription
        self._viewers = viewers
        self._block = block
        self.is_abandoned = is_abandoned
        self._blocks = self._run()

    def _run(self) -> Iterator[bytes]:
        yield b"retry: %d\n\n" % RETRY_MS
        for item in self._subscription:
            if self.is_abandoned():
                return
            # The comment keeps proxies from closing an idle stream, and detects viewers that have gone.
            yield b": still here\n\n" if item is None else self._block(*item)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        try:
            return next(self._blocks)
        except StopIteration:
            self.close()
            raise

    def close(self) -> None:
        self._viewers.leave(self)
        self._subscription.close()


class Blocks:
    """Caches events in the stream's text form, so that ``write`` formats each event once for all viewers."""

    def __init__(self, write: Callable[[int, Event], bytes]) -> None:
        self._write = write
        self._made: dict[int, tuple[Event, bytes]] = {}

    def block(self, number: int, event: Event) -> bytes:
        """The event's lines. May be called from any thread: at worst, a race formats an event twice."""
        known = self._made.get(number)
        if known is not None and known[0] is event:
            return known[1]
        text = self._write(number, event)
        made = dict(list(self._made.items())[-_MAX_CACHED_BLOCKS + 1 :])
        made[number] = (event, text)
        self._made = made
        return text


def event_block(number: int, event: Event) -> bytes:
    """One event in the stream's text form: ``id``, ``event`` and one ``data`` line of JSON."""
    data = compact(event.to_json())
    return f"id: {number}\nevent: {event.type}\ndata: {data}\n\n".encode()


def state_block(session: GameSession, number: int, event: Event) -> bytes:
    """The same for the page, whose listener accepts every type: ``{"event": …, "state": …}``.

    ``state``: see :meth:`GameSession.state_after`; null if it has to be requested.
    """
    data = compact({"event": event.to_json(), "state": session.state_after(number)})
    return f"id: {number}\ndata: {data}\n\n".encode()


def last_event_id() -> int | None:
    """The id after which this viewer resumes: ``Last-Event-ID``, else ``?after=``. Raises :class:`HttpError`
    if it is malformed.
    """
    text = request.headers.get("Last-Event-ID", "").strip() or request.args.get("after", "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise HttpError(
            HTTPStatus.BAD_REQUEST,
            "“{id}” is not an event id. Send the last id that you have seen.",
            values={"id": text[:40]},
        )
    return int(text)


@blueprint.get("/api/events")
def events() -> Response:
    after = last_event_id()
    blocks: Blocks = current_app.extensions["state_blocks" if request.args.get("state") == "1" else "blocks"]
    return stream_response(current.session().subscribe(after, heartbeat=HEARTBEAT_SECONDS), blocks.block)


def stream_response(
    subscription: ItemSource, block: Callable[..., bytes], *, instead: str = "/api/state"
) -> Response:
    """The response that continues until the viewer or the subscription ends.

    Raises :class:`HttpError` if there are too many viewers; the subscription is then closed, and the error
    asks the viewer to poll ``instead``.
    """
    viewers: Viewers = current_app.extensions["viewers"]
    is_abandoned: Callable[[], bool] = request.environ.get("waitress.client_disconnected", lambda: False)
    stream = EventStream(subscription, viewers, is_abandoned, block)
    if not viewers.admit(stream):
        stream.close()
        raise HttpError(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "{number} viewers are following already. Ask {address} every few seconds instead.",
            retry_after=5,
            values={"number": viewers.most, "address": instead},
        )
    response = Response(stream, mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-cache"
    response.headers["X-Accel-Buffering"] = "no"
    return response
