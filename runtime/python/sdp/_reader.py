"""Fast readers: functions that are made of a type once, as source text, and read its bytes into values.

A reader takes bytes, an offset, the end of the window, the depth of its value, and the budgets that are left. It returns the
value and the offset behind it. It says no by raising; which refusal that is finds the walk.
"""

from __future__ import annotations

import struct
import sys
from array import array
from typing import Any
from uuid import UUID

from ._error import Refused
from ._source import Source
from ._time import Duration, Timestamp
from ._type import ARRAY_CODES, CODES, UNBOUNDED, Type, nested_least

struct_error = struct.error

VALUE_BYTES = {"bool": 8, "u8": 8, "i8": 8, "str": 64, "bytes": 48, "list": 72, "array": 72, "map": 240, "opt": 8, "uuid": 104}
"""The memory of a value beside the bytes that it holds, at most. Numbers cost 40 bytes with the pointer to them."""


def cost(kind: Type) -> int:
    """The bytes of memory that one value of a type may take, without what it holds in lists and texts."""
    found: int | None = kind.cache.get("cost")
    if found is None:
        kind.cache["cost"] = 64  # of a value within itself
        if kind.kind in ("struct", "message"):
            found = 64 + sum(8 + cost(field.type) for field in kind.fields)
        elif kind.kind == "union":
            found = 128 + max(0 if one.type is None else cost(one.type) for one in kind.alternatives)
        elif kind.kind == "array":
            found = 72 + kind.count * cost(kind.element)
        elif kind.kind == "opt":
            found = 8 + cost(kind.element)
        else:
            found = VALUE_BYTES.get(kind.kind, 40)
        kind.cache["cost"] = found
    return found


def make(kind: Type, arrays: str = "") -> Any:
    """The reader of a struct, message or union. It reads lists of numbers into arrays of a kind of ``ARRAYS``."""
    _Maker(arrays).reader(kind)
    return kind.cache["read" + arrays]


def _memoryview(code: str, data: bytes, offset: int, end: int) -> Any:
    window: Any = memoryview(data)[offset:end]
    return window.cast(code)


