"""The user's settings: a flag overrides ``FOCUS_COMPANION_*``, which overrides ``config.toml``.

``config.toml`` is in the user's configuration folder (XDG), or where ``FOCUS_COMPANION_CONFIG`` says. It uses
the same names, and has a table ``[lights]``, which ``lights`` interprets::

    camera = "0"
    port = 8000
    [lights]
    backends = ["serial"]
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from .toml_file import TomlNotUtf8, TomlTooLarge, values_in

APP_NAME: Final = "focus_companion"
FILE_NAME: Final = "config.toml"
VARIABLE_PREFIX: Final = "FOCUS_COMPANION_"
LOG_LEVELS: Final = ("debug", "info", "warning", "error")
"""Log levels, from the most to the least verbose."""
SPOKEN_LANGUAGES: Final = ("en", "pl", "it", "system")
"""Languages that can be spoken; ``system`` stands for that of the system."""


class SettingsError(ValueError):
    """An invalid setting: the text says which one, where it is set, and what it may be."""


@dataclass(frozen=True)
class Settings:
    """All settings except the rules, which the players choose for each game."""

    data: Path
    """The folder of the journal and of everything else that is written."""
    camera: str | None = None
    """A camera, file, folder or address; ``demo``; ``None``: the first camera that works, else the demo."""
    port: int = 8000
    """Port of the page; 0: any free one."""
    lan: bool = False
    """Whether other machines on the network may watch."""
    pin: str | None = None
    """What they must enter to act; ``None``: random at each start."""
    log: str = "info"
    """Log level: debug, info, warning or error."""
    fps: float = 15.0
    """Frame rate of a folder of pictures."""
    lens: str | None = None
    """A lens profile by name or file; ``None``: the one that was measured with the camera, if any."""
    board: str | None = None
    """A board's profile by name or file; ``None``: the plastic sets are tried."""
    lights: Mapping[str, Any] = field(default_factory=dict)
    """The table ``[lights]``."""
    mqtt: str | None = None
    """Address of a broker, ``mqtt[s]://[USER@]HOST[:PORT]``."""
    mqtt_ca: Path | None = None
    """CA certificate of the broker's certificate; ``None``: those that the system trusts."""
    mqtt_password: str | None = field(default=None, repr=False)
    table: str | None = None
    """The table's name towards the broker."""
    speak: str | None = None
    """The language spoken on the host's loudspeaker, ``system`` for the system's; ``None``: silent."""
    places: Mapping[str, str] = field(default_factory=dict)
    """Where each setting is set: an option, a variable, or a file with the setting's name."""

    def place(self, setting: str) -> str:
        """Where a setting is set or, if it is nowhere, the option that would set it."""
        return self.places.get(setting, _option(setting))


def load(
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    config: Path | None = None,
) -> Settings:
    """The effective settings. ``flags`` are those of the command line; ``None`` means not given.

    Raises:
        SettingsError: an invalid value, with its name and place.
    """
    environ = os.environ if environ is None else environ
    file = config or config_file(environ)
    read = _from_file(file, must_exist=config is not None or _chosen(environ))
    set_by_variable = _from_environment(environ)
    set_by_option = {
        key: _checked(key, value, _option(key)) for key, value in (flags or {}).items() if value is not None
    }
    given = read | set_by_variable | set_by_option
    # The errors of lights name their own keys.
    places = {key: f"{file}: {key}" if key != "lights" else str(file) for key in read}
    places |= {key: _variable(key) for key in set_by_variable} | {key: _option(key) for key in set_by_option}
    if "data" not in given:
        from platformdirs import user_data_path  # imported late: help must be quick

        given["data"] = user_data_path(APP_NAME, appauthor=False)
    return Settings(**given, places=places)


def config_file(environ: Mapping[str, str]) -> Path:
    """The path of ``config.toml``."""
    if chosen := environ.get(f"{VARIABLE_PREFIX}CONFIG"):
        return Path(chosen)
    from platformdirs import user_config_path

    return user_config_path(APP_NAME, appauthor=False) / FILE_NAME


def _option(key: str) -> str:
    return f"--{key.replace('_', '-')}"


def _variable(key: str) -> str:
    return f"{VARIABLE_PREFIX}{key.upper()}"


def _chosen(environ: Mapping[str, str]) -> bool:
    return bool(environ.get(f"{VARIABLE_PREFIX}CONFIG"))


