"""The C ABI of MXP's core, as mxp/c/include/mxp.h has it: structs, codes and functions."""

from __future__ import annotations

import ctypes
import os
import pathlib
import struct
import sys
from collections.abc import Sequence
from ctypes import POINTER, Structure, c_char_p, c_double, c_int32, c_int64, c_size_t, c_ssize_t, c_uint8, c_uint32, c_uint64, c_void_p
from typing import Any

ABI = 1

OK, WOULD_BLOCK, UNKNOWN_ID, BAD_STATE, CORE_CLOSED, CORE_FORKED, REFUSED = 0, 1, 7, 8, 9, 10, 11

TAG, CALL, EVENT, STREAM, GONE, CHUNK, END, CREDIT, OVER, LOG, STANDING, UNKNOWN = range(1, 13)
"""The kinds of completions."""

LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG = 1, 2, 3, 4

METHOD_CALL, METHOD_EVENT, METHOD_STREAM = 1, 2, 3
METHOD_IDEMPOTENT, METHOD_CONFIRM, METHOD_ONE_REQUEST, METHOD_ONE_RESPONSE = 1, 2, 4, 8
REQUEST_ACKED, REQUEST_END, REQUEST_TRACE = 1, 2, 4
SEND_LAST = 1
CLIENT_PUBLISHER = 1
START_NEW, START_FIRST, START_NUMBER, START_TIME = range(4)
SERVER_OTHER_USERS, SERVER_REFLECTION, SERVER_HEALTH, SERVER_UNKNOWN = 1, 2, 4, 8


class Text(Structure):
    """A text or bytes that are given."""

    _fields_ = [("data", c_char_p), ("length", c_size_t)]


class View(Structure):
    """A text or bytes that are borrowed."""

    _fields_ = [("data", c_void_p), ("length", c_size_t)]

    def bytes(self) -> bytes:
        """A copy."""
        return ctypes.string_at(self.data, self.length) if self.length else b""

    def text(self) -> str:
        """A copy as a text."""
        return self.bytes().decode()


class Pair(Structure):
    _fields_ = [("key", Text), ("value", Text)]


class Pairs(Structure):
    _fields_ = [("items", POINTER(Pair)), ("count", c_size_t)]


class Type(Structure):
    _fields_ = [("name", Text), ("fingerprints", POINTER(c_uint64)), ("count", c_size_t), ("layout", Text)]


class Method(Structure):
    _fields_ = [
        ("service", Text),
        ("name", Text),
        ("number", c_uint32),
        ("kind", c_uint32),
        ("flags", c_uint32),
        ("reserved", c_uint32),
        ("request", POINTER(Type)),
        ("response", POINTER(Type)),
    ]


class Service(Structure):
    _fields_ = [("name", Text), ("methods", POINTER(Method)), ("count", c_size_t)]


class TLSOptions(Structure):
    _fields_ = [("size", c_uint32), ("flags", c_uint32), ("authority", Text), ("certificate", Text), ("key", Text)]


class RetryOptions(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("attempts", c_uint32),
        ("least_pause_us", c_int64),
        ("greatest_pause_us", c_int64),
        ("budget", c_double),
        ("timeout_us", c_int64),
        ("hedge_us", c_int64),
    ]


class WebSocketOptions(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", c_uint32),
        ("token", Text),
        ("hosts", POINTER(Text)),
        ("host_count", c_size_t),
        ("origins", POINTER(Text)),
        ("origin_count", c_size_t),
        ("origin_connections", c_uint64),
    ]


class CoreOptions(Structure):
    _fields_ = [("size", c_uint32), ("flags", c_uint32), ("stuck_us", c_int64), ("log_level", c_uint32), ("reserved", c_uint32)]


