"""Spans and durations of requests, by OpenTelemetry's API, under the names of docs/telemetry.md.

A program that exports has the SDK beside it, and passes its providers::

    telemetry = Telemetry(trace.get_tracer_provider(), metrics.get_meter_provider())
    async with Server(Desk(), telemetry=telemetry) as server: ...
    async with DeskClient(address, telemetry=telemetry) as desk: ...
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from opentelemetry import context as otel_context
from opentelemetry import trace as otel
from opentelemetry.context import Context as OtelContext
from opentelemetry.metrics import Histogram, MeterProvider
from opentelemetry.trace import Span, SpanKind, StatusCode, TracerProvider, TraceState
from opentelemetry.trace.propagation import set_span_in_context

from . import _telemetry_names as names
from ._client import Outgoing
from ._failure import CANCELLED, UNIMPLEMENTED, UNKNOWN, Failure
from ._method import CALL, EVENT
from ._options import Trace
from ._server import Context

SCOPE = "mesh-exchange-protocol"

TRACE_STATE = "tracestate"
"""The key of metadata with W3C's tracestate, which has ``TRACE_STATE_BYTES`` at most."""

TRACE_STATE_BYTES = 512

METHODS_MAX = 1024
"""The methods that are told apart: further ones are ``_OTHER``."""


class Telemetry:
    """The providers that a client or a server tells of its requests. Without one of them there are no spans, or no durations.

    A client's span is a child of the current one, or of the trace of its ``RequestOptions`` if that is another. Handlers run with the
    server's span as the current one. Several clients and servers may share an object.
    """

    def __init__(self, tracer_provider: TracerProvider | None = None, meter_provider: MeterProvider | None = None) -> None:
        self._tracer = None if tracer_provider is None else tracer_provider.get_tracer(SCOPE)
        meter = None if meter_provider is None else meter_provider.get_meter(SCOPE)
        self._client, self._server = (
            None if meter is None else meter.create_histogram(name, unit, description, explicit_bucket_boundaries_advisory=buckets)
            for name, unit, description, buckets in (names.CLIENT_CALL_DURATION, names.SERVER_CALL_DURATION)
        )
        self._known: set[str] = set()

    def _begin(
        self, is_server: bool, method: str, parent: OtelContext, attributes: Mapping[str, Any], is_known: bool = True
    ) -> RequestSpan:
        if is_known and method not in self._known:
            is_known = len(self._known) < METHODS_MAX
            if is_known:
                self._known.add(method)
        shown = method if is_known else names.OTHER
        attributes = {names.SYSTEM_NAME: names.SYSTEM, names.METHOD: shown, **attributes}
        span = None
        if self._tracer is not None:
            original = {} if is_known else {names.METHOD_ORIGINAL: method}
            span = self._tracer.start_span(
                method if is_known else names.SYSTEM,
                parent,
                SpanKind.SERVER if is_server else SpanKind.CLIENT,
                {**attributes, **original},
            )
            parent = set_span_in_context(span, parent)
        return RequestSpan(is_server, span, parent, self._server if is_server else self._client, attributes)

    @staticmethod
    def place_of(addresses: Sequence[str]) -> Mapping[str, Any]:
        """The attributes of the servers at addresses: the host and port of a single one, else all places."""
        places = list(dict.fromkeys(address.partition("://")[2] for address in addresses if address.startswith("mxp+")))
        if len(places) == 1 and not places[0].startswith("/"):
            host, colon, port = places[0].partition("/")[0].rpartition(":")
            if colon and port.isdecimal():
                return {names.SERVER_ADDRESS: host.removeprefix("[").removesuffix("]"), names.SERVER_PORT: int(port)}
        return {names.SERVER_ADDRESS: ",".join(places)} if places else {}

    async def ask(self, outgoing: Outgoing, place: Mapping[str, Any], step: Callable[[], Awaitable[Any]]) -> Any:
        """Tells of a client's request. Its span ends with the answer; that of a stream, with the stream."""
        here = otel_context.get_current()
        current = otel.get_current_span(here).get_span_context()
        if outgoing.trace is not None and int.from_bytes(outgoing.trace.id, "big") != current.trace_id:
            here = _remote(outgoing.trace, outgoing.metadata, here)
        span = self._begin(False, outgoing.method.path, here, place)
        outgoing.trace = span.trace() or outgoing.trace
        state = span.state()
        if 0 < len(state) <= TRACE_STATE_BYTES:
            outgoing.metadata.setdefault(TRACE_STATE, state)
        try:
            value = await step()
        except BaseException as error:
            span.end(_failure_of(error))
            raise
        if outgoing.method.kind in (CALL, EVENT):
            span.end(None)
        else:
            value.watch(span.end)
        return value

    def serve(self, context: Context) -> RequestSpan:
        """Begins to tell of a server's request. The task is in its span from then on, and so are the requests of the task."""
        span = self._begin(True, context.method.path, _parent(context), {})
        context.trace = span.trace() or context.trace
        otel_context.attach(span.context)
        return span

    def refuse(self, context: Context) -> None:
        """Tells of a request for a method that the server lacks."""
        span = self._begin(True, context.method.path, _parent(context), {}, is_known=False)
        span.end(Failure(UNIMPLEMENTED, "method_unknown", acted=False))


