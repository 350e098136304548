"""Clients for threads: the asynchronous client, in an event loop that has a thread of its own."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import os
import sys
import threading
import weakref
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, ClassVar, Generic, Self, TypeVar, Unpack

from . import _abi
from ._client import PUBLISHER, Client, ClientOptions
from ._core import Core
from ._failure import CANCELLED, Failure
from ._method import BIDI_STREAM, CALL, CLIENT_STREAM, EVENT, SERVER_STREAM, Method, ServiceTable
from ._options import RequestOptions
from ._stream import BidiStream, Channel, ClientStream, ServerStream, Stream, decoded

Q = TypeVar("Q")
A = TypeVar("A")
R = TypeVar("R")
Running = set["concurrent.futures.Future[Any]"]

INTERRUPT_SECONDS = 0.1
"""The time until a wait on Windows sees Ctrl-C, which interrupts none there."""


def awaited(future: concurrent.futures.Future[R]) -> R:
    """The result of a future. A signal interrupts the wait."""
    while sys.platform == "win32" and not future.done():
        with contextlib.suppress(TimeoutError):
            return future.result(INTERRUPT_SECONDS)
    return future.result()


class LoopThread:
    """The event loop of all blocking clients of a process, and its thread. They and their core live as long as the process."""

    _lock = threading.Lock()
    _found: ClassVar[LoopThread | None] = None

    def __init__(self) -> None:
        Core.load()
        self._process = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="mxp-blocking", daemon=True)
        self._thread.start()
        self._core = asyncio.run_coroutine_threadsafe(self._held(), self._loop).result()

    async def _held(self) -> Core:
        return Core.acquire()

    @classmethod
    def find(cls) -> LoopThread:
        """The thread of this process."""
        with cls._lock:
            if cls._found is None:
                cls._found = cls()
            return cls._found

    @classmethod
    def forget(cls) -> None:
        """Leaves the thread to the parent of a fork."""
        _parents.append(cls._found)
        cls._lock, cls._found = threading.Lock(), None

    def check(self) -> None:
        """Refuses a fork, and the thread of the loop, which would wait for itself."""
        if self._process != os.getpid():
            self._core.check(_abi.CORE_FORKED)
        if threading.get_ident() == self._thread.ident:
            raise RuntimeError("a blocking client is called by an interceptor, or by the event loop of blocking clients")

    def run(self, work: Coroutine[Any, Any, R], running: Running) -> R:
        """Waits for the result of a coroutine. A wait that is interrupted cancels it."""
        try:
            self.check()
        except BaseException:
            work.close()
            raise
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        running.add(future)
        try:
            return awaited(future)
        except concurrent.futures.CancelledError:
            raise Failure(CANCELLED, "cancelled", "the client was closed") from None
        finally:
            running.discard(future)
            future.cancel()

    def begin(self, action: Any) -> None:
        """Runs a function, and does not wait for it."""
        self.check()
        self._loop.call_soon_threadsafe(action)


_parents: list[LoopThread | None] = []
"""The threads of parents, in a fork. Their loops are kept: the end of a loop would take descriptors away from the parent's."""

if sys.platform != "win32":
    os.register_at_fork(after_in_child=LoopThread.forget)


class BlockingClient:
    """A client of services for threads; generated classes have its methods.

    It is as ``Client``, and its methods wait for their results. Several threads may use it. ``close``, or the end of its context, cancels
    what other threads wait for. Interceptors are those of ``Client``, and run in the event loop of blocking clients.
    """

    _tables: tuple[ServiceTable, ...] = ()

    def __init__(self, *addresses: str, **options: Unpack[ClientOptions]) -> None:
        self._client = Client(*addresses, **options)
        self._client._tables = self._tables
        self._running: Running = set()
        self._streams: weakref.WeakSet[Stream] = weakref.WeakSet()
        self._is_closed = False
        for table in self._tables:
            for method in table.methods.values():
                setattr(self, method.attribute, _METHODS[method.kind](self, method))
        self._thread = LoopThread.find()
        self._run(self._client.connect())

    @classmethod
    def publisher(cls, **options: Unpack[ClientOptions]) -> Self:
        """A client whose events go to all who subscribe to them, by the node of the program. With ``acked`` they are durable."""
        return cls(PUBLISHER, **options)

    def _run(self, work: Coroutine[Any, Any, R]) -> R:
        if self._is_closed:
            work.close()
            raise RuntimeError("the client is closed")
        return self._thread.run(work, self._running)

    def close(self) -> None:
        """Closes the client, and cancels its requests."""
        if not self._is_closed:
            self._is_closed = True
            for future in tuple(self._running):
                future.cancel()
            self._thread.run(self._end(), set())

    async def _end(self) -> None:
        for stream in self._streams:
            stream.close()
        await self._client._end()

    async def _opened(self, stream: Stream) -> Channel:
        self._streams.add(stream)
        return await stream.opened()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()


