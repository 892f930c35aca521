"""The memory use of play: one pool for all threads, and no growth from game to game."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent

linux = pytest.mark.skipif(sys.platform != "linux", reason="the allocator and /proc are those of Linux")

POOLS = """
import ctypes, sys, threading
from focus_companion.commands.shared import memory
if sys.argv[1] == "one" and not memory.share_one_arena():
    sys.exit("not GNU's C library")
library = ctypes.CDLL(None)
library.malloc.restype = library.fopen.restype = ctypes.c_void_p
library.malloc.argtypes, library.fopen.argtypes = [ctypes.c_size_t], [ctypes.c_char_p] * 2
library.malloc_info.argtypes, library.fclose.argtypes = [ctypes.c_int, ctypes.c_void_p], [ctypes.c_void_p]
together = threading.Barrier(9)
def hold():
    library.malloc(5000)
    together.wait()
for _ in range(8):
    threading.Thread(target=hold).start()
together.wait()
told = library.fopen(sys.argv[2].encode(), b"w")
library.malloc_info(0, told)
library.fclose(told)
"""


def pools(how: str, told: Path) -> int:
    ended = subprocess.run(
        [sys.executable, "-c", POOLS, how, str(told)], capture_output=True, text=True, timeout=60
    )
    if "not GNU's" in ended.stderr:
        pytest.skip("another C library has other pools")
    assert not ended.returncode, ended.stderr
    return told.read_text(encoding="ascii").count("<heap nr=")


@linux
def test_all_threads_share_one_pool(tmp_path: Path) -> None:
    assert pools("many", tmp_path / "many.xml") > 1
    assert pools("one", tmp_path / "one.xml") == 1


@linux
@pytest.mark.slow
def test_memory_stays_flat_from_game_to_game_and_the_board_is_found_at_once() -> None:
    ended = subprocess.run(
        [sys.executable, str(HERE / "many_games.py"), "6", "3"], capture_output=True, text=True, timeout=800
    )
    assert not ended.returncode, ended.stderr
    games = [json.loads(line) for line in ended.stdout.splitlines()]
    assert len(games) == 6
    sizes = [game["megabytes"] for game in games]
    # The first game still fills the caches: pictures of the table and the pieces.
    assert max(sizes[2:]) - sizes[1] < 17, sizes
    assert max(sizes) < 350, sizes
    assert all(game["found_after"] < 4.0 for game in games), games