def _from_file(path: Path, *, must_exist: bool) -> dict[str, Any]:
    try:
        table = values_in(path)
    except FileNotFoundError:
        if must_exist:
            raise SettingsError(f"there is no settings file {path}; check FOCUS_COMPANION_CONFIG") from None
        return {}
    except IsADirectoryError:
        raise SettingsError(f"{path} is a folder; name the settings file in it, {path / FILE_NAME}") from None
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        remedy = f"make it readable, or set {VARIABLE_PREFIX}CONFIG to another file"
        raise SettingsError(f"the settings file {path} cannot be read ({why}); {remedy}") from error
    except TomlTooLarge as error:
        raise SettingsError(f"{path} is too large for a settings file") from error
    except TomlNotUtf8 as error:
        raise SettingsError(f"{path}: {error}") from error
    except ValueError as error:
        raise SettingsError(f"{path} is not TOML ({error}); write settings such as port = 8000") from error
    return {
        key.replace("-", "_"): _checked(key.replace("-", "_"), value, f"{path}: {key}")
        for key, value in table.items()
    }


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for key in _CHECKS:
        name = _variable(key)
        # An empty variable counts as not set.
        if text := environ.get(name, ""):
            given[key] = _checked(key, _read(key, text), name)
    return given


def _read(key: str, text: str) -> Any:
    """The value that a variable's text stands for; the check refuses invalid text later."""
    if key == "port":
        return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else text
    if key == "lan":
        return {"1": True, "yes": True, "true": True, "0": False, "no": False, "false": False}.get(
            text.lower(), text
        )
    if key == "fps":
        try:
            return float(text)
        except ValueError:
            return text
    if key == "lights":
        return {"backends": [name.strip() for name in text.split(",") if name.strip()]}
    return text


def _checked(key: str, value: Any, place: str) -> Any:
    if key not in _CHECKS:
        raise SettingsError(f"{place}: there is no such setting; the settings are {', '.join(_CHECKS)}")
    check, may_be = _CHECKS[key]
    if not check(value):
        raise SettingsError(f"{place}: {_quoted(key, value)} will not do; give {may_be}")
    if key in ("data", "mqtt_ca"):
        try:
            return Path(value).expanduser()
        except RuntimeError as error:  # ~name of an unknown user
            raise SettingsError(f"{place}: there is no home folder of {str(value)[:60]!r}") from error
    if key == "camera":
        return str(value)
    return float(value) if key == "fps" else value


def _quoted(key: str, value: Any) -> str:
    """A value as an error may show it: without PIN or password, however it is written."""
    if key in ("pin", "camera", "mqtt", "mqtt_password"):
        return "what stands there"
    if isinstance(value, int) and value.bit_length() > 128:
        return "a huge number"
    return repr(str(value)[:60])


def _is_number(value: Any, low: float, high: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high


def _is_text(value: Any, longest: int = 4096) -> bool:
    return isinstance(value, str) and 0 < len(value) <= longest and "\0" not in value


_CHECKS: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    "data": (lambda value: isinstance(value, Path) or _is_text(value), "a folder"),
    "camera": (
        lambda value: _is_text(value) or (_is_number(value, 0, 99) and isinstance(value, int)),
        "a camera number, a file, a folder, an address, or demo",
    ),
    "port": (
        lambda value: isinstance(value, int) and _is_number(value, 0, 65535),
        "a port from 1 to 65535, or 0 for any free one",
    ),
    "lan": (lambda value: isinstance(value, bool), "true or false"),
    "pin": (lambda value: _is_text(value, 64) and len(value.strip()) >= 4, "a text of 4 to 64 characters"),
    "log": (lambda value: value in LOG_LEVELS, " or ".join((", ".join(LOG_LEVELS[:-1]), LOG_LEVELS[-1]))),
    "fps": (lambda value: _is_number(value, 0.1, 1000), "a number of pictures a second"),
    "lens": (_is_text, "the name of a lens profile, or its file"),
    "board": (_is_text, "the name of a board profile, or its file"),
    "lights": (lambda value: isinstance(value, Mapping), "a table [lights]"),
    "mqtt": (_is_text, "a broker's address, mqtt://HOST or mqtts://HOST"),
    "mqtt_ca": (lambda value: isinstance(value, Path) or _is_text(value), "a file"),
    "mqtt_password": (lambda value: _is_text(value, 1000), "a text"),
    "table": (lambda value: _is_text(value, 40), "a name of 1 to 40 characters"),
    "speak": (lambda value: value in SPOKEN_LANGUAGES, "en, pl, it or system"),
}
"""For every setting: whether a value is valid, and what it may be."""
