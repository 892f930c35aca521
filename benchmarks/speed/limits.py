"""Runs a program on a share of one core and with a limit of memory.

Control groups (version 2 or 1) hold the limit where they may be used, which takes the rights of root. Without
them the program is stopped for a part of every period (SIGSTOP, SIGCONT) so that its measured processor time
stays within its share; the memory is then measured but not limited.
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

ROOT: Final = Path("/sys/fs/cgroup")
PERIOD: Final = 0.02
"""Seconds over which the share holds: short, so that the program runs slowly rather than in bursts."""

LEAVING: Final = 15.0
"""Seconds in which the program has to end by itself."""

_NUMBERS: Final = count()
_TICK: Final = 1.0 / os.sysconf("SC_CLK_TCK")


class Limit(Protocol):
    """A running program's limit."""

    kind: str
    """How it is held, for the report."""

    def enter(self) -> None:
        """Put the calling process under the limit; called in the child before it runs the program."""
        ...

    def follow(self, process: subprocess.Popen[Any]) -> None:
        """The program has been started."""
        ...

    def close(self) -> None: ...


class ControlGroups:
    """A control group for each of processor and memory (one for both in version 2)."""

    def __init__(self, share: float | None, memory: int | None) -> None:
        """``share`` of one core and ``memory`` in bytes; None: unlimited.

        Raises:
            OSError: without the rights.
        """
        self._name = f"small-machine-{os.getpid()}-{next(_NUMBERS)}"
        self._folders: list[Path] = []
        unified = (ROOT / "cgroup.controllers").exists()
        self.kind = "control groups"
        quota, period = round((share or 0) * PERIOD * 1e6), round(PERIOD * 1e6)
        try:
            if unified:
                (ROOT / "cgroup.subtree_control").write_text("+cpu +memory")
                folder = self._make(ROOT)
                (folder / "cpu.max").write_text(f"{quota if share else 'max'} {period}")
                (folder / "memory.max").write_text(str(memory or "max"))
                return
            folder = self._make(ROOT / "cpu")
            (folder / "cpu.cfs_period_us").write_text(str(period))
            (folder / "cpu.cfs_quota_us").write_text(str(quota if share else -1))
            folder = self._make(ROOT / "memory")
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
        """The kernel does the rest."""

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
        """Nothing is to be done in the child."""

    def follow(self, process: subprocess.Popen[Any]) -> None:
        if self._share is not None:
            self._thread = threading.Thread(target=self._hold, args=(process, self._share), daemon=True)
            self._thread.start()

    def _hold(self, process: subprocess.Popen[Any], share: float) -> None:
        began, stopped = time.monotonic(), False
        while process.poll() is None and not self._over.wait(PERIOD):
            with contextlib.suppress(OSError):
                over = cpu_seconds(process.pid) > share * (time.monotonic() - began) + _TICK
                if over != stopped:
                    os.kill(process.pid, signal.SIGSTOP if over else signal.SIGCONT)
                    stopped = over

    def close(self) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()


def cpu_seconds(pid: int) -> float:
    """Processor time of a process so far, all its threads together. Raises OSError when it is gone."""
    fields = (
        Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    )
    return (int(fields[11]) + int(fields[12])) * _TICK


def peak_megabytes(pid: int) -> float:
    """The most memory that a process has held so far. Raises OSError when it is gone."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) * 1024 / 1e6


def make_limit(share: float | None, memory: int | None) -> Limit:
    """``share`` of one core, ``memory`` in bytes; None: unlimited."""
    try:
        return ControlGroups(share, memory)
    except OSError:
        return DutyCycle(share)


@contextlib.contextmanager
def limited(command: Sequence[str], limit: Limit, **more: Any) -> Iterator[subprocess.Popen[Any]]:
    """The running program, which is ended on leaving."""
    try:
        # The child has no other threads to deadlock with: it writes two files and runs the program.
        process = subprocess.Popen(command, preexec_fn=limit.enter, **more)
        try:
            limit.follow(process)
            yield process
        finally:
            process.send_signal(signal.SIGCONT)
            process.terminate()
            try:
                process.wait(LEAVING)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    finally:
        limit.close()
