"""The visit of a value that has no encoding, in wire order [WIRE-9.1], which names the refusal."""

from __future__ import annotations

import struct
from typing import Any, NoReturn

from . import _writer
from ._error import EncodeError, Path, Refused, path_text
from ._spec import LIMIT_DEPTH
from ._type import CODES, UNBOUNDED, Alternative, Type

FAULTS = (Refused, ValueError, LookupError, TypeError, ArithmeticError, AttributeError, struct.error)

NAMES = {
    "bool": "a bool",
    "f32": "a float of 4 bytes",
    "f64": "a float",
    "timestamp": "a Timestamp, or its nanoseconds",
    "str": "a str",
    "duration": "a Duration, or its nanoseconds",
    "uuid": "a UUID",
    "bytes": "bytes",
    "list": "a list",
    "map": "a dict",
}


def refuse(kind: Type, value: Any, bounds: bool = True) -> None:
    """Raises the refusal of a value, if there is one. JSON bounds no lengths [JSON-7.1]."""
    _Visit(bounds).value(kind, value, None, 0)


def expectation(kind: Type) -> str:
    """The values that a type has, in words for people."""
    if kind.kind in NAMES:
        return NAMES[kind.kind]
    if kind.kind == "array":
        return f"a list of {kind.count}" if kind.element.kind != "u8" else f"{kind.count} bytes"
    if kind.kind == "union":
        return f"an alternative of {kind.cls.__name__}"
    if kind.kind == "enum" and kind.closed:
        return f"a member of {kind.cls.__name__}"
    if kind.kind == "opt":
        return expectation(kind.element) + " or None"
    if kind.is_aggregate():
        return f"a {kind.cls.__name__}"
    bits = 8 * kind.width
    low, high = (0, 2**bits - 1) if (kind.base or kind.kind).startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return f"an int from {low} to {high}"


def described(value: Any) -> str:
    """A value in few words."""
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"


def scalar_fits(kind: Type, value: Any) -> bool:
    """Whether a value is one of a scalar: writers pack it."""
    try:
        if kind.kind == "bool":
            _writer.BOOLS[value]
        elif kind.kind == "uuid":
            _writer.uuid_bytes(value)
        elif kind.kind == "f32":
            _writer.single_bytes(value)
        else:
            struct.pack("<" + CODES[kind.base or kind.kind], value)
        return kind.kind != "enum" or not kind.closed or value in kind.numbers
    except FAULTS:
        return False


