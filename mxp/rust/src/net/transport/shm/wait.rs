//! How a side that is to wait says so, and when the other is to wake it [MXP-18.9].
//!
//! Each side writes one thing and then looks at another: a waiter announces its wait and looks for
//! bytes, a writer of bytes looks for a waiter. Between the two is a fence on both sides, or each
//! could look before the other's writing is to be seen, and one would sleep for ever. The crate
//! `model` runs this file in all orders that there are, and without its fences.

use super::atomic::{fence, AtomicU32, Ordering};

/// By what a side that waits is woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wakes {
    /// The bell of the other side's memory, on which a thread sleeps.
    Bell = 1,
    /// A byte on the socket, which a task's reactor looks after.
    Byte = 2,
}

/// The bits that say by what.
const BITS: u32 = 3;

/// The word of a side on itself: whether it waits.
#[derive(Debug, Clone, Default)]
pub(super) struct Waits {
    number: u32,
}

impl Waits {
    /// Says that the side is to wait. The caller looks again before it waits.
    #[inline]
    pub(super) fn announce(&mut self, word: &AtomicU32, wakes: Wakes) {
        let count = (self.number & !BITS).wrapping_add(BITS + 1);
        self.number = count | wakes as u32;
        word.store(self.number, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// Whether it has said so.
    #[inline]
    pub(super) const fn is_announced(&self) -> bool {
        self.number & BITS != 0
    }

    /// Says that it goes on.
    #[inline]
    pub(super) fn go_on(&mut self, word: &AtomicU32) {
        if self.is_announced() {
            self.number &= !BITS;
            word.store(self.number, Ordering::Relaxed);
        }
    }
}

/// The knowledge of a side of the other: for which of its numbers it was woken.
#[derive(Debug, Clone, Default)]
pub(super) struct Woken {
    number: u32,
}

impl Woken {
    /// Whether the other side is to be woken for the bytes written before this, and the means.
    #[inline]
    pub(super) fn is_due(&mut self, look: impl FnOnce() -> u32) -> Option<Wakes> {
        fence(Ordering::SeqCst);
        let number = look();
        let by = match number & BITS {
            1 => Wakes::Bell,
            2 => Wakes::Byte,
            _ => return None,
        };
        if number == self.number {
            return None;
        }
        self.number = number;
        Some(by)
    }
}
