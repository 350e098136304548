//! Tickets: a tag has one completion, also of an operation that does not come to its end.

use std::sync::Arc;

use mxp::net::Failure;
use mxp::session::Status;

use crate::code::Code;
use crate::completion::Outcome;
use crate::shared::{Operation, Phase, Shared};

/// The duty to complete a tag. A dropped ticket completes it, too: as cancelled, as closed, or as
/// a defect.
pub(crate) struct Ticket {
    shared: Arc<Shared>,
    tag: u64,
    /// Whether the operation has begun, so that somebody may have acted.
    has_begun: bool,
    is_ended: bool,
}

impl Ticket {
    /// Takes a tag.
    pub(crate) fn new(shared: &Arc<Shared>, tag: u64) -> Result<Self, Code> {
        let mut state = shared.lock();
        state.check()?;
        if tag == 0 || state.operations.contains_key(&tag) {
            return Err(Code::BadTag);
        }
        state.operations.insert(tag, Operation::default());
        drop(state);
        Ok(Self {
            shared: Arc::clone(shared),
            tag,
            has_begun: false,
            is_ended: false,
        })
    }

    /// Notes that the operation has begun.
    pub(crate) fn begun(mut self) -> Self {
        self.has_begun = true;
        self
    }

    /// Completes the tag.
    pub(crate) fn end(mut self, outcome: impl Into<Outcome>) {
        self.is_ended = true;
        self.shared.end(self.tag, outcome.into());
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.is_ended {
            return;
        }
        let state = self.shared.lock();
        let operation = state.operations.get(&self.tag);
        let is_cancelled = operation.is_some_and(|operation| operation.is_cancelled);
        let is_open = state.phase == Phase::Open;
        drop(state);
        let mut failure = match () {
            () if is_cancelled => cancelled(),
            () if is_open => Code::Internal.failure(),
            () => Code::CoreClosed.failure(),
        };
        failure.acted = self.has_begun;
        self.shared.end(self.tag, Outcome::Failed(failure));
    }
}

/// The failure of a cancelled operation.
pub(crate) fn cancelled() -> Failure {
    Failure::new(Status::CANCELLED, "cancelled", "")
}

impl Shared {
    /// Cancels the operation of a tag, which is completed all the same.
    pub(crate) fn cancel(&self, tag: u64) -> Result<(), Code> {
        let mut state = self.lock();
        let operation = state.operations.get_mut(&tag).ok_or(Code::UnknownId)?;
        operation.is_cancelled = true;
        let abort = operation.abort.clone();
        drop(state);
        if let Some(abort) = abort {
            abort.abort();
        }
        Ok(())
    }
}