class _Visit:
    def __init__(self, bounds: bool) -> None:
        self.bounds = bounds

    def no(self, code: str, path: Path | None, detail: str) -> NoReturn:
        raise EncodeError(code, -1, path_text(path), detail)

    def invalid(self, kind: Type, value: Any, path: Path | None) -> NoReturn:
        self.no("value_invalid", path, f"expected {expectation(kind)}, got {described(value)}")

    def length(self, kind: Type, n: int, path: Path | None) -> None:
        if not self.bounds:
            return
        unit = "bytes" if kind.kind in ("str", "bytes") else "entries" if kind.kind == "map" else "elements"
        if n > kind.max and kind.max < UNBOUNDED:
            self.no("limit_max", path, f"expected {kind.max} {unit} at most, got {n}")
        if n >= 1 << 8 * kind.width:
            self.no("value_too_large", path, f"expected {(1 << 8 * kind.width) - 1} {unit} at most, got {n}")

    def value(self, kind: Type, value: Any, path: Path | None, depth: int) -> int:
        """Visits a value, and returns how many bytes it takes."""
        if kind.is_scalar():
            if not scalar_fits(kind, value):
                self.invalid(kind, value, path)
            return kind.width
        if kind.kind == "str":
            return self.text(kind, value, path)
        if kind.kind == "bytes":
            return self.bytes(kind, value, path)
        if kind.kind in ("list", "array"):
            return self.elements(kind, value, path, depth)
        if kind.kind == "opt":
            return 1 if value is None else 1 + self.value(kind.element, value, path, depth)
        if kind.kind == "map":
            return self.map(kind, value, path, depth)
        if depth >= LIMIT_DEPTH:
            self.no("limit_depth", path, f"expected {LIMIT_DEPTH} levels at most")
        if kind.kind == "union":
            return self.union(kind, value, path, depth + 1)
        if not isinstance(value, kind.cls):
            self.invalid(kind, value, path)
        size = self.fields(kind, value, path, depth + 1)
        if kind.kind == "message":
            self.size(size, path)
            size += 4
        return size

    def fields(self, kind: Type, value: Any, path: Path | None, depth: int) -> int:
        size = 0
        for field in kind.fields:
            place = (path, "." + field.name)
            try:
                part = getattr(value, field.attribute)
            except AttributeError:
                self.no("value_invalid", place, f"expected {expectation(field.type)}, got nothing: the attribute is not set")
            size += self.value(field.type, part, place, depth)
        if kind.keep:
            size += len(self.raw(value._unknown, path, "bytes as _unknown"))
        return size

    def raw(self, value: Any, path: Path | None, expected: str) -> bytes:
        try:
            return _writer.raw(value)
        except FAULTS:
            self.no("value_invalid", path, f"expected {expected}, got {described(value)}")

    def size(self, size: int, path: Path | None) -> None:
        if size >= UNBOUNDED:
            self.no("value_too_large", path, f"expected {UNBOUNDED - 1} bytes at most, got {size}")

    def text(self, kind: Type, value: Any, path: Path | None) -> int:
        if not isinstance(value, str):
            self.invalid(kind, value, path)
        try:
            n = len(value.encode())
        except UnicodeEncodeError as error:
            self.no("utf8_invalid", path, f"expected a str without half a surrogate pair, which there is at {error.start}")
        self.length(kind, n, path)
        return kind.width + n

    def bytes(self, kind: Type, value: Any, path: Path | None) -> int:
        n = len(self.raw(value, path, expectation(kind)))
        self.length(kind, n, path)
        return kind.width + n

    def elements(self, kind: Type, value: Any, path: Path | None, depth: int) -> int:
        try:
            if kind.kind == "array" and kind.element.kind == "u8":
                return len(_writer.octets(value, kind.count))
            values = _writer.sequence(value)
        except FAULTS:
            self.invalid(kind, value, path)
        if kind.kind == "list":
            self.length(kind, len(values), path)
        elif len(values) != kind.count:
            self.no("value_invalid", path, f"expected {kind.count} elements, got {len(values)}")
        size = kind.width
        for i, one in enumerate(values):
            size += self.value(kind.element, one, (path, f"[{i}]"), depth)
        return size

    def map(self, kind: Type, value: Any, path: Path | None, depth: int) -> int:
        try:
            entries = _writer.items(value)
        except TypeError:
            entries = list(value.items())  # keys that have no order: one of them is no key
        except Refused:
            self.invalid(kind, value, path)
        self.length(kind, len(entries), path)
        size = kind.width
        for i, (key, one) in enumerate(entries):
            size += self.value(kind.key, key, (path, f"[{i}].key"), depth)
            size += self.value(kind.element, one, (path, f"[{i}].value"), depth)
        return size

    def union(self, kind: Type, value: Any, path: Path | None, depth: int) -> int:
        unknown = kind.cls._alternatives.get(0)
        if unknown is not None and type(value) is unknown:
            payload = self.raw(value.payload, path, "bytes as payload")
            if not isinstance(value.tag, int) or not 0 < value.tag < 256 or any(one.tag == value.tag for one in kind.alternatives):
                self.no(
                    "value_invalid",
                    path,
                    f"expected a tag from 1 to 255 that {kind.cls.__name__} does not have, got {described(value.tag)}",
                )
            return 5 + len(payload)
        found: Alternative | None = next((one for one in kind.alternatives if one.cls is type(value)), None)
        if found is None:
            self.invalid(kind, value, path)
        if found.type is None:
            return 1 if kind.closed else 5
        part = value if found.inline else getattr(value, "value", None)
        size = self.value(found.type, part, (path, "." + found.name), depth)
        if not kind.closed:
            self.size(size, path)
            size += 4
        return size + 1
