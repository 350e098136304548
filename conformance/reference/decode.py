"""Decoding of byte mode: one item at a time in wire order [WIRE-1.7]."""

from .missing import missing_value
from .refusal import Limits, Refusal
from .shape import (
    Array, Blob, Enum, FLOATS, INTEGERS, List, Map, Message, Optional, SCALARS, Scalar, Struct, Text, Union,
)
from .smallest import smallest
from .value import Chosen, Record, Unknown

SLICE = "truncated"
BODY = "segment_partial"
PAYLOAD = "union_length"
"""A window is known by the refusal of an item that is larger than what the window has left [WIRE-3.3]."""


class Decoder:
    """One decode: the bytes, the innermost window, and the budgets that are left."""

    def __init__(self, data, start, end, limits, exact):
        self.data = data
        self.at = start
        self.end = end
        self.kind = SLICE
        self.depth_limit = limits.depth
        self.elements = limits.elements
        self.memory = limits.memory_bytes
        self.exact = exact

    def top(self, shape):
        """Read a top-level struct, union, or the body of a message; the top level has depth 1 [WIRE-8.1] [WIRE-2.5]."""
        if isinstance(shape, Message):
            self._enter(None, 1)
            self.kind = BODY
            return self._body(shape, None, 1)
        return self.value(shape, None, 0)

    def value(self, shape, path, depth):
        """Read one value; ``depth`` is that of the aggregate around it."""
        return self._READ[type(shape)](self, shape, path, depth)

    def _item(self, size, path):
        """Take the bytes of one item, or refuse it at its first byte [WIRE-3.3]."""
        at = self.at
        if size > self.end - at:
            raise Refusal(self.kind, at, path)
        self.at = at + size
        return self.data[at:at + size]

    def _enter(self, path, depth):
        if depth > self.depth_limit:
            raise Refusal("limit_depth", self.at, path)

    def _ask(self, size, at, path):
        """Charge memory; this implementation's measure is the bytes on the wire, at least one per element [WIRE-8.6]."""
        if size > self.memory:
            raise Refusal("limit_memory_bytes", at, path)
        self.memory -= size

    def _charge(self, count, at, path):
        """Charge the budget of elements [WIRE-8.3]."""
        if count > self.elements:
            raise Refusal("limit_elements", at, path)
        self.elements -= count

    def _length(self, width, most, path):
        """Read a length of bytes with its checks in their order, up to the memory [WIRE-3.4]."""
        at = self.at
        length = int.from_bytes(self._item(width, path), "little")
        if most is not None and length > most:
            raise Refusal("limit_max", at, path)
        if length > self.end - self.at:
            raise Refusal("length_exceeds_input", at, path)
        return length, at

    def _count(self, shape, size, path):
        """Read a count of elements or entries with all checks in their order [WIRE-3.4] [WIRE-5.5] [WIRE-5.10]."""
        at = self.at
        count = int.from_bytes(self._item(shape.width, path), "little")
        if shape.max is not None and count > shape.max:
            raise Refusal("limit_max", at, path)
        if count * size > self.end - self.at:
            raise Refusal("count_exceeds_input", at, path)
        self._charge(count, at, path)
        self._ask(count * max(size, 1), at, path)
        return count

    def _scalar(self, shape, path, depth):
        name = shape.name
        at = self.at
        raw = self._item(shape.size, path)
        if name in INTEGERS:
            return int.from_bytes(raw, "little", signed=INTEGERS[name][1])
        if name in FLOATS:
            return int.from_bytes(raw, "little")
        if name == "bool":
            if raw[0] > 1:
                raise Refusal("bool_invalid", at, path)
            return raw[0] == 1
        if name == "uuid":
            return bytes(raw)
        return int.from_bytes(raw, "little", signed=True)

    def _enum(self, shape, path, depth):
        at = self.at
        number = int.from_bytes(self._item(shape.size, path), "little", signed=INTEGERS[shape.base][1])
        if shape.closed and number not in shape.members.values():
            raise Refusal("enum_unknown", at, path)
        return number

    def _raw(self, shape, path):
        length, at = self._length(shape.width, shape.max, path)
        self._ask(length, at, path)
        return bytes(self._item(length, path))

    def _text(self, shape, path, depth):
        raw = self._raw(shape, path)
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise Refusal("utf8_invalid", self.at - len(raw) + error.start, path) from None
        return raw

    def _blob(self, shape, path, depth):
        return self._raw(shape, path)

    def _list(self, shape, path, depth):
        count = self._count(shape, smallest(shape.element), path)
        return [self.value(shape.element, (path, f"[{i}]"), depth) for i in range(count)]

    def _array(self, shape, path, depth):
        if not isinstance(shape.element, SCALARS):
            self._charge(shape.count, self.at, path)
        return [self.value(shape.element, (path, f"[{i}]"), depth) for i in range(shape.count)]

    def _optional(self, shape, path, depth):
        at = self.at
        presence = self._item(1, path)[0]
        if presence > 1:
            raise Refusal("presence_invalid", at, path)
        return self.value(shape.element, path, depth) if presence else None

    def _map(self, shape, path, depth):
        count = self._count(shape, smallest(shape.key) + smallest(shape.value), path)
        entries = {}
        before = None
        for i in range(count):
            at = self.at
            key = self.value(shape.key, (path, f"[{i}].key"), depth)
            if before is not None and key <= before:
                raise Refusal("map_order", at, (path, f"[{i}].key"))
            before = key
            entries[key] = self.value(shape.value, (path, f"[{i}].value"), depth)
        return entries

    def _fields(self, fields, into, path, depth):
        for one in fields:
            into[one.name] = self.value(one.shape, (path, "." + one.name), depth)

    def _struct(self, shape, path, depth):
        self._enter(path, depth + 1)
        record = Record()
        self._fields(shape.fields, record.fields, path, depth + 1)
        return record

    def _message(self, shape, path, depth):
        self._enter(path, depth + 1)
        length, _ = self._length(4, None, path)
        outer = self.end, self.kind
        self.end, self.kind = self.at + length, BODY
        record = self._body(shape, path, depth + 1)
        self.end, self.kind = outer
        return record

    def _body(self, shape, path, depth):
        """Read a message's body, which is the innermost window, to its end [WIRE-7.3] to [WIRE-7.8]."""
        record = Record()
        first, *later = shape.segments()
        self._fields(first, record.fields, path, depth)
        for fields in later:
            if self.at == self.end:
                if self.exact:
                    raise Refusal("segment_partial", self.at, path)
                for one in fields:
                    record.fields[one.name] = missing_value(one)
            else:
                self._fields(fields, record.fields, path, depth)
        if self.at < self.end:
            if self.exact:
                raise Refusal("trailing_bytes", self.at, path)
            if shape.keep_unknown:
                self._ask(self.end - self.at, self.at, path)
                record.tail = bytes(self.data[self.at:self.end])
            self.at = self.end
        return record

    def _union(self, shape, path, depth):
        depth += 1
        self._enter(path, depth)
        at = self.at
        tag = self._item(1, path)[0]
        known = shape.by_tag(tag)
        if tag == 0 or (shape.closed and known is None):
            raise Refusal("union_unknown", at, path)
        if shape.closed:
            return self._contents(known, path, depth)
        length, at = self._length(4, None, path)
        if known is None:
            self._ask(length, at, path)
            return Unknown(tag, bytes(self._item(length, path)))
        outer = self.end, self.kind
        self.end, self.kind = self.at + length, PAYLOAD
        chosen = self._contents(known, path, depth)
        if self.at < self.end:
            raise Refusal("union_length", self.at, path)
        self.end, self.kind = outer
        return chosen

    def _contents(self, known, path, depth):
        """Read the payload of a known alternative, one level below its union [WIRE-6.6] [WIRE-8.2]."""
        if known.shape is None:
            return Chosen(known.name)
        return Chosen(known.name, self.value(known.shape, (path, "." + known.name), depth))

    _READ = {
        Scalar: _scalar, Enum: _enum, Text: _text, Blob: _blob, List: _list, Array: _array, Optional: _optional,
        Map: _map, Struct: _struct, Message: _message, Union: _union,
    }


