//! The work that is left for the task of a connection.

use std::vec::Vec;

use tokio::task::AbortHandle;

use crate::net::asked::Asked;
use crate::net::budget::ITEM_BYTES;
use crate::net::methods::MethodId;
use crate::net::{Failure, Reply, Window};
use crate::session::Kind;

/// The work that is left behind what was told, when nothing of it is borrowed.
///
/// The first number of an event, and the second of a call or a stream, is the
/// service's.
pub(crate) enum Todo {
    /// Runs the handler of an event, and acknowledges it if that is required.
    Event(u16, Asked, Option<u64>),
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

impl Todo {
    /// The bytes that it holds while it waits, if it is an event without a place.
    pub(crate) fn held(&self) -> usize {
        match self {
            Self::Event(_, asked, None) => asked.value.len() + ITEM_BYTES,
            _ => 0,
        }
    }

    /// Whether it begins a request, which has its turn among others.
    pub(crate) const fn is_request(&self) -> bool {
        matches!(self, Self::Event(..) | Self::Answer(..) | Self::Open(..))
    }
}
