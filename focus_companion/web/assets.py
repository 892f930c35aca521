"""Serves the page's scripts, styles and pictures from memory, at addresses that change with their content.

So browsers may cache them for ever, and they are always consistent without a build step.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from flask import Blueprint, Response, abort, current_app, request

from .bundle import bundle

_MEDIA_TYPES: Final[Mapping[str, str]] = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
ENTRY_POINTS: Final = ("main", "games", "hall", "seat", "phone", "story")
"""Entry points: scripts that pages load first, each bundled into one file with all its imports. The last one
is for exported game files, see :mod:`story`."""

DEFERRED_SCRIPTS: Final = {"later": "main"}
"""Scripts that are loaded after the first view, each with the entry point that loads it."""

_FOLDER: Final = Path(__file__).parent / "static"

_CSS_IMPORT: Final = re.compile(rb'^@import "([\w/]+\.css)";\n', re.MULTILINE)

blueprint = Blueprint("assets", __name__)


@dataclass(frozen=True)
class Asset:
    """One file: plain and compressed, with its media type."""

    plain: bytes
    packed: bytes
    media_type: str


class Assets:
    """All files of a folder, by their path in it."""

    def __init__(self, folder: Path = _FOLDER) -> None:
        paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in _MEDIA_TYPES)
        digest = hashlib.sha256()
        files: dict[str, Asset] = {}
        for path in paths:
            plain = path.read_bytes()
            name = path.relative_to(folder).as_posix()
            digest.update(name.encode() + b"\0" + plain)
            files[name] = _asset(
                plain if path.suffix != ".css" else _minified_sheet(_inlined_sheet(path)), path.suffix
            )
        scripts = [path for path in paths if path.is_relative_to(folder / "js")]
        sources = {path.stem: path.read_text(encoding="utf-8") for path in scripts}
        for entry in ENTRY_POINTS:
            files[f"{entry}.js"] = _asset(bundle(sources, entry).encode(), ".js")
        for entry, first in DEFERRED_SCRIPTS.items():
            files[f"{entry}.js"] = _asset(bundle(sources, entry, first).encode(), ".js")
        self.files: Mapping[str, Asset] = files
        self.version = digest.hexdigest()[:12]


def _inlined_sheet(path: Path) -> bytes:
    """A style sheet with its imports inlined: one request instead of a dozen."""
    return _CSS_IMPORT.sub(lambda found: _inlined_sheet(path.parent / found[1].decode()), path.read_bytes())


def _minified_sheet(sheet: bytes) -> bytes:
    """A style sheet without comments and indentation, because the page's first view waits for it."""
    bare = re.sub(rb"/\*.*?\*/", b"", sheet, flags=re.DOTALL)
    bare = re.sub(rb"\s*\n\s*", b"\n", bare)
    return re.sub(rb";? *([{};]) *", rb"\1", re.sub(rb": (?=[^;{}]*[;}])", b":", bare))


def _asset(plain: bytes, suffix: str) -> Asset:
    return Asset(plain, gzip.compress(plain, mtime=0), _MEDIA_TYPES[suffix])


@blueprint.get("/assets/<version>/<path:name>")
def asset(version: str, name: str) -> Response:
    assets: Assets = current_app.extensions["assets"]
    found = assets.files.get(name)
    if found is None:
        abort(404)
    packed = request.accept_encodings.best_match(["gzip", "identity"]) == "gzip"
    response = Response(found.packed if packed else found.plain, content_type=found.media_type)
    response.headers["Vary"] = "Accept-Encoding"
    if packed:
        response.headers["Content-Encoding"] = "gzip"
    # An older page that gets a newer file at its old address must not cache it.
    current = version == assets.version
    response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if current else "no-store"
    return response
