"""The log: readable only by its owner, bounded, without secrets, and never an obstacle."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from focus_companion import logs


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    for handler in root.handlers[:]:
        if handler not in handlers:
            root.removeHandler(handler)
            handler.close()
    root.setLevel(level)
    logs._secrets.clear()


log = logging.getLogger("focus_companion.test")


def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    path = logs.start("info", tmp_path / "state" / "log")
    assert path is not None
    log.info("hello")
    assert "hello" in path.read_text(encoding="utf-8")
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("level", "kept"),
    [("debug", "diwe"), ("info", "iwe"), ("warning", "we"), ("error", "e")],
)
def test_the_level_says_how_much_is_kept(tmp_path: Path, level: str, kept: str) -> None:
    path = logs.start(level, tmp_path)
    assert path is not None
    log.debug("d")
    log.info("i")
    log.warning("w")
    log.error("e")
    assert [line[-1] for line in path.read_text(encoding="utf-8").splitlines()] == list(kept)


def test_no_secret_is_written_anywhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = logs.start("debug", tmp_path)
    assert path is not None
    logs.hide("384756")
    logs.hide(None)
    log.warning("the PIN 384756 was entered")
    try:
        raise ValueError("rtsp://anna:geheim@camera.local/stream with 384756")
    except ValueError:
        log.exception("it went wrong at http://camera.local/video?password=geheim")
    kept, shown = path.read_text(encoding="utf-8"), capsys.readouterr().err
    for text in (kept, shown):
        assert "384756" not in text and "geheim" not in text and "the PIN" in text
    # The traceback is for the file, one line for the terminal.
    assert "Traceback" in kept and "Traceback" not in shown and shown.count("\n") == 2


def test_a_terminal_obeys_nothing_that_a_device_or_another_machine_has_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs.start("info", tmp_path)
    log.warning("the strip says %s", "\x1b[2J\r\nred \u202e\x9b1m")
    shown = capsys.readouterr().err
    assert shown.rstrip("\n").isprintable() and shown.startswith("WARNING: the strip says  [2J red")


def test_the_row_of_files_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "MAX_FILE_BYTES", 2000)
    path = logs.start("info", tmp_path)
    assert path is not None
    for number in range(600):
        log.info("line %d of many", number)
    files = sorted(tmp_path.iterdir())
    assert len(files) == logs.MAX_OLD_FILES + 1
    assert sum(file.stat().st_size for file in files) <= 2000 * (logs.MAX_OLD_FILES + 1)
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in files)
    assert "line 599" in path.read_text(encoding="utf-8")


def test_a_folder_that_cannot_be_used_is_a_line_and_no_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert logs.start("info", tmp_path / "file" / "log") is None
    log.warning("still told")
    printed = capsys.readouterr().err
    assert "there is no log" in printed and "still told" in printed


class Full(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


def test_a_disk_that_fails_costs_lines_of_the_log_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs.start("info", tmp_path)
    (kept,) = [h for h in logging.getLogger().handlers if isinstance(h, logs._Private)]
    kept.stream.close()
    kept.stream = Full()
    log.info("nowhere to go")
    log.warning("for people")
    printed = capsys.readouterr().err
    assert "for people" in printed and "Traceback" not in printed
