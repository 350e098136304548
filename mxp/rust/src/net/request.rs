//! What requests and answers have besides their values.

use core::time::Duration;
use std::borrow::ToOwned as _;
use std::string::String;
use std::vec::Vec;

use bytes::Bytes;

#[cfg(feature = "tokio")]
use crate::session::OnFull;
use crate::session::{Metadata, TraceContext};

/// The answer to a call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Reply {
    /// The answer.
    pub value: Bytes,
    /// What travels beside it.
    pub metadata: Vec<(String, Vec<u8>)>,
}

impl Reply {
    /// An answer that nothing travels beside.
    #[must_use]
    pub fn new(value: impl Into<Bytes>) -> Self {
        Self {
            value: value.into(),
            metadata: Vec::new(),
        }
    }

    /// Adds a key and a value beside the answer.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        self.metadata.push((key.into(), value.into()));
        self
    }
}

/// What a request has besides its value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Options {
    /// How long it may take.
    pub deadline: Option<Duration>,
    /// Where it belongs.
    pub trace: Option<TraceContext>,
    /// What travels beside the value.
    pub metadata: Vec<(String, Vec<u8>)>,
}

impl Options {
    /// No deadline, no trace, no metadata.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends after so long.
    #[must_use]
    pub const fn with_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Belongs to a trace.
    #[must_use]
    pub const fn with_trace(mut self, trace: TraceContext) -> Self {
        self.trace = Some(trace);
        self
    }

    /// Adds a key and a value.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        self.metadata.push((key.into(), value.into()));
        self
    }
}

/// What happens to an event for which there is no room in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum WhenFull {
    /// It waits for room.
    #[default]
    Wait,
    /// It is refused, with `limit_queue_bytes`.
    Refuse,
    /// It is dropped, and counted.
    DropNewest,
    /// The oldest ones that wait to be sent are dropped, and counted.
    DropOldest,
}

#[cfg(feature = "tokio")]
impl WhenFull {
    /// What a session does. It can't wait itself.
    pub(crate) const fn on_full(self) -> OnFull {
        match self {
            Self::Wait | Self::Refuse => OnFull::Refuse,
            Self::DropNewest => OnFull::DropNewest,
            Self::DropOldest => OnFull::DropOldest,
        }
    }
}

/// A duration in microseconds, at least 1: 0 would be for ever.
pub(crate) fn microseconds(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX).max(1)
}

pub(crate) fn lent(metadata: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
    let pairs = metadata.iter();
    pairs.map(|(key, value)| (&key[..], &value[..])).collect()
}

pub(crate) fn kept(metadata: Metadata<'_>) -> Vec<(String, Vec<u8>)> {
    let pairs = metadata.into_iter();
    pairs
        .map(|(key, value)| (key.to_owned(), value.to_vec()))
        .collect()
}
