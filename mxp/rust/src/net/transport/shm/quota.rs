//! How many bytes the rings of all connections have [MXP-18.11].

use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// The bytes that the rings of a server, or of a client, may have.
#[derive(Clone)]
pub(super) struct Quota {
    used: Arc<AtomicUsize>,
    most: usize,
}

impl Quota {
    pub(super) fn new(most: usize) -> Self {
        let used = Arc::default();
        Self { used, most }
    }

    /// Takes so many bytes, if there are as many left.
    pub(super) fn reserve(&self, bytes: usize) -> Option<Reservation> {
        let more = |usage: usize| usage.checked_add(bytes).filter(|sum| *sum <= self.most);
        let order = Ordering::Relaxed;
        self.used.fetch_update(order, order, more).ok()?;
        Some(Reservation {
            quota: self.clone(),
            bytes,
        })
    }
}

/// Bytes of a quota, which others can have when this is dropped.
pub(super) struct Reservation {
    quota: Quota,
    bytes: usize,
}

impl Reservation {
    /// Takes so many more, if there are as many left.
    pub(super) fn add(&mut self, bytes: usize) -> bool {
        let Some(mut more) = self.quota.reserve(bytes) else {
            return false;
        };
        self.bytes += core::mem::take(&mut more.bytes);
        true
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.quota.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_reserved_than_there_is() {
        let quota = Quota::new(100);
        let mut first = quota.reserve(60).unwrap();
        assert!(quota.reserve(41).is_none() && quota.reserve(usize::MAX).is_none());
        assert!(!first.add(41) && first.add(40));
        assert!(quota.reserve(1).is_none());
        drop(first);
        assert!(quota.reserve(100).is_some());
    }
}
