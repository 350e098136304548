"""The services that a server has beside its program's: health and reflection, each by choice."""

import mesh_exchange_protocol as mxp
import pytest
from generated import ledger
from mesh_exchange_protocol.health import HealthClient, Report, State
from mesh_exchange_protocol.health import Request as Question
from mesh_exchange_protocol.reflection import DescribeRequest, Kind, ListRequest, ReflectionClient
from places import local
from test_services import Ledger


async def test_health(tmp_path):
    address = local(tmp_path, "ledger")
    server = mxp.Server(Ledger(), health=True)
    async with HealthClient(address) as client:
        async with server:
            await server.listen(address)
            for service, state in (("", State.SERVING), ("ledger.Ledger", State.SERVING), ("other.Service", State.UNKNOWN)):
                assert await client.check(Question(service=service)) == Report(state=state)
            watched = client.watch(Question(service=""))
            assert (await anext(watched)).state is State.SERVING
        assert [report.state async for report in watched] == [State.NOT_SERVING]  # it drains


async def test_reflection(tmp_path):
    address = local(tmp_path, "ledger")
    async with mxp.Server(Ledger(), reflection=True) as server, ReflectionClient(address) as client:
        await server.listen(address)
        assert (await client.list(ListRequest())).names == ["ledger.Ledger", "mxp.reflection.Reflection"]
        service = await client.describe(DescribeRequest(service="ledger.Ledger"))
        assert [method.name for method in service.methods] == [method.name for method in server.tables[0].methods.values()]
        kinds = {method.name: method.kind for method in service.methods}
        assert (kinds["echo"], kinds["list"], kinds["book"]) == (Kind.CALL, Kind.STREAM, Kind.EVENT)
        (echo,) = (method for method in service.methods if method.name == "echo")
        assert (echo.request.type, echo.response.type, echo.idempotent) == ("ledger.Entry", "ledger.Entry", True)
        flows = {method.name: (method.request.flows, method.response and method.response.flows) for method in service.methods}
        assert [flows[name] for name in ("echo", "list", "sum", "negate")] == [(False, False), (False, True), (True, False), (True, True)]
        assert flows["book"] == (False, None)
        (entry,) = (kind for kind in service.types if kind.name == "ledger.Entry")
        assert entry.layout_ == ledger.Entry.layout()
        with pytest.raises(mxp.Failure) as found:
            await client.describe(DescribeRequest(service="other.Service"))
        assert found.value.name == "service_unknown"


async def test_neither_is_served_unasked(tmp_path):
    address = local(tmp_path, "ledger")
    async with mxp.Server(Ledger()) as server, HealthClient(address) as health, ReflectionClient(address) as reflection:
        await server.listen(address)
        for question in (health.check(Question(service="")), reflection.list(ListRequest())):
            with pytest.raises(mxp.Failure) as found:
                await question
            assert found.value.name == "service_unknown"
