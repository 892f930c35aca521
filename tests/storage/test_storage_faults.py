"""The disk fails, tears writes, fills up, is read-only, or loses power: every emitted event survives."""

from __future__ import annotations

import json
import os
import random
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from scripted import Player, Still, play_on

from focus_companion.game.record import positions
from focus_companion.game.rules import Rules
from focus_companion.session import requests as ask
from focus_companion.session.session import Session
from focus_companion.storage import journal as journal_module
from focus_companion.storage.errors import JournalError
from focus_companion.storage.journal import Journal

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RULES = Rules.make(2)


def skip_or_fail(why: str) -> None:
    """Skip the test; fail if skipping is not allowed."""
    if os.environ.get("CI") == "true":
        pytest.fail(why)
    pytest.skip(why)


@pytest.fixture(scope="session")
def faulty_disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built library that makes a program's disk fail."""
    if shutil.which("gcc") is None or sys.platform != "linux":
        skip_or_fail("the disk that fails needs Linux and gcc (apt install gcc libc6-dev)")
    library = tmp_path_factory.mktemp("disk") / "faulty_disk.so"
    command = [
        "gcc",
        "-shared",
        "-fPIC",
        "-O2",
        "-Wall",
        "-Werror",
        "-o",
        library,
        HERE / "faulty_disk.c",
        "-ldl",
    ]
    subprocess.run(command, check=True, timeout=240)
    return library


def faulty_game(library: Path, folder: Path, samples: int, seed: int) -> dict[str, int]:
    done = subprocess.run(
        [sys.executable, HERE / "faulty_game.py", folder, HERE.parent / "session", str(samples), str(seed)],
        capture_output=True, text=True, timeout=2400, cwd=ROOT,
        env=os.environ | {"LD_PRELOAD": str(library), "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(json.loads(done.stdout))


@pytest.mark.slow
def test_faults_at_moments_of_a_game(faulty_disk: Path, fast_folder: Path) -> None:
    """``benchmarks/reliability/disk_faults.py`` does the same at every moment."""
    seed = random.SystemRandom().randrange(10**6)
    print("seed", seed)
    tried = faulty_game(faulty_disk, fast_folder, 10, seed)
    assert tried.pop("operations of the game") > 300
    assert tried.pop("power cut") == 30 and tried.pop("fault in a rescue") == 12
    assert len(tried) == 6 and set(tried.values()) == {10}


def test_the_check_detects_lost_events(faulty_disk: Path, tmp_path: Path) -> None:
    """If the journal is not synced, a power cut loses emitted events, and the check fails."""
    script = (HERE / "faulty_game.py").read_text(encoding="utf-8")
    careless = script.replace("    journal = Journal(folder)\n", """    journal = Journal(folder, write=True)
    journal._writer.execute("PRAGMA synchronous = OFF")
""").replace("    tried = faults(", "    tried = {} and faults(")  # fmt: skip
    assert careless.count("synchronous") == 1
    (tmp_path / "careless.py").write_text(careless, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, tmp_path / "careless.py", tmp_path, HERE.parent / "session", "5", "1"],
        capture_output=True, text=True, timeout=480, cwd=ROOT,
        env=os.environ | {"LD_PRELOAD": str(faulty_disk), "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 1 and "power cut after operation" in done.stderr


@pytest.fixture
def fast_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory if possible, as the failing disk is simulated anyway."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of two megabytes."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m,mode=0700", "tmpfs", str(folder)]
    try:
        done = subprocess.run(mount, capture_output=True, text=True, timeout=240)
        problem = done.stderr.strip()
    except FileNotFoundError:
        problem = "there is no mount"
    if problem:
        skip_or_fail(f"a small disk cannot be mounted here ({problem}); it needs root")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True, timeout=240)


def fill(folder: Path) -> Path:
    """Leave no free space on the disk."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        while True:
            try:
                file.write(bytes(4096))
            except OSError:
                return ballast


@pytest.mark.parametrize("already", [0, 1, 5, 30])
def test_a_game_waits_for_disk_space_and_goes_on(small_disk: Path, already: int) -> None:
    now = [0.0]
    journal = Journal(small_disk, write=True)
    session = Session(RULES, {}, journal, Player, clock=lambda: now[0])
    emitted = play_on(session.push, already)
    ballast = fill(small_disk)
    for index in range(100, 140):
        emitted += session.push(Still(index))
        now[0] += 1.1
    assert "full" in str(session.state()["fault"])
    ply = session.history.ply
    assert ply == sum(event.type == "move" for event in emitted)
    # A second start also reports it once the journal is free, and reading still works.
    with Journal(small_disk) as reader:
        assert reader.record(1) == session.history.record()
    ballast.unlink()
    for index in range(200, 220):
        emitted += session.push(Still(index))
        now[0] += 1.1
    assert session.state()["fault"] is None and session.history.ply > ply
    assert [event.ply for event in emitted if event.type == "move"] == list(range(1, session.history.ply + 1))
    assert [event for _, event in journal.events() if event.type == "move"] == [
        e for e in emitted if e.type == "move"
    ]
    journal.close()
    with Journal(small_disk, write=True) as journal:
        assert journal.notices == [] and len(list(positions(journal.record(1)))) == session.history.ply + 1


def test_a_start_on_a_full_disk_is_reported_in_one_sentence(small_disk: Path) -> None:
    fill(small_disk)
    with pytest.raises(JournalError, match="full") as error:
        Journal(small_disk / "new", write=True)
    assert "\n" not in str(error.value)


def test_a_rescue_without_disk_space_changes_nothing(small_disk: Path) -> None:
    with Journal(small_disk, write=True) as journal:
        play_on(Session(RULES, {}, journal, Player).push, 40)
    path = small_disk / "journal.sqlite"
    with path.open("r+b") as file:
        file.write(bytes(4096))
    spoilt = path.read_bytes()
    ballast = fill(small_disk)
    with pytest.raises(JournalError, match=r"damaged .* cannot be rescued now: .* full"):
        Journal(small_disk, write=True)
    assert path.read_bytes() == spoilt and not list(small_disk.glob("journal.part*"))
    ballast.unlink()
    with Journal(small_disk, write=True) as journal:
        assert "rescued" in journal.notices[0] and journal.games()[0].plies == 39


def start(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run ``play`` on ``folder`` until it has opened the journal."""
    return subprocess.run(
        [sys.executable, "-m", "focus_companion.cli", "play", "--camera", "nothing.mp4", "--data", folder],
        capture_output=True, text=True, timeout=240, cwd=ROOT,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": "/nowhere"},
    )  # fmt: skip


def test_a_start_on_a_read_only_disk_is_reported(small_disk: Path) -> None:
    with Journal(small_disk, write=True) as journal:
        play_on(Session(RULES, {}, journal, Player).push, 10)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True, timeout=240)
    done = start(small_disk)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert "read-only disk" in done.stderr and str(small_disk) in done.stderr


def test_games_are_read_from_a_read_only_disk(small_disk: Path) -> None:
    with Journal(small_disk, write=True) as journal:
        play_on(Session(RULES, {}, journal, Player).push, 10)
        played = journal.history(1)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True, timeout=240)
    with Journal(small_disk) as journal:
        assert journal.history(1) == played


