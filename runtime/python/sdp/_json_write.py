"""JSON of values: the same bytes in every language. A function is made of each type once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _check, _codec, _writer
from ._text import base64, duration_text, float_text, quote, timestamp_text
from ._type import Field, Type

Text = Callable[[Any], str]


def to_json(kind: Type, value: Any) -> str:
    """The value as JSON, without white space [JSON-1.1]."""
    try:
        (kind.cache.get("write") or _writer.make(kind))(value, _nowhere, 1)
    except _codec.NO:
        _check.refuse(kind, value, bounds=False)
    return text_of(kind)(value)


def _nowhere(piece: bytes) -> None:
    """Takes the pieces of a value that is encoded only to be checked."""


def text_of(kind: Type) -> Text:
    """The function that makes JSON of a type's values."""
    found: Text | None = kind.cache.get("json")
    if found is None:
        kind.cache["json"] = lambda value: text_of(kind)(value)  # of a value within itself, while the function is made
        found = kind.cache["json"] = _make(kind)
    return found


def _make(kind: Type) -> Text:
    if kind.kind in _SCALARS:
        return _SCALARS[kind.kind]
    if kind.kind == "enum":
        return _enum(kind)
    if kind.kind == "opt":
        inner = text_of(kind.element)
        return lambda value: "null" if value is None else inner(value)
    if kind.kind in ("list", "array"):
        inner = text_of(kind.element)
        return lambda value: f"[{','.join(map(inner, value))}]"
    if kind.kind == "map":
        key, inner = key_of(kind.key), text_of(kind.element)
        return lambda value: f"{{{','.join([f'{quote(key(k))}:{inner(v)}' for k, v in _writer.items(value)])}}}"
    if kind.kind == "union":
        return _union(kind)
    return _record(kind)


def _integer(value: Any) -> str:
    return str(int(value.__index__()))


def _wide(value: Any) -> str:
    return f'"{value.__index__():d}"'


_SCALARS: dict[str, Text] = {
    "bool": lambda value: "true" if value else "false",
    **dict.fromkeys(("u8", "u16", "u32", "i8", "i16", "i32"), _integer),
    **dict.fromkeys(("u64", "i64"), _wide),
    "f32": lambda value: float_text(4, value),
    "f64": lambda value: float_text(8, value),
    "timestamp": lambda value: f'"{timestamp_text(value)}"',
    "duration": lambda value: f'"{duration_text(value)}"',
    "uuid": lambda value: f'"{value}"',
    "str": quote,
    "bytes": lambda value: f'"{base64(_writer.raw(value))}"',
}


def _enum(kind: Type) -> Text:
    names = {number: quote(json) for _, number, json in kind.members}
    other = _wide if kind.width == 8 else _integer
    return lambda value: names.get(value) or other(value)


def key_of(kind: Type) -> Text:
    """The function that makes a key of an object of a map's key [JSON-4.6]."""
    if kind.kind == "str":
        return str
    if kind.kind == "bool":
        return _SCALARS["bool"]
    if kind.kind == "enum":
        names = {number: json for _, number, json in kind.members}
        return lambda value: names.get(value) or _integer(value)
    return _integer


def _record(kind: Type) -> Text:
    parts = [_member(field, i == 0) for i, field in enumerate(kind.fields)]
    if not kind.keep:
        return lambda value: "{" + "".join([head + inner(getattr(value, name)) for head, name, inner in parts]) + "}"

    def keeping(value: Any) -> str:
        texts = [head + inner(getattr(value, name)) for head, name, inner in parts]
        if value._unknown:
            texts.append(f'{"," if texts else ""}"$unknown":"{base64(_writer.raw(value._unknown))}"')
        return "{" + "".join(texts) + "}"

    return keeping


def _member(field: Field, first: bool) -> tuple[str, str, Text]:
    return ("" if first else ",") + quote(field.json) + ":", field.attribute, text_of(field.type)


def _union(kind: Type) -> Text:
    forms: dict[Any, Text] = {}
    for one in kind.alternatives:
        forms[one.cls] = _alternative("{" + quote(one.json) + ":", None if one.type is None else text_of(one.type), one.inline)

    def text(value: Any) -> str:
        form = forms.get(value.__class__)
        if form is not None:
            return form(value)
        return f'{{"$unknown":{{"tag":{value.tag},"payload":"{base64(_writer.raw(value.payload))}"}}}}'

    return text


def _alternative(head: str, inner: Text | None, inline: bool) -> Text:
    if inner is None:
        return lambda value: head + "null}"
    return (lambda value: f"{head}{inner(value)}}}") if inline else (lambda value: f"{head}{inner(value.value)}}}")
