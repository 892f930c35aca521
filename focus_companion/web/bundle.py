"""The page's scripts as one, put together when the program starts: one request instead of two dozen.

Not a compiler: it knows the one form of import and the four of export in which our own modules are written,
and refuses any other. The modules stay as they are for whoever reads or debugs them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_IMPORT: Final = re.compile(r'^import \{ ([\w, ]+) \} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export ((?:const|class|function|async function) (\w+))", re.MULTILINE)
_OTHER: Final = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


class BundleError(ValueError):
    """The modules cannot be put together; says which and why."""


def bundle(modules: Mapping[str, str], entry: str) -> str:
    """One script from ``modules`` (sources by name, without ``.js``): all that ``entry`` needs, then itself.

    Every module becomes a function that gives back what it exports, so that names stay its own.

    Raises:
        BundleError: a module is missing, needs itself, or is written in a form that is not known here.
    """
    parts: list[str] = []
    done: set[str] = set()

    def add(name: str, path: tuple[str, ...]) -> None:
        if name in done:
            return
        if name in path:
            raise BundleError(f"{' needs '.join((*path, name))}: modules must not need each other in a ring")
        if name not in modules:
            raise BundleError(f"{path[-1] if path else 'the page'} needs {name}.js, which is not there")
        for _, needed in _IMPORT.findall(modules[name]):
            add(needed, (*path, name))
        parts.append(_entry(name, modules[name]) if not path else _wrapped(name, modules[name]))
        done.add(name)

    add(entry, ())
    return "".join(parts)


def _entry(name: str, source: str) -> str:
    body, exported = _opened(name, source)
    if exported:
        raise BundleError(f"{name}.js is where the page begins: nobody could use its export {exported[0]}")
    return body


def _wrapped(name: str, source: str) -> str:
    body, exported = _opened(name, source)
    return f"const ${name} = (() => {{\n{body}return {{ {', '.join(exported)} }};\n}})();\n"


def _opened(name: str, source: str) -> tuple[str, list[str]]:
    exported = [found[1] for found in _EXPORT.findall(source)]
    body = _IMPORT.sub(lambda found: f"const {{ {found[1]} }} = ${found[2]};\n", source)
    body = _EXPORT.sub(r"\1", body)
    if other := _OTHER.search(body):
        raise BundleError(f"{name}.js: {other[0][:80]!r} is a form of import or export that is not known")
    return body.rstrip("\n") + "\n", exported
