//! Running and sampling. It knows nothing of frames.

use std::time::{Duration, Instant};

use crate::allocations::count;

/// The number of samples of an operation, and the least time of one.
pub struct Rounds {
    pub count: usize,
    pub sample: Duration,
}

/// Something that is done so many times.
pub type Operation<'a> = Box<dyn FnMut(u64) + 'a>;

/// The median nanoseconds of each operation. In every round each is sampled once, in turn, so that other work of the
/// machine meets all alike. Every second round goes backwards, so that none is always first.
///
/// # Errors
///
/// Names an operation that allocates: none may.
pub fn medians(operations: &mut [Operation<'_>], rounds: &Rounds) -> Result<Vec<f64>, String> {
    let mut counts = Vec::new();
    for (i, operation) in operations.iter_mut().enumerate() {
        counts.push(calibrate(operation, rounds.sample));
        let allocated = count(|| operation(100));
        if allocated.allocations > 0 {
            let (times, bytes) = (allocated.allocations, allocated.bytes);
            return Err(format!(
                "operation {i} allocates {times} times, {bytes} bytes"
            ));
        }
    }
    let mut samples = vec![Vec::with_capacity(rounds.count); operations.len()];
    for round in 0..rounds.count {
        for i in 0..operations.len() {
            let i = if round % 2 == 0 {
                i
            } else {
                operations.len() - 1 - i
            };
            let took = time(&mut operations[i], counts[i]);
            samples[i].push(per_operation(took, counts[i]));
        }
    }
    Ok(samples.into_iter().map(median).collect())
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    let half = samples.len() / 2;
    if samples.len() % 2 == 1 {
        samples[half]
    } else {
        f64::midpoint(samples[half - 1], samples[half])
    }
}

fn time(operation: &mut Operation<'_>, n: u64) -> Duration {
    let start = Instant::now();
    operation(n);
    start.elapsed()
}

/// Finds how many operations take at least `sample`.
fn calibrate(operation: &mut Operation<'_>, sample: Duration) -> u64 {
    let mut n = 1;
    while time(operation, n) < sample {
        n *= 2;
    }
    n
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a sample takes far less than the 104 days of 53 bits of nanoseconds"
)]
fn per_operation(took: Duration, n: u64) -> f64 {
    took.as_nanos() as f64 / n as f64
}
