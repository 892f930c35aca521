"""A hostile device on the serial port."""

from __future__ import annotations

import contextlib
import os
import random
import threading
import time
import tracemalloc
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from focus_companion.lights.link import Link, LinkFault
from focus_companion.lights.protocol import ANSWER, Command, Notice, Status
from focus_companion.lights.wire import WireMessage, encode


def frame(command: int, data: bytes = b"", seq: int = 0) -> bytes:
    return encode(WireMessage(seq, command, data))


REFUSED = bytes((Status.BAD_VALUE,))

WORST: dict[str, Callable[[random.Random], bytes]] = {
    "garbage": lambda chance: chance.randbytes(2000),
    "no end of a frame": lambda _: b"\x41" * 2000,
    "ends alone": lambda _: bytes(2000),
    "button after button": lambda chance: frame(Notice.BUTTON, chance.randbytes(1)) * 100,
    "start after start": lambda chance: frame(Notice.BOOT, chance.randbytes(10)) * 60,
    "answers to nothing": lambda chance: frame(Command.PING | ANSWER, b"\0\1\2\3\4\5", chance.randrange(256)),
    "refusals": lambda chance: frame(Command.HELLO | ANSWER, REFUSED, chance.randrange(256)),
    "answers cut short": lambda chance: frame(Command.HELLO | ANSWER, b"\0", chance.randrange(256)),
    "broken sums": lambda chance: frame(Command.HELLO | ANSWER, chance.randbytes(9))[:-2] + b"\x99\0",
}  # fmt: skip


@pytest.fixture(params=WORST)
def device(request: pytest.FixtureRequest) -> Iterator[str]:
    """The path of a port that never stops sending garbage."""
    make, chance = WORST[request.param], random.Random(1)
    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    stop = threading.Event()

    def babble() -> None:
        while not stop.is_set():
            try:
                os.write(master, make(chance) * 20)
            except BlockingIOError:
                time.sleep(0.001)
            except OSError:
                return

    thread = threading.Thread(target=babble, daemon=True)
    thread.start()
    yield os.ttyname(slave)
    stop.set()
    thread.join()
    for handle in (master, slave):
        os.close(handle)


def test_a_hostile_device_is_given_up_in_little_time_and_memory(device: str) -> None:
    tracemalloc.start()
    link = Link(device, 0.1)
    began = time.monotonic()
    try:
        with pytest.raises(LinkFault) as fault:
            link.greet(0.2)
        link.poll()
        assert len(link.notices) <= 64
        # Among answers with random sequence numbers, one may have the right number.
        with contextlib.suppress(LinkFault):
            link.ping()
    finally:
        link.close()
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert fault.value.kind in ("silent", "foreign", "gone")
    assert "\n" not in str(fault.value)
    assert time.monotonic() - began < 60
    assert most < 4 * 2**20
    assert Path(device).exists()