def test_a_start_on_a_damaged_journal_is_reported_in_one_line(tmp_path: Path) -> None:
    with Journal(tmp_path, write=True) as journal:
        play_on(Session(RULES, {}, journal, Player).push, 10)
    with (tmp_path / "journal.sqlite").open("r+b") as file:
        file.write(bytes(4096))
    first, second = start(tmp_path).stderr.splitlines()
    (kept,) = tmp_path.glob("journal.damaged-*.sqlite")
    assert "11 events of 1 game rescued" in first and f"kept as {kept}; play goes on" in first
    # The program ended because there is no such camera.
    assert "nothing.mp4" in second


STRANGER = """
import os, sys
from focus_companion.storage.errors import JournalError
from focus_companion.storage.journal import Journal
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    Journal(sys.argv[1], write=True)
except JournalError as error:
    print(error)
"""


def test_a_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir(mode=0o500)
    done = subprocess.run(
        [sys.executable, "-c", STRANGER, folder], capture_output=True, text=True, timeout=240, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1 and str(folder) in done.stdout
    assert "may not be used by this user; make it writable or give another --data folder" in done.stdout


@pytest.mark.parametrize("name", ["journal.lock", "journal.sqlite"])
def test_files_of_another_user_are_refused(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Journal(tmp_path, write=True).close()
    opened = os.open

    def refused(path: Path, *more: int) -> int:
        if Path(path).name == name:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *more)

    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(JournalError, match=f"{name} may not be used by this user; make it writable") as error:
        Journal(tmp_path, write=True)
    assert "\n" not in str(error.value)
    monkeypatch.undo()
    Journal(tmp_path, write=True).close()
    assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


def test_a_clock_that_is_set_back_does_not_change_the_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [datetime(2026, 11, 21, 20, tzinfo=UTC)]

    def earlier_each_time() -> str:
        now[0] -= timedelta(days=30, hours=5)
        return now[0].isoformat(timespec="milliseconds")

    monkeypatch.setattr(journal_module, "_now", earlier_each_time)
    emitted = []
    for _ in range(3):
        with Journal(tmp_path, write=True) as journal:
            session = Session(RULES, {}, journal, Player)
            emitted += play_on(session.push, 8)
            session.submit(ask.Resign("g"))
            emitted += session.attend()
    with Journal(tmp_path, write=True) as journal:
        assert [event for _, event in journal.events() if event.type != "game"] == emitted
        assert [number for number, _ in journal.events()] == list(range(1, journal.last_event() + 1))
        assert [(game.id, game.plies) for game in journal.games()] == [(3, 7), (2, 7), (1, 7)]
        assert journal.games()[0].began < journal.games()[2].began
        assert journal.last_unfinished() is None and all(journal.record(g.id).result for g in journal.games())
