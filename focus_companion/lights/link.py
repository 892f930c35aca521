"""Request and response with a light board over one open serial port, with retries."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from typing import Any, Final

import serial

from .protocol import ANSWER, VERSION, Command, Hello, Notice, Pong, ProtocolError, Status
from .wire import Decoder, WireMessage, encode


def _gone() -> tuple[type[Exception], ...]:
    try:
        import termios
    except ImportError:  # not a POSIX system
        return (OSError,)
    return (OSError, termios.error)  # not an OSError, but raised when flushing a port that has vanished


LINK_LOST_ERRORS: Final = _gone()
"""Exceptions of a port that has vanished."""

UNUSABLE_ERRORS: Final[tuple[type[Exception], ...]] = (*LINK_LOST_ERRORS, ValueError)
"""Exceptions of opening a port, including for invalid names."""

BAUD: Final = 115200
TRIES: Final = 4


class LinkFault(RuntimeError):
    """The link failed; ``kind`` is one of "missing", "busy", "forbidden", "gone", "silent", "outdated" (ours,
    but of another version), "foreign"; while searching for a board, also "none" and "stranger"."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


class Link:
    """An open port. Not thread-safe."""

    def __init__(self, path: str, ack_timeout: float = 0.25) -> None:
        """Opens ``path`` exclusively. Raises :class:`LinkFault`."""
        self.path = path
        self.notices: list[WireMessage] = []
        """Unsolicited notices of the board, not consumed yet (the oldest are dropped beyond 64)."""
        self._ack_timeout = ack_timeout
        self._decoder = Decoder()
        self._seq = 0
        try:
            self._port: Any = serial.Serial(path, BAUD, timeout=0.02, write_timeout=0.5, exclusive=True)
        except UNUSABLE_ERRORS as fault:
            raise _opening_fault(path, fault) from fault

    def greet(self, timeout: float, given_up: Callable[[], bool] = lambda: False) -> Hello:
        """Send HELLO until it answers or ``timeout`` seconds have passed (it may be in its bootloader)."""
        end = time.monotonic() + timeout
        while True:
            try:
                answer = self.ask(Command.HELLO, bytes((VERSION,)), tries=1)
                break
            except LinkFault as fault:
                if fault.kind != "silent" or time.monotonic() >= end or given_up():
                    raise
        try:
            hello = Hello.parse(answer)
        except ProtocolError as fault:
            raise LinkFault("foreign", f"what is on {self.path} is not our light board ({fault})") from fault
        if hello.version != VERSION:
            raise LinkFault(
                "outdated",
                f"the light board on {self.path} speaks version {hello.version} of the protocol, "
                f"this program {VERSION}: flash the firmware of this program (make -C firmware flash)",
            )
        return hello

    def ping(self) -> Pong:
        """Send a PING. Raises :class:`LinkFault`."""
        try:
            return Pong.parse(self.ask(Command.PING))
        except ProtocolError as fault:
            raise LinkFault("foreign", f"what is on {self.path} is not our light board ({fault})") from fault

    def ask(self, command: Command, data: bytes = b"", tries: int = TRIES) -> bytes:
        """Send ``command`` until it is answered; its data after the status, or :class:`LinkFault`."""
        self._seq = self._seq % 255 + 1
        message = encode(WireMessage(self._seq, command, data))
        for _ in range(tries):
            self._write(message)
            end = time.monotonic() + self._ack_timeout
            while True:
                # Read once more after the timeout: on a busy machine the answer may have arrived long before
                # this thread runs.
                late = time.monotonic() >= end
                answer = self._answer(command)
                if answer is not None:
                    return answer
                if late:
                    break
        raise LinkFault("silent", f"what is on {self.path} does not answer")

    def poll(self) -> None:
        """Read the board's unsolicited notices."""
        try:
            waiting = self._port.in_waiting
        except LINK_LOST_ERRORS as fault:
            raise LinkFault("gone", f"the light board on {self.path} is gone") from fault
        if waiting:
            self._keep(self._read(waiting))

    def close(self) -> None:
        """Release the port, whatever state it is in."""
        self._port.close()

    def _answer(self, command: Command) -> bytes | None:
        found = None
        for frame in self._keep(self._read(1)):
            if frame.command == command | ANSWER and frame.seq == self._seq and frame.data:
                if frame.data[0] != Status.DONE:
                    raise LinkFault(
                        "foreign", f"the light board on {self.path} refused {command.name} ({frame.data[0]})"
                    )
                found = frame.data[1:]
        return found

    def _keep(self, data: bytes) -> list[WireMessage]:
        frames = self._decoder.feed(data)
        notices = [frame for frame in frames if frame.command in tuple(Notice)]
        self.notices = (self.notices + notices)[-64:]
        return [frame for frame in frames if frame.command not in tuple(Notice)]

    def _read(self, least: int) -> bytes:
        try:
            # A device that never stops sending is read in pieces, so that the caller can check its timeout.
            return bytes(self._port.read(max(least, min(self._port.in_waiting, 256))))
        except LINK_LOST_ERRORS as fault:
            raise LinkFault("gone", f"the light board on {self.path} is gone") from fault

    def _write(self, message: bytes) -> None:
        try:
            self._port.write(message)
        except serial.SerialTimeoutException as fault:
            raise LinkFault("silent", f"what is on {self.path} takes no bytes") from fault
        except LINK_LOST_ERRORS as fault:
            raise LinkFault("gone", f"the light board on {self.path} is gone") from fault


def reason(fault: Exception) -> tuple[int | None, str]:
    """Why a port cannot be used: the number of the system's error (``None``: unknown), and words."""
    # The library's texts repeat the number; some of its errors have it only in the one that caused them.
    number = ((fault.__context__ or fault).args or (None,))[0]
    if not isinstance(number, int):
        return None, str(fault)
    return number, "not a serial port" if number == errno.ENOTTY else os.strerror(number)


def _opening_fault(path: str, fault: Exception) -> LinkFault:
    number, why = reason(fault)
    if number in (errno.EAGAIN, errno.EBUSY):
        return LinkFault(
            "busy", f"another program uses {path}: close it, or name another port in lights.serial.port"
        )
    if number in (errno.EACCES, errno.EPERM):
        return LinkFault(
            "forbidden", f"{path} may not be opened: add this user to the group dialout (then log in again)"
        )
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.EIO):
        return LinkFault("missing", f"there is no light board on {path}")
    what = "a serial port" if number == errno.ENOTTY else f"a usable serial port ({why})"
    return LinkFault("foreign", f"{path} is not {what}: name the light board's in lights.serial.port")
