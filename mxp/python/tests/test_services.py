"""Clients and servers in one process, and what becomes of requests when one side ends, waits or forks."""

import asyncio
import gc
import os
import pathlib
import pickle
import subprocess
import sys
import time

import mesh_exchange_protocol as mxp
import pytest
from generated import ledger
from generated.ledger_services import LedgerClient, LedgerService
from mesh_exchange_protocol._core import Core
from places import NOBODY, local

PYTHON = [*os.environ.get("MXP_EMULATOR", "").split(), sys.executable]
"""Words of a command that starts Python again: a kernel starts no programs of other machines by itself."""

ENTRY = ledger.Entry(id=1, text="one", amount=1)
NOTHING = ledger.Nothing()


class Ledger(LedgerService):
    """A server whose handlers wait as long as a test wants."""

    def __init__(self):
        self.gone = self.begun = self.left = 0
        self.listed = 0
        self.release = asyncio.Event()

    async def echo(self, request, context):
        return request

    async def fail(self, request, context):
        raise ValueError("a defect")

    async def wait(self, request, context):
        self.begun += 1
        try:
            await self.release.wait()
        except asyncio.CancelledError:
            self.gone += 1
            raise
        return request

    def waited(self, request, context):
        left = -1 if context.deadline is None else round(context.deadline - asyncio.get_running_loop().time())
        return ledger.Total(entries=self.gone, amount=left)

    def nothing(self, request, context):
        return request

    def blob(self, request, context):
        return request

    async def list(self, request, context):
        try:
            for number in range(request.first, request.last):
                self.listed = number
                yield ledger.Entry(id=number, text="x" * 1000, amount=0)
        finally:
            self.left += 1

    async def sum(self, requests, context):
        return ledger.Total(entries=len([1 async for _ in requests]), amount=0)

    async def negate(self, requests, context):
        async for entry in requests:
            yield entry

    def book(self, request, context):
        self.listed += 1

    def booked(self, request, context):
        return ledger.Total(entries=self.listed, amount=0)

    def round(self, request, context):
        return request


class Pair:
    """A server, and a client of it."""

    def __init__(self, tmp_path, **options):
        self.address = local(tmp_path)
        self.options = options

    async def __aenter__(self):
        self.ledger = Ledger()
        self.server = await mxp.Server(self.ledger, drain_timeout=0.5).__aenter__()
        await self.server.listen(self.address)
        self.client = await LedgerClient(self.address, **self.options).__aenter__()
        return self

    async def __aexit__(self, *error):
        await self.client.close()
        await self.server.close()
        assert asyncio.get_running_loop() not in Core._cores, "the core of the loop has ended"


async def until(condition):
    """Waits until something holds."""
    while not condition():
        await asyncio.sleep(0.005)


async def test_calls_and_their_deadlines(tmp_path):
    async with Pair(tmp_path, deadline=7.0) as pair:
        assert await pair.client.echo(ENTRY) == ENTRY
        assert (await pair.client.waited(NOTHING)).amount == 7
        assert (await pair.client.waited(NOTHING, deadline=3.0)).amount == 3
        assert (await pair.client.waited(NOTHING, deadline=None)).amount == -1
        with pytest.raises(mxp.Failure) as found:
            await pair.client.wait(NOTHING, deadline=0.05)
        assert (found.value.status, found.value.name) == (4, "deadline_exceeded")
        await until(lambda: pair.ledger.gone == 1)


async def test_a_cancelled_task_cancels_its_handler(tmp_path):
    async with Pair(tmp_path) as pair:
        tasks = [asyncio.create_task(pair.client.wait(NOTHING)) for _ in range(50)]
        await until(lambda: pair.ledger.begun == 50)
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(one, asyncio.CancelledError) for one in results)
        await until(lambda: pair.ledger.gone == 50)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await pair.client.wait(NOTHING)
        await until(lambda: pair.ledger.gone == 51)
        assert await pair.client.echo(ENTRY) == ENTRY


