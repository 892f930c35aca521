"""``focus-companion calibrate``: measures a camera's lens with a printed target."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from focus_companion.commands.shared.console import BadInput, NegativeResult
from focus_companion.commands.shared.numbers import NumberRange
from focus_companion.commands.shared.sources import data_folder
from focus_companion.commands.shared.table_choice import LENS_FOLDER, camera_name

if TYPE_CHECKING:
    from focus_companion.vision.capture.frames import Frame, Image
    from focus_companion.vision.geometry.lens_calibration import Measured, TargetView

WANTED_VIEWS: Final = 15
"""Number of views of the target to take from a live camera."""
EXAMINE_INTERVAL: Final = 0.35
"""Seconds between two examined pictures of a live camera."""
MAX_STILL_MOTION: Final = 0.004
"""Fraction of the picture's width by which a target that counts as still may move between two pictures."""


@click.command("calibrate")
@click.option("--target", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE.svg|FILE.pdf",
              help="Write the sheet to print, at true scale, and stop.")  # fmt: skip
@click.option("--paper", type=click.Choice(["a4", "letter"]), default="a4", show_default=True,
              help="Paper size of the sheet.")  # fmt: skip
@click.option("--camera", metavar="SOURCE", help="Measure with this camera while you move the target.")
@click.option("--pictures", type=click.Path(path_type=Path), metavar="FOLDER",
              help="Measure with pictures that were taken before.")  # fmt: skip
@click.option("--rulers", metavar="ACROSS,DOWN",
              help="What the two 100 mm rulers of your print measure, e.g. 98.5,98.5.")  # fmt: skip
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE.toml",
              help="Where to write the profile (default: in the data folder).")  # fmt: skip
@click.option("--data", metavar="DIR", help="The data folder (default: the user's).")
@click.option("--seconds", type=NumberRange(5, 3600), default=180, show_default=True,
              help="Maximum time to look, with --camera.")  # fmt: skip
def command(
    target: Path | None,
    paper: str,
    camera: str | None,
    pictures: Path | None,
    rulers: str | None,
    output: Path | None,
    data: str | None,
    seconds: float,
) -> None:
    """Measure a camera's lens, for more accuracy than the board alone gives.

    First --target FILE.pdf: print it at 100 % and glue it to something stiff. Then --camera or --pictures,
    with the target filling at least a third of the picture, tilted in all directions, in all parts of the
    picture. The profile is used whenever that camera is; --lens selects it for another.
    """
    asked = [name for name in (target, camera, pictures) if name is not None]
    if len(asked) != 1:
        raise BadInput("give one of --target FILE.pdf (first), --camera SOURCE or --pictures FOLDER")
    if target is not None:
        _print_target(target, paper)
        return
    from focus_companion.vision.capture.frames import FrameError

    # Checked first: looking takes minutes, and the views would be lost.
    lengths = _rulers(rulers)
    name = camera_name(camera) if camera is not None else ""
    # A recording, too, may stand for the camera; it has no lasting name.
    stem = name or (Path(camera).stem if camera is not None else _given(pictures).name)
    place = output or data_folder(data) / LENS_FOLDER / f"{_file_name(stem)}.toml"
    if place.suffix != ".toml":
        raise BadInput(f"--output: {place} must end in .toml")
    above = next(folder for folder in place.absolute().parents if folder.exists())
    if place.is_dir() or not (above.is_dir() and os.access(above, os.W_OK)):
        raise BadInput(f"--output: {place} cannot be written; choose a place that can be")
    try:
        views = _from_camera(camera, seconds) if camera is not None else _from_pictures(_given(pictures))
    except FrameError as error:
        raise BadInput(str(error)) from error
    measured = _measured(views, place.stem, name, lengths)
    _write(place, measured)


def _given(folder: Path | None) -> Path:
    if folder is None:
        raise BadInput("--pictures: give a folder of pictures of the target")
    return folder.resolve()


def _file_name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[:80] or "lens"


def _rulers(text: str | None) -> tuple[float, float]:
    from focus_companion.vision.geometry.lens_calibration import RULER_LENGTHS

    if text is None:
        return 100.0, 100.0
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*,\s*(\d+(?:\.\d+)?)\s*", text)
    lengths = (float(found[1]), float(found[2])) if found is not None else (0.0, 0.0)
    shortest, longest = RULER_LENGTHS
    if not shortest < min(lengths) <= max(lengths) < longest:
        raise BadInput(f"--rulers: {text!r} must be two lengths in mm, across and down, as in 98.5,98.5")
    return lengths


