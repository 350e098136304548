//! The time for which a side looks, before it announces that it waits, and sleeps.
//!
//! Looking is worth it where the peer runs on another processor meanwhile, and answers soon.
//! Where it has no processor of its own, who looks keeps it from running: so who has looked in
//! vain does not look the next time, and the more often that was so, the longer.

use core::time::Duration;
use std::time::Instant;

/// How many waits in a row pass at most without a look.
const PASSES: u32 = 63;

/// The looks of one half.
#[derive(Clone, Copy)]
pub(super) struct Spin {
    limit: Duration,
    wait: Wait,
    /// How many waits pass without a look when the next look is in vain.
    passes: u32,
    /// How many of them are left.
    left: u32,
}

/// The state of a wait.
#[derive(Clone, Copy)]
enum Wait {
    /// Nobody waits.
    No,
    /// Somebody looks.
    Looks(Instant),
    /// It was looked for long enough, or not at all.
    Sleeps,
}

impl Spin {
    pub(super) const fn new(limit: Duration) -> Self {
        Self {
            limit,
            wait: Wait::No,
            passes: 0,
            left: 0,
        }
    }

    /// Whether nothing is to be looked for any more in this wait.
    #[inline]
    pub(super) fn is_over(&mut self) -> bool {
        match self.wait {
            Wait::Sleeps => true,
            Wait::Looks(since) if since.elapsed() < self.limit => false,
            Wait::Looks(_) => {
                self.passes = (2 * self.passes + 1).min(PASSES);
                self.left = self.passes;
                self.wait = Wait::Sleeps;
                true
            }
            Wait::No if self.limit.is_zero() => true,
            Wait::No if self.left > 0 => {
                self.left -= 1;
                self.wait = Wait::Sleeps;
                true
            }
            Wait::No => {
                self.wait = Wait::Looks(Instant::now());
                false
            }
        }
    }

    /// Ends a wait, since something has come.
    #[inline]
    pub(super) fn came(&mut self) {
        if matches!(self.wait, Wait::Looks(_)) {
            self.passes = 0;
        }
        self.wait = Wait::No;
    }

    /// Begins another wait, after any result of the last. Returns whether there are looks at all.
    #[inline]
    #[cfg(feature = "tokio")]
    pub(super) fn renew(&mut self) -> bool {
        self.wait = Wait::No;
        !self.limit.is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many waits pass without a look, where each ends in vain.
    fn passed(spin: &mut Spin) -> u32 {
        let mut passed = 0;
        while spin.is_over() {
            passed += 1;
            spin.came();
        }
        passed
    }

    #[test]
    fn looks_that_are_in_vain_become_rare() {
        let mut spin = Spin::new(Duration::from_millis(1));
        for passes in [0, 1, 3, 7, 15, 31, 63, 63] {
            assert_eq!(passed(&mut spin), passes);
            std::thread::sleep(Duration::from_millis(1));
            assert!(spin.is_over());
            spin.came();
        }
        assert_eq!(passed(&mut spin), 63);
        spin.came();
        // A look that was not in vain is followed by others.
        assert_eq!(passed(&mut spin), 0);
    }

    #[test]
    fn a_limit_of_nothing_is_no_look() {
        assert!(Spin::new(Duration::ZERO).is_over());
    }
}