class RequestSpan:
    """A request that is told, until it ends."""

    def __init__(
        self, is_server: bool, span: Span | None, context: OtelContext, duration: Histogram | None, attributes: dict[str, Any]
    ) -> None:
        self.context = context
        self._is_server = is_server
        self._span = span
        self._duration = duration
        self._attributes = attributes
        self._begun = time.perf_counter()

    def trace(self) -> Trace | None:
        """The trace of the span; None where it has none."""
        context = otel.get_current_span(self.context).get_span_context()
        if not context.is_valid:
            return None
        return Trace(context.trace_id.to_bytes(16, "big"), context.span_id, int(context.trace_flags))

    def state(self) -> bytes:
        """W3C's tracestate of the span."""
        return otel.get_current_span(self.context).get_span_context().trace_state.to_header().encode()

    def end(self, failure: Failure | None) -> None:
        """Tells how the request has ended."""
        took = time.perf_counter() - self._begun
        status = 0 if failure is None else failure.status
        is_named = status < len(names.STATUS_CODES)
        code, *errors = names.STATUS_CODES[status] if is_named else (names.OTHER, True, True)
        ended: dict[str, Any] = {names.RESPONSE_STATUS_CODE: code}
        is_error = failure is not None and errors[self._is_server]
        if is_error and failure is not None:
            ended[names.ERROR_TYPE] = failure.name if failure.name in names.REFUSAL_NAMES else code
        if self._duration is not None:
            self._duration.record(took, {**self._attributes, **ended}, self.context)
        if self._span is not None:
            self._span.set_attributes(ended)
            if is_error:
                self._span.set_status(StatusCode.ERROR, str(failure))
            self._span.end()


def _parent(context: Context) -> OtelContext:
    """The context of a request that has come."""
    nothing = OtelContext()
    return nothing if context.trace is None else _remote(context.trace, context.metadata, nothing)


def _remote(trace: Trace, metadata: Mapping[str, bytes], context: OtelContext) -> OtelContext:
    """A context in the span of a peer."""
    text = metadata.get(TRACE_STATE, b"")
    state = TraceState.from_header([text.decode(errors="replace")]) if len(text) <= TRACE_STATE_BYTES else None
    identity = int.from_bytes(trace.id, "big")
    span = otel.SpanContext(identity, trace.parent, True, otel.TraceFlags(trace.flags), state)
    return set_span_in_context(otel.NonRecordingSpan(span), context)


def _failure_of(error: BaseException) -> Failure:
    if isinstance(error, Failure):
        return error
    if isinstance(error, asyncio.CancelledError):
        return Failure(CANCELLED, "cancelled")
    return Failure(UNKNOWN, "unknown", str(error), acted=False)
