//! Requests that are made again, since nobody has acted on them [MXP-14.6].

use core::time::Duration;

use crate::engine::draw::{self, Draw};
use crate::engine::request::micros;
use crate::engine::Failure;
use crate::session::{Kind, Status};

/// The pauses before a peer that has no place is asked again double, from the one to the
/// other.
const PAUSE_MIN: Duration = Duration::from_millis(1);
const PAUSE_MAX: Duration = Duration::from_millis(100);

/// When a request that has failed can be made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Again {
    /// It is its user's choice.
    Never,
    /// On the next connection.
    Elsewhere,
    /// When the peer may have a place for it.
    Soon,
}

/// A request that has failed.
#[derive(Debug)]
pub(crate) struct Missed {
    pub(crate) failure: Failure,
    pub(crate) again: Again,
}

impl From<Failure> for Missed {
    /// A failure that is no connection's.
    fn from(failure: Failure) -> Self {
        let again = Again::Never;
        Self { failure, again }
    }
}

impl Missed {
    /// The failure of a request on a connection, which takes more requests or not.
    pub(crate) fn on(failure: Failure, takes_more: bool) -> Self {
        let is = |kind: Kind| failure.name == kind.as_str();
        let again = if failure.acted {
            Again::Never
        } else if is(Kind::LimitInFlight) || is(Kind::LimitInFlightBytes) {
            Again::Soon
        } else if failure.status == Status::UNAVAILABLE && !takes_more {
            Again::Elsewhere
        } else {
            Again::Never
        };
        Self { failure, again }
    }
}

/// The pauses of a request that a peer has no place for. Times are microseconds of the client's
/// clock.
#[derive(Debug)]
pub(crate) struct Pauses {
    until: u64,
    most: Duration,
}

impl Pauses {
    /// They end with the request's deadline, else after so long.
    pub(crate) fn new(deadline: Option<u64>, patience: Duration, now: u64) -> Self {
        Self {
            until: deadline.unwrap_or_else(|| now.saturating_add(micros(patience))),
            most: PAUSE_MIN,
        }
    }

    /// How long the next pause is; none when there is no time for one.
    pub(crate) fn next(&mut self, now: u64, draw: Draw) -> Option<Duration> {
        let pause = draw::pause(self.most, draw);
        self.most = (2 * self.most).min(PAUSE_MAX);
        let end = now.saturating_add(micros(pause));
        (end < self.until).then_some(pause)
    }
}
