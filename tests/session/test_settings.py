"""The precedence of settings, and the errors for invalid ones."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focus_companion.commands.shared.broker_options import chosen_broker
from focus_companion.commands.shared.console import BadInput
from focus_companion.commands.shared.play_source import choose_source
from focus_companion.settings import Settings, SettingsError, load


def environment(tmp_path: Path, text: str | None = None, **more: str) -> dict[str, str]:
    config = tmp_path / "config.toml"
    if text is not None:
        config.write_text(text, encoding="utf-8")
    return ({"FOCUS_COMPANION_CONFIG": str(config)} if text is not None else {}) | more


@pytest.mark.parametrize(
    ("flag", "variable", "file", "port"),
    [
        (1, "2", "port = 3", 1),
        (None, "2", "port = 3", 2),
        (None, None, "port = 3", 3),
        (None, None, "", 8000),
        (None, "", "port = 3", 3),
        (0, "2", "port = 3", 0),
    ],
)
def test_flag_over_variable_over_file_over_default(
    tmp_path: Path, flag: int | None, variable: str | None, file: str, port: int
) -> None:
    environ = environment(tmp_path, file, **({} if variable is None else {"FOCUS_COMPANION_PORT": variable}))
    assert load({"port": flag}, environ).port == port


def test_every_source_of_every_setting(tmp_path: Path) -> None:
    text = f'data = "{tmp_path}"\ncamera = 1\nlan = true\npin = "4711"\nfps = 10\n[lights]\nbrightness = 9\n'
    settings = load({}, environment(tmp_path, text))
    assert (settings.data, settings.camera, settings.lan, settings.pin) == (tmp_path, "1", True, "4711")
    assert settings.fps == 10.0 and settings.lights == {"brightness": 9}
    names = {
        "DATA": "/d",
        "CAMERA": "/dev/video2",
        "LAN": "no",
        "PIN": "0815",
        "FPS": "7.5",
        "LIGHTS": "gpio, wled",
    }
    settings = load({}, environment(tmp_path, text, **{f"FOCUS_COMPANION_{k}": v for k, v in names.items()}))
    assert (settings.data, settings.camera, settings.lan) == (Path("/d"), "/dev/video2", False)
    assert (settings.pin, settings.fps, settings.lights) == ("0815", 7.5, {"backends": ["gpio", "wled"]})


def test_without_anything_the_folders_are_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert load({}, {}).data == tmp_path / "data" / "focus_companion"
    folder = tmp_path / "config" / "focus_companion"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text("port = 4242")
    assert load({}, {}).port == 4242


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("port = 70000", "port"),
        ("port = true", "port"),
        ('port = "x"', "65535"),
        ("speed = 3", "no such setting"),
        ("pin = 1", "pin"),
        ('pin = "  1  "', "pin"),
        ("lights = 3", "lights"),
        ("port = ", "TOML"),
        ("x = " + "[" * 3000, "TOML"),
        ("fps = nan", "fps"),
    ],
)
def test_a_bad_file_is_reported_with_its_place(tmp_path: Path, text: str, word: str) -> None:
    with pytest.raises(SettingsError, match=word) as error:
        load({}, environment(tmp_path, text))
    assert str(tmp_path / "config.toml") in str(error.value)


@pytest.mark.parametrize(("name", "value"), [("PORT", "eighty"), ("LAN", "maybe"), ("FPS", "fast")])
def test_a_bad_variable_is_reported_by_name(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"FOCUS_COMPANION_{name}.*{value}"):
        load({}, {f"FOCUS_COMPANION_{name}": value})


def test_a_chosen_file_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no settings file"):
        load({}, {"FOCUS_COMPANION_CONFIG": str(tmp_path / "none.toml")})


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        ("mqtt", 'mqtt = "broker"'),
        ("mqtt_ca", 'mqtt = "mqtts://here"\nmqtt_ca = "/nowhere"'),
        ("mqtt_password", 'mqtt = "mqtt://here"\nmqtt_password = "x"'),
        ("table", 'mqtt = "mqtt://here"\ntable = "a/b"'),
        ("camera", 'camera = "/nowhere.mp4"'),
    ],
)
def test_an_error_found_later_names_where_the_setting_is(tmp_path: Path, setting: str, text: str) -> None:
    def use(settings: Settings) -> None:
        chosen_broker(settings)
        choose_source(settings)

    environ = environment(tmp_path, text)
    with pytest.raises(BadInput, match=rf"config\.toml: {setting}: "):
        use(load({}, environ))
    read = tomllib.loads(text)
    with pytest.raises(BadInput, match=f"^FOCUS_COMPANION_{setting.upper()}: "):
        use(load({}, {f"FOCUS_COMPANION_{key.upper()}": value for key, value in read.items()}))
    with pytest.raises(BadInput, match=f"^--{setting.replace('_', '-')}: "):
        use(load(read, {"FOCUS_COMPANION_DATA": str(tmp_path)}))


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_a_file_that_is_not_in_utf_8_is_said_to_be_that(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text('table = "Café"', encoding=encoding)
    with pytest.raises(SettingsError, match=r"config\.toml: byte \d+: not text in UTF-8; save"):
        load({}, {"FOCUS_COMPANION_CONFIG": str(file)})


def test_a_folder_as_the_settings_file_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=rf"is a folder; name the settings file in it, {tmp_path}/config"):
        load({}, {"FOCUS_COMPANION_CONFIG": str(tmp_path)})
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(SettingsError, match=r"cannot be read \(.*\); make it readable, or set FOCUS"):
        load({}, {"FOCUS_COMPANION_CONFIG": str(tmp_path / "loop")})


@given(st.binary(max_size=200))
def test_any_bytes_give_settings_or_a_sentence(tmp_path_factory: Any, data: bytes) -> None:
    path = tmp_path_factory.mktemp("config") / "config.toml"
    path.write_bytes(data)
    try:
        load({}, {"FOCUS_COMPANION_CONFIG": str(path)})
    except SettingsError as error:
        assert str(path) in str(error)
