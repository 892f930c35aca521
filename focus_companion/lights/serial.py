"""The light board with our firmware, on a serial port that may come and go."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from . import ports
from .link import Link, LinkFault
from .meaning import NOTHING, Cue, Meaning
from .protocol import Command, Hello, Notice, state_data
from .settings import SerialSettings

log = logging.getLogger(__name__)

HEARTBEAT_SECONDS: Final = 0.5
"""Seconds between two PINGs; the board considers its host lost after 2 s."""
POLL_SECONDS: Final = 0.1
"""Seconds between two polls of the button."""
FAULT_RETRY_SECONDS: Final = {"foreign": 10.0, "outdated": 10.0, "forbidden": 10.0, "busy": 2.0, "none": 2.0}
"""Seconds until a port is retried, by fault; after all others quickly, as the board may be replugged."""
FIRST_RETRY_SECONDS: Final = (0.1, 0.2, 0.5)


class SerialBackend:
    """Keeps the board showing the newest meaning, despite unplugging, replugging, restarts and lost bytes."""

    name = "serial"

    def __init__(
        self,
        settings: SerialSettings,
        brightness: int = 96,
        sound: bool = True,
        on_button: Callable[[], None] | None = None,
        expected: bool = True,
        taken: str = "",
    ) -> None:
        """``expected``: whether to report a missing board. ``taken``: a port used by other lights."""
        self._settings = settings
        self._brightness = brightness
        self._sound = sound
        self._on_button = on_button
        self._closing = threading.Event()
        self._link: Link | None = None
        self.hello: Hello | None = None
        """Of the board in use; ``None`` while there is none."""
        self._wanted = NOTHING
        self._shown = False
        self._presses = 0
        self._failures = 0
        self._retry_at = 0.0
        self._ping_at = 0.0
        self._expected = expected
        self._taken = taken
        self._reported = "" if expected else "absent"
        self._ours: set[tuple[str, int]] = set()
        self._strangers: set[tuple[str, int]] = set()

    def present(self, meaning: Meaning, cue: Cue) -> None:
        self._wanted = meaning
        self._shown = False
        if self._link is not None:
            self._guarded(lambda link: self._send(link, cue if self._sound else Cue.NONE))

    def tick(self) -> float:
        now = time.monotonic()
        if self._link is None:
            if now < self._retry_at:
                return min(POLL_SECONDS, self._retry_at - now)
            self._connect()
        elif now >= self._ping_at:
            self._guarded(self._ping)
        else:
            self._guarded(self._listen)
        return (
            POLL_SECONDS
            if self._link is not None
            else min(POLL_SECONDS, max(0.01, self._retry_at - time.monotonic()))
        )

    def settled(self) -> bool:
        return self._shown or not (self._expected or self._ours)

    def hurry(self) -> None:
        self._closing.set()

    def close(self) -> None:
        if self._link is not None:
            self._guarded(lambda link: link.ask(Command.DARK, tries=2))
        self._drop()

    def _connect(self) -> None:
        paths = self._paths()
        if not paths:
            if self._strangers:
                self._reported = "absent"  # reported when they were found
            # Retry quickly if one was there before: somebody may be holding its cable.
            kind = "missing" if self._ours else "none"
            self._failed(LinkFault(kind, "no light board is plugged in"))
            return
        fault: LinkFault | None = None
        for path in paths:
            try:
                link = Link(path, self._settings.ack_timeout)
            except LinkFault as failure:
                fault = failure
                continue
            self._link = link
            plugging = ports.plugging(path)
            if self._guarded(self._begin):
                self._ours.add(plugging)
                return
            fault = None  # reported already
        if fault is not None:
            self._failed(fault)

    def _paths(self) -> tuple[str, ...]:
        """The ports to try. A foreign device is not reopened while plugged in: that might reset it."""
        if self._settings.port:
            return (self._settings.port,)
        taken = ports.plugging(self._taken)[1] if self._taken else 0
        found = {path: ports.plugging(path) for path in ports.candidates()}
        found = {path: at for path, at in found.items() if at[1] != taken or not taken}
        self._strangers.intersection_update(found.values())
        return tuple(path for path, plugging in found.items() if plugging not in self._strangers)

    def _meet(self, link: Link) -> Hello:
        plugging = ports.plugging(link.path)
        try:
            return link.greet(self._settings.greeting_timeout, self._closing.is_set)
        except LinkFault as fault:
            if self._settings.port or fault.kind not in ("silent", "foreign") or plugging in self._ours:
                raise
            self._strangers.add(plugging)
            text = f"{fault} and is left alone; if it is the light board, plug it in again"
            raise LinkFault("stranger", text) from fault

    def _begin(self, link: Link) -> None:
        self.hello = self._meet(link)
        link.ask(Command.BRIGHTNESS, bytes((self._brightness,)))
        # Counted from here: presses while nobody was listening are ignored.
        self._presses = link.ping().presses
        link.notices.clear()
        self._send(link, Cue.NONE)
        self._failures = 0
        major, minor = self.hello.firmware
        self._tell(
            "in use", logging.INFO, f"The light board on {link.path} is in use (firmware {major}.{minor})"
        )

    def _send(self, link: Link, cue: Cue) -> None:
        link.ask(Command.STATE, state_data(self._wanted, cue))
        self._shown = True
        self._ping_at = time.monotonic() + HEARTBEAT_SECONDS
        self._listen(link)

    def _ping(self, link: Link) -> None:
        pong = link.ping()
        self._ping_at = time.monotonic() + HEARTBEAT_SECONDS
        self._listen(link)
        self._pressed(pong.presses)
        if not pong.has_state:
            self._restore(link)

    def _listen(self, link: Link) -> None:
        link.poll()
        notices, link.notices = link.notices, []
        for notice in notices:
            if notice.command == Notice.BUTTON and len(notice.data) == 1:
                self._pressed(notice.data[0])
            elif notice.command == Notice.BOOT:
                # It has restarted (watchdog, brown-out) and lost its state.
                self._presses = 0
                self._restore(link)

    def _restore(self, link: Link) -> None:
        self._shown = False
        link.ask(Command.BRIGHTNESS, bytes((self._brightness,)))
        link.ask(Command.STATE, state_data(self._wanted))
        self._shown = True

    def _pressed(self, presses: int) -> None:
        # Two presses may be reported at once; of more, which only a broken link leaves behind, two do.
        new = min(2, (presses - self._presses) % 256)
        self._presses = presses
        if self._on_button is not None:
            for _ in range(new):
                self._on_button()

    def _guarded(self, act: Callable[[Link], object]) -> bool:
        """Do ``act`` with the open link; a fault closes it and schedules the next attempt."""
        if self._link is None:
            return False
        try:
            act(self._link)
        except LinkFault as fault:
            self._failed(fault)
            return False
        return True

    def _failed(self, fault: LinkFault) -> None:
        self._drop()
        if fault.kind == "silent" and not self._failures and self._reported == "in use":
            delay = FIRST_RETRY_SECONDS[0]  # a board that worked a moment ago
        else:
            delay = FAULT_RETRY_SECONDS.get(
                fault.kind, FIRST_RETRY_SECONDS[min(self._failures, len(FIRST_RETRY_SECONDS) - 1)]
            )
        self._failures += 1
        self._retry_at = time.monotonic() + delay
        if self._closing.is_set():
            return  # nobody is waiting for it any more
        # An unplugged board is first "gone" and then "missing": to people that is one event.
        what = "absent" if fault.kind in ("gone", "missing", "none") else str(fault)
        self._tell(
            what, logging.WARNING, f"Lights: {fault}; the game goes on, and they join in when they can"
        )

    def _drop(self) -> None:
        self._shown = False
        self.hello = None
        link, self._link = self._link, None
        if link is not None:
            link.close()

    def _tell(self, what: str, level: int, text: str) -> None:
        # Once for each change, not once for each attempt.
        if what != self._reported:
            self._reported = what
            log.log(level, text)
