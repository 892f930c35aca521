"""The cache of altered recordings, which several runs may share."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from benchmarks.accuracy.life import AlteredRecording

PROGRAM = """import pathlib, sys
out = pathlib.Path(sys.argv[2])
out.write_text("half of a video")
if "dies" in sys.argv[3]:
    sys.exit(1)
out.with_suffix(".truth.json").write_text('{"moves": []}')
"""


def test_only_whole_recordings_are_cached(tmp_path: Path) -> None:
    program, cache = tmp_path / "program.py", tmp_path / "cache"
    program.write_text(PROGRAM, encoding="utf-8")
    cache.mkdir()
    with pytest.raises(subprocess.CalledProcessError):
        AlteredRecording("game", "dies", 2, 1).made(program, tmp_path, cache)
    assert list(cache.iterdir()) == []
    video, truth = AlteredRecording("game", "lasts", 2, 1).made(program, tmp_path, cache)
    assert video.is_file() and truth == {"moves": []}
    assert {file.name for file in cache.iterdir()} == {video.name, f"{video.stem}.truth.json"}
