"""Servers: handlers of services, and the addresses at which they listen."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import functools
import inspect
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from types import CoroutineType, TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from . import _abi
from ._client import taken
from ._core import Core, metadata_of, report
from ._failure import CANCELLED, DEADLINE_EXCEEDED, INVALID_ARGUMENT, UNKNOWN, Failure
from ._method import CALL, CLIENT_STREAM, EVENT, SERVER_STREAM, Method, ServiceTable, services_array
from ._options import TLS, Trace, WebSocket, pointer
from ._serving import serving
from ._signals import end_signals
from ._stream import Channel

if TYPE_CHECKING:
    from .telemetry import Telemetry

TIMER_SECONDS = 0.001
"""The accuracy of deadlines."""


class Service:
    """The base class of generated services, whose methods a program implements."""

    _table: ClassVar[ServiceTable]


class Delivery(NamedTuple):
    """The facts about an event of a mesh.

    ``number`` counts the durable events of its stream; 0 for another event. ``at`` is when it was published, in nanoseconds since 1970.
    ``deliveries`` is how often it was delivered. ``dropped`` is how many events this subscription has lost since the event before.
    """

    number: int
    at: int
    deliveries: int
    dropped: int


class Context:
    """The facts about a request beside its value.

    ``deadline`` is the time of the event loop until which the client waits; None where it has no limit. ``reply_metadata`` goes to
    the client with the answer of a call. ``delivery`` is there for an event of a mesh.
    """

    __slots__ = ("_is_served", "_peer", "deadline", "delivery", "metadata", "method", "reply_metadata", "trace")

    def __init__(self, done: _abi.Done, method: Method, now: float) -> None:
        self.method = method
        self.deadline: float | None = None
        self.trace: Trace | None = None
        self.delivery: Delivery | None = None
        self.metadata: dict[str, bytes] = {}
        self.reply_metadata: dict[str, bytes] = {}
        self._peer = b""
        self._is_served = True
        if done.more:
            self._read(done, now)

    def _read(self, done: _abi.Done, now: float) -> None:
        more = _abi.more_of(done)
        (_, _, _, _, _, _, _, _, peer, peer_size, _, pairs, timeout, trace, parent, flags, has_trace, _, number, at, dropped, deliveries,
         has_delivery) = _abi.MORE_FORM.unpack(more)  # fmt: skip
        self._peer = ctypes.string_at(peer, peer_size) if peer_size else b""
        if pairs:
            self.metadata = metadata_of(done)
        if timeout >= 0:
            self.deadline = now + timeout / 1e6
        if has_trace:
            self.trace = Trace(trace, parent, flags)
        if has_delivery:
            self.delivery = Delivery(number, at, deliveries, dropped)

    @property
    def peer(self) -> str:
        """The address of the peer, or its name by TLS."""
        return self._peer.decode()


ServerNext = Callable[[], Awaitable[None]]
ServerInterceptor = Callable[[Context, ServerNext], Awaitable[None]]
"""A function around every handler: it awaits the following step, or refuses the request by a ``Failure``."""


class Server:
    """A server of services. A context drains it: requests in flight end within ``drain_timeout`` seconds.

    With ``health`` it serves its health, too, which is bad while the event loop is stuck; with ``reflection``, a list of its services.
    ``telemetry`` is told of all requests, around their interceptors.
    """

    def __init__(
        self,
        *services: Service,
        tls: TLS | None = None,
        drain_timeout: float = 5.0,
        health: bool = False,
        reflection: bool = False,
        websocket: WebSocket | None = None,
        interceptors: Sequence[ServerInterceptor] = (),
        telemetry: Telemetry | None = None,
    ) -> None:
        self._services = services
        self._tls = tls
        self._websocket = websocket
        self._drain_timeout = drain_timeout
        self._interceptors = tuple(interceptors)
        self._telemetry = telemetry
        chosen = {_abi.SERVER_HEALTH: health, _abi.SERVER_REFLECTION: reflection, _abi.SERVER_UNKNOWN: telemetry is not None}
        self._flags = sum(flag for flag, is_chosen in chosen.items() if is_chosen)
        self._core: Core | None = None
        self._number = self._label = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self.addresses: list[str] = []
        """The addresses at which the server listens."""

    async def __aenter__(self) -> Self:
        core = Core.acquire()
        try:
            self._label = core.number()
            services = services_array(one._table for one in self._services)
            options = _abi.ServerOptions(
                size=ctypes.sizeof(_abi.ServerOptions),
                flags=self._flags,
                label=self._label,
                tls=pointer(self._tls),
                websocket=pointer(self._websocket),
            )
            failure = _abi.Failure(size=ctypes.sizeof(_abi.Failure))
            self._number = core.lib.server_new(core.pointer, services, len(services), ctypes.byref(options), ctypes.byref(failure))
            if self._number == 0:
                raise taken(core, failure)
        except BaseException:
            await core.leave()
            raise
        core.labels[self._label] = self._handle
        self._core = core
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        await self.close()

    async def listen(self, *addresses: str) -> list[str]:
        """Listens at addresses, and returns them with the ports that the system has chosen."""
        core = self._open_core()
        found = []
        for one in addresses:
            address = _abi.text(one)
            made = await core.begin(
                lambda tag, address=address: core.lib.listen(core.pointer, self._number, address, tag),  # type: ignore[misc]
                lambda done: done.value.text(),
            )
            found.append(made)
        self.addresses += found
        return found

    @property
    def tables(self) -> Sequence[ServiceTable]:
        """The tables of the services."""
        return [service._table for service in self._services]

    async def until_signal(self) -> None:
        """Waits for SIGTERM or SIGINT; on Windows also for SIGBREAK."""
        core, seen = self._open_core(), asyncio.Event()
        with end_signals(core.loop, seen.set):
            await seen.wait()

    async def close(self, reason: str = "the server ends") -> None:
        """Drains the server: it takes no new requests, and requests in flight end."""
        core, self._core = self._core, None
        if core is None:
            return
        text = _abi.text(reason)
        await core.finish(lambda tag: core.lib.drain(core.pointer, self._number, text, tag), self._drain_timeout)
        for task in self._tasks:
            task.cancel()
        core.labels.pop(self._label, None)
        await core.leave()

    def _open_core(self) -> Core:
        if self._core is None:
            raise RuntimeError("the server is not open: use `async with`")
        return self._core

    def _handle(self, done: _abi.Done) -> bool:
        core = self._open_core() if self._core is not None else Core._cores[asyncio.get_running_loop()]
        service = self._services[done.service]
        if done.kind == _abi.UNKNOWN:
            self._report_unknown(done, service._table.name)
        else:
            start_handler(core, service, done, self._tasks, self._interceptors, self._telemetry)
        return False

    def _report_unknown(self, done: _abi.Done, service: str) -> None:
        method = Method("", "", done.method, CALL, None)
        method.path = f"{service}/{done.method}"
        if self._telemetry is not None:
            self._telemetry.refuse(Context(done, method, 0.0))


def start_handler(
    core: Core,
    service: Service,
    done: _abi.Done,
    tasks: set[asyncio.Task[None]],
    interceptors: Sequence[ServerInterceptor] = (),
    telemetry: Telemetry | None = None,
) -> Context:
    """Starts the task of a request's handler, and returns the facts about the request."""
    method = service._table.methods[done.method]
    request = _Request(core, service, method, done, interceptors, telemetry)
    task = core.loop.create_task(request.run(), name=method.path)
    request.watch(task)
    tasks.add(task)
    task.add_done_callback(tasks.discard)
    return request.context


