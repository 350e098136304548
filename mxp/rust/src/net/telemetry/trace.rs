//! W3C's trace context, as requests carry it and as OpenTelemetry has it.

use core::str::FromStr as _;
use std::string::String;
use std::vec::Vec;

use opentelemetry::trace::{SpanContext, SpanId, TraceFlags, TraceId, TraceState};

use crate::net::request_options::{first, TRACE_STATE, TRACE_STATE_BYTES};
use crate::session::TraceContext;

/// The trace context that a request has come with, or was given.
pub(super) fn remote(trace: TraceContext, metadata: &[(String, Vec<u8>)]) -> SpanContext {
    // A state that is too long, or can't be read, is none, as W3C has it.
    let state = first(metadata, TRACE_STATE).filter(|state| state.len() <= TRACE_STATE_BYTES);
    let state = state.and_then(|state| core::str::from_utf8(state).ok());
    let state = state.and_then(|state| TraceState::from_str(state).ok());
    SpanContext::new(
        TraceId::from_bytes(trace.id),
        SpanId::from_bytes(trace.parent.to_be_bytes()),
        TraceFlags::new(trace.flags),
        true,
        state.unwrap_or_default(),
    )
}

/// The trace context of requests that are made in a span.
pub(super) fn trace_of(span: &SpanContext) -> Option<TraceContext> {
    span.is_valid().then(|| TraceContext {
        id: span.trace_id().to_bytes(),
        parent: u64::from_be_bytes(span.span_id().to_bytes()),
        flags: span.trace_flags().to_u8(),
    })
}
