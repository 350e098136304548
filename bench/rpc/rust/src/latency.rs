//! A histogram of times, with buckets of at most 1/64 of their values.

use std::cell::RefCell;

use crate::plan::Percentiles;

/// Bits of a time that a bucket keeps.
const KEPT: u32 = 6;

/// More than the buckets of 64 bits.
const BUCKETS: usize = 64 << KEPT;

thread_local! {
    static HERE: RefCell<Histogram> = RefCell::new(Histogram::new());
}

/// Counts a time, for this thread. All clients have one.
pub fn note(nanoseconds: u64) {
    HERE.with_borrow_mut(|here| here.note(nanoseconds));
}

/// The percentiles of this thread's times, which are then forgotten.
pub fn take() -> Option<Percentiles> {
    HERE.with_borrow_mut(|here| std::mem::replace(here, Histogram::new()).percentiles())
}

struct Histogram {
    buckets: Vec<u32>,
    count: u64,
    max: u64,
}

impl Histogram {
    fn new() -> Self {
        Self {
            buckets: vec![0; BUCKETS],
            count: 0,
            max: 0,
        }
    }

    fn note(&mut self, nanoseconds: u64) {
        self.buckets[bucket(nanoseconds)] += 1;
        self.count += 1;
        self.max = self.max.max(nanoseconds);
    }

    fn percentiles(&self) -> Option<Percentiles> {
        (self.count > 0).then(|| Percentiles {
            p50: self.at(500),
            p99: self.at(990),
            p999: self.at(999),
            max: self.max,
        })
    }

    /// The time that so many of a thousand are not above.
    fn at(&self, thousandths: u64) -> u64 {
        let wanted = (self.count * thousandths).div_ceil(1000);
        let mut seen = 0;
        for (i, n) in self.buckets.iter().enumerate() {
            seen += u64::from(*n);
            if seen >= wanted {
                return middle(i).min(self.max);
            }
        }
        self.max
    }
}

/// Times below 128 have a bucket of their own.
fn bucket(time: u64) -> usize {
    let shift = (time | 1).ilog2().saturating_sub(KEPT);
    let kept = usize::try_from(time >> shift).unwrap_or(usize::MAX);
    (shift as usize * (1 << KEPT)) + kept
}

/// The middle of a bucket.
fn middle(bucket: usize) -> u64 {
    let of_one = 1_usize << KEPT;
    if bucket < 2 * of_one {
        return bucket as u64;
    }
    let shift = bucket / of_one - 1;
    let kept = bucket - shift * of_one;
    ((kept as u64) << shift) + (1 << (shift - 1))
}

#[cfg(test)]
mod tests {
    use super::{bucket, middle, Histogram, BUCKETS};

    #[test]
    fn a_time_is_near_the_middle_of_its_bucket() {
        for shift in 0..57 {
            for time in [
                1_u64 << shift,
                (1 << shift) + (1 << shift) / 3,
                (2 << shift) - 1,
            ] {
                let bucket = bucket(time);
                assert!(bucket < BUCKETS, "{time}");
                let off = middle(bucket).abs_diff(time);
                assert!(off <= time / 64, "{time}: {off}");
            }
        }
    }

    #[test]
    fn percentiles_are_of_what_was_noted() {
        let mut histogram = Histogram::new();
        assert!(histogram.percentiles().is_none());
        for time in 1..=100_000 {
            histogram.note(time);
        }
        let of = histogram.percentiles().unwrap();
        assert!(of.p50.abs_diff(50_000) < 1_000, "{}", of.p50);
        assert!(of.p99.abs_diff(99_000) < 2_000, "{}", of.p99);
        assert!(of.p999.abs_diff(99_900) < 2_000, "{}", of.p999);
        assert_eq!(of.max, 100_000);
    }
}
