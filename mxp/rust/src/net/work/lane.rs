//! The requests of a peer that wait for the handler of an event [MXP-7.10].

use std::collections::VecDeque;

use crate::net::methods::MethodId;
use crate::net::metrics::Measured;
use crate::net::service::Answer;
use crate::net::state::Todo;

/// How many requests may wait before nothing more is read.
const REQUESTS_MAX: usize = 1024;

/// A request that waits for its turn, or an event that has it.
pub(super) enum Turn {
    Waits(Todo),
    Runs(MethodId, Answer<()>, Option<u64>, Option<Measured>),
}

impl Turn {
    /// How many requests wait in it, and the bytes of those that have no place.
    fn waiting(&self) -> (usize, usize) {
        match self {
            Self::Waits(todo) => (todo.requests(), todo.held()),
            Self::Runs(..) => (0, 0),
        }
    }
}

/// An event whose handler is not done, and the requests that wait for that.
#[derive(Default)]
pub(super) struct Lane {
    turns: VecDeque<Turn>,
    /// How many requests wait: a batch has many.
    requests: usize,
    /// The bytes of the events that wait and have no place.
    bytes: usize,
}

impl Lane {
    pub(super) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// Whether nothing more is to be read.
    pub(super) const fn is_full(&self) -> bool {
        self.requests >= REQUESTS_MAX
    }

    /// The bytes of the events whose handler has not begun.
    pub(super) const fn held(&self) -> usize {
        self.bytes
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Drops what waits, and returns how many requests that were.
    pub(super) fn drop_waiting(&mut self) -> usize {
        self.turns.retain(|turn| matches!(turn, Turn::Runs(..)));
        self.bytes = 0;
        core::mem::take(&mut self.requests)
    }

    pub(super) fn push_back(&mut self, turn: Turn) {
        self.add(&turn);
        self.turns.push_back(turn);
    }

    pub(super) fn push_front(&mut self, turn: Turn) {
        self.add(&turn);
        self.turns.push_front(turn);
    }

    pub(super) fn pop_front(&mut self) -> Option<Turn> {
        let turn = self.turns.pop_front()?;
        let (requests, bytes) = turn.waiting();
        self.requests -= requests;
        self.bytes -= bytes;
        Some(turn)
    }

    fn add(&mut self, turn: &Turn) {
        let (requests, bytes) = turn.waiting();
        self.requests += requests;
        self.bytes += bytes;
    }
}
