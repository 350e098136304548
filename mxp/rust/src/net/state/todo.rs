//! The work that is left for the task of a connection.

use std::vec::Vec;

use bytes::Bytes;
use tokio::task::AbortHandle;

use crate::net::asked::Asked;
use crate::net::budget::ITEM_BYTES;
use crate::net::methods::MethodId;
use crate::net::{Failure, Reply, Window};
use crate::session::{Kind, Records};

/// The work that is left behind what was told, when nothing of it is borrowed.
///
/// The first number of an event, and the second of a call or a stream, is the
/// service's.
pub(crate) enum Todo {
    /// Runs the handler of an event, and acknowledges it if that is required.
    Event(u16, Asked, Option<u64>),
    /// Runs it for each value of a batch, with a request that is the same but for that.
    Events(u16, Asked, Batch),
    Answer(u64, u16, Asked),
    Open(u64, u16, Asked, Window),
    /// Answers a call when there is room in the queue.
    Wait(u64, MethodId, Reply),
    Fail(u64, Failure),
    Release(u64),
    /// Ends a handler, whose place is free when it is gone.
    Abort(AbortHandle),
    /// Takes what came on a stream that nobody has.
    Forget(u64),
    /// Answers an agent request.
    Agent(u64, Result<Vec<u8>, Kind>),
}

/// The bytes that it counts as beside its value: a queue has room for more than are in it.
const TODO_BYTES: usize = size_of::<Todo>() + ITEM_BYTES;

impl Todo {
    /// The bytes that it holds while it waits, if it is an event without a place.
    pub(crate) fn held(&self) -> usize {
        match self {
            Self::Event(_, asked, None) => asked.value.len() + TODO_BYTES,
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
