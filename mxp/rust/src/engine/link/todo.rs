//! The work that is left for the driver of a connection.

use alloc::boxed::Box;

use bytes::Bytes;

use crate::engine::agent::AgentQuery;
use crate::engine::budget::ITEM_BYTES;
use crate::engine::driver::{Arrival, Driver};
use crate::engine::method::MethodId;
use crate::engine::{MethodKind, Reply, Window};
use crate::session::Records;

/// The work that is left behind what was told, when nothing of it is borrowed.
///
/// The first number of an event, and the second of a call or a stream, is the
/// service's.
pub(crate) enum Todo<D: Driver> {
    /// Runs the handler of an event, and acknowledges it if that is required.
    Event(u16, D::Request, Option<u64>),
    /// Runs it for each value of a batch, with a request that is the same but for that.
    Events(u16, D::Request, Batch),
    Answer(u64, u16, D::Request),
    Open(u64, u16, D::Request, Window),
    /// Answers a call when there is room in the queue.
    Wait(u64, MethodId, Reply),
    /// Refuses a request whose method there is not.
    Unknown(u64, u16, MethodKind, Box<Arrival>),
    Release(u64),
    /// Ends a handler, whose place is free when it is gone.
    Abort(D::Task),
    /// Takes what came on a stream that nobody has.
    Forget(u64),
    /// Answers an agent request.
    Agent(u64, AgentQuery),
}

impl<D: Driver> Todo<D> {
    /// The bytes that it counts as beside its value: a queue has room for more than are in it.
    const BYTES: usize = core::mem::size_of::<Self>() + ITEM_BYTES;

    /// The bytes that it holds while it waits, if it is an event without a place.
    pub(crate) fn held(&self) -> usize {
        match self {
            Self::Event(_, request, None) => D::bytes(request) + Self::BYTES,
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
    /// A batch of records; a function keeps their bytes.
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
