//! The parts of requests and answers besides their values.

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use bytes::Bytes;

use crate::session::{FullPolicy, Metadata};

/// The answer to a call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Reply {
    /// The answer.
    pub value: Bytes,
    /// The metadata that travels beside it.
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

/// The policy for an event for which there is no room in the queue.
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

impl WhenFull {
    /// The policy of a session, which can't wait itself.
    pub(crate) const fn on_full(self) -> FullPolicy {
        match self {
            Self::Wait | Self::Refuse => FullPolicy::Refuse,
            Self::DropNewest => FullPolicy::DropNewest,
            Self::DropOldest => FullPolicy::DropOldest,
        }
    }
}

/// A duration in microseconds.
pub(crate) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// A duration in microseconds, at least 1: 0 would be for ever.
pub(crate) fn microseconds(time: Duration) -> u64 {
    micros(time).max(1)
}

#[inline]
pub(crate) fn lent(metadata: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
    // Mostly there are none.
    if metadata.is_empty() {
        return Vec::new();
    }
    let pairs = metadata.iter();
    pairs.map(|(key, value)| (&key[..], &value[..])).collect()
}

#[inline]
pub(crate) fn kept(metadata: Metadata<'_>) -> Vec<(String, Vec<u8>)> {
    if metadata.is_empty() {
        return Vec::new();
    }
    let pairs = metadata.into_iter();
    pairs
        .map(|(key, value)| (key.to_owned(), value.to_vec()))
        .collect()
}
