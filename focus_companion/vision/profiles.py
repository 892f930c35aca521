"""The board profiles that ship in ``calibration/boards``."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from .scene import BoardProfile, Solid


def profiles_folder() -> Path:
    """Where the profiles lie: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "calibration"
    return installed if installed.is_dir() else package.parent / "calibration"


@cache
def board_profile(name: str = "domination") -> BoardProfile:
    """The named profile.

    Raises:
        ValueError: no such profile, with the names that there are.
    """
    folder = profiles_folder() / "boards"
    path = folder / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in folder.glob("*.toml")))
        raise ValueError(f"no board profile is called {name!r}; there are: {known}")
    values = tomllib.loads(path.read_text(encoding="utf-8"))
    return BoardProfile(
        name=name,
        pitch=float(values["pitch"]),
        dome=Solid(tuple((float(r), float(z)) for r, z in values["dome"]["rings"])),
        dome_base=float(values["dome"]["base"]),
        piece=Solid(tuple((float(r), float(z)) for r, z in values["piece"]["rings"])),
        rise=float(values["piece"]["rise"]),
        half_width=float(values["half_width"]),
        table=float(values["table"]),
    )
