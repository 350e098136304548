//! The order in which connections are read again that are not read.

use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Instant;

use super::Share;

/// How many lines there are: of connections that move bytes, the second, and of those that
/// don't.
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

/// The connections that are not read, by the order in which they came. Those that move bytes
/// wait apart, however many others there are.
#[derive(Debug, Default)]
pub(super) struct Lines {
    waiting: [BTreeMap<u64, Weak<Share>>; LINES],
    came: u64,
    /// When one of each was let on last.
    pub(super) served: [Option<Instant>; LINES],
}

impl Lines {
    /// Puts a connection at the end of its line.
    pub(super) fn push(&mut self, share: Weak<Share>, one: &Share, now: Instant) {
        let line = usize::from(one.is_moving(now));
        self.came += 1;
        one.place
            .store(self.came << 1 | line as u64, Ordering::Relaxed);
        self.waiting[line].insert(self.came, share);
    }

    /// Takes a connection out of its line.
    pub(super) fn remove(&mut self, one: &Share) -> Option<Weak<Share>> {
        let place = one.place.load(Ordering::Relaxed);
        self.waiting[usize::from(place & 1 == 1)].remove(&(place >> 1))
    }

    /// Lets a connection that has let go of memory change to the line of those that move.
    pub(super) fn moved(&mut self, one: &Share, now: Instant) {
        if one.place.load(Ordering::Relaxed) & 1 == 0 && one.is_moving(now) {
            if let Some(share) = self.remove(one) {
                self.push(share, one, now);
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.iter().map(BTreeMap::len).sum()
    }

    /// The first of a line, unless the one before was let on too short a time ago.
    pub(super) fn next(
        &mut self,
        line: usize,
        pause: Duration,
        now: Instant,
    ) -> Option<Arc<Share>> {
        let is_soon = |at| now < at + pause;
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