def decode_window(shape, data, start, end, limits, exact):
    """Decode one value from ``data[start:end]`` and give it with the offset of its end; budgets are fresh."""
    decoder = Decoder(data, start, end, limits, exact)
    return decoder.top(shape), decoder.at


def _whole(shape, data, limits, exact):
    if len(data) > limits.message_bytes:
        raise Refusal("limit_message_bytes", 0, None)
    value, at = decode_window(shape, data, 0, len(data), limits, exact)
    if at < len(data):
        raise Refusal("trailing_bytes", at, None)
    return value


def decode(shape, data, limits=Limits()):
    """Decode a whole slice in byte mode [WIRE-2.1] [WIRE-2.2] [WIRE-2.3]."""
    return _whole(shape, data, limits, False)


def decode_exact(shape, data, limits=Limits()):
    """Decode a whole slice and refuse unknown tails and missing segments [WIRE-7.7] to [WIRE-7.9]."""
    return _whole(shape, data, limits, True)


def decode_prefix(shape, data, limits=Limits()):
    """Decode the value at the start of a slice; give it and how many bytes it took [WIRE-2.4] [WIRE-2.5]."""
    if len(data) > limits.message_bytes:
        raise Refusal("limit_message_bytes", 0, None)
    return decode_window(shape, data, 0, len(data), limits, False)
