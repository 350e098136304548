//! The calls of a connection, and events that are acknowledged, while they are waited for.

use alloc::boxed::Box;
use core::task::{Poll, Waker};

use crate::engine::{Failure, Reply};
use crate::session::ring::Ring;

/// The outcome of a call.
pub(super) type Outcome = Result<Reply, Box<Failure>>;

/// Answers that are waited for, or were not taken yet.
#[derive(Default)]
pub(super) struct Calls(Ring<State>);

enum State {
    /// The waker of the task that waits for it, if that is known already.
    Waits(Option<Waker>),
    Ended(Outcome),
}

impl Calls {
    /// Awaits an answer. Where it is known already who is to be woken by it, the waker says so.
    pub(super) fn insert(&mut self, id: u64, waker: Option<&Waker>) {
        self.0.insert(id, State::Waits(waker.cloned()));
    }

    /// Gives an answer to its waiter. Returns whether it was waited for.
    pub(super) fn end(&mut self, id: u64, outcome: impl FnOnce() -> Outcome) -> bool {
        let Some(state) = self.0.get_mut(id) else {
            return false;
        };
        let before = core::mem::replace(state, State::Ended(outcome()));
        if let State::Waits(Some(waker)) = before {
            waker.wake();
        }
        true
    }

    /// The outcome of a call, once it has come; nothing if there is no such call.
    pub(super) fn poll(&mut self, id: u64, waker: &Waker) -> Poll<Option<Outcome>> {
        if let Some(State::Waits(before)) = self.0.get_mut(id) {
            match before {
                Some(before) => before.clone_from(waker),
                None => *before = Some(waker.clone()),
            }
            return Poll::Pending;
        }
        Poll::Ready(match self.0.remove(id) {
            Some(State::Ended(outcome)) => Some(outcome),
            _ => None,
        })
    }

    /// Awaits no answer any more. Returns whether it was still awaited or not taken.
    pub(super) fn remove(&mut self, id: u64) -> bool {
        self.0.remove(id).is_some()
    }

    /// Gives back the memory that nothing needs.
    pub(super) fn rest(&mut self) {
        self.0.rest();
    }
}
