"""Checks of the camera: that it opens, its frame rate and picture quality, and whether it sees the board."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from ..game.squares import SQUARES
from ..vision.capture.frames import Frame, Image
from ..vision.capture.picture_faults import picture_fault
from ..vision.detection.find_board import find_board
from ..vision.geometry.stack_masks import Outlines
from ..vision.placement_check import Certainty, check_mount
from .checks import Check

if TYPE_CHECKING:
    from ..vision.capture.frames import Source
    from ..vision.geometry.lens_profiles import LensProfile
    from ..vision.geometry.scene import BoardProfile

FIRST_PICTURE_TIMEOUT: Final = 8.0
"""Seconds."""
LOOK_SECONDS: Final = 3.0
"""Seconds for which pictures are taken; longer while exposure and focus settle."""
MAX_SETTLING_SECONDS: Final = 10.0
"""Seconds after which pictures are no longer taken even if exposure and focus have not settled."""

AMPLE_FRAME_RATE: Final = 10.0
"""Frame rate from which on there is no warning."""
MIN_FRAME_RATE: Final = 5.0
"""Frame rate below which turns are missed."""
AMPLE_WIDTH: Final = 900
"""Width in pixels from which on there is no warning."""
EXAMINED_WIDTH: Final = 640
"""Width in pixels to which a picture is reduced before its sharpness and brightness are measured."""
MIN_SHARPNESS: Final = 40.0
"""Variance of the Laplacian below which the picture is out of focus."""
MIN_BRIGHTNESS: Final = 40
"""Mean grey value (0 to 255) below which the picture is dim."""
GLARE_LEVEL: Final = 250
"""Grey value above which a pixel counts as glare."""
MAX_GLARE: Final = 0.25
"""Fraction of such pixels above which the picture is too bright."""

_REMEDIES: Final = {
    "dark": "put a light on, and take off the lens cap",
    "covered": "uncover the lens, and focus it",
    "grey": "switch the camera to colour, out of its night vision, or use another one",
    "damaged": "use a shorter or better cable, or a better network",
}


@dataclass
class Seen:
    """What a camera delivered: the first and last of ``count`` frames, the state of each control's lock."""

    frames: list[Frame] = field(default_factory=list)
    count: int = 0
    seconds: float = 0.0
    locks: dict[str, str] = field(default_factory=dict)
    live: bool = True
    error: str = ""


def look(open_source: Callable[[], Source], clock: Callable[[], float] = time.monotonic) -> Seen:
    """Take pictures for a while on a separate thread, so that a hanging camera does not block the doctor.

    ``clock`` returns the current time in seconds.
    """
    seen, news = Seen(), queue.SimpleQueue[bool]()
    stop = threading.Event()

    def run() -> None:
        try:
            with open_source() as source:
                seen.live = source.live
                began = 0.0
                for frame in source:
                    now = clock()
                    began = began or now
                    # Only the first and the last picture are examined.
                    seen.frames = [*seen.frames[:1], frame]
                    seen.count += 1
                    seen.seconds = now - began
                    seen.locks = dict(source.locks)
                    unsettled = any(state == "settling" for state in seen.locks.values())
                    if stop.is_set() or seen.seconds > (MAX_SETTLING_SECONDS if unsettled else LOOK_SECONDS):
                        break
        except OSError as error:
            seen.error = str(error)
        finally:
            news.put(True)

    thread = threading.Thread(target=run, name="doctor", daemon=True)
    thread.start()
    try:
        news.get(timeout=FIRST_PICTURE_TIMEOUT + MAX_SETTLING_SECONDS)
    except queue.Empty:
        seen.error = seen.error or "it hangs: no picture arrives, and no error"
    stop.set()
    return seen


