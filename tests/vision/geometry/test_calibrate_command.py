"""``calibrate``, from the printed sheet to the use of the profile."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from target_views import cameras, known_lens, picture_of_sheet

from focus_companion.commands import calibrate as calibrate_command
from focus_companion.commands.shared import table_choice
from focus_companion.commands.shared.console import BadInput, NegativeResult
from focus_companion.vision.capture import sources
from focus_companion.vision.capture.frames import Frame, FrameError, Source
from focus_companion.vision.geometry import lens_calibration as lens_fit
from focus_companion.vision.geometry.lens_profiles import LensError, lens_text, read_lens


def calibrate(*args: str | Path, status: int = 0) -> tuple[str, str]:
    """The texts on standard output and standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "focus_companion.cli", "calibrate", *map(str, args)],
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert done.returncode == status, done.stderr
    return done.stdout, done.stderr


@pytest.mark.slow
def test_a_lens_profile_is_measured_from_pictures(tmp_path: Path) -> None:
    lens = known_lens()
    folder = tmp_path / "views"
    folder.mkdir()
    for index, camera in enumerate(cameras(lens, count=9)):
        cv2.imwrite(str(folder / f"{index}.png"), picture_of_sheet(camera))
    (folder / "notes.txt").write_text("no picture")
    place = tmp_path / "mine.toml"
    said, _ = calibrate("--pictures", folder, "--output", place)
    assert "Focal length" in said and str(place) in said
    found = read_lens(place)
    assert abs(found.lens.focal / lens.focal - 1) < 0.01
    _, errors = calibrate("--pictures", folder, "--output", place, "--rulers", "104,100", status=1)
    assert "too long" in errors and "--rulers" in errors


def test_the_sheet_is_written(tmp_path: Path) -> None:
    for name, start in (("target.pdf", b"%PDF-1.4"), ("target.svg", b"<svg")):
        said, _ = calibrate("--target", tmp_path / name, "--paper", "letter")
        assert (tmp_path / name).read_bytes().startswith(start)
        assert "100 %" in said


@pytest.mark.parametrize(
    ("args", "status", "words"),
    [
        ((), 2, "--target"),
        (("--camera", "0", "--target", "x.pdf"), 2, "one of"),
        (("--target", "x.png"), 2, ".svg or .pdf"),
        (("--pictures", "no-such-folder"), 2, "no-such-folder"),
        (("--camera", "97"), 2, "camera 97"),
    ],
)
def test_wrong_calibrate_options_are_reported(args: tuple[str, ...], status: int, words: str) -> None:
    _, errors = calibrate(*args, status=status)
    (line,) = errors.splitlines()[-1:]
    assert line.startswith("focus-companion: ") and words in line


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--rulers", "98.5"),
        ("--rulers", "9.85,9.85"),
        ("--rulers", "nan,98"),
        ("--output", "lens.txt"),
        ("--output", "full.toml"),
        ("--output", "file/lenses/lens.toml"),
    ],
)
def test_a_mistyped_option_is_reported_before_the_target_is_looked_for(
    option: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full.toml").mkdir()
    (tmp_path / "file").touch()

    def look(source: str, seconds: float) -> list[lens_fit.TargetView]:
        raise AssertionError("minutes are spent before the mistake is reported")

    monkeypatch.setattr(calibrate_command, "_from_camera", look)
    with pytest.raises(BadInput, match=option):
        calibrate_command.command.main(["--camera", "0", option, value], standalone_mode=False)


def test_a_recording_can_be_measured_without_naming_the_profile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibrate_command, "_from_camera", lambda source, seconds: [])
    with pytest.raises(NegativeResult, match="in only 0 pictures"):
        calibrate_command.command.main(
            ["--camera", str(tmp_path / "target.mp4"), "--data", str(tmp_path)], standalone_mode=False
        )


def test_pictures_without_the_target_are_reported(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "dark.png"), picture_of_sheet(cameras(known_lens())[0])[:60, :80])
    _, errors = calibrate("--pictures", tmp_path, "--output", tmp_path / "x.toml", status=1)
    assert "in only 0 pictures" in errors.splitlines()[-1]
    assert not (tmp_path / "x.toml").exists()


def test_views_are_kept_if_the_camera_is_unplugged(monkeypatch: pytest.MonkeyPatch) -> None:
    class UnpluggedSource(Source):
        def __init__(self, pictures: int) -> None:
            super().__init__("camera 0")
            self.pictures = pictures

        def __iter__(self) -> Iterator[Frame]:
            for index in range(self.pictures):
                yield Frame(index, float(index), np.zeros((2, 2, 3), np.uint8))
            raise FrameError("camera 0 is gone", "unplugged")

    monkeypatch.setattr(calibrate_command, "EXAMINE_INTERVAL", 0.0)
    monkeypatch.setattr(calibrate_command, "_held", lambda view, before: True)
    monkeypatch.setattr(lens_fit, "detect_target", lambda image: object())
    monkeypatch.setattr(lens_fit, "differs", lambda view, views: True)
    for pictures, views in ((1, None), (5, 4)):
        monkeypatch.setattr(sources, "open_source", lambda text, p=pictures, **how: UnpluggedSource(p))
        if views is None:
            with pytest.raises(FrameError, match="gone"):
                calibrate_command._from_camera("0", 60)
        else:
            assert len(calibrate_command._from_camera("0", 60)) == views


def test_the_lens_of_the_camera_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from focus_companion.vision.geometry.lens_profiles import lens_profile

    ours = lens_profile("raspberry-pi-camera-2")
    folder = tmp_path / table_choice.LENS_FOLDER
    folder.mkdir()
    link = "/dev/v4l/by-id/usb-Maker_Camera_123-video-index0"
    monkeypatch.setattr(table_choice, "stable_name", lambda source: link if source == "0" else source)
    assert table_choice.camera_name("0") == Path(link).name
    assert table_choice.camera_name("http://ann:secret@phone/video") == "http://…@phone/video"
    assert table_choice.camera_name("game.mp4") == ""

    text = lens_text(replace(ours, camera=Path(link).name), "test")
    (folder / "mine.toml").write_text(text, encoding="utf-8")
    found = table_choice.lens_for(None, "0", tmp_path)
    assert found is not None and found.name == "mine"
    assert table_choice.lens_for(None, "1", tmp_path) is None
    named = table_choice.lens_for("mine", "game.mp4", tmp_path)
    assert named == found
    with pytest.raises(LensError, match=r"there are .*mine"):
        table_choice.lens_for("other", "0", tmp_path)
