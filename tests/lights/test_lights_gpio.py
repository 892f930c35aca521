from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from gpiozero import Device
from gpiozero.pins.mock import MockFactory, MockPWMPin

from focus_companion.lights import GpioSettings, LightSettings, LightsUnavailable, open_lights
from focus_companion.lights.gpio import GpioBackend
from focus_companion.lights.meaning import Cue, Meaning
from focus_companion.session import events

PINS = GpioSettings(
    turn={"red": 17, "green": 27},
    warning=24,
    buzzer=25,
    button=26,
    reserves={"red": (5, 6, 13), "green": (12,)},
)


@pytest.fixture
def factory() -> Iterator[Any]:
    before = Device.pin_factory
    Device.pin_factory = MockFactory(pin_class=MockPWMPin)
    yield Device.pin_factory
    Device.pin_factory.reset()
    Device.pin_factory = before


def states(factory: Any, *pins: int) -> list[float]:
    return [float(factory.pin(pin).state) for pin in pins]


@pytest.mark.parametrize(
    ("meaning", "turn", "bars"),
    [
        (Meaning(), [0, 0], [0, 0, 0, 0]),
        (Meaning(turn="red", reserves=(2, 0, 0, 0)), [1, 0], [1, 1, 0, 0]),
        (Meaning(turn="green", reserves=(3, 1, 0, 0)), [0, 1], [1, 1, 1, 1]),
        (Meaning(turn="green", reserves=(9, 7, 0, 0)), [0, 1], [1, 1, 1, 1]),
        (Meaning(turn="green", camera_lost=True), [0, 0], [0, 0, 0, 0]),
        (Meaning(turn="blue"), [0, 0], [0, 0, 0, 0]),
    ],
)
def test_turn_and_bars(factory: Any, meaning: Meaning, turn: list[float], bars: list[float]) -> None:
    backend = GpioBackend(PINS)
    backend.present(meaning, Cue.NONE)
    assert states(factory, 17, 27) == turn
    assert states(factory, 5, 6, 13, 12) == bars
    backend.close()
    backend.close()
    assert states(factory, 17, 27, 5, 6, 13, 12) == [0] * 6


def test_active_low(factory: Any) -> None:
    backend = GpioBackend(GpioSettings(turn={"red": 17, "green": 27}, reserves={}, active_high=False))
    backend.present(Meaning(turn="red"), Cue.NONE)
    assert states(factory, 17, 27) == [0, 1]
    backend.close()


def test_warning_and_buzzer(factory: Any) -> None:
    backend = GpioBackend(PINS)
    backend.present(Meaning(turn="red", warning=True, wrong=(3,)), Cue.ALERT)
    assert states(factory, 24) == [1]
    backend._buzzer._blink_thread.join()  # until the three beeps have ended
    assert [bool(state.state) for state in factory.pin(25).states] == [False] + [True, False] * 3
    backend.present(Meaning(turn="red"), Cue.NONE)
    assert states(factory, 24) == [0]
    backend.close()


def test_without_sound_the_buzzer_is_silent(factory: Any) -> None:
    backend = GpioBackend(PINS, sound=False)
    backend.present(Meaning(warning=True), Cue.ALERT)
    assert [bool(state.state) for state in factory.pin(25).states] == [False]
    backend.close()


def test_blinking_continues_undisturbed(factory: Any) -> None:
    backend = GpioBackend(PINS)
    backend.present(Meaning(turn="red", take=(4, 2)), Cue.NONE)
    thread = backend._turn["red"]._blink_thread
    backend.present(Meaning(turn="red", take=(4, 2), reserves=(1, 0, 0, 0)), Cue.NONE)
    assert backend._turn["red"]._blink_thread is thread
    backend.present(Meaning(turn="red"), Cue.NONE)
    assert states(factory, 17) == [1]
    backend.close()


@pytest.mark.parametrize(
    ("meaning", "colour"),
    [(Meaning(turn="yellow"), [1, 0.6, 0]), (Meaning(turn="blue"), [0, 0, 1]), (Meaning(), [0, 0, 0])],
)
def test_an_rgb_lamp_shows_the_colour_of_the_turn(
    factory: Any, meaning: Meaning, colour: list[float]
) -> None:
    backend = GpioBackend(GpioSettings(turn={}, rgb=(5, 6, 13), warning=None, buzzer=None, reserves={}))
    backend.present(meaning, Cue.NONE)
    assert states(factory, 5, 6, 13) == colour
    backend.close()


def test_the_button_is_reported(factory: Any) -> None:
    pressed: list[int] = []
    backend = GpioBackend(PINS, on_button=lambda: pressed.append(1))
    factory.pin(26).drive_low()
    assert pressed == [1]
    backend.close()


def test_open_lights_uses_the_pins(factory: Any) -> None:
    with open_lights(LightSettings(backends=("gpio",), gpio=PINS)) as lights:
        assert lights.names == ("GPIO",)
        lights.show(events.GameBegan(0.0, game=1, rules={"players": 2}), {})
        assert lights.wait(5)
        assert states(factory, 17, 27) == [0, 1]
        lights.show(events.Alert(1.0, reason="distance", player="green", squares=["d5"], text="…"), {})
        assert lights.wait(5)
        assert states(factory, 24) == [1]
    assert states(factory, 17, 27, 24) == [0, 0, 0]


def test_a_pin_in_use_is_reported(factory: Any) -> None:
    with pytest.raises(LightsUnavailable, match="GPIO17"):
        GpioBackend(GpioSettings(turn={"red": 17, "green": 17}))
    # The pins opened before the fault are free again.
    GpioBackend(PINS).close()


def test_a_machine_without_pins_gives_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        lights = open_lights(LightSettings(backends=("gpio",)))
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "no GPIO lights" in caplog.text and "the game goes on" in caplog.text
    lights.show(events.Lost(1.0), {})
    assert lights.names == () and lights.wait(0)
    lights.close()
    lights.close()
