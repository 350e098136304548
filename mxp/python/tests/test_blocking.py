"""Clients for threads: their values, and what ends a wait."""

import asyncio
import os
import subprocess
import sys
import threading
import time

import mesh_exchange_protocol as mxp
import pytest
from generated import ledger
from generated.ledger_services import LedgerClient
from mesh_exchange_protocol._core import Core
from places import local
from test_services import ENTRY, NOTHING, PYTHON, Ledger


class Served:
    """A server in an event loop of another thread."""

    def __init__(self, folder):
        self.address = local(folder)
        self.ready = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self.run()))

    async def run(self):
        self.loop, self.ended = asyncio.get_running_loop(), asyncio.Event()
        self.ledger = Ledger()
        async with mxp.Server(self.ledger, drain_timeout=0.5) as server:
            await server.listen(self.address)
            self.ready.set()
            await self.ended.wait()

    def __enter__(self):
        self.thread.start()
        assert self.ready.wait(20)
        return self

    def __exit__(self, *error):
        self.loop.call_soon_threadsafe(self.ended.set)
        self.thread.join(20)
        assert not self.thread.is_alive()


@pytest.fixture
def served(tmp_path):
    with Served(tmp_path) as server:
        yield server


def until(condition):
    """Waits until something holds, for 20 seconds at most."""
    late = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < late
        time.sleep(0.005)


def test_calls_events_and_streams(served):
    with LedgerClient.sync(served.address, deadline=20.0) as client:
        assert client.echo(ENTRY) == ENTRY
        client.book(ledger.BookingMany("", 1))
        client.book(ledger.BookingMany("", 1), acked=True)
        assert client.booked(NOTHING).entries == 2
        assert [entry.id for entry in client.list(ledger.Range(first=2, last=2000))] == list(range(2, 2000))
        with client.sum() as stream:
            for _ in range(3000):
                stream.send(ENTRY)
            assert stream.finish().entries == 3000
        with client.negate() as stream:
            stream.send(ENTRY)
            assert stream.receive() == ENTRY
            stream.send(ENTRY)
            stream.finish()
            assert list(stream) == [ENTRY]
            assert stream.receive() is None
    assert repr(client.echo) == "<blocking method ledger.Ledger/echo>"


def test_deadlines_and_failures(served):
    with LedgerClient.sync(served.address, deadline=7.0) as client:
        assert client.waited(NOTHING).amount == 7
        assert client.waited(NOTHING, deadline=3.0).amount == 3
        with pytest.raises(mxp.Failure) as found:
            client.wait(NOTHING, deadline=0.05)
        assert (found.value.name, found.value.method) == ("deadline_exceeded", "ledger.Ledger/wait")
        with pytest.raises(mxp.Failure, match="a defect"):
            client.fail(ledger.Wanted(status=1, name="", text="", details=b""))
        with pytest.raises(ValueError, match="value_invalid in amount"):
            client.echo(ledger.Entry(id=1, text="", amount="x"))
        assert client.echo(ENTRY) == ENTRY
    with pytest.raises(mxp.Failure, match="address"):
        LedgerClient.sync("mxp+nothing://x")


def test_interceptors_run_in_the_loop(served):
    seen = []

    async def see(outgoing, following):
        seen.append(outgoing.method.name)
        if outgoing.request == NOTHING:
            client.echo(ENTRY)
        return await following(outgoing)

    with LedgerClient.sync(served.address, interceptors=[see]) as client:
        assert client.echo(ENTRY) == ENTRY
        with pytest.raises(RuntimeError, match="by an interceptor"):
            client.booked(NOTHING)
        assert [entry.id for entry in client.list(ledger.Range(first=0, last=2))] == [0, 1]
    assert seen == ["echo", "booked", "list"]