async def test_failures_of_handlers(tmp_path, caplog):
    async with Pair(tmp_path) as pair:
        with pytest.raises(mxp.Failure) as found:
            await pair.client.fail(ledger.Wanted(status=1, name="", text="", details=b""))
        assert str(found.value) == "ledger.Ledger/fail: Unknown (2) unknown: a defect; it may have been acted on"
        assert str(pickle.loads(pickle.dumps(found.value))).startswith("Unknown (2) unknown: a defect")
    assert "ValueError: a defect" in caplog.text


async def test_requests_that_can_not_be_encoded_are_not_sent(tmp_path):
    async with Pair(tmp_path) as pair:
        with pytest.raises(ValueError, match="value_invalid in amount"):
            await pair.client.echo(ledger.Entry(id=1, text="", amount="x"))
        assert await pair.client.echo(ENTRY) == ENTRY


async def test_a_client_that_leaves_a_stream_ends_its_handler(tmp_path):
    async with Pair(tmp_path) as pair:
        async with pair.client.list(ledger.Range(first=0, last=1_000_000)) as entries:
            await anext(entries)
        await until(lambda: not pair.server._tasks)
        await until(lambda: pair.ledger.left == 1)


async def test_a_stream_that_outlives_its_client_is_refused(tmp_path):
    async with Pair(tmp_path) as pair:
        async with pair.client.negate() as stream:
            await stream.send(ENTRY)
        await pair.client.close()
        with pytest.raises(mxp.Failure):
            await stream.send(ENTRY)
    assert asyncio.get_running_loop() not in Core._cores
    with pytest.raises(mxp.Failure):
        await stream.send(ENTRY)  # whose core is no more
    stream.close()


async def test_a_slow_reader_holds_its_writer(tmp_path):
    async with Pair(tmp_path) as pair:
        async with pair.client.list(ledger.Range(first=0, last=1_000_000)) as entries:
            await anext(entries)
            await asyncio.sleep(0.5)
            early = pair.ledger.listed
            await asyncio.sleep(0.5)
            assert pair.ledger.listed == early < 5000, "the writer waits for credit"
            for _ in range(5000):
                await anext(entries)
            assert pair.ledger.listed > early
        assert await pair.client.echo(ENTRY) == ENTRY


async def test_a_loop_that_computes_loses_no_connection(tmp_path):
    async with Pair(tmp_path) as pair:
        assert await pair.client.echo(ENTRY) == ENTRY
        time.sleep(3)  # the core answers pings meanwhile
        assert await pair.client.echo(ENTRY, deadline=5.0) == ENTRY


async def test_a_server_that_drains_answers_what_it_has(tmp_path):
    async with Pair(tmp_path) as pair:
        waiting = asyncio.create_task(pair.client.wait(NOTHING))
        await until(lambda: pair.ledger.begun == 1)
        closing = asyncio.create_task(pair.server.close())
        await asyncio.sleep(0.05)
        pair.ledger.release.set()
        assert await waiting == NOTHING
        await closing


async def test_requests_wait_for_the_next_server(tmp_path):
    async with Pair(tmp_path) as pair:
        await pair.server.close()
        waiting = asyncio.create_task(pair.client.echo(ENTRY, deadline=10.0))
        await asyncio.sleep(0.2)
        async with mxp.Server(Ledger()) as server:
            await server.listen(pair.address)
            assert await waiting == ENTRY


async def test_events_in_order_before_later_requests(tmp_path):
    async with Pair(tmp_path) as pair:
        for _ in range(100):
            await pair.client.book(ledger.BookingMany("", 1))
        assert (await pair.client.booked(NOTHING)).entries == 100


async def test_nobody_listens(tmp_path):
    async with LedgerClient(local(tmp_path, "none"), connect_timeout=0.2) as client:
        with pytest.raises(mxp.Failure) as found:
            await client.echo(ENTRY)
        assert (found.value.name, found.value.acted) == ("not_connected", False)
    with pytest.raises(mxp.Failure, match="address"):
        async with LedgerClient("mxp+nothing://x"):
            pass
    with pytest.raises(RuntimeError, match="async with"):
        await LedgerClient(NOBODY).echo(ENTRY)
    assert asyncio.get_running_loop() not in Core._cores


