"""Spans and durations as OpenTelemetry's SDK exports them, against the lines that all languages have."""

import asyncio
import pathlib
import time
from types import SimpleNamespace

import mesh_exchange_protocol as mxp
import pytest
from generated import ledger
from generated.ledger_services import LedgerClient
from mesh_exchange_protocol import _abi
from mesh_exchange_protocol._stream import Channel
from mesh_exchange_protocol.telemetry import METHODS_MAX, Telemetry
from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from places import local
from test_services import NOTHING, Ledger

TEXT = ledger.Entry
PAYLOAD_MAX = 16 << 20

ECHO = mxp.Method("echo", "echo", 1, mxp.CALL, TEXT, TEXT)
REFUSE = mxp.Method("refuse", "refuse", 2, mxp.CALL, TEXT, TEXT)
HANG = mxp.Method("hang", "hang", 3, mxp.CALL, TEXT, TEXT)
COUNT = mxp.Method("count", "count", 4, mxp.SERVER_STREAM, TEXT, TEXT)
NOTICE = mxp.Method("notice", "notice", 5, mxp.EVENT, TEXT)
UNKNOWN = mxp.Method("unknown", "99", 99, mxp.CALL, TEXT, TEXT)

CASES = [line.split("\t", 2) for line in (pathlib.Path(__file__).parents[2] / "testdata/telemetry.tsv").read_text().splitlines()[1:]]
LONG_STATE = ",".join(f"v{i}={'x' * 200}" for i in range(3))
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)


def entry(text):
    return ledger.Entry(id=0, text=text, amount=0)


class Told(mxp.Service):
    _table = mxp.ServiceTable("demo.Told", [ECHO, REFUSE, HANG, COUNT, NOTICE])

    async def echo(self, request, context):
        return entry("x" * PAYLOAD_MAX) if request.text == "too_large" else request

    async def refuse(self, request, context):
        refusals = {"refused": mxp.Failure(5, "song_unknown"), "odd": mxp.Failure(4711, "4711")}
        raise refusals.get(request.text, ValueError("something is broken"))

    async def hang(self, request, context):
        if context.deadline is not None:
            context.deadline -= 10  # it is over before the client takes the request back
        await asyncio.Event().wait()

    async def count(self, request, context):
        for _ in range(3):
            yield request
        if request.text == "refused":
            raise mxp.Failure(5, "song_unknown")

    async def notice(self, request, context):
        pass


class ToldClient(mxp.Client):
    _tables = (mxp.ServiceTable("demo.Told", [ECHO, REFUSE, HANG, COUNT, NOTICE, UNKNOWN]),)


class Exported:
    """The spans and durations of one side."""

    def __init__(self):
        self.exporter, self.reader = InMemorySpanExporter(), InMemoryMetricReader()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.telemetry = Telemetry(self.tracers, MeterProvider([self.reader]))

    async def spans(self, count=1):
        """The spans, once there are as many."""
        while len(self.exporter.get_finished_spans()) < count:
            await asyncio.sleep(0.001)
        assert len(self.exporter.get_finished_spans()) == count
        return self.exporter.get_finished_spans()

    def measured(self, side, most):
        """The attributes of the only duration."""
        (resource,) = self.reader.get_metrics_data().resource_metrics
        ((metric,),) = (scope.metrics for scope in resource.scope_metrics)
        assert (metric.name, metric.unit) == (f"rpc.{side}.call.duration", "s")
        (point,) = metric.data.data_points
        assert point.count == 1
        assert 0 < point.sum <= most
        assert tuple(point.explicit_bounds) == BUCKETS
        return dict(point.attributes)


def line(span, port):
    shown = {**span.attributes, "server.port": "PORT"} if span.attributes.get("server.port") == port else span.attributes
    status = "error" if span.status.status_code is StatusCode.ERROR else "unset"
    return "\t".join([span.name, status, " ".join(f"{key}={shown[key]}" for key in sorted(shown))])


async def asked(case, client):
    """Makes the request of a case."""
    value = entry(case.removeprefix("stream_"))
    if case in ("answered", "too_large"):
        await client._call(ECHO, value, TEXT, {})
    elif case in ("refused", "failed", "odd"):
        await client._call(REFUSE, value, TEXT, {})
    elif case == "unknown":
        await client._call(UNKNOWN, value, TEXT, {})
    elif case == "cancelled":
        call = asyncio.create_task(client._call(HANG, value, TEXT, {}))
        await asyncio.sleep(0.2)
        call.cancel()
        await call
    elif case == "late":
        await client._call(HANG, value, TEXT, {"deadline": 0.1})
    elif case == "event":
        await client._event(NOTICE, value, True, {})
    else:
        stream = mxp.ServerStream(lambda: client._open(COUNT, value, {}), TEXT)
        assert len([one async for one in stream]) == 3