class ClientOptions(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", c_uint32),
        ("addresses", POINTER(Text)),
        ("address_count", c_size_t),
        ("services", POINTER(Service)),
        ("service_count", c_size_t),
        ("tls", POINTER(TLSOptions)),
        ("connect_timeout_us", c_int64),
        ("memory_bytes", c_uint64),
        ("connections", c_uint32),
        ("waiting", c_uint32),
        ("retry", POINTER(RetryOptions)),
        ("websocket", POINTER(WebSocketOptions)),
        ("node", Text),
    ]


class ServerOptions(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", c_uint32),
        ("label", c_uint64),
        ("tls", POINTER(TLSOptions)),
        ("memory_bytes", c_uint64),
        ("connections", c_uint64),
        ("websocket", POINTER(WebSocketOptions)),
    ]


class RequestOptions(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", c_uint32),
        ("timeout_us", c_int64),
        ("metadata", POINTER(Pairs)),
        ("trace_id", c_uint8 * 16),
        ("trace_parent", c_uint64),
        ("trace_flags", c_uint32),
        ("when_full", c_uint32),
        ("event_id", Text),
    ]


class AnnounceOptions(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", c_uint32),
        ("label", c_uint64),
        ("name", Text),
        ("capabilities", POINTER(Text)),
        ("capability_count", c_size_t),
        ("services", POINTER(Text)),
        ("service_count", c_size_t),
        ("addresses", POINTER(Text)),
        ("address_count", c_size_t),
        ("lease_us", c_int64),
        ("node", Text),
        ("tls", POINTER(TLSOptions)),
    ]


class AgentQuery(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", c_uint32),
        ("name", Text),
        ("capability", Text),
        ("service", Text),
        ("version", c_uint64),
        ("timeout_us", c_int64),
    ]


class SubscribeOptions(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", c_uint32),
        ("label", c_uint64),
        ("node", Text),
        ("tls", POINTER(TLSOptions)),
        ("consumer", Text),
        ("start_at", c_uint64),
        ("start", c_uint32),
        ("unsettled", c_uint32),
        ("deliveries", c_uint32),
        ("reserved", c_uint32),
    ]


class Failure(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("status", c_uint32),
        ("acted", c_uint32),
        ("reserved", c_uint32),
        ("name", View),
        ("text", View),
        ("details", View),
        ("owner", c_void_p),
    ]


class ViewPair(Structure):
    _fields_ = [("key", View), ("value", View)]


class ViewPairs(Structure):
    _fields_ = [("items", POINTER(ViewPair)), ("count", c_size_t)]


class More(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("acted", c_uint32),
        ("name", View),
        ("text", View),
        ("details", View),
        ("peer", View),
        ("metadata", ViewPairs),
        ("timeout_us", c_int64),
        ("trace_id", c_uint8 * 16),
        ("trace_parent", c_uint64),
        ("trace_flags", c_uint32),
        ("has_trace", c_uint32),
        ("epoch", c_uint64),
        ("event_number", c_uint64),
        ("event_at_ns", c_int64),
        ("events_dropped", c_uint64),
        ("deliveries", c_uint32),
        ("has_delivery", c_uint32),
    ]


class Done(Structure):
    """A completion."""

    _fields_ = [
        ("kind", c_uint32),
        ("status", c_uint32),
        ("tag", c_uint64),
        ("id", c_uint64),
        ("service", c_uint32),
        ("method", c_uint32),
        ("value", View),
        ("more", POINTER(More)),
        ("owner", c_void_p),
    ]


DONE_FORM = struct.Struct("@IIQQIIPNPP")
"""All fields of ``Done``, as the module ``struct`` reads them."""

MORE_FORM = struct.Struct("@II" + 5 * "PN" + "q16sQIIQQqQII")
"""All fields of ``More``."""


def more_of(done: Done) -> bytes:
    """The bytes of what a completion has more, of which an older library has written fewer."""
    data = ctypes.string_at(done.more, min(done.more.contents.size, MORE_FORM.size))
    return data.ljust(MORE_FORM.size, b"\0")


