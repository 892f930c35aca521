"""The frame rate that a machine can sustain, computed from its time per picture."""

from __future__ import annotations

import time

import pytest

from focus_companion.support import machine
from focus_companion.vision.capture.frames import CAMERA_SIZE
from focus_companion.vision.machine_speed import FULL_RATE, MIN_RATE, REDUCED_SIZE, MachineSpeed, measure

FAST_MACHINE = MachineSpeed(picture=0.002, whole=0.003)
"""Times in seconds on one core of a server."""


def slower(times: float) -> MachineSpeed:
    return MachineSpeed(times * FAST_MACHINE.picture, times * FAST_MACHINE.whole)


def test_a_fast_machine_takes_every_picture() -> None:
    assert FAST_MACHINE.rate == FULL_RATE
    assert FAST_MACHINE.apart == 0
    assert FAST_MACHINE.size == CAMERA_SIZE


def test_a_slower_machine_takes_as_many_pictures_as_it_can_process() -> None:
    speed = slower(12)
    assert MIN_RATE < speed.rate < FULL_RATE
    assert speed.apart == pytest.approx(1 / speed.rate)
    assert speed.size == CAMERA_SIZE


@pytest.mark.parametrize("times", [18, 40, 1000])
def test_a_machine_that_is_too_slow_still_takes_the_minimum_rate(times: float) -> None:
    speed = slower(times)
    assert 0 < speed.rate < MIN_RATE
    assert speed.apart == pytest.approx(1 / MIN_RATE)
    assert speed.size == REDUCED_SIZE


def test_the_speed_is_measured_in_the_time_given() -> None:
    started = time.monotonic()
    speed = measure(0.3)
    assert 0.3 <= time.monotonic() - started < 3
    # No machine decodes a whole picture faster than its pixels can be copied.
    assert speed.whole > 0.0002 and 0.0002 < speed.picture < 5


def test_the_doctor_reports_the_speed() -> None:
    (good,), (slow,) = machine.check_speed(slower(15.5)), machine.check_speed(slower(40))
    assert good.state == "ok"
    assert good.text == "this machine follows a game at 8 pictures a second; that is enough"
    assert slow.state == "warn" and "6 are enough" in slow.text and slow.remedy
