//! The random draws of clients: pauses between attempts, and choices among connections.

/// A number from 0 to less than 1.
#[cfg(not(feature = "fixed-draws"))]
pub(crate) fn draw() -> f64 {
    fastrand::f64()
}

#[cfg(feature = "fixed-draws")]
pub(crate) fn draw() -> f64 {
    fixed::part().unwrap_or_else(fastrand::f64)
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
