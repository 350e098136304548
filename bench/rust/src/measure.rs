//! Running and sampling. It knows nothing of formats or targets.

use std::time::{Duration, Instant};

use crate::allocations::{count, Allocated};
use crate::subject::Operation;

#[cfg(test)]
mod tests;

/// One case of one codec after all rounds.
pub struct Measured {
    /// Nanoseconds of one operation, in the order of the rounds.
    pub samples: Vec<f64>,
    /// The allocations of one operation once its buffers have grown.
    pub allocated: Allocated,
}

/// Measures operations against each other: in every round each is sampled once, in turn, so that other work of
/// the machine meets all alike. Every second round goes backwards, so that none is always first.
pub fn group(
    operations: &mut [&mut Box<dyn Operation>],
    rounds: usize,
    sample: Duration,
) -> Vec<Measured> {
    let mut counts = Vec::new();
    let mut measured = Vec::new();
    for operation in operations.iter_mut() {
        counts.push(calibrate(&mut ***operation, sample));
        let allocated = count(|| operation.run(1));
        measured.push(Measured {
            samples: Vec::with_capacity(rounds),
            allocated,
        });
    }
    for round in 0..rounds {
        for i in 0..operations.len() {
            let i = if round % 2 == 0 {
                i
            } else {
                operations.len() - 1 - i
            };
            let took = time(&mut **operations[i], counts[i]);
            measured[i].samples.push(per_operation(took, counts[i]));
        }
    }
    measured
}

fn time(operation: &mut dyn Operation, n: u64) -> Duration {
    let start = Instant::now();
    operation.run(n);
    start.elapsed()
}

/// Finds how many operations take at least `sample`.
fn calibrate(operation: &mut dyn Operation, sample: Duration) -> u64 {
    let mut n = 1;
    loop {
        let took = time(operation, n);
        if took >= sample {
            return n;
        }
        // Aim a little past the sample, but trust a short measurement at most for a hundredfold.
        let aim = u128::from(n) * sample.as_nanos() * 6 / 5 / took.as_nanos().max(1);
        n = u64::try_from(aim)
            .unwrap_or(u64::MAX)
            .clamp(n + 1, n.saturating_mul(100));
    }
}

/// Rounded to a thousandth of a nanosecond: more digits say nothing.
#[expect(
    clippy::cast_precision_loss,
    reason = "a sample takes far less than the 104 days of 53 bits of nanoseconds"
)]
fn per_operation(took: Duration, n: u64) -> f64 {
    (took.as_nanos() as f64 / n as f64 * 1000.0).round() / 1000.0
}