def _print_target(place: Path, paper: str) -> None:
    from focus_companion.vision.geometry import target

    kind = place.suffix.lower()
    if kind not in (".svg", ".pdf"):
        raise BadInput(f"--target: {place} must end in .svg or .pdf")
    data = target.pdf(paper) if kind == ".pdf" else target.svg(paper).encode()
    try:
        place.write_bytes(data)
    except OSError as error:
        raise BadInput(f"--target: {place} cannot be written ({error.strerror})") from error
    click.echo(
        f"{place} written. Print it at 100 % (actual size, not fitted to the page), glue it on a stiff "
        "board, and measure both rulers: where they are not 100 mm, give --rulers ACROSS,DOWN."
    )


def _from_pictures(folder: Path) -> list[TargetView]:
    from focus_companion.vision.capture.sources import PictureFolder
    from focus_companion.vision.geometry.lens_calibration import detect_target

    if not folder.is_dir():
        raise BadInput(f"--pictures: there is no folder {folder}")
    views, unseen = [], 0
    with PictureFolder(folder, fps=1000) as source:
        for frame in source:
            view = detect_target(frame.image)
            if view is None:
                unseen += 1
            else:
                views.append(view)
    if unseen:
        click.echo(f"The target is not visible in {unseen} of {unseen + len(views)} pictures.", err=True)
    return views


def _from_camera(source: str, seconds: float) -> list[TargetView]:
    from focus_companion.vision.capture.frames import FrameError
    from focus_companion.vision.capture.sources import open_source
    from focus_companion.vision.geometry.lens_calibration import detect_target, differs

    views: list[TargetView] = []
    last: TargetView | None = None
    click.echo("Hold the target in front of the camera, tilted to one side; Ctrl-C stops.", err=True)
    try:
        with open_source(source, paced=True) as frames:
            for image in _now_and_then(frames, seconds):
                view = detect_target(image)
                if view is not None and last is not None and _held(view, last) and differs(view, views):
                    views.append(view)
                    click.echo(
                        f"{len(views)} of {WANTED_VIEWS}: now tilt it another way, or move it.", err=True
                    )
                    if len(views) >= WANTED_VIEWS:
                        break
                last = view
    except KeyboardInterrupt:
        click.echo("Enough.", err=True)
    except FrameError as error:
        if not views:
            raise
        # Minutes of work: the views taken so far may be enough.
        click.echo(f"{error}; going on with the {len(views)} views so far.", err=True)
    return views


def _now_and_then(frames: Iterable[Frame], seconds: float) -> Iterator[Image]:
    began = last = time.monotonic()
    for frame in frames:
        now = time.monotonic()
        if now - began > seconds:
            return
        if now - last >= EXAMINE_INTERVAL:
            last = now
            yield frame.image


def _held(view: TargetView, before: TargetView) -> bool:
    """Whether the target is still: motion blurs it, and a rolling shutter distorts it."""
    same = view.points.shape == before.points.shape and bool((view.points == before.points).all())
    return same and float(abs(view.pixels - before.pixels).max()) < MAX_STILL_MOTION * view.width


def _measured(views: list[TargetView], name: str, camera: str, rulers: tuple[float, float]) -> Measured:
    from focus_companion.vision.geometry.lens_calibration import measure
    from focus_companion.vision.geometry.lens_profiles import LensError

    try:
        return measure(views, name, camera, rulers)
    except LensError as error:
        raise NegativeResult(str(error)) from error


def _write(place: Path, measured: Measured) -> None:
    from focus_companion.vision.geometry.lens_profiles import lens_text

    profile, lens = measured.profile, measured.profile.lens
    remark = f"Measured with {measured.views} views; corners miss by {measured.error:.2f} pixels on average."
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(lens_text(profile, remark), encoding="utf-8")
    except OSError as error:
        raise BadInput(f"--output: {place} cannot be written ({error.strerror})") from error
    click.echo(
        f"Focal length {lens.focal:.1f} pixels at {lens.width}×{lens.height} (±{profile.spread:.1%}), "
        f"distortion {lens.distortion[0]:+.3f}; {measured.views} views, "
        f"corners {measured.error:.2f} pixels off."
    )
    for line in measured.remarks:
        click.echo(f"Note: {line}.")
    used = "used automatically with this camera" if profile.camera else f"used with --lens {place}"
    click.echo(f"{place} written; it is {used}.")
