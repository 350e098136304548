"""Fast writers: functions that are made of a type once, as source text, and write its values as pieces of bytes.

A writer takes a value, the function that takes pieces, and the depth of the value. It says no by raising; which refusal that is
finds the visit of ``_check``.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any
from uuid import UUID

from ._error import Refused
from ._source import Source
from ._spec import LIMIT_DEPTH
from ._type import ARRAY_CODES, CODES, UNBOUNDED, Type

BOOLS = {False: 0, True: 1}

pack_single = struct.Struct("<f").pack
pack_double = struct.Struct("<d").pack


def make(kind: Type) -> Any:
    """The writer of a struct, message or union."""
    _Maker().writer(kind)
    return kind.cache["write"]


def raw(value: Any) -> bytes:
    """The bytes of an object in memory."""
    return value if type(value) is bytes else memoryview(value).tobytes()


def uuid_bytes(value: Any) -> bytes:
    """The bytes of a UUID."""
    if not isinstance(value, UUID):
        raise Refused
    return value.bytes


def sequence(value: Any) -> Any:
    """A value that is a list, or can stand for one: it has an order and a length, and is no text."""
    if type(value) is list or type(value) is tuple:
        return value
    if isinstance(value, (str, bytes, bytearray, Mapping, AbstractSet)) or not hasattr(value, "__getitem__"):
        raise Refused
    len(value)
    return value


def octets(value: Any, count: int) -> bytes:
    """The bytes of an array of u8: of bytes, or of numbers."""
    made = bytes(sequence(value)) if isinstance(value, (list, tuple)) else raw(value)
    if len(made) != count:
        raise Refused
    return made


def single_bytes(value: Any) -> bytes:
    """The bytes of a 4-byte float. A NaN keeps the bits that it was read with [WIRE-4.2]."""
    if value == value:
        return pack_single(value)
    bits = int.from_bytes(pack_double(value), "little")
    short = (bits >> 32 & 0x80000000) | 0x7F800000 | (bits >> 29 & 0x7FFFFF)
    return (short if short & 0x7FFFFF else short | 0x400000).to_bytes(4, "little")


def numbers(code: str, values: Any) -> bytes:
    """The bytes of numbers, by their code."""
    same = _memory(code, values)
    if same is not None:
        return same
    if code == "f":
        made = array("f", values)
        total = sum(made)
        if total != total:
            return b"".join(map(single_bytes, values))
        for one, value in zip(made, values, strict=True):
            if one - one != 0 and value - value == 0:  # array makes an infinity of what is too large
                raise Refused
    else:
        made = array(ARRAY_CODES.get(code, code), values)
    if sys.byteorder == "big":
        made.byteswap()
    return made.tobytes()


def _memory(code: str, values: Any) -> bytes | None:
    """The memory of an array of numbers, such as one of numpy's, if it holds them in the form of the wire."""
    if isinstance(values, (list, tuple)) or sys.byteorder == "big":
        return None
    try:
        view = memoryview(values)
    except TypeError:
        return None
    form = view.format.lstrip("@=<")
    group = next((group for group in ("bhilq", "BHILQ", "fd") if code in group), "")
    if form not in group or not form or view.ndim != 1 or view.itemsize != struct.calcsize("<" + code) or not view.c_contiguous:
        return None
    return view.tobytes()


def items(value: Any) -> list[tuple[Any, Any]]:
    """The entries of a map in the order of its keys [WIRE-5.12]."""
    if not isinstance(value, Mapping):
        raise Refused
    return sorted(value.items(), key=_first)


def _first(entry: tuple[Any, Any]) -> Any:
    return entry[0]


