"""Heartbeats for systemd, received at a test socket."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from focus_companion.notify import Supervisor

Heard = Callable[[], list[str]]


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[tuple[str, Heard]]:
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.bind(address)
        line.setblocking(False)

        def heard() -> list[str]:
            got = []
            while True:
                try:
                    got.append(line.recv(4096).decode())
                except BlockingIOError:
                    return got

        yield address, heard


def test_ready_status_and_stopping(listening: tuple[str, Heard]) -> None:
    address, heard = listening
    supervisor = Supervisor({"NOTIFY_SOCKET": address})
    supervisor.ready()
    for line in ("Game 1, turn 2", "Game 1, turn 2", "two\nlines"):
        supervisor.status(line)
    supervisor.alive()
    supervisor.stopping()
    # Without a watchdog no heartbeats are sent; an unchanged status line is not repeated.
    assert heard() == ["READY=1", "STATUS=Game 1, turn 2", "STATUS=two lines", "STOPPING=1"]


def test_the_watchdog_is_fed_four_times_in_its_period_whatever_the_loop_does(
    listening: tuple[str, Heard],
) -> None:
    address, heard = listening
    now = [0.0]
    supervisor = Supervisor(
        {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "8000000", "WATCHDOG_PID": str(os.getpid())},
        clock=lambda: now[0],
    )
    fed = []
    for turn in range(81):
        now[0] = turn / 10
        supervisor.alive()
        fed += [now[0]] * len(heard())
    assert fed == [0, 2, 4, 6, 8]


def test_the_watchdog_of_another_process_is_not_fed(listening: tuple[str, Heard]) -> None:
    address, heard = listening
    supervisor = Supervisor({"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "8000000", "WATCHDOG_PID": "1"})
    supervisor.alive()
    assert heard() == [] and supervisor.period == 0


@pytest.mark.parametrize("address", ["", "/nowhere/at/all", "@nobody-listens-here"])
def test_nobody_who_listens_is_no_fault(address: str) -> None:
    supervisor = Supervisor({"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "1000"})
    supervisor.ready()
    supervisor.alive()


def test_a_supervisor_that_does_not_read_does_not_block(tmp_path: Path) -> None:
    address = str(tmp_path / "full")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.bind(address)
        supervisor = Supervisor({"NOTIFY_SOCKET": address})
        for number in range(2000):
            supervisor.status(f"line {number}")


def test_a_hanging_loop_is_reported_once_with_its_stack() -> None:
    now, going, done = [0.0], threading.Event(), threading.Event()
    supervisor = Supervisor({"WATCHDOG_USEC": "60000000"}, clock=lambda: now[0])
    assert supervisor.hung() == "", "it has not begun"

    def the_loop_that_hangs() -> None:
        supervisor.alive()
        going.set()
        done.wait(60)

    loop = threading.Thread(target=the_loop_that_hangs)
    loop.start()
    assert going.wait(60)
    now[0] = 29.0
    assert supervisor.hung() == ""
    now[0] = 31.0
    where = supervisor.hung()
    assert "the_loop_that_hangs" in where and "done.wait(60)" in where
    assert supervisor.hung() == ""
    done.set()
    loop.join()
    supervisor.alive()
    assert supervisor.hung() == "", "it turns again"


def test_without_a_watchdog_the_loop_is_not_checked() -> None:
    now = [0.0]
    supervisor = Supervisor({}, clock=lambda: now[0])
    supervisor.alive()
    now[0] = 1e6
    assert supervisor.hung() == ""
