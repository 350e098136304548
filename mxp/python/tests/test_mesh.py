"""Programs at a node of a mesh, ``sdp-mesh``: names, capabilities, events."""

import asyncio
import os
import subprocess

import mesh_exchange_protocol as mxp
import pytest
from generated import ledger
from generated.ledger_services import LedgerClient
from mesh_exchange_protocol._core import Core
from mesh_exchange_protocol.agents import find_agents, watch_agents
from places import NOBODY, local
from test_services import ENTRY, NOTHING, Ledger, until


class Node:
    """A node of a mesh, with its folder."""

    def __init__(self, folder):
        self.folder = folder
        self.address = local(folder, "node")
        self.program = None

    def start(self):
        place = self.address.partition("://")[2]
        command = [os.environ["SDP_MESH"], "up", "--data", f"{self.folder}/data", "--socket", place]
        with open(f"{self.folder}/node.log", "ab") as log:
            self.program = subprocess.Popen(command, stdout=log, stderr=log)

    def kill(self):
        self.program.kill()
        self.program.wait()


@pytest.fixture
def node(tmp_path, monkeypatch):
    node = Node(tmp_path)
    node.start()
    monkeypatch.setenv("MXP_MESH", node.address)
    yield node
    node.kill()


class Named(Ledger):
    """A server that says its name."""

    def __init__(self, name):
        super().__init__()
        self.name = name
        self.heard = []

    async def echo(self, request, context):
        return ledger.Entry(id=request.id, text=self.name, amount=0)

    async def book(self, request, context):
        self.heard.append((request, context.delivery))


async def names_of(client, count=30):
    """The names of the servers that answer."""
    return {(await client.echo(ENTRY)).text for _ in range(count)}


async def test_the_directory_lists_agents(node, tmp_path):
    server = mxp.Server(Named("left"))
    async with server:
        (address,) = await server.listen(local(tmp_path, "left"))
        watched = watch_agents(capability="book")
        assert (await anext(watched)).agents == []
        async with mxp.Announcement("studio.left", server=server, capabilities=["book"], lease=5.0) as first:
            epoch = await first.registered()
            (agent,) = (await anext(watched)).agents
            assert (agent.name, agent.capabilities, agent.services) == ("studio.left", ["book"], ["ledger.Ledger"])
            assert (agent.addresses, agent.epoch) == ([address], epoch)
            assert 0 < agent.lease <= 5_000_000
            for query in ({}, {"name": "studio.left"}, {"service": "ledger.Ledger"}, {"capability": "book", "node": node.address}):
                assert [one.name for one in (await find_agents(**query)).agents] == ["studio.left"]
            for query in ({"name": "studio"}, {"service": "ledger"}, {"capability": "book", "name": "other"}):
                assert (await find_agents(**query)).agents == []
        assert (await anext(watched)).agents == []
        await watched.aclose()
        with pytest.raises(mxp.Failure) as found:
            await find_agents(address=address)  # a server without a directory
        assert found.value.name == "agents_off"
    node.kill()
    with pytest.raises(mxp.Failure) as found:
        await find_agents(deadline=0.2)
    assert (found.value.name, found.value.acted) == ("not_connected", False)