class _Maker(Source):
    """The source text of a writer, and the values that it names."""

    def __init__(self) -> None:
        super().__init__(
            {
                "R": Refused,
                "raw": raw,
                "uuid": uuid_bytes,
                "seq": sequence,
                "octets": octets,
                "single": single_bytes,
                "numbers": numbers,
                "items": items,
                "BOOLS": BOOLS,
                "join": b"".join,
                "L1": struct.Struct("<B").pack,
                "L2": struct.Struct("<H").pack,
                "L4": struct.Struct("<I").pack,
            }
        )

    def writer(self, kind: Type) -> None:
        """Makes the writer of an aggregate. It writes a message without its length."""
        if kind.deep or kind.height > LIMIT_DEPTH:
            self.line(f"if d > {LIMIT_DEPTH}: raise R")
        if kind.kind == "union":
            self.union(kind)
        else:
            cls = self.name("C", kind.cls)
            self.line(f"if v.__class__ is not {cls} and not isinstance(v, {cls}): raise R")
            self.record([(f"v.{field.attribute}", field.type) for field in kind.fields])
            if kind.keep:
                self.line("w(raw(v._unknown))")
        kind.cache["write"] = self.function("write(v, w, d)", f"writer of {kind.name}")

    def union(self, kind: Type) -> None:
        self.line("c = v.__class__")
        word = "if"
        for one in kind.alternatives:
            self.line(f"{word} c is {self.name('C', one.cls)}:")
            word = "elif"
            self.indent += 1
            if kind.closed:
                self.line(f"w({bytes([one.tag])!r})")
                self.payload(one)
            elif one.type is None:
                self.line(f"w({bytes([one.tag, 0, 0, 0, 0])!r})")
            else:
                with_length = self.begin()
                self.payload(one)
                self.end(with_length, f"{bytes([one.tag])!r} + ")
            self.indent -= 1
        if not kind.closed:
            tags = frozenset([0, *(one.tag for one in kind.alternatives)])
            self.line(f"elif c is {self.name('C', kind.cls._alternatives[0])}:")
            self.line(f"    if v.tag in {self.name('t', tags)}: raise R")
            self.line("    p = raw(v.payload)")
            self.line("    w(L1(v.tag) + L4(len(p)))")
            self.line("    w(p)")
        self.line("else:")
        self.line("    raise R")

    def payload(self, one: Any) -> None:
        if one.type is not None:
            self.value("v" if one.inline else "v.value", one.type)

    def begin(self) -> tuple[str, str]:
        """Lets pieces go into a list of their own."""
        pieces, outer = self.name("p"), self.name("w")
        self.line(f"{pieces} = []")
        self.line(f"{outer} = w")
        self.line(f"w = {pieces}.append")
        return pieces, outer

    def end(self, names: tuple[str, str], head: str = "") -> None:
        """Writes those pieces behind their length."""
        pieces, outer = names
        self.line(f"w = {outer}")
        self.line(f"{pieces} = join({pieces})")
        self.line(f"w({head}L4(len({pieces})))")
        self.line(f"w({pieces})")

    def record(self, fields: list[tuple[str, Type]]) -> None:
        """Writes values one behind another. Scalars side by side, and the length of a text behind them, are one piece."""
        run: list[tuple[str, Type]] = []
        for source, kind in fields:
            if kind.is_scalar():
                run.append((source, kind))
                continue
            if kind.kind in ("str", "bytes"):
                self.text(source, kind, run)
            else:
                self.run(run)
                self.value(source, kind)
            run = []
        self.run(run)

    def run(self, run: list[tuple[str, Type]], length: str = "", width: int = 0) -> None:
        codes, values = "", []
        for source, kind in run:
            code, value = self.scalar(source, kind)
            codes += code
            values.append(value)
        if length:
            codes += "BH I"[width - 1]
            values.append(length)
        if not codes:
            return
        singles = [i for i, (_, kind) in enumerate(run) if kind.kind == "f32"]
        for i in singles:
            one = self.name("x")
            self.line(f"{one} = {values[i]}")
            values[i] = one
        self.packed(codes, values, singles)

    def packed(self, codes: str, values: list[str], singles: list[int]) -> None:
        """Writes values at once. A NaN of 4 bytes is packed by its bits."""
        text = f"w({self.name('S', struct.Struct('<' + codes).pack)}({', '.join(values)}))"
        if not singles:
            self.line(text)
            return
        self.line("if " + " and ".join(f"{values[i]} == {values[i]}" for i in singles) + ":")
        self.line("    " + text)
        self.line("else:")
        for i in singles:
            values[i] = f"single({values[i]})"
        self.line(f"    w({self.name('S', struct.Struct('<' + codes.replace('f', '4s')).pack)}({', '.join(values)}))")

    def scalar(self, source: str, kind: Type) -> tuple[str, str]:
        """The code of a scalar and the expression that is packed."""
        code = CODES[kind.base or kind.kind]
        if kind.kind == "enum" and kind.closed:
            return code, f"{self.name('E', {number: number for number in kind.numbers})}[{source}]"
        return code, {"bool": "BOOLS[{}]", "uuid": "uuid({})"}.get(kind.kind, "{}").format(source)

    def text(self, source: str, kind: Type, run: list[tuple[str, Type]]) -> None:
        one = self.name("t")
        self.line(f"{one} = {source}.encode()" if kind.kind == "str" else f"{one} = raw({source})")
        self.bound(f"len({one})", kind)
        self.run(run, f"len({one})", kind.width)
        self.line(f"w({one})")

    def bound(self, n: str, kind: Type) -> None:
        if kind.max < UNBOUNDED:
            self.line(f"if {n} > {kind.max}: raise R")

    def value(self, source: str, kind: Type) -> None:
        """Writes a value of any type."""
        if kind.is_scalar():
            self.run([(source, kind)])
        elif kind.kind in ("str", "bytes"):
            self.text(source, kind, [])
        elif kind.kind in ("list", "array"):
            self.elements(source, kind)
        elif kind.kind == "opt":
            one = self.name("x")
            self.line(f"{one} = {source}")
            self.line(f"if {one} is None: w(b'\\0')")
            self.line("else:")
            self.indent += 1
            self.line("w(b'\\1')")
            self.value(one, kind.element)
            self.indent -= 1
        elif kind.kind == "map":
            self.map(source, kind)
        elif kind.kind == "message":
            names = self.begin()
            self.line(f"{self.call(kind)}({source}, w, d + 1)")
            self.end(names)
        else:
            self.line(f"{self.call(kind)}({source}, w, d + 1)")

    def call(self, kind: Type) -> str:
        """The name of another type's writer, which is made when it is first called where types lead in a circle."""

        def first(*arguments: Any) -> Any:
            return (kind.cache.get("write") or make(kind))(*arguments)

        if "write" in kind.cache:
            return self.name("f", kind.cache["write"])
        return self.name("f", first if kind.cyclic else make(kind))

    def elements(self, source: str, kind: Type) -> None:
        element, one = kind.element, self.name("l")
        if kind.kind == "array" and element.kind == "u8":
            self.line(f"w(octets({source}, {kind.count}))")
            return
        self.line(f"{one} = seq({source})")
        if kind.kind == "array":
            self.line(f"if len({one}) != {kind.count}: raise R")
        else:
            self.bound(f"len({one})", kind)
            self.line(f"w(L{kind.width}(len({one})))")
        if element.is_number() or element.kind in ("timestamp", "duration") or (element.kind == "enum" and not element.closed):
            self.line(f"w(numbers({CODES[element.base or element.kind]!r}, {one}))")
        elif element.kind == "bool":
            self.line(f"w(bytes([BOOLS[x] for x in {one}]))")
        elif element.kind == "uuid":
            self.line(f"w(join([uuid(x) for x in {one}]))")
        else:
            x = self.name("x")
            self.line(f"for {x} in {one}:")
            self.indent += 1
            self.value(x, element)
            self.indent -= 1

    def map(self, source: str, kind: Type) -> None:
        entries, key, one = self.name("m"), self.name("k"), self.name("x")
        self.line(f"{entries} = items({source})")
        self.bound(f"len({entries})", kind)
        self.line(f"w(L{kind.width}(len({entries})))")
        self.line(f"for {key}, {one} in {entries}:")
        self.indent += 1
        self.value(key, kind.key)
        self.value(one, kind.element)
        self.indent -= 1
