//! The deadlines of blocks.

use crate::system::{now, sleep_until};
use crate::{FRAMES, RATE};

/// How many blocks a second has.
pub(crate) const BLOCKS_PER_SECOND: u64 = RATE / FRAMES as u64;

/// Periods of a block each, by an absolute clock.
pub(crate) struct Periods {
    start: u64,
}

impl Periods {
    /// Periods of which the first begins a block from now.
    pub(crate) fn begin() -> Self {
        Self {
            start: now() + length(1),
        }
    }

    /// The time at which a block is due to begin, in nanoseconds. Until the next one's it is to be
    /// done.
    pub(crate) fn due(&self, block: u64) -> u64 {
        self.start + length(block)
    }

    /// Sleeps until a block is due.
    pub(crate) fn wait(&self, block: u64) {
        sleep_until(self.due(block));
    }
}

/// Nanoseconds that some blocks last, rounded down once, so that it does not add up.
pub(crate) const fn length(blocks: u64) -> u64 {
    blocks * FRAMES as u64 * 1_000_000 / (RATE / 1000)
}