def text(value: str | bytes) -> Text:
    """A text of UTF-8, or bytes."""
    data = value.encode() if isinstance(value, str) else value
    return Text(data, len(data))


def texts(values: Sequence[str]) -> Any:
    """An array of texts."""
    return (Text * len(values))(*(text(value) for value in values))


def pairs(items: dict[str, bytes]) -> Any:
    """Metadata, with all that it points at."""
    array = (Pair * len(items))(*(Pair(text(key), text(value)) for key, value in items.items()))
    return Pairs(array, len(items))


FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "abi": (c_uint32, []),
    "code_name": (View, [c_int32]),
    "core_new": (c_int32, [POINTER(CoreOptions), POINTER(c_void_p), POINTER(Failure)]),
    "core_waitable": (c_ssize_t, [c_void_p]),
    "core_close": (c_int32, [c_void_p, c_int64, c_uint64]),
    "take": (c_size_t, [c_void_p, POINTER(Done), c_size_t, c_int64]),
    "release": (None, [c_void_p]),
    "client_new": (c_uint64, [c_void_p, POINTER(ClientOptions), POINTER(Failure)]),
    "client_close": (c_int32, [c_void_p, c_uint64, c_uint64]),
    "find_agents": (c_int32, [c_void_p, c_uint64, POINTER(AgentQuery), c_uint64]),
    "call": (c_int32, [c_void_p, c_uint64, POINTER(Method), Text, POINTER(RequestOptions), c_uint64]),
    "event": (c_int32, [c_void_p, c_uint64, POINTER(Method), Text, POINTER(RequestOptions), c_uint64]),
    "open": (c_int32, [c_void_p, c_uint64, POINTER(Method), Text, POINTER(RequestOptions), c_uint64]),
    "cancel": (c_int32, [c_void_p, c_uint64]),
    "send": (c_int32, [c_void_p, c_uint64, Text, c_uint32]),
    "end": (c_int32, [c_void_p, c_uint64]),
    "reset": (c_int32, [c_void_p, c_uint64]),
    "server_new": (c_uint64, [c_void_p, POINTER(Service), c_size_t, POINTER(ServerOptions), POINTER(Failure)]),
    "listen": (c_int32, [c_void_p, c_uint64, Text, c_uint64]),
    "respond": (c_int32, [c_void_p, c_uint64, Text, POINTER(Pairs)]),
    "fail": (c_int32, [c_void_p, c_uint64, POINTER(Failure)]),
    "announce": (c_uint64, [c_void_p, POINTER(AnnounceOptions), POINTER(Failure)]),
    "subscribe": (c_uint64, [c_void_p, POINTER(Service), c_size_t, POINTER(SubscribeOptions), POINTER(Failure)]),
    "withdraw": (c_int32, [c_void_p, c_uint64, c_uint64]),
    "drain": (c_int32, [c_void_p, c_uint64, Text, c_uint64]),
}

LIBRARY = "MXP_LIBRARY"
"""The variable with the path of the core's library, where that is not beside this file."""


class Library:
    """The functions of the core, by their names without ``mxp_``."""

    def __init__(self, path: str) -> None:
        loaded = ctypes.CDLL(path)
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(loaded, "mxp_" + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
        if self.abi() != ABI:
            raise ImportError(f"{path} has version {self.abi()} of the interface, and this release needs {ABI}")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the core has no function mxp_{name}")


def load() -> Library:
    """The library of the core."""
    named = os.environ.get(LIBRARY)
    name = {"darwin": "libmxp_c.dylib", "win32": "mxp_c.dll"}.get(sys.platform, "libmxp_c.so")
    path = pathlib.Path(named) if named else pathlib.Path(__file__).with_name(name)
    if not path.exists():
        raise ImportError(f"the core's library is not at {path}: build it by `cargo build --release -p mxp-c`, and name it by {LIBRARY}")
    return Library(str(path))
