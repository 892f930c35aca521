"""A real Mosquitto that a test starts, kills and restarts, and a connection to it that can be cut."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from loopback import free_port

PROGRAM = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")


class Mosquitto:
    """A broker on its own port that stores its data in ``folder``; ``more``: lines of its configuration."""

    def __init__(self, folder: Path, *, listener: str = "", more: str = "allow_anonymous true") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.port = folder, free_port()
        self.settings = folder / "mosquitto.conf"
        self.settings.write_text(
            f"listener {self.port} 127.0.0.1\n{listener}\n{more}\n"
            f"persistence true\npersistence_location {folder}/\nautosave_interval 2\n"
            f"max_queued_messages 0\nlog_dest file {folder}/log\nlog_type error\nlog_type warning\n"
            f"user {'root' if _is_root() else ''}\n"
        )
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        assert PROGRAM is not None
        self._process = subprocess.Popen(
            [PROGRAM, "-c", str(self.settings)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        end = time.monotonic() + 60
        while time.monotonic() < end and self._process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise AssertionError(f"no broker: {(self.folder / 'log').read_text()}")

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(60)
            self._process = None

    def kill(self) -> None:
        """Kill it, as a power cut would: what it has not written yet is lost."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(60)
            self._process = None

    def __enter__(self) -> Mosquitto:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _is_root() -> bool:
    return os.geteuid() == 0


class Wire:
    """Forwards bytes between its own port and the broker's; while it is cut, nothing passes either way."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._server = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = int(self._server.getsockname()[1])
        self._whole = True
        self.passed = 0
        """Bytes forwarded, both ways."""
        self._lock = threading.Lock()
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}"

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._server.accept()
            except OSError:
                return
            if not self._whole:
                near.close()
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self._to), timeout=60)
                far.settimeout(None)
            except OSError:
                near.close()
                continue
            with self._lock:
                self._pairs.append((near, far))
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._pass, args=(source, sink), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                sink.sendall(data)
                self.passed += len(data)
        except OSError:
            pass  # cut on purpose
        finally:
            _end(source)
            _end(sink)

    def cut(self) -> None:
        self._whole = False
        with self._lock:
            pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for end in pair:
                _end(end)

    def mend(self) -> None:
        self._whole = True

    def close(self) -> None:
        self._server.close()
        self.cut()


def _end(end: Any) -> None:
    # The other thread may have closed it already.
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
