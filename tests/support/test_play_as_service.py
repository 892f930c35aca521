"""``play`` as a service and with its log, in a separate process."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest
from small_demo import SMALL_DEMO

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_play_notifies_systemd_and_keeps_a_log_without_secrets(tmp_path: Path) -> None:
    address = str(tmp_path / "notify")
    clean = {key: value for key, value in os.environ.items() if not key.startswith("FOCUS_COMPANION_")}
    environment = clean | {
        "NOTIFY_SOCKET": address,
        "WATCHDOG_USEC": "4000000",
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_RUNTIME_DIR": str(tmp_path),
        "FOCUS_COMPANION_LIGHTS": "none",
    }
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.bind(address)
        line.settimeout(240)
        process = subprocess.Popen(
            [*SMALL_DEMO, "play", "--camera", "demo", "--port", "0", "--lan",
             "--data", str(tmp_path / "data")],
            cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        try:
            heard: list[str] = []
            end = time.monotonic() + 480
            while not (
                "READY=1" in heard
                and heard.count("WATCHDOG=1") >= 3
                and any(re.fullmatch("STATUS=Game 1, turn [1-9].*; camera: ok", word) for word in heard)
            ):
                assert time.monotonic() < end, heard
                heard.append(line.recv(4096).decode())
            # Its output goes to the system's journal, so the PIN is in a file that only its user can read.
            (file,) = tmp_path.glob("focus-companion-*.pin")
            pin = file.read_text(encoding="utf-8").strip()
            assert re.fullmatch(r"\d{6}", pin) and file.stat().st_mode & 0o777 == 0o600
            # A stopped process sends no heartbeat; afterwards it is back, with the game intact.
            process.send_signal(signal.SIGSTOP)
            line.settimeout(0.2)
            with pytest.raises(TimeoutError):
                while True:
                    line.recv(4096)
            line.settimeout(2.5)
            with pytest.raises(TimeoutError):
                line.recv(4096)
            process.send_signal(signal.SIGCONT)
            line.settimeout(240)
            while line.recv(4096) != b"WATCHDOG=1":
                assert time.monotonic() < end
            process.send_signal(signal.SIGTERM)
            output = process.communicate(timeout=120)[0]
            line.settimeout(60)
            while line.recv(4096) != b"STOPPING=1":
                pass
        finally:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()
    assert process.returncode == 0 and f"PIN for acting from other machines: see {file}" in output, output
    assert pin not in output and not file.exists()
    log = tmp_path / "state" / "focus_companion" / "log" / "focus-companion.log"
    kept = log.read_text(encoding="utf-8")
    assert "game 1, turn 1" in kept and "camera demo" in kept
    assert pin not in kept and "Traceback" not in kept
    assert log.stat().st_mode & 0o777 == 0o600 and log.parent.stat().st_mode & 0o777 == 0o700
