"""Reads and writes board profiles; those that ship are in ``calibration/boards``."""

from __future__ import annotations

import re
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any, Final

from ...game.colours import LETTER, NAMES
from ...toml_file import values_in
from .scene import BoardProfile, PieceLook, Solid


def profiles_folder() -> Path:
    """The folder of the profiles: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[2]
    installed = package / "calibration"
    return installed if installed.is_dir() else package.parent / "calibration"


PLASTIC: Final = ("domination", "domination-shouldered")
"""The sets that are tried if none is named, the plain one first."""


FORMS: Final = (*PLASTIC, "chess-draughts", "chess-chips")
"""Profiles on whose dimensions others can be based, with the key ``like``."""


def forms() -> tuple[BoardProfile, ...]:
    """The profiles of :data:`FORMS`."""
    return tuple(board_profile(name) for name in FORMS)


def plastic_sets() -> tuple[BoardProfile, ...]:
    """The profiles of :data:`PLASTIC`."""
    return tuple(board_profile(name) for name in PLASTIC)


_SHADE_PATTERN: Final = re.compile("#[0-9a-fA-F]{6}")

_GAP_KEYS: Final = ("files", "ranks")

_KEYS: Final = {
    "": ("like", "pitch", "half_width", "table", "dome", "piece", "colours", "gap"),
    "dome": ("base", "rings"),
    "piece": ("rise", "rings"),
    "gap": _GAP_KEYS,
}
"""The keys of a profile ("") and of its tables."""

_MAX_NAME_LENGTH: Final = 24
"""Maximum characters of a colour's name."""

_PITCHES: Final = (5, 200)
"""Pitches, in mm, between which that of a profile must lie."""


class ProfileError(ValueError):
    """A board profile that cannot be used: the message says which, why, and what to do."""


@cache
def board_profile(name: str = "domination") -> BoardProfile:
    """The profile of that name, or in that file (``….toml``).

    Raises:
        ProfileError: it does not exist or is invalid.
    """
    folder = profiles_folder() / "boards"
    path = Path(name) if name.endswith(".toml") else folder / f"{name}.toml"
    values = _values(path, name)
    like = values.pop("like", None)
    if like is not None and like not in FORMS:
        raise ProfileError(f"{path}: 'like' must be one of {', '.join(FORMS)}")
    if unknown := _unknown_key(values):
        raise ProfileError(f"{path}: {unknown}")
    if like is not None:
        # The same dimensions, with other colours, or with whatever else is given.
        base = _values(folder / f"{like}.toml", str(like))
        values = base | {key: _merged(base.get(key), value) for key, value in values.items()}
    try:
        profile = _profile(path.stem, values)
    except KeyError as error:
        raise ProfileError(
            f"{path}: {error.args[0]} is missing; the profiles in {folder} have all that is needed"
        ) from None
    except (AttributeError, TypeError, ValueError) as error:
        raise ProfileError(
            f"{path}: lengths are numbers, rings are [radius, height], shades like #e8e0d0 ({error})"
        ) from error
    fault = _fault(profile)
    if fault:
        raise ProfileError(f"{path}: {fault}")
    return profile


