"""Clients: requests to the servers at some addresses."""

from __future__ import annotations

import ctypes
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypedDict, TypeVar, Unpack

from . import _abi, _serving
from ._core import Core
from ._failure import Failure
from ._method import Method, ServiceTable, services_array
from ._options import TLS, RequestOptions, Retry, WebSocket, microseconds, pointer
from ._stream import Channel, decoded

if TYPE_CHECKING:
    from .telemetry import Telemetry

A = TypeVar("A")


PUBLISHER = "publisher:"
"""The address of a client that publishes events."""


class Outgoing:
    """A request on its way to the peer, which interceptors may change."""

    __slots__ = ("deadline", "event_id", "metadata", "method", "request", "trace")

    def __init__(self, method: Method, request: Any, options: RequestOptions, deadline: float | None) -> None:
        self.method = method
        self.request = request
        self.deadline = _serving.remaining(options.get("deadline", deadline))
        self.metadata = dict(options.get("metadata", {}))
        self.trace = options.get("trace") or _serving.trace()
        self.event_id = options.get("event_id", "")

    def abi(self, flags: int) -> Any:
        """The options of the request, as the core has them: None where all are the default."""
        if not flags and not self.metadata and not self.event_id and self.deadline is None and self.trace is None:
            return None
        made = _abi.RequestOptions(size=ctypes.sizeof(_abi.RequestOptions), flags=flags, timeout_us=microseconds(self.deadline))
        if self.metadata:
            made.metadata = ctypes.pointer(_abi.pairs(self.metadata))
        if self.event_id:
            made.event_id = _abi.text(self.event_id)
        if self.trace is not None:
            made.flags |= _abi.REQUEST_TRACE
            made.trace_id = (ctypes.c_uint8 * 16)(*self.trace.id)
            made.trace_parent, made.trace_flags = self.trace.parent, self.trace.flags
        return made


class Reply(NamedTuple):
    """The answer to a request: its value, which of a stream is the stream, and the metadata beside it."""

    value: Any
    metadata: Mapping[str, bytes]


Next = Callable[[Outgoing], Awaitable[Reply]]
Interceptor = Callable[[Outgoing, Next], Awaitable[Reply]]
"""A function around every request of a client: it awaits the following step with the request, or refuses it by a ``Failure``."""


class ClientOptions(TypedDict, total=False):
    """The options of a client.

    ``deadline`` is for requests without their own, and ``connect_timeout`` (5) is how long a request waits for a connection, in seconds.
    ``node`` is the address of the node that is asked for ``mesh:///``, where ``MXP_MESH`` and the known sockets are not meant.
    ``telemetry`` is told of all requests, around their interceptors.
    """

    deadline: float | None
    connect_timeout: float
    tls: TLS | None
    retry: Retry | None
    websocket: WebSocket | None
    node: str
    interceptors: Sequence[Interceptor]
    telemetry: Telemetry | None


