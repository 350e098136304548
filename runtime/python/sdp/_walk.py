"""The walk: a second reading of refused bytes, one item at a time in wire order [WIRE-1.7], that names the refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from . import _reader
from ._error import DecodeError, Path, path_text
from ._type import Type, nested_least

if TYPE_CHECKING:
    from ._codec import Limits

TEXT_COST = 4
"""The memory of a byte of a text, at most: a character beyond U+FFFF makes all of its text so wide."""


def comes_first(kind: Type, size: int, limits: Limits) -> bool:
    """Whether fast readers do not see to a limit: they set texts' memory aside, and count no levels that are always there."""
    return kind.height > limits.depth or TEXT_COST * size > limits.memory_bytes // 2


def refuse(kind: Type, data: bytes, offset: int, end: int, limits: Limits, exact: bool, prefix: bool) -> None:
    """Raises the refusal of bytes, if there is one."""
    _Walk(data, offset, end, limits, exact, comes_first(kind, end - offset, limits)).top(kind, prefix)


class _Walk:
    def __init__(self, data: bytes, offset: int, end: int, limits: Limits, exact: bool, texts: bool) -> None:
        self.data = data
        self.at = offset
        self.end = end
        self.window = "truncated"
        self.depth = limits.depth
        self.elements = limits.elements
        self.memory = limits.memory_bytes
        self.exact = exact
        self.text_cost = TEXT_COST if texts else 0

    def top(self, kind: Type, prefix: bool) -> None:
        if kind.kind == "message":
            self.enter(None, 1)
            self.window = "segment_partial"
            self.body(kind, None, 1)
        else:
            self.value(kind, None, 0)
        if not prefix and self.at < self.end:
            self.no("trailing_bytes", self.at, None)

    def no(self, code: str, offset: int, path: Path | None, detail: str = "") -> NoReturn:
        raise DecodeError(code, offset, path_text(path), detail)

    def enter(self, path: Path | None, depth: int) -> None:
        if depth > self.depth:
            self.no("limit_depth", self.at, path, f"expected {self.depth} levels at most")

    def item(self, size: int, path: Path | None) -> int:
        """Takes an item, and returns where it is [WIRE-3.3]."""
        at = self.at
        if size > self.end - at:
            self.no(self.window, at, path, f"expected {size} bytes, {self.end - at} are left")
        self.at = at + size
        return at

    def prefix(self, kind: Type, path: Path | None) -> int:
        at = self.item(kind.width, path)
        n = int.from_bytes(self.data[at : self.at], "little")
        if n > kind.max:
            self.no("limit_max", at, path, f"expected {kind.max} at most, got {n}")
        return n

    def length(self, kind: Type, path: Path | None) -> int:
        """Takes the length of a text, message or payload."""
        at = self.at
        n = self.prefix(kind, path)
        if n > self.end - self.at:
            self.no("length_exceeds_input", at, path, f"expected {n} bytes, {self.end - self.at} are left")
        self.charge(0, n * self.text_cost, at, path)
        return n

    def count(self, kind: Type, least: int, path: Path | None) -> int:
        at = self.at
        n = self.prefix(kind, path)
        if n * least > self.end - self.at:
            self.no("count_exceeds_input", at, path, f"expected {n} of {least} bytes at least, {self.end - self.at} bytes are left")
        self.charge(n, n * _reader.element_cost(kind), at, path)
        return n

    def charge(self, elements: int, memory: int, offset: int, path: Path | None) -> None:
        if elements > self.elements:
            self.no("limit_elements", offset, path)
        self.elements -= elements
        self.memory -= memory
        if self.memory < 0:
            self.no("limit_memory_bytes", offset, path)

    def value(self, kind: Type, path: Path | None, depth: int) -> None:
        """Reads one value; depth is the level of the aggregate around it."""
        if kind.is_scalar():
            self.scalar(kind, path)
        elif kind.kind in ("str", "bytes"):
            self.text(kind, path)
        elif kind.kind == "list":
            self.items(kind.element, self.count(kind, nested_least(kind.element), path), path, depth)
        elif kind.kind == "array":
            self.charge(0 if kind.element.is_scalar() else kind.count, 0, self.at, path)
            self.items(kind.element, kind.count, path, depth)
        elif kind.kind == "opt":
            at = self.item(1, path)
            if self.data[at] > 1:
                self.no("presence_invalid", at, path, f"expected 0 or 1, got {self.data[at]}")
            if self.data[at] == 1:
                self.value(kind.element, path, depth)
        elif kind.kind == "map":
            self.map(kind, path, depth)
        else:
            try:
                self.aggregate(kind, path, depth + 1)
            except DecodeError as error:
                error.__traceback__ = None  # which would hold the frames of all levels in memory
                raise

    def aggregate(self, kind: Type, path: Path | None, depth: int) -> None:
        self.enter(path, depth)
        if kind.kind == "struct":
            for field in kind.fields:
                self.value(field.type, (path, "." + field.name), depth)
        elif kind.kind == "message":
            n = self.length(_LENGTH, path)
            end, window = self.end, self.window
            self.end, self.window = self.at + n, "segment_partial"
            self.body(kind, path, depth)
            self.end, self.window = end, window
        else:
            self.union(kind, path, depth)

    def scalar(self, kind: Type, path: Path | None) -> None:
        at = self.item(kind.width, path)
        if kind.kind == "bool" and self.data[at] > 1:
            self.no("bool_invalid", at, path, f"expected 0 or 1, got {self.data[at]}")
        if kind.kind == "enum" and kind.closed:
            number = number_of(kind, self.data, at)
            if number not in kind.numbers:
                self.no("enum_unknown", at, path, f"{kind.name} has no number {number}")

    def text(self, kind: Type, path: Path | None) -> None:
        n = self.length(kind, path)
        at = self.item(n, path)
        if kind.kind == "str":
            try:
                self.data[at : self.at].decode()
            except UnicodeDecodeError as error:
                self.no("utf8_invalid", at + error.start, path)

    def items(self, element: Type, n: int, path: Path | None, depth: int) -> None:
        if element.is_number():
            whole = min(n, (self.end - self.at) // element.width)
            self.at += whole * element.width
            if whole < n:
                self.item(element.width, (path, f"[{whole}]"))
            return
        for i in range(n):
            self.value(element, (path, f"[{i}]"), depth)

    def map(self, kind: Type, path: Path | None, depth: int) -> None:
        last: Any = None
        for i in range(self.count(kind, nested_least(kind.key) + nested_least(kind.element), path)):
            at = self.at
            self.value(kind.key, (path, f"[{i}].key"), depth)
            key = self.data[at + kind.key.width : self.at] if kind.key.kind == "str" else number_of(kind.key, self.data, at)
            if i and key <= last:
                self.no("map_order", at, (path, f"[{i}].key"), "expected keys in ascending order, each once")
            last = key
            self.value(kind.element, (path, f"[{i}].value"), depth)

    def body(self, kind: Type, path: Path | None, depth: int) -> None:
        segment = 1
        for field in kind.fields:
            if field.segment != segment:
                segment = field.segment
                if self.at == self.end:
                    if self.exact:
                        self.no("segment_partial", self.at, path, f"segment {segment} is missing")
                    return
            self.value(field.type, (path, "." + field.name), depth)
        if self.at < self.end and self.exact:
            self.no("trailing_bytes", self.at, path)
        self.at = self.end

    def union(self, kind: Type, path: Path | None, depth: int) -> None:
        at = self.item(1, path)
        tag = self.data[at]
        known = next((one for one in kind.alternatives if one.tag == tag), None)
        if tag == 0 or (kind.closed and known is None):
            self.no("union_unknown", at, path, f"{kind.name} has no tag {tag}")
        end, window = self.end, self.window
        if not kind.closed:
            n = self.length(_LENGTH, path)
            self.end, self.window = self.at + n, "union_length"
        if known is None:
            self.at = self.end
        elif known.type is not None:
            self.value(known.type, (path, "." + known.name), depth)
        if not kind.closed and self.at < self.end:
            self.no("union_length", self.at, path, f"{self.end - self.at} bytes are left")
        self.end, self.window = end, window


_LENGTH = Type("bytes")
_LENGTH.width = 4


def number_of(kind: Type, data: bytes, offset: int) -> int:
    """The number of an integer, bool or enum at an offset."""
    signed = (kind.base or kind.kind).startswith("i")
    return int.from_bytes(data[offset : offset + kind.width], "little", signed=signed)
