"""Reads and writes lens profiles: those that ship in ``calibration/lenses``, and those of ``calibrate``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from ...toml_file import values_in
from .board_profiles import profiles_folder
from .pose import PRIOR_SPREAD
from .scene import Lens

SUFFIX: Final = ".toml"

MAX_ASPECT_DIFFERENCE: Final = 0.01
"""Relative difference below which pictures of two aspect ratios are assumed to show the same part of the
sensor."""

FOCAL_SPREAD: Final = 0.01
"""Default standard deviation of the focal length's logarithm."""
DISTORTION_SPREAD: Final = PRIOR_SPREAD["k1"]
"""Default standard deviation of k1: a profile that does not say tells no more than the prior."""

_FOCAL_RATIOS: Final = (0.2, 20)
"""Focal lengths, in longer sides of the picture, between which those of all lenses lie."""


class LensError(ValueError):
    """A lens profile is unusable: the message says which, why, and what to do."""


@dataclass(frozen=True, slots=True)
class LensProfile:
    """A lens that is known independently of the board: ``spread`` is the standard deviation of its focal
    length's logarithm, ``distortion_spread`` that of k1; ``camera`` names its camera, if known.
    """

    name: str
    lens: Lens
    spread: float = FOCAL_SPREAD
    distortion_spread: float = DISTORTION_SPREAD
    camera: str = ""

    def at(self, width: int, height: int) -> Lens:
        """The lens for pictures of that size.

        A picture with a different aspect ratio shows the sensor's whole width, with rows cropped or added
        above and below.
        """
        scale = width / self.lens.width
        x, y = self.lens.centre
        centre = (x * scale, (y - self.lens.height / 2) * scale + height / 2)
        return replace(self.lens, width=width, height=height, focal=self.lens.focal * scale, centre=centre)

    def fits(self, width: int, height: int) -> bool:
        """Whether pictures of that size show the same part of the sensor."""
        return abs(width / height / (self.lens.width / self.lens.height) - 1) < MAX_ASPECT_DIFFERENCE


def lens_profile(name: str, folders: Sequence[Path] = ()) -> LensProfile:
    """The profile in the file ``name``, or of that name in ``folders`` or among those shipped.

    Raises:
        LensError: there is none, or it cannot be read.
    """
    path = Path(name)
    if path.suffix == SUFFIX:
        return read_lens(path)
    places = [*folders, profiles_folder() / "lenses"]
    for folder in places:
        if (folder / f"{name}{SUFFIX}").is_file():
            return read_lens(folder / f"{name}{SUFFIX}")
    known = sorted({found.stem for folder in places for found in folder.glob(f"*{SUFFIX}")})
    raise LensError(f"no lens profile is called {name}; there are {', '.join(known)}, or give a .toml file")


def lens_of_camera(camera: str, folders: Sequence[Path] = ()) -> LensProfile | None:
    """The profile measured with this camera, if there is one.

    Raises:
        LensError: a profile in ``folders`` cannot be read.
    """
    for folder in folders:
        for path in sorted(folder.glob(f"*{SUFFIX}")):
            profile = read_lens(path)
            if camera and profile.camera == camera:
                return profile
    return None


def read_lens(path: Path) -> LensProfile:
    """The profile in a file. Raises LensError, which names the file and what is wrong in it."""
    try:
        values = values_in(path)
    except OSError as error:
        raise LensError(f"{path} cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise LensError(f"{path} is not a lens profile ({error}); make one with calibrate") from error
    size = [_number(path, values, key) for key in ("width", "height")]
    focal = _number(path, values, "focal")
    centre = _numbers(path, values, "centre", 2)
    k1, k2, p1, p2 = _numbers(path, values, "distortion", 4)
    shortest, longest = _FOCAL_RATIOS
    if min(*size, focal) <= 0 or not shortest < focal / max(size) < longest:
        raise LensError(f"{path}: width, height and focal are pixels; {focal:g} at {size[0]:g} is not a lens")
    lens = Lens(round(size[0]), round(size[1]), focal, (centre[0], centre[1]), (k1, k2, p1, p2))
    values = {"spread": FOCAL_SPREAD, "distortion_spread": DISTORTION_SPREAD} | values
    spread, distortion_spread = (_number(path, values, key) for key in ("spread", "distortion_spread"))
    if not (0 < spread < 1 and 0 < distortion_spread < 1):
        raise LensError(f"{path}: spread and distortion_spread lie between 0 and 1")
    return LensProfile(path.stem, lens, spread, distortion_spread, str(values.get("camera", "")))


def _number(path: Path, values: dict[str, Any], key: str) -> float:
    value: Any = values.get(key)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    # An integer may be too large for a float.
    if not number or not abs(value) <= sys.float_info.max:
        raise LensError(f"{path}: {key} must be a number; make the profile again with calibrate")
    return float(value)


def _numbers(path: Path, values: dict[str, Any], key: str, count: int) -> list[float]:
    row = values.get(key)
    if not isinstance(row, list) or len(row) != count:
        raise LensError(f"{path}: {key} must be {count} numbers; make the profile again with calibrate")
    return [_number(path, {key: value}, key) for value in row]


def lens_text(profile: LensProfile, remark: str) -> str:
    """The text of a profile file, with ``remark`` as a comment on its first line."""
    lens = profile.lens
    camera = "".join(c for c in profile.camera if c.isprintable() and c not in '"\\')
    lines = [f"# {' '.join(remark.split())}"]
    lines += [f'camera = "{camera}"'] if camera else []
    lines += [
        f"width = {lens.width}",
        f"height = {lens.height}",
        f"focal = {lens.focal:.2f}",
        f"centre = [{lens.centre[0]:.2f}, {lens.centre[1]:.2f}]",
        f"distortion = [{', '.join(f'{k:.5f}' for k in lens.distortion)}]",
        f"spread = {profile.spread:.5f}",
        f"distortion_spread = {profile.distortion_spread:.5f}",
    ]
    return "\n".join(lines) + "\n"
