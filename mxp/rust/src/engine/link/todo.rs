//! The work that is left for the driver of a connection.

use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use bytes::Bytes;

use super::ITEM_BYTES;
use crate::engine::agent::AgentQuery;
use crate::engine::method::MethodId;
use crate::engine::{MethodKind, Reply, Window};
use crate::session::{Records, TraceContext};

/// A request of the peer's, as it has come.
#[derive(Debug, Clone)]
pub(crate) struct Arrival {
    /// The number of its method.
    pub(crate) method: u16,
    pub(crate) value: Bytes,
    pub(crate) metadata: Vec<(String, Vec<u8>)>,
    pub(crate) deadline: Option<Duration>,
    pub(crate) trace: Option<TraceContext>,
    /// When it has come, in microseconds of the connection's clock.
    pub(crate) time: u64,
}

/// The work that is left behind what was told, when nothing of it is borrowed.
///
/// The first number of an event, and the second of a call or a stream, is the
/// service's.
pub(crate) enum Todo<T> {
    /// Runs the handler of an event, and acknowledges it if that is required.
    Event(u16, Arrival, Option<u64>),
    /// Runs it for each value of a batch, with a request that is the same but for that.
    Events(u16, Arrival, Batch),
    Answer(u64, u16, Arrival),
    Open(u64, u16, Arrival, Window),
    /// Answers a call when there is room in the queue.
    Wait(u64, MethodId, Reply),
    /// Refuses a request whose method there is not.
    Unknown(u64, u16, MethodKind, Arrival),
    Release(u64),
    /// Ends a handler, whose place is free when it is gone.
    Abort(T),
    /// Takes what came on a stream that nobody has.
    Forget(u64),
    /// Answers an agent request.
    Agent(u64, AgentQuery),
}

/// The bytes that it counts as beside its value: a queue has room for more than are in it.
const TODO_BYTES: usize = core::mem::size_of::<Todo<usize>>() + ITEM_BYTES;

impl<T> Todo<T> {
    /// The bytes that it holds while it waits, if it is an event without a place.
    pub(crate) fn held(&self) -> usize {
        match self {
            Self::Event(_, arrival, None) => arrival.value.len() + TODO_BYTES,
            Self::Events(_, _, batch) => batch.held(),
            _ => 0,
        }
    }

    /// How many requests it begins.
    pub(crate) const fn requests(&self) -> usize {
        match self {
            Self::Events(_, _, batch) => batch.left,
            _ => 1,
        }
    }

    /// Whether it begins a request, which has its turn among others.
    pub(crate) const fn is_request(&self) -> bool {
        matches!(
            self,
            Self::Event(..) | Self::Events(..) | Self::Answer(..) | Self::Open(..)
        )
    }
}

/// The values of a batch of events whose handlers have not begun.
pub(crate) struct Batch {
    /// All of the batch, which counts until the last is let go of [MXP-17.8].
    data: Bytes,
    /// How many there are, and where the first of them begins.
    left: usize,
    at: usize,
}

impl Batch {
    /// Those of records, whose bytes are kept.
    pub(crate) fn new(records: Records<'_>, keep: impl FnOnce(&[u8]) -> Bytes) -> Self {
        Self {
            data: keep(records.data()),
            left: records.len(),
            at: 0,
        }
    }

    /// Whether none is left.
    pub(crate) const fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// The next value.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<&[u8]> {
        let left = Records::of(self.left, self.data.get(self.at..)?);
        let mut values = left.iter();
        let value = values.next()?;
        self.at = self.data.len() - values.left().data().len();
        self.left = values.len();
        Some(value)
    }

    /// The bytes that it holds while it waits: its values are in one memory.
    fn held(&self) -> usize {
        self.data.len() + ITEM_BYTES
    }
}
