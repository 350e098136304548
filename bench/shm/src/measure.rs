//! Time: of each round trip, and of processors.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use rustix::thread::{sched_setaffinity, CpuSet};

use crate::rows::Row;
use crate::Outcome;

/// The number of round trips before the timed ones.
const WARM: u64 = 2000;
/// How many round trips there are where nothing is timed.
const ONCE: u64 = 50;

/// The times of round trips of one round.
pub struct Times {
    length: Option<Duration>,
    nanoseconds: Vec<u32>,
    count: usize,
}

impl Times {
    pub fn new(length: Duration) -> Self {
        Self {
            length: Some(length),
            // Touched before anything is timed.
            nanoseconds: vec![1; 16 << 20],
            count: 0,
        }
    }

    /// Times nothing.
    pub const fn once() -> Self {
        Self {
            length: None,
            nanoseconds: Vec::new(),
            count: 0,
        }
    }

    pub const fn count(&self) -> usize {
        self.count
    }

    /// Makes round trips, whose numbers a function is given, until there are enough.
    pub fn take(&mut self, mut trip: impl FnMut(u64) -> Outcome<()>) -> Outcome<()> {
        let Some(length) = self.length else {
            self.count = usize::try_from(ONCE)?;
            return (0..ONCE).try_for_each(trip);
        };
        for n in 0..WARM {
            trip(n)?;
        }
        let clock = Clock::new();
        let (begun, mut before) = (Instant::now(), Clock::ticks());
        while self.count < self.nanoseconds.len() {
            trip(WARM + self.count as u64)?;
            let after = Clock::ticks();
            self.nanoseconds[self.count] = clock.nanoseconds(after - before);
            before = after;
            self.count += 1;
            if self.count % 256 == 0 {
                if begun.elapsed() >= length {
                    break;
                }
                before = Clock::ticks();
            }
        }
        self.nanoseconds.truncate(self.count);
        Ok(())
    }
}

/// The counter of the processor, which is read in a few nanoseconds.
struct Clock {
    nanoseconds_per_tick: f64,
}

impl Clock {
    /// Finds out how fast it counts.
    #[allow(clippy::cast_precision_loss, reason = "the counts are of milliseconds")]
    fn new() -> Self {
        let (begun, before) = (Instant::now(), Self::ticks());
        while begun.elapsed() < Duration::from_millis(20) {}
        let (went_by, ticks) = (begun.elapsed().as_nanos(), Self::ticks() - before);
        Self {
            nanoseconds_per_tick: went_by as f64 / ticks as f64,
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn ticks() -> u64 {
        // SAFETY: each processor of x86-64 has it.
        unsafe { std::arch::x86_64::_rdtsc() }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn ticks() -> u64 {
        static BEGUN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        let begun = BEGUN.get_or_init(Instant::now);
        u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a round trip takes less than seconds"
    )]
    fn nanoseconds(&self, ticks: u64) -> u32 {
        (ticks as f64 * self.nanoseconds_per_tick) as u32
    }
}

/// Puts this thread, and the threads that it makes, on a processor.
pub fn pin(processor: usize) -> Outcome<()> {
    let mut set = CpuSet::new();
    set.set(processor);
    Ok(sched_setaffinity(None, &set)?)
}

/// A row as a line of JSON: percentiles of all round trips, and the median of each round.
pub fn line(row: &Row, rounds: Vec<Times>) -> String {
    let mut medians = String::new();
    let mut all = Vec::new();
    for mut round in rounds {
        round.nanoseconds.sort_unstable();
        let comma = if medians.is_empty() { "" } else { ", " };
        let _ = write!(medians, "{comma}{}", at(&round.nanoseconds, 0.5));
        all.append(&mut round.nanoseconds);
    }
    all.sort_unstable();
    let (peer, bytes) = (row.peer.name(), row.bytes);
    let placement = if row.sleeps { "one core" } else { "two cores" };
    let is_socket = row.peer == crate::rows::Peer::Socket;
    let waits = if row.sleeps || is_socket {
        "sleeping"
    } else {
        "spinning"
    };
    format!(
        "{{\"peer\": \"{peer}\", \"bytes\": {bytes}, \"placement\": \"{placement}\", \"waits\": \"{waits}\", \
         \"round_trips\": {}, \"p50\": {}, \"p99\": {}, \"p999\": {}, \"max\": {}, \"p50_rounds\": [{medians}]}}",
        all.len(),
        at(&all, 0.5),
        at(&all, 0.99),
        at(&all, 0.999),
        at(&all, 1.0)
    )
}

/// The value below which a share of sorted values lies.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "there are less than a billion"
)]
fn at(sorted: &[u32], share: f64) -> u32 {
    let last = sorted.len().saturating_sub(1);
    let place = (last as f64 * share).round() as usize;
    sorted.get(place).copied().unwrap_or(0)
}

/// The processor time of this process and another while a function waits, and the time that
/// went by.
pub fn idle(other: u32, wait: impl FnOnce()) -> Outcome<(Duration, Duration)> {
    let (begun, before) = (Instant::now(), cpu(std::process::id())? + cpu(other)?);
    wait();
    let after = cpu(std::process::id())? + cpu(other)?;
    Ok((after - before, begun.elapsed()))
}

/// The processor time of a process's threads.
fn cpu(process: u32) -> Outcome<Duration> {
    let mut all = 0;
    for thread in std::fs::read_dir(format!("/proc/{process}/task"))? {
        let text = std::fs::read_to_string(thread?.path().join("schedstat"))?;
        let first = text.split_whitespace().next().ok_or("no schedstat")?;
        all += first.parse::<u64>()?;
    }
    Ok(Duration::from_nanos(all))
}
