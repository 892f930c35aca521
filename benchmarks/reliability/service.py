"""Tests the program as a service of a real systemd: installs, kills, hangs and uninstalls it, with timings.

    python -m benchmarks.reliability.service [--kills 20]

Needs a machine (or a container booted with systemd) on which this user has a systemd user instance
(``systemctl --user`` responds; for a user who is not logged in, ``loginctl enable-linger``), and no service
installed yet. It installs the service with the demonstration, which plays by itself, on a separate port and
with separate folders, kills it ``--kills`` times with SIGKILL, hangs it once with SIGSTOP until the watchdog
kills it, and uninstalls it. After each step the game must continue: a turn is played, no turn is missing, and
the board is found again. The first failure ends it with status 1.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

UNIT = "focus-companion"
TIMEOUT = 180.0
"""Seconds after which a condition counts as failed."""


def systemctl(*words: str) -> str:
    asked = ["systemctl", "--user", *words]
    return subprocess.run(asked, check=False, capture_output=True, text=True, timeout=60).stdout.strip()


def service(*words: str) -> str:
    asked = [sys.executable, "-m", "focus_companion.cli", "service", *words]
    done = subprocess.run(asked, check=False, capture_output=True, text=True, timeout=TIMEOUT)
    if done.returncode:
        sys.exit(f"service {words[0]}: {done.stdout}{done.stderr}")
    return done.stdout


def process() -> int:
    return int(systemctl("show", UNIT, "--property", "MainPID", "--value") or 0)


def state(port: int) -> dict[str, object]:
    """The page's state; nothing while there is no response."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/state", timeout=5) as answer:
            content: dict[str, object] = json.load(answer)
            return content
    except OSError:
        return {}


def until(holds: Callable[[], object], what: str) -> float:
    """Wait until the condition holds; returns the seconds that it took."""
    began = time.monotonic()
    while not holds():
        if time.monotonic() - began > TIMEOUT:
            sys.exit(f"not within {TIMEOUT:.0f} s: {what}")
        time.sleep(0.02)
    return time.monotonic() - began


def restarted_after(port: int, number: int, signed: signal.Signals) -> tuple[float, float]:
    """Send a process a signal; returns the seconds until its successor responds and sees the board."""
    started = state(port)
    until(lambda: state(port).get("ply") != started.get("ply"), "a turn")
    before = state(port)
    os.kill(number, signed)
    page = until(lambda: process() not in (0, number) and state(port), f"a page after {signed.name}")
    board = until(lambda: state(port).get("camera") == "ok", "the board found again")
    after = state(port)
    if (after["game"], after["ply"]) < (before["game"], before["ply"]):
        sys.exit(
            f"before {signed.name} {before['game']}/{before['ply']}, then {after['game']}/{after['ply']}"
        )
    return page, page + board


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=20)
    options = parser.parse_args()
    if systemctl("is-system-running") not in ("running", "degraded"):
        sys.exit("no systemd of this user's answers (systemctl --user is-system-running)")
    if process():
        sys.exit("a service is installed already; focus-companion service uninstall takes it away")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        service(
            "install", "--user", "--camera", "demo", "--port", str(port), "--data", str(Path(folder, "data"))
        )
        up = time.monotonic() - began
        until(lambda: state(port).get("camera") == "ok", "the board found")
        print(f"installed and up after {up:.1f} s, the board found after {time.monotonic() - began:.1f} s")
        times = [restarted_after(port, process(), signal.SIGKILL) for _ in range(options.kills)]
        for name, seconds in zip(("page", "board found"), zip(*times, strict=True), strict=True):
            print(
                f"killed {len(times)} times: {name} again after {statistics.median(seconds):.2f} s, "
                f"longest {max(seconds):.2f} s"
            )
        page, board = restarted_after(port, process(), signal.SIGSTOP)
        print(f"hung: page again after {page:.1f} s, board found after {board:.1f} s")
        print(service("status").strip())
        service("uninstall")
        until(lambda: not state(port), "nobody answers any more")
        print("taken away")


if __name__ == "__main__":
    main()
