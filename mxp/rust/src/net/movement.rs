//! How much a connection let go of lately.

use core::time::Duration;
use std::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

/// The bytes that were let go of in the last second at least, and in the last two at most.
#[derive(Debug, Default)]
pub(crate) struct Movement {
    began: Option<Instant>,
    now: usize,
    before: usize,
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

    fn turn(&mut self, now: Instant) {
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
}
