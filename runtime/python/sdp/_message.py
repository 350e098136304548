"""Message mode: a header of ten bytes in front of a value, and streams of such messages."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Any

from . import _codec
from ._codec import Buffer, Limits
from ._comparison import difference
from ._error import DecodeError, EncodeError
from ._layout import layout_of
from ._spec import HEADER_BYTES, LAYOUT_TEXT_BYTES
from ._type import Type

MAGIC, VERSION, PREAMBLE = b"SDP", ord("2"), ord("S")

_head = struct.Struct("<4sHI")


def encode_message(kind: Type, value: Any) -> bytes:
    """Encodes a value behind a header [WIRE-10.1]."""
    number = id_of(kind)
    payload = _codec.encode(kind, value)
    if len(payload) >= 1 << 32:
        raise EncodeError("value_too_large", detail=f"expected {(1 << 32) - 1} bytes at most, got {len(payload)}")
    return _head.pack(b"SDP2", number, len(payload)) + payload


def encode_preamble(kind: Type) -> bytes:
    """The header and the layout text of a preamble."""
    text = layout_of(kind).encode()
    return _head.pack(b"SDPS", id_of(kind), len(text)) + text


def id_of(kind: Type) -> int:
    """The type id of a type that has one."""
    number: int | None = kind.cls._id
    if number is None:
        raise TypeError(f"{kind.cls.__name__} has no type id: give it one by @id in the schema")
    return number


def decode_message(kind: Type, data: Buffer, limits: Limits | None) -> Any:
    """Decodes a message that must be of a type [WIRE-10.5]."""
    return _message({id_of(kind): kind}, data, limits, "type_id_mismatch")


def dispatch(types: Mapping[int, Type], data: Buffer, limits: Limits | None) -> Any:
    """Decodes a message of any of some types [WIRE-10.6]."""
    return _message(types, data, limits, "type_id_unknown")


def _message(types: Mapping[int, Type], data: Buffer, limits: Limits | None, other: str) -> Any:
    limits = limits or _codec.DEFAULTS
    data = data if type(data) is bytes else bytes(memoryview(data))
    number, size = header(data)
    kind = types.get(number)
    if kind is None:
        raise DecodeError(other, 4, detail=f"got the type id {number}")
    if size > limits.message_bytes:
        raise DecodeError("limit_message_bytes", 6, detail=f"expected {limits.message_bytes} bytes at most, got {size}")
    end = HEADER_BYTES + size
    if end > len(data):
        raise DecodeError("payload_length", 6, detail=f"expected {size} bytes, {len(data) - HEADER_BYTES} are there")
    value, _ = _codec.decode_window(kind, data, HEADER_BYTES, end, False, limits, False)
    if end < len(data):
        raise DecodeError("trailing_bytes", end)
    return value


def header(data: bytes, versions: tuple[int, ...] = (VERSION,)) -> tuple[int, int]:
    """The type id and the length of a header, whose bytes may be too few [WIRE-10.2] to [WIRE-10.4]."""
    if data[:3] != MAGIC[: len(data)]:
        raise DecodeError("magic_invalid", 0)
    if len(data) > 3 and data[3] not in versions:
        raise DecodeError("version_unsupported", 3)
    if len(data) < HEADER_BYTES:
        raise DecodeError("truncated", 0 if len(data) < 4 else 4 if len(data) < 6 else 6)
    _, number, size = _head.unpack_from(data)
    return number, size


class MessageReader:
    """Reads messages, one behind another, of a source: a binary file, or an iterable of bytes.

    A message whose type id no type has raises ``DecodeError`` with ``type_id_unknown``, and the next read reads the next message. Any
    other refusal ends the stream [WIRE-11.5].
    """

    def __init__(self, source: Any, types: Mapping[int, Type], limits: Limits | None) -> None:
        self._source = _Source(source)
        self._types = types
        self._limits = limits or _codec.DEFAULTS
        self._refusal: DecodeError | None = None

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._refusal is not None:
            raise self._refusal
        try:
            while True:
                found = self._next()
                if found is not None:
                    return found[0]
        except DecodeError as error:
            if error.code != "type_id_unknown":
                self._refusal = error
            raise

    def _next(self) -> tuple[Any] | None:
        """Reads a message, or a preamble, of which there is nothing to return."""
        data = self._source.take(HEADER_BYTES)
        if not data:
            raise StopIteration
        number, size = header(data, (VERSION, PREAMBLE))
        preamble = data[3] == PREAMBLE
        kind = self._types.get(number)
        if kind is None:
            self._skip(size)
            if preamble:
                return None
            raise DecodeError("type_id_unknown", 4, detail=f"got the type id {number}")
        limit = min(self._limits.message_bytes, LAYOUT_TEXT_BYTES) if preamble else self._limits.message_bytes
        if size > limit:
            raise DecodeError("limit_message_bytes", 6, detail=f"expected {limit} bytes at most, got {size}")
        payload = self._source.take(size)
        if len(payload) < size:
            raise DecodeError("truncated", 6, detail=f"the source ends behind {len(payload)} of {size} bytes")
        if preamble:
            _compare(kind, payload)
            return None
        return (_codec.decode_window(kind, data + payload, HEADER_BYTES, HEADER_BYTES + size, False, self._limits, False)[0],)

    def _skip(self, size: int) -> None:
        while size > 0:
            part = len(self._source.take(min(size, 1 << 16)))
            if part == 0:
                raise DecodeError("truncated", 6)
            size -= part


def _compare(kind: Type, payload: bytes) -> None:
    """Refuses the layout text of a writer whose bytes the type does not read [WIRE-11.9]."""
    if not payload.startswith(b"0 ") or any(byte != 10 and not 32 <= byte <= 126 for byte in payload):
        raise DecodeError("layout_mismatch", HEADER_BYTES, detail="the preamble has no layout text")
    found = difference(layout_of(kind), payload.decode())
    if found:
        path, _, detail = found.partition(":")
        raise DecodeError("layout_mismatch", HEADER_BYTES, path, detail.strip())


class _Source:
    """Bytes that come in pieces of any length."""

    def __init__(self, source: Any) -> None:
        self._read = source.read if hasattr(source, "read") else None
        self._pieces = None if self._read else iter(source)
        self._buffer = bytearray()

    def take(self, size: int) -> bytes:
        """Takes so many bytes, or all that there are before the end."""
        while len(self._buffer) < size:
            piece = self._piece(min(size - len(self._buffer), 1 << 20))
            if not piece:
                break
            self._buffer += piece
        made = bytes(self._buffer[:size])
        del self._buffer[:size]
        return made

    def _piece(self, size: int) -> bytes:
        if self._read is not None:
            piece: bytes = self._read(size)
            return piece
        assert self._pieces is not None
        return next((piece for piece in self._pieces if piece), b"")