class _BlockingMethod:
    """A method of a blocking client."""

    def __init__(self, client: BlockingClient, method: Method) -> None:
        self._client = client
        self._method = method

    def __repr__(self) -> str:
        return f"<blocking method {self._method.path}>"

    def _opening(self, request: Any, options: RequestOptions) -> Any:
        return lambda: self._client._client._open(self._method, request, options)


class CallMethod(_BlockingMethod, Generic[Q, A]):
    """Asks for an answer, and waits for it."""

    def __call__(self, request: Q, **options: Unpack[RequestOptions]) -> A:
        answer: A = self._client._run(self._client._client._call(self._method, request, self._method.response, options))
        return answer


class EventMethod(_BlockingMethod, Generic[Q]):
    """Tells an event. With ``acked``, it waits until the peer has taken it."""

    def __call__(self, request: Q, *, acked: bool = False, **options: Unpack[RequestOptions]) -> None:
        self._client._run(self._client._client._event(self._method, request, acked, options))


class ServerStreamMethod(_BlockingMethod, Generic[Q, A]):
    """Asks for a stream of answers."""

    def __call__(self, request: Q, **options: Unpack[RequestOptions]) -> BlockingServerStream[A]:
        return BlockingServerStream(self._client, ServerStream(self._opening(request, options), self._method.response))


class ClientStreamMethod(_BlockingMethod, Generic[Q, A]):
    """Sends a stream of requests for an answer."""

    def __call__(self, **options: Unpack[RequestOptions]) -> BlockingClientStream[Q, A]:
        return BlockingClientStream(self._client, ClientStream(self._opening(None, options), self._method.response))


class BidiStreamMethod(_BlockingMethod, Generic[Q, A]):
    """Streams both ways."""

    def __call__(self, **options: Unpack[RequestOptions]) -> BlockingBidiStream[Q, A]:
        return BlockingBidiStream(self._client, BidiStream(self._opening(None, options), self._method.response))


_METHODS: dict[int, Any] = {
    CALL: CallMethod,
    EVENT: EventMethod,
    SERVER_STREAM: ServerStreamMethod,
    CLIENT_STREAM: ClientStreamMethod,
    BIDI_STREAM: BidiStreamMethod,
}


class _BlockingStream:
    """The common part of blocking streams: a context that cancels the stream where it is left early."""

    def __init__(self, client: BlockingClient, stream: Stream) -> None:
        self._client = client
        self._stream = stream

    def _channel(self) -> Channel:
        channel = self._stream.channel
        return self._client._run(self._client._opened(self._stream)) if channel is None else channel

    def _receive(self) -> bytes | None:
        """The next chunk, which this thread takes where it is there."""
        channel = self._channel()
        while (chunk := channel.take()) is None and self._client._run(channel.ready()):
            pass
        return chunk

    def _send(self, chunk: bytes) -> None:
        channel = self._channel()
        self._client._thread.check()
        if not channel.offer(chunk):
            self._client._run(channel.send(chunk))

    def __enter__(self) -> Self:
        self._channel()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the stream. Where it was not over, it is cancelled."""
        self._client._thread.begin(self._stream.close)


class BlockingServerStream(_BlockingStream, Generic[A]):
    """A stream of responses: ``for`` reads it. Where the loop is left early, ``close`` or a context cancels the stream."""

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> A:
        data = self._receive()
        if data is None:
            raise StopIteration
        value: A = decoded(self._stream.response, data)
        return value


class BlockingClientStream(_BlockingStream, Generic[Q, A]):
    """A stream of requests that has one response."""

    def send(self, request: Q) -> None:
        """Sends a request, as soon as there is credit."""
        self._send(request.encode())  # type: ignore[attr-defined]

    def finish(self) -> A:
        """Ends the requests, and waits for the response."""
        stream: Any = self._stream
        answer: A = self._client._run(stream.finish())
        return answer


class BlockingBidiStream(BlockingServerStream[A], Generic[Q, A]):
    """A stream of requests and responses: ``for`` reads the responses. One thread may send while another one reads."""

    def send(self, request: Q) -> None:
        """Sends a request, as soon as there is credit."""
        self._send(request.encode())  # type: ignore[attr-defined]

    def finish(self) -> None:
        """Ends the requests."""
        stream: Any = self._stream
        self._client._run(stream.finish())

    def receive(self) -> A | None:
        """The next response; None behind the last one."""
        return next(self, None)
