"""Fast readers of JSON: functions that make values of what the module ``json`` has parsed.

They say no by raising, to any text that is not plainly right. Then ``_json_read`` reads it again, and names the refusal.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable
from typing import Any
from uuid import UUID

from . import _text
from ._error import Refused
from ._spec import LIMIT_DEPTH
from ._time import Duration, Timestamp
from ._type import CODES, Field, Type

Convert = Callable[[Any, int], Any]
"""Makes a value of a part of a text, by the depth of the aggregate around it."""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

_single = struct.Struct("<f")
_double = struct.Struct("<d")


def read(kind: Type, text: str) -> Any:
    """Makes a value of a text that is plainly right."""
    if _SURROGATE.search(text):
        raise Refused  # the module json accepts half a pair
    integer = _integer if "-0" in text else int
    return convert(kind)(json.loads(text, object_pairs_hook=_object, parse_int=integer, parse_constant=_refuse), 0)


def _refuse(text: str) -> Any:
    raise Refused


def _integer(text: str) -> int:
    if text == "-0":
        raise Refused  # which is no integer, and a negative zero
    return int(text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Refused  # a member is there twice, which may be right
    return found


def convert(kind: Type) -> Convert:
    """The function for a type."""
    found: Convert | None = kind.cache.get("convert")
    if found is None:
        kind.cache["convert"] = lambda value, depth: convert(kind)(value, depth)  # of a value within itself, meanwhile
        found = kind.cache["convert"] = _make(kind)
    return found


def _make(kind: Type) -> Convert:
    if kind.kind in _TEXTS:
        return _from_text(*_TEXTS[kind.kind])
    return _MAKERS.get(kind.kind, _whole)(kind)


def _from_text(read_text: Callable[[str], Any], make: Callable[[Any], Any]) -> Convert:
    def text(value: Any, depth: int) -> Any:
        found = read_text(value) if type(value) is str else None
        if found is None:
            raise Refused
        return make(found)

    return text


_TEXTS: dict[str, tuple[Callable[[str], Any], Callable[[Any], Any]]] = {
    "timestamp": (_text.read_timestamp, Timestamp),
    "duration": (_text.read_duration, Duration),
    "uuid": (lambda text: _text.UUID_FORM.fullmatch(text), lambda found: UUID(found[0])),
    "bytes": (_text.read_base64, bytes),
}


def _bool(value: Any, depth: int) -> bool:
    if value is True or value is False:
        return bool(value)
    raise Refused


def _str(value: Any, depth: int) -> str:
    if type(value) is str:
        return value
    raise Refused


def _f64(value: Any, depth: int) -> float:
    if type(value) is float or type(value) is int:
        found = float(value)
        if found - found == 0:
            return found
    raise Refused


def _f32(value: Any, depth: int) -> float:
    if type(value) is not float and type(value) is not int:
        raise Refused
    found: float = _single.unpack(_single.pack(value))[0]
    if found != value:  # it is rounded a second time
        low = int.from_bytes(_double.pack(value)[:4], "little") & 0x1FFFFFFF
        if low == 0x10000000 or -1.2e-38 < found < 1.2e-38:
            raise Refused  # it may lie in the middle of two
    if found - found != 0:
        raise Refused
    return found


def _whole(kind: Type) -> Convert:
    bits = 8 * kind.width
    low, high = (0, 1 << bits) if CODES[kind.kind].isupper() else (-1 << bits - 1, 1 << bits - 1)

    def integer(value: Any, depth: int) -> int:
        if type(value) is str:
            value = _text.read_integer(kind, value)
        if type(value) is int and low <= value < high:
            return value
        raise Refused

    return integer


def _enum(kind: Type) -> Convert:
    names = {json: kind.numbers[number] for _, number, json in kind.members}

    def member(value: Any, depth: int) -> Any:
        found = names.get(value) if type(value) is str else None
        if found is None:
            raise Refused  # a number is rare
        return found

    return member


def _optional(kind: Type) -> Convert:
    inner = convert(kind.element)
    return lambda value, depth: None if value is None else inner(value, depth)


def _list(kind: Type) -> Convert:
    inner = convert(kind.element)
    count = kind.count if kind.kind == "array" else -1
    octets = count >= 0 and kind.element.kind == "u8"

    def elements(value: Any, depth: int) -> Any:
        if type(value) is not list or (count >= 0 and len(value) != count):
            raise Refused
        made = [inner(one, depth) for one in value]
        return bytes(made) if octets else made

    return elements


def _map(kind: Type) -> Convert:
    inner = convert(kind.element)
    key = _str if kind.key.kind == "str" else None

    def entries(value: Any, depth: int) -> Any:
        if type(value) is not dict or key is None:
            raise Refused  # other keys than texts have several forms
        return {one: inner(value[one], depth) for one in sorted(value)}

    return entries


def _record(kind: Type) -> Convert:
    parts = [_member(field) for field in kind.fields]
    closed, keep, cls = kind.kind == "struct", kind.keep, kind.cls

    def record(value: Any, depth: int) -> Any:
        if type(value) is not dict or depth >= LIMIT_DEPTH or (keep and "$unknown" in value):
            raise Refused
        made = object.__new__(cls)
        left = len(value)
        for name, attribute, inner, missing in parts:
            if name in value:
                setattr(made, attribute, inner(value[name], depth + 1))
                left -= 1
            else:
                setattr(made, attribute, missing())
        if closed and left:
            raise Refused
        if keep:
            made._unknown = b""
        return made

    return record


def _member(field: Field) -> tuple[str, str, Convert, Callable[[], Any]]:
    missing = field.default or (_nothing if field.type.kind == "opt" else _required)
    return field.json, field.attribute, convert(field.type), missing


def _nothing() -> None:
    """The value of an optional without a member."""


def _required() -> Any:
    raise Refused


def _union(kind: Type) -> Convert:
    forms = {one.json: (one.cls, one.inline, None if one.type is None else convert(one.type)) for one in kind.alternatives}

    def union(value: Any, depth: int) -> Any:
        if type(value) is not dict or len(value) != 1 or depth >= LIMIT_DEPTH:
            raise Refused
        for name, payload in value.items():
            cls, inline, inner = forms[name]
            if inner is None:
                if payload is not None:
                    raise Refused
                return object.__new__(cls)
            found = inner(payload, depth + 1)
            if inline:
                return found
            made = object.__new__(cls)
            made.value = found
            return made

    return union


_MAKERS: dict[str, Callable[[Type], Convert]] = {
    "bool": lambda kind: _bool,
    "f32": lambda kind: _f32,
    "f64": lambda kind: _f64,
    "str": lambda kind: _str,
    "enum": _enum,
    "opt": _optional,
    "list": _list,
    "array": _list,
    "map": _map,
    "union": _union,
    "struct": _record,
    "message": _record,
}
