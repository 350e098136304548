"""Options of clients, servers and requests, and their structs of the core."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

from . import _abi


def microseconds(seconds: float | None) -> int:
    """The core's number for a time: 0 stands for no limit there."""
    return 0 if seconds is None else max(1, int(seconds * 1e6))


class TLS(NamedTuple):
    """Paths of files in the form PEM, by which ``mxp+tls`` is spoken.

    ``authority`` has the trusted authorities, of servers or of clients. ``certificate`` and ``key`` are the own ones.
    """

    authority: str = ""
    certificate: str = ""
    key: str = ""

    def abi(self) -> Any:
        """The struct of the core."""
        size = ctypes.sizeof(_abi.TLSOptions)
        return _abi.TLSOptions(size, 0, _abi.text(self.authority), _abi.text(self.certificate), _abi.text(self.key))


class Retry(NamedTuple):
    """A policy by which calls and acknowledged events that end with Unavailable are made again, within their deadlines.

    That is safe where nobody has acted on them, or where their methods are ``@idempotent``. There are as many as ``attempts``, the first
    among them, with pauses that grow from ``least_pause`` to ``greatest_pause`` seconds. Each request allows ``budget`` repetitions,
    and a client saves up ten. ``timeout`` is the deadline of requests without one. An idempotent call that takes longer than ``hedge`` is
    made on another connection, too.
    """

    attempts: int = 3
    least_pause: float = 0.01
    greatest_pause: float = 1.0
    budget: float = 0.1
    timeout: float | None = None
    hedge: float | None = None

    def abi(self) -> Any:
        """The struct of the core."""
        if self.attempts < 1:
            raise ValueError(f"a request is made once at least, and not {self.attempts} times")
        return _abi.RetryOptions(
            ctypes.sizeof(_abi.RetryOptions),
            self.attempts,
            microseconds(self.least_pause),
            microseconds(self.greatest_pause),
            self.budget or -1.0,
            microseconds(self.timeout),
            microseconds(self.hedge),
        )


class WebSocket(NamedTuple):
    """The rules of ``mxp+ws`` and ``mxp+wss``.

    Clients show the token, and servers want it. Servers have the other rules: names of theirs beside loopback addresses, the pages that may
    connect, as ``https://studio.example``, and how many connections the pages of one origin have.
    """

    token: str = ""
    hosts: Sequence[str] = ()
    origins: Sequence[str] = ()
    origin_connections: int = 64

    def abi(self) -> Any:
        """The struct of the core."""
        hosts, origins = _abi.texts(self.hosts), _abi.texts(self.origins)
        size, token = ctypes.sizeof(_abi.WebSocketOptions), _abi.text(self.token)
        return _abi.WebSocketOptions(size, 0, token, hosts, len(hosts), origins, len(origins), self.origin_connections)


class Trace(NamedTuple):
    """The trace of a request, as W3C's traceparent has it: an id of 16 bytes, the span around the request, and flags."""

    id: bytes
    parent: int
    flags: int = 1


class RequestOptions(TypedDict, total=False):
    """The options of a request.

    ``deadline`` is in seconds from now on. ``event_id`` names a durable event of a publisher: one that is published again by the same id
    within ten minutes is kept once.
    """

    deadline: float | None
    metadata: Mapping[str, bytes]
    trace: Trace
    event_id: str


def pointer(given: TLS | Retry | WebSocket | None) -> Any:
    """The pointer to the struct of an option; None for no option."""
    return None if given is None else ctypes.pointer(given.abi())
