"""Types as data: the blocks of a layout text, bound to the classes of generated code.

Readers, writers, walks and JSON are all derived from these.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

from ._spec import SCALAR_BYTES

CODES = {
    "bool": "B",
    "u8": "B",
    "u16": "H",
    "u32": "I",
    "u64": "Q",
    "i8": "b",
    "i16": "h",
    "i32": "i",
    "i64": "q",
    "f32": "f",
    "f64": "d",
    "timestamp": "q",
    "duration": "q",
    "uuid": "16s",
}
"""The codes of scalars in formats of ``struct``."""

ARRAY_CODES = {"I": "I" if array("I").itemsize == 4 else "L", "i": "i" if array("i").itemsize == 4 else "l"}
"""The codes of ``array`` for numbers of 4 bytes. Other numbers have the codes of formats."""

UNBOUNDED = 1 << 32


class Field:
    """A field of a struct or message."""

    __slots__ = ("attribute", "default", "json", "name", "segment", "type")

    def __init__(self, name: str, kind: Type, segment: int) -> None:
        self.name = name
        self.type = kind
        self.segment = segment
        self.attribute = self.json = name
        self.default: Any = None
        """The function that makes the value of a missing field, for segments after the first."""


class Alternative:
    """An alternative of a union. Its class holds the fields of an inline struct, or the payload as ``value``."""

    __slots__ = ("cls", "inline", "json", "name", "tag", "type")

    def __init__(self, name: str, tag: int, kind: Type | None) -> None:
        self.name = self.json = name
        self.tag = tag
        self.type = kind
        self.inline = False
        self.cls: Any = None


class Type:
    """A type of a schema.

    ``kind`` is a scalar's name, or ``str bytes list map array opt enum struct message union``.
    """

    __slots__ = (
        "alternatives",
        "base",
        "cache",
        "closed",
        "cls",
        "count",
        "cyclic",
        "deep",
        "element",
        "fields",
        "height",
        "index",
        "keep",
        "key",
        "kind",
        "least",
        "max",
        "members",
        "name",
        "native",
        "numbers",
        "package",
        "width",
    )

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.name = ""
        self.width = SCALAR_BYTES.get(kind, 0)
        """The bytes of a scalar, of an enum's number, or of a length or count."""
        self.max = UNBOUNDED
        self.count = 0
        self.element: Type = self
        """The element of a list, array or optional, and a map's value."""
        self.key: Type = self
        self.fields: list[Field] = []
        self.alternatives: list[Alternative] = []
        self.members: list[tuple[str, int, str]] = []
        """An enum's members: name, number, and name in JSON."""
        self.numbers: dict[int, Any] = {}
        self.base = ""
        self.closed = self.keep = False
        self.least = 0
        """The smallest size on the wire [WIRE-13.1]."""
        self.height = 0
        """The levels of aggregates in a value; without meaning where ``cyclic``."""
        self.cyclic = False
        """Whether a value can hold a value of its own type."""
        self.deep = False
        """Whether a value can lie in a value of a cyclic type, and so at any depth."""
        self.index = 0
        """The place of the type in its package's layout text."""
        self.native: Any = None
        """The functions of the native engine, where there is one."""
        self.cls: Any = None
        self.package: Any = None
        self.cache: dict[str, Any] = {}
        """The codecs that were made of the type."""

    def is_aggregate(self) -> bool:
        """Whether a value adds a level of depth."""
        return self.kind in ("struct", "message", "union")

    def is_scalar(self) -> bool:
        """Whether a value is a leaf of fixed size."""
        return self.kind in SCALAR_BYTES or self.kind == "enum"

    def is_number(self) -> bool:
        """Whether every pattern of bytes is a plain number."""
        return self.kind in CODES and self.kind not in ("bool", "timestamp", "duration", "uuid")

    def parts(self) -> Iterator[Type]:
        """The types that values directly consist of."""
        if self.kind in ("list", "array", "opt"):
            yield self.element
        elif self.kind == "map":
            yield self.key
            yield self.element
        for field in self.fields:
            yield field.type
        for one in self.alternatives:
            if one.type is not None:
                yield one.type


