"""Policies of repetitions, and addresses of shared memory and WebSocket."""

import asyncio
import sys

import mesh_exchange_protocol as mxp
import pytest
from generated import ledger
from generated.ledger_services import LedgerClient
from places import NOBODY, local, shared
from test_services import ENTRY, NOTHING, Ledger

SOON = mxp.Retry(4, least_pause=0.001, greatest_pause=0.002, budget=1.0)


class Shaky(Ledger):
    """A server that refuses so many requests."""

    def __init__(self, refusals, acted=False):
        super().__init__()
        self.asked, self.refusals, self.acted = 0, refusals, acted

    async def echo(self, request, context):
        self.asked += 1
        if self.asked <= self.refusals:
            raise mxp.Failure(14, "shaky", acted=self.acted)
        return request

    booked = echo
    book = echo


@pytest.mark.parametrize("refusals", [0, 1, 3])
async def test_refused_requests_are_made_again(refusals):
    service = Shaky(refusals)
    async with mxp.testing.connect(service, LedgerClient, retry=SOON) as client:
        assert await client.echo(ENTRY) == ENTRY
    assert service.asked == refusals + 1


async def test_a_policy_has_as_many_attempts_as_it_says():
    service = Shaky(4)
    async with mxp.testing.connect(service, LedgerClient, retry=SOON) as client:
        with pytest.raises(mxp.Failure, match="shaky"):
            await client.echo(ENTRY)
    assert service.asked == 4
    for retry in (None, mxp.Retry(1)):
        service = Shaky(1)
        async with mxp.testing.connect(service, LedgerClient, retry=retry) as client:
            with pytest.raises(mxp.Failure, match="shaky"):
                await client.echo(ENTRY)
        assert service.asked == 1


async def test_a_budget_bounds_repetitions():
    service = Shaky(1000)
    async with mxp.testing.connect(service, LedgerClient, retry=SOON._replace(attempts=100, budget=0.0)) as client:
        for _ in range(3):
            with pytest.raises(mxp.Failure, match="shaky"):
                await client.echo(ENTRY)
    assert service.asked == 3 + 10, "ten are there at first"


async def test_what_may_have_been_acted_on_is_repeated_if_it_is_idempotent():
    service = Shaky(1, acted=True)
    async with mxp.testing.connect(service, LedgerClient, retry=SOON) as client:
        assert await client.echo(ENTRY) == ENTRY  # the schema says @idempotent
        assert service.asked == 2
        service.asked = 0
        with pytest.raises(mxp.Failure, match="shaky"):
            await client.booked(NOTHING)
        with pytest.raises(mxp.Failure, match="shaky"):
            service.asked = 0
            await client.book(ledger.BookingMany("", 1), acked=True)


async def test_acknowledged_events_are_repeated_too():
    service = Shaky(2)
    async with mxp.testing.connect(service, LedgerClient, retry=SOON) as client:
        await client.book(ledger.BookingMany("", 1), acked=True)
        assert service.asked == 3


async def test_a_policy_has_a_deadline_and_a_hedge(tmp_path):
    async with mxp.testing.connect(Ledger(), LedgerClient, retry=mxp.Retry(timeout=0.05)) as client:
        with pytest.raises(mxp.Failure) as found:
            await client.wait(NOTHING)
        assert found.value.name == "deadline_exceeded"

    class Slow(Ledger):
        """A server whose first call is never answered."""

        calls = 0

        async def echo(self, request, context):
            self.calls += 1
            if self.calls == 2:
                await asyncio.Event().wait()
            return request

    slow, addresses = Slow(), [local(tmp_path, name) for name in "ab"]
    async with mxp.Server(slow, drain_timeout=0.5) as server:
        await server.listen(*addresses)
        async with LedgerClient(*addresses, retry=mxp.Retry(100, hedge=0.02)) as client:
            await client.echo(ENTRY)
            assert await client.echo(ENTRY) == ENTRY
            assert slow.calls > 2


def test_policies_that_can_not_be_are_refused():
    with pytest.raises(ValueError, match="once at least"):
        mxp.Retry(0).abi()

    async def connect(**options):
        async with LedgerClient(NOBODY, **options):
            pass

    for options in ({"retry": mxp.Retry(budget=float("nan"))}, {"websocket": mxp.WebSocket("open sesame")}):
        with pytest.raises(mxp.Failure, match="bad_value"):
            asyncio.run(connect(**options))


async def test_shared_memory(tmp_path, caplog):
    async with mxp.Server(Ledger(), drain_timeout=0.5) as server:
        [address] = await server.listen(shared(tmp_path))
        assert address.startswith("mxp+shm://")
        async with LedgerClient(address) as client:
            assert await client.echo(ENTRY) == ENTRY
            large = ledger.Blob(data=bytes(range(256)) * 20_000)
            assert await client.blob(large) == large
            assert len([entry async for entry in client.list(ledger.Range(first=0, last=3000))]) == 3000
        with LedgerClient.sync(address) as blocking:
            assert await asyncio.to_thread(blocking.echo, ENTRY) == ENTRY
    assert "no shared memory" not in caplog.text, "a connection would go over the socket"


async def test_websocket_and_its_token():
    rules = mxp.WebSocket("sesame", hosts=["studio.example"], origins=["https://studio.example"])
    async with mxp.Server(Ledger(), drain_timeout=0.5, websocket=rules) as server:
        [address] = await server.listen("mxp+ws://127.0.0.1:0/ledger")
        assert not address.endswith(":0/ledger")
        async with LedgerClient(address, websocket=mxp.WebSocket("sesame")) as client:
            assert await client.echo(ENTRY) == ENTRY
            assert len([entry async for entry in client.list(ledger.Range(first=0, last=3000))]) == 3000
        for wrong in (None, mxp.WebSocket("simsim")):
            async with LedgerClient(address, websocket=wrong, connect_timeout=1.0) as client:
                with pytest.raises(mxp.Failure) as found:
                    await client.echo(ENTRY)
                assert not found.value.acted


async def test_peers_of_transports(tmp_path):
    seen = []

    class Seeing(Ledger):
        """A server that keeps the addresses of its peers."""

        def nothing(self, request, context):
            seen.append(context.peer.split(":")[0])
            return request

    async with mxp.Server(Seeing(), drain_timeout=0.5) as server:
        for address in await server.listen(shared(tmp_path, "m"), local(tmp_path, "u"), "mxp+ws://127.0.0.1:0/"):
            async with LedgerClient(address) as client:
                await client.nothing(NOTHING)
    assert seen == ["mxp+shm", "mxp+pipe" if sys.platform == "win32" else "mxp+unix", "mxp+ws"]
