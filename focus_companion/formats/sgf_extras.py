"""Foreign content of an SGF file as plain JSON values, so that it survives conversion to any format.

``{"nodes": {"0": {"GC": ["a comment"]}}, "variations": {"3": ["(;MV[d5-d6])"]}}``: by node number of the main
line, properties with their values as written (still escaped), and the variations that branch off after a
node.
"""

from __future__ import annotations

import re
from typing import Any, Final

from focus_companion.formats import sgf_tree
from focus_companion.formats.errors import FormatError
from focus_companion.formats.strict_json import as_list, as_object, as_text

_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,6}", re.ASCII)
_IDENT: Final = re.compile(r"[A-Za-z][A-Za-z0-9]{0,31}", re.ASCII)
_VALUE: Final = re.compile(r"(?:[^\]\\]++|\\.)*+", re.DOTALL)
_REMEDY: Final = "leave the key 'sgf' out, or give it what an export wrote"


def collect(nodes: list[sgf_tree.Node], known: frozenset[str]) -> dict[str, Any]:
    """The extras of a main line; empty if it has only ``known`` properties."""
    properties = {
        str(number): more
        for number, node in enumerate(nodes)
        if (more := {name: values for name, values in node.properties.items() if name not in known})
    }
    variations = {str(number): node.variations for number, node in enumerate(nodes) if node.variations}
    extras: dict[str, Any] = {"nodes": properties} if properties else {}
    return extras | ({"variations": variations} if variations else {})


def restore(nodes: list[sgf_tree.Node], extras: dict[str, Any]) -> None:
    """Put extras back where they were. Those of nodes that the game no longer has go to the last one."""
    for number, properties in extras.get("nodes", {}).items():
        node = nodes[min(int(number), len(nodes) - 1)]
        for name, values in properties.items():
            node.properties.setdefault(name, []).extend(values)
    for number, variations in extras.get("variations", {}).items():
        nodes[min(int(number), len(nodes) - 1)].variations.extend(variations)


def checked(value: Any, place: str) -> dict[str, Any]:
    """Validate extras read from a file: they must not be able to break the SGF that they are put back into.

    Raises:
        FormatError: anything that :func:`collect` cannot produce.
    """
    found = as_object(value, place)
    for key in found:
        if key not in ("nodes", "variations"):
            raise FormatError(f"{key[:20]!r} is not known here", place=place, remedy=_REMEDY)
    for number, properties in as_object(found.get("nodes", {}), f"{place}.nodes").items():
        at = f"{place}.nodes.{number[:8]}"
        _check(_NUMBER.fullmatch(number), at)
        for name, values in as_object(properties, at).items():
            _check(_IDENT.fullmatch(name), at)
            for text in as_list(values, f"{at}.{name}"):
                _check(_VALUE.fullmatch(as_text(text, f"{at}.{name}")), f"{at}.{name}")
    for number, variations in as_object(found.get("variations", {}), f"{place}.variations").items():
        at = f"{place}.variations.{number[:8]}"
        _check(_NUMBER.fullmatch(number), at)
        for text in as_list(variations, at):
            _check(sgf_tree.is_tree(as_text(text, at)), at)
    return found


def _check(fine: object, place: str) -> None:
    if not fine:
        raise FormatError("not a piece of SGF", place=place, remedy=_REMEDY)
