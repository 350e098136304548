//! The random draws of clients: pauses between attempts, and choices among connections.

use core::time::Duration;

/// A number from 0 to less than 1.
#[cfg(not(feature = "fixed-draws"))]
fn part() -> f64 {
    fastrand::f64()
}

#[cfg(feature = "fixed-draws")]
fn part() -> f64 {
    fixed::part().unwrap_or_else(fastrand::f64)
}

/// A number from 0 to less than n.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "there are few connections"
)]
fn below(n: usize) -> usize {
    (part() * n as f64) as usize
}

/// Two different numbers from 0 to less than n, which is at least 2.
pub(crate) fn two(n: usize) -> (usize, usize) {
    let first = below(n);
    (first, (first + 1 + below(n - 1)) % n)
}

/// A part of a time.
pub(crate) fn pause(longest: Duration) -> Duration {
    longest.mul_f64(part())
}

#[cfg(feature = "fixed-draws")]
mod fixed {
    use core::sync::atomic::{AtomicU64, Ordering};

    /// The bits of the number that all draws are, and 1 more; 0: they are random.
    static BITS: AtomicU64 = AtomicU64::new(0);

    pub(super) fn part() -> Option<f64> {
        let bits = BITS.load(Ordering::Relaxed);
        bits.checked_sub(1).map(f64::from_bits)
    }

    /// Makes all draws the same number from now on, which is at least 0 and less than 1: for the
    /// player of traces.
    #[doc(hidden)]
    pub fn fix_draws(part: f64) {
        BITS.store(part.to_bits() + 1, Ordering::Relaxed);
    }
}

#[cfg(feature = "fixed-draws")]
pub use fixed::fix_draws;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_two_are_drawn_as_often_as_others() {
        const N: usize = 4;
        let mut count = [[0_u32; N]; N];
        for _ in 0..60_000 {
            let (first, second) = two(N);
            count[first][second] += 1;
        }
        for (first, row) in count.iter().enumerate() {
            for (second, &times) in row.iter().enumerate() {
                let is_right = if first == second {
                    times == 0
                } else {
                    (4_000..6_000).contains(&times)
                };
                assert!(is_right, "{first} and {second}: {times}");
            }
        }
    }

    #[test]
    fn a_pause_is_a_part_of_the_longest() {
        for _ in 0..1_000 {
            assert!(pause(Duration::from_secs(1)) < Duration::from_secs(1));
        }
    }
}