class Client:
    """A client of services; generated classes have their methods.

    It connects in the background, again whenever a connection is lost, and repeats requests on which nobody has acted.
    """

    _tables: tuple[ServiceTable, ...] = ()

    def __init__(self, *addresses: str, **options: Unpack[ClientOptions]) -> None:
        if not addresses:
            raise ValueError("a client needs an address, such as mxp+unix:///run/desk.sock")
        if unknown := options.keys() - ClientOptions.__annotations__.keys():
            raise TypeError(f"a client has no option {', '.join(sorted(unknown))}")
        self._addresses = addresses
        self._options = options
        self._deadline = options.get("deadline")
        self._interceptors = tuple(options.get("interceptors", ()))
        self._telemetry = options.get("telemetry")
        self._place = None if self._telemetry is None else self._telemetry.place_of(addresses)
        self._core: Core | None = None
        self._number = 0

    @classmethod
    def publisher(cls, **options: Unpack[ClientOptions]) -> Self:
        """A client whose events go to all who subscribe to them, by the node of the program. With ``acked`` they are durable."""
        return cls(PUBLISHER, **options)

    async def connect(self) -> Self:
        """Begins to connect. Requests wait for the connection."""
        if self._core is None:
            core = Core.acquire()
            try:
                self._number = self._made(core)
            except BaseException:
                await core.leave()
                raise
            self._core = core
        return self

    def _made(self, core: Core) -> int:
        is_publisher = self._addresses == (PUBLISHER,)
        addresses = _abi.texts(() if is_publisher else self._addresses)
        services = services_array(self._tables)
        options = _abi.ClientOptions(
            size=ctypes.sizeof(_abi.ClientOptions),
            flags=_abi.CLIENT_PUBLISHER if is_publisher else 0,
            addresses=addresses,
            address_count=len(addresses),
            services=services,
            service_count=len(services),
            tls=pointer(self._options.get("tls")),
            connect_timeout_us=microseconds(self._options.get("connect_timeout", 5.0)),
            retry=pointer(self._options.get("retry")),
            websocket=pointer(self._options.get("websocket")),
            node=_abi.text(self._options.get("node", "")),
        )
        failure = _abi.Failure(size=ctypes.sizeof(_abi.Failure))
        number: int = core.lib.client_new(core.pointer, ctypes.byref(options), ctypes.byref(failure))
        if number == 0:
            raise taken(core, failure)
        return number

    async def close(self) -> None:
        """Closes the client: its requests end first."""
        core, self._core = self._core, None
        if core is not None:
            await core.begin(lambda tag: core.lib.client_close(core.pointer, self._number, tag), _nothing)
            await core.leave()

    async def _end(self) -> None:
        """Closes the client at once: its requests are cancelled."""
        core, self._core = self._core, None
        if core is not None:
            closed = core.begin(lambda tag: core.lib.client_close(core.pointer, self._number, tag), _nothing)
            closed.cancel()
            await core.leave()

    async def __aenter__(self) -> Self:
        return await self.connect()

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        await self.close()

    def _open_core(self) -> Core:
        if self._core is None:
            raise RuntimeError("the client is not connected: use `async with`, or `await client.connect()`")
        return self._core

    def _run(self, outgoing: Outgoing, last: Next) -> Coroutine[Any, Any, Any]:
        """Makes a request, of which somebody may be told."""
        if self._telemetry is None or self._place is None:
            return self._intercept(outgoing, last)
        return self._telemetry.ask(outgoing, self._place, lambda: self._intercept(outgoing, last))

    async def _intercept(self, outgoing: Outgoing, last: Next) -> Any:
        """Lets the interceptors have a request, the first one outermost."""
        step = last
        for interceptor in reversed(self._interceptors):
            step = _around(interceptor, step)
        try:
            return (await step(outgoing)).value
        except Failure as failure:
            if not failure.method:
                failure.method = outgoing.method.path
            raise

    async def _call(self, method: Method, request: Any, response: type[A], options: RequestOptions) -> A:
        core = self._open_core()

        async def last(outgoing: Outgoing) -> Reply:
            value, given = outgoing.request.encode(), outgoing.abi(0)
            data, metadata = await core.request(core.lib.call, self._number, method.abi, value, given)
            return Reply(decoded(response, data), metadata)

        answer: A = await self._run(Outgoing(method, request, options, self._deadline), last)
        return answer

    async def _event(self, method: Method, request: Any, acked: bool, options: RequestOptions) -> None:
        core = self._open_core()

        async def last(outgoing: Outgoing) -> Reply:
            value, given = outgoing.request.encode(), outgoing.abi(_abi.REQUEST_ACKED if acked else 0)
            await core.request(core.lib.event, self._number, method.abi, value, given)
            return Reply(None, {})

        await self._run(Outgoing(method, request, options, self._deadline), last)

    async def _open(self, method: Method, request: Any, options: RequestOptions) -> Channel:
        core = self._open_core()

        async def last(outgoing: Outgoing) -> Reply:
            value = _abi.text(b"" if request is None else outgoing.request.encode())
            given = outgoing.abi(0 if request is None else _abi.REQUEST_END)
            channel = await core.begin(
                lambda tag: core.lib.open(core.pointer, self._number, method.abi, value, given, tag),
                lambda done: Channel(core, done.id, method.path),
            )
            return Reply(channel, {})

        opened: Channel = await self._run(Outgoing(method, request, options, self._deadline), last)
        return opened


def _around(interceptor: Interceptor, following: Next) -> Next:
    return lambda outgoing: interceptor(outgoing, following)


def _nothing(done: _abi.Done) -> None:
    """Nothing of a completion counts but its coming."""


def taken(core: Core, failure: Any) -> Failure:
    """The failure that the core has filled, whose memory is given back."""
    made = Failure(failure.status, failure.name.text(), failure.text.text(), details=failure.details.bytes(), acted=bool(failure.acted))
    core.lib.release(failure.owner)
    return made
