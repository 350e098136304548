"""Generated classes as types of fields of pydantic's models. Nothing here is imported unless pydantic asks for it."""

from __future__ import annotations

import enum
import functools
import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from . import _codec, _json_read, _json_write, _text
from ._enum import ClosedEnum, OpenEnum
from ._error import JSONError
from ._text import duration_text, float_text, timestamp_text
from ._time import Duration, Timestamp
from ._type import Type
from ._value import _Value, type_of


def core_schema(cls: type[_Value]) -> Any:
    """How pydantic validates a class: a value of it is taken, and JSON or a dict is read. It dumps the form of JSON."""
    from pydantic_core import core_schema as schemas  # type: ignore[import-not-found, unused-ignore]

    write = schemas.plain_serializer_function_ser_schema(_form)
    return schemas.no_info_plain_validator_function(functools.partial(_validate, cls), serialization=write)


def json_schema(cls: type[_Value]) -> dict[str, Any]:
    """The title and description of a class for OpenAPI. `sdp export json-schema` writes all of its schema."""
    shown = {"title": cls.__name__, "description": (inspect.getdoc(cls) or "").partition("\n")[0]}
    return shown if type_of(cls).kind == "union" else shown | {"type": "object"}


def _validate(cls: type[_Value], value: Any) -> Any:
    kind = type_of(cls)
    if not isinstance(value, cls):
        value = _read(kind, value if isinstance(value, (str, bytes)) else json.dumps(_forms(kind, value)))
    _codec.validate(kind, value)
    return value


def _read(kind: Type, text: str | bytes) -> Any:
    try:
        return _json_read.from_json(kind, text)
    except JSONError as error:
        raise JSONError(error.code, -1, error.path, error.detail) from None  # offsets are those of no text that anybody has


def _form(value: _Value) -> Any:
    return json.loads(_json_write.to_json(type_of(type(value)), value), parse_int=_integer)


def _integer(text: str) -> float:
    return -0.0 if text == "-0" else int(text)


def _forms(kind: Type, value: Any) -> Any:
    """A value within a dict as JSON has it. What is of no such type stays, for the reader of JSON to refuse."""
    if kind.kind == "opt":
        return None if value is None else _forms(kind.element, value)
    if isinstance(value, _Value):
        return _form(value)
    if isinstance(value, Mapping):
        if kind.kind == "map":
            return {_key(kind.key, key): _forms(kind.element, part) for key, part in value.items()}
        parts = {field.json: field.type for field in kind.fields} | {
            one.json: one.type for one in kind.alternatives if one.type is not None
        }
        return {name: _forms(parts[name], part) if name in parts else part for name, part in value.items()}
    if kind.kind in ("list", "array") and isinstance(value, (list, tuple, bytes)):
        return [_forms(kind.element, part) for part in value]
    for cls, text in _TEXTS.items():
        if isinstance(value, cls):
            return text(value)
    if isinstance(value, float) and value - value != 0:
        return json.loads(float_text(8, value))
    return value


def _key(kind: Type, key: Any) -> str:
    form = _forms(kind, key)
    return form if isinstance(form, str) else json.dumps(form)


def _member(member: enum.IntEnum) -> Any:
    """The name of a member in JSON, or the number that has none."""
    cls: Any = type(member)
    kind = cls._package.types()[f"{cls._package.name}.{cls._name}"]
    return next((name for _, number, name in kind.members if number == member), int(member))


_TEXTS: dict[type, Callable[[Any], Any]] = {
    Timestamp: timestamp_text,
    Duration: duration_text,
    UUID: str,
    bytes: _text.base64,
    OpenEnum: _member,
    ClosedEnum: _member,
}
