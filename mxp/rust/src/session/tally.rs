//! The refusals that a peer has caused [MXP-9.7].

use crate::session::timing::after;
use crate::session::{Kind, Limits, Session};

const MILLISECOND: u64 = 1000;

/// How many there are, less what was taken off.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tally {
    /// How many may be.
    most: u64,
    /// How many each millisecond takes off.
    per_ms: u64,
    count: u64,
    /// When the count was 0, or what time has taken off last.
    since: u64,
}

impl Tally {
    pub(crate) fn new(limits: &Limits, now: u64) -> Self {
        Self {
            most: limits.refusals as u64,
            per_ms: (limits.refusals_per_ms as u64).max(1),
            count: 0,
            since: now,
        }
    }

    /// Whether there are more than may be, as of the last time that was told.
    pub(crate) const fn is_over(&self) -> bool {
        self.count > self.most
    }

    /// Takes one off.
    pub(crate) fn answered(&mut self) {
        self.count = self.count.saturating_sub(1);
    }

    /// Takes off what time does.
    pub(crate) fn pass(&mut self, now: u64) {
        let n = now.saturating_sub(self.since) / MILLISECOND;
        let off = n.saturating_mul(self.per_ms);
        if off < self.count {
            self.count -= off;
            self.since += n * MILLISECOND;
        } else {
            (self.count, self.since) = (0, now);
        }
    }

    /// When there are no more than may be.
    pub(crate) fn due(&self) -> Option<u64> {
        let over = self
            .count
            .checked_sub(self.most)
            .filter(|&excess| excess > 0)?;
        after(self.since, over.div_ceil(self.per_ms) * MILLISECOND)
    }
}

impl Session {
    /// Counts a refusal that the peer has caused.
    pub(crate) fn caused(&mut self, now: u64) {
        self.caused_all(1, now);
    }

    /// Counts refusals that the peer has caused at once.
    pub(crate) fn caused_all(&mut self, refusals: u64, now: u64) {
        let tally = &mut self.tally;
        tally.pass(now);
        let was_over = tally.is_over();
        tally.count += refusals;
        if tally.is_over() && !was_over {
            self.counters.refused(Kind::LimitRefusals.number());
        }
    }
}
