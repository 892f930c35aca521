"""A recording as a browser's camera: the numbers drawn into its pictures must not change the game."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import av
import cv2
import pytest

from benchmarks.reliability import phone_camera
from benchmarks.reliability.phone_camera import write_camera
from focus_companion.vision.capture.frames import lazily_decoded
from focus_companion.vision.geometry.stack_masks import Window
from focus_companion.vision.tracking.stillness import Stillness

CLIP: Final = Path(__file__).resolve().parents[2] / "fixtures" / "images" / "clip-oblique.mp4"
FPS: Final = 15
LEAD_FRAMES: Final = 39


def still_for(folder: Path, step: int) -> float:
    """Seconds for which a static scene counts as still if every ``step``-th picture is sent, as JPEG."""
    video, camera = folder / "video.mp4", folder / "camera.y4m"
    with av.open(str(CLIP)) as clip, av.open(str(video), "w") as container:
        first = next(clip.decode(video=0))
        stream = container.add_stream("mpeg4", rate=FPS)
        stream.width, stream.height, stream.pix_fmt = first.width, first.height, "yuv420p"
        container.mux([*stream.encode(first.reformat(format="yuv420p")), *stream.encode()])
    write_camera(video, camera, rate=FPS, lead=LEAD_FRAMES, trail=0)
    stillness, lasted = Stillness(), 0.0
    stillness.watch(Window(0, 0, first.width, first.height))
    with av.open(str(camera)) as container:
        for index, frame in enumerate(container.decode(video=0)):
            if index % step:
                continue
            data = cv2.imencode(".jpg", frame.to_ndarray(format="bgr24"))[1].tobytes()
            lasted, _ = stillness.update(index / FPS, stillness.small_copy(lazily_decoded(data, "picture")))
    return lasted


@pytest.mark.parametrize("step", [1, 3])
def test_the_numbers_do_not_count_as_motion(tmp_path: Path, step: int) -> None:
    assert still_for(tmp_path, step) == pytest.approx(LEAD_FRAMES / FPS)


def test_black_and_white_numbers_would_count_as_motion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phone_camera, "DARK", 16)
    monkeypatch.setattr(phone_camera, "LIGHT", 235)
    assert still_for(tmp_path, 3) < 1.0
