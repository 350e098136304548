//! The clock of a connection, or of a client.

use core::time::Duration;
use std::time::Instant;

/// Counts microseconds from when something began.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock(Instant);

impl Clock {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Counts from a time.
    #[cfg(feature = "tokio")]
    pub(crate) const fn of(start: Instant) -> Self {
        Self(start)
    }

    /// The microseconds until now.
    pub(crate) fn now(self) -> u64 {
        self.since(Instant::now())
    }

    /// The microseconds until a time.
    pub(crate) fn since(self, time: Instant) -> u64 {
        let elapsed = time.saturating_duration_since(self.0);
        u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX)
    }

    /// The time that is so many microseconds later.
    pub(crate) fn instant(self, time: u64) -> Option<Instant> {
        self.0.checked_add(Duration::from_micros(time))
    }
}
