"""Finds secrets in a settings file that others may read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ..addresses import shown_address
from ..settings import config_file
from ..toml_file import values_in
from .checks import Check

_SECRET_SETTINGS: Final = ("pin", "mqtt_password")
_ADDRESS_SETTINGS: Final = ("camera", "mqtt")
"""Addresses, which may contain a password."""


def exposed_secrets(environ: Mapping[str, str] | None = None) -> tuple[Path, list[str]] | None:
    """The settings file and the names of the secrets in it, if others may read them; else ``None``."""
    path = config_file(os.environ if environ is None else environ)
    try:
        if not path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
            return None
        table = values_in(path)
    except (OSError, ValueError):
        # Errors in the file are reported when the settings are read.
        return None
    names = list(_held(table))
    return (path, names) if names else None


def _held(table: Mapping[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        name = key.replace("-", "_")
        if name in _SECRET_SETTINGS or (
            name in _ADDRESS_SETTINGS and shown_address(str(value)) != str(value)
        ):
            yield name


def exposed_notice(environ: Mapping[str, str] | None = None) -> str:
    """One sentence for the terminal; "" if all is well."""
    found = exposed_secrets(environ)
    if found is None:
        return ""
    path, names = found
    return f"{_complaint(path, names)}: chmod 600 {path}"


def check_settings(environ: Mapping[str, str] | None = None) -> Iterator[Check]:
    found = exposed_secrets(environ)
    if found is None:
        yield Check("settings", "ok", "no secret that others may read")
    else:
        path, names = found
        yield Check("settings", "warn", _complaint(path, names), f"chmod 600 {path}")


def _complaint(path: Path, names: Sequence[str]) -> str:
    return f"others may read {path}, which holds {' and '.join(names)}"