def _values(path: Path, name: str) -> dict[str, Any]:
    """What a profile file contains. Raises ProfileError."""
    try:
        return values_in(path)
    except FileNotFoundError:
        known = ", ".join(sorted(p.stem for p in (profiles_folder() / "boards").glob("*.toml")))
        raise ProfileError(
            f"no board profile is called {name!r}; there are: {known}, or give a .toml file"
        ) from None
    except OSError as error:
        raise ProfileError(f"{path} cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise ProfileError(f"{path} is not a board profile ({error})") from error


def _merged(base: Any, value: Any) -> Any:
    """The value that replaces ``base``; of a table, only the given keys are replaced."""
    return base | value if isinstance(base, dict) and isinstance(value, dict) else value


def _unknown_key(values: dict[str, Any]) -> str:
    """A key that no profile has, as a sentence; empty if there is none. A mistyped length must not pass for
    the default one.
    """
    tables = {"": values} | {name: table for name, table in values.items() if name in _KEYS}
    for name, table in tables.items():
        for key in table if isinstance(table, dict) else ():
            if key not in _KEYS[name]:
                place = f"[{name}]" if name else "a profile"
                return f"{key!r} is no key of {place}; there are {', '.join(_KEYS[name])}"
    return ""


def profile_text(profile: BoardProfile, about: str) -> str:
    """The text of a profile file, with ``about`` as a comment; :func:`board_profile` reads it."""
    lines = [f"# {line}" for line in about.splitlines()]
    lines += [f"{key} = {getattr(profile, key):.2f}" for key in ("pitch", "half_width", "table")]
    if any(profile.gaps):
        gaps = zip(_GAP_KEYS, profile.gaps, strict=True)
        lines += ["", "[gap]", *(f"{key} = {gap:.2f}" for key, gap in gaps)]
    if not profile.flat:
        lines += ["", "[dome]", f"base = {profile.dome_base:.2f}", f"rings = {_rings(profile.dome)}"]
    lines += ["", "[piece]", f"rise = {profile.rise:.2f}", f"rings = {_rings(profile.piece)}"]
    for look in profile.pieces:
        shade = "#{:02x}{:02x}{:02x}".format(*look.shade)
        lines += ["", f"[colours.{NAMES[look.letter]}]", f'name = "{look.name}"', f'shade = "{shade}"']
    return "\n".join(lines) + "\n"


def _rings(solid: Solid) -> str:
    return "[" + ", ".join(f"[{radius:.2f}, {height:.2f}]" for radius, height in solid.rings) + "]"


def _profile(name: str, values: dict[str, Any]) -> BoardProfile:
    piece = _solid(values["piece"]["rings"])
    gaps = values.get("gap", {})
    # Without a dome, the footprint of a piece takes its place.
    dome = values.get("dome", {"base": 0.0, "rings": [[piece.radius, 0.0]]})
    return BoardProfile(
        name=name,
        pitch=float(values["pitch"]),
        dome=_solid(dome["rings"]),
        dome_base=float(dome["base"]),
        piece=piece,
        rise=float(values["piece"]["rise"]),
        half_width=float(values["half_width"]),
        table=float(values["table"]),
        pieces=_pieces(values.get("colours", {})),
        gaps=(float(gaps.get("files", 0.0)), float(gaps.get("ranks", 0.0))),
    )


def _pieces(colours: dict[str, Any]) -> tuple[PieceLook, ...]:
    found = []
    for colour, entry in colours.items():
        if colour not in LETTER:
            raise ValueError(f"{colour!r} is not a colour; there are {', '.join(LETTER)}")
        shade = str(entry["shade"])
        if not _SHADE_PATTERN.fullmatch(shade):
            raise ValueError(f"the shade {shade!r} of {colour} is not as #e8e0d0")
        name = str(entry.get("name", colour.capitalize()))[:_MAX_NAME_LENGTH]
        red, green, blue = (int(shade[at : at + 2], 16) for at in (1, 3, 5))
        found.append(PieceLook(LETTER[colour], name, (red, green, blue)))
    return tuple(sorted(found, key=lambda piece: list(NAMES).index(piece.letter)))


def _solid(rings: Any) -> Solid:
    return Solid(tuple((float(radius), float(height)) for radius, height in rings))


def _fault(profile: BoardProfile) -> str:
    """What is invalid in a profile, as a sentence; empty if nothing is."""
    piece = profile.piece
    rings = (*piece.rings, *profile.dome.rings)
    lengths = (
        profile.half_width,
        profile.table,
        profile.dome_base,
        *(each for ring in rings for each in ring),
    )
    if not all(map(isfinite, lengths)):
        return "every length is a finite number"
    if not _PITCHES[0] < profile.pitch < _PITCHES[1]:
        return "pitch is in mm, from the middle of one square to that of the next"
    if not (piece.rings and profile.dome.rings and 0 < 2 * piece.radius < profile.pitch):
        return "a piece must be smaller than a square"
    if not 0 < profile.rise <= piece.height + 1e-6:
        return "the rise of a further piece is at most the height of one"
    if not all(0 <= gap < profile.pitch / 4 for gap in profile.gaps):
        return "a gap is narrower than a quarter of a square; set the halves close together"
    if profile.half_width < 3 * profile.pitch or profile.table > 0:
        return "half_width reaches from the board's middle to its edge, and the table lies below 0"
    return ""
