"""The native engine: an extension module that reads and writes values of generated classes, where it is installed."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable
from typing import Any, NamedTuple
from uuid import UUID, SafeUUID

from . import _reader, _spec, _walk
from ._time import Duration, Timestamp
from ._type import CODES, Type, nested_least

CONTRACT = 1
"""The form of programs. An engine with another one is left alone."""

MOST = _spec.LIMIT_MEMORY_BYTES // (2 * _walk.TEXT_COST)
"""The most bytes whose texts keep the default limits, whatever they hold."""

LEVELS = 200
"""The most levels that the engine goes down: it recurses on the stack of its thread."""

_SCALARS = {kind: index for index, kind in enumerate(CODES)}
_TEXT, _BYTES, _LIST, _ARRAY, _MAP, _OPTIONAL, _BLOCK = range(len(CODES), len(CODES) + 7)
_STRUCT, _MESSAGE, _UNION, _ENUM = range(4)

_CONSTANTS = (int, float, str, bytes, UUID, type(None))


def _load() -> Any:
    """The extension module, if it is installed, of this release, and wanted."""
    wanted = os.environ.get("SDP_ENGINE")
    if wanted == "python":
        return None
    try:
        import serial_data_protocol_native as module  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        if wanted == "native":
            raise
        return None
    if module.CONTRACT == CONTRACT:
        return module
    if wanted == "native":
        raise ImportError(f"the native engine takes programs of form {module.CONTRACT}, and this runtime makes form {CONTRACT}")
    return None


module: Any = _load()


class Functions(NamedTuple):
    """The functions of a type. Each returns None for bytes and values that it does not take."""

    decode: Callable[[bytes], Any]
    """Decodes bytes that hold one value, within the default limits."""
    decode_window: Callable[[bytes, int, int, int, int, int], tuple[Any, int] | None]
    """Decodes a value at the start of a window, within budgets of elements, bytes of memory and levels."""
    encode: Callable[[Any], bytes | None]
    columns: Callable[[bytes, int, int, int, int, int, tuple[int, ...]], Any]
    """The rows at a path of fields as columns."""


def bind(blocks: list[Type]) -> None:
    """Gives the types of a package their functions, where there is an engine that takes the types."""
    program = None if module is None else module.compile(_program(blocks))
    for block, functions in zip(blocks, program or (), strict=program is not None):
        if block.is_aggregate() and block.height <= _spec.LIMIT_DEPTH:
            block.native = Functions(*functions)


def _program(blocks: list[Type]) -> tuple[Any, ...]:
    for index, block in enumerate(blocks):
        block.index = index
    budgets = (_spec.LIMIT_ELEMENTS, _spec.LIMIT_MEMORY_BYTES, _spec.LIMIT_DEPTH)
    parts = tuple(_block(block) for block in blocks)
    return (parts, Timestamp, Duration, UUID, ("int", "is_safe"), SafeUUID.unknown, budgets, MOST, _spec.LIMIT_DEPTH, array)


def _block(block: Type) -> tuple[Any, ...]:
    if block.kind == "enum":
        return (
            _ENUM,
            _SCALARS[block.base],
            block.closed,
            block.cls,
            tuple((number, block.numbers[number]) for _, number, _ in block.members),
        )
    if block.kind == "union":
        alternatives = tuple(_alternative(part) for part in sorted(block.alternatives, key=lambda part: part.tag))
        unknown = None if block.closed else block.cls._alternatives[0]
        return (_UNION, block.closed, alternatives, unknown, ("tag", "payload"))
    segments: list[list[Any]] = [[] for _ in range(max((field.segment for field in block.fields), default=1))]
    for field in block.fields:
        segments[field.segment - 1].append((_kind(field.type), *_default(field)))
    slots = tuple(field.attribute for field in block.fields) + (("_unknown",) if block.keep else ())
    form = _MESSAGE if block.kind == "message" else _STRUCT
    return (form, block.cls, slots, not _plain(block), block.keep, tuple(tuple(fields) for fields in segments))


def _alternative(part: Any) -> tuple[Any, ...]:
    if part.type is None:
        return (part.tag, part.cls, (), False, None, False)
    slots = tuple(field.attribute for field in part.type.fields) if part.inline else ("value",)
    return (part.tag, part.cls, slots, not _plain(part.type), _kind(part.type), part.inline)


def _default(field: Any) -> tuple[bool, Any]:
    """Whether the default of a field is a constant, and it, or the function that makes it."""
    if field.default is None:
        return True, None
    value = field.default()
    return (True, value) if isinstance(value, _CONSTANTS) else (False, field.default)


def _kind(kind: Type) -> tuple[Any, ...]:
    if kind.is_aggregate() or kind.kind == "enum":
        return (_BLOCK, kind.index)
    if kind.kind in _SCALARS:
        return (_SCALARS[kind.kind],)
    if kind.kind in ("str", "bytes"):
        return (_TEXT if kind.kind == "str" else _BYTES, kind.width, kind.max, 0, 0)
    if kind.kind == "list":
        return (_LIST, kind.width, kind.max, nested_least(kind.element), _reader.element_cost(kind), _kind(kind.element))
    if kind.kind == "array":
        return (_ARRAY, kind.count, _kind(kind.element))
    if kind.kind == "opt":
        return (_OPTIONAL, _kind(kind.element))
    least = nested_least(kind.key) + nested_least(kind.element)
    return (_MAP, kind.width, kind.max, least, _reader.element_cost(kind), _kind(kind.key), _kind(kind.element))


def _plain(kind: Type) -> bool:
    """Whether values hold nothing that can lead back to them, so that the collector need not look at them."""
    if kind.cyclic or kind.kind in ("list", "array", "map"):
        return kind.kind == "array" and kind.element.kind == "u8"
    return all(_plain(part) for part in kind.parts())