def _numpy(code: str, data: bytes, offset: int, end: int) -> Any:
    import numpy

    return numpy.frombuffer(data, "<" + code, (end - offset) // struct.calcsize("<" + code), offset)


ARRAYS: dict[str, Any] = {"memoryview": _memoryview, "numpy": _numpy}
"""The makers of arrays, which share the memory of a window of bytes, by the code of their numbers."""


def new_uuid(data: bytes) -> UUID:
    """The UUID of 16 bytes."""
    return UUID(bytes=data)


def single(data: bytes, offset: int) -> float:
    """The 4-byte NaN at an offset, with its bits [WIRE-4.2]: arithmetic would change those of some."""
    bits = int.from_bytes(data[offset : offset + 4], "little")
    return double(((bits & 0x80000000) << 32) | 0x7FF0000000000000 | ((bits & 0x7FFFFF) << 29))


def double(bits: int) -> float:
    """The 8-byte float of some bits."""
    value: float = struct.unpack("<d", bits.to_bytes(8, "little"))[0]
    return value


def singles(data: bytes, offset: int, end: int) -> list[float]:
    """The 4-byte floats of a window."""
    values = numbers("f", data, offset, end)
    total = sum(values)
    if total != total:  # there may be a NaN
        for i, value in enumerate(values):
            if value != value:
                values[i] = single(data, offset + 4 * i)
    return values


def numbers(code: str, data: bytes, offset: int, end: int) -> list[Any]:
    """The numbers of a window, by their code."""
    made = array(ARRAY_CODES.get(code, code))
    made.frombytes(data[offset:end])
    if sys.byteorder == "big":
        made.byteswap()
    return made.tolist()


class _Maker(Source):
    """The source text of readers, and the values that it names."""

    def __init__(self, arrays: str = "") -> None:
        self.arrays = arrays
        super().__init__(
            {
                "R": Refused,
                "UUID": new_uuid,
                "TS": Timestamp,
                "DU": Duration,
                "BOOL": (False, True),
                "single": single,
                "singles": singles,
                "numbers": numbers,
                "arrays": ARRAYS.get(arrays),
                "new": object.__new__,
            }
        )

    def reader(self, kind: Type) -> None:
        """Makes the reader of an aggregate. Readers within it are made when they are first called."""
        if kind.deep:
            self.line("if d > s[2]: raise R")
        body = {"struct": self.struct, "message": self.message, "union": self.union}[kind.kind]
        body(kind)
        self.line("return v, o")
        kind.cache["read" + self.arrays] = self.function("read(b, o, e, d, s)", f"reader of {kind.name}")

    def struct(self, kind: Type) -> None:
        self.line(f"v = new({self.name('C', kind.cls)})")
        self.record([(f"v.{field.attribute}", field.type) for field in kind.fields])

    def message(self, kind: Type) -> None:
        """The body of a message, which is its whole window."""
        self.line(f"v = new({self.name('C', kind.cls)})")
        segments: list[list[Any]] = [[]]
        for field in kind.fields:
            while len(segments) < field.segment:
                segments.append([])
            segments[field.segment - 1].append(field)
        self.record([(f"v.{field.attribute}", field.type) for field in segments[0]])
        depth = self.indent
        for i, fields in enumerate(segments[1:], 1):
            self.line("if o < e:")
            self.indent += 1
            self.record([(f"v.{field.attribute}", field.type) for field in fields])
            if i == len(segments) - 1:
                self.tail(kind)
        if len(segments) == 1:
            self.tail(kind)
        for i in range(len(segments) - 1, 0, -1):
            self.indent -= 1
            self.line("else:")
            self.indent += 1
            for field in [one for fields in segments[i:] for one in fields]:
                self.line(f"v.{field.attribute} = {self.name('z', field.default)}()")
            if kind.keep:
                self.line('v._unknown = b""')
            self.indent -= 1
        self.indent = depth

    def tail(self, kind: Type) -> None:
        """Takes what a newer writer has put behind the known segments."""
        if kind.keep:
            self.line("v._unknown = b[o:e]")
        self.line("o = e")

    def union(self, kind: Type) -> None:
        self.line("if o >= e: raise R")
        self.line("t = b[o]")
        self.line("o += 1")
        if not kind.closed:
            self.line("if o + 4 > e: raise R")
            self.line("n = b[o] | b[o + 1] << 8 | b[o + 2] << 16 | b[o + 3] << 24")
            self.line("o += 4")
            self.line("if o + n > e: raise R")
            self.line("e = o + n")
        word = "if"
        for one in kind.alternatives:
            self.line(f"{word} t == {one.tag}:")
            self.indent += 1
            if one.inline:
                self.value("v", one.type)  # type: ignore[arg-type]
            else:
                self.line(f"v = new({self.name('C', one.cls)})")
                if one.type is not None:
                    self.value("v.value", one.type)
            if not kind.closed:
                self.line("if o != e: raise R")
            self.indent -= 1
            word = "elif"
        self.line("elif t == 0:")
        self.line("    raise R")
        self.line("else:")
        if kind.closed:
            self.line("    raise R")
        else:
            self.line(f"    v = new({self.name('C', kind.cls._alternatives[0])})")
            self.line("    v.tag = t")
            self.line("    v.payload = b[o:e]")
            self.line("    o = e")

    def record(self, fields: list[tuple[str, Type]]) -> None:
        """Reads values one behind another. Those of fixed size, and a length behind them, are read at once."""
        run: list[tuple[str, Type]] = []
        for target, kind in fields:
            if kind.is_scalar():
                run.append((target, kind))
            elif kind.kind in ("str", "bytes"):
                self.run(run, kind)
                self.text(target, kind)
                run = []
            else:
                self.run(run, None)
                run = []
                self.value(target, kind)
        self.run(run, None)

    def run(self, run: list[tuple[str, Type]], length: Type | None) -> None:
        """Reads scalars, and the length of a text behind them into n."""
        codes = "".join(CODES[kind.base or kind.kind] for _, kind in run)
        if length is not None:
            codes += "BH I"[length.width - 1]
        if not codes:
            return
        form = struct.Struct("<" + codes)
        self.line(f"if o + {form.size} > e: raise R")
        targets, later, at = [], [], 0
        for target, kind in run:
            if kind.is_number() and kind.kind != "f32":
                targets.append(target)
            else:
                one = self.name("x")
                targets.append(one)
                later.append(f"{target} = {self.scalar(kind, one, at)}")
            at += kind.width
        if length is not None:
            targets.append("n")
        self.line(f"{', '.join(targets)}, = {self.name('S', form.unpack_from)}(b, o)")
        for text in later:
            self.line(text)
        self.line(f"o += {form.size}")

    def scalar(self, kind: Type, raw: str, at: int) -> str:
        """The value of a scalar that was unpacked as a name, at bytes behind o."""
        if kind.kind == "f32":
            return f"{raw} if {raw} == {raw} else single(b, o + {at})"
        if kind.kind == "enum":
            return f"{self.name('E', kind.numbers)}[{raw}]"
        return {"bool": "BOOL[{}]", "timestamp": "TS({})", "duration": "DU({})", "uuid": "UUID({})"}.get(kind.kind, "{}").format(raw)

    def text(self, target: str, kind: Type) -> None:
        """Reads the n bytes of a text."""
        if kind.max < UNBOUNDED:
            self.line(f"if n > {kind.max}: raise R")
        self.line("p = o + n")
        self.line("if p > e: raise R")
        self.line(f"{target} = b[o:p]" + (".decode()" if kind.kind == "str" else ""))
        self.line("o = p")

    def length(self, kind: Type, least: int) -> str:
        """Reads a count, holds it against the bytes that are left, and charges the budgets."""
        n = self.name("n")
        self.line(f"if o + {kind.width} > e: raise R")
        self.line(f"{n} = " + " | ".join(f"b[o + {i}] << {8 * i}" if i else "b[o]" for i in range(kind.width)))
        self.line(f"o += {kind.width}")
        if kind.max < UNBOUNDED:
            self.line(f"if {n} > {kind.max}: raise R")
        self.line(f"if {n} * {least} > e - o: raise R")
        self.line(f"s[0] -= {n}")
        self.line(f"s[1] -= {n} * {element_cost(kind)}")
        self.line("if s[0] < 0 or s[1] < 0: raise R")
        return n

    def value(self, target: str, kind: Type) -> None:
        """Reads a value of any type."""
        if kind.is_scalar():
            self.run([(target, kind)], None)
        elif kind.kind in ("str", "bytes"):
            self.run([], kind)
            self.text(target, kind)
        elif kind.kind == "list":
            n = self.length(kind, nested_least(kind.element))
            self.elements(target, kind.element, n)
        elif kind.kind == "array":
            if not kind.element.is_scalar():
                self.line(f"s[0] -= {kind.count}")
                self.line("if s[0] < 0: raise R")
            self.elements(target, kind.element, str(kind.count))
        elif kind.kind == "opt":
            self.optional(target, kind)
        elif kind.kind == "map":
            self.map(target, kind)
        elif kind.kind == "message":
            self.line("if o + 4 > e: raise R")
            self.line("n = b[o] | b[o + 1] << 8 | b[o + 2] << 16 | b[o + 3] << 24")
            self.line("o += 4")
            self.line("if o + n > e: raise R")
            self.line(f"{target}, o = {self.call(kind)}(b, o, o + n, d + 1, s)")
        else:
            self.line(f"{target}, o = {self.call(kind)}(b, o, e, d + 1, s)")

    def call(self, kind: Type) -> str:
        """The name of another type's reader, which is made when it is first called."""

        def first(*arguments: Any) -> Any:
            return (kind.cache.get(key) or make(kind, self.arrays))(*arguments)

        key = "read" + self.arrays
        if key in kind.cache:
            return self.name("r", kind.cache[key])
        if not kind.cyclic:
            return self.name("r", make(kind, self.arrays))
        return self.name("r", first)

    def optional(self, target: str, kind: Type) -> None:
        self.line("if o >= e: raise R")
        self.line("t = b[o]")
        self.line("o += 1")
        self.line("if t == 1:")
        self.indent += 1
        self.value(target, kind.element)
        self.indent -= 1
        self.line("elif t == 0:")
        self.line(f"    {target} = None")
        self.line("else:")
        self.line("    raise R")

    def elements(self, target: str, element: Type, n: str) -> None:
        """Reads n elements into a list, or bytes that are octets."""
        if element.is_scalar():
            self.line(f"p = o + {n} * {element.width}")
            self.line("if p > e: raise R")
            self.line(f"{target} = {self.scalars(element)}")
            self.line("o = p")
            return
        items, one, i = self.name("l"), self.name("x"), self.name("i")
        self.line(f"{items} = []")
        self.line(f"for {i} in range({n}):")
        self.indent += 1
        self.value(one, element)
        self.line(f"{items}.append({one})")
        self.indent -= 1
        self.line(f"{target} = {items}")

    def scalars(self, element: Type) -> str:
        """The list of the scalars from o to p."""
        if element.kind == "u8":
            return "b[o:p]"
        if self.arrays and element.is_number():
            return f"arrays({CODES[element.kind]!r}, b, o, p)"
        if element.kind == "f32":
            return "singles(b, o, p)"
        if element.kind == "uuid":
            return "[UUID(b[i:i + 16]) for i in range(o, p, 16)]"
        if element.kind == "bool":
            return "[BOOL[x] for x in b[o:p]]"
        raw = f"numbers({CODES[element.base or element.kind]!r}, b, o, p)"
        if element.kind == "enum":
            numbers_of = self.name("E", element.numbers)
            return f"[{numbers_of}[x] for x in {raw}]"
        if element.kind in ("timestamp", "duration"):
            return f"list(map({'TS' if element.kind == 'timestamp' else 'DU'}, {raw}))"
        return raw

    def map(self, target: str, kind: Type) -> None:
        n = self.length(kind, nested_least(kind.key) + nested_least(kind.element))
        items, key, one, i, last = (self.name(prefix) for prefix in ("m", "k", "x", "i", "q"))
        self.line(f"{items} = {{}}")
        self.line(f"for {i} in range({n}):")
        self.indent += 1
        self.value(key, kind.key)
        self.line(f"if {i} and {key} <= {last}: raise R")
        self.line(f"{last} = {key}")
        self.value(one, kind.element)
        self.line(f"{items}[{key}] = {one}")
        self.indent -= 1
        self.line(f"{target} = {items}")


def element_cost(kind: Type) -> int:
    """The memory that an element of a list, or an entry of a map, may take."""
    if kind.kind == "map":
        return 104 + cost(kind.key) + cost(kind.element)
    return 8 + cost(kind.element)