async def test_tls_and_certificates_of_clients(tmp_path):
    folder = pathlib.Path(__file__).parents[2] / "rust/tests/net/certificates"
    authority, other = str(folder / "authority.pem"), str(folder / "stranger.pem")
    certificate, key = str(folder / "mixer.pem"), str(folder / "mixer.key")
    own = mxp.TLS(authority, certificate, key)
    async with mxp.Server(Ledger(), tls=mxp.TLS(authority, str(folder / "server.pem"), str(folder / "server.key"))) as server:
        [address] = await server.listen("mxp+tls://127.0.0.1:0")
        address = address.replace("127.0.0.1", "localhost")
        async with LedgerClient(address, tls=own) as client:
            assert await client.echo(ENTRY) == ENTRY
        for strange in (mxp.TLS(other, certificate, key), mxp.TLS(authority)):
            async with LedgerClient(address, tls=strange, connect_timeout=1.0) as client:
                with pytest.raises(mxp.Failure) as found:
                    await client.echo(ENTRY)
                assert not found.value.acted
    with pytest.raises(mxp.Failure):
        async with mxp.Server(Ledger(), tls=mxp.TLS("", str(tmp_path / "none.pem"), key)):
            pass


def test_loops_one_after_the_other(tmp_path):
    async def once(i):
        path = tmp_path / str(i)
        path.mkdir()
        async with Pair(path) as pair:
            assert await pair.client.echo(ENTRY) == ENTRY

    for i in range(3):
        asyncio.run(once(i))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
async def test_a_fork_is_refused_by_name(tmp_path):
    async with Pair(tmp_path) as pair:
        assert await pair.client.echo(ENTRY) == ENTRY
        child = os.fork()
        if child == 0:
            try:
                pair.client._open_core().begin(lambda tag: Core.library.cancel(pair.client._core.pointer, tag), None)
            except mxp.Failure as failure:
                os._exit(0 if failure.name == "core_forked" else 2)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert await pair.client.echo(ENTRY) == ENTRY


@pytest.mark.skipif(sys.platform == "win32", reason="it reads the memory as other systems tell it")
async def test_memory_stays_where_it_is(tmp_path):
    import resource

    async with Pair(tmp_path) as pair:

        async def some():
            for _ in range(300):
                await pair.client.blob(ledger.Blob(data=bytes(10_000)))
            async with pair.client.list(ledger.Range(first=0, last=2000)) as entries:
                async for _ in entries:
                    pass

        await some()
        gc.collect()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(5):
            await some()
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8000, "kilobytes"
        core = pair.client._open_core()
        assert not core.tags
        await until(lambda: not core.ids)


def test_a_program_that_ends_amid_calls_ends(tmp_path):
    text = f"""
import asyncio
import mesh_exchange_protocol as mxp
from generated.ledger_services import LedgerClient
from generated import ledger
async def main():
    client = await LedgerClient("{local(tmp_path)}").connect()
    asyncio.create_task(client.echo(ledger.Entry(id=1, text="", amount=0)))
    await asyncio.sleep(0.1)
asyncio.run(main())
print("over")
"""
    ended = subprocess.run([*PYTHON, "-c", text], capture_output=True, text=True, timeout=20, check=False)
    assert (ended.returncode, ended.stdout) == (0, "over\n"), ended.stderr


def test_a_signal_drains(tmp_path):
    address = local(tmp_path)
    text = f"""
import asyncio
import signal
import sys
import threading
import mesh_exchange_protocol as mxp
def end():
    sys.stdin.read()
    signal.raise_signal(signal.SIGTERM)
async def main():
    async with mxp.Server() as server:
        waiting = asyncio.create_task(server.until_signal())
        print(await server.listen("{address}"), flush=True)
        threading.Thread(target=end).start()
        await waiting
asyncio.run(main())
"""
    with subprocess.Popen([*PYTHON, "-c", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert address in program.stdout.readline()
        program.stdin.close()  # upon which it raises the signal in another thread
        assert program.wait(10) == 0
