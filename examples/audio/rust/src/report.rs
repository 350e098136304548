//! Measurements, for people and for programs.

use std::fmt::{self, Write as _};

use crate::callback::Seen;
use crate::period::length;
use crate::system::{Granted, Usage};
use crate::{FRAMES, RATE};

/// A callback, as it was measured.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Record {
    /// How late the thread woke, and how long the callback took, in nanoseconds.
    pub(crate) late: u64,
    pub(crate) took: u64,
    /// The next callback was due before this one had ended.
    pub(crate) is_missed: bool,
    pub(crate) seen: Seen,
}

/// Records of callbacks.
#[derive(Default)]
pub(crate) struct Log {
    late: Vec<u64>,
    took: Vec<u64>,
    age: Vec<u64>,
    missed: u64,
    meters: u64,
    wrong: u64,
    /// The number of changes of the meters' gain.
    changes: u64,
    newest: Seen,
}

impl Log {
    pub(crate) fn add(&mut self, record: &Record) {
        self.late.push(record.late);
        self.took.push(record.took);
        self.age.extend(record.seen.age);
        self.missed += u64::from(record.is_missed);
        self.meters += u64::from(record.seen.meters);
        self.wrong += u64::from(record.seen.wrong);
        self.changes += u64::from(self.newest.gain.to_bits() != record.seen.gain.to_bits());
        self.newest = record.seen;
    }

    pub(crate) fn callbacks(&self) -> u64 {
        self.late.len() as u64
    }

    /// A line about a second.
    pub(crate) fn line(&mut self, second: u64) -> String {
        let (late, took, age) = self.spreads();
        let Seen { gain, peak, .. } = self.newest;
        let mut line = format!("{second:4} s  {} callbacks", self.callbacks());
        let _ = write!(
            line,
            ", woke late p50 {} max {} µs",
            Micros(late.p50),
            Micros(late.max)
        );
        let _ = write!(
            line,
            ", took p50 {} max {} µs",
            Micros(took.p50),
            Micros(took.max)
        );
        let _ = write!(
            line,
            "; {} meters, age {} to {}",
            self.meters, age.p50, age.max
        );
        let _ = write!(
            line,
            ", gain {gain:.2} peak {peak:.2}; missed {}",
            self.missed
        );
        line
    }

    fn spreads(&mut self) -> (Spread, Spread, Spread) {
        (
            Spread::of(&mut self.late),
            Spread::of(&mut self.took),
            Spread::of(&mut self.age),
        )
    }
}

/// How values are spread.
#[derive(Debug, Clone, Copy, Default)]
struct Spread {
    p50: u64,
    p99: u64,
    p999: u64,
    max: u64,
}

impl Spread {
    fn of(values: &mut [u64]) -> Self {
        values.sort_unstable();
        let at = |thousandths: usize| {
            let at = (values.len() * thousandths / 1000).min(values.len().saturating_sub(1));
            values.get(at).copied().unwrap_or_default()
        };
        Self {
            p50: at(500),
            p99: at(990),
            p999: at(999),
            max: at(1000),
        }
    }

    fn json(&self) -> String {
        let Self {
            p50,
            p99,
            p999,
            max,
        } = self;
        format!(r#"{{"p50": {p50}, "p99": {p99}, "p99.9": {p999}, "max": {max}}}"#)
    }
}

/// Nanoseconds as microseconds.
struct Micros(u64);

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.0 + 50) / 100;
        f.pad(&format!("{}.{}", tenths / 10, tenths % 10))
    }
}

/// Outcome of a run.
pub(crate) struct Summary {
    pub(crate) seconds: u64,
    pub(crate) has_load: bool,
    pub(crate) granted: Granted,
    /// Usage of the thread with the callback, between its first block and its last.
    pub(crate) used: Usage,
    /// Callbacks whose records had no room.
    pub(crate) unrecorded: u64,
    pub(crate) starts: u32,
    pub(crate) log: Log,
}

impl Summary {
    pub(crate) fn text(&mut self) -> String {
        let (late, took, age) = self.log.spreads();
        let load = if self.has_load {
            "with --load"
        } else {
            "without --load"
        };
        let Granted { scheduling, memory } = &self.granted;
        let mut text = format!(
            "{FRAMES} frames at {RATE} Hz: a callback each {} µs; {scheduling}; {memory}; {load}\n\n",
            length(1) / 1000
        );
        let head = ["p50", "p99", "p99.9", "max"].map(|word| format!("{word:>9}"));
        let _ = writeln!(text, "{:20}{}", "", head.concat());
        for (
            name,
            Spread {
                p50,
                p99,
                p999,
                max,
            },
        ) in [("woke late, µs", late), ("took, µs", took)]
        {
            let row = [p50, p99, p999, max].map(|time| format!("{:>9}", Micros(time)));
            let _ = writeln!(text, "{name:20}{}", row.concat());
        }
        let Spread {
            p50,
            p99,
            p999,
            max,
        } = age;
        let row = [p50, p99, p999, max].map(|blocks| format!("{blocks:>9}"));
        let _ = writeln!(text, "{:20}{}\n", "meters' age, blocks", row.concat());
        let Log { meters, wrong, .. } = self.log;
        let _ = writeln!(
            text,
            "{meters} meters, {wrong} with another gain than was sent; plug-ins started: {}",
            self.starts
        );
        let Usage {
            faults,
            preemptions,
        } = self.used;
        let _ = writeln!(text, "{faults} page faults, {preemptions} preemptions");
        let _ = write!(
            text,
            "missed {} of {} deadlines",
            self.log.missed,
            self.log.callbacks()
        );
        if self.unrecorded > 0 {
            let _ = write!(
                text,
                "; {} callbacks are not among them, since nobody took their records",
                self.unrecorded
            );
        }
        text
    }

    pub(crate) fn json(&mut self) -> String {
        let (late, took, age) = self.log.spreads();
        let Granted { scheduling, memory } = &self.granted;
        let fields = [
            ("seconds", self.seconds.to_string()),
            ("load", self.has_load.to_string()),
            ("scheduling", format!("{scheduling:?}")),
            ("memory", format!("{memory:?}")),
            ("period_ns", length(1).to_string()),
            ("callbacks", self.log.callbacks().to_string()),
            ("unrecorded", self.unrecorded.to_string()),
            ("missed", self.log.missed.to_string()),
            ("late_ns", late.json()),
            ("took_ns", took.json()),
            ("age_blocks", age.json()),
            ("meters", self.log.meters.to_string()),
            ("wrong", self.log.wrong.to_string()),
            ("changes", self.log.changes.to_string()),
            ("starts", self.starts.to_string()),
            ("faults", self.used.faults.to_string()),
            ("preemptions", self.used.preemptions.to_string()),
        ];
        let fields = fields.map(|(name, value)| format!("  \"{name}\": {value}"));
        format!("{{\n{}\n}}\n", fields.join(",\n"))
    }
}