def check_camera(
    name: str,
    seen: Seen,
    profiles: Sequence[BoardProfile],
    lens: LensProfile | None = None,
) -> Iterator[Check]:
    """All findings about the pictures; ``name`` is the source as it may be shown."""
    if not seen.frames:
        text = seen.error or "gives no picture"
        yield Check("camera", "fail", f"{name}: {text}", "plug it in, close other programs that use it")
        return
    image = seen.frames[-1].image
    height, width = image.shape[:2]
    text = f"{name} opens, {width}×{height}"
    if width < AMPLE_WIDTH:
        yield Check("camera", "warn", text, "choose a larger picture: 1280×960 is plenty")
    else:
        yield Check("camera", "ok", text)
    if seen.live:
        yield from _frame_rate(seen)
        yield from _locks(seen.locks)
    yield from _picture(image)
    if not picture_fault(image):
        yield from _board(image, profiles, lens)


def _frame_rate(seen: Seen) -> Iterator[Check]:
    rate = (seen.count - 1) / seen.seconds if seen.seconds > 0 else 0.0
    text = f"{rate:.1f} pictures a second"
    if rate >= AMPLE_FRAME_RATE:
        yield Check("frame rate", "ok", text)
    else:
        remedy = "more light (a dark room makes exposures long), a smaller picture, or a better network"
        yield Check("frame rate", "warn" if rate >= MIN_FRAME_RATE else "fail", text, remedy)
    if seen.count > 1 and np.array_equal(seen.frames[0].image, seen.frames[1].image):
        yield Check("movement", "warn", "always the same picture", "unplug the camera and plug it in again")


def _locks(locks: dict[str, str]) -> Iterator[Check]:
    if not locks:
        text = "the camera controls exposure itself"
        remedy = "lock exposure, focus and white balance in the camera's app"
        yield Check("exposure lock", "warn", text, remedy)
        return
    loose = {name: state for name, state in locks.items() if state != "locked"}
    if loose:
        text = "; ".join(f"{name} {state}" for name, state in loose.items())
        remedy = "steady light helps: then changing exposure hardly matters"
        yield Check("exposure lock", "warn", text, remedy)
    else:
        yield Check("exposure lock", "ok", f"{', '.join(locks)} locked")


def _picture(image: Image) -> Iterator[Check]:
    fault = picture_fault(image)
    if fault:
        yield Check("picture", "fail", fault, _REMEDIES[fault])
        return
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    rows = max(1, round(EXAMINED_WIDTH * grey.shape[0] / grey.shape[1]))
    small = cv2.resize(grey, (EXAMINED_WIDTH, rows), interpolation=cv2.INTER_AREA)
    sharp = float(cv2.Laplacian(small, cv2.CV_64F).var())
    mean, glare = float(small.mean()), float((small > GLARE_LEVEL).mean())
    text = f"sharpness {sharp:.0f}, mean brightness {mean:.0f} of 255"
    if sharp < MIN_SHARPNESS:
        yield Check("picture", "warn", f"{text}: blurred", "focus the camera on the board, and wipe the lens")
    elif mean < MIN_BRIGHTNESS:
        yield Check("picture", "warn", f"{text}: dim", "more light on the board")
    elif glare > MAX_GLARE:
        yield Check("picture", "warn", f"{text}: {glare:.0%} glaring", "less light, or a shorter exposure")
    else:
        yield Check("picture", "ok", text)


def _board(image: Image, profiles: Sequence[BoardProfile], lens: LensProfile | None) -> Iterator[Check]:
    found = find_board(image, profiles, lens=lens)
    if found is None:
        remedy = "show the whole board, with its pieces, well lit and with nothing over it"
        yield Check("board", "fail", "not found in the picture", remedy)
        return
    # The same verdict as that of play and its page before the start position is seen.
    mount = check_mount(Outlines(found.camera, found.profile))
    yield Check("board", "ok", f"found ({found.profile.name}), a square is {mount.pitch:.0f} pixels wide")
    where = f"{mount.tilt:.0f}° off the vertical, one piece more shifts a top by {mount.step:.1f} pixels"
    hard = [name for name, level in zip(SQUARES, mount.squares, strict=True) if level is Certainty.HARD]
    if hard:
        where += f"; heights are hard to read on {', '.join(hard)}"
    if mount.verdict is Certainty.SURE and not mount.advice:
        yield Check("mount", "ok", where)
    else:
        remedy = " ".join(advice.text for advice in mount.advice)
        yield Check("mount", "warn", where, remedy or "put the camera nearer, 20° to 40° off the vertical")