async def test_programs_are_found_by_name_capability_and_service(node, tmp_path):
    left, right = mxp.Server(Named("left"), drain_timeout=0.5), mxp.Server(Named("right"), drain_timeout=0.5)
    async with left, right:
        await left.listen(local(tmp_path, "left"))
        await right.listen(local(tmp_path, "right"))
        first = mxp.Announcement("studio.left", server=left, capabilities=["book", "left"])
        second = mxp.Announcement("studio.right", server=right, capabilities=["book"])
        async with first:
            assert await first.registered() > 0
            async with second, LedgerClient("mesh:///?capability=book&service=ledger.Ledger") as client:
                assert await second.registered() > first.epoch
                while await names_of(client) != {"left", "right"}:
                    await asyncio.sleep(0.05)  # the client hears of an agent soon
                for address in ("mesh:///studio.right", "mesh:///?name=studio.right"):
                    async with LedgerClient(address, node=node.address) as other:
                        assert await names_of(other, 3) == {"right"}
                async with LedgerClient("mesh:///?capability=left") as other:
                    assert await names_of(other, 3) == {"left"}
                await second.close()
                while await names_of(client) != {"left"}:
                    await asyncio.sleep(0.05)
                with LedgerClient.sync("mesh:///?service=ledger.Ledger") as blocking:
                    assert (await asyncio.to_thread(blocking.echo, ENTRY)).text == "left"
        with pytest.raises(mxp.Failure) as found:
            while True:  # the name is gone soon
                async with LedgerClient("mesh:///studio.left", connect_timeout=0.5) as client:
                    await client.echo(ENTRY)
        assert not found.value.acted
    assert asyncio.get_running_loop() not in Core._cores


async def test_a_name_has_one_owner_and_a_greater_epoch_each_time(node):
    told = []
    async with mxp.Announcement("studio.desk", addresses=[NOBODY], lease=2.0, changed=told.append) as name:
        early = await name.registered()
        assert told[-1] == early
        async with mxp.Announcement("studio.desk", addresses=[NOBODY]) as other:
            await until(lambda: other.lost is not None and other.lost.name == "agent_taken")
            assert other.epoch == 0
            await name.close()
            assert await other.registered() > early
    assert all(isinstance(one, (int, mxp.Failure)) for one in told)


async def test_a_node_that_comes_again_has_the_names_again(node):
    told = []
    async with mxp.Announcement("studio.desk", addresses=[NOBODY], lease=1.0, changed=told.append) as name:
        await name.registered()
        node.kill()
        await until(lambda: name.lost is not None)
        node.start()
        await name.registered()
    kinds = [isinstance(one, mxp.Failure) for one in told]
    assert kinds[-3:] == [False, True, False]


async def test_events_reach_all_who_subscribe(node):
    left, right = Named("left"), Named("right")
    async with mxp.Subscription(left) as one, mxp.Subscription(right) as two, LedgerClient.publisher() as client:
        await one.ready()
        await two.ready()
        for number in range(100):
            await client.book(ledger.BookingMany("", number))
        await until(lambda: len(left.heard) == len(right.heard) == 100)
        assert [booking.times for booking, _ in left.heard] == list(range(100))
        assert all((delivery.number, delivery.deliveries, delivery.dropped) == (0, 1, 0) for _, delivery in left.heard)
        assert all(delivery.at > 1_700_000_000_000_000_000 for _, delivery in left.heard)
        with pytest.raises(mxp.Failure) as found:
            await client.echo(ENTRY)
        assert (found.value.status, found.value.name) == (12, "method_unknown")


def times(service):
    """The numbers of the events that a service has heard."""
    return [booking.times for booking, _ in service.heard]


async def test_durable_events_are_delivered_until_they_are_handled(node):
    class Moody(Named):
        """A handler that fails at first."""

        async def book(self, request, context):
            await super().book(request, context)
            if request.times == 3:
                raise mxp.Failure(3, "never")
            if context.delivery.deliveries == 1:
                raise ValueError("not yet")

    moody = Moody("moody")
    async with LedgerClient.publisher() as client:
        async with mxp.Subscription(moody, consumer="desk") as subscription:
            await subscription.ready()
            await client.book(ledger.BookingMany("", 1), acked=True)
            await until(lambda: len(moody.heard) == 2)
            assert [delivery.deliveries for _, delivery in moody.heard] == [1, 2]
            assert moody.heard[0][1].number == moody.heard[1][1].number > 0
        moody.heard.clear()
        # The consumer stays, and has what was published meanwhile; an id is kept once.
        for number in (5, 5, 3, 7):
            await client.book(ledger.BookingMany("", number), acked=True, event_id=f"take-{number}")
        async with mxp.Subscription(moody, consumer="desk"):
            await until(lambda: len(moody.heard) >= 5)
        assert sorted(times(moody)) == [3, 5, 5, 7, 7]
    later = Named("later")
    async with mxp.Subscription(later, consumer="archive", start="first"):
        await until(lambda: len(later.heard) == 4)
    number = later.heard[2][1].number
    numbered = Named("numbered")
    async with mxp.Subscription(numbered, consumer="numbered", start=number):
        await until(lambda: len(numbered.heard) == 2)
    assert numbered.heard[0][1].number == number