def parse(text: str) -> list[Type]:
    """The blocks of a layout text [EVO-5.3]."""
    blocks: list[Type] = []
    for line in text.splitlines():
        if line[0] not in " @":
            blocks.append(_head(line.split(" ")))
    current = -1
    segment = 1
    for line in text.splitlines():
        if line[0] == "@":
            segment = int(line[1:])
        elif line[0] != " ":
            current += 1
            segment = 1
        else:
            _member(blocks[current], line[1:].split(" "), segment, blocks)
    _measure(blocks)
    return blocks


def _head(words: list[str]) -> Type:
    kind = Type(words[1])
    kind.name = words[2]
    kind.closed = words[-1] == "closed"
    kind.keep = words[-1] == "keep"
    if kind.kind == "enum":
        kind.base = words[3]
        kind.width = SCALAR_BYTES[kind.base]
    return kind


def _member(block: Type, words: list[str], segment: int, blocks: list[Type]) -> None:
    if block.kind == "enum":
        block.members.append((words[0], int(words[1]), words[0]))
    elif block.kind == "union":
        block.alternatives.append(Alternative(words[0], int(words[1]), _spelled(iter(words[2:]), blocks) if len(words) > 2 else None))
    else:
        block.fields.append(Field(words[0], _spelled(iter(words[1:]), blocks), segment))


def _spelled(words: Iterator[str], blocks: list[Type]) -> Type:
    """The type that words spell [EVO-5.5]."""
    word, _, bound = next(words).partition("<=")
    if word[0] == "#":
        return blocks[int(word[1:])]
    if word in SCALAR_BYTES:
        return Type(word)
    if word == "opt":
        made = Type("opt")
        made.element = _spelled(words, blocks)
    elif word == "array":
        made = Type("array")
        made.count = int(next(words))
        made.element = _spelled(words, blocks)
    else:
        made = Type(word[:-1])
        made.width = int(word[-1])
        if made.kind == "map":
            made.key = _spelled(words, blocks)
        if made.kind in ("list", "map"):
            made.element = _spelled(words, blocks)
    if bound:
        made.max = int(bound)
    return made


def _measure(blocks: list[Type]) -> None:
    """Sets the smallest sizes, heights and cycles of types."""
    reach = {id(block): _reached(block) for block in blocks}
    for block in blocks:
        block.cyclic = id(block) in reach[id(block)]
        block.least = UNBOUNDED
    for block in blocks:
        block.deep = block.cyclic or any(other.cyclic and id(block) in reach[id(other)] for other in blocks)
    changed = True
    while changed:  # every cycle passes through a union's tag, so that the sizes have one solution
        changed = False
        for block in blocks:
            for part in block.parts():
                _size_of(part)
            size = _least(block)
            changed = changed or size != block.least
            block.least = size
    for block in blocks:
        block.height = _height(block)


def _reached(block: Type) -> set[int]:
    found: set[int] = set()
    waiting = list(block.parts())
    while waiting:
        part = waiting.pop()
        if id(part) not in found:
            found.add(id(part))
            waiting.extend(part.parts())
    return found


def _size_of(kind: Type) -> int:
    """Sets the smallest size of a spelled type. Sizes of blocks are set by their own."""
    if kind.is_aggregate() or kind.kind == "enum":
        if kind.kind == "enum":
            kind.least = kind.width
        return kind.least + (4 if kind.kind == "message" else 0)
    if kind.kind == "array":
        kind.least = min(UNBOUNDED, kind.count * _size_of(kind.element))
    elif kind.kind == "opt":
        _size_of(kind.element)
        kind.least = 1
    else:
        kind.least = kind.width
        if kind.kind in ("list", "map"):
            _size_of(kind.element)
        if kind.kind == "map":
            _size_of(kind.key)
    return kind.least


def _least(block: Type) -> int:
    if block.kind == "enum":
        return block.width
    if block.kind != "union":
        return min(UNBOUNDED, sum(nested_least(field.type) for field in block.fields if field.segment == 1))
    if not block.closed:
        return 5
    return min(UNBOUNDED, 1 + min(0 if one.type is None else nested_least(one.type) for one in block.alternatives))


def nested_least(kind: Type) -> int:
    """The smallest size of a type within another: a message has a length in front there."""
    return kind.least + (4 if kind.kind == "message" else 0)


def _height(kind: Type) -> int:
    """The levels of a type that is not cyclic, and of the cyclic types in it one."""
    if kind.is_aggregate() and (kind.cyclic or kind.height):
        return kind.height or 1
    return max((_height(part) for part in kind.parts()), default=0) + (1 if kind.is_aggregate() else 0)
