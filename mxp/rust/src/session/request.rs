//! The requests of a user.

use alloc::vec::Vec;

use crate::session::mxp_control::{CallHeadRef, CallStartRef, MetadatumRef, Trace};
use crate::session::TraceContext;

/// A request, besides its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Request<'a> {
    /// Number of the service, by its place in the peer's list.
    pub service: u16,
    /// Number of the method in the service.
    pub method: u16,
    /// Microseconds after which it ends; 0 is never. For an event it means nothing.
    pub deadline: u64,
    /// Where it belongs.
    pub trace: Option<TraceContext>,
    /// The metadata that travels beside the value.
    pub metadata: &'a [(&'a str, &'a [u8])],
}

impl<'a> Request<'a> {
    /// A request without a deadline.
    #[must_use]
    pub const fn new(service: u16, method: u16) -> Self {
        Self {
            service,
            method,
            deadline: 0,
            trace: None,
            metadata: &[],
        }
    }

    /// Ends after so many microseconds.
    #[must_use]
    pub const fn with_deadline(mut self, microseconds: u64) -> Self {
        self.deadline = microseconds;
        self
    }

    /// Belongs to a trace.
    #[must_use]
    pub const fn with_trace(mut self, trace: Option<TraceContext>) -> Self {
        self.trace = trace;
        self
    }

    /// Is accompanied by keys and values.
    #[must_use]
    pub const fn with_metadata(mut self, metadata: &'a [(&'a str, &'a [u8])]) -> Self {
        self.metadata = metadata;
        self
    }

    pub(crate) fn head(&self) -> CallHeadRef<'a> {
        let trace = self.trace.map(|trace| {
            let mut out = Trace::default();
            (out.id, out.parent, out.flags) = (trace.id, trace.parent, trace.flags);
            out
        });
        CallHeadRef::new()
            .with_service(self.service)
            .with_method(self.method)
            .with_deadline(self.deadline)
            .with_trace(trace)
            .with_metadata(metadata(self.metadata))
    }

    /// Appends the start of a payload that it makes.
    pub(crate) fn append(&self, out: &mut Vec<u8>) -> Result<(), sdp::Error> {
        let head = self.head();
        CallStartRef { head }.append(out)
    }

    /// The trace id of its frames.
    pub(crate) fn trace_id(&self) -> u64 {
        self.trace.map_or(0, |trace| trace.low_half())
    }
}

pub(crate) fn metadata<'a>(pairs: &[(&'a str, &'a [u8])]) -> Vec<MetadatumRef<'a>> {
    let pairs = pairs.iter().map(|&(key, value)| {
        let mut pair = MetadatumRef::default();
        (pair.key, pair.value) = (key, value);
        pair
    });
    pairs.collect()
}

/// The policy for an event where the queue is full [MXP-9.5].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OnFull {
    /// It is refused.
    Refuse,
    /// It is dropped.
    DropNewest,
    /// The oldest ones that wait are dropped.
    DropOldest,
}
