"""The node of a mesh: the program's entry in its directory, and the events that it carries."""

from __future__ import annotations

import asyncio
import ctypes
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from . import _abi
from ._client import taken
from ._core import Core, failure_of
from ._failure import UNAVAILABLE, Failure
from ._method import ServiceTable, services_array
from ._options import TLS, microseconds, pointer
from ._server import Server, Service, start_handler

if TYPE_CHECKING:
    from .telemetry import Telemetry


class _Membership:
    """The common part of what a program has at its node."""

    def __init__(self, node: str, tls: TLS | None, timeout: float) -> None:
        self._node = _abi.text(node)
        self._tls = tls
        self._timeout = timeout
        self._core: Core | None = None
        self._number = self._label = 0
        self._there = asyncio.Event()
        self.lost: Failure | None = Failure(UNAVAILABLE, "unavailable", "it is not there yet", acted=False)
        """The reason why it is not there; None where it is."""

    def _made(self, core: Core, failure: Any) -> int:
        raise NotImplementedError

    def _stand(self, done: _abi.Done) -> None:
        self.lost = failure_of(done) if done.status else None
        if self.lost is None:
            self._there.set()
        else:
            self._there.clear()

    def _handle(self, done: _abi.Done) -> bool:
        self._stand(done)
        return False

    async def __aenter__(self) -> Self:
        core = Core.acquire()
        self._label = core.number()
        core.labels[self._label] = self._handle
        failure = _abi.Failure(size=ctypes.sizeof(_abi.Failure))
        self._number = self._made(core, failure)
        if self._number == 0:
            refusal = taken(core, failure)  # which reads memory of the core
            del core.labels[self._label]
            await core.leave()
            raise refusal
        self._core = core
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends it at the node."""
        core, self._core = self._core, None
        if core is not None:
            await core.finish(lambda tag: core.lib.withdraw(core.pointer, self._number, tag), self._timeout)
            core.labels.pop(self._label, None)
            await core.leave()


class Announcement(_Membership):
    """A name of the program in the directory of its node, by which others reach it: ``mesh:///name``, or by a capability or service.

    A context holds it: the lease is renewed, and the name is taken again when it was lost. ``changed`` is called with each epoch, and with
    the failure of each loss. ``addresses`` and ``services`` may be those of a server, by ``server=``.
    """

    def __init__(
        self,
        name: str,
        *,
        server: Server | None = None,
        capabilities: Sequence[str] = (),
        services: Sequence[ServiceTable] = (),
        addresses: Sequence[str] = (),
        lease: float | None = None,
        node: str = "",
        tls: TLS | None = None,
        changed: Callable[[int | Failure], object] | None = None,
    ) -> None:
        super().__init__(node, tls, 1.0)
        self.name = name
        self.epoch = 0
        """The number of the lease, greater than that of each earlier owner; 0 before there was a lease."""
        self._server = server
        self._capabilities = capabilities
        self._tables = services
        self._addresses = addresses
        self._lease = lease
        self._changed = changed

    def _made(self, core: Core, failure: Any) -> int:
        own = () if self._server is None else self._server.tables
        services = _abi.texts([table.name for table in (*self._tables, *own)])
        addresses = _abi.texts([*self._addresses, *(() if self._server is None else self._server.addresses)])
        capabilities = _abi.texts(self._capabilities)
        options = _abi.AnnounceOptions(
            size=ctypes.sizeof(_abi.AnnounceOptions),
            label=self._label,
            name=_abi.text(self.name),
            capabilities=capabilities,
            capability_count=len(capabilities),
            services=services,
            service_count=len(services),
            addresses=addresses,
            address_count=len(addresses),
            lease_us=microseconds(self._lease),
            node=self._node,
            tls=pointer(self._tls),
        )
        number: int = core.lib.announce(core.pointer, ctypes.byref(options), ctypes.byref(failure))
        return number

    def _stand(self, done: _abi.Done) -> None:
        super()._stand(done)
        if self.lost is None:
            self.epoch = done.more.contents.epoch
        if self._changed is not None:
            self._changed(self.epoch if self.lost is None else self.lost)

    async def registered(self) -> int:
        """Waits until the name is held, and returns the epoch."""
        await self._there.wait()
        return self.epoch


class Subscription(_Membership):
    """The events of services, which their handlers hear as those of a server, by the node of the program.

    With a ``consumer``, all who subscribe by that name share the durable events, and each is delivered until a handler has returned:
    again after an exception, or to the dead letters after a ``Failure`` of InvalidArgument. A new consumer begins where ``start`` says:
    at the ``"new"`` events, the ``"first"`` that is kept, or a number. ``dropped`` is called with the number of lost events. ``changed`` is
    called with None when the subscription is there, and with the failure of a loss.
    """

    def __init__(
        self,
        *services: Service,
        consumer: str = "",
        start: str | int = "new",
        unsettled: int = 0,
        deliveries: int = 0,
        node: str = "",
        tls: TLS | None = None,
        dropped: Callable[[int], object] | None = None,
        changed: Callable[[Failure | None], object] | None = None,
        telemetry: Telemetry | None = None,
    ) -> None:
        super().__init__(node, tls, 5.0)
        if isinstance(start, str) and start not in _STARTS:
            raise ValueError(f"a consumer begins at {', '.join(_STARTS)} or a number, and not at {start!r}")
        self._services = services
        self._consumer = consumer
        self._start = start
        self._unsettled = unsettled
        self._deliveries = deliveries
        self._dropped = dropped
        self._changed = changed
        self._telemetry = telemetry
        self._tasks: set[asyncio.Task[None]] = set()

    def _made(self, core: Core, failure: Any) -> int:
        services = services_array(one._table for one in self._services)
        is_number = isinstance(self._start, int)
        options = _abi.SubscribeOptions(
            size=ctypes.sizeof(_abi.SubscribeOptions),
            label=self._label,
            node=self._node,
            tls=pointer(self._tls),
            consumer=_abi.text(self._consumer),
            start_at=self._start if is_number else 0,
            start=_abi.START_NUMBER if is_number else _STARTS[str(self._start)],
            unsettled=self._unsettled,
            deliveries=self._deliveries,
        )
        number: int = core.lib.subscribe(core.pointer, services, len(services), ctypes.byref(options), ctypes.byref(failure))
        return number

    def _stand(self, done: _abi.Done) -> None:
        super()._stand(done)
        if self._changed is not None:
            self._changed(self.lost)

    def _handle(self, done: _abi.Done) -> bool:
        if done.kind == _abi.STANDING:
            return super()._handle(done)
        core = Core._cores[asyncio.get_running_loop()]
        context = start_handler(core, self._services[done.service], done, self._tasks, telemetry=self._telemetry)
        if self._dropped is not None and context.delivery is not None and context.delivery.dropped:
            self._dropped(context.delivery.dropped)
        return False

    async def ready(self) -> None:
        """Waits until the node delivers what is published from then on."""
        await self._there.wait()

    async def close(self) -> None:
        """Ends the subscription, when the handler that runs is done. A durable consumer stays."""
        await super().close()
        for task in self._tasks:
            task.cancel()


_STARTS = {"new": _abi.START_NEW, "first": _abi.START_FIRST}
