"""Encoding of values in byte mode, with every check in wire order [WIRE-9.1]. Nothing here is shared with decoding."""

from .refusal import DEFAULTS, Refusal
from .shape import (
    Array, Blob, Enum, FLOATS, INTEGERS, List, Map, Message, Optional, Scalar, Struct, Text, TIMES, Union, integer_range,
)
from .value import Unknown

DEEPEST = DEFAULTS["depth"]
LONGEST = 0xFFFFFFFF
"""The longest nested body, open payload and message-mode payload [WIRE-9.3]."""


def refuse(name, path):
    """Raise a refusal of a value, which has a path and no offset [WIRE-9.1]."""
    raise Refusal(name, -1, path)


def check_depth(path, depth):
    """Refuse an aggregate deeper than 64 [WIRE-9.4]."""
    if depth > DEEPEST:
        refuse("limit_depth", path)


def check_enum(shape, number, path):
    """Refuse a number that a closed enum does not name [WIRE-9.5]."""
    if shape.closed and number not in shape.members.values():
        refuse("value_invalid", path)


def check_time(nanoseconds, path):
    """Refuse a timestamp or duration outside i64 nanoseconds [WIRE-9.5]."""
    low, high = integer_range("i64")
    if not low <= nanoseconds <= high:
        refuse("value_invalid", path)


def check_array(shape, value, path):
    """Refuse an array without exactly N elements [WIRE-9.5]. A Python dict cannot hold two equal keys."""
    if len(value) != shape.count:
        refuse("value_invalid", path)


def check_union(shape, value, path):
    """Refuse a union without an alternative, and an unknown alternative that is none [WIRE-9.5].

    Gives the known alternative, or None for an unknown one.
    """
    if value is None:
        refuse("value_invalid", path)
    if isinstance(value, Unknown):
        if shape.closed or value.tag == 0 or shape.by_tag(value.tag) is not None:
            refuse("value_invalid", path)
        return None
    return shape.by_name(value.name)


class Encoder:
    """One encoding: ``out`` grows as values are visited."""

    def __init__(self):
        self.out = bytearray()

    def value(self, shape, value, path, depth):
        """Write one value; ``depth`` is that of the aggregate around it."""
        self._WRITE[type(shape)](self, shape, value, path, depth)

    def top(self, shape, value):
        """Write a top-level value; a message there is its body alone [WIRE-7.1]."""
        if isinstance(shape, Message):
            check_depth(None, 1)
            self._body(shape, value, None, 1)
        else:
            self.value(shape, value, None, 0)

    def _number(self, number, width, signed=False):
        self.out += number.to_bytes(width, "little", signed=signed)

    def _length(self, shape, length, path):
        """Write a length or count, which @max and then its width must hold [WIRE-9.2]."""
        if shape.max is not None and length > shape.max:
            refuse("limit_max", path)
        if length >= 1 << 8 * shape.width:
            refuse("value_too_large", path)
        self._number(length, shape.width)

    def _scalar(self, shape, value, path, depth):
        name = shape.name
        if name == "bool":
            self.out.append(1 if value else 0)
        elif name == "uuid":
            self.out += value
        elif name in INTEGERS:
            self._number(value, *INTEGERS[name])
        elif name in FLOATS:
            self._number(value, FLOATS[name])
        elif name in TIMES:
            check_time(value, path)
            self._number(value, 8, True)

    def _enum(self, shape, value, path, depth):
        check_enum(shape, value, path)
        self._number(value, *INTEGERS[shape.base])

    def _raw(self, shape, value, path, depth):
        self._length(shape, len(value), path)
        self.out += value

    def _list(self, shape, value, path, depth):
        self._length(shape, len(value), path)
        for i, one in enumerate(value):
            self.value(shape.element, one, (path, f"[{i}]"), depth)

    def _array(self, shape, value, path, depth):
        check_array(shape, value, path)
        for i, one in enumerate(value):
            self.value(shape.element, one, (path, f"[{i}]"), depth)

    def _optional(self, shape, value, path, depth):
        self.out.append(0 if value is None else 1)
        if value is not None:
            self.value(shape.element, value, path, depth)

    def _map(self, shape, value, path, depth):
        """Write the entries in the order of their keys; Python's order of int, bool and bytes is theirs [WIRE-5.12]."""
        self._length(shape, len(value), path)
        for i, key in enumerate(sorted(value)):
            self.value(shape.key, key, (path, f"[{i}].key"), depth)
            self.value(shape.value, value[key], (path, f"[{i}].value"), depth)

    def _struct(self, shape, value, path, depth):
        check_depth(path, depth + 1)
        for one in shape.fields:
            self.value(one.shape, value.fields[one.name], (path, "." + one.name), depth + 1)

    def _body(self, shape, value, path, depth):
        """Write every segment and the kept tail [WIRE-9.1] [WIRE-7.6]."""
        for fields in shape.segments():
            for one in fields:
                self.value(one.shape, value.fields[one.name], (path, "." + one.name), depth)
        if shape.keep_unknown:
            self.out += value.tail

    def _framed(self, write, path):
        """Write a u32 length and what ``write`` writes, which is checked before its length is [WIRE-9.3]."""
        start = len(self.out)
        self.out += bytes(4)
        write()
        length = len(self.out) - start - 4
        if length > LONGEST:
            refuse("value_too_large", path)
        self.out[start:start + 4] = length.to_bytes(4, "little")

    def _message(self, shape, value, path, depth):
        check_depth(path, depth + 1)
        self._framed(lambda: self._body(shape, value, path, depth + 1), path)

    def _union(self, shape, value, path, depth):
        check_depth(path, depth + 1)
        known = check_union(shape, value, path)
        self.out.append(value.tag if known is None else known.tag)
        if shape.closed:
            self._contents(known, value, path, depth + 1)
        else:
            self._framed(lambda: self._contents(known, value, path, depth + 1), path)

    def _contents(self, known, value, path, depth):
        if known is None:
            self.out += value.payload
        elif known.shape is not None:
            self.value(known.shape, value.payload, (path, "." + known.name), depth)

    _WRITE = {
        Scalar: _scalar, Enum: _enum, Text: _raw, Blob: _raw, List: _list, Array: _array, Optional: _optional,
        Map: _map, Struct: _struct, Message: _message, Union: _union,
    }


def encode(shape, value):
    """Encode a value in byte mode [WIRE-2.1]."""
    encoder = Encoder()
    encoder.top(shape, value)
    return bytes(encoder.out)


def encode_into(shape, value, size):
    """Encode into a buffer of fixed size; refusals of the value come first [WIRE-9.6]."""
    data = encode(shape, value)
    if len(data) > size:
        refuse("buffer_too_small", None)
    return data
