"""Bundles the page's modules into one script: one request instead of two dozen.

What a page needs only later (dialogs, the editor) goes into a second script, which imports shared modules
from the first. Comments and indentation are removed, because many people open the page on a phone.

This is not a compiler: it supports the one form of import and the four forms of export that our own modules
use, and refuses any other. The source files are not changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

_IMPORT: Final = re.compile(
    r'^import \{ (\w+(?:, \w+)*) \} from "\.{1,2}/(?:\w+/)*(\w+)\.js";\n', re.MULTILINE
)
_EXPORT: Final = re.compile(r"^export ((?:const|class|function|async function) (\w+))", re.MULTILINE)
_COMMENT: Final = re.compile(r"^[ \t]*(?://.*|/\*(?:[^*]|\*(?!/))*\*/[ \t]*)$", re.MULTILINE)
_UNSUPPORTED: Final = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


class BundleError(ValueError):
    """The modules cannot be bundled; says which and why."""


def bundle(modules: Mapping[str, str], entry: str, first: str | None = None) -> str:
    """One script made of ``modules`` (sources by name, without ``.js``): all that ``entry`` imports, directly
    or indirectly, then ``entry`` itself.

    Every module becomes a function that returns its exports, so that each keeps its own scope. ``first``: the
    entry point of a script that is loaded already; modules that it contains are imported from it, and the
    exports of ``entry`` are exported.

    Raises:
        BundleError: a module is missing, imports are circular, or a form of import or export is not
        supported.
    """
    parts: list[str] = []
    done: set[str] = set()
    loaded = _needed(modules, first) - {first} if first is not None else set()

    def add(name: str, path: tuple[str, ...]) -> None:
        if name in done:
            return
        if name in path:
            raise BundleError(f"{' needs '.join((*path, name))}: modules must not need each other in a ring")
        if name not in modules:
            raise BundleError(f"{path[-1] if path else 'the page'} needs {name}.js, which is not there")
        for _, needed in _IMPORT.findall(modules[name]):
            add(needed, (*path, name))
        if path and name not in loaded:
            parts.append(_wrapped(name, modules[name]))
        done.add(name)

    add(entry, ())
    body, exported = _converted(entry, modules[entry])
    if first is None:
        if exported:
            raise BundleError(f"{entry}.js is where the page begins: nobody could use its {exported[0]}")
        return "".join([*parts, body, f"export {{ {_names(done - {entry})} }};\n"])
    shared = f'import {{ {_names(done & loaded)} }} from "./{first}.js";\n'
    return "".join([shared, *parts, body, f"export {{ {', '.join(exported)} }};\n"])


def _names(modules: Iterable[str]) -> str:
    return ", ".join(f"${name}" for name in sorted(modules))


def _needed(modules: Mapping[str, str], entry: str) -> set[str]:
    """The entry point and all its direct and indirect imports."""
    found: set[str] = set()
    pending = [entry]
    while pending:
        name = pending.pop()
        if name not in found and name in modules:
            found.add(name)
            pending += [needed for _, needed in _IMPORT.findall(modules[name])]
    return found


def _minified(name: str, source: str) -> str:
    """The source without whole-line comments and indentation."""
    for line in source.split("\n"):
        if line.count("`") % 2:
            raise BundleError(f"{name}.js: {line.strip()[:60]!r}: a text over several lines would be changed")
    source = _COMMENT.sub("", source)
    return "\n".join(line for text in source.split("\n") if (line := text.strip())) + "\n"


def _wrapped(name: str, source: str) -> str:
    body, exported = _converted(name, source)
    return f"const ${name} = (() => {{\n{body}return {{ {', '.join(exported)} }};\n}})();\n"


def _converted(name: str, source: str) -> tuple[str, list[str]]:
    source = _minified(name, source)
    exported = [found[1] for found in _EXPORT.findall(source)]
    body = _IMPORT.sub(lambda found: f"const {{ {found[1]} }} = ${found[2]};\n", source)
    body = _EXPORT.sub(r"\1", body)
    if other := _UNSUPPORTED.search(body):
        raise BundleError(f"{name}.js: {other[0][:80]!r} is a form of import or export that is not known")
    return body.rstrip("\n") + "\n", exported
