"""Shapes: the types of a package as the wire sees them.

Aliases are replaced by what they name and ``Box<T>`` by ``T`` before a shape is made (wire.md, introduction).
A shape may refer to itself through its fields; every named shape is one object.
"""

from dataclasses import dataclass, field

from .tables import table

SCALAR_ROWS = table("scalars.toml", "scalar")
"""The rows of spec/scalars.toml, by the scalar's name."""


def _of_classes(*classes):
    return [row for row in SCALAR_ROWS.values() if row["class"] in classes]


INTEGERS = {row["name"]: (row["bytes"], row["class"] == "signed") for row in _of_classes("unsigned", "signed")}
"""Width and signedness of each integer type [WIRE-4.1]."""

FLOATS = {row["name"]: row["bytes"] for row in _of_classes("float")}
TIMES = tuple(row["name"] for row in _of_classes("timestamp", "duration"))


def integer_range(base):
    """Give the least and the greatest value of an integer type [WIRE-4.1]."""
    size, signed = INTEGERS[base]
    bits = 8 * size
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


@dataclass(eq=False)
class Scalar:
    """A leaf without a declaration: bool, an integer, a float, timestamp, duration or uuid [WIRE-1.2]."""

    name: str

    @property
    def size(self):
        """The size on the wire [WIRE-4.1] [WIRE-4.2] [WIRE-4.3] [WIRE-4.6] [WIRE-4.7]."""
        return SCALAR_ROWS[self.name]["bytes"]


@dataclass(eq=False)
class Enum:
    """An enum: the integer of its base, with names for some numbers [WIRE-4.4] [WIRE-4.5]."""

    name: str
    base: str = "u8"
    members: dict = field(default_factory=dict)
    closed: bool = False
    json: dict = field(default_factory=dict)

    @property
    def size(self):
        """The size of the base on the wire [WIRE-4.4]."""
        return INTEGERS[self.base][0]

    def key_of(self, number):
        """Give the JSON name of the member with this number, or None [JSON-2.13] [LANG-5.4]."""
        return next((self.json.get(name, name) for name, one in self.members.items() if one == number), None)

    def number_of(self, key):
        """Give the number of the member with this JSON name, or None [JSON-2.14] [LANG-5.4]."""
        return next((one for name, one in self.members.items() if self.json.get(name, name) == key), None)


@dataclass(eq=False)
class Text:
    """A ``str``: a length of ``width`` bytes and UTF-8 [WIRE-5.1] [WIRE-5.2]."""

    width: int = 4
    max: int | None = None


@dataclass(eq=False)
class Blob:
    """``bytes`` or ``[]u8``: a length of ``width`` bytes and any content [WIRE-5.3]."""

    width: int = 4
    max: int | None = None


@dataclass(eq=False)
class List:
    """``[]T`` where T is not u8: a count and elements [WIRE-5.4]."""

    element: object
    width: int = 4
    max: int | None = None


@dataclass(eq=False)
class Array:
    """``[N]T``: N elements without a count [WIRE-5.6]."""

    element: object
    count: int


@dataclass(eq=False)
class Optional:
    """``?T``: a presence byte and perhaps T [WIRE-5.7]."""

    element: object


@dataclass(eq=False)
class Map:
    """``map<K, V>``: a count and entries in the order of their keys [WIRE-5.9] [WIRE-5.11]."""

    key: object
    value: object
    width: int = 4
    max: int | None = None


@dataclass(eq=False)
class Field:
    """A field of a struct, message or inline alternative.

    ``default`` makes the value that the field takes when its segment is missing.
    """

    name: str
    shape: object
    segment: int = 1
    json: str | None = None
    default: object = None

    @property
    def key(self):
        """The key of the field's member in JSON [JSON-4.1]."""
        return self.name if self.json is None else self.json


@dataclass(eq=False)
class Struct:
    """A struct, or the fields of an inline alternative [WIRE-5.13]."""

    name: str
    fields: list = field(default_factory=list)
    id: int | None = None


@dataclass(eq=False)
class Message:
    """A message: fields in segments, and perhaps a kept tail [WIRE-7.1] [WIRE-7.5]."""

    name: str
    fields: list = field(default_factory=list)
    keep_unknown: bool = False
    id: int | None = None

    def segments(self):
        """Give the fields of each segment, in ascending order of the segments [WIRE-7.1]."""
        found = {1: []}
        for one in self.fields:
            found.setdefault(one.segment, []).append(one)
        return [found[number] for number in sorted(found)]


@dataclass(eq=False)
class Alternative:
    """An alternative of a union; ``shape`` is None without a payload, ``inline`` says that its fields stand in the union."""

    name: str
    tag: int
    shape: object = None
    inline: bool = False
    json: str | None = None

    @property
    def key(self):
        """The key of the alternative's member in JSON [JSON-4.3]."""
        return self.name if self.json is None else self.json


@dataclass(eq=False)
class Union:
    """A union: a tag, a payload length unless it is closed, and a payload [WIRE-6.1]."""

    name: str
    alternatives: list = field(default_factory=list)
    closed: bool = False
    id: int | None = None

    def by_tag(self, tag):
        """Give the alternative with this tag, or None."""
        return next((one for one in self.alternatives if one.tag == tag), None)

    def by_name(self, name):
        """Give the alternative with this schema name, or None."""
        return next((one for one in self.alternatives if one.name == name), None)


SCALARS = (Scalar, Enum)
COUNTED = (Text, Blob, List, Map)
AGGREGATES = (Struct, Message, Union)
