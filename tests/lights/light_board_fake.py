"""An emulated light board at the far end of a pty: answers like the firmware, misbehaves on request."""

from __future__ import annotations

import os
import random
import select
import threading
import tty
from pathlib import Path

from focus_companion.lights.protocol import ANSWER, Command, Notice, Status
from focus_companion.lights.wire import Decoder, WireMessage, encode

GREETING = bytes((1, 1, 0, 0, 63, 80, 6, 1, 0x90, 0))


class FakeBoard:
    """Plugged in at ``link`` (a symbolic link to a pty) until :meth:`unplug`."""

    def __init__(self, link: Path, greeting: bytes = GREETING) -> None:
        self.link = link
        self.greeting = greeting
        self.heard: list[WireMessage] = []
        self.shown: bytes | None = None
        self.brightness: int | None = None
        self.presses = 0
        self.deaf_to = 0
        """How many frames to leave unanswered."""
        self.instead = (0, 0)
        """What is sent in place of a withheld answer: that answer with these added to its number and
        command; nothing for (0, 0).
        """
        self.mute = False
        self.babble = b""
        """Bytes sent before every answer."""
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        link.unlink(missing_ok=True)
        link.symlink_to(os.ttyname(self._slave))
        self._wake_read, self._wake_write = os.pipe()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def unplug(self) -> None:
        """Remove the link and close the pty."""
        if self._thread.is_alive():
            os.write(self._wake_write, b"x")
            self._thread.join()
            for handle in (self._master, self._slave, self._wake_read, self._wake_write):
                os.close(handle)
            self.link.unlink(missing_ok=True)

    def press(self) -> None:
        self.presses = (self.presses + 1) % 256
        os.write(self._master, encode(WireMessage(0, Notice.BUTTON, bytes((self.presses,)))))

    def restart(self) -> None:
        """As after a watchdog reset: all state is lost."""
        self.shown = None
        self.presses = 0
        os.write(self._master, encode(WireMessage(0, Notice.BOOT, self.greeting)))

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
                    if self.instead != (0, 0):
                        seq, command = frame.seq + self.instead[0], frame.command + self.instead[1]
                        self._send(encode(WireMessage(seq % 256, command | ANSWER, bytes((Status.DONE,)))))
                    continue
                self._answer(frame)

    def _answer(self, frame: WireMessage) -> None:
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
        reply = WireMessage(frame.seq, frame.command | ANSWER, bytes((Status.DONE,)) + data)
        self._send(encode(reply))

    def _send(self, reply: bytes) -> None:
        os.write(self._master, self.babble + reply)


class NoisyBoard(FakeBoard):
    """Answers correctly, but amid noise: random bytes, frames truncated or with a flipped bit, stale answers,
    false notices; and one answer in forty never arrives.
    """

    def __init__(self, link: Path, seed: int) -> None:
        self._source = random.Random(seed)
        self.streams = 0
        super().__init__(link)

    def _send(self, reply: bytes) -> None:
        self.streams += 1
        source = self._source
        (frame,) = Decoder().feed(reply)
        # All sorts of noise before the answer, but no valid frame after it, which might answer the next
        # command.
        before = b"".join(self._noise(frame, reply) for _ in range(source.randrange(4)))
        behind = source.randbytes(source.randrange(30)).replace(b"\0", b"\1")
        os.write(self._master, before + (b"" if source.random() < 1 / 40 else reply) + behind)

    def _noise(self, answer: WireMessage, reply: bytes) -> bytes:
        source = self._source
        match source.randrange(5):
            case 0:
                return source.randbytes(source.randrange(80))
            case 1:
                return source.randbytes(source.randrange(1500))
            case 2:
                spoiled = bytearray(reply)
                spoiled[source.randrange(1, len(reply) - 1)] ^= 1 << source.randrange(8)
                return bytes(spoiled[: source.randrange(2, len(spoiled) + 1)])
            case 3:
                seq = (answer.seq + source.randrange(2, 255)) % 256
                return encode(WireMessage(seq, source.randrange(256), source.randbytes(source.randrange(30))))
            case _:
                notice = WireMessage(0, source.choice(list(Notice)), source.randbytes(source.randrange(12)))
                return encode(notice)
