//! The requests of a peer that wait for the handler of an event [MXP-7.10].

use alloc::collections::VecDeque;

use crate::engine::driver::Driver;
use crate::engine::link::Todo;

/// How many requests may wait before nothing more is read.
const REQUESTS_MAX: usize = 1024;

/// A request that waits for its turn, or an event that has it.
pub(crate) enum Turn<D: Driver, R> {
    Waits(Todo<D>),
    /// The handler that runs.
    Runs(R),
}

impl<D: Driver, R> Turn<D, R> {
    /// The number of waiting requests, and the bytes of the requests without a place.
    fn waiting(&self) -> (usize, usize) {
        match self {
            Self::Waits(todo) => (todo.requests(), todo.held()),
            Self::Runs(_) => (0, 0),
        }
    }
}

/// An event whose handler is not done, and the requests that wait for that.
pub(crate) struct Lane<D: Driver, R> {
    turns: VecDeque<Turn<D, R>>,
    /// How many requests wait: a batch has many.
    requests: usize,
    /// The bytes of the events that wait and have no place.
    bytes: usize,
}

impl<D: Driver, R> Default for Lane<D, R> {
    fn default() -> Self {
        Self {
            turns: VecDeque::new(),
            requests: 0,
            bytes: 0,
        }
    }
}

impl<D: Driver, R> Lane<D, R> {
    pub(crate) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// Whether nothing more is to be read.
    pub(crate) const fn is_full(&self) -> bool {
        self.requests >= REQUESTS_MAX
    }

    /// The bytes of the events whose handler has not begun.
    pub(crate) const fn held(&self) -> usize {
        self.bytes
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Drops what waits, and returns how many requests that were.
    pub(crate) fn drop_waiting(&mut self) -> usize {
        self.turns.retain(|turn| matches!(turn, Turn::Runs(_)));
        self.bytes = 0;
        core::mem::take(&mut self.requests)
    }

    pub(crate) fn push_back(&mut self, turn: Turn<D, R>) {
        self.add(&turn);
        self.turns.push_back(turn);
    }

    pub(crate) fn push_front(&mut self, turn: Turn<D, R>) {
        self.add(&turn);
        self.turns.push_front(turn);
    }

    pub(crate) fn pop_front(&mut self) -> Option<Turn<D, R>> {
        let turn = self.turns.pop_front()?;
        let (requests, bytes) = turn.waiting();
        self.requests -= requests;
        self.bytes -= bytes;
        Some(turn)
    }

    fn add(&mut self, turn: &Turn<D, R>) {
        let (requests, bytes) = turn.waiting();
        self.requests += requests;
        self.bytes += bytes;
    }
}