def test_a_closed_client_ends_the_waits_of_other_threads(served):
    client = LedgerClient.sync(served.address)
    ends = []

    def wait(action):
        try:
            action()
        except mxp.Failure as failure:
            ends.append(failure.name)

    entries = client.negate()
    entries.send(ENTRY)
    assert next(entries) == ENTRY
    threads = [threading.Thread(target=wait, args=(lambda: client.wait(NOTHING),)) for _ in range(8)]
    threads.append(threading.Thread(target=wait, args=(lambda: next(entries),)))
    for thread in threads:
        thread.start()
    until(lambda: served.ledger.begun == 8)
    client.close()
    for thread in threads:
        thread.join(20)
    assert ends == ["cancelled"] * 9
    until(lambda: served.ledger.gone == 8)
    with pytest.raises(RuntimeError, match="is closed"):
        client.echo(ENTRY)
    with pytest.raises((RuntimeError, mxp.Failure)):
        entries.send(ENTRY)
    entries.close()
    client.close()


def test_a_stream_that_is_left_ends_its_handler(served):
    with LedgerClient.sync(served.address) as client:
        with client.list(ledger.Range(first=0, last=1_000_000)) as entries:
            next(entries)
        until(lambda: served.ledger.left == 1)
        entries = client.list(ledger.Range(first=0, last=1_000_000))
        for _ in entries:
            break
        entries.close()
        until(lambda: served.ledger.left == 2)
        assert client.echo(ENTRY) == ENTRY
        entries = client.list(ledger.Range(first=0, last=1_000_000))
        next(entries)
    until(lambda: served.ledger.left == 3)


def test_threads_share_a_client(served):
    with LedgerClient.sync(served.address) as client, client.negate() as stream:
        answers, sums = [], []

        def work(number):
            for i in range(100):
                answers.append(client.echo(ledger.Entry(id=number, text=str(i), amount=0)).id == number)
            sums.append(sum(entry.id for entry in client.list(ledger.Range(first=0, last=300))))

        def send():
            for i in range(3000):
                stream.send(ledger.Entry(id=i, text="x" * 500, amount=0))
            stream.finish()

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)] + [threading.Thread(target=send)]
        for thread in threads:
            thread.start()
        assert [entry.id for entry in stream] == list(range(3000))
        for thread in threads:
            thread.join(20)
        assert answers == [True] * 800
        assert sums == [sum(range(300))] * 8


async def test_a_loop_may_run_in_the_thread(tmp_path):
    with Served(tmp_path) as served, LedgerClient.sync(served.address) as client:
        assert client.echo(ENTRY) == ENTRY  # as in a notebook
        assert await asyncio.to_thread(client.echo, ENTRY) == ENTRY
    assert asyncio.get_running_loop() not in Core._cores


def test_an_interrupt_ends_a_wait_alone(served):
    text = f"""
import os, signal, sys, threading
def interrupt():
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)
    else:
        os.kill(os.getpid(), signal.SIGINT)
from generated import ledger
from generated.ledger_services import LedgerClient
with LedgerClient.sync("{served.address}") as client:
    client.echo(ledger.Entry(id=1, text="", amount=0))
    threading.Timer(0.3, interrupt).start()
    try:
        client.wait(ledger.Nothing())
    except KeyboardInterrupt:
        print("interrupted")
    print(client.echo(ledger.Entry(id=7, text="", amount=0)).id)
    entries = client.negate()
    threading.Timer(0.3, interrupt).start()
    try:
        next(entries)
    except KeyboardInterrupt:
        print("interrupted")
    entries.send(ledger.Entry(id=8, text="", amount=0))
    print(next(entries).id)
LedgerClient.sync("{served.address}")  # is left open
"""
    ended = subprocess.run([*PYTHON, "-c", text], capture_output=True, text=True, timeout=30, check=False)
    assert (ended.returncode, ended.stdout.split()) == (0, ["interrupted", "7", "interrupted", "8"]), ended.stderr
    until(lambda: served.ledger.gone == 1)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_fork_makes_clients_of_its_own(served):
    with LedgerClient.sync(served.address) as client, client.negate() as entries:
        entries.send(ENTRY)
        child = os.fork()
        if child == 0:
            for action in (lambda: client.echo(ENTRY), lambda: entries.send(ENTRY), client.close):
                try:
                    action()
                except mxp.Failure as failure:
                    if failure.name == "core_forked":
                        continue
                os._exit(1)
            with LedgerClient.sync(served.address) as own:
                os._exit(0 if own.echo(ENTRY) == ENTRY else 2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert client.echo(ENTRY) == ENTRY
        assert next(entries) == ENTRY