async def test_an_event_is_settled_before_its_subscription_ends(node):
    async with LedgerClient.publisher() as client:
        async with mxp.Subscription(Named("first"), consumer="desk") as subscription:
            await subscription.ready()
        for number in range(1, 31):
            service = Named("desk")
            heard = asyncio.Event()
            service.heard = Heard(heard.set)
            await client.book(ledger.BookingMany("", number), acked=True)
            async with mxp.Subscription(service, consumer="desk"):
                await heard.wait()  # and ends at once
            assert [(booking.times, delivery.deliveries) for booking, delivery in service.heard] == [(number, 1)]


class Heard(list):
    """The events that a service has heard, of which each is told."""

    def __init__(self, told):
        super().__init__()
        self.told = told

    def append(self, event):
        super().append(event)
        self.told()


async def test_a_thread_publishes(node):
    service = Named("desk")
    async with mxp.Subscription(service, consumer="desk") as subscription:  # which is ready when the node keeps events
        await subscription.ready()
        with LedgerClient.sync.publisher() as blocking:
            await asyncio.to_thread(blocking.book, ledger.BookingMany("", 4), acked=True)
        await until(lambda: service.heard)
    assert service.heard[0][1].number > 0


async def test_a_subscription_ends_behind_its_handler(node):
    class Slow(Named):
        """A handler that takes its time."""

        async def book(self, request, context):
            self.begun += 1
            await asyncio.sleep(0.2)
            await super().book(request, context)

    slow = Slow("slow")
    async with LedgerClient.publisher() as client, mxp.Subscription(slow) as subscription:
        await subscription.ready()
        await client.book(ledger.BookingMany("", 1))
        await until(lambda: slow.begun == 1)
        await subscription.close()
        assert len(slow.heard) == 1
        async with mxp.Subscription(Named("last"), consumer="last") as last:
            await last.ready()
            await client.book(ledger.BookingMany("", 2), acked=True)
            await until(lambda: last._services[0].heard)
    assert len(slow.heard) == 1


async def test_what_can_not_be_is_refused(node):
    for name in ("", "a b", "x" * 129):
        with pytest.raises(mxp.Failure, match="agent_invalid"):
            async with mxp.Announcement(name):
                pass
    for made in (mxp.Announcement("desk", node="carrier-pigeon://roof"), mxp.Subscription(Named("x"), node="carrier-pigeon://roof")):
        with pytest.raises(mxp.Failure, match="address"):
            async with made:
                pass
    with pytest.raises(mxp.Failure, match="no events"):
        async with mxp.Subscription():
            pass
    with pytest.raises(ValueError, match="at 'soon'"):
        mxp.Subscription(start="soon")
    for address in ("mesh:///?colour=red", "mesh:///a b"):
        with pytest.raises(mxp.Failure, match="address_invalid"):
            async with LedgerClient(address):
                pass
    with pytest.raises(mxp.Failure, match="alone"):
        async with LedgerClient("mesh:///desk", NOBODY):
            pass
    assert asyncio.get_running_loop() not in Core._cores


async def test_without_a_node_nothing_is_there(tmp_path):
    nowhere = local(tmp_path, "none")
    async with mxp.Announcement("desk", node=nowhere) as name, mxp.Subscription(Named("x"), node=nowhere) as heard:
        assert name.lost is not None
        assert heard.lost is not None
        async with LedgerClient("mesh:///desk", node=nowhere, connect_timeout=0.2) as client:
            with pytest.raises(mxp.Failure) as found:
                await client.nothing(NOTHING)
            assert not found.value.acted