@pytest.mark.parametrize("case", sorted({case for case, _, _ in CASES}))
async def test_each_request_is_exported(case):
    here, there = Exported(), Exported()
    async with mxp.Server(Told(), telemetry=there.telemetry) as server:
        (address,) = await server.listen("mxp+tcp://127.0.0.1:0")
        begun = time.perf_counter()
        async with ToldClient(address, telemetry=here.telemetry) as client:
            try:
                await asked(case, client)
                failure = None
            except (mxp.Failure, asyncio.CancelledError) as error:
                failure = str(error)
            ((asking,), (serving,)) = await here.spans(), await there.spans()
    took = time.perf_counter() - begun
    port = int(address.rpartition(":")[2])
    for side, exported, span, kind in (("client", here, asking, SpanKind.CLIENT), ("server", there, serving, SpanKind.SERVER)):
        (want,) = (text for name, of, text in CASES if (name, of) == (case, side))
        if (case, side) == ("too_large", "server"):
            # The core finds that the answer is too large, behind the handler's end.
            want = want.replace("=OUT_OF_RANGE", "=OK")
        assert line(span, port) == want
        assert span.kind is kind
        attributes = dict(span.attributes)
        attributes.pop("rpc.method_original", None)
        assert exported.measured(side, took) == attributes
    assert asking.context.trace_id == serving.context.trace_id
    assert (serving.parent.span_id, serving.parent.is_remote) == (asking.context.span_id, True)
    if failure and case != "cancelled":
        assert asking.status.description == failure


async def test_requests_are_of_the_span_they_are_made_in(tmp_path):
    """A handler's span is the current one: its requests are below it. Threads pass theirs, too."""

    class Relay(Ledger):
        async def nothing(self, request, context):
            assert trace.get_current_span().get_span_context().span_id == context.trace.parent
            await client.waited(request)
            return request

    here, there = Exported(), Exported()
    inner, outer = (local(tmp_path, name) for name in ("inner", "outer"))
    async with (
        mxp.Server(Ledger(), telemetry=there.telemetry) as server,
        mxp.Server(Relay(), telemetry=there.telemetry) as front,
        LedgerClient(inner, telemetry=there.telemetry) as client,
    ):
        await server.listen(inner)
        await front.listen(outer)
        tracer = here.tracers.get_tracer("test")
        with tracer.start_as_current_span("work"):
            async with LedgerClient(outer, telemetry=here.telemetry) as caller:
                await caller.nothing(NOTHING)

            def ask():
                with LedgerClient.sync(outer, telemetry=here.telemetry) as blocking:
                    blocking.nothing(NOTHING)

            await asyncio.to_thread(ask)
    first, second, work = await here.spans(3)
    assert first.parent.span_id == second.parent.span_id == work.context.span_id
    assert dict(first.attributes)["server.address"] == outer.partition("://")[2]
    found = await there.spans(6)
    by_id = {span.context.span_id: span for span in (*found, first, second, work)}
    for span in found:
        assert span.context.trace_id == work.context.trace_id
        want = {SpanKind.SERVER: SpanKind.CLIENT, SpanKind.CLIENT: SpanKind.SERVER}[span.kind]
        assert by_id[span.parent.span_id].kind is want


async def test_a_trace_of_options_is_the_parent(tmp_path):
    """Its state passes, too; without a span of its own a client passes the trace as it is."""
    address = local(tmp_path, "ledger")
    seen = []

    async def seeing(context, step):
        seen.append((context.trace, context.metadata.get("tracestate")))
        await step()

    here, times = Exported(), Telemetry(meter_provider=MeterProvider([InMemoryMetricReader()]))
    given = mxp.Trace(bytes(range(16)), 7, 1)
    async with mxp.Server(Ledger(), interceptors=[seeing]) as server:
        await server.listen(address)
        async with LedgerClient(address, telemetry=here.telemetry) as client:
            await client.nothing(NOTHING, trace=given, metadata={"tracestate": b"vendor=1"})
            await client.nothing(NOTHING, trace=given, metadata={"tracestate": LONG_STATE.encode()})
        async with LedgerClient(address, telemetry=times) as client:
            await client.nothing(NOTHING, trace=given)
    first, second = await here.spans(2)
    assert (first.parent.trace_id, first.parent.span_id) == (int.from_bytes(given.id, "big"), 7)
    assert first.context.trace_state == {"vendor": "1"}
    assert second.context.trace_state == {}
    assert seen[0] == (mxp.Trace(given.id, first.context.span_id, 1), b"vendor=1")
    assert seen[2] == (given, None)


