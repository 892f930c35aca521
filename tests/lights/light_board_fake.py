"""A light board of Python at the far end of a pty: answers as the firmware does, misbehaves on request."""

from __future__ import annotations

import os
import select
import threading
import tty
from pathlib import Path

from focus_companion.lights.protocol import ANSWER, Command, Notice, Status
from focus_companion.lights.wire import Decoder, Frame, encode

GREETING = bytes((1, 1, 0, 0, 63, 80, 6, 1, 0x90, 0))


class FakeBoard:
    """Plugged in at ``link`` (a symbolic link to a pty) until :meth:`unplug`."""

    def __init__(self, link: Path, greeting: bytes = GREETING) -> None:
        self.link = link
        self.greeting = greeting
        self.heard: list[Frame] = []
        self.shown: bytes | None = None
        self.brightness: int | None = None
        self.presses = 0
        self.deaf_to = 0
        """How many frames to leave unanswered."""
        self.mute = False
        self.babble = b""
        """Sent before every answer."""
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        link.unlink(missing_ok=True)
        link.symlink_to(os.ttyname(self._slave))
        self._wake_read, self._wake_write = os.pipe()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def unplug(self) -> None:
        """Gone, as when the cable is pulled."""
        if self._thread.is_alive():
            os.write(self._wake_write, b"x")
            self._thread.join()
            for handle in (self._master, self._slave, self._wake_read, self._wake_write):
                os.close(handle)
            self.link.unlink(missing_ok=True)

    def press(self) -> None:
        self.presses = (self.presses + 1) % 256
        os.write(self._master, encode(Frame(0, Notice.BUTTON, bytes((self.presses,)))))

    def restart(self) -> None:
        """As after a watchdog reset: nothing known any more."""
        self.shown = None
        self.presses = 0
        os.write(self._master, encode(Frame(0, Notice.BOOT, self.greeting)))

    def _run(self) -> None:
        decoder = Decoder()
        while True:
            ready, _, _ = select.select([self._master, self._wake_read], [], [])
            if self._wake_read in ready:
                return
            for frame in decoder.feed(os.read(self._master, 4096)):
                self.heard.append(frame)
                if self.mute:
                    continue
                if self.deaf_to:
                    self.deaf_to -= 1
                    continue
                self._answer(frame)

    def _answer(self, frame: Frame) -> None:
        data = b""
        if frame.command == Command.HELLO:
            data = self.greeting
        elif frame.command == Command.PING:
            data = bytes((self.shown is not None, self.presses, 0, 0, 1))
        elif frame.command == Command.STATE:
            self.shown = frame.data
        elif frame.command == Command.BRIGHTNESS:
            self.brightness = frame.data[0]
        elif frame.command == Command.DARK:
            self.shown = b""
        reply = Frame(frame.seq, frame.command | ANSWER, bytes((Status.DONE,)) + data)
        os.write(self._master, self.babble + encode(reply))
