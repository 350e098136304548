//! The time that requests wait.

use core::time::Duration;
use std::format;
use std::string::String;
use std::time::Instant;

use crate::net::Failure;
use crate::session::Kind;

/// The length of a wait, and its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) begun: Instant,
    pub(crate) most: Duration,
}

impl Wait {
    /// The wait of a request with a deadline. The time is not looked at for a request without a
    /// deadline.
    pub(crate) fn of(deadline: Option<Duration>) -> Option<Self> {
        deadline.map(|most| Self {
            begun: Instant::now(),
            most,
        })
    }

    /// When it is over.
    pub(crate) fn until(self) -> Option<Instant> {
        self.begun.checked_add(self.most)
    }

    /// The time that is left.
    #[cfg(any(feature = "tokio", feature = "opentelemetry"))]
    pub(crate) fn left(self) -> Duration {
        self.most.saturating_sub(self.begun.elapsed())
    }

    /// Adds to a failure of the deadline how long was waited.
    #[cold]
    pub(crate) fn explained(wait: Option<Self>, mut failure: Failure) -> Failure {
        let Some(Self { begun, most }) = wait else {
            return failure;
        };
        if failure.name == Kind::DeadlineExceeded.as_str() && !failure.text.starts_with("after ") {
            let (waited, most) = (span(begun.elapsed()), span(most));
            let colon = if failure.text.is_empty() { "" } else { ": " };
            let after = format!("after {waited}, with a deadline of {most}{colon}");
            failure.text.insert_str(0, &after);
        }
        failure
    }
}

/// A time in seconds, or in milliseconds if it is shorter than one.
fn span(time: Duration) -> String {
    let us = time.as_micros();
    let (whole, rest, unit) = if us < 1_000_000 {
        (us / 1000, us % 1000, "ms")
    } else {
        (us / 1_000_000, us / 1000 % 1000, "s")
    };
    if rest == 0 {
        return format!("{whole} {unit}");
    }
    let rest = format!("{rest:03}");
    format!("{whole}.{} {unit}", rest.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_one_text() {
        let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/times.tsv");
        let table = std::fs::read_to_string(table).unwrap();
        for line in table.lines().skip(1) {
            let (us, want) = line.split_once('\t').unwrap();
            assert_eq!(span(Duration::from_micros(us.parse().unwrap())), want);
        }
    }
}
