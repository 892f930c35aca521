"""Runs a program on a share of one core and with a memory limit.

Control groups (version 2 or 1) enforce the limits if they may be used, which requires root. Without them, the
program is stopped for a part of every period (SIGSTOP, SIGCONT), so that its measured processor time stays
within its share; memory is then measured but not limited.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Final, Protocol

from benchmarks.processes import TICK, processor_seconds

CGROUP_ROOT: Final = Path("/sys/fs/cgroup")
PERIOD_SECONDS: Final = 0.02
"""Period of the limit: short, so that the program runs slowly rather than in bursts."""

EXIT_TIMEOUT: Final = 15.0
"""Seconds within which the program has to exit after it was asked to."""

_NUMBERS: Final = count()


class Limit(Protocol):
    """A running program's limit."""

    kind: str
    """How it is enforced, for the report."""

    def enter(self) -> None:
        """Put the calling process under the limit; called in the child before it runs the program."""
        ...

    def follow(self, process: subprocess.Popen[Any]) -> None:
        """Called when the program has been started."""
        ...

    def close(self) -> None: ...


class ControlGroups:
    """A control group each for processor and memory (one for both in version 2)."""

    def __init__(self, share: float | None, memory: int | None) -> None:
        """``share`` of one core and ``memory`` in bytes; None: unlimited.

        Raises:
            OSError: this user may not create control groups.
        """
        self._name = f"small-machine-{os.getpid()}-{next(_NUMBERS)}"
        self._folders: list[Path] = []
        unified = (CGROUP_ROOT / "cgroup.controllers").exists()
        self.kind = "control groups"
        quota, period = round((share or 0) * PERIOD_SECONDS * 1e6), round(PERIOD_SECONDS * 1e6)
        try:
            if unified:
                (CGROUP_ROOT / "cgroup.subtree_control").write_text("+cpu +memory")
                folder = self._make(CGROUP_ROOT)
                (folder / "cpu.max").write_text(f"{quota if share else 'max'} {period}")
                (folder / "memory.max").write_text(str(memory or "max"))
                return
            folder = self._make(CGROUP_ROOT / "cpu")
            (folder / "cpu.cfs_period_us").write_text(str(period))
            (folder / "cpu.cfs_quota_us").write_text(str(quota if share else -1))
            folder = self._make(CGROUP_ROOT / "memory")
            (folder / "memory.limit_in_bytes").write_text(str(memory or -1))
        except OSError:
            self.close()
            raise

    def _make(self, above: Path) -> Path:
        folder = above / self._name
        folder.mkdir()
        self._folders.append(folder)
        return folder

    def enter(self) -> None:
        for folder in self._folders:
            (folder / "cgroup.procs").write_text(str(os.getpid()))

    def follow(self, process: subprocess.Popen[Any]) -> None:
        """Nothing to do: the kernel enforces the limit."""

    def close(self) -> None:
        for folder in self._folders:
            # The group is busy until its last process has been reaped.
            for _ in range(50):
                with contextlib.suppress(OSError):
                    folder.rmdir()
                    break
                time.sleep(0.1)
        self._folders = []


class DutyCycle:
    """Stops the program whenever it has used more than its share of the time."""

    kind = "duty cycle"

    def __init__(self, share: float | None) -> None:
        self._share = share
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def enter(self) -> None:
        """Nothing to do in the child."""

    def follow(self, process: subprocess.Popen[Any]) -> None:
        if self._share is not None:
            self._thread = threading.Thread(target=self._hold, args=(process, self._share), daemon=True)
            self._thread.start()

    def _hold(self, process: subprocess.Popen[Any], share: float) -> None:
        began, stopped = time.monotonic(), False
        while process.poll() is None and not self._over.wait(PERIOD_SECONDS):
            with contextlib.suppress(OSError):
                over = processor_seconds(process.pid) > share * (time.monotonic() - began) + TICK
                if over != stopped:
                    os.kill(process.pid, signal.SIGSTOP if over else signal.SIGCONT)
                    stopped = over

    def close(self) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()


def make_limit(share: float | None, memory: int | None) -> Limit:
    """A limit to ``share`` of one core and ``memory`` bytes; None: unlimited."""
    try:
        return ControlGroups(share, memory)
    except OSError:
        return DutyCycle(share)


@contextlib.contextmanager
def limited(command: Sequence[str], limit: Limit, **more: Any) -> Iterator[subprocess.Popen[Any]]:
    """Runs a program under a limit; it is ended at the end of the block."""
    try:
        # preexec_fn is safe here: it only writes two files before the program is run.
        process = subprocess.Popen(command, preexec_fn=limit.enter, **more)
        try:
            limit.follow(process)
            yield process
        finally:
            process.send_signal(signal.SIGCONT)
            process.terminate()
            try:
                process.wait(EXIT_TIMEOUT)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    finally:
        limit.close()
