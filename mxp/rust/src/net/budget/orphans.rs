//! The events of connections that are gone [MXP-15.5].

use std::sync::atomic::Ordering;
use std::sync::Weak;

use super::{Budget, Share};

/// The part of a budget for events whose connections are gone.
const ORPHANED_PART: usize = 16;

/// The bytes that a connection takes that holds nothing.
pub(super) const CONNECTION_BYTES: usize = 6 << 10;

impl Share {
    /// Says how many bytes wait in events of a connection that is gone. Where all gone connections
    /// hold too much together, the largest have to drop their events.
    pub(crate) fn leave(&self, bytes: usize) {
        self.set(bytes);
        let is_none = bytes == 0 || self.is_crowded();
        self.orphan(if is_none { 0 } else { bytes + CONNECTION_BYTES });
        if self.budget.is_crowded() {
            self.budget.bound_orphaned();
        }
    }

    pub(super) fn orphan(&self, bytes: usize) {
        let before = self.orphaned.swap(bytes, Ordering::Relaxed);
        self.budget.orphaned.fetch_add(bytes, Ordering::Relaxed);
        self.budget.orphaned.fetch_sub(before, Ordering::Relaxed);
    }

    /// Whether the events that wait are to be dropped.
    pub(crate) fn is_crowded(&self) -> bool {
        self.is_crowded.load(Ordering::Relaxed)
    }
}

impl Budget {
    fn is_crowded(&self) -> bool {
        self.orphaned.load(Ordering::Relaxed) > self.most / ORPHANED_PART
    }

    /// Has those drop their events that have most of them, until the others have not too much.
    #[cold]
    fn bound_orphaned(&self) {
        let shares = self.shares();
        let all = shares.all.values().filter_map(Weak::upgrade);
        let mut all: std::vec::Vec<_> = all
            .map(|share| (share.orphaned.load(Ordering::Relaxed), share))
            .collect();
        drop(shares);
        all.sort_by_key(|(bytes, _)| *bytes);
        while let Some((_, largest)) = all.pop().filter(|_| self.is_crowded()) {
            largest.is_crowded.store(true, Ordering::Relaxed);
            largest.orphan(0);
            largest.wake.notify_one();
        }
    }
}
