"""Starts the processes of the hall's benchmark, and measures their use of resources. Linux only."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from benchmarks.processes import processor_seconds, resident_megabytes


def child(stack: ExitStack, program: str, *arguments: object) -> subprocess.Popen[str]:
    """A helper process for one part of the work."""
    command = [sys.executable, "-m", f"benchmarks.load.{program}", *map(str, arguments)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    stack.callback(process.kill)
    return process


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


@contextmanager
def running_hall(address: str) -> Iterator[tuple[int, int]]:
    """Runs the real command; yields its process id and its page's port."""
    command = [sys.executable, "-m", "focus_companion.cli", "hall", "--mqtt", address, "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if found := re.match(r"Page: http://127.0.0.1:(\d+)/", line):
                break
        yield process.pid, int(found[1]) if found else 0
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(10)


class Meter(threading.Thread):
    """CPU seconds and peak memory of processes, by name."""

    def __init__(self, parts: dict[str, list[int]]) -> None:
        super().__init__(daemon=True)
        self.parts, self.memory, self._stop = parts, dict.fromkeys(parts, 0.0), threading.Event()
        self._before = {name: sum(map(processor_seconds, pids)) for name, pids in parts.items()}
        self._began = time.monotonic()

    def run(self) -> None:
        while not self._stop.wait(2):
            self._measure_memory()

    def _measure_memory(self) -> None:
        for name, pids in self.parts.items():
            self.memory[name] = max(self.memory[name], sum(map(resident_megabytes, pids)))

    def end(self) -> dict[str, dict[str, float]]:
        self._stop.set()
        self._measure_memory()
        span = time.monotonic() - self._began
        return {
            name: {
                "cpu_percent_of_a_core": round(
                    100 * (sum(map(processor_seconds, pids)) - self._before[name]) / span, 1
                ),
                "memory_mb": round(self.memory[name], 1),
            }
            for name, pids in self.parts.items()
        }
