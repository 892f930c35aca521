"""The program's files are accessible only to its user, and it needs no special permissions."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def played(home: Path, seconds: float = 240, **more: int) -> str:
    """Play the demo in a temporary home until the page answers; returns the output."""
    environ = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "FOCUS_"))}
    environ |= {"HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    # With a permissive umask, as the files' modes must not depend on it.
    process = subprocess.Popen(
        [sys.executable, "-m", "focus_companion.cli", "play", "--camera", "demo", "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT, env=environ, umask=0, **more,
    )  # fmt: skip
    said = ""
    try:
        assert process.stdout is not None
        until = time.monotonic() + seconds
        while "Page: " not in said and time.monotonic() < until and (line := process.stdout.readline()):
            said += line
        assert "Page: " in said, said
        page = said.partition("Page: ")[2].split()[0]
        while time.monotonic() < until:
            with urllib.request.urlopen(f"{page}api/state", timeout=60) as answer:
                if b'"camera":"ok"' in answer.read().replace(b" ", b""):
                    break
            time.sleep(0.2)
    finally:
        process.terminate()
        said += process.communicate(timeout=120)[0]
    return said


def rights(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): oct(stat.S_IMODE(path.stat().st_mode))
        for path in sorted(folder.rglob("*"))
    }


@pytest.mark.slow
def test_files_are_0600_and_folders_0700(tmp_path: Path) -> None:
    said = played(tmp_path)
    found = rights(tmp_path)
    assert any(name.endswith("journal.sqlite") for name in found), (found, said)
    for name, mode in found.items():
        # Libraries create caches wherever they like; our own files are in folders with our name.
        if "focus_companion" in name:
            assert mode == ("0o700" if (tmp_path / name).is_dir() else "0o600"), (name, found)


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="the tests run as an ordinary user already")
def test_an_ordinary_user_can_play(tmp_path: Path) -> None:
    nobody = 65534
    home = tmp_path / "home"
    home.mkdir()
    os.chown(home, nobody, nobody)
    for folder in (tmp_path, *tmp_path.parents):
        if folder != Path("/") and folder.owner() == "root" and "pytest" in str(folder):
            folder.chmod(0o755)
    if not _may_read(nobody):
        pytest.skip("this checkout or its Python may be read by root alone")
    assert "Page: " in played(home, user=nobody, group=nobody)
    assert {path.stat().st_uid for path in home.rglob("*")} == {nobody}


def _may_read(user: int) -> bool:
    """Whether that user can start the program from here."""
    try:
        tried = subprocess.run(
            [sys.executable, "-c", "import focus_companion, cv2, flask"],
            cwd=ROOT,
            user=user,
            group=user,
            extra_groups=[],
            capture_output=True,
            timeout=240,
        )
    except PermissionError:
        return False
    return tried.returncode == 0
