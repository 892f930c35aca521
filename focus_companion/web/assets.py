"""Serves the page's scripts, styles and pictures from memory, at addresses that change with their content.

So browsers may cache them for ever, and they are always consistent without a build step. Each file is made
when it is first requested: a program that starts on a slow machine has more urgent things to do.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
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


class Assets(Mapping[str, Asset]):
    """All files of a folder, by their path in it, and the bundled scripts, by their name. A file that is
    changed afterwards is served as it was.
    """

    def __init__(self, folder: Path = _FOLDER) -> None:
        paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in _MEDIA_TYPES)
        sources = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
        digest = hashlib.sha256()
        for name, plain in sources.items():
            digest.update(name.encode() + b"\0" + plain)
        self.version = digest.hexdigest()[:12]
        self._sources = sources
        self._made: dict[str, Asset] = {}

    def __getitem__(self, name: str) -> Asset:
        # Two threads may make the same file at the same time; either result serves.
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter([*self._sources, *(f"{entry}.js" for entry in (*ENTRY_POINTS, *DEFERRED_SCRIPTS))])

    def __len__(self) -> int:
        return len(self._sources) + len(ENTRY_POINTS) + len(DEFERRED_SCRIPTS)

    def _make(self, name: str) -> Asset:
        entry, _, suffix = name.rpartition(".")
        if suffix == "js" and entry in (*ENTRY_POINTS, *DEFERRED_SCRIPTS):
            scripts = {
                PurePosixPath(path).stem: source.decode()
                for path, source in self._sources.items()
                if path.startswith("js/")
            }
            return _asset(bundle(scripts, entry, DEFERRED_SCRIPTS.get(entry)).encode(), ".js")
        plain = self._sources[name]
        if suffix == "css":
            plain = _minified_sheet(_inlined_sheet(self._sources, name))
        return _asset(plain, f".{suffix}")


def _inlined_sheet(sources: Mapping[str, bytes], name: str) -> bytes:
    """A style sheet with its imports inlined: one request instead of a dozen."""
    beside = PurePosixPath(name).parent
    return _CSS_IMPORT.sub(
        lambda found: _inlined_sheet(sources, (beside / found[1].decode()).as_posix()), sources[name]
    )


def _minified_sheet(sheet: bytes) -> bytes:
    """A style sheet without comments and indentation, because the page's first view waits for it."""
    bare = re.sub(rb"/\*.*?\*/", b"", sheet, flags=re.DOTALL)
    bare = re.sub(rb"\s*\n\s*", b"\n", bare)
    return re.sub(rb";? *([{};]) *", rb"\1", re.sub(rb": (?=[^;{}]*[;}])", b":", bare))


def _asset(plain: bytes, suffix: str) -> Asset:
    return Asset(plain, gzip.compress(plain, mtime=0), _MEDIA_TYPES[suffix])


def accepts_gzip() -> bool:
    """Whether the browser that sent the current request accepts a compressed response."""
    return request.accept_encodings.best_match(["gzip", "identity"]) == "gzip"


@blueprint.get("/assets/<version>/<path:name>")
def asset(version: str, name: str) -> Response:
    assets: Assets = current_app.extensions["assets"]
    found = assets.get(name)
    if found is None:
        abort(404)
    packed = accepts_gzip()
    response = Response(found.packed if packed else found.plain, content_type=found.media_type)
    response.headers["Vary"] = "Accept-Encoding"
    if packed:
        response.headers["Content-Encoding"] = "gzip"
    # An older page that gets a newer file at its old address must not cache it.
    current = version == assets.version
    response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if current else "no-store"
    return response
