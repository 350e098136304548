"""Requests that a handler makes: they continue the trace of the request that it serves, and end by its deadline."""

import asyncio

import mesh_exchange_protocol as mxp
from generated import ledger
from generated.ledger_services import LedgerClient
from places import local
from test_services import NOTHING, Ledger

TRACE = mxp.Trace(bytes(range(16)), 7, 1)


class Relay(Ledger):
    """A server that asks another one."""

    def __init__(self, client):
        super().__init__()
        self.client = client
        self.options = {}
        self.task = None

    async def waited(self, request, context):
        return await self.client.waited(request, **self.options)

    async def nothing(self, request, context):
        async def later():
            await self.release.wait()
            return await self.client.waited(NOTHING)

        self.task = asyncio.create_task(later())
        return request


class Traces(list):
    """The traces of requests, as an interceptor of a server sees them."""

    async def __call__(self, context, step):
        self.append(context.trace)
        await step()


def relayed(tmp_path, check):
    async def main():
        traces = Traces()
        inner, outer = (local(tmp_path, name) for name in ("inner", "outer"))
        async with mxp.Server(Ledger(), interceptors=[traces]) as server, LedgerClient(inner) as client:
            await server.listen(inner)
            relay = Relay(client)
            async with mxp.Server(relay) as front, LedgerClient(outer) as caller:
                await front.listen(outer)
                await check(relay, caller, traces)

    asyncio.run(main())


def test_a_handlers_requests_end_by_its_deadline(tmp_path):
    async def check(relay, caller, traces):
        assert (await caller.waited(NOTHING)).amount == -1
        assert 55 <= (await caller.waited(NOTHING, deadline=60)).amount <= 60
        relay.options = {"deadline": 500.0}
        assert 55 <= (await caller.waited(NOTHING, deadline=60)).amount <= 60
        assert 480 <= (await caller.waited(NOTHING)).amount <= 500
        relay.options = {"deadline": 40.0}
        assert 30 <= (await caller.waited(NOTHING, deadline=60)).amount <= 40

    relayed(tmp_path, check)


def test_a_handlers_requests_continue_its_trace(tmp_path):
    async def check(relay, caller, traces):
        await caller.waited(NOTHING, trace=TRACE)
        await caller.waited(NOTHING)
        relay.options = {"trace": mxp.Trace(bytes(16 * [1]), 9, 0)}
        await caller.waited(NOTHING, trace=TRACE)
        first, second, third = traces
        assert (first.id, first.flags) == (TRACE.id, TRACE.flags)
        assert second is None or second.id != TRACE.id
        assert third.id == bytes(16 * [1])

    relayed(tmp_path, check)


def test_a_task_that_a_handler_leaves_behind_has_no_deadline(tmp_path):
    async def check(relay, caller, traces):
        assert await caller.nothing(NOTHING, deadline=60, trace=TRACE) == ledger.Nothing()
        relay.release.set()
        assert (await relay.task).amount == -1
        assert traces[-1] is None or traces[-1].id != TRACE.id

    relayed(tmp_path, check)
