//! The order in which connections are read again that are not read.

use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Instant;

/// The number of lines: the first is of connections that don't move bytes, the second of
/// connections that do.
const LINES: usize = 2;

/// How many bytes more a connection of each comes to hold in a turn while memory is scarce:
/// what it holds may wait for grants of its peer, or for the rest of a frame, without which
/// nothing makes it less.
pub(super) const TURN_BYTES: [usize; LINES] = [64 << 10, 256 << 10];

/// The least times between two of each that have a turn.
pub(super) const TURNS: [Duration; LINES] = [Duration::from_millis(100), Duration::from_millis(40)];

/// The least time between two of a line that are read again where more than half of all is held: what they take together in that time is to
/// leave the others time.
pub(super) const RESUME: Duration = Duration::from_millis(10);

/// The connections that are not read, by the order in which they came. Connections that move bytes
/// wait apart, however many others there are.
#[derive(Debug)]
pub(super) struct Lines<T> {
    waiting: [BTreeMap<u64, Weak<T>>; LINES],
    came: u64,
    /// When one of each was let on last.
    pub(super) served: [Option<Instant>; LINES],
}

impl<T> Default for Lines<T> {
    fn default() -> Self {
        Self {
            waiting: Default::default(),
            came: 0,
            served: Default::default(),
        }
    }
}

impl<T> Lines<T> {
    /// Puts a connection at the end of its line. Returns its place: which of them, and where
    /// in it.
    pub(super) fn push(&mut self, waiter: Weak<T>, is_moving: bool) -> u64 {
        let line = usize::from(is_moving);
        self.came += 1;
        self.waiting[line].insert(self.came, waiter);
        self.came << 1 | line as u64
    }

    /// Takes a connection out of its place.
    pub(super) fn remove(&mut self, place: u64) -> Option<Weak<T>> {
        self.waiting[usize::from(place & 1 == 1)].remove(&(place >> 1))
    }

    /// Lets a connection that has let go of memory change to the line of moving connections.
    /// Returns its new place.
    pub(super) fn moved(&mut self, place: u64, is_moving: impl FnOnce() -> bool) -> Option<u64> {
        if place & 1 == 1 || !is_moving() {
            return None;
        }
        let one = self.remove(place)?;
        Some(self.push(one, true))
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.iter().map(BTreeMap::len).sum()
    }

    /// The first of a line, unless the last one was let on too short a time ago.
    pub(super) fn next(&mut self, line: usize, pause: Duration, now: Instant) -> Option<Arc<T>> {
        let is_soon = |time| now < time + pause;
        if !pause.is_zero() && self.served[line].is_some_and(is_soon) {
            return None;
        }
        while let Some((_, first)) = self.waiting[line].pop_first() {
            if let Some(first) = first.upgrade() {
                self.served[line] = Some(now);
                return Some(first);
            }
        }
        None
    }
}
