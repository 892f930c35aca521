from __future__ import annotations

import tomllib

import pytest

from focus_companion.lights import (
    GpioSettings,
    LightSettings,
    LightSettingsError,
    SerialSettings,
    WledSettings,
)


def read(toml: str) -> LightSettings:
    return LightSettings.from_mapping(tomllib.loads(toml))


@pytest.mark.parametrize(
    ("toml", "settings"),
    [
        ("", LightSettings()),
        ('backends = "none"', LightSettings(backends=("none",))),
        ("[gpio]", LightSettings(gpio=GpioSettings())),
        (
            "brightness = 200\nsound = false\n[gpio]\nturn = {red = 4}\nwarning = false\nrgb = [5, 6, 13]\n"
            "reserves = {green = [7, 8]}\nbutton = 26\nactive_high = false",
            LightSettings(
                brightness=200,
                sound=False,
                gpio=GpioSettings(
                    turn={"red": 4},
                    warning=None,
                    rgb=(5, 6, 13),
                    reserves={"green": (7, 8)},
                    button=26,
                    active_high=False,
                ),
            ),
        ),
        (
            '[serial]\nport = "/dev/ttyUSB0"\nack_timeout = 1',
            LightSettings(serial=SerialSettings("/dev/ttyUSB0", ack_timeout=1.0)),
        ),
        (
            '[wled]\nurl = "strip.local"\npixels = {d5 = 7}',
            LightSettings(wled=WledSettings(url="strip.local", pixels={"d5": 7})),
        ),
    ],
)
def test_settings_are_read(toml: str, settings: LightSettings) -> None:
    assert read(toml) == settings


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('backends = ["usb"]', '"usb" is not one of auto'),
        ("backends = 3", "lights.backends"),
        ("brightness = 256", "lights.brightness: 256"),
        ('set_up = "both"', 'lights.set_up: "both"'),
        ("brightness = true", "lights.brightness"),
        ('sound = "yes"', "lights.sound"),
        ("colour = 1", 'unknown key "colour"'),
        ("gpio = 17", "lights.gpio: 17 is not a table"),
        ("[gpio]\nturn = {purple = 4}", '"purple" is not one of red'),
        ("[gpio]\nwarning = -1", "lights.gpio.warning: -1"),
        ("[gpio]\nrgb = [1, 2]", "3 pins, not 2"),
        ("[gpio]\nreserves = {red = 4}", "lights.gpio.reserves.red"),
        ("[serial]\nport = 3", "lights.serial.port"),
        ("[serial]\nack_timeout = 0", "lights.serial.ack_timeout"),
        ("[wled]", '"url"'),
        ('[wled]\nurl = "a"\nport = "b"', "not both"),
        ('[wled]\nurl = ""', 'or "port" (USB)'),
        ("[wled]\npixels = {d5 = -7}", "lights.wled.pixels.d5"),
        ("[wled]\nport = 'x'\npixels = {d5 = 7, e5 = 8, warning = 7}", "d5 and warning both have pixel 7"),
        ("[wled]\nport = 'x'\npixels = {d5 = 7, e5 = 65536}", "lights.wled.pixels.e5: 65536"),
        ("[wled]\nport = 'x'\nbaud = 0", "lights.wled.baud: 0"),
        ("[wled]\nport = 'x'\nbaud = 4_000_001", "lights.wled.baud: 4000001 is not in 1 … 4000000"),
        ('[wled]\nurl = "ftp://strip.local"', 'lights.wled.url: "ftp://strip.local"'),
        ('[wled]\nurl = "http://"', "lights.wled.url"),
        ('[wled]\nurl = "http://strip:ab"', "lights.wled.url"),
        ('[wled]\nurl = "my strip"', 'lights.wled.url: "my strip"'),
        ("[gpio]\nwarning = 17", "turn red and warning both have pin 17"),
        ("[gpio]\nreserves = {red = [5, 5]}", "reserves red and reserves red both have pin 5"),
        ('backends = ["wled"]', "[lights.wled]"),
    ],
)
def test_invalid_settings_are_refused(toml: str, said: str) -> None:
    with pytest.raises(LightSettingsError) as caught:
        read(toml)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("strip.local", "http://strip.local"),
        ("192.0.2.7:81", "http://192.0.2.7:81"),
        ("HTTP://strip", "HTTP://strip"),
    ],
)
def test_the_scheme_of_a_strip_may_be_left_out(url: str, address: str) -> None:
    wled = read(f'[wled]\nurl = "{url}"').wled
    assert wled is not None and wled.address == address
