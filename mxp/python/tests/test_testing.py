"""A client of a service in the process of a test."""

import asyncio
import pathlib
import sys

import mesh_exchange_protocol as mxp
import pytest
from generated import ledger
from generated.ledger_services import LedgerClient
from mesh_exchange_protocol._core import Core
from test_services import ENTRY, NOTHING, Ledger, until


async def test_a_service_in_the_same_process():
    service = Ledger()
    async with mxp.testing.connect(service, LedgerClient) as client:
        assert await client.echo(ENTRY) == ENTRY
        await client.book(ledger.BookingMany("", 1), acked=True)
        assert [entry.id async for entry in client.list(ledger.Range(first=2, last=5))] == [2, 3, 4]
    assert service.listed == 4, "the service is the one that was given"
    assert asyncio.get_running_loop() not in Core._cores


async def test_options_reach_the_client():
    async with mxp.testing.connect(Ledger(), LedgerClient, deadline=7.0) as client:
        assert (await client.waited(NOTHING)).amount == 7
    with pytest.raises(TypeError, match="no option colour"):
        async with mxp.testing.connect(Ledger(), LedgerClient, colour="red"):
            pass
    assert asyncio.get_running_loop() not in Core._cores


async def test_two_at_once_are_apart():
    async with mxp.testing.connect(Ledger(), LedgerClient) as left, mxp.testing.connect(Ledger(), LedgerClient) as right:
        await left.book(ledger.BookingMany("", 1), acked=True)
        assert (await left.booked(NOTHING)).entries == 1
        assert (await right.booked(NOTHING)).entries == 0


async def test_a_handler_that_waits_is_cancelled():
    service = Ledger()
    async with mxp.testing.connect(service, LedgerClient) as client:
        waiting = asyncio.create_task(client.wait(NOTHING))
        await until(lambda: service.begun == 1)
        waiting.cancel()
    await until(lambda: service.gone == 1)


@pytest.mark.skipif(sys.platform == "win32", reason="a named pipe has no folder")
async def test_the_folder_is_removed():
    async with mxp.testing.connect(Ledger(), LedgerClient) as client:
        folder = pathlib.Path(client._addresses[0].removeprefix("mxp+unix://")).parent
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not folder.exists()