class _Request:
    """A request of a peer, and the task of its handler."""

    def __init__(
        self,
        core: Core,
        service: Service,
        method: Method,
        done: _abi.Done,
        interceptors: Sequence[ServerInterceptor],
        telemetry: Telemetry | None,
    ) -> None:
        self.core = core
        self.method = method
        self.number = done.id
        self.value = done.value.bytes()
        self.context = Context(done, method, core.loop.time())
        self.interceptors = interceptors
        self.telemetry = telemetry
        self.answer = b""
        self.handler = getattr(service, method.attribute)
        self.channel = Channel(core, done.id) if done.kind == _abi.STREAM else None

    def watch(self, task: asyncio.Task[None]) -> None:
        """Cancels the handler when nobody waits for its answer any more."""
        if self.channel is not None:
            self.channel.on_failure = task.cancel
        elif self.number:

            def gone(done: _abi.Done) -> bool:
                task.cancel()
                return False

            self.core.ids[self.number] = gone

    async def run(self) -> None:
        serving.set(self.context)  # of this task alone
        span = None if self.telemetry is None else self.telemetry.serve(self.context)
        failure: Failure | None = None
        try:
            step: ServerNext = self._serve
            for interceptor in reversed(self.interceptors):
                step = functools.partial(interceptor, self.context, step)
            await step()
            self._respond()
        except Failure as refusal:
            failure = refusal
        except asyncio.CancelledError:
            failure = self._broken()
            raise
        except Exception as error:
            report(logging.ERROR, "a handler raised an exception", {"method": self.method.path, "peer": self.context.peer}, error)
            failure = Failure(UNKNOWN, "unknown", str(error))
        finally:
            if failure is not None:
                self._fail(failure)
            if span is not None:
                span.end(failure)
            self.context._is_served = False
            if self.channel is not None:
                self.channel.on_failure = None
            else:
                self.core.ids.pop(self.number, None)

    def _broken(self) -> Failure:
        """The reason why nobody waits for the answer any more."""
        deadline = self.context.deadline
        if deadline is not None and deadline - self.core.loop.time() < TIMER_SECONDS:
            return Failure(DEADLINE_EXCEEDED, "deadline_exceeded")
        return Failure(CANCELLED, "cancelled")

    async def _serve(self) -> None:
        kind = self.method.kind
        if kind in (CALL, EVENT):
            answer = await _awaited(self.handler(self._decoded(self.value), self.context))
            self.answer = b"" if kind == EVENT else answer.encode()
            return
        assert self.channel is not None
        if kind == CLIENT_STREAM:
            answer = await _awaited(self.handler(self._requests(), self.context))
            await self.channel.send(answer.encode(), last=True)
            return
        given = self._decoded(self.value) if kind == SERVER_STREAM else self._requests()
        async with contextlib.aclosing(self.handler(given, self.context)) as responses:
            async for one in responses:
                await self.channel.send(one.encode())
        self.channel.end()

    def _respond(self) -> None:
        """Answers a call, or confirms an event."""
        if self.channel is None and self.number:
            metadata = self.context.reply_metadata
            pairs = ctypes.byref(_abi.pairs(metadata)) if metadata else None
            self.core.lib.respond(self.core.pointer, self.number, _abi.text(self.answer), pairs)

    def _decoded(self, data: bytes) -> Any:
        try:
            return self.method.request.decode(data)
        except ValueError as error:
            raise Failure(INVALID_ARGUMENT, getattr(error, "code", "unknown"), str(error), acted=False) from error

    async def _requests(self) -> AsyncIterator[Any]:
        assert self.channel is not None
        while (data := await self.channel.receive()) is not None:
            yield self._decoded(data)

    def _fail(self, failure: Failure) -> None:
        if not self.number:
            return
        name, text = failure.name.encode(), failure.text.encode()
        given = _abi.Failure(
            size=ctypes.sizeof(_abi.Failure),
            status=failure.status,
            acted=failure.acted,
            name=_view(name),
            text=_view(text),
            details=_view(failure.details),
        )
        self.core.lib.fail(self.core.pointer, self.number, ctypes.byref(given))


def _view(data: bytes) -> _abi.View:
    return _abi.View(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data))


async def _awaited(result: Any) -> Any:
    """The result of a handler, which may be a plain function."""
    return await result if isinstance(result, CoroutineType) or inspect.isawaitable(result) else result
