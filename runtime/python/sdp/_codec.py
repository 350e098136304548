"""Encoding and decoding in byte mode: fast code first, and a walk that names the refusal where that says no."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import _check, _native, _reader, _spec, _walk, _writer
from ._error import DecodeError, EncodeError, Refused
from ._type import Type

Buffer = bytes | bytearray | memoryview
"""Bytes in memory."""


class Limits(NamedTuple):
    """The budgets of one decode. All are upper bounds that are still accepted."""

    message_bytes: int = _spec.LIMIT_MESSAGE_BYTES
    elements: int = _spec.LIMIT_ELEMENTS
    depth: int = _spec.LIMIT_DEPTH
    memory_bytes: int = _spec.LIMIT_MEMORY_BYTES


DEFAULTS = Limits()

STACK = "the interpreter's stack is used up: see sys.setrecursionlimit"

NO = (Refused, ValueError, LookupError, TypeError, ArithmeticError, AttributeError, _reader.struct_error)
"""The errors by which fast code refuses."""


def decode(kind: Type, data: Buffer, exact: bool, limits: Limits | None, arrays: str = "") -> Any:
    """Decodes a slice that holds one value, with lists of numbers as arrays of a kind of ``_reader.ARRAYS``, if there is one."""
    if arrays and arrays not in _reader.ARRAYS:
        raise ValueError(f"expected arrays to be one of {', '.join(_reader.ARRAYS)}, got {arrays!r}")
    limits = limits or DEFAULTS
    data = taken(data, limits)
    return decode_window(kind, data, 0, len(data), exact, limits, False, arrays)[0]


def decode_prefix(kind: Type, data: Buffer, limits: Limits | None) -> tuple[Any, int]:
    """Decodes a value at the start of a slice, and returns how many bytes it took [WIRE-2.4]."""
    limits = limits or DEFAULTS
    data = taken(data, limits)
    return decode_window(kind, data, 0, len(data), False, limits, True)


def taken(data: Buffer, limits: Limits) -> bytes:
    """The bytes of a buffer, unless they are too many [WIRE-2.2]."""
    size = data.nbytes if isinstance(data, memoryview) else len(data)
    if size > limits.message_bytes:
        raise DecodeError("limit_message_bytes", 0)
    return data if type(data) is bytes else bytes(memoryview(data))


def decode_window(
    kind: Type, data: bytes, offset: int, end: int, exact: bool, limits: Limits, prefix: bool, arrays: str = ""
) -> tuple[Any, int]:
    """Decodes the bytes from offset to end. Offsets of refusals count from the start of data."""
    if exact or _walk.comes_first(kind, end - offset, limits):
        _walk.refuse(kind, data, offset, end, limits, exact, prefix)
    try:
        value, at = _read(kind, data, offset, end, limits, arrays)
        if at == end or prefix:
            return value, at - offset
    except RecursionError:
        raise DecodeError("limit_depth", offset, detail=STACK) from None
    except NO:
        pass
    _walk.refuse(kind, data, offset, end, limits, exact, prefix)
    raise AssertionError("sdp: the reader refuses what the walk accepts")


def _read(kind: Type, data: bytes, offset: int, end: int, limits: Limits, arrays: str) -> tuple[Any, int]:
    """Reads a value by the native engine, or by Python code where there is none."""
    if kind.native is None or limits.depth > _native.LEVELS or arrays:
        read = kind.cache.get("read" + arrays) or _reader.make(kind, arrays)
        found: tuple[Any, int] = read(data, offset, end, 1, [limits.elements, limits.memory_bytes, limits.depth])
        return found
    native: tuple[Any, int] | None = kind.native.decode_window(data, offset, end, limits.elements, limits.memory_bytes, limits.depth)
    if native is None:
        raise Refused
    return native


def encode(kind: Type, value: Any) -> bytes:
    """Encodes a value in byte mode, or raises the refusal that a visit of it finds."""
    data: bytes | None = None if kind.native is None else kind.native.encode(value)
    return write(kind, value) if data is None else data


def write(kind: Type, value: Any) -> bytes:
    """Encodes a value by Python code."""
    out: list[bytes] = []
    try:
        (kind.cache.get("write") or _writer.make(kind))(value, out.append, 1)
    except NO:
        _check.refuse(kind, value)
        raise
    return b"".join(out)


def encode_into(kind: Type, value: Any, buffer: bytearray | memoryview) -> int:
    """Encodes a value into a buffer of fixed size [WIRE-9.6]."""
    made = encode(kind, value)
    view = memoryview(buffer).cast("B")
    if len(view) < len(made):
        raise EncodeError("buffer_too_small", detail=f"expected room for {len(made)} bytes, got {len(view)}")
    view[: len(made)] = made
    return len(made)


def validate(kind: Type, value: Any) -> None:
    """Refuses a value that has no encoding."""
    _check.refuse(kind, value)