async def test_a_client_passes_the_state_of_its_span(tmp_path):
    address = local(tmp_path, "ledger")
    states = []

    async def seeing(context, step):
        states.append(context.metadata.get("tracestate"))
        await step()

    here = Exported()
    async with mxp.Server(Ledger(), interceptors=[seeing]) as server, LedgerClient(address, telemetry=here.telemetry) as client:
        await server.listen(address)
        for state in ("vendor=2", LONG_STATE):
            span = trace.SpanContext(9, 7, True, trace.TraceFlags(1), trace.TraceState.from_header([state]))
            attached = otel_context.attach(trace.set_span_in_context(trace.NonRecordingSpan(span)))
            await client.nothing(NOTHING)
            otel_context.detach(attached)
    assert states == [b"vendor=2", None]


async def test_streams_that_are_left_are_cancelled(tmp_path):
    here, there = Exported(), Exported()
    address = local(tmp_path, "ledger")
    async with (
        mxp.Server(Ledger(), telemetry=there.telemetry) as server,
        LedgerClient(address, telemetry=here.telemetry) as client,
    ):
        await server.listen(address)
        async with client.list(ledger.Range(first=0, last=100_000)) as stream:
            await anext(stream)
            assert not here.exporter.get_finished_spans()
        ((span,), (serving,)) = await here.spans(), await there.spans()
        assert span.attributes["rpc.response.status_code"] == "CANCELLED"
        assert serving.attributes["rpc.response.status_code"] == "CANCELLED"


def test_a_stream_that_is_over_is_told_at_once():
    """Its end may come before anybody watches it."""
    ends = []
    channel = Channel(SimpleNamespace(ids={}), 1)
    channel._handle(_abi.Done(kind=_abi.OVER, status=5))
    channel.watch(ends.append)
    assert [end.status for end in ends] == [5]
    later = Channel(SimpleNamespace(ids={}), 2)
    later.watch(ends.append)
    assert len(ends) == 1
    later._handle(_abi.Done(kind=_abi.OVER))
    assert ends[1:] == [None]


async def test_nobody_answers():
    here = Exported()
    async with LedgerClient("mxp+tcp://127.0.0.1:9", telemetry=here.telemetry, connect_timeout=0.05) as client:
        with pytest.raises(mxp.Failure):
            await client.nothing(NOTHING)
        with pytest.raises(mxp.Failure):
            [one async for one in client.list(ledger.Range(first=0, last=1))]
    for span in await here.spans(2):
        assert span.attributes["error.type"] == "not_connected"


def test_methods_beyond_the_most_are_others():
    here = Exported()
    for number in range(METHODS_MAX + 2):
        here.telemetry._begin(True, f"demo.Told/{number}", otel_context.Context(), {}).end(None)
    *_, known, other, last = here.exporter.get_finished_spans()
    assert known.name == f"demo.Told/{METHODS_MAX - 1}"
    assert (other.name, last.name) == ("mxp", "mxp")
    assert other.attributes["rpc.method"] == "_OTHER"
    assert other.attributes["rpc.method_original"] == f"demo.Told/{METHODS_MAX}"


@pytest.mark.parametrize(
    ("addresses", "want"),
    [
        (["mxp+unix:///run/a.sock"], {"server.address": "/run/a.sock"}),
        (["mxp+unix:///run/a:1"], {"server.address": "/run/a:1"}),
        (["mxp+tcp://127.0.0.1:80"], {"server.address": "127.0.0.1", "server.port": 80}),
        (["mxp+tls://[::1]:80"], {"server.address": "::1", "server.port": 80}),
        (["mxp+ws://host:80/path"], {"server.address": "host", "server.port": 80}),
        (["mxp+tcp://a:1", "mxp+tcp://a:1", "mxp+tcp://b:2"], {"server.address": "a:1,b:2"}),
        (["mesh:///desk"], {}),
        (["publisher:"], {}),
    ],
)
def test_places_are_addresses_and_ports(addresses, want):
    assert Telemetry.place_of(addresses) == want
