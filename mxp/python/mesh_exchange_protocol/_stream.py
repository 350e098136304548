"""Streams: values in both directions, by credit."""

from __future__ import annotations

import asyncio
import ctypes
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from . import _abi
from ._core import Core, failure_of
from ._failure import CANCELLED, DATA_LOSS, Failure

Q = TypeVar("Q")
A = TypeVar("A")


class Channel:
    """A stream of bytes: chunks of the peer that were not read yet, and the credit for chunks to it."""

    def __init__(self, core: Core, number: int, path: str = "") -> None:
        self.core = core
        self.path = path
        self.number = number
        self.failure: Failure | None = None
        self.on_failure: Callable[[], object] | None = None
        self._on_over: Callable[[Failure | None], object] | None = None
        self._inbox: deque[tuple[int, int, int]] = deque()
        self._ended = self._over = False
        self._waiters: set[asyncio.Future[None]] = set()
        core.ids[number] = self._handle

    def _handle(self, done: _abi.Done) -> bool:
        keeps = False
        if done.kind == _abi.CHUNK:
            self._inbox.append((done.owner, done.value.data or 0, done.value.length))
            keeps = True  # the peer sends on as chunks are read
        elif done.kind == _abi.END:
            self._ended = True
        elif done.kind == _abi.OVER:
            self._ended = self._over = True
            if done.status:
                self.failure = failure_of(done)
                self.failure.method = self.path
                if self.on_failure is not None:
                    self.on_failure()
            self.core.ids.pop(self.number, None)
            if self._on_over is not None:
                self._on_over(self.failure)
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        return keeps

    def watch(self, on_over: Callable[[Failure | None], object]) -> None:
        """Has a function told of the end of both directions, which may have come."""
        if self._over:
            on_over(self.failure)
        else:
            self._on_over = on_over

    async def _wait(self) -> None:
        waiter = self.core.loop.create_future()
        self._waiters.add(waiter)
        try:
            await waiter
        finally:
            self._waiters.discard(waiter)

    def take(self) -> bytes | None:
        """A chunk that is there, for any thread."""
        try:
            owner, data, length = self._inbox.popleft()
        except IndexError:
            return None
        chunk = ctypes.string_at(data, length) if length else b""
        self.core.lib.release(owner)
        return chunk

    async def ready(self) -> bool:
        """Waits for a chunk. False behind the last one."""
        while not self._inbox:
            if self.failure is not None:
                raise self.failure
            if self._ended:
                return False
            await self._wait()
        return True

    async def receive(self) -> bytes | None:
        """The next chunk; None behind the last one."""
        while (chunk := self.take()) is None and await self.ready():
            pass
        return chunk

    def offer(self, chunk: bytes, last: bool = False) -> bool:
        """Sends a chunk if there is credit, for any thread."""
        code = self.core.lib.send(self.core.pointer, self.number, _abi.text(chunk), _abi.SEND_LAST if last else 0)
        if code in (_abi.OK, _abi.WOULD_BLOCK):
            return bool(code == _abi.OK)
        raise self.failure or Failure(CANCELLED, "stream_closed", "the stream is over")

    async def send(self, chunk: bytes, last: bool = False) -> None:
        """Sends a chunk as soon as there is credit."""
        while not self.offer(chunk, last):
            await self._wait()

    def end(self) -> None:
        """Ends this side's direction."""
        self.core.lib.end(self.core.pointer, self.number)

    def close(self) -> None:
        """Ends both directions, if they have not, and gives all chunks back."""
        if not self._over:
            self.core.lib.reset(self.core.pointer, self.number)
        while self.take() is not None:
            pass


def decoded(cls: Any, data: bytes) -> Any:
    """A value of a peer's answer."""
    try:
        return cls.decode(data)
    except ValueError as error:
        raise Failure(DATA_LOSS, getattr(error, "code", "unknown"), str(error)) from error


class Stream:
    """The common part of streams on a client's side: a context that cancels the stream where it is left early."""

    def __init__(self, opening: Any, response: Any) -> None:
        self._opening = opening
        self.response = response
        self.channel: Channel | None = None

    async def opened(self) -> Channel:
        """Opens the stream, unless it is open."""
        if self.channel is None:
            self.channel = await self._opening()
        return self.channel

    async def __aenter__(self) -> Self:
        await self.opened()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the stream. Where it was not over, it is cancelled."""
        if self.channel is not None:
            self.channel.close()


class ServerStream(Stream, Generic[A]):
    """A stream of responses: ``async for`` reads it. Where the loop is left early, ``close`` or a context cancels the stream."""

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> A:
        data = await (await self.opened()).receive()
        if data is None:
            raise StopAsyncIteration
        value: A = decoded(self.response, data)
        return value


class ClientStream(Stream, Generic[Q, A]):
    """A stream of requests that has one response."""

    async def send(self, request: Q) -> None:
        """Sends a request, as soon as there is credit."""
        await (await self.opened()).send(request.encode())  # type: ignore[attr-defined]

    async def finish(self) -> A:
        """Ends the requests, and waits for the response."""
        channel = await self.opened()
        channel.end()
        data = await channel.receive()
        if data is None or await channel.receive() is not None:
            raise Failure(DATA_LOSS, "stream_responses", "the peer sent no response, or more than one")
        value: A = decoded(self.response, data)
        return value


class BidiStream(ServerStream[A], Generic[Q, A]):
    """A stream of requests and responses: ``async for`` reads the responses."""

    async def send(self, request: Q) -> None:
        """Sends a request, as soon as there is credit."""
        await (await self.opened()).send(request.encode())  # type: ignore[attr-defined]

    async def finish(self) -> None:
        """Ends the requests."""
        (await self.opened()).end()

    async def receive(self) -> A | None:
        """The next response; None behind the last one."""
        data = await (await self.opened()).receive()
        if data is None:
            return None
        value: A = decoded(self.response, data)
        return value
