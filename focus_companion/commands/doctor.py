"""``focus-companion doctor``: is everything ready for a game? Each line ok, warn or fail, with its remedy."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from focus_companion.addresses import shown_address
from focus_companion.commands.shared.console import NegativeResult
from focus_companion.commands.shared.numbers import WholeNumberRange
from focus_companion.settings import VARIABLE_PREFIX, Settings, load

if TYPE_CHECKING:
    from focus_companion.support.checks import Check
    from focus_companion.vision.capture.frames import Image

SPEED_TEST_SECONDS = 2.0
"""Seconds for which the machine's speed is measured."""


@click.command("doctor")
@click.option("--camera", metavar="SOURCE|demo", help="The camera (default: the one that play would use).")
@click.option("--data", metavar="DIR", help="Folder of the journal (default: the user's data folder).")
@click.option("--port", type=WholeNumberRange(0, 65535), help="Port of the page.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(as_json: bool, **flags: Any) -> None:
    """Check camera, picture, board, lights, disk, journal, port, permissions and versions.

    Exit status 1 if anything fails; warnings do not count.
    """
    from focus_companion.support.checks import worst

    on_check = (lambda _: None) if as_json else (lambda check: click.echo(check.line))
    found, _ = examine(load(flags), on_check)
    state = worst(found)
    if as_json:
        click.echo(
            json.dumps({"state": state, "checks": [check.to_json() for check in found]}, ensure_ascii=False)
        )
    if state == "fail":
        raise NegativeResult(f"{sum(check.state == 'fail' for check in found)} of {len(found)} checks fail")


def examine(
    settings: Settings, on_check: Callable[[Check], object] = lambda _: None
) -> tuple[list[Check], list[Image]]:
    """Run all checks, calling ``on_check`` after each. Also returns the pictures taken."""
    found: list[Check] = []
    images: list[Image] = []
    for check in _checks(settings, images):
        found.append(check)
        on_check(check)
    return found, images


def _checks(settings: Settings, images: list[Image]) -> Iterator[Check]:
    # The camera's checks take longest and come last.
    # Imported here: --help must not wait for OpenCV.
    from focus_companion.support import exposed, machine
    from focus_companion.vision.machine_speed import measure

    yield from machine.check_versions()
    yield from exposed.check_settings()
    yield from machine.check_rights()
    yield from machine.check_speed(measure(SPEED_TEST_SECONDS))
    yield from machine.check_disk(settings.data)
    yield from machine.check_journals(settings.data)
    yield from machine.check_port(settings.port, "0.0.0.0" if settings.lan else "127.0.0.1")
    place = settings.place("lights")
    lights_place = place if place.startswith(VARIABLE_PREFIX) else f"[lights] in {place}"
    yield from machine.check_lights(settings.lights, lights_place)
    yield from _camera(settings, images)


def _camera(settings: Settings, images: list[Image]) -> Iterator[Check]:
    from focus_companion.commands.shared.play_source import DEMO, cameras, opened, works
    from focus_companion.commands.shared.table_choice import boards_for, lens_for
    from focus_companion.support.camera import check_camera, look
    from focus_companion.support.checks import Check
    from focus_companion.vision.capture.phone import NAME as PHONE
    from focus_companion.vision.geometry.board_profiles import ProfileError, plastic_sets
    from focus_companion.vision.geometry.lens_profiles import LensError

    profiles, lens = plastic_sets(), None
    try:
        profiles = boards_for(settings.board) or profiles
    except ProfileError as error:
        yield Check("board profile", "fail", str(error), f"correct {settings.place('board')}")
    source = settings.camera or next((device for device in cameras() if works(device)), None)
    try:
        lens = lens_for(settings.lens, source or "", settings.data)
    except LensError as error:
        yield Check("lens profile", "fail", str(error), f"correct {settings.place('lens')}")
    if source is None:
        remedy = "plug one in, or name it: --camera http://phone.local:8080/video"
        yield Check("camera", "fail", "there is none that works", remedy)
    elif source == PHONE:
        yield Check("camera", "ok", "a phone, whose pictures arrive only while play runs")
    elif source == DEMO:
        from focus_companion.simulator.demo import DemoSource

        seen = look(DemoSource)
        # Nothing controls the exposure of a drawing; there is no camera whose app could lock it.
        seen.locks = {"exposure": "locked"}
        images += [frame.image for frame in seen.frames]
        yield from check_camera("the simulated board", seen, profiles)
    else:
        seen = look(lambda: opened(source, settings.fps))
        images += [frame.image for frame in seen.frames]
        yield from check_camera(shown_address(source), seen, profiles, lens)
