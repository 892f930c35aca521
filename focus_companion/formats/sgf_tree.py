"""Generic SGF FF[4]: bytes to trees of nodes and back, for any game.

Only the main line of a tree is parsed. Variations and all property values are kept as written, so that
unknown content is preserved. The reader makes one pass over the text and does not recurse, so a hostile file
costs no more than its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from focus_companion.formats.errors import FormatError, one_line, shown

_SPACE = re.compile(r"\s*")
_IDENT = re.compile(r"[A-Za-z][A-Za-z0-9]{0,31}")
_VALUE = re.compile(r"\[((?:[^\]\\]++|\\.)*+)\]", re.DOTALL)
_CHARSET = re.compile(rb"CA\s*\[\s*([A-Za-z0-9_.:-]{1,30})\s*\]")
_CHARSETS = re.compile(r"utf-?8|us-ascii|ascii|iso-?8859-?\d{1,2}|latin-?1|(windows-|cp)125\d|koi8-r")


@dataclass(slots=True)
class Node:
    """One node: property → values as written (still escaped), and the variations that branch off after it."""

    properties: dict[str, list[str]] = field(default_factory=dict)
    variations: list[str] = field(default_factory=list)

    def texts(self, name: str) -> list[str]:
        """The values of a property, unescaped; none if it is absent."""
        return [unescape(value) for value in self.properties.get(name, ())]

    def add(self, name: str, *values: str) -> None:
        """Append values, escaping them; a property without values is not added."""
        if values:
            self.properties.setdefault(name, []).extend(escape(value) for value in values)


def escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")


def unescape(value: str) -> str:
    if "\\" not in value:
        return value
    # An escaped line break is not a break: SGF wraps long lines that way.
    return re.sub(
        r"\\(\r\n|\n\r|\r|\n|.)", lambda m: "" if m[1][0] in "\r\n" else m[1], value, flags=re.DOTALL
    )


def decode(data: bytes) -> str:
    """Decode an SGF file by its CA property; without one as UTF-8, or else Latin-1 as the standard says."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    found = _CHARSET.search(data, 0, 100_000)
    if found is None:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return data.decode("latin-1")
    name = found[1].decode("ascii").lower()
    if not _CHARSETS.fullmatch(name):
        raise FormatError(f"unknown character set {shown(name)}", place="CA", remedy="save the file as UTF-8")
    try:
        return data.decode(name)
    except LookupError:
        raise FormatError(
            f"unknown character set {shown(name)}", place="CA", remedy="save the file as UTF-8"
        ) from None
    except UnicodeDecodeError as error:
        raise FormatError(
            f"the text is not in {name}, as CA says",
            place=f"byte {error.start + 1}",
            remedy="save the file as UTF-8",
        ) from None


def parse(text: str) -> list[list[Node]]:
    """The main lines of all game trees of a file, each a list of nodes, the root first."""
    reader = _Reader(text)
    trees = []
    while reader.peek() == "(":
        trees.append(reader.tree())
    if reader.peek() or not trees:
        raise reader.error("expected a game tree, which begins with '(;'")
    return trees


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def peek(self) -> str:
        """The next character that is not white space, "" at the end."""
        found = _SPACE.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.text[self.at : self.at + 1]

    def error(self, problem: str, remedy: str = "mend the text there") -> FormatError:
        before = self.text[: self.at]
        line, column = before.count("\n") + 1, self.at - (before.rfind("\n") + 1) + 1
        found = one_line(self.text[self.at : self.at + 12]) or "the end of the file"
        return FormatError(
            f"not SGF: {problem}, found {shown(found)}",
            place=f"line {line}, column {column}",
            remedy=remedy,
        )

    def tree(self) -> list[Node]:
        nodes: list[Node] = []
        # For every open tree of the main line: where its first child began, -1 if none yet.
        branches: list[int] = []
        while True:
            char = self.peek()
            if char == "(" and (not branches or branches[-1] < 0):
                if branches:
                    branches[-1] = len(nodes) - 1
                branches.append(-1)
                self.at += 1
                if self.peek() != ";":
                    raise self.error("expected a node, which begins with ';'")
            elif char == "(":
                nodes[branches[-1]].variations.append(self.skip())
            elif char == ")":
                self.at += 1
                branches.pop()
                if not branches:
                    return nodes
            elif char == ";" and branches[-1] < 0:
                self.at += 1
                nodes.append(self.node())
            else:
                raise self.error("expected ';', '(' or ')'")

    def node(self) -> Node:
        node = Node()
        while self.peek() not in (";", "(", ")", ""):
            ident = _IDENT.match(self.text, self.at)
            if ident is None:
                raise self.error(
                    "expected the name of a property", "mend the text there; in a value, write ] as \\]"
                )
            self.at = ident.end()
            if self.peek() != "[":
                raise self.error(f"expected '[' after {ident[0]}")
            values = node.properties.setdefault(ident[0], [])
            while self.peek() == "[":
                values.append(self.value())
        return node

    def value(self) -> str:
        """A value as written, between its brackets."""
        found = _VALUE.match(self.text, self.at)
        if found is None:
            raise self.error("a value without its closing ']'")
        self.at = found.end()
        return found[1]

    def skip(self) -> str:
        """A variation as written, from its '(' to its ')'."""
        start, depth = self.at, 0
        while True:
            char = self.text[self.at : self.at + 1]
            if char == "[":
                self.value()
                continue
            if not char:
                raise self.error("a variation without its closing ')'")
            self.at += 1
            depth += (char == "(") - (char == ")")
            if not depth:
                return self.text[start : self.at]


def serialise(trees: Iterable[list[Node]]) -> str:
    """The text of game trees: the root on its own line, then one node a line."""
    out: list[str] = []
    for nodes in trees:
        closing: list[list[str]] = []
        out.append("(")
        for node in nodes:
            out.append(";")
            for name, values in node.properties.items():
                out.append(name + "".join(f"[{value}]" for value in values))
            out.append("\n")
            if node.variations:
                closing.append(node.variations)
                out.append("(")
        for variations in reversed(closing):
            out.append(")" + "".join(f"\n{variation}" for variation in variations) + "\n")
        out.append(")\n")
    return "".join(out)


def is_tree(text: str) -> bool:
    """Whether a text is exactly one game tree, as a variation must be."""
    reader = _Reader(text)
    try:
        return reader.peek() == "(" and bool(reader.tree()) and reader.peek() == ""
    except FormatError:
        return False
