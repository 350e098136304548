//! How much a connection let go of lately.

use core::time::Duration;
use std::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

/// The longest time without reads that counts: the connection can't let go of memory that waits for
/// unread bytes.
const PAUSE_COUNTS: Duration = Duration::from_millis(100);

/// The bytes that were let go of in the last second at least, and in the last two at most, but
/// for the times in which the connection was not read.
#[derive(Debug, Default)]
pub(crate) struct Movement {
    began: Option<Instant>,
    now: usize,
    before: usize,
    paused: Option<Instant>,
    /// How much of pauses does not count.
    passed: Duration,
}

impl Movement {
    pub(crate) fn add(&mut self, bytes: usize, now: Instant) {
        self.turn(now);
        self.now += bytes;
    }

    pub(crate) fn bytes(&mut self, now: Instant) -> usize {
        self.turn(now);
        self.now + self.before
    }

    /// Says that the connection is not read any more.
    pub(crate) fn pause(&mut self, now: Instant) {
        self.paused.get_or_insert(now);
    }

    /// Says that the connection is read again.
    pub(crate) fn resume(&mut self, now: Instant) {
        self.passed += self.skipped(now);
        self.paused = None;
    }

    fn skipped(&self, now: Instant) -> Duration {
        let pause = self.paused.map(|time| now.saturating_duration_since(time));
        pause.unwrap_or_default().saturating_sub(PAUSE_COUNTS)
    }

    fn turn(&mut self, now: Instant) {
        let passed = self.passed + self.skipped(now);
        let now = now.checked_sub(passed).unwrap_or(now);
        let began = self.began.unwrap_or(now);
        let passed = now.saturating_duration_since(began);
        if self.began.is_some() && passed < SECOND {
            return;
        }
        let is_next = passed < 2 * SECOND;
        self.before = if is_next { self.now } else { 0 };
        self.now = 0;
        self.began = Some(if is_next && passed >= SECOND {
            began + SECOND
        } else {
            now
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn movement_is_of_the_last_second() {
        let mut movement = Movement::default();
        let at = Instant::now();
        let after = |millis| at + Duration::from_millis(millis);
        assert_eq!(movement.bytes(at), 0);
        movement.add(10, at);
        movement.add(5, after(900));
        assert_eq!(movement.bytes(after(950)), 15);
        assert_eq!(movement.bytes(after(1900)), 15);
        movement.add(7, after(2800));
        assert_eq!(movement.bytes(after(2850)), 7);
        assert_eq!(movement.bytes(after(3000)), 7);
        assert_eq!(movement.bytes(after(9000)), 0);
    }

    #[test]
    fn a_pause_counts_for_a_tenth_of_a_second() {
        let mut movement = Movement::default();
        let at = Instant::now();
        let after = |millis| at + Duration::from_millis(millis);
        movement.add(5, at);
        movement.pause(after(100));
        assert_eq!(movement.bytes(after(60_000)), 5);
        movement.resume(after(60_000));
        assert_eq!(movement.bytes(after(60_700)), 5);
        movement.add(7, after(60_900));
        assert_eq!(movement.bytes(after(61_000)), 12);
        assert_eq!(movement.bytes(after(61_900)), 7);
        assert_eq!(movement.bytes(after(63_000)), 0);
    }
}
